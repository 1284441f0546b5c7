//! What ends a communication.

use thiserror::Error;

/// Why an operation on a communicator did not complete. After one of these the communicator is of no
/// further use: every later operation on it returns an error too.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum CommError {
    /// Some rank reported a failure or panicked.
    #[error("rank {rank} failed: {message}")]
    Failed {
        /// The rank, in the communicator the program started with.
        rank: usize,
        /// What it said.
        message: String,
    },
    /// Nothing arrived for longer than the communicator's patience.
    #[error("rank {rank} waited {seconds} s in vain for {waiting}")]
    TimedOut {
        /// The rank that waited.
        rank: usize,
        /// How long.
        seconds: u64,
        /// The transfers that did not happen.
        waiting: String,
    },
    /// All ranks wait for each other, or for ranks that have ended (found by the back-end on threads).
    #[error("deadlock: {waiting}")]
    Deadlock {
        /// Who waits for what.
        waiting: String,
    },
    /// A message met a receive of another length or type.
    #[error("{transfer}: sent {sent}, expected {expected}")]
    Mismatch {
        /// The sender, the receiver and the tag.
        transfer: String,
        /// Length and type of the message.
        sent: String,
        /// Length and type of the receive.
        expected: String,
    },
    /// A transfer names a rank the communicator does not have.
    #[error("there is no rank {rank} in a communicator of {size}")]
    NoSuchRank {
        /// The rank named.
        rank: usize,
        /// Number of ranks.
        size: usize,
    },
    /// An access to a window goes beyond its end.
    #[error("words {at}..{end} of rank {rank}'s window, which has {words}")]
    OutsideWindow {
        /// The rank that exposes the window.
        rank: usize,
        /// First word accessed.
        at: usize,
        /// One past the last word accessed.
        end: usize,
        /// Length of the window.
        words: usize,
    },
    /// A collective got buffers whose lengths contradict its list of parts.
    #[error("{name} has {words} words, but the parts of {size} ranks need {needed}")]
    WrongLength {
        /// Which buffer.
        name: &'static str,
        /// Its length.
        words: usize,
        /// Number of ranks.
        size: usize,
        /// The length it must have.
        needed: usize,
    },
    /// An argument that must be equal on all ranks is not.
    #[error("argument {name} differs: {low} on rank {low_rank}, {high} on rank {high_rank}")]
    Inconsistent {
        /// The argument.
        name: String,
        /// Its least value.
        low: u64,
        /// The first rank with that value.
        low_rank: usize,
        /// Its greatest value.
        high: u64,
        /// The first rank with that value.
        high_rank: usize,
    },
    /// The communication library refused an operation.
    #[error("{operation}: {message}")]
    Library {
        /// The operation.
        operation: &'static str,
        /// What the library says about it.
        message: String,
    },
}
