//! Strassen's matrix product, 7 multiplications and 18 additions per level (theory L-5).

use super::input_matrix;
use crate::builder::Builder;
use crate::cdag::{Cdag, Vertex};
use crate::error::Error;

type Matrix = Vec<Vec<Vertex>>;

/// Strassen's algorithm on matrices of order `2^levels`, recursive down to single products.
///
/// # Errors
/// Never for sizes that fit in memory.
pub fn strassen(levels: u32) -> Result<Cdag, Error> {
    let order = 1usize << levels;
    let mut builder = Builder::new();
    let a = input_matrix(&mut builder, "A", order, order);
    let b = input_matrix(&mut builder, "B", order, order);
    let c = product(&mut builder, &a, &b);
    for v in c.into_iter().flatten() {
        builder.output(v);
    }
    builder.build()
}

fn product(builder: &mut Builder, a: &Matrix, b: &Matrix) -> Matrix {
    if a.len() == 1 {
        return vec![vec![builder.compute("*", &[a[0][0], b[0][0]])]];
    }
    let [a11, a12, a21, a22] = quarters(a);
    let [b11, b12, b21, b22] = quarters(b);
    let mut times = |left: &[&Matrix], right: &[&Matrix]| {
        let left = total(builder, left);
        let right = total(builder, right);
        product(builder, &left, &right)
    };
    let m1 = times(&[&a11, &a22], &[&b11, &b22]);
    let m2 = times(&[&a21, &a22], &[&b11]);
    let m3 = times(&[&a11], &[&b12, &b22]);
    let m4 = times(&[&a22], &[&b21, &b11]);
    let m5 = times(&[&a11, &a12], &[&b22]);
    let m6 = times(&[&a21, &a11], &[&b11, &b12]);
    let m7 = times(&[&a12, &a22], &[&b21, &b22]);
    let c11 = total(builder, &[&m1, &m4, &m5, &m7]);
    let c12 = total(builder, &[&m3, &m5]);
    let c21 = total(builder, &[&m2, &m4]);
    let c22 = total(builder, &[&m1, &m2, &m3, &m6]);
    let rows = |left: Matrix, right: Matrix| {
        left.into_iter()
            .zip(right)
            .map(|(left, right)| [left, right].concat())
    };
    rows(c11, c12).chain(rows(c21, c22)).collect()
}

/// The entry-wise sum (signs do not matter to the graph), left to right.
fn total(builder: &mut Builder, terms: &[&Matrix]) -> Matrix {
    let mut sum = terms[0].clone();
    for term in &terms[1..] {
        for (row, other) in sum.iter_mut().zip(term.iter()) {
            for (entry, &x) in row.iter_mut().zip(other) {
                *entry = builder.compute("+", &[*entry, x]);
            }
        }
    }
    sum
}

fn quarters(matrix: &Matrix) -> [Matrix; 4] {
    let half = matrix.len() / 2;
    let block = |top: usize, left: usize| -> Matrix {
        matrix[top..top + half]
            .iter()
            .map(|row| row[left..left + half].to_vec())
            .collect()
    };
    [
        block(0, 0),
        block(0, half),
        block(half, 0),
        block(half, half),
    ]
}
