//! The butterfly network of the fast Fourier transform (theory L-10).

use crate::builder::Builder;
use crate::cdag::{Cdag, Vertex};
use crate::error::Error;

/// The FFT graph on `2^stages` points: vertex `(r, i)` reads `(r-1, i)` and `(r-1, i xor 2^(r-1))`.
///
/// # Errors
/// Never for sizes that fit in memory.
pub fn fft(stages: u32) -> Result<Cdag, Error> {
    let points = 1usize << stages;
    let mut builder = Builder::new();
    let mut rank: Vec<Vertex> = (0..points)
        .map(|i| builder.input(format!("x[{i}]")))
        .collect();
    for r in 0..stages {
        let previous = rank;
        rank = (0..points)
            .map(|i| {
                let operands = [previous[i], previous[i ^ (1 << r)]];
                builder.compute(format!("x{}[{i}]", r + 1), &operands)
            })
            .collect();
    }
    for &v in &rank {
        builder.output(v);
    }
    builder.build()
}
