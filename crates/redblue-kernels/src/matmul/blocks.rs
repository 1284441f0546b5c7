//! Where the words of a rank are: blocks of matrices in memory, and the products of blocks that meet.

use std::ops::Range;

use redblue_dist::plan::{RankPlan, Transfer};
use redblue_dist::{Matrix, Rect};

use super::MatmulError;
use crate::view::Frame;

/// Words next to each other somewhere in memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Spot {
    pub(super) place: Place,
    pub(super) words: Range<usize>,
}

/// Where a block of words is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// Among the rank's own words.
    Own,
    /// Among the words that the rank serves for others.
    Relayed,
    /// In a receive buffer.
    Panel(usize),
    /// In the buffer where pieces are joined.
    Joined,
    /// Among the partial sums for others.
    Partial,
}

/// A rectangle of a matrix somewhere in memory.
#[derive(Clone, Debug)]
pub(super) struct Block {
    pub(super) rect: Rect,
    place: Place,
    offset: usize,
    row_stride: usize,
    col_stride: usize,
}

/// One local product.
#[derive(Clone, Debug)]
pub(super) struct Call {
    pub(super) a: Operand,
    pub(super) b: Operand,
    pub(super) c: Operand,
    /// Whether it is the first product for these sums, which then need not have a value before.
    pub(super) first: bool,
}

/// A part of a block.
#[derive(Clone, Copy, Debug)]
pub(super) struct Operand {
    pub(super) place: Place,
    pub(super) offset: usize,
    pub(super) frame: Frame,
}

impl Block {
    /// A rectangle stored as its matrix is: `A` by columns, `B` and `C` by rows.
    pub(super) fn stored(matrix: Matrix, rect: Rect, place: Place, offset: usize) -> Block {
        let (height, width) = (rect.height() as usize, rect.width() as usize);
        let (row_stride, col_stride) = if matrix == Matrix::A {
            (1, height)
        } else {
            (width, 1)
        };
        Block {
            rect,
            place,
            offset,
            row_stride,
            col_stride,
        }
    }

    pub(super) fn words(&self) -> usize {
        self.rect.words() as usize
    }

    /// The part of the block inside a rectangle, if any.
    pub(super) fn within(&self, rect: &Rect) -> Option<Block> {
        let common = self.rect.intersect(rect);
        if common.is_empty() {
            return None;
        }
        let down = (common.rows.start - self.rect.rows.start) as usize;
        let right = (common.cols.start - self.rect.cols.start) as usize;
        let offset = self.offset + down * self.row_stride + right * self.col_stride;
        Some(Block {
            rect: common,
            offset,
            ..self.clone()
        })
    }

    /// All its words, which must be next to each other.
    pub(super) fn spot(&self) -> Spot {
        Spot {
            place: self.place,
            words: self.offset..self.offset + self.words(),
        }
    }

    pub(super) fn operand(&self) -> Operand {
        let frame = Frame {
            rows: self.rect.height() as usize,
            cols: self.rect.width() as usize,
            row_stride: self.row_stride,
            col_stride: self.col_stride,
        };
        Operand {
            place: self.place,
            offset: self.offset,
            frame,
        }
    }
}

/// The words of a rank, rectangle after rectangle: its own, and then in another place those it serves for others.
pub(super) fn served_blocks(part: &RankPlan) -> Result<[Vec<Block>; 3], MatmulError> {
    let mut blocks: [Vec<Block>; 3] = Default::default();
    for matrix in Matrix::ALL {
        let at = matrix.index();
        for (place, rects) in [
            (Place::Own, &part.owned[at]),
            (Place::Relayed, &part.relayed[at]),
        ] {
            let mut filled = 0_usize;
            for rect in rects {
                blocks[at].push(Block::stored(matrix, rect.clone(), place, filled));
                let words = usize::try_from(rect.words()).ok();
                filled = words
                    .and_then(|words| filled.checked_add(words))
                    .ok_or(MatmulError::TooLarge { rank: part.rank })?;
            }
        }
    }
    Ok(blocks)
}

/// Words of the blocks that a rank owns.
pub(super) fn own_words(served: &[Block]) -> usize {
    let own = served.iter().filter(|block| block.place == Place::Own);
    own.map(Block::words).sum()
}

/// The place of a message among the words that a rank serves.
pub(super) fn contiguous(transfer: &Transfer, served: &[Block]) -> Result<Spot, MatmulError> {
    let refused = || MatmulError::NotContiguous {
        matrix: transfer.matrix,
        rect: transfer.rect.to_string(),
    };
    let inside = |block: &&Block| {
        block
            .within(&transfer.rect)
            .is_some_and(|part| part.rect == transfer.rect)
    };
    let home = served.iter().find(inside).ok_or_else(refused)?;
    let whole_lines = match transfer.matrix {
        Matrix::A => home.rect.rows == transfer.rect.rows || transfer.rect.width() == 1,
        Matrix::B | Matrix::C => {
            home.rect.cols == transfer.rect.cols || transfer.rect.height() == 1
        }
    };
    let part = home
        .within(&transfer.rect)
        .filter(|_| whole_lines)
        .ok_or_else(refused)?;
    Ok(part.spot())
}

/// The partial sums of a tile that belong to others, one message after another.
pub(super) fn partial_blocks(sends: &[Transfer]) -> Vec<Block> {
    let mut filled = 0;
    let mut blocks = Vec::new();
    for transfer in sends {
        let block = Block::stored(Matrix::C, transfer.rect.clone(), Place::Partial, filled);
        filled += block.words();
        blocks.push(block);
    }
    blocks
}

/// The sums that products have been added to.
#[derive(Default)]
pub(super) struct Touched {
    rects: Vec<(Place, Rect)>,
    /// Whether some product had both sums with and without a value.
    pub(super) is_mixed: bool,
}

impl Touched {
    fn is_first(&mut self, block: &Block) -> bool {
        let place = block.place;
        let mut seen = self.rects.iter().filter(|(other, _)| *other == place);
        let meets = |(_, rect): &(Place, Rect)| !rect.intersect(&block.rect).is_empty();
        let Some((_, rect)) = seen.find(|seen| meets(seen)) else {
            self.rects.push((place, block.rect.clone()));
            return true;
        };
        self.is_mixed |= rect.intersect(&block.rect) != block.rect;
        false
    }

    pub(super) fn forget(&mut self, place: Place) {
        self.rects.retain(|(other, _)| *other != place);
    }

    pub(super) fn words(&self, place: Place) -> usize {
        let rects = self.rects.iter().filter(|(other, _)| *other == place);
        rects.map(|(_, rect)| rect.words() as usize).sum()
    }
}

/// One call for every meeting of blocks.
pub(super) fn calls(a: &[Block], b: &[Block], c: &[Block], touched: &mut Touched) -> Vec<Call> {
    let mut found = Vec::new();
    for result in c {
        for left in a {
            for right in b {
                let k = left.rect.cols.start.max(right.rect.rows.start)
                    ..left.rect.cols.end.min(right.rect.rows.end);
                let m = left.rect.rows.start.max(result.rect.rows.start)
                    ..left.rect.rows.end.min(result.rect.rows.end);
                let n = right.rect.cols.start.max(result.rect.cols.start)
                    ..right.rect.cols.end.min(result.rect.cols.end);
                if k.is_empty() || m.is_empty() || n.is_empty() {
                    continue;
                }
                let parts = (
                    left.within(&Rect::new(m.clone(), k.clone())),
                    right.within(&Rect::new(k, n.clone())),
                    result.within(&Rect::new(m, n)),
                );
                if let (Some(left), Some(right), Some(result)) = parts {
                    found.push(Call {
                        a: left.operand(),
                        b: right.operand(),
                        c: result.operand(),
                        first: touched.is_first(&result),
                    });
                }
            }
        }
    }
    found
}
