//! What can go wrong before a simulation starts. A simulation that has started always ends.

use redblue_poly::PolyError;
use redblue_program::ProgramError;
use thiserror::Error;

/// Why a trace or a simulator could not be set up.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SimError {
    /// The arrays have more cells than a simulator can number; sizes are too large for this machine.
    #[error("the arrays have {cells} cells, more than the 2^30 a simulation can hold")]
    TooManyCells {
        /// How many there are.
        cells: u64,
    },
    /// A reference names an array that is not in the shape.
    #[error("the reference {reference} names an unknown array")]
    UnknownArray {
        /// The reference as spelled in the source.
        reference: String,
    },
    /// A recorded access lies outside the shape it was recorded for.
    #[error("the access to cell {cell} through reference {reference} is outside the arrays")]
    StrayAccess {
        /// The cell.
        cell: u32,
        /// The reference.
        reference: u32,
    },
    /// A fast memory without a single cell cannot run anything.
    #[error("the fast memory needs room for at least one cell")]
    NoRoom,
    /// An inclusive cache must take in whatever the nearer caches take in.
    #[error("{level} cannot be inclusive without write-allocate")]
    InclusiveWithoutAllocate {
        /// The name of the cache.
        level: String,
    },
    /// Loops count upwards.
    #[error("a loop cannot advance by {step}")]
    BadStep {
        /// The step given.
        step: i64,
    },
    /// An access may leave its array.
    #[error("the access {reference} is not shown to stay inside its array")]
    OutOfBounds {
        /// The reference as spelled in the source.
        reference: String,
    },
    /// Another order of a program must give every instance a time.
    #[error("the order leaves out some instances of the program")]
    IncompleteOrder,
    /// Whoever watched the simulation ended it.
    #[error("the simulation was stopped")]
    Stopped,
    /// The program cannot be run at the given sizes.
    #[error(transparent)]
    Program(#[from] ProgramError),
    /// The set arithmetic failed or ran out of its operation budget.
    #[error(transparent)]
    Poly(#[from] PolyError),
    /// A line of no words.
    #[error("a line needs at least one word")]
    EmptyLine,
}
