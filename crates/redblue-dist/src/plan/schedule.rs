//! In which order a rank computes its brick (C-17, C-22); what that keeps in memory is in [`super::memory`].
//!
//! The face of the brick on `C` is cut into tiles; for each tile the range along k is cut into steps. A *round* is
//! one tile and one step: the panels of `A` and `B` it needs are received (those of the next round while this one
//! is multiplied), the product is added to the tile, and after the last step of a tile the partial sums that
//! belong to other ranks are sent to them.
//!
//! ```text
//! for tile i of m, tile j of n:             tiles [a, b]
//!     for step t of k:                      steps
//!         receive A[i, t] and B[t, j]
//!         C[i, j] += A[i, t]·B[t, j]
//!     send partial sums of C[i, j], receive and add those of others, in chunks
//! ```
//!
//! With one step, `A[i]` is received once and kept while `j` runs, and `B` is kept as well if `n` is not tiled.
//! With several steps each tile receives its panels anew: that is the price of tiles, paid only when the partial
//! sums do not fit. All ranks have equally many rounds, and a word is sent in the round of its receiver.

use std::ops::Range;

use super::cells::part;
use crate::shape::{Brick, Matrix, Rect};

/// How every rank divides its brick into rounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Schedule {
    /// Number of tiles of `C` along m and n.
    pub tiles: [u64; 2],
    /// Number of steps along k for each tile.
    pub steps: u64,
    /// Number of messages for the partial sums of one strip.
    pub chunks: u64,
}

impl Schedule {
    /// Everything in one round.
    pub const WHOLE: Schedule = Schedule {
        tiles: [1, 1],
        steps: 1,
        chunks: 1,
    };

    /// Number of rounds; saturates.
    pub fn rounds(&self) -> u64 {
        self.tiles[0]
            .saturating_mul(self.tiles[1])
            .saturating_mul(self.steps)
    }

    /// Tile and step of a round.
    pub(crate) fn at(&self, round: u64) -> Position {
        let (tile, step) = (round / self.steps, round % self.steps);
        Position {
            tile: [tile / self.tiles[1], tile % self.tiles[1]],
            step,
        }
    }

    /// The products of a brick in one round.
    pub(crate) fn product(&self, brick: &Brick, at: Position) -> Brick {
        Brick {
            m: part(&brick.m, at.tile[0], self.tiles[0]),
            n: part(&brick.n, at.tile[1], self.tiles[1]),
            k: part(&brick.k, at.step, self.steps),
        }
    }

    /// Whether the panel of a matrix is received in a round, or kept from an earlier one.
    pub(crate) fn fetches(&self, matrix: Matrix, at: Position) -> bool {
        match matrix {
            Matrix::A => self.steps > 1 || at.tile[1] == 0,
            Matrix::B => self.steps > 1 || self.tiles[1] > 1 || at.tile[0] == 0,
            Matrix::C => at.step + 1 == self.steps,
        }
    }

    /// How often each word of a matrix that a rank uses and does not own is received or sent.
    pub fn passes(&self, matrix: Matrix) -> u64 {
        match matrix {
            Matrix::A if self.steps > 1 => self.tiles[1],
            Matrix::B if self.steps > 1 || self.tiles[1] > 1 => self.tiles[0],
            _ => 1,
        }
    }

    /// Into how many parts the cells of a matrix are divided along rows and columns, so that no strip crosses a tile.
    pub(crate) fn cell_tiles(&self, matrix: Matrix) -> [u64; 2] {
        let [a, b] = self.tiles;
        match matrix {
            Matrix::A => [a, 1],
            Matrix::B => [1, b],
            Matrix::C => [a, b],
        }
    }

    /// Number of steps whose part of `range` meets `window`.
    pub(crate) fn steps_meeting(&self, range: &Range<u64>, window: &Range<u64>) -> u64 {
        if window.is_empty() {
            return 0;
        }
        let before = |stop: &dyn Fn(Range<u64>) -> bool| {
            let (mut low, mut high) = (0, self.steps);
            while low < high {
                let middle = low + (high - low) / 2;
                if stop(part(range, middle, self.steps)) {
                    high = middle
                } else {
                    low = middle + 1
                }
            }
            low
        };
        // Empty parts (more steps than lines) end where they start and are not counted by either search.
        let lines = range.end - range.start;
        if self.steps > lines {
            return window.end - window.start;
        }
        before(&|part| part.start >= window.end) - before(&|part| part.end > window.start)
    }
}

/// A round as tile and step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Position {
    pub(crate) tile: [u64; 2],
    pub(crate) step: u64,
}

/// The rows of a strip of partial sums in the messages it is sent in.
pub(crate) fn chunks(rect: Rect, count: u64) -> impl Iterator<Item = Rect> {
    let Rect { rows, cols } = rect;
    (0..count)
        .map(move |index| Rect::new(part(&rows, index, count), cols.clone()))
        .filter(|rect| !rect.is_empty())
}
