//! What has been verified once for all claims: the program, its dependences, and what is live.

use redblue_poly::{Map, UnionMap, UnionSet};

use super::dependence::{self, Flow};
use super::live;
use super::varying;
use super::view::View;
use crate::certificate::{Dependence, Edge, IslText, LiveSet};
use crate::refusal::{Cause, Refusal, Result, demand};

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
            embedding,
            all,
            dimension,
        })
    }
}
