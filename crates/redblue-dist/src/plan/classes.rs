//! Ranks that are alike: one of them stands for all, so that a grid of a million ranks is summed up from a few.
//!
//! In a grid, everything a rank computes, owns, sends and receives depends on its three coordinates only through the
//! length of its range along each axis and the number of words it owns of cells of each possible size. Coordinates that
//! agree in these are one *profile*; a class is one profile per axis. A tree that is not a grid has no such structure,
//! and every rank is its own class.
//!
//! Memory also depends on *which* words of a cell are own: on how they lie across the steps. That is a matter of one
//! matrix and of the coordinate along the axis the matrix does not have, and all combinations of coordinates exist, so
//! the most memory of a class is the sum of what each matrix needs at most. The same holds of numbers of messages.

use std::collections::{BTreeMap, BTreeSet};

use super::Plan;
use super::cells::{Cell, part};
use super::grid::{Grid, coordinates};
use super::memory::{Memory, placement};
use super::rank::Traffic;
use super::tree::Tree;
use crate::shape::{Axis, Brick, Matrix, Rect};

/// A rank, how many ranks are like it, and what each of them does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Class {
    /// The rank that stands for the others.
    pub rank: u64,
    /// How many they are.
    pub count: u64,
    /// Products of each.
    pub work: u128,
    /// Words of each, and the most messages of one of them.
    pub traffic: Traffic,
    /// The memory of the one that needs most.
    pub memory: Memory,
}

/// Classes that together have all ranks of the tree.
pub(crate) fn classes(plan: &Plan) -> Vec<Class> {
    let (tree, shape, schedule) = (plan.tree(), plan.shape(), plan.schedule());
    if shape.is_empty() {
        return owners(plan);
    }
    let Some(counts) = tree.as_grid() else {
        return (0..tree.ranks()).map(|rank| single(plan, rank)).collect();
    };
    let strides = strides(tree);
    let mut grid = Grid::new(shape, counts, schedule);
    let [m, n, k] = Axis::ALL.map(|axis| profiles(axis, &grid));
    let mut classes = Vec::new();
    for x in &m {
        for y in &n {
            for z in &k {
                let profiles = [x, y, z];
                let first = profiles.map(|profile| profile.coordinates[0]);
                let (mut traffic, mut memory) = (Traffic::default(), Memory::default());
                for matrix in Matrix::ALL {
                    let axis = matrix.missing().index();
                    let bricks = profiles[axis].coordinates.iter().map(|&other| {
                        let mut at = first;
                        at[axis] = other;
                        grid.brick(at)
                    });
                    let bricks: Vec<Brick> = bricks.collect();
                    let memories = bricks.iter().map(|brick| grid.memory(matrix, brick));
                    memory = memory.plus(memories.max_by_key(Memory::total).unwrap_or_default());
                    let traffics = bricks.iter().map(|brick| grid.traffic(matrix, brick));
                    traffic = traffic.plus(traffics.reduce(Traffic::most).unwrap_or_default());
                }
                classes.push(Class {
                    rank: first.iter().zip(strides).map(|(at, by)| at * by).sum(),
                    count: x.count * y.count * z.count,
                    work: grid.brick(first).shape().work(),
                    traffic,
                    memory,
                });
            }
        }
    }
    classes
}

/// Nothing is multiplied, but words of the other matrices have an owner: ranks with equally many lines are alike.
fn owners(plan: &Plan) -> Vec<Class> {
    let (ranks, shape) = (plan.tree().ranks(), plan.shape());
    let mut found: BTreeMap<[u64; 3], (u64, u64)> = BTreeMap::new();
    for rank in 0..ranks {
        let lines = Matrix::ALL.map(|matrix| {
            let strip = part(&(0..shape.length(matrix.axes().0)), rank, ranks);
            strip.end - strip.start
        });
        found.entry(lines).or_insert((rank, 0)).1 += 1;
    }
    let classes = found.into_values().map(|(rank, count)| Class {
        count,
        ..single(plan, rank)
    });
    classes.collect()
}

/// A rank by itself.
fn single(plan: &Plan, rank: u64) -> Class {
    let part = plan.rank(rank);
    Class {
        rank,
        count: 1,
        work: part.brick.shape().work(),
        traffic: part.traffic(),
        memory: part.memory(),
    }
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
fn profiles(axis: Axis, grid: &Grid) -> Vec<Profile> {
    let Grid {
        shape,
        counts,
        schedule,
        ..
    } = *grid;
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
        let lengths = lengths(shape.length(side), counts[side.index()]).into_iter();
        lengths
            .flat_map(|length| self::lengths(length, tiles))
            .collect::<BTreeSet<u64>>()
    });
    let whole = 0..shape.length(axis);
    let count = counts[axis.index()];
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
    type Placements = BTreeMap<Vec<[u128; 3]>, (u64, u64)>;
    let mut found: BTreeMap<Vec<u128>, Placements> = BTreeMap::new();
    let (mut profile, mut placements, mut working) = (Vec::new(), Vec::new(), 0);
    for coordinate in coordinates(whole.end, count) {
        let range = part(&whole, coordinate, count);
        profile.clear();
        placements.clear();
        profile.push(u128::from(range.end - range.start));
        for cell in &cells {
            let words = cell.share(&range, &whole);
            profile.push(words.end - words.start);
            let [largest, panels] = placement(&schedule, matrix, cell, &words);
            let messages = u128::from(grid.messages(matrix, cell, &words));
            placements.push([largest, panels, messages]);
        }
        working += 1;
        // A grid has few profiles: most coordinates are like one before.
        let known = found.get_mut(profile.as_slice());
        match known.and_then(|alike| alike.get_mut(placements.as_slice())) {
            Some((_, count)) => *count += 1,
            None => {
                let alike = found.entry(profile.clone()).or_default();
                alike.insert(placements.clone(), (coordinate, 1));
            }
        }
    }
    let profiles = found.into_values().map(|alike| Profile {
        count: alike.values().map(|(_, count)| count).sum(),
        coordinates: alike.into_values().map(|(first, _)| first).collect(),
    });
    let idle = (count > working).then(|| Profile {
        coordinates: (0..count)
            .find(|&at| part(&whole, at, count).is_empty())
            .into_iter()
            .collect(),
        count: count - working,
    });
    idle.into_iter().chain(profiles).collect()
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
    use crate::plan::Schedule;
    use crate::shape::Shape;

    /// The dumb count: every rank by itself.
    #[test]
    fn classes_say_the_same_as_all_ranks() {
        let cases = [
            ([2, 3, 4], [50, 51, 53]),
            ([3, 1, 2], [7, 100, 31]),
            ([4, 4, 4], [64, 64, 64]),
            ([5, 2, 3], [3, 17, 200]),
            ([2, 29, 1], [40, 12, 9]),
            ([1, 1, 24], [6, 5, 1000]),
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
                    ranks.iter().fold((0, 0, [0; 3], [0; 2]), |sum, class| {
                        let Traffic {
                            sent,
                            received,
                            messages_sent,
                            messages_received,
                        } = class.traffic;
                        let count = u128::from(class.count);
                        let most = [class.traffic.volume(), class.memory.total(), class.work];
                        let messages = [messages_sent, messages_received];
                        (
                            sum.0 + count * sent,
                            sum.1 + count * received,
                            [0, 1, 2].map(|at| most[at].max(sum.2[at])),
                            [0, 1].map(|at| messages[at].max(sum.3[at])),
                        )
                    })
                };
                let all: Vec<Class> = (0..tree.ranks()).map(|rank| single(&plan, rank)).collect();
                for class in classes(&plan) {
                    let alike = single(&plan, class.rank);
                    let words = |class: &Class| [class.traffic.sent, class.traffic.received];
                    assert_eq!((words(&class), class.work), (words(&alike), alike.work));
                }
                assert_eq!(
                    sums(&classes(&plan)),
                    sums(&all),
                    "{grid:?} {shape} {schedule:?}"
                );
            }
        }
    }
}
