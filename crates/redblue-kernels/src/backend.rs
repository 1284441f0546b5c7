//! Local products: `C = alpha·A·B + beta·C` on one thread, by whichever code is best here.

pub mod blas;
mod reference;
mod simd;

use std::fmt;
use std::sync::Arc;

use crate::scalar::Scalar;
use crate::view::{MatMut, MatRef};
use blas::Blas;

/// Who multiplies.
#[derive(Clone, Debug, Default)]
pub enum Backend {
    /// Three loops: what the others are compared with.
    Reference,
    /// Vector kernels chosen for this processor at run time.
    #[default]
    Simd,
    /// A BLAS library loaded at run time.
    Blas(Arc<Blas>),
}

impl Backend {
    /// `C = alpha·A·B + beta·C`, where `C` is not read if `beta` is zero. Nothing happens if the sizes do not match, which
    /// callers of this crate ensure, or if one is zero.
    pub(crate) fn update<T: Scalar>(
        &self,
        factors: [T; 2],
        a: MatRef<'_, T>,
        b: MatRef<'_, T>,
        c: MatMut<'_, T>,
    ) {
        let (left, right, out) = (a.frame(), b.frame(), c.frame());
        debug_assert!(left.rows == out.rows && right.cols == out.cols && left.cols == right.rows);
        if left.rows != out.rows || right.cols != out.cols || left.cols != right.rows {
            return;
        }
        if out.rows == 0 || out.cols == 0 || left.cols == 0 {
            return;
        }
        match self {
            Backend::Reference => reference::update(factors, a, b, c),
            Backend::Simd => simd::update(factors, a, b, c),
            Backend::Blas(blas) => blas.update(factors, a, b, c),
        }
    }
}

impl fmt::Display for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Backend::Reference => f.write_str("reference"),
            Backend::Simd => f.write_str("simd"),
            Backend::Blas(blas) => write!(f, "blas ({})", blas.description()),
        }
    }
}
