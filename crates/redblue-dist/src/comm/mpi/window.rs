//! Windows between MPI processes: `MPI_Rget` and `MPI_Raccumulate` in one long passive epoch.
//!
//! Gets and accumulations are requests, so waiting for them ends like any other wait. Closing flushes what
//! this rank has started, meets the others, and frees the window; these calls block, but only after every
//! rank has said that it is there. A window that is dropped without being closed (after an error) is left to
//! MPI together with its memory, which others may still access.
//!
//! Two defects of Open MPI 4.1 are avoided: it cannot create a window in a communicator of one process, where
//! no MPI is needed; and it adds complex words of 8 bytes as if they were integers, so complex words are
//! accumulated as twice as many real ones, which is the same sum.

use std::cell::RefCell;
use std::os::raw::c_int;

use ::mpi::ffi::{self, MPI_Aint, MPI_Datatype, MPI_Op, MPI_Win};

use super::super::collective::{Path, all_gather};
use super::super::window::check_accesses;
use super::super::{Access, Comm, CommError, Kind, OneSided, Phase, Window, Word};
use super::flight::Flight;
use super::{MpiComm, check, datatype};

/// Memory of all ranks of a [`MpiComm`].
#[derive(Debug)]
pub struct MpiWindow<T> {
    comm: MpiComm,
    /// None in a communicator of one rank, which accesses its memory without MPI.
    window: Option<MPI_Win>,
    /// The exposed words; taken by `close`, leaked otherwise. MPI knows the place of the words, which is not
    /// that of the vector.
    memory: RefCell<Vec<T>>,
    lengths: Vec<usize>,
}

impl OneSided for MpiComm {
    type Window<T: Word> = MpiWindow<T>;

    fn expose<T: Word>(&self, mut memory: Vec<T>) -> Result<MpiWindow<T>, CommError> {
        let comm = self.duplicate()?;
        let mut lengths = vec![0_u64; comm.size];
        lengths[comm.rank] = memory.len() as u64;
        let parts = vec![1; comm.size];
        all_gather(
            &comm,
            &parts,
            &mut lengths,
            Path::Ring,
            Phase::Control.into(),
        )?;
        let lengths = lengths.into_iter().map(|words| words as usize).collect();
        if comm.size == 1 {
            return Ok(MpiWindow {
                comm,
                window: None,
                memory: RefCell::new(memory),
                lengths,
            });
        }
        // SAFETY: the memory is owned by the window from here on: it is neither moved nor touched before
        // `close` has freed the window, and leaked if that never happens.
        let window = unsafe {
            let mut window = ffi::RSMPI_WIN_NULL;
            let (base, bytes) = (
                memory.as_mut_ptr().cast(),
                size_of_val(&memory[..]) as MPI_Aint,
            );
            let (unit, info) = (size_of::<T>() as c_int, ffi::RSMPI_INFO_NULL);
            let code = ffi::MPI_Win_create(base, bytes, unit, info, comm.handle.0, &mut window);
            check("MPI_Win_create", code)?;
            let code = ffi::MPI_Win_set_errhandler(window, ffi::RSMPI_ERRORS_RETURN);
            check("MPI_Win_set_errhandler", code)?;
            check("MPI_Win_lock_all", ffi::MPI_Win_lock_all(0, window))?;
            window
        };
        let (window, memory) = (Some(window), RefCell::new(memory));
        let window = MpiWindow {
            comm,
            window,
            memory,
            lengths,
        };
        // Nobody accesses a window before all are open.
        window.comm.barrier()?;
        Ok(window)
    }
}

impl<T: Word> Window<T> for MpiWindow<T> {
    fn exchange<R>(
        &self,
        accesses: &mut [Access<'_, T>],
        work: impl FnOnce(&mut dyn FnMut()) -> R,
    ) -> Result<R, CommError> {
        check_accesses(accesses, &self.lengths)?;
        let Some(window) = self.window else {
            let memory = &mut self.memory.borrow_mut()[..];
            accesses
                .iter_mut()
                .for_each(|access| access.carry_out(memory));
            return Ok(work(&mut || {}));
        };
        let (kind, (real, reals)) = (datatype(T::KIND), real(T::KIND));
        let piece = self.comm.piece.min(c_int::MAX as usize / 2);
        let mut flight = Flight::new(&self.comm.board, self.comm.patience);
        for (index, access) in accesses.iter_mut().enumerate() {
            let (peer, mut at) = (access.peer() as c_int, access.at() as MPI_Aint);
            match access {
                Access::Get { data, .. } => {
                    for words in data.chunks_mut(piece) {
                        let (data, count) = (words.as_mut_ptr().cast(), words.len() as c_int);
                        // SAFETY: the words are exclusively borrowed until this function returns, and the
                        // flight ends before; the access is inside the peer's window.
                        flight.start(index, None, |request| unsafe {
                            ffi::MPI_Rget(data, count, kind, peer, at, count, kind, window, request)
                        })?;
                        at += count as MPI_Aint;
                    }
                }
                Access::Accumulate { data, .. } => {
                    for words in data.chunks(piece) {
                        let (data, count) = (words.as_ptr().cast(), words.len() as c_int);
                        let (each, sum) = (count * reals, op_sum());
                        // SAFETY: as above; the words are only read.
                        flight.start(index, None, |request| unsafe {
                            ffi::MPI_Raccumulate(
                                data, each, real, peer, at, each, real, sum, window, request,
                            )
                        })?;
                        at += count as MPI_Aint;
                    }
                }
            }
        }
        let result = work(&mut || flight.advance());
        flight.land(&mut |_, _| {})?;
        Ok(result)
    }

    fn close(mut self) -> Result<Vec<T>, CommError> {
        if let Some(mut window) = self.window.take() {
            // SAFETY: the window is open, and freed only after all ranks have completed their accesses.
            unsafe {
                check("MPI_Win_flush_all", ffi::MPI_Win_flush_all(window))?;
                self.comm.barrier()?;
                check("MPI_Win_unlock_all", ffi::MPI_Win_unlock_all(window))?;
                check("MPI_Win_free", ffi::MPI_Win_free(&mut window))?;
            }
        }
        Ok(self.memory.take())
    }
}

impl<T> Drop for MpiWindow<T> {
    fn drop(&mut self) {
        // Empty after `close`; otherwise MPI may still use it.
        std::mem::forget(self.memory.take());
    }
}

/// The real type a type of words is made of, and how many of them.
fn real(kind: Kind) -> (MPI_Datatype, c_int) {
    match kind {
        Kind::C32 => (datatype(Kind::F32), 2),
        Kind::C64 => (datatype(Kind::F64), 2),
        Kind::F32 | Kind::F64 | Kind::U64 => (datatype(kind), 1),
    }
}

fn op_sum() -> MPI_Op {
    // SAFETY: MPI_SUM is a constant.
    unsafe { ffi::RSMPI_SUM }
}
