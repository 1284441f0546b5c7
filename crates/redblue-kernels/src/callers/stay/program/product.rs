//! The products of pieces: where their operands are, and which of them start sums anew.

use redblue_dist::Matrix;
use redblue_dist::layout::{Dense, Order, Parcel, Patch, Side, Stripe};

use super::super::step::{Call, Operand, Place};
use super::{Compiler, Piece, has};
use crate::view::Frame;

impl Compiler<'_> {
    /// The product of a piece, if the rank has one.
    pub(super) fn product(&mut self, piece: &Piece) {
        let Some(brick) = self.stay.brick(self.rank) else {
            return;
        };
        let (tiled, _) = self.stay.tiles();
        // Where in this rank's part of the resident matrix the tile is.
        let stripe = &brick[tiled.index()];
        let part = stripe.count(&(0..piece.tile.start))..stripe.count(&(0..piece.tile.end));
        let part = part.start as usize..part.end as usize;
        if part.is_empty() {
            return;
        }
        let resident = self.stay.resident();
        let operand = |matrix: Matrix| {
            let (rows, cols) = matrix.axes();
            if matrix == resident {
                let whole = self.resident(matrix, brick);
                let Frame {
                    rows: m, cols: n, ..
                } = whole.frame;
                return match rows == tiled {
                    true => whole.part(&part, &(0..n)),
                    false => whole.part(&(0..m), &part),
                };
            }
            if let Some(dense) = self.in_place[matrix.index()] {
                return Operand {
                    place: Place::Caller,
                    offset: dense.offset,
                    frame: frame(dense),
                };
            }
            let used = (brick[rows.index()].clone(), brick[cols.index()].clone());
            let panel = self.panel(matrix, &used, piece);
            Operand {
                place: Place::Slot(self.slot(matrix, piece)),
                offset: 0,
                frame: frame(panel.dense()),
            }
        };
        let operands = Matrix::ALL.map(operand);
        for matrix in Matrix::ALL {
            let Operand { place, frame, .. } = operands[matrix.index()];
            if let Place::Slot(_) = place {
                self.use_slot(matrix, frame.rows * frame.cols);
            }
        }
        // Sums are formed anew in every slab, and in every tile if they have its axis; the caller's once.
        let fresh = match (resident, has(Matrix::C, tiled)) {
            (Matrix::C, _) => piece.slab == 0,
            (_, true) => true,
            (_, false) => !self.begun,
        };
        self.begun = true;
        self.program.steps[piece.number + self.hops].call = Some(Call { operands, fresh });
    }

    /// The resident matrix as the product sees it: the caller's memory, or a conjugated copy of it.
    fn resident(&self, matrix: Matrix, brick: &[Stripe; 3]) -> Operand {
        match self.program.copied {
            Some(_) => {
                let (rows, cols) = matrix.axes();
                let copy = copy(&brick[rows.index()], &brick[cols.index()]);
                Operand {
                    place: Place::Box,
                    offset: 0,
                    frame: frame(copy.dense()),
                }
            }
            None => {
                let held = self.given.layouts[matrix.index()].patches(self.rank);
                let dense = held.first().map_or(EMPTY, Patch::dense);
                Operand {
                    place: Place::Caller,
                    offset: dense.offset,
                    frame: frame(dense),
                }
            }
        }
    }

    /// Prepares the copy of the resident matrix if it is conjugated.
    pub(super) fn copy_conjugated(&mut self) {
        let matrix = self.stay.resident();
        let Some(brick) = self.stay.brick(self.rank) else {
            return;
        };
        let held = self.given.layouts[matrix.index()].patches(self.rank);
        if let Some(held) = held.first()
            && matrix != Matrix::C
            && self.given.conjugate[matrix.index()]
        {
            let (rows, cols) = matrix.axes();
            let copy = copy(&brick[rows.index()], &brick[cols.index()]);
            let parcel = Parcel::between(held, &copy, Order::ColumnMajor, Side::Source);
            self.program.copied = Some((matrix, parcel));
        }
    }
}

/// A dense copy, by columns.
fn copy(rows: &Stripe, cols: &Stripe) -> Patch {
    let lead = rows.len();
    Patch::new(rows.clone(), cols.clone(), 0, Order::ColumnMajor, lead)
}

const EMPTY: Dense = Dense {
    offset: 0,
    rows: 0,
    cols: 0,
    row_step: 1,
    col_step: 1,
};

fn frame(dense: Dense) -> Frame {
    Frame {
        rows: dense.rows,
        cols: dense.cols,
        row_stride: dense.row_step,
        col_stride: dense.col_step,
    }
}
