//! Sets of vertices as machine words.

use std::fmt::Debug;
use std::ops::{BitAnd, BitOr, Not};

/// A set of small numbers in one machine word.
pub(super) trait Mask:
    Copy + Ord + Default + Debug + BitAnd<Output = Self> + BitOr<Output = Self> + Not<Output = Self>
{
    fn bit(member: usize) -> Self;

    fn len(self) -> usize;

    /// The smallest member; the number of bits for the empty set.
    fn first(self) -> usize;

    /// Members `4 * position ..` as a number below 16.
    fn nibble(self, position: usize) -> usize;

    /// The word folded to 64 bits, for hashing.
    fn folded(self) -> u64;

    fn is_empty(self) -> bool {
        self == Self::default()
    }

    fn has(self, member: usize) -> bool {
        !(self & Self::bit(member)).is_empty()
    }

    fn with(self, member: usize) -> Self {
        self | Self::bit(member)
    }

    fn minus(self, other: Self) -> Self {
        self & !other
    }

    fn within(self, other: Self) -> bool {
        self.minus(other).is_empty()
    }

    fn members(self) -> Members<Self> {
        Members(self)
    }

    fn collect(members: impl Iterator<Item = usize>) -> Self {
        members.fold(Self::default(), Self::with)
    }
}

/// The members of a set, ascending.
pub(super) struct Members<M>(M);

impl<M: Mask> Iterator for Members<M> {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        if self.0.is_empty() {
            return None;
        }
        let first = self.0.first();
        self.0 = self.0.minus(M::bit(first));
        Some(first)
    }
}

macro_rules! word {
    ($word:ty, $folded:expr) => {
        impl Mask for $word {
            fn bit(member: usize) -> Self {
                1 << member
            }

            fn len(self) -> usize {
                self.count_ones() as usize
            }

            fn first(self) -> usize {
                self.trailing_zeros() as usize
            }

            fn nibble(self, position: usize) -> usize {
                ((self >> (4 * position)) & 15) as usize
            }

            fn folded(self) -> u64 {
                let fold: fn($word) -> u64 = $folded;
                fold(self)
            }
        }
    };
}

word!(u32, u64::from);
word!(u64, |word| word);
word!(u128, |word| (word as u64)
    ^ ((word >> 64) as u64).rotate_left(23));
