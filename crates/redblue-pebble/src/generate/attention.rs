//! Attention `softmax(Q·Kᵀ)·V` with Q, K, V of size N×d (theory A-2).
//!
//! Products and left-to-right sums are vertices, as are the exponentials, the row sums with their
//! inverses, and the final scaling. No running maximum: it changes no vertex the bounds count.

use super::input_matrix;
use crate::builder::Builder;
use crate::cdag::{Cdag, Vertex};
use crate::error::Error;

/// The attention graph for `n` rows and head dimension `d`.
///
/// # Errors
/// Never for sizes that fit in memory.
pub fn attention(n: usize, d: usize) -> Result<Cdag, Error> {
    let mut builder = Builder::new();
    let q = input_matrix(&mut builder, "Q", n, d);
    let k = input_matrix(&mut builder, "K", n, d);
    let v = input_matrix(&mut builder, "V", n, d);
    for i in 0..n {
        let mut weights: Vec<Vertex> = Vec::new();
        for j in 0..n {
            let terms: Vec<Vertex> = (0..d)
                .map(|l| builder.compute(format!("P[{i},{j},{l}]"), &[q[i][l], k[j][l]]))
                .collect();
            if let Some(score) = builder.sum(&format!("S[{i},{j}]"), &terms) {
                weights.push(builder.compute(format!("E[{i},{j}]"), &[score]));
            }
        }
        let Some(total) = builder.sum(&format!("D[{i}]"), &weights) else {
            continue;
        };
        let inverse = builder.compute(format!("1/D[{i}]"), &[total]);
        for c in 0..d {
            let terms: Vec<Vertex> = (0..n)
                .map(|j| builder.compute(format!("W[{i},{j},{c}]"), &[weights[j], v[j][c]]))
                .collect();
            if let Some(sum) = builder.sum(&format!("AV[{i},{c}]"), &terms) {
                let result = builder.compute(format!("O[{i},{c}]"), &[sum, inverse]);
                builder.output(result);
            }
        }
    }
    builder.build()
}
