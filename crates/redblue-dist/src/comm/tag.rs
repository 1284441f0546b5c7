//! Labels of messages: which phase of a computation they belong to, and their number in it.

use std::fmt;

use crate::shape::Matrix;

/// What a message is for; words are counted per phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Phase {
    /// Words of a matrix moved by the product itself: inputs to their users, partial results to their owner.
    Multiply(Matrix),
    /// Words of a matrix moved between two layouts.
    Redistribute(Matrix),
    /// Barriers, agreement on arguments, counts: never words of a matrix.
    Control,
}

impl Phase {
    /// Number of phases.
    pub const COUNT: usize = 7;

    /// All phases, in the order of [`Phase::index`].
    pub const ALL: [Phase; Phase::COUNT] = [
        Phase::Multiply(Matrix::A),
        Phase::Multiply(Matrix::B),
        Phase::Multiply(Matrix::C),
        Phase::Redistribute(Matrix::A),
        Phase::Redistribute(Matrix::B),
        Phase::Redistribute(Matrix::C),
        Phase::Control,
    ];

    /// Position among all phases.
    pub fn index(self) -> usize {
        match self {
            Phase::Multiply(matrix) => matrix.index(),
            Phase::Redistribute(matrix) => 3 + matrix.index(),
            Phase::Control => 6,
        }
    }
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Phase::Multiply(matrix) => write!(f, "multiply {matrix}"),
            Phase::Redistribute(matrix) => write!(f, "redistribute {matrix}"),
            Phase::Control => f.write_str("control"),
        }
    }
}

/// Numbers per phase before they repeat.
const NUMBERS: u32 = 4096;

/// The label of a message. A receive takes the oldest message of its sender with an equal tag.
///
/// Numbers count modulo 4096, so that all tags fit in the 15 bits every MPI grants. That loses nothing:
/// messages with equal tags between the same two ranks never overtake each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Tag {
    phase: Phase,
    number: u32,
}

impl Tag {
    /// The tag of the `number`-th message or round of a phase.
    pub fn new(phase: Phase, number: usize) -> Tag {
        Tag {
            phase,
            number: (number % NUMBERS as usize) as u32,
        }
    }

    /// The phase it counts for.
    pub fn phase(self) -> Phase {
        self.phase
    }

    /// A number below 2^15 that is different for different tags.
    pub fn code(self) -> u16 {
        (self.phase.index() as u32 * NUMBERS + self.number) as u16
    }
}

impl From<Phase> for Tag {
    fn from(phase: Phase) -> Tag {
        Tag::new(phase, 0)
    }
}

impl fmt::Display for Tag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} #{}", self.phase, self.number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_distinct_and_fit_in_fifteen_bits() {
        let mut codes = std::collections::BTreeSet::new();
        for (position, phase) in Phase::ALL.into_iter().enumerate() {
            assert_eq!(phase.index(), position);
            for number in 0..NUMBERS as usize {
                assert!(codes.insert(Tag::new(phase, number).code()));
            }
        }
        assert!(codes.iter().all(|&code| code <= 32767));
        assert_eq!(Tag::new(Phase::Control, 4097), Tag::new(Phase::Control, 1));
    }
}
