//! What can go wrong in exact mathematics.

/// The errors of this crate; each variant says when it occurs.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MathError {
    /// A division by zero, or a negative power of zero.
    #[error("division by zero")]
    DivisionByZero,
    /// A fractional power of a quantity that is negative.
    #[error("root of a negative quantity")]
    RootOfNegative,
    /// The logarithm of a quantity that is not positive.
    #[error("logarithm of a quantity that is not positive")]
    LogOfNonPositive,
    /// A power or product whose written-out form would pass the size limit.
    #[error("the result is too large to write out")]
    TooLarge,
    /// An evaluation met a symbol that has no value.
    #[error("`{0}` has no value")]
    Unassigned(String),
    /// A symbol was given a negative value; symbols stand for sizes.
    #[error("`{0}` must not be negative")]
    NegativeSymbol(String),
    /// The sign of an irrational quantity could not be decided within the precision limit.
    #[error("undecided at the highest precision tried")]
    Undecided,
    /// A formula's text could not be read.
    #[error("{message} at offset {offset}")]
    Parse {
        /// Byte offset into the text.
        offset: usize,
        /// What was expected or wrong there.
        message: String,
    },
    /// Two objects of linear algebra whose dimensions do not match.
    #[error("expected dimension {expected}, found {found}")]
    Dimension {
        /// The dimension that the other operand fixes.
        expected: usize,
        /// The dimension that was given.
        found: usize,
    },
    /// A search stopped at its size limit before it was complete.
    #[error("more than {0} elements")]
    Limit(usize),
}

/// A result of this crate.
pub type Result<T> = std::result::Result<T, MathError>;
