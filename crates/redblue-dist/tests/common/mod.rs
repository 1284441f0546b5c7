//! Checks that hold on every back-end: each is carried out by all ranks of the communicator it is given.
#![allow(
    dead_code,
    unreachable_pub,
    reason = "every test binary uses some of them"
)]

pub mod collectives;
pub mod exchanges;
pub mod layouts;
pub mod one_sided;
pub mod redistributions;
pub mod splits;

use num_complex::Complex;
use redblue_dist::comm::Word;

/// Words made from small integers, so that sums are exact in any order.
pub trait Sample: Word {
    /// A word that tells where it comes from.
    fn sample(value: u64) -> Self;
}

impl Sample for f32 {
    fn sample(value: u64) -> Self {
        (value % 4096) as f32
    }
}

impl Sample for f64 {
    fn sample(value: u64) -> Self {
        (value % (1 << 40)) as f64
    }
}

impl Sample for Complex<f32> {
    fn sample(value: u64) -> Self {
        Complex::new(f32::sample(value), f32::sample(value + 1))
    }
}

impl Sample for Complex<f64> {
    fn sample(value: u64) -> Self {
        Complex::new(f64::sample(value), f64::sample(value + 1))
    }
}
