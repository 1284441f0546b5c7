//! A part of a matrix on one rank, and where its elements are in the rank's memory.

use std::ops::Range;

use super::{Dense, LayoutError, MAX_LENGTH, Stripe};
use crate::shape::Rect;

/// Which index runs fastest in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Order {
    /// Columns are contiguous, as in Fortran and BLAS.
    ColumnMajor,
    /// Rows are contiguous.
    RowMajor,
}

/// The elements in some rows and some columns, stored as a dense array with two strides:
///
/// ```text
/// element (i, j) is at   offset + row_step · rows.position(i) + col_step · cols.position(j)
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Patch {
    pub(super) rows: Stripe,
    pub(super) cols: Stripe,
    pub(super) offset: u64,
    pub(super) row_step: u64,
    pub(super) col_step: u64,
}

impl Patch {
    /// A rectangle stored at `offset`; `lead` is the distance between consecutive columns (column-major) or
    /// rows (row-major).
    pub fn rectangle(rect: &Rect, offset: u64, order: Order, lead: u64) -> Patch {
        let (rows, cols) = (
            Stripe::all(rect.rows.clone()),
            Stripe::all(rect.cols.clone()),
        );
        Patch::new(rows, cols, offset, order, lead)
    }

    /// Some rows and some columns, stored as a dense array at `offset` with leading dimension `lead`.
    pub fn new(rows: Stripe, cols: Stripe, offset: u64, order: Order, lead: u64) -> Patch {
        let (row_step, col_step) = match order {
            Order::ColumnMajor => (1, lead),
            Order::RowMajor => (lead, 1),
        };
        Patch {
            rows,
            cols,
            offset,
            row_step,
            col_step,
        }
    }

    /// Its rows.
    pub fn rows(&self) -> &Stripe {
        &self.rows
    }

    /// Its columns.
    pub fn cols(&self) -> &Stripe {
        &self.cols
    }

    /// Number of elements.
    pub fn words(&self) -> u128 {
        u128::from(self.rows.len()) * u128::from(self.cols.len())
    }

    /// Whether it has no element.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty() || self.cols.is_empty()
    }

    /// Where an element of it is in memory.
    pub fn address(&self, row: u64, col: u64) -> u64 {
        let (row, col) = (self.rows.position(row), self.cols.position(col));
        self.offset + row * self.row_step + col * self.col_step
    }

    /// The dense array it is stored as.
    pub fn dense(&self) -> Dense {
        Dense {
            offset: self.offset as usize,
            rows: self.rows.len() as usize,
            cols: self.cols.len() as usize,
            row_step: self.row_step as usize,
            col_step: self.col_step as usize,
        }
    }

    /// Length of the shortest memory that holds it; saturates.
    pub(super) fn extent(&self) -> u64 {
        let (rows, cols) = (self.rows.len(), self.cols.len());
        if rows == 0 || cols == 0 {
            return 0;
        }
        let (down, right) = (
            (rows - 1).saturating_mul(self.row_step),
            (cols - 1).saturating_mul(self.col_step),
        );
        self.offset
            .saturating_add(down)
            .saturating_add(right)
            .saturating_add(1)
    }

    /// Checks that its addresses are different from each other and can be computed.
    pub(super) fn check(&self, rank: usize) -> Result<(), LayoutError> {
        let (rows, cols) = (self.rows.len(), self.cols.len());
        let column_major = self.row_step == 1 && self.col_step >= rows;
        let row_major = self.col_step == 1 && self.row_step >= cols;
        if rows > 0 && cols > 0 && !column_major && !row_major {
            return Err(LayoutError::Lead { rank });
        }
        match self.extent() {
            value if value > MAX_LENGTH => Err(LayoutError::TooLarge {
                what: "the memory of a rank",
                value,
            }),
            _ => Ok(()),
        }
    }

    /// Number of elements that another patch has too.
    pub fn overlap(&self, other: &Patch) -> u128 {
        u128::from(self.rows.overlap(&other.rows)) * u128::from(self.cols.overlap(&other.cols))
    }

    /// The part in a rectangle, with the same indices.
    #[must_use]
    pub fn clip(&self, rect: &Rect) -> Patch {
        let down = self.rows.position(rect.rows.start) * self.row_step;
        let right = self.cols.position(rect.cols.start) * self.col_step;
        Patch {
            rows: self.rows.clip(&rect.rows),
            cols: self.cols.clip(&rect.cols),
            offset: self.offset + down + right,
            ..*self
        }
    }

    /// The part in a rectangle, with indices counted from the rectangle's corner.
    pub(super) fn part(&self, rect: &Rect) -> Patch {
        let origin = |part: Stripe, range: &Range<u64>| {
            // A stripe beyond the range is empty there, wherever it is said to begin.
            if part.is_empty() {
                Stripe::all(0..0)
            } else {
                part.shifted(range.start)
            }
        };
        let part = self.clip(rect);
        Patch {
            rows: origin(part.rows, &rect.rows),
            cols: origin(part.cols, &rect.cols),
            ..part
        }
    }

    /// The same memory as the part of the transposed matrix.
    pub(super) fn transposed(&self) -> Patch {
        Patch {
            rows: self.cols.clone(),
            cols: self.rows.clone(),
            offset: self.offset,
            row_step: self.col_step,
            col_step: self.row_step,
        }
    }
}
