//! Distributed matrix product: executes the plan of redblue-dist on any communicator.
//!
//! ```text
//! round r:  receive panels of r+1 ─┐ at the same time (C-22)
//!           multiply panels of r  ─┘
//! last step of a tile:  partial sums go to their owners, one message after another
//! ```
//!
//! A rank's own words are stored rectangle after rectangle in the order of
//! [`RankPlan::owned`](redblue_dist::plan::RankPlan::owned), those of `A` by columns, those of `B` and `C` by rows.
//! Messages are then ranges of that storage: nothing is packed. Received panels stay as they came, as blocks; a
//! product is one call per meeting of blocks. All buffers are allocated before the first round.

mod blocks;
mod execute;
pub mod one_sided;
mod program;
pub mod scatter;
#[cfg(test)]
mod tests;

use redblue_dist::comm::CommError;
use thiserror::Error;

pub(crate) use execute::recycle;
pub use execute::{Words, multiply};
pub use program::RankProgram;

/// Why a product did not complete.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum MatmulError {
    /// Ranks could not communicate, or one of them failed.
    #[error(transparent)]
    Comm(#[from] CommError),
    /// The plan is for another number of ranks.
    #[error("the plan is for {planned} ranks, the communicator has {present}")]
    Ranks {
        /// Ranks of the plan.
        planned: u64,
        /// Ranks of the communicator.
        present: usize,
    },
    /// The caller's words of a matrix are not as many as the plan gives this rank.
    #[error("rank {rank} owns {expected} words of {matrix}, but {given} were given")]
    Words {
        /// The rank.
        rank: u64,
        /// The matrix.
        matrix: redblue_dist::Matrix,
        /// Words by the plan.
        expected: usize,
        /// Words given.
        given: usize,
    },
    /// A message of the plan is not a contiguous part of what its sender owns.
    #[error("the plan moves {rect} of {matrix}, which is not contiguous where it is owned")]
    NotContiguous {
        /// The matrix.
        matrix: redblue_dist::Matrix,
        /// The rectangle.
        rect: String,
    },
    /// The system has no memory for a buffer.
    #[error("out of memory: a buffer of {bytes} bytes is missing")]
    OutOfMemory {
        /// Its size.
        bytes: usize,
    },
    /// Sizes exceed the address space of this machine.
    #[error("the part of rank {rank} does not fit in the address space")]
    TooLarge {
        /// The rank.
        rank: u64,
    },
}
