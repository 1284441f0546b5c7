//! The element types of matrices.

use num_complex::Complex;
use redblue_dist::comm::Word;

use crate::backend::blas::BlasScalar;

/// An element type that local products and messages both know.
pub trait Scalar: Word + BlasScalar {
    /// Neutral for sums.
    const ZERO: Self;
    /// Neutral for products.
    const ONE: Self;

    /// Product of two elements.
    #[must_use]
    fn times(self, other: Self) -> Self;

    /// The real number as an element.
    fn from_real(value: f64) -> Self;

    /// The number with these parts as an element; real types drop the imaginary part.
    fn from_parts(real: f64, imaginary: f64) -> Self;

    /// The element with twice the precision, or the same if it has that already.
    fn widen(self) -> Complex<f64>;

    /// Absolute value.
    fn modulus(self) -> f64;

    /// The distance from 1 to the next larger element.
    fn epsilon() -> f64;
}

macro_rules! real {
    ($type:ty) => {
        impl Scalar for $type {
            const ZERO: Self = 0.0;
            const ONE: Self = 1.0;

            fn times(self, other: Self) -> Self {
                self * other
            }

            fn from_real(value: f64) -> Self {
                value as $type
            }

            fn from_parts(real: f64, _: f64) -> Self {
                real as $type
            }

            fn widen(self) -> Complex<f64> {
                Complex::new(f64::from(self), 0.0)
            }

            fn modulus(self) -> f64 {
                f64::from(self.abs())
            }

            fn epsilon() -> f64 {
                f64::from(<$type>::EPSILON)
            }
        }

        impl Scalar for Complex<$type> {
            const ZERO: Self = Complex::new(0.0, 0.0);
            const ONE: Self = Complex::new(1.0, 0.0);

            fn times(self, other: Self) -> Self {
                self * other
            }

            fn from_real(value: f64) -> Self {
                Complex::new(value as $type, 0.0)
            }

            fn from_parts(real: f64, imaginary: f64) -> Self {
                Complex::new(real as $type, imaginary as $type)
            }

            fn widen(self) -> Complex<f64> {
                Complex::new(f64::from(self.re), f64::from(self.im))
            }

            fn modulus(self) -> f64 {
                f64::from(self.norm())
            }

            fn epsilon() -> f64 {
                f64::from(<$type>::EPSILON)
            }
        }
    };
}

real!(f32);
real!(f64);
