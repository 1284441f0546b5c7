//! Rectangular grids, by volume (C-15, C-16).
//!
//! All grids `pm·pn·pk ≤ p` are visited in which no rank has more than a few percent more products than an equal
//! share, and the best by estimated volume are kept. Ranks beyond the grid stay idle: that costs the others the
//! same few percent. Only when no grid is that even, more uneven ones are allowed.
//!
//! Most of them are left out without a look. The largest brick `a×b×c` of a grid has at least `V = mnk/p` products, so
//! with `a` alone known it touches at least `V/a + 2·√(a·V)` words, and with `a` and `b` known at least
//! `ab + (a + b)·V/(ab)`. Of these it owns at most `W/m + W/n + W/k`, where `W` is the most work allowed, because
//! `a·pm ≥ m` and so on. A few grids close to the ideal bricks come first, to know what is worth a look.

use std::ops::RangeInclusive;

use super::cuts::cube_root;
use super::fit::{self, Frugal};
use super::{MORE_WORK, with_idle, work_limit};
use crate::plan::clock::Clock;
use crate::shape::{Axis, Matrix, Shape};

/// Number of grids that are counted exactly.
const KEPT: usize = 6;
/// Percentages of more work to try in turn.
const PERCENT: [u128; 4] = [MORE_WORK, 10, 100, 10_000_000];
/// Numbers of ranks along k to try below the largest one.
const FEWER: u64 = 64;
/// Numbers of ranks along each axis beside the ideal ones that are looked at first.
const NEAR: u64 = 3;

/// The grids with the least estimated volume among those that fit `memory`, best first, if below `least`.
pub(crate) fn best(
    shape: Shape,
    ranks: u64,
    memory: u128,
    least: u128,
    clock: &Clock,
    frugal: &mut Frugal,
) -> Vec<[u64; 3]> {
    for percent in PERCENT {
        let mut visit = Visit {
            shape,
            ranks,
            work: work_limit(shape, ranks, percent),
            near: None,
            clock: &Clock::default(),
        };
        let mut each = |kept: &mut Kept, grid: [u64; 3], brick: Shape| {
            kept.visited = true;
            let busy = grid.iter().product();
            // The volume of one pass is the least any schedule has: most grids end here.
            let once = volume(brick, grid);
            let worst = kept.worst();
            if with_idle(once, ranks, busy) > worst
                || with_idle(fit::least(brick, grid, memory), ranks, busy) > worst
            {
                return;
            }
            if let Some(volume) = fit::estimate(brick, grid, memory, frugal) {
                kept.add(with_idle(volume.max(once), ranks, busy), grid);
            }
        };
        let mut near = Kept::below(least);
        for ideal in ideals(shape, ranks, memory) {
            visit.near = Some(ideal);
            visit.run(&mut near, Kept::worst, &mut each);
        }
        // What was found there only says what is worth a look, so that all grids are met in the same order.
        let mut kept = Kept::below(near.worst());
        visit.near = None;
        visit.clock = clock;
        let skipped = visit.run(&mut kept, Kept::worst, &mut each);
        if clock.was_late() {
            near.grids
                .into_iter()
                .for_each(|(volume, grid)| kept.add(volume, grid));
        }
        if !kept.grids.is_empty() || ((kept.visited || skipped) && least < u128::MAX) {
            return kept.grids.into_iter().map(|(_, grid)| grid).collect();
        }
    }
    Vec::new()
}

/// The best grids so far with their volumes, best first.
struct Kept {
    grids: Vec<(u128, [u64; 3])>,
    below: u128,
    visited: bool,
}

impl Kept {
    fn below(below: u128) -> Kept {
        Kept {
            grids: Vec::new(),
            below,
            visited: false,
        }
    }

    /// The largest volume that is of interest.
    fn worst(&self) -> u128 {
        match self.grids.get(KEPT - 1) {
            Some(last) => last.0.min(self.below),
            None => self.below,
        }
    }

    fn add(&mut self, volume: u128, grid: [u64; 3]) {
        let at = self.grids.partition_point(|&(other, _)| other <= volume);
        if self.grids.iter().all(|&(_, other)| other != grid) {
            self.grids.insert(at, (volume, grid));
            self.grids.truncate(KEPT);
        }
    }
}

/// The numbers of parts along m and n of ideal bricks, rounded: those that attain the bound (C-13), and those whose face
/// of `C` is all that fits beside a rank's own words (C-17).
fn ideals(shape: Shape, ranks: u64, memory: u128) -> [[u64; 2]; 2] {
    let work = shape.work() / u128::from(ranks);
    let mut lengths = shape.lengths().map(u128::from);
    lengths.sort_unstable();
    let [d3, d2, _] = lengths;
    let side = if work >= d2.saturating_mul(d2).saturating_mul(d3) {
        u128::MAX
    } else if work >= d3.saturating_mul(d3).saturating_mul(d3) {
        (work / d3).isqrt()
    } else {
        cube_root(work)
    };
    let parts = |axis: Axis, side: u128| {
        let length = u128::from(shape.length(axis));
        // Where one axis is cut it is the longest.
        let parts = match side {
            u128::MAX if length > d2 => u128::from(ranks),
            _ => length / side.clamp(1, length),
        };
        u64::try_from(parts).unwrap_or(u64::MAX).clamp(1, ranks)
    };
    let room = memory.saturating_sub(shape.words() / u128::from(ranks));
    [side, room.isqrt()].map(|side| [Axis::M, Axis::N].map(|axis| parts(axis, side)))
}

/// Words of the largest brick of a grid that its rank does not own (C-15).
pub(crate) fn volume(brick: Shape, grid: [u64; 3]) -> u128 {
    let moved = |matrix: Matrix| {
        let face = brick.face(matrix);
        face - face / u128::from(grid[matrix.missing().index()])
    };
    Matrix::ALL.into_iter().map(moved).sum()
}

/// A walk over the grids whose largest brick has at most `work` products.
struct Visit<'a> {
    shape: Shape,
    ranks: u64,
    work: u128,
    /// Only numbers of parts along m and n close to these, and the largest along k.
    near: Option<[u64; 2]>,
    clock: &'a Clock,
}

impl Visit<'_> {
    /// Every grid with its largest brick, except those that certainly move more than `limit` words. Tells whether there
    /// may be some of these.
    fn run<S>(
        &self,
        state: &mut S,
        limit: impl Fn(&S) -> u128,
        each: &mut impl FnMut(&mut S, [u64; 3], Shape),
    ) -> bool {
        let Visit {
            shape, ranks, work, ..
        } = *self;
        // Products of the largest brick of any grid, and words that it owns, at most.
        let least_work = shape.work().div_ceil(u128::from(ranks));
        let own: u128 = shape
            .lengths()
            .map(|length| work.div_ceil(u128::from(length)))
            .iter()
            .sum();
        let mut skipped = false;
        for pm in self.range(0, ranks.min(shape.m)) {
            let m = shape.m.div_ceil(pm);
            let wide = u128::from(m);
            let most = u128::from(ranks / pm);
            if wide.saturating_mul((u128::from(shape.n) * u128::from(shape.k)).div_ceil(most))
                > work
            {
                continue;
            }
            let touched =
                least_work / wide + (wide.saturating_mul(least_work).saturating_mul(4)).isqrt();
            if touched > limit(state).saturating_add(own) {
                skipped = true;
                continue;
            }
            for pn in self.range(1, (ranks / pm).min(shape.n)) {
                if self.clock.is_late_now_and_then() {
                    return skipped;
                }
                let n = shape.n.div_ceil(pn);
                let face = wide * u128::from(n);
                let depth = u64::try_from(work / face).unwrap_or(u64::MAX);
                let most = (ranks / pm / pn).min(shape.k);
                if depth == 0 || shape.k.div_ceil(most) > depth {
                    continue;
                }
                let deep = least_work.div_ceil(face);
                let touched = (wide + u128::from(n))
                    .saturating_mul(deep)
                    .saturating_add(face);
                if touched > limit(state).saturating_add(own) {
                    skipped = true;
                    continue;
                }
                let fewer = if self.near.is_some() { NEAR } else { FEWER };
                let fewest = shape.k.div_ceil(depth).max(most.saturating_sub(fewer));
                for pk in fewest..=most {
                    each(state, [pm, pn, pk], Shape::new(m, n, shape.k.div_ceil(pk)));
                }
            }
        }
        skipped
    }

    /// Numbers of parts along m or n, up to `most`.
    fn range(&self, axis: usize, most: u64) -> RangeInclusive<u64> {
        match self.near {
            None => 1..=most,
            Some(near) => {
                near[axis].saturating_sub(NEAR).max(1)..=near[axis].saturating_add(NEAR).min(most)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn everything(shape: Shape, ranks: u64, work: u128, mut each: impl FnMut([u64; 3], Shape)) {
        let visit = Visit {
            shape,
            ranks,
            work,
            near: None,
            clock: &Clock::default(),
        };
        let skipped = visit.run(&mut (), |()| u128::MAX, &mut |(), grid, brick| {
            each(grid, brick)
        });
        assert!(!skipped);
    }

    /// What is left out moves more than the limit, and nothing else is left out.
    #[test]
    fn only_large_volumes_are_left_out() {
        for (shape, ranks) in [
            (Shape::new(400, 500, 600), 240),
            (Shape::new(70, 2000, 90), 310),
            (Shape::new(30, 30, 30), 2700),
            (Shape::new(5000, 3, 7), 64),
        ] {
            for percent in [3, 50] {
                let work = work_limit(shape, ranks, percent);
                let mut all = Vec::new();
                everything(shape, ranks, work, |grid, brick| {
                    all.push((volume(brick, grid), grid))
                });
                let least = all.iter().min().expect("a grid").0;
                for limit in [0, least, least + least / 10, 2 * least] {
                    let visit = Visit {
                        shape,
                        ranks,
                        work,
                        near: None,
                        clock: &Clock::default(),
                    };
                    let mut met = Vec::new();
                    visit.run(&mut met, |_| limit, &mut |met, grid, brick| {
                        met.push((volume(brick, grid), grid));
                    });
                    let wanted = |list: &[(u128, [u64; 3])]| -> Vec<(u128, [u64; 3])> {
                        list.iter()
                            .copied()
                            .filter(|(volume, _)| *volume <= limit)
                            .collect()
                    };
                    assert_eq!(wanted(&met), wanted(&all), "{shape} on {ranks}");
                    assert!(met.len() <= all.len());
                }
            }
        }
    }

    fn least(
        shape: Shape,
        ranks: u64,
        percent: u128,
        cost: impl Fn(Shape, [u64; 3]) -> u128,
    ) -> (u128, [u64; 3]) {
        let mut best = (u128::MAX, [0; 3]);
        everything(
            shape,
            ranks,
            work_limit(shape, ranks, percent),
            |grid, brick| {
                best = best.min((cost(brick, grid), grid));
            },
        );
        let mut grid = best.1;
        grid.sort_unstable();
        (best.0, grid)
    }

    /// C-16, in its accounting of all words touched.
    #[test]
    fn values_of_the_theory() {
        let touched = |brick: Shape, _: [u64; 3]| brick.words();
        let cube = |n| Shape::new(n, n, n);
        assert_eq!(least(cube(4160), 65, 0, touched), (5_058_560, [1, 5, 13]));
        assert_eq!(least(cube(4160), 65, 3, touched), (3_244_800, [4, 4, 4]));
        assert_eq!(
            least(cube(16384), 9217, 3, touched),
            (1_840_895, [19, 22, 22])
        );
        assert_eq!(least(cube(1024), 24, 3, touched).1, [2, 3, 4]);
        assert_eq!(
            least(Shape::new(17408, 17408, 3_735_552), 2048, 3, touched).1,
            [2, 2, 512]
        );
    }

    /// The dumb enumeration: all triples.
    #[test]
    fn all_even_grids_are_visited() {
        for (shape, ranks) in [
            (Shape::new(40, 50, 60), 24),
            (Shape::new(7, 200, 9), 31),
            (Shape::new(3, 3, 3), 27),
        ] {
            for percent in [0, 3, 50] {
                let limit = work_limit(shape, ranks, percent);
                let mut expected = Vec::new();
                for pm in 1..=ranks {
                    for pn in 1..=ranks {
                        for pk in 1..=ranks {
                            let legal = pm * pn * pk <= ranks
                                && pm <= shape.m
                                && pn <= shape.n
                                && pk <= shape.k;
                            let brick = Shape::new(
                                shape.m.div_ceil(pm),
                                shape.n.div_ceil(pn),
                                shape.k.div_ceil(pk),
                            );
                            if legal && brick.work() <= limit {
                                expected.push([pm, pn, pk]);
                            }
                        }
                    }
                }
                let mut found = Vec::new();
                everything(shape, ranks, limit, |grid, _| found.push(grid));
                assert_eq!(found, expected);
            }
        }
    }
}
