//! What can go wrong while a schedule is looked for. That nothing better is found is no error.

use redblue_math::MathError;
use redblue_poly::PolyError;
use redblue_program::ProgramError;

/// Why a search stopped without an answer.
#[derive(Debug, thiserror::Error)]
pub enum ScheduleError {
    /// The set arithmetic failed or ran out of its operation budget.
    #[error(transparent)]
    Poly(#[from] PolyError),
    /// The exact arithmetic passed one of its limits.
    #[error(transparent)]
    Math(#[from] MathError),
    /// The program could not be analysed.
    #[error(transparent)]
    Program(#[from] ProgramError),
    /// Some statement has more operands than fast memory has words, so no schedule exists.
    #[error("{statement} needs {needed} words at once, and fast memory has {words}")]
    TooFewWords {
        /// Name of the statement.
        statement: String,
        /// Its operands and its result, in different cells.
        needed: u64,
        /// Words of fast memory.
        words: u64,
    },
    /// The program could not be made ready for any question about it.
    #[error("{0}")]
    Unready(String),
    /// No fast memory was given.
    #[error("the size of fast memory is missing")]
    NoFastMemory,
}

/// Result of a step of a search.
pub type Result<T> = std::result::Result<T, ScheduleError>;
