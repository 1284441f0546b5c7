//! What no distribution of the work can avoid (C-13, C-13b, C-14).
//!
//! A rank that computes `V` of the m·n·k products and touches x, y, z words of `A`, `B`, `C` has `xyz ≥ V²`
//! (Loomis-Whitney) and `x ≥ V/n`, `y ≥ V/m`, `z ≥ V/k`, because each word takes part in so many products only.
//! `D(V)` is the least `x + y + z`. With `d1 ≥ d2 ≥ d3` the sorted sizes:
//!
//! ```text
//! V ≥ d2²·d3    D = V/d3 + V/d2 + d2·d3     one axis is cut
//! V ≥ d3³       D = 2·sqrt(V·d3) + V/d3     two axes are cut
//! else          D = 3·V^(2/3)               three axes are cut
//! ```
//!
//! With one copy of the inputs at the start and of the result at the end, all ranks together receive at least
//! `Σ D(V_r) - (mn + mk + nk)` words, and some rank at least the average: that is C-13 for equal work and C-13b
//! for the work of a given plan. Without any balance of the work there is no such bound (U-19).
//!
//! With `S` words of memory, some rank with `V ≥ mnk/p` sends and receives together at least `2V/√S - 3S` words
//! (C-14), so the larger of the two is at least half of that.
//!
//! Not here: Theorem 2 of the COSMA paper, which is a cost and not a bound (C-12, U-6).

use num_bigint::BigUint;
use num_integer::Integer;
use num_traits::{ToPrimitive, Zero};

use crate::shape::Shape;

/// Binary digits after the point with which least surfaces are rounded down.
const DIGITS: u32 = 32;

/// A lower bound on the words that some rank receives: `total` words spread over `ranks` ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Received {
    /// Words that all ranks together receive at least.
    pub total: u128,
    /// Number of ranks.
    pub ranks: u64,
}

impl Received {
    /// Words that some rank receives at least.
    pub fn per_rank(&self) -> u128 {
        self.total.div_ceil(u128::from(self.ranks.max(1)))
    }
}

/// C-13: the work is shared equally among `ranks` ranks.
pub fn equal_work(shape: Shape, ranks: u64) -> Received {
    let touched = least_surface(shape, &work(shape), ranks) * ranks;
    Received {
        total: received(touched, shape),
        ranks,
    }
}

/// C-13b: so many ranks compute so many products each; ranks not mentioned compute nothing.
pub fn given_work(
    shape: Shape,
    ranks: u64,
    shares: impl IntoIterator<Item = (u64, u128)>,
) -> Received {
    let touched = shares
        .into_iter()
        .fold(BigUint::zero(), |sum, (count, work)| {
            sum + least_surface(shape, &BigUint::from(work), 1) * count
        });
    Received {
        total: received(touched, shape),
        ranks,
    }
}

/// C-14: words that some rank sends or receives at least, whichever is more, when every rank has `memory` words.
pub fn limited_memory(shape: Shape, ranks: u64, memory: u128) -> u128 {
    if ranks == 0 || memory == 0 {
        return 0;
    }
    // ⌈2V/√S⌉ - 3S with V = mnk/p, halved: the square root of the rational 4·(mnk)²/(p²·S), rounded up.
    let work = work(shape);
    let square =
        (BigUint::from(4u32) * &work * &work).div_floor(&(BigUint::from(ranks) * ranks * memory));
    let both = square.sqrt();
    let spared = BigUint::from(3u32) * memory;
    if both <= spared {
        0
    } else {
        clamp(&(both - spared).div_ceil(&BigUint::from(2u32)))
    }
}

/// `⌊2^DIGITS · D(work/ranks)⌋`.
fn least_surface(shape: Shape, work: &BigUint, ranks: u64) -> BigUint {
    if shape.is_empty() || ranks == 0 {
        return BigUint::zero();
    }
    let mut lengths = shape.lengths();
    lengths.sort_unstable();
    let [d3, d2, _] = lengths.map(BigUint::from);
    let whole = &d3 * &d2;
    if *work >= &d2 * &whole * ranks {
        return (((&d2 + &d3) * work) << DIGITS) / (&whole * ranks) + (whole << DIGITS);
    }
    if *work >= &d3 * &d3 * &d3 * ranks {
        let square = ((BigUint::from(4u32) * work * &d3) << (2 * DIGITS)) / ranks;
        return square.sqrt() + (work << DIGITS) / (d3 * ranks);
    }
    let cube =
        ((BigUint::from(27u32) * work * work) << (3 * DIGITS)) / (BigUint::from(ranks) * ranks);
    cube.cbrt()
}

fn work(shape: Shape) -> BigUint {
    shape.lengths().into_iter().map(BigUint::from).product()
}

/// Words received in all, an integer, when ranks touch so many (scaled) words in all.
fn received(touched: BigUint, shape: Shape) -> u128 {
    let touched = touched.div_ceil(&(BigUint::from(1u32) << DIGITS));
    let owned = BigUint::from(shape.words());
    if touched <= owned {
        0
    } else {
        clamp(&(touched - owned))
    }
}

fn clamp(value: &BigUint) -> u128 {
    value.to_u128().unwrap_or(u128::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(m: u64, n: u64, k: u64, ranks: u64, touched: u128, total: u128) {
        let shape = Shape::new(m, n, k);
        let surface = least_surface(shape, &work(shape), ranks) >> DIGITS;
        assert_eq!(clamp(&surface), touched, "{shape} on {ranks}");
        assert_eq!(equal_work(shape, ranks).total, total, "{shape} on {ranks}");
    }

    #[test]
    fn values_of_the_theory() {
        check(9600, 2400, 600, 3, 11_040_000, 3 * 960_000);
        check(9600, 2400, 600, 36, 1_600_000, 36 * 760_000);
        check(9600, 2400, 600, 512, 270_000, 108_000_000); // 512 · 210 937.5
        check(1000, 1000, 1000, 64, 187_500, 64 * 140_625);
        check(1000, 1000, 1000, 1, 3_000_000, 0);
    }

    #[test]
    fn order_of_sizes_does_not_matter() {
        for ranks in [1, 2, 3, 5, 8, 64, 1000, 1_000_003] {
            let expected = equal_work(Shape::new(9600, 2400, 600), ranks);
            for [m, n, k] in [[2400, 600, 9600], [600, 9600, 2400], [9600, 600, 2400]] {
                assert_eq!(equal_work(Shape::new(m, n, k), ranks), expected);
            }
        }
    }

    #[test]
    fn uneven_work_is_never_bounded_more() {
        let shape = Shape::new(640, 640, 640);
        let all = shape.work();
        let even = given_work(shape, 8, [(8, all / 8)]);
        assert_eq!(even, equal_work(shape, 8));
        let uneven = given_work(shape, 8, [(4, all / 6), (4, all / 12)]);
        assert!(uneven.total < even.total);
        assert_eq!(given_work(shape, 8, [(1, all)]).total, 0);
    }

    #[test]
    fn memory_bound() {
        // V = 10^9, S = 10^4: 2·10^9/100 - 3·10^4 = 19 970 000 sent and received.
        assert_eq!(
            limited_memory(Shape::new(1000, 1000, 1000), 1, 10_000),
            9_985_000
        );
        assert_eq!(
            limited_memory(Shape::new(1000, 1000, 1000), 1, 1_000_000),
            0
        );
        assert_eq!(limited_memory(Shape::new(0, 1000, 1000), 4, 10), 0);
    }

    #[test]
    fn extreme_sizes() {
        let huge = Shape::new(u64::MAX, u64::MAX, u64::MAX);
        assert!(equal_work(huge, u64::MAX).total > 0);
        assert_eq!(equal_work(Shape::new(0, 5, 5), 3).total, 0);
        assert_eq!(equal_work(Shape::new(1, 1, 1), 1_000_000).per_rank(), 1);
    }
}
