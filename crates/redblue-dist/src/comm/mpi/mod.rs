//! Ranks as MPI processes, behind the feature `mpi`: Open MPI and MPICH.
//!
//! A [`MpiComm`] is a duplicate of the caller's communicator, made with [`MpiComm::duplicate_of`] or, for C and
//! Fortran callers, from a raw handle. Its messages never meet the caller's, errors are returned instead of
//! ending the job, and MPI is neither initialised nor finalised unless a program asks for it with [`start`]. All
//! calls come from the thread that made the communicator, so `MPI_THREAD_FUNNELED` is enough.
//!
//! **Waiting** is a loop of `MPI_Test`, so that it can end: when another rank has sent a notice of its failure
//! ([`Comm::fail`]), when MPI reports an error, or when nothing has completed for longer than the patience.
//! The exchange then withdraws its messages. Receives can be withdrawn; a large send that has not been
//! matched cannot, and its buffer belongs to the caller. If one is left after [`GRACE`], the only way that
//! neither hangs nor corrupts memory is to end the job: the reason is printed and `MPI_Abort` called, and if
//! that does not end the process within another [`GRACE`], it ends by a signal.
//! When a process is killed, the usual launchers end the others; where they are told not to, the rules above
//! apply.
//!
//! Calls that MPI offers only as blocking ones (splitting, windows) follow an exchange in which all ranks took
//! part, so that a rank which failed before is noticed there.
//!
//! Messages of more than `i32::MAX` words travel in pieces.

mod board;
mod flight;
mod window;

use std::fmt::Display;
use std::marker::PhantomData;
use std::os::raw::c_int;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::rc::Rc;
use std::time::{Duration, Instant};

use ::mpi::Threading;
use ::mpi::environment::Universe;
use ::mpi::ffi::{self, MPI_Comm, MPI_Datatype};
use ::mpi::topology::Communicator;

use super::{
    Comm, CommError, Kind, PATIENCE, Transfer, Word, check_peers, collective, panic_message,
};
use board::Board;
use flight::Flight;
pub use window::MpiWindow;

/// How long a failed exchange tries to withdraw its messages before it ends the job.
pub const GRACE: Duration = Duration::from_secs(2);

/// MPI itself, for as long as a program that started it needs it; finalised when dropped, if it still runs.
#[must_use]
pub struct Session(#[expect(dead_code, reason = "held for its end")] Universe);

/// Initialises MPI and duplicates the communicator of all processes: for programs, never for libraries.
pub fn start() -> Result<(Session, MpiComm), CommError> {
    let started = ::mpi::initialize_with_threading(Threading::Funneled);
    let (universe, _) = started.ok_or(CommError::Library {
        operation: "MPI_Init_thread",
        message: "MPI was initialised before".to_owned(),
    })?;
    let comm = MpiComm::duplicate_of(&universe.world())?;
    Ok((Session(universe), comm))
}

/// A communicator between MPI processes.
#[derive(Debug)]
pub struct MpiComm {
    handle: Handle,
    board: Rc<Board>,
    rank: usize,
    size: usize,
    patience: Duration,
    /// Words of the longest single message.
    piece: usize,
}

impl MpiComm {
    /// A duplicate of a communicator. Collective.
    pub fn duplicate_of(comm: &impl Communicator) -> Result<MpiComm, CommError> {
        // SAFETY: a `Communicator` is valid.
        unsafe { MpiComm::from_raw(comm.as_raw()) }
    }

    /// A duplicate of a communicator given by its Fortran handle. Collective.
    ///
    /// # Safety
    /// The handle must be that of a valid communicator, and MPI must be initialised.
    pub unsafe fn from_fortran(handle: c_int) -> Result<MpiComm, CommError> {
        // SAFETY: the caller vouches for the handle.
        unsafe { MpiComm::from_raw(ffi::RSMPI_Comm_f2c(handle)) }
    }

    /// A duplicate of a communicator given by its handle. Collective.
    ///
    /// # Safety
    /// The handle must be that of a valid communicator, and MPI must be initialised.
    pub unsafe fn from_raw(comm: MPI_Comm) -> Result<MpiComm, CommError> {
        // SAFETY: the caller vouches for the handle.
        let (handle, notices) = unsafe { (Handle::duplicate(comm)?, Handle::duplicate(comm)?) };
        let (rank, size) = handle.place()?;
        let board = Rc::new(Board::new(notices, rank, size));
        Ok(MpiComm {
            handle,
            board,
            rank,
            size,
            patience: PATIENCE,
            piece: c_int::MAX as usize,
        })
    }

    /// The same communicator, waiting at most this long without progress.
    #[must_use]
    pub fn patience(self, patience: Duration) -> MpiComm {
        MpiComm { patience, ..self }
    }

    /// The same communicator, with messages of at most this many words. All ranks must say the same.
    #[must_use]
    pub fn piece(self, words: usize) -> MpiComm {
        MpiComm {
            piece: words.clamp(1, c_int::MAX as usize),
            ..self
        }
    }

    /// Runs `body`; if it returns an error or panics, the other ranks are told.
    pub fn guard<R, E: Display>(
        &self,
        body: impl FnOnce(&MpiComm) -> Result<R, E>,
    ) -> Result<R, E> {
        // The body's state dies with it: on a panic nothing of it is looked at again.
        match catch_unwind(AssertUnwindSafe(|| body(self))) {
            Ok(outcome) => outcome.inspect_err(|error| self.fail(&error.to_string())),
            Err(panic) => {
                self.fail(&panic_message(panic.as_ref()));
                resume_unwind(panic)
            }
        }
    }

    /// Prints the reason and ends all processes of the communicator.
    pub fn abort(&self, reason: &CommError) -> ! {
        self.board.abort(reason)
    }
}

impl Comm for MpiComm {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.size
    }

    fn exchange_seen<T: Word, R>(
        &self,
        transfers: &mut [Transfer<'_, T>],
        work: impl FnOnce(&mut dyn FnMut()) -> R,
        seen: &mut dyn FnMut(usize, Instant),
    ) -> Result<R, CommError> {
        check_peers(transfers, self.size)?;
        let mut flight = Flight::new(&self.board, self.patience);
        for (index, transfer) in transfers.iter_mut().enumerate() {
            let (peer, tag) = (transfer.peer() as c_int, c_int::from(transfer.tag().code()));
            match transfer {
                _ if transfer.words() == 0 => seen(index, Instant::now()),
                Transfer::Send { data, .. } => {
                    for words in data.chunks(self.piece) {
                        // SAFETY: the words are borrowed until this function returns; the flight ends before.
                        flight.start(index, None, |request| unsafe {
                            let (data, count) = (words.as_ptr().cast(), words.len() as c_int);
                            let comm = self.handle.0;
                            ffi::MPI_Isend(data, count, datatype(T::KIND), peer, tag, comm, request)
                        })?;
                    }
                }
                Transfer::Receive { data, .. } => {
                    for words in data.chunks_mut(self.piece) {
                        let expected = Some((T::KIND, words.len()));
                        // SAFETY: as above; the borrow is exclusive, and nothing touches it meanwhile.
                        flight.start(index, expected, |request| unsafe {
                            let (data, count) = (words.as_mut_ptr().cast(), words.len() as c_int);
                            let comm = self.handle.0;
                            ffi::MPI_Irecv(data, count, datatype(T::KIND), peer, tag, comm, request)
                        })?;
                    }
                }
            }
        }
        let result = work(&mut || flight.advance());
        flight.land(seen)?;
        Ok(result)
    }

    fn split(&self, colour: Option<u64>, key: u64) -> Result<Option<Self>, CommError> {
        let members = collective::colours(self, colour, key)?;
        // The least member names the colour, and the place among the members is the key: both fit in an int.
        let name = members.iter().min().filter(|_| colour.is_some());
        let place = members
            .iter()
            .position(|&member| member == self.rank)
            .unwrap_or_default();
        // SAFETY: the communicator is valid, and all its ranks are here: they have just exchanged colours.
        let part = unsafe {
            let name = name.map_or(ffi::RSMPI_UNDEFINED, |&name| name as c_int);
            Handle::create("MPI_Comm_split", |new| {
                ffi::MPI_Comm_split(self.handle.0, name, place as c_int, new)
            })?
        };
        if colour.is_none() {
            // It is MPI_COMM_NULL, which must not be freed.
            std::mem::forget(part);
            return Ok(None);
        }
        let (rank, size) = part.place()?;
        let board = Rc::clone(&self.board);
        Ok(Some(MpiComm {
            handle: part,
            board,
            rank,
            size,
            ..*self
        }))
    }

    fn fail(&self, message: &str) {
        self.board.post(message);
    }
}

/// A communicator handle that belongs to us. It stays on its thread.
#[derive(Debug)]
struct Handle(MPI_Comm, PhantomData<*const ()>);

impl Handle {
    /// # Safety
    /// The handle must be that of a valid communicator.
    unsafe fn duplicate(comm: MPI_Comm) -> Result<Handle, CommError> {
        // SAFETY: the caller vouches for the handle.
        unsafe { Handle::create("MPI_Comm_dup", |new| ffi::MPI_Comm_dup(comm, new)) }
    }

    /// # Safety
    /// `make` must store a valid communicator, or MPI_COMM_NULL.
    unsafe fn create(
        operation: &'static str,
        make: impl FnOnce(*mut MPI_Comm) -> c_int,
    ) -> Result<Handle, CommError> {
        // SAFETY: MPI_COMM_NULL is a constant.
        let mut new = unsafe { ffi::RSMPI_COMM_NULL };
        check(operation, make(&mut new))?;
        // SAFETY: the communicator is new; on MPI_COMM_NULL nothing is set.
        if unsafe { new != ffi::RSMPI_COMM_NULL } {
            // SAFETY: as above.
            let code = unsafe { ffi::MPI_Comm_set_errhandler(new, ffi::RSMPI_ERRORS_RETURN) };
            check("MPI_Comm_set_errhandler", code)?;
        }
        Ok(Handle(new, PhantomData))
    }

    /// This rank and the number of ranks.
    fn place(&self) -> Result<(usize, usize), CommError> {
        let (mut rank, mut size) = (0, 0);
        // SAFETY: the communicator is valid.
        check("MPI_Comm_rank", unsafe {
            ffi::MPI_Comm_rank(self.0, &mut rank)
        })?;
        // SAFETY: the communicator is valid.
        check("MPI_Comm_size", unsafe {
            ffi::MPI_Comm_size(self.0, &mut size)
        })?;
        Ok((rank as usize, size as usize))
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        let mut over = 0;
        // SAFETY: MPI_Finalized may be called at any time; the communicator is ours and still valid if MPI is.
        unsafe {
            ffi::MPI_Finalized(&mut over);
            if over == 0 {
                ffi::MPI_Comm_free(&mut self.0);
            }
        }
    }
}

/// MPI's name for a type of words.
fn datatype(kind: Kind) -> MPI_Datatype {
    // SAFETY: these are constants.
    unsafe {
        match kind {
            Kind::F32 => ffi::RSMPI_FLOAT,
            Kind::F64 => ffi::RSMPI_DOUBLE,
            Kind::C32 => ffi::RSMPI_FLOAT_COMPLEX,
            Kind::C64 => ffi::RSMPI_DOUBLE_COMPLEX,
            Kind::U64 => ffi::RSMPI_UINT64_T,
        }
    }
}

/// Turns MPI's return code into an error with MPI's own words.
fn check(operation: &'static str, code: c_int) -> Result<(), CommError> {
    if code == ffi::MPI_SUCCESS as c_int {
        return Ok(());
    }
    let mut text = [0_u8; ffi::MPI_MAX_ERROR_STRING as usize];
    let mut length = 0;
    // SAFETY: the buffer has the length that MPI asks for.
    unsafe { ffi::MPI_Error_string(code, text.as_mut_ptr().cast(), &mut length) };
    let length = usize::try_from(length).unwrap_or(0).min(text.len());
    let message = String::from_utf8_lossy(&text[..length]).into_owned();
    Err(CommError::Library { operation, message })
}
