//! ScaLAPACK's layout: blocks of rows and columns dealt out to a grid of processes.
//!
//! ```text
//! descriptor: [1, context, M, N, MB, NB, RSRC, CSRC, LLD]
//! element (i, j) is on process row (i / MB + RSRC) mod P and process column (j / NB + CSRC) mod Q, at local
//! place (lᵢ, lⱼ) of a column-major array with leading dimension LLD, where lᵢ and lⱼ count the local rows above
//! and the local columns to the left
//! ```

use super::{Layout, LayoutError, MAX_LENGTH, Order, Patch, Stripe};

/// A two-dimensional grid of ranks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProcessGrid {
    rows: usize,
    cols: usize,
    /// Rank of process (x, y) at `x * cols + y`.
    places: Vec<usize>,
    /// Number of ranks, with those outside of the grid.
    ranks: usize,
}

impl ProcessGrid {
    /// A grid of the first rows × cols of `ranks` ranks, numbered along its rows or along its columns.
    pub fn new(
        rows: usize,
        cols: usize,
        ranks: usize,
        order: Order,
    ) -> Result<ProcessGrid, LayoutError> {
        let place = |x: usize, y: usize| match order {
            Order::RowMajor => x * cols + y,
            Order::ColumnMajor => y * rows + x,
        };
        let within = rows.checked_mul(cols).is_some_and(|count| count <= ranks);
        let places = if within {
            (0..rows)
                .flat_map(|x| (0..cols).map(move |y| place(x, y)))
                .collect()
        } else {
            Vec::new()
        };
        ProcessGrid::with_places(rows, cols, places, ranks)
    }

    /// A grid with given ranks: process (x, y) is rank `places[x * cols + y]`.
    pub fn with_places(
        rows: usize,
        cols: usize,
        places: Vec<usize>,
        ranks: usize,
    ) -> Result<ProcessGrid, LayoutError> {
        let refused = |reason| {
            Err(LayoutError::ProcessGrid {
                rows,
                cols,
                ranks,
                reason,
            })
        };
        match rows.checked_mul(cols) {
            None | Some(0) => return refused("it must have at least one process"),
            Some(count) if count > ranks => return refused("there are not enough ranks"),
            Some(count) if count != places.len() => return refused("some processes have no rank"),
            Some(_) => {}
        }
        let mut taken = vec![false; ranks];
        for &place in &places {
            match taken.get_mut(place) {
                Some(free) if !*free => *free = true,
                Some(_) => return refused("a rank has two places"),
                None => return refused("it names a rank that does not exist"),
            }
        }
        Ok(ProcessGrid {
            rows,
            cols,
            places,
            ranks,
        })
    }

    /// Number of process rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of process columns.
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// The rank of process (x, y).
    pub fn rank(&self, x: usize, y: usize) -> Option<usize> {
        if y < self.cols {
            self.places.get(x * self.cols + y).copied()
        } else {
            None
        }
    }
}

/// What a ScaLAPACK descriptor says of a matrix, but for its context and its local leading dimension, which
/// differ between ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Descriptor {
    /// Rows of the matrix.
    pub m: u64,
    /// Columns of the matrix.
    pub n: u64,
    /// Rows of a block.
    pub mb: u64,
    /// Columns of a block.
    pub nb: u64,
    /// Process row of the first block.
    pub rsrc: usize,
    /// Process column of the first block.
    pub csrc: usize,
}

/// Names of the entries of a descriptor.
const NAMES: [&str; 9] = ["DTYPE", "CTXT", "M", "N", "MB", "NB", "RSRC", "CSRC", "LLD"];

impl Descriptor {
    /// Reads the nine integers and checks them against the grid; the second value is LLD.
    pub fn read(entries: &[i32; 9], grid: &ProcessGrid) -> Result<(Descriptor, u64), LayoutError> {
        let entry = |index: usize, least: i64, bound: usize, reason| {
            let value = i64::from(entries[index]);
            let below = u64::try_from(value).is_ok_and(|value| value < bound as u64);
            if value >= least && below {
                return Ok(value as u64);
            }
            Err(LayoutError::Descriptor {
                entry: index + 1,
                name: NAMES[index],
                value,
                reason,
            })
        };
        entry(0, 1, 2, "only dense matrices, type 1, are known")?;
        let descriptor = Descriptor {
            m: entry(2, 0, usize::MAX, "it must not be negative")?,
            n: entry(3, 0, usize::MAX, "it must not be negative")?,
            mb: entry(4, 1, usize::MAX, "it must be positive")?,
            nb: entry(5, 1, usize::MAX, "it must be positive")?,
            rsrc: entry(6, 0, grid.rows, "it must be a row of the process grid")? as usize,
            csrc: entry(7, 0, grid.cols, "it must be a column of the process grid")? as usize,
        };
        Ok((descriptor, entry(8, 1, usize::MAX, "it must be positive")?))
    }

    /// Number of rows that process row x holds: ScaLAPACK's `numroc`.
    pub fn local_rows(&self, grid: &ProcessGrid, x: usize) -> u64 {
        deal(self.m, self.mb, grid.rows, x, self.rsrc).len()
    }

    /// Number of columns that process column y holds.
    pub fn local_cols(&self, grid: &ProcessGrid, y: usize) -> u64 {
        deal(self.n, self.nb, grid.cols, y, self.csrc).len()
    }

    /// The layout, with dense local arrays except where `lead` names a larger leading dimension for a rank.
    ///
    /// A rank must know its own leading dimension only: those of others do not change what is moved.
    pub fn layout(
        &self,
        grid: &ProcessGrid,
        lead: impl Fn(usize) -> Option<u64>,
    ) -> Result<Layout, LayoutError> {
        self.check(grid)?;
        let mut patches = vec![Vec::new(); grid.ranks];
        for x in 0..grid.rows {
            let rows = deal(self.m, self.mb, grid.rows, x, self.rsrc);
            for y in 0..grid.cols {
                let cols = deal(self.n, self.nb, grid.cols, y, self.csrc);
                let Some(rank) = grid.rank(x, y) else {
                    continue;
                };
                let dense = rows.len().max(1);
                let lead = lead(rank).unwrap_or(dense);
                if lead < dense {
                    let (entry, name, value) =
                        (9, NAMES[8], i64::try_from(lead).unwrap_or(i64::MAX));
                    let reason = "it is less than the number of local rows";
                    return Err(LayoutError::Descriptor {
                        entry,
                        name,
                        value,
                        reason,
                    });
                }
                let patch = Patch::new(rows.clone(), cols, 0, Order::ColumnMajor, lead);
                if !patch.is_empty() {
                    patch.check(rank)?;
                    patches[rank].push(patch);
                }
            }
        }
        // Every index is dealt to exactly one process, so there is nothing to check.
        Ok(Layout {
            rows: self.m,
            cols: self.n,
            patches,
        })
    }

    /// The rows and columns, counted from 0, of the m×n sub-matrix whose corner is element (ia, ja), counted
    /// from 1. A sub-matrix without elements may lie anywhere.
    pub fn sub_matrix(
        layout: &Layout,
        ia: u64,
        ja: u64,
        m: u64,
        n: u64,
    ) -> Result<Layout, LayoutError> {
        if m == 0 || n == 0 {
            return Ok(layout.part(0..0, 0..0)?.mapped(m, n, Patch::clone));
        }
        let range = |first: u64, length: u64| {
            let start = first.checked_sub(1)?;
            Some(start..start.checked_add(length)?)
        };
        match (range(ia, m), range(ja, n)) {
            (Some(rows), Some(cols)) => layout.part(rows, cols),
            _ => {
                let (rows, cols) = (format!("{ia} (+{m})"), format!("{ja} (+{n})"));
                Err(LayoutError::SubMatrix { rows, cols })
            }
        }
    }

    fn check(&self, grid: &ProcessGrid) -> Result<(), LayoutError> {
        for (what, value) in [
            ("the number of rows", self.m),
            ("the number of columns", self.n),
        ] {
            if value > MAX_LENGTH {
                return Err(LayoutError::TooLarge { what, value });
            }
        }
        for (entry, value, members) in [(5, self.mb, grid.rows), (6, self.nb, grid.cols)] {
            let period = value.checked_mul(members as u64);
            if value == 0 || period.is_none_or(|period| period > MAX_LENGTH) {
                let (name, value) = (NAMES[entry - 1], i64::try_from(value).unwrap_or(i64::MAX));
                let reason = "it must be positive, and less than 2^62 in a round of the grid";
                return Err(LayoutError::Descriptor {
                    entry,
                    name,
                    value,
                    reason,
                });
            }
        }
        for (entry, source, members) in [(7, self.rsrc, grid.rows), (8, self.csrc, grid.cols)] {
            if source >= members {
                let (name, value) = (NAMES[entry - 1], i64::try_from(source).unwrap_or(i64::MAX));
                let reason = "it must be in the process grid";
                return Err(LayoutError::Descriptor {
                    entry,
                    name,
                    value,
                    reason,
                });
            }
        }
        Ok(())
    }
}

fn deal(length: u64, block: u64, members: usize, place: usize, source: usize) -> Stripe {
    Stripe::dealt(length, block, members as u64, place as u64, source as u64)
}
