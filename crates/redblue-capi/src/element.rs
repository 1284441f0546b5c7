//! The four types of ScaLAPACK, with the names of their products.

use num_complex::Complex;
use redblue_kernels::Scalar;

/// An element type of ScaLAPACK.
pub trait Element: Scalar {
    /// The routine, as messages name it.
    const ROUTINE: &'static str;
    /// The same in Fortran's most common mangling, with a terminating zero.
    const SYMBOL: &'static std::ffi::CStr;

    /// The bits of a number, to be compared between ranks.
    fn bits(self) -> [u64; 2];
}

impl Element for f32 {
    const ROUTINE: &'static str = "PSGEMM";
    const SYMBOL: &'static std::ffi::CStr = c"psgemm_";

    fn bits(self) -> [u64; 2] {
        [self.to_bits().into(), 0]
    }
}

impl Element for f64 {
    const ROUTINE: &'static str = "PDGEMM";
    const SYMBOL: &'static std::ffi::CStr = c"pdgemm_";

    fn bits(self) -> [u64; 2] {
        [self.to_bits(), 0]
    }
}

impl Element for Complex<f32> {
    const ROUTINE: &'static str = "PCGEMM";
    const SYMBOL: &'static std::ffi::CStr = c"pcgemm_";

    fn bits(self) -> [u64; 2] {
        [self.re.to_bits().into(), self.im.to_bits().into()]
    }
}

impl Element for Complex<f64> {
    const ROUTINE: &'static str = "PZGEMM";
    const SYMBOL: &'static std::ffi::CStr = c"pzgemm_";

    fn bits(self) -> [u64; 2] {
        [self.re.to_bits(), self.im.to_bits()]
    }
}
