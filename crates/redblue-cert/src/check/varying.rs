//! Constants: values that no input has a part in are free, and no vertices.
//!
//! A statement without operands is a constant, and so is whatever is computed from constants alone, or from cells of local
//! arrays that nobody wrote. The *varying* instances are those with a dependence on an input or on a varying
//! instance. Dependences lead back in time and there are finitely many instances, so a set all of whose
//! members have such a dependence varies as a whole: it is found by starting from everything and taking away what has none.

use std::collections::BTreeMap;

use redblue_poly::{Set, UnionSet};

use super::dependence::Flow;
use super::view::{Kind, View};
use crate::refusal::Result;

/// How often instances are taken away. A statement that still shrinks then, along a chain, is taken away as a whole at the sizes at
/// which it does, which proves less.
const MOST_ROUNDS: usize = 6;

/// Instances, copies included, that are shown to vary. Dependences that are missing make it smaller.
pub(super) fn instances(view: &View, flows: &[Flow]) -> Result<UnionSet> {
    let mut varying: BTreeMap<&str, Set> = BTreeMap::new();
    // Statements with instances that read no input.
    let mut open: Vec<&str> = Vec::new();
    for statement in view.statements() {
        let name = statement.name.as_str();
        let domain = match view.kind(statement) {
            Kind::Constant => Set::empty(&statement.domain.space()?)?,
            Kind::Operation | Kind::Copy => view.domain(statement)?,
        };
        let inputs = supported(flows, name, &varying, false)?;
        if !inputs.is_some_and(|inputs| domain.is_subset(&inputs) == Ok(true)) {
            open.push(name);
        }
        varying.insert(name, domain);
    }
    // What was taken away last, while there is anything.
    let mut taken: Vec<(&str, Set)> = Vec::new();
    loop {
        for _ in 0..MOST_ROUNDS {
            taken.clear();
            for &name in &open {
                let own = varying[name].clone();
                let rest = match supported(flows, name, &varying, true)? {
                    Some(supported) => own.intersect(&supported)?,
                    None => Set::empty(&own.space()?)?,
                };
                let gone = own.subtract(&rest)?;
                if !gone.is_empty()? {
                    varying.insert(name, rest);
                    taken.push((name, gone));
                }
            }
            if taken.is_empty() {
                break;
            }
        }
        if taken.is_empty() {
            break;
        }
        for (name, gone) in &taken {
            let there = varying[name].intersect_params(&gone.params()?)?;
            let rest = varying[name].subtract(&there)?;
            varying.insert(name, rest);
        }
    }
    let mut all = UnionSet::empty(view.isl())?;
    for set in varying.values() {
        all = all.union(&set.to_union()?)?;
    }
    Ok(all)
}

/// All instances at sizes with a zero among them. Formulas are not about these, and there a sum without terms makes
/// constants of what it goes into: proofs need not make exceptions for them.
pub(super) fn degenerate(view: &View) -> Result<UnionSet> {
    let sizes = view.sizes().subtract(view.positive())?;
    let mut all = UnionSet::empty(view.isl())?;
    for statement in view.statements() {
        let domain = statement.domain.intersect_params(&sizes)?;
        all = all.union(&domain.to_union()?)?;
    }
    Ok(all)
}

/// The instances of a statement that read an input, or, if wanted, a varying value.
fn supported(
    flows: &[Flow],
    name: &str,
    varying: &BTreeMap<&str, Set>,
    values: bool,
) -> Result<Option<Set>> {
    let mut all: Option<Set> = None;
    for flow in flows.iter().filter(|flow| flow.reader == name) {
        let own = match &flow.writer {
            None => flow.relation.domain()?,
            Some(writer) if values => match varying.get(writer.as_str()) {
                Some(set) => flow.relation.intersect_range(set)?.domain()?,
                None => continue,
            },
            Some(_) => continue,
        };
        all = Some(match all {
            None => own,
            Some(others) => others.union(&own)?,
        });
    }
    Ok(all)
}
