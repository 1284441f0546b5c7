//! What can go wrong when a program is analysed or run. Problems of an *input* are
//! [`Diagnostic`](crate::Diagnostic)s instead.

use redblue_poly::PolyError;
use thiserror::Error;

/// Why an analysis or a run of a [`Program`](crate::Program) stopped.
#[derive(Debug, Error)]
pub enum ProgramError {
    /// The set arithmetic failed or ran out of its operation budget.
    #[error(transparent)]
    Poly(#[from] PolyError),
    /// The program breaks one of the invariants of [`crate::program`].
    #[error("invalid program: {0}")]
    Invalid(String),
    /// A size is needed that neither the source nor the caller gives.
    #[error("parameter {0} has no value")]
    MissingSize(String),
    /// The given sizes are outside the program's assumptions.
    #[error("the sizes break the assumptions of {program}: {context}")]
    OutsideContext {
        /// Name of the program.
        program: String,
        /// The sizes that are considered, in isl notation.
        context: String,
    },
    /// An instance touches a cell outside its array.
    #[error("{statement}{point:?} accesses {array}{cell:?}, which is outside the array")]
    OutOfBounds {
        /// Name of the statement.
        statement: String,
        /// The iteration.
        point: Vec<i64>,
        /// Name of the array.
        array: String,
        /// The cell.
        cell: Vec<i64>,
    },
    /// A function the interpreter has no definition for.
    #[error("function {0} is not known to the interpreter")]
    UnknownFunction(String),
    /// An operation that C leaves undefined, or that has no meaning on its arguments.
    #[error("cannot evaluate {0}")]
    Undefined(String),
    /// The program needs more cells than memory is allowed to have.
    #[error("array {array} has {cells} cells at these sizes, more than the limit of {limit}")]
    TooLarge {
        /// Name of the array.
        array: String,
        /// How many cells it would have.
        cells: u128,
        /// How many are allowed.
        limit: u128,
    },
}

/// Result of an analysis or a run.
pub type Result<T> = std::result::Result<T, ProgramError>;
