//! Iterated stencils: each time step reads a point and its neighbours of the step before.

use super::input_matrix;
use crate::builder::Builder;
use crate::cdag::{Cdag, Vertex};
use crate::error::Error;

/// A three-point stencil on `n` points for `steps` steps; the ends read two points.
///
/// # Errors
/// Never for sizes that fit in memory.
pub fn stencil_1d(n: usize, steps: usize) -> Result<Cdag, Error> {
    let mut builder = Builder::new();
    let mut points: Vec<Vertex> = (0..n).map(|i| builder.input(format!("x[0,{i}]"))).collect();
    for t in 1..=steps {
        points = (0..n)
            .map(|i| {
                let operands = &points[i.saturating_sub(1)..(i + 2).min(n)];
                builder.compute(format!("x[{t},{i}]"), operands)
            })
            .collect();
    }
    for v in points {
        builder.output(v);
    }
    builder.build()
}

/// A five-point stencil on a `rows`×`cols` grid for `steps` steps; borders read fewer points.
///
/// # Errors
/// Never for sizes that fit in memory.
pub fn stencil_2d(rows: usize, cols: usize, steps: usize) -> Result<Cdag, Error> {
    let mut builder = Builder::new();
    let mut grid = input_matrix(&mut builder, "x0", rows, cols);
    for t in 1..=steps {
        let before = grid;
        grid = (0..rows)
            .map(|i| {
                (0..cols)
                    .map(|j| {
                        let mut operands = vec![before[i][j]];
                        operands.extend((i > 0).then(|| before[i - 1][j]));
                        operands.extend((i + 1 < rows).then(|| before[i + 1][j]));
                        operands.extend((j > 0).then(|| before[i][j - 1]));
                        operands.extend((j + 1 < cols).then(|| before[i][j + 1]));
                        builder.compute(format!("x{t}[{i},{j}]"), &operands)
                    })
                    .collect()
            })
            .collect();
    }
    for v in grid.into_iter().flatten() {
        builder.output(v);
    }
    builder.build()
}
