//! Seeded random graphs, the raw material of property tests.

use crate::Random;
use crate::cdag::{Cdag, Vertex};
use crate::error::Error;

/// Each pair `u < v` is an edge with probability `percent / 100`, but no vertex gets more than
/// three operands, so that small capacities stay playable.
///
/// # Errors
/// Never for sizes that fit in memory.
pub fn random_edges(vertices: usize, percent: u32, seed: u64) -> Result<Cdag, Error> {
    let mut random = Random::new(seed);
    let mut edges: Vec<(Vertex, Vertex)> = Vec::new();
    for v in 0..vertices {
        let mut operands = 0;
        for u in (0..v).rev() {
            if operands < 3 && random.chance(percent) {
                edges.push((u, v));
                operands += 1;
            }
        }
    }
    Cdag::from_parts(vertices, &edges, None, None)
}

/// `layers` layers of `width` vertices; each vertex after the first layer reads `operands`
/// different vertices of the layer before (all of them if there are fewer).
///
/// # Errors
/// Never for sizes that fit in memory.
pub fn random_layers(
    layers: usize,
    width: usize,
    operands: usize,
    seed: u64,
) -> Result<Cdag, Error> {
    let mut random = Random::new(seed);
    let mut edges: Vec<(Vertex, Vertex)> = Vec::new();
    for v in width..layers * width {
        let layer = v / width;
        let mut candidates: Vec<Vertex> = ((layer - 1) * width..layer * width).collect();
        for _ in 0..operands.min(width) {
            let u = candidates.swap_remove(random.below(candidates.len()));
            edges.push((u, v));
        }
    }
    Cdag::from_parts(layers * width, &edges, None, None)
}
