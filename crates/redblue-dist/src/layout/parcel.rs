//! What one rank sends to another: the elements both own, in an order both can derive.
//!
//! Sender and receiver know both layouts, so a parcel needs no addresses: its words are, for every pair of a
//! patch of the sender and a patch of the receiver, their common columns from left to right, each with the
//! common rows from top to bottom.

use std::ops::Range;

use super::{Layout, Patch};
use crate::comm::Word;

/// The words of one message, as places in this rank's memory.
#[derive(Clone, Debug)]
pub(super) struct Parcel {
    pieces: Vec<Piece>,
    words: usize,
}

#[derive(Clone, Debug)]
struct Piece {
    /// This rank's patch.
    patch: Patch,
    rows: Vec<Range<u64>>,
    cols: Vec<Range<u64>>,
}

/// Which of the two layouts describes this rank's memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Source,
    Target,
}

impl Parcel {
    /// The parcel from rank `a` of the source to rank `b` of the target, seen from one of them.
    pub(super) fn new(from: &Layout, a: usize, to: &Layout, b: usize, side: Side) -> Parcel {
        let (mut pieces, mut words) = (Vec::new(), 0);
        for source in from.patches(a) {
            for target in to.patches(b) {
                let rows = source.rows.common_runs(&target.rows);
                if rows.is_empty() {
                    continue;
                }
                let cols = source.cols.common_runs(&target.cols);
                words += total(&rows) * total(&cols);
                let patch = if side == Side::Source { source } else { target };
                if !cols.is_empty() {
                    pieces.push(Piece {
                        patch: patch.clone(),
                        rows,
                        cols,
                    });
                }
            }
        }
        Parcel { pieces, words }
    }

    /// Number of words.
    pub(super) fn words(&self) -> usize {
        self.words
    }

    /// Calls `visit` with every run of elements that lie one `step` apart in memory: the position of its
    /// first word in the parcel, and its address, step and length in memory.
    fn for_each_run(&self, mut visit: impl FnMut(usize, usize, usize, usize)) {
        let mut place = 0;
        for Piece { patch, rows, cols } in &self.pieces {
            let runs: Vec<(u64, usize)> = rows
                .iter()
                .map(|run| (patch.rows.position(run.start) * patch.row_step, length(run)))
                .collect();
            for col in cols.iter().cloned().flatten() {
                let column = patch.offset + patch.cols.position(col) * patch.col_step;
                for &(down, length) in &runs {
                    visit(
                        place,
                        (column + down) as usize,
                        patch.row_step as usize,
                        length,
                    );
                    place += length;
                }
            }
        }
    }

    /// Collects the words from memory.
    pub(super) fn pack<T: Word>(&self, memory: &[T], conjugate: bool, buffer: &mut [T]) {
        self.for_each_run(|place, address, step, length| {
            let words = &mut buffer[place..place + length];
            if step == 1 {
                words.copy_from_slice(&memory[address..address + length]);
            } else {
                let column = memory[address..].iter().step_by(step.max(1));
                words
                    .iter_mut()
                    .zip(column)
                    .for_each(|(word, &value)| *word = value);
            }
            if conjugate {
                words.iter_mut().for_each(|word| *word = word.conjugate());
            }
        });
    }

    /// Brings the words to memory, each with `store(place, word)`.
    pub(super) fn unpack<T: Word>(
        &self,
        buffer: &[T],
        memory: &mut [T],
        store: &impl Fn(&mut T, T),
    ) {
        self.for_each_run(|place, address, step, length| {
            let column = memory[address..].iter_mut().step_by(step.max(1));
            column
                .zip(&buffer[place..place + length])
                .for_each(|(word, &value)| store(word, value));
        });
    }
}

fn length(run: &Range<u64>) -> usize {
    (run.end - run.start) as usize
}

fn total(runs: &[Range<u64>]) -> usize {
    runs.iter().map(length).sum()
}
