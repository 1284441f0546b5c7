//! Rectangular grids, by volume (C-15, C-16).
//!
//! All grids `pm·pn·pk ≤ p` are visited in which no rank has more than a few percent more products than an equal
//! share, and the best by estimated volume are kept. Ranks beyond the grid stay idle: that costs the others the
//! same few percent. Only when no grid is that even, more uneven ones are allowed.

use super::fit::{self, Frugal};
use super::{MORE_WORK, with_idle, work_limit};
use crate::shape::{Matrix, Shape};

/// Number of grids that are counted exactly.
const KEPT: usize = 6;
/// Percentages of more work to try in turn.
const PERCENT: [u128; 4] = [MORE_WORK, 10, 100, 10_000_000];
/// Numbers of ranks along k to try below the largest one.
const FEWER: u64 = 64;

/// The grids with the least estimated volume among those that fit `memory`, best first, if below `least`.
pub(crate) fn best(
    shape: Shape,
    ranks: u64,
    memory: u128,
    least: u128,
    frugal: &mut Frugal,
) -> Vec<[u64; 3]> {
    for percent in PERCENT {
        let mut found = false;
        let mut kept: Vec<(u128, [u64; 3])> = Vec::new();
        visit(
            shape,
            ranks,
            work_limit(shape, ranks, percent),
            |grid, brick| {
                found = true;
                let worst = if kept.len() < KEPT {
                    least
                } else {
                    kept.last().map_or(least, |last| last.0.min(least))
                };
                // The volume of one pass is the least any schedule has: most grids end here.
                let busy = grid.iter().product();
                if with_idle(volume(brick, grid), ranks, busy) > worst {
                    return;
                }
                let Some(volume) = fit::estimate(brick, grid, memory, frugal) else {
                    return;
                };
                let volume = with_idle(volume, ranks, busy);
                let at = kept.partition_point(|&(other, _)| other <= volume);
                kept.insert(at, (volume, grid));
                kept.truncate(KEPT);
            },
        );
        if !kept.is_empty() || (found && least < u128::MAX) {
            return kept.into_iter().map(|(_, grid)| grid).collect();
        }
    }
    Vec::new()
}

/// Words of the largest brick of a grid that its rank does not own (C-15).
pub(crate) fn volume(brick: Shape, grid: [u64; 3]) -> u128 {
    let moved = |matrix: Matrix| {
        let face = brick.face(matrix);
        face - face / u128::from(grid[matrix.missing().index()])
    };
    Matrix::ALL.into_iter().map(moved).sum()
}

/// Every grid whose largest brick has at most `work` products, with that brick.
pub(crate) fn visit(shape: Shape, ranks: u64, work: u128, mut each: impl FnMut([u64; 3], Shape)) {
    for pm in 1..=ranks.min(shape.m) {
        let m = shape.m.div_ceil(pm);
        for pn in 1..=(ranks / pm).min(shape.n) {
            let n = shape.n.div_ceil(pn);
            let depth = u64::try_from(work / (u128::from(m) * u128::from(n))).unwrap_or(u64::MAX);
            let most = (ranks / pm / pn).min(shape.k);
            if depth == 0 || shape.k.div_ceil(most) > depth {
                continue;
            }
            let fewest = shape.k.div_ceil(depth).max(most.saturating_sub(FEWER));
            for pk in fewest..=most {
                each([pm, pn, pk], Shape::new(m, n, shape.k.div_ceil(pk)));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn least(
        shape: Shape,
        ranks: u64,
        percent: u128,
        cost: impl Fn(Shape, [u64; 3]) -> u128,
    ) -> (u128, [u64; 3]) {
        let mut best = (u128::MAX, [0; 3]);
        visit(
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
                visit(shape, ranks, limit, |grid, _| found.push(grid));
                assert_eq!(found, expected);
            }
        }
    }
}
