//! QR factorisations: modified Gram-Schmidt and Householder (theory H, conventions of T-2).

use super::input_matrix;
use crate::builder::Builder;
use crate::cdag::{Cdag, Vertex};
use crate::error::Error;

/// Modified Gram-Schmidt on an m×n matrix; the outputs are all of Q and R.
///
/// Per column k: a chain of squares, `R(k,k)` from the last of them, `Q(i,k)` from the column and
/// `R(k,k)`; per later column j a chain `R(k,j)` of products, and the update of the column.
///
/// # Errors
/// Never for sizes that fit in memory.
pub fn mgs(m: usize, n: usize) -> Result<Cdag, Error> {
    let mut builder = Builder::new();
    let mut a = input_matrix(&mut builder, "A", m, n);
    for k in 0..n {
        let mut norm = None;
        for (i, row) in a.iter().enumerate() {
            let operands: Vec<Vertex> = norm.into_iter().chain([row[k]]).collect();
            norm = Some(builder.compute(format!("nrm[{k},{i}]"), &operands));
        }
        let Some(norm) = norm else { continue };
        let r = builder.compute(format!("R[{k},{k}]"), &[norm]);
        builder.output(r);
        let q: Vec<Vertex> = (0..m)
            .map(|i| builder.compute(format!("Q[{i},{k}]"), &[a[i][k], r]))
            .collect();
        for &v in &q {
            builder.output(v);
        }
        for j in k + 1..n {
            let mut dot = None;
            for i in 0..m {
                let operands: Vec<Vertex> = dot.into_iter().chain([q[i], a[i][j]]).collect();
                dot = Some(builder.compute(format!("SR[{k},{j},{i}]"), &operands));
            }
            let Some(dot) = dot else { continue };
            builder.output(dot);
            for i in 0..m {
                a[i][j] = builder.compute(format!("SU[{k},{j},{i}]"), &[a[i][j], q[i], dot]);
            }
        }
    }
    builder.build()
}

/// Householder QR (A2V, LAPACK's unblocked `geqr2`) on an m×n matrix with m >= n; the outputs are
/// the final matrix and the scalars tau.
///
/// # Errors
/// Never for sizes that fit in memory.
pub fn householder(m: usize, n: usize) -> Result<Cdag, Error> {
    let mut builder = Builder::new();
    let mut a = input_matrix(&mut builder, "A", m, n);
    for k in 0..n.min(m) {
        let squares = a[k + 1..]
            .iter()
            .map(|row| row[k])
            .enumerate()
            .fold(None, |sum, (i, x)| {
                let operands: Vec<Vertex> = sum.into_iter().chain([x]).collect();
                Some(builder.compute(format!("norma2[{k},{i}]"), &operands))
            });
        let Some(squares) = squares else { continue };
        let norm = builder.compute(format!("norma[{k}]"), &[a[k][k], squares]);
        let pivot = builder.compute(format!("pivot[{k}]"), &[a[k][k], norm]);
        let tau = builder.compute(format!("tau[{k}]"), &[squares, pivot]);
        builder.output(tau);
        for row in &mut a[k + 1..] {
            row[k] = builder.compute(format!("v[{k}]"), &[row[k], pivot]);
        }
        a[k][k] = builder.compute(format!("R[{k},{k}]"), &[norm]);
        for j in k + 1..n {
            let mut dot = a[k][j];
            for (i, row) in a[k + 1..].iter().enumerate() {
                dot = builder.compute(format!("SR[{k},{j},{i}]"), &[dot, row[k], row[j]]);
            }
            let scaled = builder.compute(format!("tau[{k},{j}]"), &[dot, tau]);
            a[k][j] = builder.compute(format!("R[{k},{j}]"), &[a[k][j], scaled]);
            for (i, row) in a[k + 1..].iter_mut().enumerate() {
                row[j] = builder.compute(format!("SU[{k},{j},{i}]"), &[row[j], row[k], scaled]);
            }
        }
    }
    for v in a.into_iter().flatten() {
        builder.output(v);
    }
    builder.build()
}
