//! Why a certificate is refused: the step that failed, and a diagnostic code RB06xx.

use std::fmt;

use redblue_math::MathError;
use redblue_poly::PolyError;
use redblue_program::ProgramError;

/// Why a certificate, or one of its claims, is not accepted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}{cause}: {reason}")]
pub struct Refusal {
    /// Which kind of step failed.
    pub cause: Cause,
    /// What exactly is wrong.
    pub reason: String,
    /// Where, for example `claim 2, group 0: `; empty if it concerns the whole certificate.
    pub place: String,
}

/// The kinds of failing steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cause {
    /// The document is not a certificate of this version.
    Format,
    /// A text does not fit the program: an unknown name, another number of dimensions.
    Program,
    /// An operand does not read what a dependence says.
    Dependence,
    /// An instance is not shown to be needed for a result.
    Liveness,
    /// A path, a label or a tree is broken.
    Path,
    /// Words are counted twice.
    Sharing,
    /// A capacity does not follow from the stated inequalities.
    Capacity,
    /// The formula is larger than what the proof gives.
    Formula,
    /// The proof does not hold in the claimed model.
    Model,
    /// The set arithmetic gave up, so that nothing is decided.
    Undecided,
}

/// Result of a step of the checker.
pub type Result<T> = std::result::Result<T, Refusal>;

impl Cause {
    /// All causes, in the order of their codes.
    pub const ALL: [Cause; 10] = [
        Cause::Format,
        Cause::Program,
        Cause::Dependence,
        Cause::Liveness,
        Cause::Path,
        Cause::Sharing,
        Cause::Capacity,
        Cause::Formula,
        Cause::Model,
        Cause::Undecided,
    ];

    /// The diagnostic code.
    pub fn code(self) -> &'static str {
        match self {
            Cause::Format => "RB0601",
            Cause::Program => "RB0602",
            Cause::Dependence => "RB0603",
            Cause::Liveness => "RB0604",
            Cause::Path => "RB0605",
            Cause::Sharing => "RB0606",
            Cause::Capacity => "RB0607",
            Cause::Formula => "RB0608",
            Cause::Model => "RB0609",
            Cause::Undecided => "RB0610",
        }
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Cause::Format => "not a certificate",
            Cause::Program => "does not fit the program",
            Cause::Dependence => "the dependence does not hold",
            Cause::Liveness => "not shown to be needed",
            Cause::Path => "the path is broken",
            Cause::Sharing => "words are counted twice",
            Cause::Capacity => "the capacity is not justified",
            Cause::Formula => "the formula does not follow",
            Cause::Model => "not proved in this model",
            Cause::Undecided => "could not be decided",
        })
    }
}

impl Refusal {
    pub(crate) fn new(cause: Cause, reason: impl Into<String>) -> Refusal {
        Refusal {
            cause,
            reason: reason.into(),
            place: String::new(),
        }
    }

    /// The same refusal, further out in the document.
    pub(crate) fn within(mut self, place: impl fmt::Display) -> Refusal {
        self.place = if self.place.is_empty() {
            format!("{place}: ")
        } else {
            format!("{place}, {}", self.place)
        };
        self
    }

    /// The diagnostic code.
    pub fn code(&self) -> &'static str {
        self.cause.code()
    }
}

/// Refuses unless `holds`.
pub(crate) fn demand(holds: bool, cause: Cause, reason: impl Fn() -> String) -> Result<()> {
    if holds {
        Ok(())
    } else {
        Err(Refusal::new(cause, reason()))
    }
}

impl From<PolyError> for Refusal {
    fn from(error: PolyError) -> Refusal {
        let cause = match error {
            PolyError::Budget { .. } | PolyError::Uncountable { .. } => Cause::Undecided,
            _ => Cause::Program,
        };
        Refusal::new(cause, error.to_string())
    }
}

impl From<ProgramError> for Refusal {
    fn from(error: ProgramError) -> Refusal {
        match error {
            ProgramError::Poly(error) => error.into(),
            other => Refusal::new(Cause::Program, other.to_string()),
        }
    }
}

impl From<MathError> for Refusal {
    fn from(error: MathError) -> Refusal {
        let cause = match error {
            MathError::Limit(_) | MathError::TooLarge | MathError::Undecided => Cause::Undecided,
            _ => Cause::Formula,
        };
        Refusal::new(cause, error.to_string())
    }
}
