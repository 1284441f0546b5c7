//! The iteration space of a matrix product, boxes inside it, and rectangles of its matrices.
//!
//! `C = A·B` with `A` m×k, `B` k×n and `C` m×n is the set of m·n·k products. A rank works on a [`Brick`] of
//! them; the three faces of the brick are the [`Rect`]s of `A`, `B` and `C` it touches (C-1, C-15):
//!
//! ```text
//!            n
//!         ┌─────┐
//!       k │  B  │          Matrix   rows   cols
//!         └─────┘          A        m      k
//!   ┌───┐ ┌─────┐          B        k      n
//! m │ A │ │  C  │          C        m      n
//!   └───┘ └─────┘
//!     k      n
//! ```
//!
//! Indices are 0-based, ranges half-open, lengths 64-bit, products of lengths 128-bit. Zero lengths are legal.

use std::fmt;
use std::ops::Range;

/// One of the three dimensions of a matrix product.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Axis {
    /// Rows of `A` and `C`.
    M,
    /// Columns of `B` and `C`.
    N,
    /// The summed dimension.
    K,
}

impl Axis {
    /// The three axes in the order m, n, k.
    pub const ALL: [Axis; 3] = [Axis::M, Axis::N, Axis::K];

    /// Position in `[m, n, k]`.
    pub fn index(self) -> usize {
        self as usize
    }
}

impl fmt::Display for Axis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Axis::M => "m",
            Axis::N => "n",
            Axis::K => "k",
        })
    }
}

/// One of the three matrices; each is a face of the iteration space.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Matrix {
    /// The left operand, m×k.
    A,
    /// The right operand, k×n.
    B,
    /// The result, m×n.
    C,
}

impl Matrix {
    /// The three matrices.
    pub const ALL: [Matrix; 3] = [Matrix::A, Matrix::B, Matrix::C];

    /// Position in `[A, B, C]`.
    pub fn index(self) -> usize {
        self as usize
    }

    /// The axes of its rows and columns.
    pub fn axes(self) -> (Axis, Axis) {
        match self {
            Matrix::A => (Axis::M, Axis::K),
            Matrix::B => (Axis::K, Axis::N),
            Matrix::C => (Axis::M, Axis::N),
        }
    }

    /// The axis it does not have: bricks that differ only along it use the same words of the matrix.
    pub fn missing(self) -> Axis {
        match self {
            Matrix::A => Axis::N,
            Matrix::B => Axis::M,
            Matrix::C => Axis::K,
        }
    }
}

impl fmt::Display for Matrix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Matrix::A => "A",
            Matrix::B => "B",
            Matrix::C => "C",
        })
    }
}

/// Sizes of a matrix product, or of a brick in one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Shape {
    /// Rows of `A` and `C`.
    pub m: u64,
    /// Columns of `B` and `C`.
    pub n: u64,
    /// Columns of `A`, rows of `B`.
    pub k: u64,
}

impl Shape {
    /// The product of an m×k and a k×n matrix.
    pub fn new(m: u64, n: u64, k: u64) -> Shape {
        Shape { m, n, k }
    }

    /// Length along one axis.
    pub fn length(&self, axis: Axis) -> u64 {
        match axis {
            Axis::M => self.m,
            Axis::N => self.n,
            Axis::K => self.k,
        }
    }

    /// The lengths in the order m, n, k.
    pub fn lengths(&self) -> [u64; 3] {
        [self.m, self.n, self.k]
    }

    /// The same shape with another length along one axis.
    pub fn with(&self, axis: Axis, length: u64) -> Shape {
        let mut shape = *self;
        match axis {
            Axis::M => shape.m = length,
            Axis::N => shape.n = length,
            Axis::K => shape.k = length,
        }
        shape
    }

    /// Whether there is no product to compute.
    pub fn is_empty(&self) -> bool {
        self.m == 0 || self.n == 0 || self.k == 0
    }

    /// Number of products; saturates where it exceeds 128 bits (sizes beyond 2^42 along every axis).
    pub fn work(&self) -> u128 {
        let face = u128::from(self.m) * u128::from(self.n);
        face.saturating_mul(u128::from(self.k))
    }

    /// Words of one matrix.
    pub fn face(&self, matrix: Matrix) -> u128 {
        let (rows, cols) = matrix.axes();
        u128::from(self.length(rows)) * u128::from(self.length(cols))
    }

    /// Words of the three matrices together.
    pub fn words(&self) -> u128 {
        Matrix::ALL.iter().fold(0, |sum: u128, &matrix| {
            sum.saturating_add(self.face(matrix))
        })
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}×{}×{}", self.m, self.n, self.k)
    }
}

/// A rectangle of a matrix.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Rect {
    /// Its rows.
    pub rows: Range<u64>,
    /// Its columns.
    pub cols: Range<u64>,
}

impl Rect {
    /// The rectangle of these rows and columns.
    pub fn new(rows: Range<u64>, cols: Range<u64>) -> Rect {
        Rect { rows, cols }
    }

    /// Number of rows.
    pub fn height(&self) -> u64 {
        self.rows.end.saturating_sub(self.rows.start)
    }

    /// Number of columns.
    pub fn width(&self) -> u64 {
        self.cols.end.saturating_sub(self.cols.start)
    }

    /// Number of elements.
    pub fn words(&self) -> u128 {
        u128::from(self.height()) * u128::from(self.width())
    }

    /// Whether it has no element.
    pub fn is_empty(&self) -> bool {
        self.height() == 0 || self.width() == 0
    }

    /// The common part, possibly empty.
    pub fn intersect(&self, other: &Rect) -> Rect {
        Rect::new(
            common(&self.rows, &other.rows),
            common(&self.cols, &other.cols),
        )
    }
}

impl fmt::Display for Rect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (rows, cols) = (&self.rows, &self.cols);
        write!(
            f,
            "[{}..{}, {}..{}]",
            rows.start, rows.end, cols.start, cols.end
        )
    }
}

/// A box of products.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Brick {
    /// Range along m.
    pub m: Range<u64>,
    /// Range along n.
    pub n: Range<u64>,
    /// Range along k.
    pub k: Range<u64>,
}

impl Brick {
    /// The whole product.
    pub fn whole(shape: Shape) -> Brick {
        Brick {
            m: 0..shape.m,
            n: 0..shape.n,
            k: 0..shape.k,
        }
    }

    /// Range along one axis.
    pub fn range(&self, axis: Axis) -> Range<u64> {
        match axis {
            Axis::M => self.m.clone(),
            Axis::N => self.n.clone(),
            Axis::K => self.k.clone(),
        }
    }

    /// The same brick with another range along one axis.
    pub fn with(&self, axis: Axis, range: Range<u64>) -> Brick {
        let mut brick = self.clone();
        match axis {
            Axis::M => brick.m = range,
            Axis::N => brick.n = range,
            Axis::K => brick.k = range,
        }
        brick
    }

    /// The lengths of the brick.
    pub fn shape(&self) -> Shape {
        let length = |range: &Range<u64>| range.end.saturating_sub(range.start);
        Shape::new(length(&self.m), length(&self.n), length(&self.k))
    }

    /// Whether it has no product; then its faces are empty too, whatever their ranges say.
    pub fn is_empty(&self) -> bool {
        self.shape().is_empty()
    }

    /// The part of a matrix that the brick touches; nothing of any matrix when it has no product.
    pub fn face(&self, matrix: Matrix) -> Rect {
        let (rows, cols) = matrix.axes();
        let (rows, cols) = (self.range(rows), self.range(cols));
        if self.is_empty() {
            return Rect::new(rows.start..rows.start, cols.start..cols.start);
        }
        Rect::new(rows, cols)
    }

    /// Words of the three faces together: what a rank touches that computes this brick.
    pub fn surface(&self) -> u128 {
        if self.is_empty() {
            0
        } else {
            self.shape().words()
        }
    }
}

impl fmt::Display for Brick {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (m, n, k) = (&self.m, &self.n, &self.k);
        write!(
            f,
            "[{}..{}, {}..{}, {}..{}]",
            m.start, m.end, n.start, n.end, k.start, k.end
        )
    }
}

/// The common part of two ranges, empty as `start..start`.
pub(crate) fn common(a: &Range<u64>, b: &Range<u64>) -> Range<u64> {
    let start = a.start.max(b.start);
    start..a.end.min(b.end).max(start)
}
