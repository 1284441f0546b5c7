//! Products in the caller's layout: one matrix stays where it is, the others come and go straight (C-10, C-15).
//!
//! ```text
//! C stays   every rank computes the part of C it holds, along all of k         A, B come
//! A stays   every rank multiplies the part of A it holds, along all of n       B comes, partial sums of C leave
//! B stays   every rank multiplies the part of B it holds, along all of m       A comes, partial sums of C leave
//! ```
//!
//! On a block-cyclic layout the first is SUMMA. Words travel on **routes**: what one rank holds and a group of
//! ranks with equal needs uses goes from one rank to the next, so each user receives each word once and nobody
//! sends more often than once; partial sums take the same way back and are added up on it. Who is the last stop
//! of a route, and need not send, is chosen so that the busiest rank moves as little as it can ([`balance`]); words of one
//! holder are divided among several routes for that. No rank then moves more than in the broadcasts and reductions of
//! SUMMA, whatever their topology.
//!
//! The product is cut into **pieces** ([`pieces`]), and piece i takes hop d of a route at time i + d, while earlier
//! pieces are multiplied.
//!
//! Not here: moving anything, and layouts in which a rank holds several parts of a matrix.

mod balance;
mod pieces;
mod routes;
#[cfg(test)]
mod tests;

use std::ops::Range;

use crate::comm::Flow;
use crate::layout::{Layout, LayoutError, Patch, Stripe};
use crate::shape::{Axis, Matrix, Rect, Shape};
use pieces::Cuts;
pub use pieces::Sizes;

/// The way of words that one rank holds and a group of ranks uses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Route {
    /// The matrix they belong to.
    pub matrix: Matrix,
    /// The rank that holds them in the caller's layout: the first stop of inputs, the last of partial sums.
    pub holder: usize,
    /// Ranks in the order of travel, the holder included.
    pub stops: Vec<usize>,
    /// The rows and columns that the group uses.
    pub used: (Stripe, Stripe),
    /// Where in the matrix: the words in it that the holder has and the group uses travel on this route.
    pub window: Rect,
    /// Whether the holder is one of the group.
    pub holder_uses: bool,
    /// Number of words.
    pub words: u128,
}

/// A product in the caller's layout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stay {
    resident: Matrix,
    shape: Shape,
    /// Per rank: its indices along m, n and k, if it holds any of the resident matrix.
    bricks: Vec<Option<[Stripe; 3]>>,
    routes: Vec<Route>,
    cuts: Cuts,
    /// Per rank: words sent and received.
    flows: Vec<[u128; 2]>,
}

impl Stay {
    /// The way that moves least, if it can be done: every rank holds at most one part of each matrix. Between
    /// equals the one with less work on the busiest rank.
    ///
    /// # Errors
    /// When the layouts do not fit each other.
    pub fn best(layouts: [&Layout; 3]) -> Result<Option<Stay>, LayoutError> {
        let mut best: Option<Stay> = None;
        for resident in [Matrix::C, Matrix::A, Matrix::B] {
            let Some(found) = Stay::new(resident, layouts)? else {
                return Ok(None);
            };
            let cost = |stay: &Stay| (stay.volume(), stay.work());
            if best.as_ref().is_none_or(|best| cost(&found) < cost(best)) {
                best = Some(found);
            }
        }
        Ok(best)
    }

    /// The product in which one matrix stays.
    ///
    /// # Errors
    /// When the layouts do not fit each other.
    pub fn new(resident: Matrix, layouts: [&Layout; 3]) -> Result<Option<Stay>, LayoutError> {
        let shape = check(layouts)?;
        let ranks = layouts[0].ranks();
        let single = |layout: &&Layout| (0..ranks).all(|rank| layout.patches(rank).len() <= 1);
        if !layouts.iter().all(single) {
            return Ok(None);
        }
        let through = resident.missing();
        let brick = |rank: usize| {
            let patch = patch(layouts[resident.index()], rank)?;
            let stripe = |axis: Axis| {
                if axis == through {
                    Stripe::all(0..shape.length(axis))
                } else {
                    along(patch, resident, axis).clone()
                }
            };
            Some(Axis::ALL.map(stripe))
        };
        let mut stay = Stay {
            resident,
            shape,
            bricks: (0..ranks).map(brick).collect(),
            routes: Vec::new(),
            cuts: Cuts {
                slabs: Vec::new(),
                tiled: through,
                tiles: Vec::new(),
            },
            flows: vec![[0; 2]; ranks],
        };
        stay.route_all(layouts);
        stay.cut(layouts, Sizes::default());
        Ok(Some(stay))
    }

    /// Cuts the product into pieces of other sizes, which changes neither what moves nor where. The layouts are those
    /// that it was made for.
    pub fn cut(&mut self, layouts: [&Layout; 3], sizes: Sizes) {
        self.cuts = Cuts::of(self, layouts, sizes);
    }

    /// The matrix that stays.
    pub fn resident(&self) -> Matrix {
        self.resident
    }

    /// Sizes of the product.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// Number of ranks.
    pub fn ranks(&self) -> usize {
        self.bricks.len()
    }

    /// The indices along m, n and k of the products that a rank computes.
    pub fn brick(&self, rank: usize) -> Option<&[Stripe; 3]> {
        self.bricks.get(rank)?.as_ref()
    }

    /// The ways of all words that some rank lacks, and of those that a rank uses itself.
    pub fn routes(&self) -> &[Route] {
        &self.routes
    }

    /// The slabs along the axis that the resident matrix lacks.
    pub fn slabs(&self) -> &[Range<u64>] {
        &self.cuts.slabs
    }

    /// An axis of the resident matrix, and the tiles along it. Piece `s·t + i` is tile i of t in slab s.
    pub fn tiles(&self) -> (Axis, &[Range<u64>]) {
        (self.cuts.tiled, &self.cuts.tiles)
    }

    /// The axis along which the product is cut into slabs.
    pub fn through(&self) -> Axis {
        self.resident.missing()
    }

    /// Hops of the longest route of inputs, or of partial sums.
    pub fn hops(&self, partial: bool) -> usize {
        let some = self
            .routes
            .iter()
            .filter(|route| (route.matrix == Matrix::C) == partial);
        some.map(|route| route.stops.len().saturating_sub(1))
            .max()
            .unwrap_or(0)
    }

    /// Words that a rank sends and receives; messages are not counted.
    pub fn flow(&self, rank: usize) -> Flow {
        let [sent, received] = self.flows.get(rank).copied().unwrap_or_default();
        let whole = |words: u128| u64::try_from(words).unwrap_or(u64::MAX);
        Flow {
            sent: whole(sent),
            received: whole(received),
            messages: 0,
        }
    }

    /// The larger of the words that the busiest rank sends and receives.
    pub fn volume(&self) -> u128 {
        self.flows.iter().flatten().copied().max().unwrap_or(0)
    }

    /// Products of the rank that computes most.
    pub fn work(&self) -> u128 {
        let work = |brick: &[Stripe; 3]| {
            brick.iter().fold(1_u128, |work, stripe| {
                work.saturating_mul(u128::from(stripe.len()))
            })
        };
        self.bricks.iter().flatten().map(work).max().unwrap_or(0)
    }
}

/// The part of a matrix that a rank holds, if any.
fn patch(layout: &Layout, rank: usize) -> Option<&Patch> {
    layout
        .patches(rank)
        .first()
        .filter(|patch| !patch.is_empty())
}

/// The indices of a part of a matrix along one of the matrix's axes.
fn along(patch: &Patch, matrix: Matrix, axis: Axis) -> &Stripe {
    if matrix.axes().0 == axis {
        patch.rows()
    } else {
        patch.cols()
    }
}

/// Checks that the layouts are those of the three matrices of a product on the same ranks.
fn check([a, b, c]: [&Layout; 3]) -> Result<Shape, LayoutError> {
    for (layout, what) in [(a, "the layout of A"), (b, "the layout of B")] {
        if layout.ranks() != c.ranks() {
            return Err(LayoutError::Ranks {
                what,
                found: layout.ranks(),
                expected: c.ranks(),
            });
        }
    }
    let shape = Shape::new(c.rows(), c.cols(), a.cols());
    for (layout, rows, cols) in [(a, shape.m, shape.k), (b, shape.k, shape.n)] {
        if (layout.rows(), layout.cols()) != (rows, cols) {
            return Err(LayoutError::Shapes(
                layout.rows(),
                layout.cols(),
                rows,
                cols,
            ));
        }
    }
    Ok(shape)
}
