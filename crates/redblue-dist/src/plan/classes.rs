//! Ranks that are alike: one of them stands for all, so that a grid of a million ranks is summed up from a few.
//!
//! In a grid, everything a rank computes, owns, sends and receives depends on its three coordinates only through the
//! length of its range along each axis and the number of words it owns of cells of each possible size. Coordinates that
//! agree in these are one *profile*; a class is one profile per axis. A tree that is not a grid has no such structure,
//! and every rank is its own class.
//!
//! Memory also depends on *which* words of a cell are own: on how they lie across the steps. That is a matter of one
//! matrix and of the coordinate along the axis the matrix does not have, and all combinations of coordinates exist, so
//! the most memory of a class is the sum of what each matrix needs at most.

use std::collections::{BTreeMap, BTreeSet};

use super::Plan;
use super::cells::{Cell, part};
use super::memory::{Memory, placement};
use super::schedule::Schedule;
use super::tree::Tree;
use crate::shape::{Axis, Matrix, Rect, Shape};

/// A rank, and how many ranks are like it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Class {
    /// The rank that stands for the others.
    pub rank: u64,
    /// How many they are.
    pub count: u64,
    /// For each matrix, ranks of the class whose own words of it lie differently across the steps.
    placements: [Vec<u64>; 3],
}

impl Class {
    fn single(rank: u64) -> Class {
        Class {
            rank,
            count: 1,
            placements: [const { Vec::new() }; 3],
        }
    }

    /// The memory of the rank that needs most.
    pub(crate) fn memory(&self, plan: &Plan) -> Memory {
        let first = plan.rank(self.rank);
        let most = |matrix: Matrix| {
            let others = self.placements[matrix.index()].iter();
            let others = others.map(|&rank| plan.rank(rank).memory_of(matrix));
            let all = [first.memory_of(matrix)].into_iter().chain(others);
            all.max_by_key(Memory::total).unwrap_or_default()
        };
        Matrix::ALL
            .map(most)
            .into_iter()
            .fold(Memory::default(), Memory::plus)
    }
}

/// Classes that together have all ranks of the tree.
pub(crate) fn classes(tree: &Tree, shape: Shape, schedule: &Schedule) -> Vec<Class> {
    let Some(grid) = tree.as_grid().filter(|_| !shape.is_empty()) else {
        return (0..tree.ranks()).map(Class::single).collect();
    };
    let strides = strides(tree);
    let [m, n, k] = Axis::ALL.map(|axis| profiles(axis, grid, shape, schedule));
    let mut classes = Vec::new();
    for x in &m {
        for y in &n {
            for z in &k {
                let profiles = [x, y, z];
                let first = profiles.map(|profile| profile.coordinates[0]);
                let rank_at = |axis: Axis, coordinate: u64| {
                    let mut at = first;
                    at[axis.index()] = coordinate;
                    at.iter().zip(strides).map(|(at, stride)| at * stride).sum()
                };
                let placements = Matrix::ALL.map(|matrix| {
                    let axis = matrix.missing();
                    let others = profiles[axis.index()].coordinates[1..].iter();
                    others.map(|&other| rank_at(axis, other)).collect()
                });
                classes.push(Class {
                    rank: rank_at(Axis::M, first[0]),
                    count: x.count * y.count * z.count,
                    placements,
                });
            }
        }
    }
    classes
}

/// Coordinates along an axis that agree in lengths and numbers of own words.
struct Profile {
    /// One of them for each different placement of own words, at least one.
    coordinates: Vec<u64>,
    /// How many they are in all.
    count: u64,
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

/// The profiles along an axis.
fn profiles(axis: Axis, grid: [u64; 3], shape: Shape, schedule: &Schedule) -> Vec<Profile> {
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
    // For each profile and placement, the first coordinate that has them and how many do.
    type Placements = BTreeMap<Vec<[u128; 2]>, (u64, u64)>;
    let mut found: BTreeMap<Vec<u128>, Placements> = BTreeMap::new();
    for coordinate in 0..count {
        let range = part(&whole, coordinate, count);
        let mut profile = vec![u128::from(range.end - range.start)];
        let mut placements = Vec::new();
        for cell in &cells {
            let words = cell.share(&range, &whole);
            profile.push(words.end - words.start);
            placements.push(placement(schedule, matrix, cell, &words));
        }
        let alike = found.entry(profile).or_default();
        alike.entry(placements).or_insert((coordinate, 0)).1 += 1;
    }
    let profiles = found.into_values().map(|alike| Profile {
        count: alike.values().map(|(_, count)| count).sum(),
        coordinates: alike.into_values().map(|(first, _)| first).collect(),
    });
    profiles.collect()
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
                        let (traffic, memory) =
                            (plan.rank(class.rank).traffic(), class.memory(&plan).total());
                        let count = u128::from(class.count);
                        (
                            sum.0 + count * traffic.sent,
                            sum.1 + count * traffic.received,
                            traffic.volume().max(sum.2),
                            memory.max(sum.3),
                        )
                    })
                };
                let all: Vec<Class> = (0..tree.ranks()).map(Class::single).collect();
                assert_eq!(
                    sums(&classes(&tree, shape, &schedule)),
                    sums(&all),
                    "{grid:?} {shape} {schedule:?}"
                );
            }
        }
    }
}
