//! Ranks that are alike: one of them stands for all, so that a grid of a million ranks is summed up from a few.
//!
//! In a grid, everything a rank computes, owns, sends and receives depends on its three coordinates only through the
//! length of its range along each axis and the number of words it owns of cells of each possible size. Coordinates that agree in these are one *profile*; a class is one profile per axis. A tree that is not a
//! grid has no such structure, and every rank is its own class.

use std::collections::{BTreeMap, BTreeSet};

use super::cells::{Cell, part};
use super::schedule::Schedule;
use super::tree::Tree;
use crate::shape::{Axis, Matrix, Rect, Shape};

/// A rank, and how many ranks are like it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Class {
    /// The rank that stands for the others.
    pub rank: u64,
    /// How many they are.
    pub count: u64,
}

/// Classes that together have all ranks of the tree.
pub(crate) fn classes(tree: &Tree, shape: Shape, schedule: &Schedule) -> Vec<Class> {
    let Some(grid) = tree.as_grid().filter(|_| !shape.is_empty()) else {
        return (0..tree.ranks())
            .map(|rank| Class { rank, count: 1 })
            .collect();
    };
    let strides = strides(tree);
    let [m, n, k] = Axis::ALL.map(|axis| profiles(axis, grid, shape, schedule));
    let mut classes = Vec::new();
    for &(x, count_x) in &m {
        for &(y, count_y) in &n {
            for &(z, count_z) in &k {
                let rank = x * strides[0] + y * strides[1] + z * strides[2];
                classes.push(Class {
                    rank,
                    count: count_x * count_y * count_z,
                });
            }
        }
    }
    classes
}

/// How far apart the ranks of neighbouring coordinates are; a grid's tree may cut the axes in any order.
fn strides(tree: &Tree) -> [u64; 3] {
    let mut strides = [0; 3];
    let mut at = tree;
    while let Tree::Cut(cut) = at {
        let Some(part) = cut.parts().first() else {
            break;
        };
        strides[cut.axis().index()] = part.tree.ranks();
        at = &part.tree;
    }
    strides
}

/// A coordinate for each profile along an axis, and how many coordinates have it.
fn profiles(axis: Axis, grid: [u64; 3], shape: Shape, schedule: &Schedule) -> Vec<(u64, u64)> {
    // The matrix without this axis is the one whose cells the ranks along the axis divide among themselves.
    let Some(matrix) = Matrix::ALL
        .into_iter()
        .find(|matrix| matrix.missing() == axis)
    else {
        return Vec::new();
    };
    let (rows, cols) = matrix.axes();
    let tiles = schedule.cell_tiles(matrix);
    let sides = [(rows, tiles[0]), (cols, tiles[1])].map(|(side, tiles)| {
        let lengths = lengths(shape.length(side), grid[side.index()]).into_iter();
        lengths
            .flat_map(|length| self::lengths(length, tiles))
            .collect::<BTreeSet<u64>>()
    });
    let whole = 0..shape.length(axis);
    let count = grid[axis.index()];
    let cells: Vec<Cell> = sides[0]
        .iter()
        .flat_map(|&height| {
            sides[1]
                .iter()
                .map(move |&width| Rect::new(0..height, 0..width))
        })
        .map(|rect| Cell::new(matrix, rect, count.min(whole.end)))
        .collect();
    let mut found: BTreeMap<Vec<u128>, (u64, u64)> = BTreeMap::new();
    for coordinate in 0..count {
        let range = part(&whole, coordinate, count);
        let owned = cells.iter().map(|cell| {
            let words = cell.share(&range, &whole);
            words.end - words.start
        });
        let profile = [u128::from(range.end - range.start)]
            .into_iter()
            .chain(owned);
        found.entry(profile.collect()).or_insert((coordinate, 0)).1 += 1;
    }
    found.into_values().collect()
}

/// The different lengths of nearly equal parts, at most two.
fn lengths(whole: u64, count: u64) -> Vec<u64> {
    let short = whole / count;
    if whole.is_multiple_of(count) {
        vec![short]
    } else {
        vec![short, short + 1]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Plan;

    /// The dumb count: every rank by itself.
    #[test]
    fn classes_say_the_same_as_all_ranks() {
        let cases = [
            ([2, 3, 4], [50, 51, 53]),
            ([3, 1, 2], [7, 100, 31]),
            ([4, 4, 4], [64, 64, 64]),
            ([5, 2, 3], [3, 17, 200]),
        ];
        for (grid, [m, n, k]) in cases {
            for schedule in [
                Schedule::WHOLE,
                Schedule {
                    tiles: [2, 3],
                    steps: 2,
                    chunks: 2,
                },
            ] {
                let (tree, shape) = (Tree::grid(grid), Shape::new(m, n, k));
                let plan = Plan::new(shape, tree.ranks(), tree.clone(), schedule).unwrap();
                let sums = |ranks: &[Class]| {
                    ranks.iter().fold((0, 0, 0, 0), |sum, class| {
                        let plan = plan.rank(class.rank);
                        let (traffic, memory) = (plan.traffic(), plan.memory().total());
                        let count = u128::from(class.count);
                        (
                            sum.0 + count * traffic.sent,
                            sum.1 + count * traffic.received,
                            traffic.volume().max(sum.2),
                            memory.max(sum.3),
                        )
                    })
                };
                let all: Vec<Class> = (0..tree.ranks())
                    .map(|rank| Class { rank, count: 1 })
                    .collect();
                assert_eq!(
                    sums(&classes(&tree, shape, &schedule)),
                    sums(&all),
                    "{grid:?} {shape} {schedule:?}"
                );
            }
        }
    }
}
