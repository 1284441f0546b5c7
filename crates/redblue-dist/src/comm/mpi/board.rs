//! The notice board: a communicator of its own on which a failing rank tells all others why.
//!
//! Notices are short messages that nobody is asked to receive; waiting ranks look for them now and then.

use std::cell::RefCell;
use std::os::raw::{c_int, c_void};

use ::mpi::ffi;

use super::super::{CommError, LAST_WORDS};
use super::{GRACE, Handle, check};

/// Longest notice in bytes: short enough to be on its way at once with every MPI.
const LENGTH: usize = 1024;

/// What a process knows of failures, shared by all communicators split from one another.
#[derive(Debug)]
pub(super) struct Board {
    handle: Handle,
    rank: usize,
    size: usize,
    failure: RefCell<Option<CommError>>,
}

impl Board {
    pub(super) fn new(handle: Handle, rank: usize, size: usize) -> Board {
        Board {
            handle,
            rank,
            size,
            failure: RefCell::new(None),
        }
    }

    /// This rank in the communicator all others were split from.
    pub(super) fn rank(&self) -> usize {
        self.rank
    }

    /// The failure that is known here, without looking for news.
    pub(super) fn known(&self) -> Option<CommError> {
        self.failure.borrow().clone()
    }

    /// Tells everybody that this rank has failed, unless a failure is known already.
    pub(super) fn post(&self, message: &str) {
        let failure = CommError::Failed {
            rank: self.rank,
            message: message.to_owned(),
        };
        self.post_as(message, failure);
    }

    /// As [`Board::post`], with another error for this rank's own use.
    pub(super) fn post_as(&self, message: &str, failure: CommError) {
        if self.failure.borrow().is_some() {
            return;
        }
        *self.failure.borrow_mut() = Some(failure);
        let mut end = message.len().min(LENGTH);
        while !message.is_char_boundary(end) {
            end -= 1;
        }
        // MPI may read the text at any later time, so it is never freed: a process fails only once.
        let text: &'static [u8] = message.as_bytes()[..end].to_vec().leak();
        for peer in (0..self.size).filter(|&peer| peer != self.rank) {
            // SAFETY: the text lives for ever; the request is given back to MPI at once. When even this
            // fails there is nobody left to tell, so return codes are of no use.
            unsafe {
                let mut request = ffi::RSMPI_REQUEST_NULL;
                let (data, count) = (text.as_ptr().cast(), text.len() as c_int);
                let (byte, comm) = (ffi::RSMPI_UINT8_T, self.handle.0);
                ffi::MPI_Isend(data, count, byte, peer as c_int, 0, comm, &mut request);
                if request != ffi::RSMPI_REQUEST_NULL {
                    ffi::MPI_Request_free(&mut request);
                }
            }
        }
    }

    /// The failure of some rank, if there is a notice of one.
    pub(super) fn look(&self) -> Result<Option<CommError>, CommError> {
        if self.failure.borrow().is_none() {
            *self.failure.borrow_mut() = self.receive()?;
        }
        Ok(self.known())
    }

    fn receive(&self) -> Result<Option<CommError>, CommError> {
        let mut text = [0_u8; LENGTH];
        // SAFETY: `found`, `status` and `count` outlive the calls; the buffer has room for every notice; a
        // status is plain data, filled by MPI.
        unsafe {
            let (mut found, mut count) = (0, 0);
            let mut status = std::mem::zeroed();
            let (anyone, comm) = (ffi::RSMPI_ANY_SOURCE, self.handle.0);
            check(
                "MPI_Iprobe",
                ffi::MPI_Iprobe(anyone, 0, comm, &mut found, &mut status),
            )?;
            if found == 0 {
                return Ok(None);
            }
            let (data, room) = (text.as_mut_ptr().cast::<c_void>(), LENGTH as c_int);
            let (byte, from) = (ffi::RSMPI_UINT8_T, status.MPI_SOURCE);
            check(
                "MPI_Recv",
                ffi::MPI_Recv(data, room, byte, from, 0, comm, &mut status),
            )?;
            check(
                "MPI_Get_count",
                ffi::MPI_Get_count(&status, byte, &mut count),
            )?;
            let length = usize::try_from(count).unwrap_or(0).min(LENGTH);
            let message = String::from_utf8_lossy(&text[..length]).into_owned();
            Ok(Some(CommError::Failed {
                rank: usize::try_from(from).unwrap_or(0),
                message,
            }))
        }
    }

    /// Ends the job: for messages that can neither complete nor be withdrawn.
    pub(super) fn abort(&self, reason: &CommError) -> ! {
        eprintln!("redblue: rank {} ends the job: {reason}", self.rank);
        std::thread::sleep(LAST_WORDS);
        // MPICH's MPI_Abort may wait for the very messages that are stuck. A process that dies by a signal
        // makes launchers end the others, too.
        std::thread::spawn(|| {
            std::thread::sleep(GRACE);
            std::process::abort();
        });
        // SAFETY: the communicator is valid. 2 is the exit code of runs that did not work.
        unsafe { ffi::MPI_Abort(self.handle.0, 2) };
        std::process::abort();
    }
}
