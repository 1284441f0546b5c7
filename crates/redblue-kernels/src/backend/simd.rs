//! Products by the crate `gemm`, which picks its kernel when the program runs.

use crate::scalar::Scalar;
use crate::view::{MatMut, MatRef};

/// `C += alpha·A·B`.
pub(super) fn accumulate<T: Scalar>(
    alpha: T,
    a: MatRef<'_, T>,
    b: MatRef<'_, T>,
    mut c: MatMut<'_, T>,
) {
    let (left, right, out) = (a.frame(), b.frame(), c.frame());
    let stride = |stride: usize| stride as isize;
    // SAFETY: the views guarantee that every element of their frames lies inside their slices, `c` is not aliased, and
    // `accumulate` is only called with matching sizes.
    unsafe {
        gemm::gemm(
            out.rows,
            out.cols,
            left.cols,
            c.as_mut_ptr(),
            stride(out.col_stride),
            stride(out.row_stride),
            true,
            a.as_ptr(),
            stride(left.col_stride),
            stride(left.row_stride),
            b.as_ptr(),
            stride(right.col_stride),
            stride(right.row_stride),
            T::ONE,
            alpha,
            false,
            false,
            false,
            gemm::Parallelism::None,
        );
    }
}
