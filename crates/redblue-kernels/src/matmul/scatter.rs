//! Between whole matrices and the words of ranks: for tests, benchmarks and small problems.

use redblue_dist::plan::RankPlan;
use redblue_dist::{Matrix, Rect};

/// Calls `visit` with every element (row, column) of a rank's words of a matrix, in storage order.
pub fn for_each_own(part: &RankPlan, matrix: Matrix, mut visit: impl FnMut(u64, u64)) {
    for Rect { rows, cols } in &part.owned[matrix.index()] {
        if matrix == Matrix::A {
            for col in cols.clone() {
                rows.clone().for_each(|row| visit(row, col));
            }
        } else {
            for row in rows.clone() {
                cols.clone().for_each(|col| visit(row, col));
            }
        }
    }
}

/// A rank's words of a matrix whose elements are given by a function of row and column.
pub fn own_words<T>(part: &RankPlan, matrix: Matrix, element: impl Fn(u64, u64) -> T) -> Vec<T> {
    let mut words = Vec::new();
    for_each_own(part, matrix, |row, col| words.push(element(row, col)));
    words
}
