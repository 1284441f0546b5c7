//! What can go wrong while bounds are looked for. That a method does not apply is no error.

use redblue_math::MathError;
use redblue_poly::PolyError;
use redblue_program::ProgramError;

/// Why an analysis stopped.
#[derive(Debug, thiserror::Error)]
pub enum BoundError {
    /// The set arithmetic failed or ran out of its operation budget.
    #[error(transparent)]
    Poly(#[from] PolyError),
    /// The exact arithmetic passed one of its limits.
    #[error(transparent)]
    Math(#[from] MathError),
    /// The program could not be analysed.
    #[error(transparent)]
    Program(#[from] ProgramError),
    /// A phase argument without targets was asked for.
    #[error("no targets")]
    NoTargets,
    /// The checker does not accept the program's graph.
    #[error(transparent)]
    Refused(#[from] redblue_cert::Refusal),
}

/// Result of a step of an analysis.
pub type Result<T> = std::result::Result<T, BoundError>;
