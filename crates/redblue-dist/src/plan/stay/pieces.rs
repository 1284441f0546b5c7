//! Cuts a product in the caller's layout into pieces: slabs along the axis that the resident matrix lacks, and tiles
//! along one of its own axes where the panels of a slab would be large.
//!
//! Pieces come slab by slab. The moved matrix that has the tiled axis travels tile by tile, the other once for each
//! slab, so tiles change no volume; they keep panels in the caches and buffers small.

use std::ops::Range;

use super::{Stay, along, patch};
use crate::layout::{Layout, Stripe};
use crate::shape::{Axis, Matrix};

/// How large pieces are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// Length of a slab, at most.
    pub slab: u64,
    /// Words of the panel of a tile, about; panels of twice as many are cut.
    pub panel: u128,
}

impl Default for Sizes {
    /// Long enough for the local product to run at full speed, small enough for the caches.
    fn default() -> Sizes {
        Sizes {
            slab: 256,
            panel: 1 << 19,
        }
    }
}

/// A slab is at least so long where it may be, even if that leaves little to overlap.
const LEAST_SLAB: u64 = 128;
/// Pieces for each hop of the longest route, if they are not too small then.
const PIECES_PER_HOP: u64 = 4;

/// How a product is cut.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Cuts {
    pub(super) slabs: Vec<Range<u64>>,
    pub(super) tiled: Axis,
    pub(super) tiles: Vec<Range<u64>>,
}

impl Cuts {
    pub(super) fn of(stay: &Stay, layouts: [&Layout; 3], sizes: Sizes) -> Cuts {
        let (through, resident) = (stay.through(), stay.resident);
        let length = stay.shape.length(through);
        // The largest panel of a rank, and the axis along which it can be cut.
        let panel = |&axis: &Axis| {
            let bricks = stay.bricks.iter().flatten();
            let lengths = bricks.map(|brick| brick[axis.index()].len());
            u128::from(lengths.max().unwrap_or(0)) * u128::from(length.min(sizes.slab))
        };
        let (rows, cols) = resident.axes();
        let tiled = if panel(&rows) >= panel(&cols) {
            rows
        } else {
            cols
        };
        let count = (panel(&tiled) / sizes.panel.max(1)).max(1);
        let extent = stay.shape.length(tiled);
        let tile = u64::try_from(u128::from(extent).div_ceil(count)).unwrap_or(extent);
        let tiles = cut(extent, tile, blocks(resident, tiled, layouts));
        let hops = stay.hops(false).max(1) as u64;
        let step = (length.saturating_mul(tiles.len() as u64) / (PIECES_PER_HOP * hops))
            .clamp(LEAST_SLAB.min(sizes.slab.max(1)), sizes.slab.max(1));
        // The blocks of the first moved matrix; equal blocks are usual.
        let mut moved = Matrix::ALL.into_iter().filter(|&matrix| matrix != resident);
        let slabs = cut(
            length,
            step,
            moved
                .next()
                .and_then(|matrix| blocks(matrix, through, layouts)),
        );
        Cuts {
            slabs,
            tiled,
            tiles,
        }
    }
}

/// The indices of some rank's part of a matrix along an axis.
fn blocks(matrix: Matrix, axis: Axis, layouts: [&Layout; 3]) -> Option<&Stripe> {
    let layout = layouts[matrix.index()];
    let held = (0..layout.ranks()).find_map(|rank| patch(layout, rank))?;
    Some(along(held, matrix, axis))
}

/// Cuts a length into steps, at the ends of blocks where that is possible.
fn cut(length: u64, step: u64, blocks: Option<&Stripe>) -> Vec<Range<u64>> {
    let mut parts = Vec::new();
    let mut start = 0;
    while start < length {
        let far = start.saturating_add(step.max(1)).min(length);
        let edge = blocks.map_or(far, |stripe| stripe.block_start(far));
        let end = if far < length && edge > start {
            edge
        } else {
            far
        };
        parts.push(start..end);
        start = end;
    }
    parts
}
