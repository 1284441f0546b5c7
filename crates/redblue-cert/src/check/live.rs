//! Liveness: that instances are needed for a result.
//!
//! An instance is live if it writes the final value of an output cell, or if an instance that is live reads
//! its value. Readers come later, so a set each of whose members satisfies one of the two is live as a whole.

use redblue_poly::{Set, UnionSet};
use redblue_program::Statement;

use super::dependence::Flow;
use super::view::View;
use crate::certificate::LiveSet;
use crate::refusal::{Cause, Result, demand};

/// Verifies the live sets and returns their union.
pub(super) fn verify(view: &View, flows: &[Flow], claims: &[LiveSet]) -> Result<UnionSet> {
    let mut live = UnionSet::empty(view.isl())?;
    for claim in claims {
        let (_, set) = view.instances(&claim.instances)?;
        live = live.union(&set.to_union()?)?;
    }
    let mut needed = UnionSet::empty(view.isl())?;
    for statement in view.statements() {
        needed = needed.union(&final_writes(view, statement)?.to_union()?)?;
    }
    for flow in flows.iter().filter(|flow| flow.writer.is_some()) {
        let readers = live.set_of(&flow.relation.space()?.domain()?)?;
        let values = flow.relation.intersect_domain(&readers)?.range()?;
        needed = needed.union(&values.to_union()?)?;
    }
    demand(live.is_subset(&needed)?, Cause::Liveness, || {
        let rest = live.subtract(&needed).map(|set| set.to_string());
        rest.unwrap_or_default()
    })?;
    Ok(live)
}

/// The instances that write the final value of an output cell.
pub(super) fn final_writes(view: &View, statement: &Statement) -> Result<Set> {
    let array = view.array_of(&statement.write)?;
    let domain = view.domain(statement)?;
    if !array.output {
        return Ok(Set::empty(&domain.space()?)?);
    }
    let write = statement.write.map.intersect_domain(&domain)?;
    let mut last = domain;
    for other in view.statements() {
        if other.write.array != statement.write.array {
            continue;
        }
        let same = write.apply_range(&view.on_domain(&other.write.map, other)?.reverse()?)?;
        let overwritten = same.intersect(&view.before(statement, other)?)?.domain()?;
        last = last.subtract(&overwritten)?;
    }
    Ok(last)
}
