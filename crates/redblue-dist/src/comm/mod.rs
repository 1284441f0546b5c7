//! Communication between ranks: one small trait, several back-ends.
//!
//! ```text
//!               Comm::exchange(transfers, work)          the only way words move, two-sided
//!               OneSided::expose(memory) ──► Window      the same words, one-sided (C-23)
//!                  ▲               ▲
//!          threads::run        mpi::MpiComm (feature `mpi`)
//!                  ▲               ▲
//!          Counted<C>, Traced<C>   wrap any of them: words per rank and phase; events with times
//!                  ▲
//!          collective::{all_gather, reduce_scatter, broadcast, all_reduce}, agree
//! ```
//!
//! **An exchange** posts its sends and receives, runs `work` while they are under way (C-22), and returns
//! when all are complete. Requests never escape, so a buffer cannot be touched while a message uses it, and
//! nothing has to be allocated for messages. Double buffering is one exchange per round: receive the panels
//! of round r+1, multiply those of round r.
//!
//! **No hang.** A rank that fails says so with [`Comm::fail`]; pending and later operations of all others then
//! return [`CommError::Failed`]. An operation that sees no progress for longer than the communicator's
//! patience ([`PATIENCE`] unless set) returns [`CommError::TimedOut`] and fails the others too. On threads a
//! panic counts as a failure, and a deadlock is found at once, without waiting.
//!
//! **What is counted.** Words, not bytes; a rank's messages to itself are legal and never counted.
//!
//! What this module does not do: it has no unordered receives (every receive names its sender, so runs are
//! deterministic), and it never initialises or finalises MPI unless asked.

pub mod agree;
pub mod collective;
mod counted;
mod error;
#[cfg(feature = "mpi")]
pub mod mpi;
mod tag;
pub mod threads;
mod traced;
mod window;
mod word;

use std::any::Any;
use std::time::{Duration, Instant};

pub use counted::{Counted, Flow, Tally};
pub use error::CommError;
pub use tag::{Phase, Tag};
pub use traced::{Event, Trace, Traced, What};
pub use window::{Access, OneSided, Window};
pub use word::{Kind, Word};

/// How long an operation waits without any progress before it gives up, unless the communicator is told
/// otherwise. It must exceed the longest local computation between two messages.
pub const PATIENCE: Duration = Duration::from_secs(300);

/// How long a rank that ends the job waits after its last message: launchers read what ranks print through pipes, and
/// MPICH's drops what it has not read when the job is aborted.
pub const LAST_WORDS: Duration = Duration::from_millis(500);

/// One message of an exchange, seen from this rank. A transfer of no words is no message.
#[derive(Debug)]
pub enum Transfer<'a, T> {
    /// Words to another rank.
    Send {
        /// The receiver.
        to: usize,
        /// The label.
        tag: Tag,
        /// The words.
        data: &'a [T],
    },
    /// Words from another rank.
    Receive {
        /// The sender.
        from: usize,
        /// The label.
        tag: Tag,
        /// Where they go; the message has exactly this length.
        data: &'a mut [T],
    },
}

impl<T> Transfer<'_, T> {
    /// The other rank.
    pub fn peer(&self) -> usize {
        match self {
            Transfer::Send { to, .. } => *to,
            Transfer::Receive { from, .. } => *from,
        }
    }

    /// The label.
    pub fn tag(&self) -> Tag {
        match self {
            Transfer::Send { tag, .. } | Transfer::Receive { tag, .. } => *tag,
        }
    }

    /// Number of words.
    pub fn words(&self) -> usize {
        match self {
            Transfer::Send { data, .. } => data.len(),
            Transfer::Receive { data, .. } => data.len(),
        }
    }
}

/// A communicator: a numbered group of ranks that exchange words.
pub trait Comm: Sized {
    /// This rank, from 0.
    fn rank(&self) -> usize;

    /// Number of ranks.
    fn size(&self) -> usize;

    /// As [`Comm::exchange`]; `seen` is told the position of every transfer that has completed and when,
    /// in the order in which this rank learned of it.
    fn exchange_seen<T: Word, R>(
        &self,
        transfers: &mut [Transfer<'_, T>],
        work: impl FnOnce(&mut dyn FnMut()) -> R,
        seen: &mut dyn FnMut(usize, Instant),
    ) -> Result<R, CommError>;

    /// Splits the communicator: ranks with equal colour form a new one, ordered by key and then by rank.
    /// Ranks without a colour get none. Collective.
    fn split(&self, colour: Option<u64>, key: u64) -> Result<Option<Self>, CommError>;

    /// Tells all ranks of the program that this one cannot go on. Returns at once.
    fn fail(&self, message: &str);

    /// A communicator of the same ranks whose messages never meet those of this one. Collective.
    fn duplicate(&self) -> Result<Self, CommError> {
        self.split(Some(0), self.rank() as u64)?
            .ok_or_else(|| CommError::Library {
                operation: "duplicate",
                message: "the communicator was split into nothing".to_owned(),
            })
    }

    /// Posts all transfers, runs `work`, and waits until every transfer is complete. `work` is given a
    /// function that moves messages along, to be called now and then by long computations: some MPI
    /// libraries move large messages only inside their calls.
    fn exchange<T: Word, R>(
        &self,
        transfers: &mut [Transfer<'_, T>],
        work: impl FnOnce(&mut dyn FnMut()) -> R,
    ) -> Result<R, CommError> {
        self.exchange_seen(transfers, work, &mut |_, _| {})
    }

    /// [`Comm::exchange`] without work to do meanwhile.
    fn transfer<T: Word>(&self, transfers: &mut [Transfer<'_, T>]) -> Result<(), CommError> {
        self.exchange(transfers, |_| ())
    }

    /// Returns on any rank only after all have called it: in round i every rank hears from the one 2^i below.
    fn barrier(&self) -> Result<(), CommError> {
        let (rank, size) = (self.rank(), self.size());
        let mut distance = 1;
        while distance < size {
            let mut heard = [0_u64];
            self.transfer(&mut [
                Transfer::Send {
                    to: (rank + distance) % size,
                    tag: Phase::Control.into(),
                    data: &[1],
                },
                Transfer::Receive {
                    from: (rank + size - distance) % size,
                    tag: Phase::Control.into(),
                    data: &mut heard,
                },
            ])?;
            distance *= 2;
        }
        Ok(())
    }
}

/// Checks that every transfer names a rank of the communicator.
fn check_peers<T>(transfers: &[Transfer<'_, T>], size: usize) -> Result<(), CommError> {
    match transfers
        .iter()
        .map(Transfer::peer)
        .find(|&peer| peer >= size)
    {
        Some(rank) => Err(CommError::NoSuchRank { rank, size }),
        None => Ok(()),
    }
}

/// What a panic said, as the failure of a rank reports it.
fn panic_message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
    format!(
        "panicked: {}",
        text.unwrap_or_else(|| "unknown reason".to_owned())
    )
}
