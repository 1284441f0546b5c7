//! Views of matrices in memory: a slice, sizes and two strides.
//!
//! A view is only made if every element lies inside its slice, so that back-ends may use raw pointers.

/// Sizes and strides of a view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame {
    /// Number of rows.
    pub rows: usize,
    /// Number of columns.
    pub cols: usize,
    /// Distance between an element and the one below.
    pub row_stride: usize,
    /// Distance between an element and the one to the right.
    pub col_stride: usize,
}

impl Frame {
    /// Number of slice elements from the first to the last element of the matrix.
    fn span(&self) -> Option<usize> {
        if self.rows == 0 || self.cols == 0 {
            return Some(0);
        }
        let down = (self.rows - 1).checked_mul(self.row_stride)?;
        let right = (self.cols - 1).checked_mul(self.col_stride)?;
        down.checked_add(right)?.checked_add(1)
    }

    fn fits(&self, length: usize) -> bool {
        self.span().is_some_and(|span| span <= length)
    }

    /// Whether two elements of the matrix could share a place.
    fn overlaps(&self) -> bool {
        let rows_inside = self.row_stride >= self.cols.saturating_mul(self.col_stride).max(1);
        let cols_inside = self.col_stride >= self.rows.saturating_mul(self.row_stride).max(1);
        self.rows > 1 && self.cols > 1 && !rows_inside && !cols_inside
    }

    /// Where the element in row `i` and column `j` is.
    fn place(&self, i: usize, j: usize) -> usize {
        i * self.row_stride + j * self.col_stride
    }
}

/// A matrix to read.
#[derive(Clone, Copy, Debug)]
pub struct MatRef<'a, T> {
    data: &'a [T],
    frame: Frame,
}

impl<'a, T> MatRef<'a, T> {
    /// The matrix with this frame at the start of a slice; `None` if it does not fit there.
    pub fn new(data: &'a [T], frame: Frame) -> Option<MatRef<'a, T>> {
        frame.fits(data.len()).then_some(MatRef { data, frame })
    }

    /// Sizes and strides.
    pub fn frame(&self) -> Frame {
        self.frame
    }

    /// The first element; valid for reads of the whole frame.
    pub fn as_ptr(&self) -> *const T {
        self.data.as_ptr()
    }
}

impl<T: Copy> MatRef<'_, T> {
    /// The element in row `i` and column `j`.
    pub fn at(&self, i: usize, j: usize) -> T {
        self.data[self.frame.place(i, j)]
    }
}

/// A matrix to write.
#[derive(Debug)]
pub struct MatMut<'a, T> {
    data: &'a mut [T],
    frame: Frame,
}

impl<'a, T> MatMut<'a, T> {
    /// The matrix with this frame at the start of a slice; `None` if it does not fit there or if two of its
    /// elements could be the same place.
    pub fn new(data: &'a mut [T], frame: Frame) -> Option<MatMut<'a, T>> {
        let fits = frame.fits(data.len()) && !frame.overlaps();
        fits.then_some(MatMut { data, frame })
    }

    /// Sizes and strides.
    pub fn frame(&self) -> Frame {
        self.frame
    }

    /// The first element; valid for reads and writes of the whole frame.
    pub fn as_mut_ptr(&mut self) -> *mut T {
        self.data.as_mut_ptr()
    }

    /// The element in row `i` and column `j`.
    pub fn at(&mut self, i: usize, j: usize) -> &mut T {
        &mut self.data[self.frame.place(i, j)]
    }
}
