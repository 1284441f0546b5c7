//! Layouts: which rank owns which elements of a matrix, and how to get from one layout to another.
//!
//! ```text
//! plan's rectangles ──► Layout::blocked ─┐                 ┌──► overlap::flow       words, without moving any
//! 9-integer descriptor ► block_cyclic ───┼──► Layout ──────┼──► relabel::best       ranks of the target renamed
//! cuts × owners ───────► Layout::grid ───┘  │ part, view   └──► redistribute        over a Comm, once per word
//!                                           └─ sub-matrices, transposes
//! ```
//!
//! Every layout is a list of [`Patch`]es per rank: rows × columns, each a periodic [`Stripe`] of indices.
//! Block-cyclic layouts are one patch per rank, rectangles are patches with whole stripes, so one pair of
//! intersections (rows with rows, columns with columns) serves all combinations, and overlaps are counted
//! without looking at elements.
//!
//! All decisions are made with integers. Indices count from 0 everywhere but in [`block_cyclic::Descriptor`]'s
//! sub-matrices, which follow ScaLAPACK.

pub mod block_cyclic;
mod error;
pub mod overlap;
mod parcel;
mod patch;
mod redistribute;
pub mod relabel;
mod stripe;

use std::ops::Range;

pub use error::LayoutError;
pub use parcel::{Dense, Parcel, Side};
pub use patch::{Order, Patch};
pub use redistribute::{Op, buffer_words, redistribute, redistribute_with};
pub use stripe::{MAX_LENGTH, Stripe};

use crate::shape::Rect;

/// Who owns which element of a matrix, and where in memory. Every element has exactly one owner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    rows: u64,
    cols: u64,
    patches: Vec<Vec<Patch>>,
}

impl Layout {
    /// A layout from the patches of every rank.
    pub fn new(rows: u64, cols: u64, patches: Vec<Vec<Patch>>) -> Result<Layout, LayoutError> {
        for (what, value) in [
            ("the number of rows", rows),
            ("the number of columns", cols),
        ] {
            if value > MAX_LENGTH {
                return Err(LayoutError::TooLarge { what, value });
            }
        }
        let layout = Layout {
            rows,
            cols,
            patches,
        };
        layout.check()?;
        Ok(layout)
    }

    /// The native layout (C-20): every rank stores its rectangles one after another, each of them dense.
    pub fn blocked(
        rows: u64,
        cols: u64,
        owned: &[Vec<Rect>],
        order: Order,
    ) -> Result<Layout, LayoutError> {
        Layout::new(
            rows,
            cols,
            owned.iter().map(|rects| stacked(rects, order)).collect(),
        )
    }

    /// The layout of a grid of blocks: `row_cuts` and `col_cuts` begin with 0 and end with the number of rows
    /// and columns; `owners[i][j]` owns block (i, j). A rank stores its blocks in the order of the grid's
    /// columns, each of them dense.
    pub fn grid(
        row_cuts: &[u64],
        col_cuts: &[u64],
        owners: &[Vec<usize>],
        ranks: usize,
        order: Order,
    ) -> Result<Layout, LayoutError> {
        let rising = |cuts: &[u64]| cuts.first() == Some(&0) && cuts.is_sorted();
        let fits = owners.len() + 1 == row_cuts.len()
            && owners.iter().all(|row| row.len() + 1 == col_cuts.len())
            && owners.iter().flatten().all(|&owner| owner < ranks);
        let problems = [
            ("row cuts", rising(row_cuts)),
            ("column cuts", rising(col_cuts)),
            ("owners", fits),
        ];
        if let Some(&(what, _)) = problems.iter().find(|(_, fine)| !fine) {
            return Err(LayoutError::Cuts { what });
        }
        let mut owned = vec![Vec::new(); ranks];
        for (j, cols) in col_cuts.windows(2).enumerate() {
            for (i, rows) in row_cuts.windows(2).enumerate() {
                owned[owners[i][j]].push(Rect::new(rows[0]..rows[1], cols[0]..cols[1]));
            }
        }
        let last = |cuts: &[u64]| cuts.last().copied().unwrap_or(0);
        Layout::blocked(last(row_cuts), last(col_cuts), &owned, order)
    }

    /// Number of rows.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Number of columns.
    pub fn cols(&self) -> u64 {
        self.cols
    }

    /// Number of ranks, with those that own nothing.
    pub fn ranks(&self) -> usize {
        self.patches.len()
    }

    /// What a rank owns.
    pub fn patches(&self, rank: usize) -> &[Patch] {
        self.patches.get(rank).map_or(&[], Vec::as_slice)
    }

    /// Number of elements a rank owns.
    pub fn words(&self, rank: usize) -> u128 {
        self.patches(rank).iter().map(Patch::words).sum()
    }

    /// Number of elements of a rectangle that a rank owns.
    pub fn words_in(&self, rank: usize, rect: &Rect) -> u128 {
        let count = |patch: &Patch| {
            let (rows, cols) = (patch.rows.count(&rect.rows), patch.cols.count(&rect.cols));
            u128::from(rows) * u128::from(cols)
        };
        self.patches(rank).iter().map(count).sum()
    }

    /// Length of the local memory a rank needs, gaps between columns included.
    pub fn memory(&self, rank: usize) -> u64 {
        self.patches(rank)
            .iter()
            .map(Patch::extent)
            .max()
            .unwrap_or(0)
    }

    /// The owner of an element and its place in the owner's memory.
    pub fn locate(&self, row: u64, col: u64) -> Option<(usize, u64)> {
        self.patches.iter().enumerate().find_map(|(rank, patches)| {
            let holds = |patch: &&Patch| patch.rows.contains(row) && patch.cols.contains(col);
            patches
                .iter()
                .find(holds)
                .map(|patch| (rank, patch.address(row, col)))
        })
    }

    /// The layout of a sub-matrix, in the same memory. Its indices count from its own corner.
    pub fn part(&self, rows: Range<u64>, cols: Range<u64>) -> Result<Layout, LayoutError> {
        let inside = |range: &Range<u64>, length| range.start <= range.end && range.end <= length;
        if !inside(&rows, self.rows) || !inside(&cols, self.cols) {
            let (rows, cols) = (format!("{rows:?}"), format!("{cols:?}"));
            return Err(LayoutError::SubMatrix { rows, cols });
        }
        let (height, width) = (rows.end - rows.start, cols.end - cols.start);
        let rect = Rect::new(rows, cols);
        Ok(self.mapped(height, width, |patch| patch.part(&rect)))
    }

    /// The layout of the transposed matrix, in the same memory.
    #[must_use]
    pub fn transposed(&self) -> Layout {
        self.mapped(self.cols, self.rows, Patch::transposed)
    }

    /// The layout in which rank `labels[r]` has what rank r has here.
    pub fn relabelled(&self, labels: &[usize]) -> Result<Layout, LayoutError> {
        let mut patches = vec![None; self.ranks()];
        for (part, &label) in self.patches.iter().zip(labels) {
            let place = patches.get_mut(label).ok_or(LayoutError::Labels)?;
            *place = Some(part.clone());
        }
        let patches: Option<Vec<Vec<Patch>>> = patches.into_iter().collect();
        Ok(Layout {
            patches: patches.ok_or(LayoutError::Labels)?,
            ..*self
        })
    }

    /// The same layout with one rank's parts stored densely, by columns and one after another.
    #[must_use]
    pub fn packed(&self, rank: usize) -> Layout {
        let mut layout = self.clone();
        let mut offset = 0;
        for patch in layout.patches.get_mut(rank).into_iter().flatten() {
            let (rows, cols) = (patch.rows.clone(), patch.cols.clone());
            let lead = rows.len();
            *patch = Patch::new(rows, cols, offset, Order::ColumnMajor, lead);
            offset = patch.extent();
        }
        layout
    }

    fn mapped(&self, rows: u64, cols: u64, map: impl Fn(&Patch) -> Patch) -> Layout {
        let mapped = |patches: &Vec<Patch>| {
            patches
                .iter()
                .map(&map)
                .filter(|patch| !patch.is_empty())
                .collect()
        };
        Layout {
            rows,
            cols,
            patches: self.patches.iter().map(mapped).collect(),
        }
    }

    /// Checks that every element has exactly one owner: patches are inside, disjoint, and enough. Patches are
    /// compared in the order of their first rows, only with those that begin before they end.
    fn check(&self) -> Result<(), LayoutError> {
        let numbered = self.patches.iter().enumerate();
        let all =
            numbered.flat_map(|(rank, patches)| patches.iter().map(move |patch| (rank, patch)));
        let mut all: Vec<(usize, &Patch)> = all.filter(|(_, patch)| !patch.is_empty()).collect();
        all.sort_by_key(|(rank, patch)| (patch.rows.range().start, *rank));
        let mut covered = 0_u128;
        for (index, &(rank, patch)) in all.iter().enumerate() {
            patch.check(rank)?;
            let (rows, cols) = (patch.rows.range(), patch.cols.range());
            if rows.end > self.rows || cols.end > self.cols {
                return Err(LayoutError::Outside {
                    rank,
                    rows: self.rows,
                    cols: self.cols,
                });
            }
            let near = all[index + 1..]
                .iter()
                .take_while(|(_, other)| other.rows.range().start < rows.end);
            for &(second, other) in near {
                if patch.overlap(other) > 0 {
                    return Err(LayoutError::OwnedTwice {
                        first: rank,
                        second,
                    });
                }
            }
            covered += patch.words();
        }
        match u128::from(self.rows) * u128::from(self.cols) - covered {
            0 => Ok(()),
            missing => Err(LayoutError::NotOwned { missing }),
        }
    }
}

/// Rectangles stored one after another.
fn stacked(rects: &[Rect], order: Order) -> Vec<Patch> {
    let mut offset = 0_u64;
    let mut patches = Vec::with_capacity(rects.len());
    for rect in rects.iter().filter(|rect| !rect.is_empty()) {
        let lead = match order {
            Order::ColumnMajor => rect.height(),
            Order::RowMajor => rect.width(),
        };
        patches.push(Patch::rectangle(rect, offset, order, lead));
        // A rectangle that does not fit in 64 bits cannot be inside a matrix that somebody stores.
        offset = offset.saturating_add(u64::try_from(rect.words()).unwrap_or(u64::MAX));
    }
    patches
}
