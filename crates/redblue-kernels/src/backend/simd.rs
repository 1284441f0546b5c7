//! Products by the crate `gemm`, which picks its kernel when the program runs.

use crate::scalar::Scalar;
use crate::view::{MatMut, MatRef};

/// `C = alpha·A·B + beta·C`.
pub(super) fn update<T: Scalar>(
    [alpha, beta]: [T; 2],
    a: MatRef<'_, T>,
    b: MatRef<'_, T>,
    mut c: MatMut<'_, T>,
) {
    let (left, right, out) = (a.frame(), b.frame(), c.frame());
    let stride = |stride: usize| stride as isize;
    // SAFETY: the views guarantee that every element of their frames lies inside their slices, `c` is not aliased, and
    // `update` is only called with matching sizes.
    unsafe {
        gemm::gemm(
            out.rows,
            out.cols,
            left.cols,
            c.as_mut_ptr(),
            stride(out.col_stride),
            stride(out.row_stride),
            beta != T::ZERO,
            a.as_ptr(),
            stride(left.col_stride),
            stride(left.row_stride),
            b.as_ptr(),
            stride(right.col_stride),
            stride(right.row_stride),
            beta,
            alpha,
            false,
            false,
            false,
            gemm::Parallelism::None,
        );
    }
}
