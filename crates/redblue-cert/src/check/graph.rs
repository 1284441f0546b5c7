//! What has been verified once for all claims: the program, its dependences, and what is live.

use redblue_poly::{Map, UnionMap, UnionSet};

use super::dependence::{self, Flow};
use super::live;
use super::varying;
use super::view::View;
use crate::certificate::{Dependence, Edge, IslText, LiveSet};
use crate::refusal::{Cause, Refusal, Result, demand};

/// Most private values in a row.
const MOST_PRIVATE: usize = 4;

/// The verified part of the graph that proofs may refer to.
pub(crate) struct Graph {
    pub(crate) view: View,
    pub(crate) flows: Vec<Flow>,
    pub(crate) live: UnionSet,
    /// The instances that are no constants.
    pub(crate) varying: UnionSet,
}

impl Graph {
    /// Verifies dependences and live sets.
    pub(super) fn verify(view: View, claims: &[Dependence], live: &[LiveSet]) -> Result<Graph> {
        let verify = |(at, claim)| {
            Flow::verify(&view, claim).map_err(|refusal| refusal.within(format!("dependence {at}")))
        };
        let mut flows = claims
            .iter()
            .enumerate()
            .map(verify)
            .collect::<Result<Vec<Flow>>>()?;
        let live =
            live::verify(&view, &flows, live).map_err(|refusal| refusal.within("live sets"))?;
        // Constants are no vertices: nothing leads to them, and they are no targets and no results.
        let varying = varying::instances(&view, &flows)?;
        let vertices = varying.union(&varying::degenerate(&view)?)?;
        for flow in flows.iter_mut().filter(|flow| flow.writer.is_some()) {
            let values = vertices.set_of(&flow.relation.space()?.range()?)?;
            flow.relation = flow.relation.intersect_range(&values)?;
        }
        let live = live.intersect(&vertices)?;
        Ok(Graph {
            view,
            flows,
            live,
            varying,
        })
    }

    /// The union of some edges, each from a vertex to what it needs.
    pub(crate) fn steps(&self, edges: &[Edge]) -> Result<UnionMap> {
        let mut steps = UnionMap::empty(self.view.isl())?;
        for edge in edges {
            let relation = dependence::edge_relation(&self.view, &self.flows, edge)?;
            steps = steps.union(&relation.to_union()?)?;
        }
        Ok(steps)
    }

    /// The reader and the operand at which an edge begins.
    pub(super) fn first_hop(&self, edge: &Edge) -> Result<&Flow> {
        let flow = edge
            .0
            .first()
            .and_then(|&position| self.flows.get(position));
        flow.ok_or_else(|| Refusal::new(Cause::Dependence, "an edge without dependences"))
    }
}

/// The targets of a group and where they lie.
pub(crate) struct Targets {
    /// From a private value to the point of the target it belongs to.
    pub(crate) private: UnionMap,
    /// From a target to its point.
    pub(crate) embedding: UnionMap,
    /// The targets.
    pub(crate) all: UnionSet,
    /// The dimension of the common space.
    pub(crate) dimension: usize,
}

impl Targets {
    /// Verifies that targets are live vertices at different points of one space.
    pub(super) fn verify(graph: &Graph, texts: &[IslText]) -> Result<Targets> {
        let first = texts.first().map(|text| graph.view.map(text)).transpose()?;
        let dimension = first.map_or(0, |map: Map| map.n_out());
        let embedding = graph.view.vertex_labels(texts, dimension)?;
        demand(embedding.is_injective()?, Cause::Path, || {
            format!("two targets lie at one point: {}", texts.join("; "))
        })?;
        let all = embedding.domain()?;
        demand(all.is_subset(&graph.live)?, Cause::Liveness, || {
            format!("targets that are not live: {}", texts.join("; "))
        })?;
        Ok(Targets {
            private: UnionMap::empty(graph.view.isl())?,
            embedding,
            all,
            dimension,
        })
    }

    /// The same targets with private values, each of which belongs to one of them.
    pub(super) fn with_private(mut self, graph: &Graph, texts: &[IslText]) -> Result<Targets> {
        self.private = graph.view.vertex_labels(texts, self.dimension)?;
        Ok(self)
    }

    /// Ways from targets over some of the steps, of which all but the last lead to private values of the target.
    pub(super) fn ways(&self, steps: &UnionMap) -> Result<UnionMap> {
        let mut ways = steps.intersect_domain(&self.all)?;
        let belongs = self.embedding.apply_range(&self.private.reverse()?)?;
        let mut inside = steps.intersect(&belongs)?;
        for _ in 0..MOST_PRIVATE {
            if inside.is_empty()? {
                break;
            }
            let longer = inside.apply_range(steps)?;
            inside = longer.intersect(&belongs)?;
            ways = ways.union(&longer)?;
        }
        Ok(ways)
    }
}
