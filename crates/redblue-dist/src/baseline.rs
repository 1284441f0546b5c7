//! What others do, as grids of whole numbers: 1D, 2D, 2.5D and recursive decompositions (C-19).
//!
//! Each is a grid, counted by the same code as our own plans, so volumes compare like with like (words that the
//! busiest rank sends or receives, its own data excluded). The closed forms of C-19 count all words touched instead.

use crate::plan::{Plan, PlanError, Schedule, Tree};
use crate::shape::{Axis, Shape};

/// A decomposition to compare with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Baseline {
    /// Its grid; ranks beyond it are idle.
    pub grid: [u64; 3],
    /// Words that some rank sends or receives, whichever is more.
    pub volume: u128,
}

/// The four decompositions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Baselines {
    /// The best axis cut into `p` parts.
    pub one_d: Baseline,
    /// `C` cut into the most square grid of exactly `p` parts.
    pub two_d: Baseline,
    /// Several layers of square grids, as many as memory allows, at most `p^(1/3)`.
    pub two_and_half_d: Baseline,
    /// The longest axis halved until a power of two of ranks is used up.
    pub recursive: Baseline,
}

/// The baselines of a problem.
pub fn baselines(shape: Shape, ranks: u64, memory: Option<u128>) -> Result<Baselines, PlanError> {
    let mut lines = Vec::new();
    for axis in Axis::ALL {
        let mut grid = [1; 3];
        grid[axis.index()] = ranks;
        lines.push(counted(shape, ranks, grid)?);
    }
    let one_d = lines
        .into_iter()
        .min_by_key(|line| line.volume)
        .ok_or(PlanError::NoRanks)?;
    Ok(Baselines {
        one_d,
        two_d: counted(shape, ranks, square(ranks))?,
        two_and_half_d: counted(shape, ranks, layers(shape, ranks, memory))?,
        recursive: counted(shape, ranks, halves(shape, ranks))?,
    })
}

fn counted(shape: Shape, ranks: u64, grid: [u64; 3]) -> Result<Baseline, PlanError> {
    let plan = Plan::new(shape, ranks, Tree::grid(grid), Schedule::WHOLE)?;
    Ok(Baseline {
        grid,
        volume: plan.summary().volume,
    })
}

fn square(ranks: u64) -> [u64; 3] {
    let rows = (1..=ranks.isqrt())
        .rev()
        .find(|&rows| ranks.is_multiple_of(rows))
        .unwrap_or(1);
    [rows, ranks / rows.max(1), 1]
}

fn layers(shape: Shape, ranks: u64, memory: Option<u128>) -> [u64; 3] {
    let cube = |layers: u64| layers.checked_pow(3).is_some_and(|cube| cube <= ranks);
    let most = (1..).take_while(|&layers| cube(layers)).last().unwrap_or(1);
    // c = p·S/(mk + nk) copies of the inputs fit.
    let inputs = (u128::from(shape.m) + u128::from(shape.n)) * u128::from(shape.k);
    let copies = memory.map_or(u128::MAX, |memory| {
        memory.saturating_mul(u128::from(ranks)) / inputs.max(1)
    });
    let layers = most.min(u64::try_from(copies).unwrap_or(u64::MAX)).max(1);
    let side = (ranks / layers).isqrt();
    [side, side, layers]
}

fn halves(shape: Shape, ranks: u64) -> [u64; 3] {
    let mut grid = [1; 3];
    for _ in 0..ranks.checked_ilog2().unwrap_or(0) {
        // Compare m/pm with n/pn and so on without fractions.
        let longest = Axis::ALL.into_iter().max_by(|a, b| {
            let [a, b] = [a, b].map(|axis| {
                (
                    u128::from(shape.length(*axis)),
                    u128::from(grid[axis.index()]),
                )
            });
            (a.0 * b.1).cmp(&(b.0 * a.1))
        });
        if let Some(axis) = longest {
            grid[axis.index()] *= 2;
        }
    }
    grid
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bound::equal_work;

    #[test]
    fn grids() {
        assert_eq!(
            (square(64), square(13), square(12)),
            ([8, 8, 1], [1, 13, 1], [3, 4, 1])
        );
        let cube = Shape::new(1024, 1024, 1024);
        assert_eq!(layers(cube, 64, None), [4, 4, 4]);
        assert_eq!(layers(cube, 64, Some(1024 * 1024 / 16)), [5, 5, 2]);
        assert_eq!(halves(cube, 64), [4, 4, 4]);
        assert_eq!(halves(Shape::new(64, 64, 4096), 100), [1, 1, 64]);
        assert_eq!(
            halves(Shape::new(64, 64, 4096), 128)
                .iter()
                .product::<u64>(),
            128
        );
    }

    /// Tall matrices with extra memory (C-19), m = n = √p, k = p^(3/2)/4: a rank of the recursive scheme touches
    /// 5p/4 words and owns (mk + kn + mn)/p = p/2 + 1 of them.
    #[test]
    fn recursive_on_tall_matrices() {
        let ranks = 64;
        let shape = Shape::new(8, 8, 128);
        let recursive = baselines(shape, ranks, None).unwrap().recursive;
        assert_eq!(recursive.volume, 80 - 33);
    }

    #[test]
    fn no_baseline_beats_the_bound() {
        for (m, n, k) in [
            (1024, 1024, 1024),
            (256, 256, 65536),
            (4096, 4096, 256),
            (100, 1000, 10),
        ] {
            for ranks in 1..=64 {
                let shape = Shape::new(m, n, k);
                let bound = equal_work(shape, ranks).per_rank();
                let all = baselines(shape, ranks, None).unwrap();
                for baseline in [all.one_d, all.two_d] {
                    assert!(
                        baseline.volume >= bound,
                        "{shape} {ranks} {baseline:?} {bound}"
                    );
                }
            }
        }
    }
}
