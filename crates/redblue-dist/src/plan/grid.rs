//! One rank of a grid by itself: what it sends, receives and keeps, without a list of the ranks it talks to.
//!
//! In a grid all users of a cell have the same part of the matrix, and differ only in the strip of it that they own. So
//! words sent and received follow from the rank's own strip and the number of users, and a rank that shares a cell
//! with ten million others is summed up without an entry for each of them. Only the number of messages received
//! depends on the strips of the others; they are walked once for each size of a cell. Tiles of `C` are of at most four
//! sizes, and those of one size are alike.

use std::collections::BTreeMap;
use std::ops::Range;

use super::cells::{Cell, part};
use super::memory::{Memory, joined, placement};
use super::rank::{Traffic, messages};
use super::schedule::Schedule;
use super::tree::share;
use crate::shape::{Axis, Brick, Matrix, Rect, Shape};

/// A grid with a schedule.
pub(super) struct Grid {
    pub(super) shape: Shape,
    pub(super) counts: [u64; 3],
    pub(super) schedule: Schedule,
    /// Messages with which all users of a cell of some height and width send their strips once.
    sent: [BTreeMap<[u64; 2], u64>; 3],
}

impl Grid {
    pub(super) fn new(shape: Shape, counts: [u64; 3], schedule: Schedule) -> Grid {
        Grid {
            shape,
            counts,
            schedule,
            sent: Default::default(),
        }
    }

    /// The products of the rank with these coordinates.
    pub(super) fn brick(&self, at: [u64; 3]) -> Brick {
        let range = |axis: Axis| {
            let whole = 0..self.shape.length(axis);
            part(&whole, at[axis.index()], self.counts[axis.index()])
        };
        Brick {
            m: range(Axis::M),
            n: range(Axis::N),
            k: range(Axis::K),
        }
    }

    /// Number of ranks that use a cell of a matrix: those along the missing axis that have products.
    fn users(&self, matrix: Matrix) -> u64 {
        let axis = matrix.missing();
        self.counts[axis.index()].min(self.shape.length(axis))
    }

    /// The cells of a matrix that the rank with this brick uses, one for each tile: how many there are of each size, and the
    /// words that the rank owns of one.
    fn cells(&self, matrix: Matrix, brick: &Brick) -> Vec<(u64, Cell, Range<u128>)> {
        let (users, missing) = (self.users(matrix), matrix.missing());
        let (mine, whole) = (brick.range(missing), 0..self.shape.length(missing));
        let Rect { rows, cols } = brick.face(matrix);
        let [down, across] = self.schedule.cell_tiles(matrix);
        let mut cells = Vec::new();
        for (height, below) in lengths(rows.end - rows.start, down) {
            for (width, beside) in lengths(cols.end - cols.start, across) {
                let cell = Cell::new(matrix, Rect::new(0..height, 0..width), users);
                let own = cell.share(&mine, &whole);
                cells.push((below.saturating_mul(beside), cell, own));
            }
        }
        cells
    }

    /// Words and messages of one matrix for the rank with this brick.
    pub(super) fn traffic(&mut self, matrix: Matrix, brick: &Brick) -> Traffic {
        let passes = self.schedule.passes(matrix);
        let others = self.users(matrix).saturating_sub(1);
        let [mut out, mut back] = [(0, 0); 2];
        for (count, cell, own) in self.cells(matrix, brick) {
            let words = own.end - own.start;
            let mine = self.messages(matrix, &cell, &own);
            let all = self.all_messages(matrix, &cell);
            let times = passes.saturating_mul(count);
            let moved = |words: u128| words.saturating_mul(u128::from(times));
            out.0 += moved(words.saturating_mul(u128::from(others)));
            out.1 += mine.saturating_mul(others).saturating_mul(times);
            back.0 += moved(cell.rect.words() - words);
            back.1 += (all - mine).saturating_mul(times);
        }
        let [sent, received] = match matrix {
            Matrix::A | Matrix::B => [out, back],
            Matrix::C => [back, out],
        };
        Traffic {
            sent: sent.0,
            received: received.0,
            messages_sent: sent.1,
            messages_received: received.1,
        }
    }

    /// Messages with which a strip of a cell is sent to one user, once.
    pub(super) fn messages(&self, matrix: Matrix, cell: &Cell, own: &Range<u128>) -> u64 {
        let depth = match matrix {
            Matrix::A => cell.rect.cols.clone(),
            Matrix::B => cell.rect.rows.clone(),
            Matrix::C => 0..0,
        };
        messages(&self.schedule, matrix, &depth, cell.rects(own))
    }

    /// Messages of all users of a cell together, each sending its strip once.
    fn all_messages(&mut self, matrix: Matrix, cell: &Cell) -> u64 {
        let size = [cell.rect.height(), cell.rect.width()];
        if let Some(&known) = self.sent[matrix.index()].get(&size) {
            return known;
        }
        let axis = matrix.missing();
        let (length, count) = (self.shape.length(axis), self.counts[axis.index()]);
        let whole = 0..length;
        let users = coordinates(length, count).map(|at| part(&whole, at, count));
        let strips = users.map(|user| cell.share(&user, &whole));
        let all = strips.map(|own| self.messages(matrix, cell, &own)).sum();
        self.sent[matrix.index()].insert(size, all);
        all
    }

    /// What one matrix needs on the rank with this brick, as [`Memory::of`] says it of any rank.
    pub(super) fn memory(&self, matrix: Matrix, brick: &Brick) -> Memory {
        let schedule = &self.schedule;
        let (mut memory, mut largest, mut panels) = (Memory::default(), 0, 0);
        for (count, cell, own) in self.cells(matrix, brick) {
            let words = own.end - own.start;
            let [most, received] = placement(schedule, matrix, &cell, &own);
            largest = most.max(largest);
            panels += u128::from(count) * received;
            memory.own += u128::from(count) * words;
            // All cells of C belong to the one tile; with tiles each cell is a tile.
            memory.partial = memory.partial.max(cell.rect.words() - words);
        }
        let face = brick.face(matrix).words();
        let (shared, is_whole) = (self.users(matrix) > 1, memory.own == face);
        match matrix {
            Matrix::C if shared => memory.reduction = largest,
            Matrix::C => {}
            Matrix::A | Matrix::B => {
                memory.partial = 0;
                let count = panels * u128::from(schedule.passes(matrix));
                memory.panels = largest * count.min(2);
                if !is_whole {
                    memory.joined = joined(schedule, &brick.shape(), matrix);
                }
            }
        }
        memory
    }
}

/// The lengths of nearly equal parts that are not empty, and how many have them.
fn lengths(whole: u64, count: u64) -> impl Iterator<Item = (u64, u64)> {
    let (short, longer) = (whole / count, whole % count);
    let parts = [(short, count - longer), (short.saturating_add(1), longer)];
    parts
        .into_iter()
        .filter(|&(length, count)| length > 0 && count > 0)
}

/// The coordinates whose part of a length is not empty, in order.
pub(super) fn coordinates(length: u64, count: u64) -> impl Iterator<Item = u64> {
    let sparse = count / 2 > length;
    let among = if sparse { length } else { count };
    (0..among)
        .map(move |index| match sparse {
            // The part with word `x` ends with the first share that is rounded above it.
            true => {
                let (index, count, length) =
                    (u128::from(index), u128::from(count), u128::from(length));
                let end = (count * (2 * index + 1)).div_ceil(2 * length);
                u64::try_from(end).unwrap_or(u64::MAX).saturating_sub(1)
            }
            false => index,
        })
        .filter(move |&at| sparse || share(length, at, count) < share(length, at + 1, count))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coordinates_with_a_part() {
        for count in 1..40 {
            for length in 1..60 {
                let whole = 0..length;
                let dumb = (0..count).filter(|&at| !part(&whole, at, count).is_empty());
                let dumb: Vec<u64> = dumb.collect();
                let found: Vec<u64> = coordinates(length, count).collect();
                assert_eq!(found, dumb, "{length} in {count}");
            }
        }
    }
}
