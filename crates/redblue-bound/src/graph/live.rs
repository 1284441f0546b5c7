//! Which instances reach a result, copies included, as sets that prove themselves.
//!
//! A family of sets L in which every instance writes a final cell or is read by another instance of the family
//! holds only live instances: dependences are acyclic, so following readers ends at a final cell. The canonical
//! form supplies the sets of its operations, copies start from all their instances, and instances without
//! such a reader are taken away until none is left. If that takes too many rounds, the sets are grown from
//! the results instead, which proves fewer instances live.

use redblue_cert::certificate::LiveSet;
use redblue_poly::Set;
use redblue_program::{Canonical, Dataflow, Program};

use super::edges::{End, Steps, computes, copies};
use crate::error::Result;

/// How often sets are shrunk or grown.
const ROUNDS: usize = 8;

/// Sets of instances, by statement.
pub(super) struct Live {
    /// Those proven to reach a result.
    pub(super) instances: Vec<Set>,
    /// Those whose value is the final content of an output cell, possibly through copies.
    pub(super) results: Vec<Set>,
}

impl Live {
    /// The sets that are not empty, as text.
    pub(super) fn texts(&self) -> Result<Vec<LiveSet>> {
        let mut texts = Vec::new();
        for set in &self.instances {
            if !set.is_empty()? {
                texts.push(LiveSet {
                    instances: set.to_string(),
                });
            }
        }
        Ok(texts)
    }
}

/// The live instances of every statement.
pub(super) fn sets(
    program: &Program,
    dataflow: &Dataflow,
    canonical: &Canonical,
    steps: &Steps,
) -> Result<Live> {
    let mut empty = Vec::new();
    for statement in &program.statements {
        empty.push(Set::empty(&statement.domain.space()?)?);
    }
    let mut finals = empty.clone();
    for (id, map) in dataflow.outputs.iter().flat_map(|output| &output.writers) {
        let last = map.domain()?.intersect_params(&program.context)?;
        finals[id.0] = finals[id.0].union(&last)?.coalesce()?;
    }
    let results = through_copies(program, steps, &finals)?;
    let mut guess = empty;
    for (at, statement) in program.statements.iter().enumerate() {
        if copies(statement) {
            guess[at] = statement.domain.intersect_params(&program.context)?;
        } else if computes(statement)
            && let Some(operation) = canonical
                .operations
                .iter()
                .find(|operation| operation.statement.0 == at)
        {
            guess[at] = operation.live.apply(&operation.instances)?.coalesce()?;
        }
    }
    let instances = match shrink(steps, &finals, guess)? {
        Some(sets) => sets,
        None => grow(steps, &finals)?,
    };
    Ok(Live { instances, results })
}

/// Takes away instances that neither are final nor have a reader in the sets.
fn shrink(steps: &Steps, finals: &[Set], mut sets: Vec<Set>) -> Result<Option<Vec<Set>>> {
    for _ in 0..ROUNDS {
        let needed = needed(steps, finals, &sets)?;
        let mut stable = true;
        for (set, needed) in sets.iter_mut().zip(needed) {
            if !set.is_subset(&needed)? {
                *set = set.intersect(&needed)?.coalesce()?;
                stable = false;
            }
        }
        if stable {
            return Ok(Some(sets));
        }
    }
    Ok(None)
}

/// What reaches a final cell in a few steps.
fn grow(steps: &Steps, finals: &[Set]) -> Result<Vec<Set>> {
    let mut sets = finals.to_vec();
    for _ in 0..ROUNDS {
        sets = needed(steps, finals, &sets)?;
    }
    Ok(sets)
}

/// Final writers, and what instances in the sets read.
fn needed(steps: &Steps, finals: &[Set], sets: &[Set]) -> Result<Vec<Set>> {
    let mut found = finals.to_vec();
    for step in steps.iter() {
        if let End::Statement(writer) = step.end {
            let read = sets[step.reader.0].apply(&step.relation)?;
            found[writer.0] = found[writer.0].union(&read)?;
        }
    }
    found.iter().map(|set| Ok(set.coalesce()?)).collect()
}

/// Follows final values back through copies to the instances that computed them.
fn through_copies(program: &Program, steps: &Steps, finals: &[Set]) -> Result<Vec<Set>> {
    let mut sets = finals.to_vec();
    for _ in 0..ROUNDS {
        let mut next = finals.to_vec();
        for step in steps.iter() {
            if let End::Statement(writer) = step.end
                && copies(program.statement(step.reader))
            {
                let read = sets[step.reader.0].apply(&step.relation)?;
                next[writer.0] = next[writer.0].union(&read)?.coalesce()?;
            }
        }
        sets = next;
    }
    Ok(sets)
}
