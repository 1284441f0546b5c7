//! An order with open tile sizes and the sizes chosen for it by the cheap estimate.
//!
//! Nothing here touches sets, so candidates are looked at side by side on all processors; their order does not depend on
//! that.

use crate::choices::{around, grid};
use crate::estimate::Axis;
use crate::form::{Estimate, Form, Scratch};
use crate::order::Family;

/// A form with sizes and what the estimate says of it.
pub(crate) struct Candidate {
    pub(crate) form: Form,
    /// How many leading axes are forward families.
    pub(crate) monotone: usize,
    pub(crate) sizes: Vec<u64>,
    pub(crate) estimate: Estimate,
}

/// The best sizes of a grid.
pub(crate) fn coarse_sizes(form: &Form, words: u64, room: u128) -> Option<(Vec<u64>, Estimate)> {
    let (up, down) = match form.extents.len() {
        0 | 1 => (9, 8),
        2 => (3, 2),
        _ => (4, 1),
    };
    let grids: Vec<Vec<u64>> = form
        .extents
        .iter()
        .map(|extent| grid(*extent, words, up, down))
        .collect();
    let mut best: Option<(Vec<u64>, Estimate)> = None;
    let mut at = vec![0; grids.len()];
    let mut sizes = vec![0; grids.len()];
    let mut scratch = Scratch::default();
    loop {
        let values = at.iter().zip(&grids).map(|(at, grid)| grid[*at]);
        sizes
            .iter_mut()
            .zip(values)
            .for_each(|(to, value)| *to = value);
        let most = best.as_ref().map_or(u128::MAX, |(_, known)| known.cost);
        if let Some(estimate) = form.evaluate_below(&sizes, room, most, &mut scratch)
            && estimate.cost < most
        {
            best = Some((sizes.clone(), estimate));
        }
        let Some(next) = (0..at.len()).find(|dim| at[*dim] + 1 < grids[*dim].len()) else {
            return best;
        };
        at[next] += 1;
        at[..next].fill(0);
    }
}

impl Candidate {
    /// A form with the best sizes of a grid, if any fit.
    pub(crate) fn coarse(form: Form, monotone: usize, words: u64) -> Option<Candidate> {
        let (sizes, estimate) = coarse_sizes(&form, words, words.into())?;
        Some(Candidate {
            form,
            monotone,
            sizes,
            estimate,
        })
    }

    /// Improves the sizes: one after the other, and in pairs where one grows as far as memory allows.
    pub(crate) fn refine(&mut self, room: u128) {
        let count = self.sizes.len();
        let mut scratch = Scratch::default();
        for _ in 0..3 {
            let before = self.estimate.cost;
            for one in 0..count {
                for value in around(self.sizes[one], self.form.extents[one]) {
                    for other in (0..count).filter(|other| *other != one) {
                        self.offer(one, value, Some(other), room, &mut scratch);
                    }
                    self.offer(one, value, None, room, &mut scratch);
                }
            }
            if self.estimate.cost == before {
                break;
            }
        }
    }

    /// Tries a value of one size, with another one as large as possible.
    fn offer(
        &mut self,
        one: usize,
        value: u64,
        other: Option<usize>,
        room: u128,
        scratch: &mut Scratch,
    ) {
        let mut sizes = self.sizes.clone();
        sizes[one] = value;
        if let Some(other) = other {
            let extent = self.form.extents[other];
            let (mut low, mut high) = (1, u64::try_from(extent).unwrap_or(u64::MAX).max(1));
            while low < high {
                let middle = low + (high - low).div_ceil(2);
                sizes[other] = middle;
                match self.form.words(&self.estimate.depths, &sizes) <= room {
                    true => low = middle,
                    false => high = middle - 1,
                }
            }
            sizes[other] = low;
        }
        let most = self.estimate.cost;
        if let Some(estimate) = self.form.evaluate_below(&sizes, room, most, scratch)
            && estimate.cost < most
        {
            self.sizes = sizes;
            self.estimate = estimate;
        }
    }

    /// The sides of its tiles, least first.
    pub(crate) fn sides(&self) -> Vec<u64> {
        let mut sides = self.sizes.clone();
        sides.sort_unstable();
        sides
    }

    /// Whether counting would take too long: skewed functions are tiled in several directions. One that is tiled and one
    /// along which a window slides do nearly as well.
    pub(crate) fn is_hard(&self) -> bool {
        let tiled = |axis: &&Axis| {
            axis.size
                .is_some_and(|size| u128::from(self.sizes[size]) < self.form.extents[size])
        };
        let tiles = self.form.axes.iter().filter(tiled);
        tiles.filter(|axis| is_skewed(&axis.family)).count() > 1
    }

    /// Whether steps of a loop follow each other and each is tiled, see [`crate::steps`].
    fn is_stepwise(&self) -> bool {
        let mut axes = self.form.axes.iter();
        axes.next().is_some_and(|axis| axis.size.is_none()) && axes.any(|axis| axis.size.is_some())
    }

    /// Whether cells slide along a skewed function.
    pub(crate) fn is_skewed(&self) -> bool {
        self.form.slides() && self.form.axes.iter().any(|axis| is_skewed(&axis.family))
    }

    /// The dimensions that decide what is moved: tiles that hold everything are none, those of side one are their
    /// function, and nothing stays within dimensions beyond the deepest.
    fn essence(&self) -> Vec<(&Family, u64)> {
        let count = self.form.axes.len();
        let deepest = self.estimate.depths.iter().filter(|depth| **depth <= count);
        let deepest = deepest.max().copied().unwrap_or(0);
        let axes = self.form.axes.iter().take(deepest);
        let dims = axes.filter_map(|axis| match axis.size {
            Some(size) if u128::from(self.sizes[size]) >= self.form.extents[size] => None,
            Some(size) => Some((&axis.family, self.sizes[size])),
            None => Some((&axis.family, 1)),
        });
        dims.collect()
    }
}

/// Whether a function of the family adds loops.
fn is_skewed(family: &Family) -> bool {
    let mut rows = family.rows.iter().flatten();
    rows.any(|row| row.dims.iter().filter(|c| **c != 0).count() > 1)
}

/// Leaves the first so many, and the best one that goes step by step: it is easy to count, where the others may not be.
pub(crate) fn shorten(candidates: &mut Vec<Candidate>, count: usize) {
    let stepwise = candidates.iter().position(Candidate::is_stepwise);
    if let Some(at) = stepwise.filter(|at| *at > count) {
        candidates.swap(at, count);
    }
    let more = usize::from(stepwise.is_some_and(|at| at >= count));
    candidates.truncate(count + more);
}

/// Leaves one of several candidates that do the same.
pub(crate) fn keep_different(candidates: &mut Vec<Candidate>) {
    let mut kept: Vec<Candidate> = Vec::new();
    for candidate in candidates.drain(..) {
        let same = |other: &Candidate| {
            other.estimate.cost == candidate.estimate.cost && other.essence() == candidate.essence()
        };
        if !kept.iter().any(same) {
            kept.push(candidate);
        }
    }
    *candidates = kept;
}
