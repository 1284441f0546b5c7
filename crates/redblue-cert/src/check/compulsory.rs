//! Compulsory traffic (G-4.3, U-15): inputs that vertices need are loaded, results that vertices compute are stored.
//!
//! An input that is only copied into a result is no load and no store: its value is in slow memory already.

use redblue_poly::UnionSet;

use super::count::Number;
use super::graph::Graph;
use super::live;
use super::view::Kind;
use crate::refusal::{Cause, Result};

/// How many copies in a row are followed; behind more of them values are not counted.
const MOST_COPIES: usize = 8;

/// Inputs and results.
pub(crate) struct Compulsory {
    /// Input cells that live vertices read.
    pub(crate) inputs: UnionSet,
    /// How many.
    pub(crate) loads: Number,
    /// Vertices that are final values of output cells.
    pub(crate) results: UnionSet,
    /// How many.
    pub(crate) stores: Number,
}

impl Compulsory {
    /// Finds both by walking the verified dependences.
    pub(super) fn of(graph: &Graph) -> Result<Compulsory> {
        let view = &graph.view;
        let mut computed = UnionSet::empty(view.isl())?;
        let mut copied = UnionSet::empty(view.isl())?;
        for statement in view.statements() {
            let last = live::final_writes(view, statement)?.to_union()?;
            match view.kind(statement) {
                Kind::Operation => computed = computed.union(&last)?,
                Kind::Copy => copied = copied.union(&last)?,
                Kind::Constant => {}
            }
        }
        let results = computed.union(&behind_copies(graph, copied, Want::Vertices)?)?;
        let results = results.intersect(&graph.varying)?;
        let mut vertices = UnionSet::empty(view.isl())?;
        for set in graph.live.sets()? {
            let statement = view.statement(&set.tuple_name().unwrap_or_default())?;
            if view.kind(statement) == Kind::Operation {
                vertices = vertices.union(&set.to_union()?)?;
            }
        }
        let inputs = behind_copies(graph, vertices, Want::Inputs)?;
        Ok(Compulsory {
            loads: number(graph, &inputs)?,
            stores: number(graph, &results)?,
            inputs,
            results,
        })
    }
}

/// How many; none if that is too hard to count, which claims too little.
fn number(graph: &Graph, points: &UnionSet) -> Result<Number> {
    match Number::of(&graph.view, points) {
        Err(refusal) if refusal.cause == Cause::Undecided => {
            Number::of(&graph.view, &UnionSet::empty(graph.view.isl())?)
        }
        counted => counted,
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Want {
    Vertices,
    Inputs,
}

/// What some instances read, directly or over copies.
fn behind_copies(graph: &Graph, from: UnionSet, want: Want) -> Result<UnionSet> {
    let view = &graph.view;
    let mut found = UnionSet::empty(view.isl())?;
    let mut open = from;
    for _ in 0..=MOST_COPIES {
        let mut next = UnionSet::empty(view.isl())?;
        for flow in &graph.flows {
            let readers = open.set_of(&flow.relation.space()?.domain()?)?;
            let values = flow
                .relation
                .intersect_domain(&readers)?
                .range()?
                .to_union()?;
            let kind = flow.writer.as_ref().map(|name| view.statement(name));
            match kind.transpose()?.map(|statement| view.kind(statement)) {
                None if want == Want::Inputs => found = found.union(&values)?,
                Some(Kind::Operation) if want == Want::Vertices => found = found.union(&values)?,
                Some(Kind::Copy) => next = next.union(&values)?,
                _ => {}
            }
        }
        if next.is_empty()? {
            break;
        }
        open = next;
    }
    Ok(found)
}
