//! The parts of a rank's program in the caller's layout: what happens at one point in time, and where words are.

use std::ops::Range;

use redblue_dist::Matrix;
use redblue_dist::comm::Tag;
use redblue_dist::layout::Parcel;

use crate::view::Frame;

/// One point in time.
#[derive(Clone, Debug, Default)]
pub(super) struct Step {
    /// Own words that the product needs in a panel.
    pub(super) fills: Vec<Fill>,
    /// Words to be collected in the outbox.
    pub(super) packs: Vec<Pack>,
    pub(super) mail: Vec<Mail>,
    pub(super) call: Option<Call>,
    /// Own partial sums, and words from the inbox, brought to their places afterwards.
    pub(super) settles: Vec<Settle>,
    pub(super) unpacks: Vec<Unpack>,
}

/// Where words are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Place {
    /// In the caller's memory of a matrix.
    Caller,
    /// In a slot.
    Slot(usize),
    /// In the outbox when they leave, in the inbox when they arrive.
    Box,
}

#[derive(Clone, Debug)]
pub(super) struct Fill {
    pub(super) matrix: Matrix,
    pub(super) slot: usize,
    pub(super) from: Parcel,
    pub(super) to: Parcel,
}

#[derive(Clone, Debug)]
pub(super) struct Pack {
    pub(super) matrix: Matrix,
    pub(super) place: Place,
    pub(super) parcel: Parcel,
    /// Where in the outbox.
    pub(super) words: Range<usize>,
}

/// A message.
#[derive(Clone, Debug)]
pub(super) struct Mail {
    pub(super) matrix: Matrix,
    pub(super) peer: usize,
    pub(super) tag: Tag,
    pub(super) place: Place,
    pub(super) words: Range<usize>,
    pub(super) leaves: bool,
}

/// The memory of a message while it is under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Buffer {
    /// A panel, which other messages may be using, too.
    Panel(Matrix, usize),
    /// The inbox.
    Inbox,
    /// Memory that nothing writes meanwhile.
    Still,
}

impl Mail {
    pub(super) fn buffer(&self) -> Buffer {
        match self.place {
            Place::Slot(slot) if self.matrix != Matrix::C => Buffer::Panel(self.matrix, slot),
            Place::Box if !self.leaves => Buffer::Inbox,
            _ => Buffer::Still,
        }
    }
}

/// Own partial sums added to the caller's `C`.
#[derive(Clone, Debug)]
pub(super) struct Settle {
    pub(super) slot: usize,
    pub(super) from: Parcel,
    pub(super) to: Parcel,
}

#[derive(Clone, Debug)]
pub(super) struct Unpack {
    pub(super) matrix: Matrix,
    pub(super) place: Place,
    pub(super) parcel: Parcel,
    /// Where in the inbox.
    pub(super) words: Range<usize>,
}

/// A matrix of a product.
#[derive(Clone, Copy, Debug)]
pub(super) struct Operand {
    pub(super) place: Place,
    pub(super) offset: usize,
    pub(super) frame: Frame,
}

impl Operand {
    /// The part in some rows and columns.
    pub(super) fn part(self, rows: &Range<usize>, cols: &Range<usize>) -> Operand {
        let Frame {
            row_stride,
            col_stride,
            ..
        } = self.frame;
        Operand {
            offset: self.offset + rows.start * row_stride + cols.start * col_stride,
            frame: Frame {
                rows: rows.len(),
                cols: cols.len(),
                ..self.frame
            },
            ..self
        }
    }
}

/// The product of a piece.
#[derive(Clone, Copy, Debug)]
pub(super) struct Call {
    pub(super) operands: [Operand; 3],
    /// Whether nothing has been added to this part of `C` before: partial sums start from zero, the caller's words are
    /// scaled.
    pub(super) fresh: bool,
}
