//! An order with open tile sizes: words and traffic for given sizes, and which depth is best for which group.
//!
//! Prepared by [`crate::estimate`], which says what is estimated.

use num_integer::Integer;
use num_rational::Ratio;

use crate::estimate::{Axis, Group};

/// How a group behaves at a depth.
pub(crate) struct Level {
    /// Of its references; those that look the same stand here once.
    pub(crate) views: Vec<View>,
    pub(crate) loads: bool,
    pub(crate) stores: bool,
}

/// How one reference behaves at a depth.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct View {
    /// Per subscript.
    pub(crate) spans: Vec<Span>,
    /// Number of subtrees with tiles of side one.
    pub(crate) subtrees: u128,
    /// `(extent, open size, whether the cell tells it)` of tiles among the fixed dimensions.
    pub(crate) tiles: Vec<(u128, usize, bool)>,
}

/// How many values a subscript takes: a start, and `(coefficient, open size)` for tiles, all over one divisor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    start: i64,
    tiles: Vec<(i64, usize)>,
    divisor: i64,
    most: u128,
}

/// An order with open tile sizes, prepared for evaluation.
pub(crate) struct Form {
    pub(crate) axes: Vec<Axis>,
    pub(crate) groups: Vec<Group>,
    /// Per group, per depth.
    pub(crate) levels: Vec<Vec<Level>>,
    /// Extent of each open size.
    pub(crate) extents: Vec<u128>,
    /// Whether stores count.
    pub(crate) stores_count: bool,
}

/// What an evaluation found: cost, and the depth of each group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Estimate {
    pub(crate) words: u128,
    pub(crate) cost: u128,
    pub(crate) depths: Vec<usize>,
}

impl Span {
    /// Of cells that take no room.
    pub(crate) fn none() -> Span {
        Span::whole(0)
    }

    /// Of a subscript that nothing is known of.
    pub(crate) fn whole(most: u128) -> Span {
        Span {
            start: i64::try_from(most).unwrap_or(i64::MAX / 4),
            tiles: Vec::new(),
            divisor: 1,
            most,
        }
    }

    /// Of a sum of tiles, at most so many.
    pub(crate) fn new(start: Ratio<i64>, tiles: &[(Ratio<i64>, usize)], most: u128) -> Span {
        let weights = tiles.iter().map(|(weight, _)| weight);
        let divisor = weights.fold(*start.denom(), |all, weight| all.lcm(weight.denom()));
        let scaled = |value: &Ratio<i64>| (value * Ratio::from(divisor)).to_integer();
        Span {
            start: scaled(&start),
            tiles: tiles.iter().map(|(w, size)| (scaled(w), *size)).collect(),
            divisor,
            most,
        }
    }

    fn value(&self, sizes: &[u64]) -> u128 {
        let mut value = self.start;
        for (weight, size) in &self.tiles {
            value = value.saturating_add(weight.saturating_mul(sizes[*size] as i64));
        }
        let value = Integer::div_ceil(&value, &self.divisor).max(1) as u128;
        value.min(self.most)
    }
}

impl View {
    /// Cells of a subtree, and pairs of subtrees and cells.
    fn at(&self, sizes: &[u64]) -> (u128, u128) {
        let words = self.spans.iter().fold(1u128, |product, span| {
            product.saturating_mul(span.value(sizes))
        });
        let mut pairs = self.subtrees.saturating_mul(words.max(1));
        for (extent, size, known) in &self.tiles {
            let side = u128::from(sizes[*size]).min(*extent).max(1);
            if *known {
                pairs = pairs.div_ceil(side);
            } else {
                pairs = pairs
                    .saturating_mul(u128::div_ceil(*extent, side))
                    .div_ceil(*extent);
            }
        }
        (words, pairs)
    }
}

impl Form {
    /// Words and traffic of a group at a depth.
    fn at(&self, group: usize, depth: usize, sizes: &[u64]) -> (u128, u128) {
        let level = &self.levels[group][depth];
        let times = u128::from(level.loads) + u128::from(level.stores && self.stores_count);
        let mut all = (0, 0);
        for view in &level.views {
            let (words, pairs) = view.at(sizes);
            all.0 = words.max(all.0);
            all.1 = pairs.saturating_mul(times).max(all.1);
        }
        all
    }

    /// Words and traffic with given depths.
    pub(crate) fn fixed(&self, depths: &[usize], sizes: &[u64]) -> Estimate {
        let mut estimate = Estimate {
            words: 0,
            cost: 0,
            depths: Vec::new(),
        };
        for (group, depth) in depths.iter().enumerate() {
            let (words, cost) = self.at(group, *depth, sizes);
            estimate.words += self.joint(&estimate, group, *depth, words, sizes);
            estimate.cost += cost;
            estimate.depths.push(*depth);
        }
        estimate
    }

    /// The best depths for these sizes within so many words.
    pub(crate) fn evaluate(&self, sizes: &[u64], words: u128) -> Option<Estimate> {
        let mut front = vec![Estimate {
            words: 0,
            cost: 0,
            depths: Vec::new(),
        }];
        for group in 0..self.groups.len() {
            let mut options: Vec<(u128, u128, usize)> = (0..self.levels[group].len())
                .map(|depth| {
                    let (words, cost) = self.at(group, depth, sizes);
                    (words, cost, depth)
                })
                .filter(|option| option.0 <= words)
                .collect();
            prune_options(&mut options);
            let mut next = Vec::new();
            for known in &front {
                for (more, cost, depth) in &options {
                    let total = known.words + self.joint(known, group, *depth, *more, sizes);
                    if total <= words {
                        let mut depths = known.depths.clone();
                        depths.push(*depth);
                        next.push(Estimate {
                            words: total,
                            cost: known.cost + cost,
                            depths,
                        });
                    }
                }
            }
            next.sort_by(|a, b| (a.cost, a.words, &a.depths).cmp(&(b.cost, b.words, &b.depths)));
            let mut least = u128::MAX;
            next.retain(|estimate| {
                let better = estimate.words < least;
                least = least.min(estimate.words);
                better
            });
            next.truncate(24);
            front = next;
        }
        front.into_iter().next()
    }

    /// Words that a group adds to groups that are placed: those of one array at one depth may be the same cells.
    fn joint(
        &self,
        known: &Estimate,
        group: usize,
        depth: usize,
        words: u128,
        sizes: &[u64],
    ) -> u128 {
        for (other, at) in known.depths.iter().enumerate() {
            if *at == depth
                && self.groups[other].array == self.groups[group].array
                && compatible(&self.groups[other].key, &self.groups[group].key)
            {
                let (theirs, _) = self.at(other, depth, sizes);
                return words.saturating_sub(theirs);
            }
        }
        words
    }
}

/// Whether two keys agree wherever both are told by families.
fn compatible(one: &[Option<Vec<Ratio<i64>>>], other: &[Option<Vec<Ratio<i64>>>]) -> bool {
    one.iter()
        .zip(other)
        .all(|pair| !matches!(pair, (Some(a), Some(b)) if a != b))
}

fn prune_options(options: &mut Vec<(u128, u128, usize)>) {
    options.sort_by_key(|(words, cost, depth)| (*cost, *words, *depth));
    let mut least = u128::MAX;
    options.retain(|(words, ..)| {
        let better = *words < least;
        least = least.min(*words);
        better
    });
}
