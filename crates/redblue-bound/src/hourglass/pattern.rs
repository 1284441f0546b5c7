//! Detection of the pattern from arrows (H-6).
//!
//! A hub is what all targets of a slice read: an operand whose affine function ignores one coordinate, the width, and determines
//! the others. Going back from the hubs, [`Reach`] finds what they need; if that includes the whole slice
//! at the neighbouring value of some coordinate, that coordinate is time.

use redblue_cert::certificate::{self as cert, Edge, IslText};
use redblue_math::rational::int;
use redblue_math::{Matrix, Rational};
use redblue_poly::{Map, PwAff, Set};

use crate::error::Result;
use crate::graph::{Graph, Source};
use crate::label;
use crate::reach::{Reach, Way};
use crate::write;

/// An hourglass of one node.
#[derive(Clone, Debug)]
pub(super) struct Pattern {
    /// The temporal coordinate.
    pub(super) time: usize,
    /// The direction of time.
    pub(super) step: i64,
    /// The neutral coordinates.
    pub(super) neutral: Vec<usize>,
    /// The width coordinate.
    pub(super) width: usize,
    node: usize,
    hub: usize,
    /// Hub → (time, neutral).
    hubs: Map,
    reach: Reach,
    edge: Edge,
    /// Target → (time, neutral).
    slice: Map,
}

/// All hourglasses whose targets are the live instances of a node.
pub(super) fn of_node(graph: &Graph, node: usize) -> Result<Vec<Pattern>> {
    let mut found = Vec::new();
    let live = &graph.nodes[node].live;
    let dimension = live.n_dim();
    if dimension < 3 {
        return Ok(found);
    }
    for (_, arrow) in graph.arrows_of(node) {
        let (Source::Node(hub), [piece]) = (arrow.source, arrow.pieces.as_slice()) else {
            continue;
        };
        let linear = piece.linear();
        for width in 0..dimension {
            let ignored = linear.rows().iter().all(|row| row[width] == int(0));
            if !ignored || linear.rank() + 1 != dimension {
                continue;
            }
            let kept: Vec<usize> = (0..dimension).filter(|&at| at != width).collect();
            let keep = coordinates(live, &kept)?;
            let hubs = arrow.relation.reverse()?.apply_range(&keep)?.coalesce()?;
            if !hubs.is_single_valued()? || !hubs.is_injective()? {
                continue;
            }
            let reach = Reach::from_hubs(graph, hub, &hubs, Way::Into)?;
            let Some(needed) = &reach.members[node] else {
                continue;
            };
            for (position, &time) in kept.iter().enumerate() {
                for step in [1, -1] {
                    if !ticks(&keep, needed, position, step)? {
                        continue;
                    }
                    let neutral: Vec<usize> =
                        kept.iter().copied().filter(|&at| at != time).collect();
                    let order: Vec<usize> = std::iter::once(position)
                        .chain((0..kept.len()).filter(|&at| at != position))
                        .collect();
                    let reorder = coordinates(&keep.range()?, &order)?;
                    let mut reach = reach.clone();
                    for members in reach.members.iter_mut().flatten() {
                        *members = members.apply_range(&reorder)?;
                    }
                    found.push(Pattern {
                        time,
                        step,
                        neutral,
                        width,
                        node,
                        hub,
                        hubs: hubs.apply_range(&reorder)?,
                        reach,
                        edge: arrow.edge.clone(),
                        slice: keep.apply_range(&reorder)?,
                    });
                }
            }
        }
    }
    Ok(found)
}

/// Whether every target with a next tick is needed for the hub of that tick, and there are any.
fn ticks(keep: &Map, needed: &Map, position: usize, step: i64) -> Result<bool> {
    let slices = keep.range()?;
    let space = slices.space()?;
    let mut next = Vec::new();
    for at in 0..slices.n_dim() {
        let by = if at == position { step } else { 0 };
        next.push(PwAff::dim(&space, at)?.add(&PwAff::constant(&space, by)?)?);
    }
    let next = Map::from_pw_affs(&space, "", &next)?;
    let wanted = keep.apply_range(&next)?.intersect_range(&slices)?;
    Ok(!wanted.is_empty()? && wanted.is_subset(needed)?)
}

/// From the points of a set to some of their coordinates.
pub(super) fn coordinates(set: &Set, kept: &[usize]) -> Result<Map> {
    let unit = |&at: &usize| (0..set.n_dim()).map(|x| int(i64::from(x == at))).collect();
    let matrix = Matrix::new(set.n_dim(), kept.iter().map(unit).collect())?;
    Ok(write::linear_map(&set.space()?, &matrix)?.intersect_domain(set)?)
}

impl Pattern {
    /// The same hourglass with another number for every tick: plus or minus the tick, and a constant or a size.
    pub(super) fn renumbered(mut self, tick: &[Rational]) -> Result<Pattern> {
        let slices = self.slice.range()?;
        // (tick, neutral, 1, sizes) from (x, 1, sizes): only one coordinate of x has a part in it.
        let dims = self.neutral.len() + 1;
        let columns = tick.len() - 1;
        let mut rows = Matrix::identity(columns).rows()[..dims].to_vec();
        rows[0][0] = tick[self.time].clone();
        rows[0][dims..].clone_from_slice(&tick[dims + 1..]);
        let numbers = label::to_map(&Matrix::new(columns, rows)?, &slices.space()?)?;
        self.hubs = self.hubs.apply_range(&numbers)?;
        self.slice = self.slice.apply_range(&numbers)?;
        for members in self.reach.members.iter_mut().flatten() {
            *members = members.apply_range(&numbers)?;
        }
        if tick[self.time] < int(0) {
            self.step = -self.step;
        }
        Ok(self)
    }

    /// The hubs for a certificate.
    pub(super) fn hubs(&self, graph: &Graph) -> Result<Vec<IslText>> {
        Ok(vec![write::labelled(&graph.nodes[self.hub], &self.hubs)?])
    }

    /// Why targets are needed for the next hub.
    pub(super) fn into(&self, graph: &Graph) -> Result<cert::Reach> {
        self.reach.to_certificate(graph)
    }

    /// Why targets need their hub: they read it.
    pub(super) fn out_of(&self, graph: &Graph) -> Result<cert::Reach> {
        let mut members = self.hubs(graph)?;
        members.push(write::labelled(&graph.nodes[self.node], &self.slice)?);
        Ok(cert::Reach {
            members,
            edges: vec![self.edge.clone()],
        })
    }

    /// The targets in some slices.
    pub(super) fn within(&self, targets: &Set, slices: &Set) -> Result<Set> {
        let slice = self.slice.intersect_domain(targets)?;
        Ok(slice.intersect_range(slices)?.domain()?.coalesce()?)
    }

    /// From a slice to the values of the width coordinate in it.
    pub(super) fn widths(&self, targets: &Set) -> Result<Map> {
        let slice = self.slice.intersect_domain(targets)?;
        Ok(slice
            .reverse()?
            .apply_range(&coordinates(targets, &[self.width])?)?)
    }
}
