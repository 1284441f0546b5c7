//! Periodic sets of indices: the rows or the columns that a rank owns.
//!
//! ```text
//! index   range.start                                    range.end
//!           │███·······█████·······█████·······█████·······██│
//!            └─┘       └───┘ width
//!          phase       └───── period ─────┘
//! ```
//!
//! An index i of the range belongs to the stripe when `(i − range.start + phase) mod period < width`. A
//! block-cyclic dimension with blocks of b over P ranks gives each of them a stripe of width b and period
//! P·b; a plain range is a stripe of period 1. All counting is closed arithmetic on these four numbers, so
//! that it does not depend on how long the range is: two stripes repeat after the least common multiple of
//! their periods.

use std::ops::Range;

use num_integer::Integer;

use crate::shape::common;

/// Sizes, and with them all sums of positions, stay below this.
pub const MAX_LENGTH: u64 = 1 << 62;

/// A periodic set of indices.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Stripe {
    range: Range<u64>,
    /// Position of the first index of the range in the period.
    phase: u64,
    period: u64,
    width: u64,
}

impl Stripe {
    /// All indices of a range.
    pub fn all(range: Range<u64>) -> Stripe {
        Stripe {
            range,
            phase: 0,
            period: 1,
            width: 1,
        }
    }

    /// What member `place` of `members` owns of `length` indices dealt out in blocks; the member `source`
    /// gets the first block. No length or block may exceed [`MAX_LENGTH`], nor their product with `members`.
    pub(super) fn dealt(length: u64, block: u64, members: u64, place: u64, source: u64) -> Stripe {
        let distance = (place + members - source) % members;
        let period = block * members;
        let phase = (period - distance * block) % period;
        Stripe {
            range: 0..length,
            phase,
            period,
            width: block,
        }
        .simplified()
    }

    fn simplified(self) -> Stripe {
        if self.width == self.period {
            Stripe::all(self.range)
        } else {
            self
        }
    }

    /// The indices between which it lies.
    pub fn range(&self) -> Range<u64> {
        self.range.clone()
    }

    /// Whether it has all indices of its range.
    pub fn is_whole(&self) -> bool {
        self.period == 1
    }

    /// Number of indices in it.
    pub fn len(&self) -> u64 {
        self.position(self.range.end)
    }

    /// Whether it has no index.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether an index is in it.
    pub fn contains(&self, index: u64) -> bool {
        self.range.contains(&index)
            && (index - self.range.start + self.phase) % self.period < self.width
    }

    /// Number of its indices below `index`: where the index is stored in local memory, if it is in the stripe.
    pub fn position(&self, index: u64) -> u64 {
        let index = index.clamp(self.range.start, self.range.end.max(self.range.start));
        // Indices of the endless stripe from the beginning of the period to t.
        let below = |t: u64| (t / self.period) * self.width + (t % self.period).min(self.width);
        below(index - self.range.start + self.phase) - below(self.phase)
    }

    /// Number of its indices in a range.
    pub fn count(&self, range: &Range<u64>) -> u64 {
        self.position(range.end.max(range.start)) - self.position(range.start)
    }

    /// The last index, up to this one, at which a block of the stripe or of another member begins.
    pub fn block_start(&self, index: u64) -> u64 {
        if self.is_whole() || index <= self.range.start {
            return index;
        }
        let past = (index - self.range.start + self.phase) % self.width;
        (index - past.min(index)).max(self.range.start)
    }

    /// The part in a range.
    pub fn clip(&self, range: &Range<u64>) -> Stripe {
        let range = common(&self.range, range);
        let phase = (range.start - self.range.start + self.phase) % self.period;
        Stripe {
            range,
            phase,
            ..*self
        }
    }

    /// The same indices counted from `origin`, which is at most the beginning of the range.
    pub(super) fn shifted(self, origin: u64) -> Stripe {
        let range = self.range.start - origin..self.range.end - origin;
        Stripe { range, ..self }
    }

    /// Its maximal runs of consecutive indices, in order.
    pub fn runs(&self) -> impl Iterator<Item = Range<u64>> + '_ {
        let mut next = self.range.start;
        std::iter::from_fn(move || {
            if next >= self.range.end {
                return None;
            }
            if self.is_whole() {
                next = self.range.end;
                return Some(self.range.clone());
            }
            let place = (next - self.range.start + self.phase) % self.period;
            let start = if place < self.width {
                next
            } else {
                next + (self.period - place)
            };
            let left = self.width - if place < self.width { place } else { 0 };
            let end = (start + left).min(self.range.end);
            next = end;
            (start < end).then_some(start..end)
        })
    }

    /// The maximal runs of indices that are in both stripes, in order.
    pub fn common_runs(&self, other: &Stripe) -> Vec<Range<u64>> {
        let range = common(&self.range, &other.range);
        let (coarse, fine) = if self.period >= other.period {
            (self, other)
        } else {
            (other, self)
        };
        let mut runs: Vec<Range<u64>> = Vec::new();
        for window in coarse.clip(&range).runs() {
            for run in fine.clip(&window).runs() {
                match runs.last_mut() {
                    Some(last) if last.end == run.start => last.end = run.end,
                    _ => runs.push(run),
                }
            }
        }
        runs
    }

    /// Number of indices that are in both stripes.
    pub fn overlap(&self, other: &Stripe) -> u64 {
        let range = common(&self.range, &other.range);
        let length = range.end - range.start;
        if length == 0 {
            return 0;
        }
        if self.is_whole() || other.is_whole() {
            return if self.is_whole() {
                other.count(&range)
            } else {
                self.count(&range)
            };
        }
        let repeat = u128::from(self.period).lcm(&u128::from(other.period));
        let repeat = u64::try_from(repeat).unwrap_or(u64::MAX);
        let whole = match length / repeat {
            0 => 0,
            times => times * self.overlap_walked(other, range.start..range.start + repeat),
        };
        whole + self.overlap_walked(other, range.end - length % repeat..range.end)
    }

    /// The overlap in a range, walking the runs of the coarser stripe.
    fn overlap_walked(&self, other: &Stripe, range: Range<u64>) -> u64 {
        let (coarse, fine) = if self.period >= other.period {
            (self, other)
        } else {
            (other, self)
        };
        coarse.clip(&range).runs().map(|run| fine.count(&run)).sum()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn members(stripe: &Stripe) -> Vec<u64> {
        (0..200).filter(|&index| stripe.contains(index)).collect()
    }

    fn stripes() -> impl Strategy<Value = Stripe> {
        let dealt = (
            0_u64..150,
            1_u64..12,
            1_u64..6,
            0_u64..6,
            0_u64..6,
            0_u64..150,
            0_u64..150,
        );
        dealt.prop_map(|(length, block, members, place, source, a, b)| {
            Stripe::dealt(length, block, members, place % members, source % members)
                .clip(&(a.min(b)..a.max(b)))
        })
    }

    #[test]
    fn blocks_are_dealt_in_turn() {
        for (members, source) in [(1, 0), (2, 1), (3, 0), (3, 2)] {
            for block in 1..5 {
                for index in 0..60 {
                    let owner = (index / block + source) % members;
                    for place in 0..members {
                        let stripe = Stripe::dealt(60, block, members, place, source);
                        assert_eq!(stripe.contains(index), place == owner);
                    }
                }
            }
        }
    }

    proptest! {
        #[test]
        fn counting_agrees_with_enumeration(a in stripes(), b in stripes(), x in 0_u64..200, y in 0_u64..200) {
            let elements = members(&a);
            prop_assert_eq!(a.len(), elements.len() as u64);
            prop_assert_eq!(a.position(x), elements.iter().filter(|&&i| i < x).count() as u64);
            let both: Vec<u64> = elements.iter().copied().filter(|&i| b.contains(i)).collect();
            prop_assert_eq!(a.overlap(&b), both.len() as u64);
            prop_assert_eq!(b.overlap(&a), both.len() as u64);
            let runs = a.common_runs(&b);
            prop_assert!(runs.windows(2).all(|pair| pair[0].end < pair[1].start));
            prop_assert_eq!(runs.into_iter().flatten().collect::<Vec<_>>(), both);
            prop_assert_eq!(a.runs().flatten().collect::<Vec<_>>(), elements.clone());
            let part = x.min(y)..x.max(y);
            prop_assert_eq!(a.count(&part), elements.iter().filter(|i| part.contains(i)).count() as u64);
            prop_assert_eq!(
                members(&a.clip(&part)),
                elements.into_iter().filter(|i| part.contains(i)).collect::<Vec<_>>()
            );
        }
    }

    #[test]
    fn long_ranges_cost_no_more_than_their_period() {
        let length = 1 << 60;
        let a = Stripe::dealt(length, 64, 7, 3, 0);
        let b = Stripe::dealt(length, 48, 5, 1, 2);
        let short = (64 * 7 * 48 * 5) * 1000;
        let per_period = a.clip(&(0..short)).overlap(&b.clip(&(0..short)));
        let periods = length / short;
        let rest = periods * short..length;
        let expected = per_period * periods + a.clip(&rest).overlap(&b.clip(&rest));
        assert_eq!(a.overlap(&b), expected);
    }
}
