//! What one rank sends to another: the elements both have, in an order both can derive.
//!
//! Sender and receiver know both layouts, so a parcel needs no addresses: its words are, for every pair of a
//! patch of the sender and a patch of the receiver, their common columns from left to right, each with the
//! common rows from top to bottom; or rows and columns the other way round, where both say so.
//!
//! Runs of elements that follow each other in memory are joined, whatever their global indices, so that parts of
//! a block-cyclic matrix are copied as a whole or, where nothing lies between them, not copied at all.

use std::ops::Range;

use super::{Layout, Order, Patch, Stripe};
use crate::comm::Word;

/// The words of one message, as places in this rank's memory.
#[derive(Clone, Debug)]
pub struct Parcel {
    pieces: Vec<Piece>,
    words: usize,
}

/// The meeting of two patches: runs of local rows and columns of this rank's patch.
#[derive(Clone, Debug)]
struct Piece {
    dense: Dense,
    rows: Vec<Range<usize>>,
    cols: Vec<Range<usize>>,
}

/// A dense matrix in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dense {
    /// Where its first element is.
    pub offset: usize,
    /// Number of rows.
    pub rows: usize,
    /// Number of columns.
    pub cols: usize,
    /// Distance between an element and the one below.
    pub row_step: usize,
    /// Distance between an element and the one to the right.
    pub col_step: usize,
}

/// Which of the two layouts describes this rank's memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The layout that words come from.
    Source,
    /// The layout that words go to.
    Target,
}

impl Parcel {
    /// The parcel from rank `a` of the source to rank `b` of the target, seen from one of them.
    pub(super) fn new(from: &Layout, a: usize, to: &Layout, b: usize, side: Side) -> Parcel {
        let (mut pieces, mut words) = (Vec::new(), 0);
        for source in from.patches(a) {
            for target in to.patches(b) {
                let parcel = Parcel::between(source, target, Order::ColumnMajor, side);
                words += parcel.words;
                pieces.extend(parcel.pieces);
            }
        }
        Parcel { pieces, words }
    }

    /// The elements that two patches have in common, as places of one of them, column after column or row after
    /// row.
    pub fn between(source: &Patch, target: &Patch, order: Order, side: Side) -> Parcel {
        let own = if side == Side::Source { source } else { target };
        let rows = joined(&own.rows, source.rows.common_runs(&target.rows));
        let cols = joined(&own.cols, source.cols.common_runs(&target.cols));
        let words = total(&rows) * total(&cols);
        let mut dense = own.dense();
        let (mut rows, mut cols) = (rows, cols);
        if order == Order::RowMajor {
            std::mem::swap(&mut rows, &mut cols);
            dense = dense.transposed();
        }
        let pieces = (words > 0).then_some(Piece { dense, rows, cols });
        Parcel {
            pieces: pieces.into_iter().collect(),
            words,
        }
    }

    /// Number of words.
    pub fn words(&self) -> usize {
        self.words
    }

    /// Where its words are, if they follow each other in memory as they do in the message.
    pub fn contiguous(&self) -> Option<Range<usize>> {
        let (mut runs, mut range) = (0, 0..0);
        self.for_each_run(|_, address, step, length| {
            runs += if step == 1 || length == 1 { 1 } else { 2 };
            range = address..address + length;
        });
        (runs <= 1).then_some(range)
    }

    /// The matrix its words form in memory, if they form one; rows are the lines that the order runs along.
    pub fn dense(&self) -> Option<Dense> {
        let [Piece { dense, rows, cols }] = &self.pieces[..] else {
            return None;
        };
        let ([rows], [cols]) = (&rows[..], &cols[..]) else {
            return None;
        };
        Some(Dense {
            offset: dense.offset + rows.start * dense.row_step + cols.start * dense.col_step,
            rows: rows.len(),
            cols: cols.len(),
            ..*dense
        })
    }

    /// Calls `visit` with every run of elements that lie one `step` apart in memory: the position of its
    /// first word in the parcel, and its address, step and length in memory.
    fn for_each_run(&self, mut visit: impl FnMut(usize, usize, usize, usize)) {
        let mut place = 0;
        for Piece { dense, rows, cols } in &self.pieces {
            let step = dense.row_step;
            let whole = step == 1 && rows.len() == 1 && rows[0].len() == dense.col_step;
            for run in cols {
                let columns = if whole { 1 } else { run.len() };
                for col in run.start..run.start + columns {
                    let column = dense.offset + col * dense.col_step;
                    for down in rows {
                        let length = if whole {
                            down.len() * run.len()
                        } else {
                            down.len()
                        };
                        visit(place, column + down.start * step, step, length);
                        place += length;
                    }
                }
            }
        }
    }

    /// Collects the words from memory.
    pub fn pack<T: Word>(&self, memory: &[T], conjugate: bool, buffer: &mut [T]) {
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
    pub fn unpack<T: Word>(&self, buffer: &[T], memory: &mut [T], store: &impl Fn(&mut T, T)) {
        self.for_each_run(|place, address, step, length| {
            let words = &buffer[place..place + length];
            if step == 1 {
                // Without strides the compiler can use vectors.
                let column = memory[address..address + length].iter_mut();
                column
                    .zip(words)
                    .for_each(|(word, &value)| store(word, value));
            } else {
                let column = memory[address..].iter_mut().step_by(step.max(1));
                column
                    .zip(words)
                    .for_each(|(word, &value)| store(word, value));
            }
        });
    }
}

impl Dense {
    /// The same memory as the transposed matrix.
    #[must_use]
    pub fn transposed(self) -> Dense {
        Dense {
            offset: self.offset,
            rows: self.cols,
            cols: self.rows,
            row_step: self.col_step,
            col_step: self.row_step,
        }
    }
}

/// Runs of indices as runs of places in local memory; those that touch there become one.
fn joined(stripe: &Stripe, runs: Vec<Range<u64>>) -> Vec<Range<usize>> {
    let mut places: Vec<Range<usize>> = Vec::new();
    for run in runs {
        let start = stripe.position(run.start) as usize;
        let end = start + (run.end - run.start) as usize;
        match places.last_mut() {
            Some(last) if last.end == start => last.end = end,
            _ => places.push(start..end),
        }
    }
    places
}

fn total(runs: &[Range<usize>]) -> usize {
    runs.iter().map(Range::len).sum()
}
