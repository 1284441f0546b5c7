//! What is wrong with a layout, or between two.

use thiserror::Error;

use crate::comm::CommError;

/// Why a layout or a redistribution is refused.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum LayoutError {
    /// A size is beyond what positions can be computed with.
    #[error("{what} is {value}, more than the 2^62 that layouts can number")]
    TooLarge {
        /// Which size.
        what: &'static str,
        /// Its value.
        value: u64,
    },
    /// An entry of a ScaLAPACK descriptor is illegal.
    #[error("entry {entry} ({name}) of the descriptor is {value}: {reason}")]
    Descriptor {
        /// Its number, from 1.
        entry: usize,
        /// Its name in the ScaLAPACK manual.
        name: &'static str,
        /// Its value.
        value: i64,
        /// What it should be.
        reason: &'static str,
    },
    /// A grid of processes is empty, too large, or names a rank twice.
    #[error("a grid of {rows} × {cols} processes on {ranks} ranks: {reason}")]
    ProcessGrid {
        /// Rows of the grid.
        rows: usize,
        /// Columns of the grid.
        cols: usize,
        /// Number of ranks.
        ranks: usize,
        /// What is wrong.
        reason: &'static str,
    },
    /// Cuts of a grid are not increasing from 0, or the owners do not match them.
    #[error("the {what} of the grid are not as its cuts need")]
    Cuts {
        /// Which: row cuts, column cuts or owners.
        what: &'static str,
    },
    /// A part lies outside of the matrix.
    #[error("rank {rank} has elements outside of the {rows}×{cols} matrix")]
    Outside {
        /// The rank.
        rank: usize,
        /// Rows of the matrix.
        rows: u64,
        /// Columns of the matrix.
        cols: u64,
    },
    /// The distance between columns (or rows) of a part is less than their length.
    #[error(
        "on rank {rank} the leading dimension of a part is less than the length of its columns"
    )]
    Lead {
        /// The rank.
        rank: usize,
    },
    /// Two parts share elements.
    #[error("ranks {first} and {second} both own some of the elements")]
    OwnedTwice {
        /// A rank.
        first: usize,
        /// Another, or the same with two parts that overlap.
        second: usize,
    },
    /// Some elements belong to nobody.
    #[error("{missing} elements belong to no rank")]
    NotOwned {
        /// How many.
        missing: u128,
    },
    /// A sub-matrix does not lie in its matrix.
    #[error("rows {rows} and columns {cols} are not inside the matrix")]
    SubMatrix {
        /// The rows, as text.
        rows: String,
        /// The columns, as text.
        cols: String,
    },
    /// The two sides of a redistribution have different shapes.
    #[error("cannot move a {0}×{1} matrix into a {2}×{3} one")]
    Shapes(u64, u64, u64, u64),
    /// The two layouts, or a layout and a communicator, have different numbers of ranks.
    #[error("{what} has {found} ranks, not {expected}")]
    Ranks {
        /// What has the wrong number.
        what: &'static str,
        /// Its number of ranks.
        found: usize,
        /// The number of ranks of the source layout.
        expected: usize,
    },
    /// Local memory is shorter than the layout says.
    #[error("the {what} memory of rank {rank} has {words} words, its layout needs {needed}")]
    Memory {
        /// Source or target.
        what: &'static str,
        /// The rank.
        rank: usize,
        /// Its length.
        words: usize,
        /// The length needed.
        needed: u64,
    },
    /// New labels of ranks are not a permutation.
    #[error("the labels of ranks are not a permutation")]
    Labels,
    /// The communication ended.
    #[error(transparent)]
    Comm(#[from] CommError),
}
