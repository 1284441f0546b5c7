//! Three loops.

use crate::scalar::Scalar;
use crate::view::{MatMut, MatRef};

/// `C = alpha·A·B + beta·C`.
pub(super) fn update<T: Scalar>(
    [alpha, beta]: [T; 2],
    a: MatRef<'_, T>,
    b: MatRef<'_, T>,
    mut c: MatMut<'_, T>,
) {
    let depth = a.frame().cols;
    for i in 0..c.frame().rows {
        for j in 0..c.frame().cols {
            let sum = (0..depth).fold(T::ZERO, |sum, p| sum.plus(a.at(i, p).times(b.at(p, j))));
            let cell = c.at(i, j);
            let old = match beta == T::ZERO {
                true => T::ZERO,
                false => beta.times(*cell),
            };
            *cell = old.plus(alpha.times(sum));
        }
    }
}
