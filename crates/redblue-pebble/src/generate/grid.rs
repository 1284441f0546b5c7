//! Pyramids and diamond grids: the small graphs on which recomputation matters (theory G-4, T-2).

use crate::builder::Builder;
use crate::cdag::{Cdag, Vertex};
use crate::error::Error;

/// The pyramid with `height + 1` inputs: vertex `(l, i)` reads `(l-1, i)` and `(l-1, i+1)`.
///
/// # Errors
/// Never for sizes that fit in memory.
pub fn pyramid(height: usize) -> Result<Cdag, Error> {
    let mut builder = Builder::new();
    let mut level: Vec<Vertex> = (0..=height)
        .map(|i| builder.input(format!("x[{i}]")))
        .collect();
    for l in 1..=height {
        level = level
            .windows(2)
            .enumerate()
            .map(|(i, pair)| builder.compute(format!("y[{l},{i}]"), pair))
            .collect();
    }
    builder.output(level[0]);
    builder.build()
}

/// The grid in which `(r, c)` reads `(r-1, c)` and `(r, c-1)`; only `(0, 0)` is an input and only
/// the opposite corner an output.
///
/// # Errors
/// Never for sizes that fit in memory.
pub fn diamond(rows: usize, cols: usize) -> Result<Cdag, Error> {
    let mut builder = Builder::new();
    let mut above: Vec<Vertex> = Vec::new();
    for r in 0..rows {
        let mut row: Vec<Vertex> = Vec::new();
        for c in 0..cols {
            let operands: Vec<Vertex> = above
                .get(c)
                .into_iter()
                .chain(row.last())
                .copied()
                .collect();
            let label = format!("g[{r},{c}]");
            row.push(match operands.is_empty() {
                true => builder.input(label),
                false => builder.compute(label, &operands),
            });
        }
        above = row;
    }
    if let Some(&corner) = above.last() {
        builder.output(corner);
    }
    builder.build()
}
