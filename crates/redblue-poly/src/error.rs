//! What can go wrong with sets and maps.

/// An error of this crate.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PolyError {
    /// isl refused an operation, for example on sets of different spaces.
    #[error("isl: {message}")]
    Isl {
        /// isl's own words.
        message: String,
    },
    /// One operation needed more steps than the context allows.
    #[error("the computation needs more than its budget of {operations} operations")]
    Budget {
        /// The budget of the context.
        operations: u64,
    },
    /// The deadline of [`Context::until`](crate::Context::until) has passed.
    #[error("the time was up")]
    Interrupted,
    /// A text is not a set or map in isl notation.
    #[error("not in isl notation ({message}): {text}")]
    Parse {
        /// The text.
        text: String,
        /// isl's complaint.
        message: String,
    },
    /// Operands belong to different contexts.
    #[error("operands belong to different contexts")]
    ForeignContext,
    /// A name does not occur among the parameters, or contains a zero byte.
    #[error("unknown name `{name}`")]
    UnknownName {
        /// The name.
        name: String,
    },
    /// Points were to be listed or counted, but there are infinitely many.
    #[error("the set is unbounded: {set}")]
    Unbounded {
        /// The set.
        set: String,
    },
    /// A function was expected, but some element has several images.
    #[error("the map is not single-valued: {map}")]
    NotSingleValued {
        /// The map.
        map: String,
    },
    /// A number does not fit the machine type of the interface.
    #[error("the number {value} does not fit")]
    Overflow {
        /// The number.
        value: String,
    },
    /// A set cannot be counted within the limits on case splits.
    #[error("too complex to count ({reason}): {set}")]
    Uncountable {
        /// Which limit was reached.
        reason: &'static str,
        /// The set.
        set: String,
    },
}

/// Result of an operation of this crate.
pub type Result<T> = std::result::Result<T, PolyError>;
