//! What a message is made of: the four element types of matrices, and integers for control.

use std::fmt::Debug;

use num_complex::Complex;

/// Which [`Word`] a message carries, so that the two ends can be compared at run time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// `f32`.
    F32,
    /// `f64`.
    F64,
    /// `Complex<f32>`.
    C32,
    /// `Complex<f64>`.
    C64,
    /// `u64`, for control: agreement on arguments, barriers, counts.
    U64,
}

/// One word of a message.
///
/// Sealed: every implementor is plain data without padding or invalid bit patterns, which is what allows a
/// back-end to move words as bytes.
pub trait Word: Copy + Debug + Default + PartialEq + Send + Sync + sealed::Plain + 'static {
    /// The run-time name of the type.
    const KIND: Kind;

    /// Sum, as an accumulation into a window or a reduction forms it. Integers wrap around.
    #[must_use]
    fn plus(self, other: Self) -> Self;

    /// Complex conjugate; the word itself for real types.
    #[must_use]
    fn conjugate(self) -> Self;
}

mod sealed {
    pub trait Plain {}
}

macro_rules! word {
    ($type:ty, $kind:ident, $plus:expr, $conjugate:expr) => {
        impl sealed::Plain for $type {}

        impl Word for $type {
            const KIND: Kind = Kind::$kind;

            fn plus(self, other: Self) -> Self {
                $plus(self, other)
            }

            fn conjugate(self) -> Self {
                $conjugate(self)
            }
        }
    };
}

word!(f32, F32, |a, b| a + b, |a| a);
word!(f64, F64, |a, b| a + b, |a| a);
word!(Complex<f32>, C32, |a, b| a + b, |a: Self| a.conj());
word!(Complex<f64>, C64, |a, b| a + b, |a: Self| a.conj());
word!(u64, U64, u64::wrapping_add, |a| a);
