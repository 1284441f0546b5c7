//! What executing a plan keeps in memory on one rank, word for word (C-17, C-24).
//!
//! ```text
//! own        the rank's words of A, B and C; messages leave from there: no send buffers
//! partial    of the tile with most of them, the sums that belong to others
//! panels     of the round that receives most, the words received; twice if two rounds receive (double buffering)
//! reduction  the largest message of partial sums received: they arrive one after another
//! ```
//!
//! Own words are used in place, so a panel has room only for what the rank does not own of it. Predictions and
//! allocations are the same numbers: execution allocates what its messages add up to, and tests compare the two.
//!
//! A schedule may have a million steps, so panels are not looked at one by one. The edges of own rectangles divide
//! the k-range into segments; between two edges all panels own the same lines, and as parts of a range differ by at
//! most one, the largest of them is known without a look at each.

use std::ops::Range;

use super::cells::{Cell, part};
use super::schedule::Schedule;
use super::tree::share;
use crate::shape::{Axis, Brick, Matrix, Rect};

/// The words of memory that executing a plan allocates on one rank.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Memory {
    /// The rank's own parts of `A`, `B` and `C`.
    pub own: u128,
    /// Partial sums that belong to other ranks, of the tile that has most.
    pub partial: u128,
    /// Received panels of `A` and `B`, double buffered where more than one is received.
    pub panels: u128,
    /// The largest message of partial sums received.
    pub reduction: u128,
}

impl Memory {
    /// All of it.
    pub fn total(&self) -> u128 {
        self.own + self.partial + self.panels + self.reduction
    }

    /// The memory of a rank: its brick, the rectangles it owns of each matrix, and the cells of `C` it uses.
    pub(crate) fn of(
        schedule: &Schedule,
        brick: &Brick,
        rank: u64,
        owned: &[Vec<Rect>; 3],
        results: &[Cell],
    ) -> Memory {
        let own = owned.iter().flatten().map(Rect::words).sum();
        if brick.is_empty() {
            return Memory {
                own,
                ..Memory::default()
            };
        }
        let [a, b, _] = owned;
        let left = Panels::of(schedule, brick, Matrix::A, a);
        let right = Panels::of(schedule, brick, Matrix::B, b);
        Memory {
            own,
            partial: partial(schedule, brick, rank, results),
            panels: left.words() + right.words(),
            reduction: reduction(schedule, rank, results),
        }
    }
}

/// Partial sums for others in the tile that has most of them.
fn partial(schedule: &Schedule, brick: &Brick, rank: u64, results: &[Cell]) -> u128 {
    let foreign = |cell: &Cell| {
        let own = cell.of(rank).map_or(0, |user| user.owned());
        cell.rect.words() - own
    };
    match schedule.tiles {
        // All cells of C belong to the one tile; with tiles, in a grid, each cell is a tile.
        [1, 1] => {
            debug_assert_eq!(
                results.iter().map(|cell| cell.rect.words()).sum::<u128>(),
                brick.shape().face(Matrix::C)
            );
            results.iter().map(foreign).sum()
        }
        _ => results.iter().map(foreign).max().unwrap_or(0),
    }
}

/// The largest message with which another user of a cell sends what this rank owns of it.
fn reduction(schedule: &Schedule, rank: u64, results: &[Cell]) -> u128 {
    let shared = results.iter().filter(|cell| cell.users.len() > 1);
    let own = shared.filter_map(|cell| Some((cell, cell.of(rank)?)));
    let messages = own.flat_map(|(cell, user)| cell.rects(user)).map(|rect| {
        let rows = rect.height().div_ceil(schedule.chunks);
        u128::from(rows) * u128::from(rect.width())
    });
    messages.max().unwrap_or(0)
}

/// The panels of one input that a rank receives.
#[derive(Clone, Copy, Default)]
struct Panels {
    /// Words of the largest.
    largest: u128,
    /// How many are not empty; exact up to 1.
    count: u128,
}

impl Panels {
    fn words(&self) -> u128 {
        self.largest * self.count.min(2)
    }

    fn of(schedule: &Schedule, brick: &Brick, matrix: Matrix, owned: &[Rect]) -> Panels {
        let along_k = |rect: &Rect| match matrix {
            Matrix::A => (rect.cols.clone(), rect.rows.clone()),
            _ => (rect.rows.clone(), rect.cols.clone()),
        };
        let (side, tiles) = match matrix {
            Matrix::A => (Axis::M, schedule.tiles[0]),
            _ => (Axis::N, schedule.tiles[1]),
        };
        let own: Vec<(Range<u64>, Range<u64>)> = owned.iter().map(along_k).collect();
        let (depth, across) = (brick.range(Axis::K), brick.range(side));
        let mut found = Panels::default();
        for tile in 0..tiles {
            let tile = part(&across, tile, tiles);
            let mine = own.iter().filter_map(|(k, side)| {
                let lines = side
                    .end
                    .min(tile.end)
                    .saturating_sub(side.start.max(tile.start));
                (lines > 0).then_some((k.clone(), lines))
            });
            let mine: Vec<(Range<u64>, u64)> = mine.collect();
            found.join(Panels::of_tile(&depth, schedule.steps, tile, &mine));
        }
        found.count *= u128::from(schedule.passes(matrix));
        found
    }

    fn join(&mut self, other: Panels) {
        self.largest = self.largest.max(other.largest);
        self.count += other.count;
    }

    /// The panels of one tile: all its lines along k, except those that are own in some range of k.
    fn of_tile(
        depth: &Range<u64>,
        steps: u64,
        tile: Range<u64>,
        own: &[(Range<u64>, u64)],
    ) -> Panels {
        let lines = tile.end - tile.start;
        let mut edges: Vec<u64> = own.iter().flat_map(|(k, _)| [k.start, k.end]).collect();
        edges.extend([depth.start, depth.end]);
        edges.sort_unstable();
        edges.dedup();
        let mut found = Panels::default();
        let mut panel = |received: u128, count: u128| {
            if received > 0 && count > 0 {
                found.join(Panels {
                    largest: received,
                    count,
                });
            }
        };
        let length = depth.end - depth.start;
        let place = |step: u64| depth.start + share(length, step, steps);
        let mut step = 0;
        // Steps with an edge inside are looked at one by one, those between two edges together.
        for edge in edges {
            let first = step;
            step = first_ending_after(steps, &place, edge).max(first);
            let start = place(first);
            let held: u64 = own
                .iter()
                .filter(|(k, _)| k.contains(&start))
                .map(|(_, lines)| lines)
                .sum();
            let (count, width) = (step - first, place(step) - start);
            let widest = if count == 0 {
                0
            } else {
                // Widths are the quotient or one more, and they add up.
                length / steps + u64::from(width > count * (length / steps))
            };
            let nonempty = if length >= steps { count } else { width };
            let free = u128::from(lines - held.min(lines));
            panel(free * u128::from(widest), u128::from(nonempty));
            if step < steps && place(step) < edge {
                let range = place(step)..place(step + 1);
                let held: u128 = own
                    .iter()
                    .map(|(k, lines)| {
                        let common = k
                            .end
                            .min(range.end)
                            .saturating_sub(k.start.max(range.start));
                        u128::from(common) * u128::from(*lines)
                    })
                    .sum();
                let all = u128::from(range.end - range.start) * u128::from(lines);
                panel(all - held.min(all), 1);
                step += 1;
            }
        }
        found
    }
}

/// The first step that ends after a position, by bisection.
fn first_ending_after(steps: u64, place: &impl Fn(u64) -> u64, position: u64) -> u64 {
    let (mut low, mut high) = (0, steps);
    while low < high {
        let middle = low + (high - low) / 2;
        if place(middle + 1) > position {
            high = middle
        } else {
            low = middle + 1
        }
    }
    low
}
