//! The requests of one exchange while they are under way.
//!
//! However the exchange ends, dropping the flight leaves no request that knows the caller's memory: what
//! cannot be withdrawn ends the job.

use std::os::raw::c_int;
use std::time::{Duration, Instant};

use ::mpi::ffi::{self, MPI_Request};

use super::super::{CommError, Kind};
use super::board::Board;
use super::{GRACE, check, datatype};

/// Rounds of tests without pause before the processor is offered to others.
const SPINS: u32 = 100;

/// How often a waiting rank looks for notices of failure.
const LOOK: Duration = Duration::from_millis(5);

struct Open {
    request: MPI_Request,
    /// Position among the transfers.
    index: usize,
    /// Type and number of words to be received.
    expected: Option<(Kind, usize)>,
}

pub(super) struct Flight<'a> {
    board: &'a Board,
    patience: Duration,
    open: Vec<Open>,
    /// Completed requests that have not been reported yet.
    done: Vec<(usize, Instant)>,
    error: Option<CommError>,
}

impl<'a> Flight<'a> {
    pub(super) fn new(board: &'a Board, patience: Duration) -> Flight<'a> {
        Flight {
            board,
            patience,
            open: Vec::new(),
            done: Vec::new(),
            error: None,
        }
    }

    /// Starts one request of a transfer. `start` stores a request whose memory outlives the flight.
    pub(super) fn start(
        &mut self,
        index: usize,
        expected: Option<(Kind, usize)>,
        start: impl FnOnce(*mut MPI_Request) -> c_int,
    ) -> Result<(), CommError> {
        if let Some(failure) = self.board.known() {
            return Err(failure);
        }
        // SAFETY: MPI_REQUEST_NULL is a constant.
        let mut request = unsafe { ffi::RSMPI_REQUEST_NULL };
        check("starting a message", start(&mut request))?;
        self.open.push(Open {
            request,
            index,
            expected,
        });
        Ok(())
    }

    /// Moves messages along and notes which are complete. Errors are reported by [`Flight::land`].
    pub(super) fn advance(&mut self) {
        let mut place = 0;
        while place < self.open.len() {
            match test(&mut self.open[place]) {
                Ok(false) => place += 1,
                Ok(true) => {
                    let index = self.open.swap_remove(place).index;
                    self.done.push((index, Instant::now()));
                }
                Err(error) => {
                    self.error.get_or_insert(error);
                    // SAFETY: MPI_REQUEST_NULL is a constant.
                    if self.open[place].request == unsafe { ffi::RSMPI_REQUEST_NULL } {
                        self.open.swap_remove(place);
                    } else {
                        place += 1;
                    }
                }
            }
        }
    }

    /// Waits until every request is complete, and reports transfers whose requests all are.
    pub(super) fn land(&mut self, seen: &mut dyn FnMut(usize, Instant)) -> Result<(), CommError> {
        let (mut progress, mut looked) = (Instant::now(), Instant::now());
        let mut idle = 0;
        loop {
            let before = self.open.len();
            self.advance();
            self.report(seen);
            if let Some(error) = self.error.take() {
                self.board.post_as(&error.to_string(), error.clone());
                return Err(error);
            }
            if self.open.is_empty() {
                return Ok(());
            }
            let now = Instant::now();
            if self.open.len() < before {
                (progress, idle) = (now, 0);
                continue;
            }
            if now - looked > LOOK {
                looked = now;
                if let Some(failure) = self.board.look()? {
                    return Err(failure);
                }
            }
            if now - progress > self.patience {
                let (rank, seconds) = (self.board.rank(), self.patience.as_secs());
                let waiting = format!("{} messages", self.open.len());
                let error = CommError::TimedOut {
                    rank,
                    seconds,
                    waiting,
                };
                self.board.post_as(&error.to_string(), error.clone());
                return Err(error);
            }
            idle += 1;
            if idle > SPINS {
                std::thread::yield_now();
            }
        }
    }

    fn report(&mut self, seen: &mut dyn FnMut(usize, Instant)) {
        let open = &self.open;
        let mut last: Vec<(usize, Instant)> = Vec::new();
        self.done.retain(|&(index, at)| {
            if open.iter().any(|open| open.index == index) {
                return true;
            }
            // A transfer in several pieces is complete with the last of them.
            match last.iter_mut().find(|(known, _)| *known == index) {
                Some((_, latest)) => *latest = at,
                None => last.push((index, at)),
            }
            false
        });
        last.into_iter().for_each(|(index, at)| seen(index, at));
    }
}

/// Whether a request is complete; its message must then have the length expected.
fn test(open: &mut Open) -> Result<bool, CommError> {
    // SAFETY: the request is active or null; the status is plain data, filled by MPI.
    unsafe {
        let (mut flag, mut status) = (0, std::mem::zeroed());
        check(
            "MPI_Test",
            ffi::MPI_Test(&mut open.request, &mut flag, &mut status),
        )?;
        let Some((kind, words)) = open.expected.filter(|_| flag != 0) else {
            return Ok(flag != 0);
        };
        let mut count = 0;
        check(
            "MPI_Get_count",
            ffi::MPI_Get_count(&status, datatype(kind), &mut count),
        )?;
        if usize::try_from(count) != Ok(words) {
            let transfer = format!("a message from rank {}", status.MPI_SOURCE);
            let (sent, expected) = (
                format!("{count} words"),
                format!("{words} words of {kind:?}"),
            );
            return Err(CommError::Mismatch {
                transfer,
                sent,
                expected,
            });
        }
        Ok(true)
    }
}

impl Drop for Flight<'_> {
    fn drop(&mut self) {
        if self.open.is_empty() {
            return;
        }
        if std::thread::panicking() {
            self.board.post("panicked while messages were under way");
        }
        for open in &mut self.open {
            // A receive that is cancelled completes with an arbitrary length.
            open.expected = None;
            // SAFETY: the request is active; where MPI cannot cancel it, it stays active.
            unsafe { ffi::MPI_Cancel(&mut open.request) };
        }
        let start = Instant::now();
        while !self.open.is_empty() {
            self.advance();
            if start.elapsed() > GRACE {
                let message = "messages under way cannot be withdrawn".to_owned();
                let unknown = CommError::Failed {
                    rank: self.board.rank(),
                    message,
                };
                self.board.abort(&self.board.known().unwrap_or(unknown));
            }
            std::thread::yield_now();
        }
    }
}
