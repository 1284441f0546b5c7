//! Uneven cuts: trees for any number of ranks in which every rank works (C-16, generalised).
//!
//! A box with `q` ranks is cut along one axis, either into `d` equal parts for a divisor `d` of `q`, or into two
//! parts with `⌊q/2⌋ - s` and the remaining ranks for a small `s`; each part is cut again. Cuts are proportional to
//! ranks, so every rank gets the same work `V`, and the best tree is the one whose largest brick has the least
//! surface; among those, the one with the least surface in all, which leaves most room for balancing.
//!
//! Lengths are in fixed point, [`FINE_BITS`] binary digits after the point: equal parts have equal lengths, so that
//! what was found for one box serves all boxes like it, in any order of the axes. Rounding to whole words happens
//! when the tree is applied to a shape. A cut is skipped when the surface bound (C-13) of one of its parts already
//! reaches the best found.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::plan::tree::{Part, Tree};
use crate::shape::{Axis, Shape};

/// Binary digits of the longest length in fixed point: a product of four lengths fits 128 bits.
const FINE_BITS: u32 = 30;
/// How far from the middle an uneven cut may be.
const UNEVEN: u64 = 3;
/// Up to this many ranks in a box all axes and all uneven cuts are tried; above, only the longest axis and the middle.
const EXHAUSTIVE: u64 = 64;

/// The best tree found for a box.
#[derive(Clone, Debug)]
struct Found {
    tree: Arc<Tree>,
    cost: Cost,
}

/// The surfaces of its bricks, in fixed point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Cost {
    largest: u128,
    total: u128,
}

/// The best trees found for a shape, at most one for each first cut, best first.
pub(crate) fn trees(shape: Shape, ranks: u64) -> Vec<Tree> {
    if shape.is_empty() || ranks < 2 {
        return vec![Tree::Leaf];
    }
    let longest = shape.lengths().into_iter().max().unwrap_or(0);
    let bits = u64::BITS - longest.leading_zeros();
    let fine = |length: u64| match FINE_BITS.checked_sub(bits) {
        Some(shift) => length << shift,
        None => (length >> (bits - FINE_BITS)).max(1),
    };
    let mut search = Search::new(shape.lengths().map(fine), ranks);
    let mut found = search.cuts(shape.lengths().map(fine), ranks, true);
    found.sort_by_key(|found| found.cost);
    found
        .into_iter()
        .map(|found| (*found.tree).clone())
        .collect()
}

struct Search {
    memory: BTreeMap<(u64, [u64; 3]), Found>,
    /// Products of one rank, the same for all, in fixed point.
    work: u128,
    /// `3·V^(2/3)`: the least surface of so many products.
    cube: u128,
}

impl Search {
    fn new(lengths: [u64; 3], ranks: u64) -> Search {
        let work = lengths
            .iter()
            .map(|&length| u128::from(length))
            .product::<u128>()
            / u128::from(ranks);
        let root = cube_root(work);
        Search {
            memory: BTreeMap::new(),
            work,
            cube: 3 * root * root,
        }
    }

    /// The best tree for a box, whatever the order of its axes.
    fn best(&mut self, lengths: [u64; 3], ranks: u64) -> Found {
        if ranks <= 1 {
            let surface = surface(lengths);
            return Found {
                tree: Arc::new(Tree::Leaf),
                cost: Cost {
                    largest: surface,
                    total: surface,
                },
            };
        }
        // Surfaces do not depend on which axis is which: solve for sorted lengths and rename the axes.
        let mut axes = Axis::ALL;
        axes.sort_by_key(|&axis| std::cmp::Reverse(lengths[axis.index()]));
        let sorted = axes.map(|axis| lengths[axis.index()]);
        let found = match self.memory.get(&(ranks, sorted)) {
            Some(found) => found.clone(),
            None => {
                let found = self.cuts(sorted, ranks, false);
                let best = found.into_iter().min_by_key(|found| found.cost);
                // Without any cut there is only the box itself; unreachable, as every rank count has one.
                let never = Cost {
                    largest: u128::MAX,
                    total: u128::MAX,
                };
                let best = best.unwrap_or(Found {
                    tree: Arc::new(Tree::Leaf),
                    cost: never,
                });
                self.memory.insert((ranks, sorted), best.clone());
                best
            }
        };
        if axes == Axis::ALL {
            return found;
        }
        Found {
            tree: Arc::new(found.tree.rename(axes)),
            ..found
        }
    }

    /// What the first cuts lead to: all of them, or only those that the bound did not exclude.
    fn cuts(&mut self, lengths: [u64; 3], ranks: u64, all_of_them: bool) -> Vec<Found> {
        let longest = lengths.iter().max().copied().unwrap_or(0);
        let mut all: Vec<Found> = Vec::new();
        let mut limit = u128::MAX;
        for axis in Axis::ALL {
            if ranks > EXHAUSTIVE && lengths[axis.index()] < longest {
                continue;
            }
            for division in divisions(ranks) {
                let Some(found) = self.cut(lengths, ranks, axis, division, limit) else {
                    continue;
                };
                if !all_of_them {
                    limit = limit.min(found.cost.largest);
                }
                all.push(found);
            }
        }
        all
    }

    fn cut(
        &mut self,
        lengths: [u64; 3],
        ranks: u64,
        axis: Axis,
        division: Division,
        limit: u128,
    ) -> Option<Found> {
        let length = lengths[axis.index()];
        let part = |share: u64| {
            let mut part = lengths;
            let length = u128::from(length) * u128::from(share) / u128::from(ranks);
            part[axis.index()] = u64::try_from(length).unwrap_or(0);
            part
        };
        let children = division.parts(ranks);
        // Rounded lengths may put the bound of a part a little above its own surface.
        let limit = limit.saturating_add(limit >> 16);
        if children
            .iter()
            .any(|&(_, share)| share == 0 || self.bound(part(share)) > limit)
        {
            return None;
        }
        let mut cost = Cost {
            largest: 0,
            total: 0,
        };
        let mut parts = Vec::new();
        for (repeat, share) in children {
            let found = self.best(part(share), share);
            cost.largest = cost.largest.max(found.cost.largest);
            cost.total += u128::from(repeat) * found.cost.total;
            parts.push(Part {
                repeat,
                tree: found.tree,
            });
        }
        Some(Found {
            tree: Arc::new(Tree::cut(axis, parts)),
            cost,
        })
    }

    /// `D(V)` of C-13 for a rank with its share of a box.
    fn bound(&self, lengths: [u64; 3]) -> u128 {
        let mut sorted = lengths.map(u128::from);
        sorted.sort_unstable();
        let [d3, d2, _] = sorted;
        let work = self.work;
        if d3 == 0 {
            return 0;
        }
        if work >= d2 * d2 * d3 {
            return work / d3 + work / d2 + d2 * d3;
        }
        if work >= d3 * d3 * d3 {
            return 2 * (work * d3).isqrt() + work / d3;
        }
        self.cube
    }
}

/// How the ranks of a box are divided among the parts of a cut.
#[derive(Clone, Copy)]
enum Division {
    Equal(u64),
    Two(u64),
}

impl Division {
    /// How many parts with how many ranks.
    fn parts(self, ranks: u64) -> Vec<(u64, u64)> {
        match self {
            Division::Equal(parts) => vec![(parts, ranks / parts)],
            Division::Two(first) => vec![(1, first), (1, ranks - first)],
        }
    }
}

fn divisions(ranks: u64) -> Vec<Division> {
    let half = ranks / 2;
    let steps = if ranks <= EXHAUSTIVE { UNEVEN } else { 1 };
    let equal = prime_divisors(ranks).into_iter().map(Division::Equal);
    let uneven = (0..steps).filter(|step| half > *step && 2 * (half - step) != ranks);
    equal
        .chain(uneven.map(|step| Division::Two(half - step)))
        .collect()
}

/// Prime divisors; those above [`EXHAUSTIVE`] would cut a box into needles, and uneven cuts serve it better.
fn prime_divisors(mut number: u64) -> Vec<u64> {
    let mut primes = Vec::new();
    for candidate in 2..=EXHAUSTIVE {
        if number.is_multiple_of(candidate) {
            primes.push(candidate);
        }
        while number.is_multiple_of(candidate) {
            number /= candidate;
        }
    }
    primes
}

fn surface(lengths: [u64; 3]) -> u128 {
    let [m, n, k] = lengths.map(u128::from);
    m * n + m * k + n * k
}

/// `⌊∛value⌋`.
pub(super) fn cube_root(value: u128) -> u128 {
    let (mut low, mut high) = (0u128, 1u128 << (value.checked_ilog2().unwrap_or(0) / 3 + 1));
    while low < high {
        let middle = (low + high).div_ceil(2);
        if middle.pow(3) <= value {
            low = middle
        } else {
            high = middle - 1
        }
    }
    low
}
