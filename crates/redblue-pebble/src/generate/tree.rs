//! Balanced binary reductions.

use crate::builder::Builder;
use crate::cdag::{Cdag, Vertex};
use crate::error::Error;

/// The tree that sums neighbouring pairs until one value is left; an odd value out moves up a level.
///
/// # Errors
/// Never for sizes that fit in memory.
pub fn binary_tree(leaves: usize) -> Result<Cdag, Error> {
    let mut builder = Builder::new();
    let mut level: Vec<Vertex> = (0..leaves)
        .map(|i| builder.input(format!("x[{i}]")))
        .collect();
    let mut height = 0;
    while level.len() > 1 {
        height += 1;
        level = level
            .chunks(2)
            .enumerate()
            .map(|(i, pair)| match pair {
                [single] => *single,
                _ => builder.compute(format!("s[{height},{i}]"), pair),
            })
            .collect();
    }
    for root in level {
        builder.output(root);
    }
    builder.build()
}
