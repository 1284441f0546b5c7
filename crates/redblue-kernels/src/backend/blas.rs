//! A BLAS library that is loaded when the program runs, if the user asks for one.
//!
//! The library is used through its Fortran interface with 32-bit integers. Matrices whose elements are not contiguous
//! along one dimension, and sizes beyond 32 bits, go to the built-in kernels.

use std::ffi::c_char;
use std::fmt;

use libloading::Library;
use num_complex::Complex;
use thiserror::Error;

use super::simd;
use crate::scalar::Scalar;
use crate::view::{Frame, MatMut, MatRef};

/// Why a library cannot be used.
#[derive(Debug, Error)]
#[error("{name}: {reason}")]
pub struct BlasError {
    name: String,
    reason: String,
}

type Gemm<T> = unsafe extern "C" fn(
    *const c_char,
    *const c_char,
    *const i32,
    *const i32,
    *const i32,
    *const T,
    *const T,
    *const i32,
    *const T,
    *const i32,
    *const T,
    *mut T,
    *const i32,
);

/// A loaded library.
pub struct Blas {
    name: String,
    sgemm: Gemm<f32>,
    dgemm: Gemm<f64>,
    cgemm: Gemm<Complex<f32>>,
    zgemm: Gemm<Complex<f64>>,
    // Last, so that the functions above never outlive it.
    _library: Library,
}

impl Blas {
    /// Loads the library with this file name, for example `libopenblas.so.0`.
    pub fn load(name: &str) -> Result<Blas, BlasError> {
        let failed = |error: libloading::Error| BlasError {
            name: name.to_owned(),
            reason: error.to_string(),
        };
        // SAFETY: the user names a BLAS library; its initialisers and the four functions have the standard meaning.
        unsafe {
            let library = Library::new(name).map_err(failed)?;
            Ok(Blas {
                name: name.to_owned(),
                sgemm: *library.get(b"sgemm_").map_err(failed)?,
                dgemm: *library.get(b"dgemm_").map_err(failed)?,
                cgemm: *library.get(b"cgemm_").map_err(failed)?,
                zgemm: *library.get(b"zgemm_").map_err(failed)?,
                _library: library,
            })
        }
    }

    /// What was loaded.
    pub fn description(&self) -> &str {
        &self.name
    }

    /// `C = alpha·A·B + beta·C`.
    pub(super) fn update<T: Scalar>(
        &self,
        [alpha, beta]: [T; 2],
        a: MatRef<'_, T>,
        b: MatRef<'_, T>,
        mut c: MatMut<'_, T>,
    ) {
        let (left, right, out) = (a.frame(), b.frame(), c.frame());
        // Fortran stores columns; a result stored by rows is computed as its transpose.
        let by_columns = out.row_stride == 1;
        let call = if by_columns {
            Call::of(left, right, out)
        } else {
            Call::of(flip(right), flip(left), flip(out))
        };
        let Some(call) = call else {
            return simd::update([alpha, beta], a, b, c);
        };
        let (first, second) = if by_columns {
            (a.as_ptr(), b.as_ptr())
        } else {
            (b.as_ptr(), a.as_ptr())
        };
        // SAFETY: `Call::of` translated frames that fit their slices into the arguments of the same matrices.
        unsafe {
            T::gemm(self)(
                &call.transpose[0],
                &call.transpose[1],
                &call.sizes[0],
                &call.sizes[1],
                &call.sizes[2],
                &alpha,
                first,
                &call.leading[0],
                second,
                &call.leading[1],
                &beta,
                c.as_mut_ptr(),
                &call.leading[2],
            );
        }
    }
}

/// Arguments of a call in Fortran's terms.
struct Call {
    transpose: [c_char; 2],
    sizes: [i32; 3],
    leading: [i32; 3],
}

impl Call {
    fn of(a: Frame, b: Frame, c: Frame) -> Option<Call> {
        let (ta, la) = operand(a)?;
        let (tb, lb) = operand(b)?;
        let (tc, lc) = operand(c)?;
        let number = |value: usize| i32::try_from(value).ok();
        let straight = b'N' as c_char;
        (tc == straight).then_some(())?;
        Some(Call {
            transpose: [ta, tb],
            sizes: [number(c.rows)?, number(c.cols)?, number(a.cols)?],
            leading: [number(la)?, number(lb)?, number(lc)?],
        })
    }
}

/// Whether a matrix is stored by columns (`N`) or by rows (`T`), and its leading dimension.
fn operand(frame: Frame) -> Option<(c_char, usize)> {
    let Frame {
        rows,
        cols,
        row_stride,
        col_stride,
    } = frame;
    if (row_stride == 1 || rows == 1) && (col_stride >= rows || cols == 1) {
        return Some((b'N' as c_char, col_stride.max(rows)));
    }
    let by_rows = (col_stride == 1 || cols == 1) && (row_stride >= cols || rows == 1);
    by_rows.then_some((b'T' as c_char, row_stride.max(cols)))
}

fn flip(frame: Frame) -> Frame {
    Frame {
        rows: frame.cols,
        cols: frame.rows,
        row_stride: frame.col_stride,
        col_stride: frame.row_stride,
    }
}

/// The function of a library for an element type.
pub trait BlasScalar: Sized {
    /// `?gemm_`.
    #[doc(hidden)]
    fn gemm(blas: &Blas) -> Gemm<Self>;
}

macro_rules! function {
    ($type:ty, $field:ident) => {
        impl BlasScalar for $type {
            fn gemm(blas: &Blas) -> Gemm<Self> {
                blas.$field
            }
        }
    };
}

function!(f32, sgemm);
function!(f64, dgemm);
function!(Complex<f32>, cgemm);
function!(Complex<f64>, zgemm);

impl fmt::Debug for Blas {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Blas")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}
