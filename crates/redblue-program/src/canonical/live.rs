//! Which instances reach an output.
//!
//! An instance is live if it provides a final cell or an operand of a live instance. Writing `W` for the
//! former and `pre` for "provides an operand of", the live set solves
//!
//! ```text
//! L = W ∪ pre(L)
//! ```
//!
//! and, because values flow forward in time and a program at fixed sizes is finite, this equation has exactly
//! one solution: two solutions could differ only in an instance all of whose readers they agree on. So any
//! set that solves it, however it was guessed, is the live set; no transitive closure is needed. The guesses:
//! everything, with a few layers of unread instances taken away; then the few last layers before the outputs,
//! stretched along the dimensions in which an operation feeds itself. If neither solves the equation, the
//! proven parts are kept: what grew from the outputs is live, what was taken away is dead.

use redblue_poly::Set;

use super::{Canonical, Origin, Source};
use crate::dataflow::reduction::moving_dims;
use crate::error::Result;

/// How many layers are taken away from above, or added from below, before giving up.
const LAYERS: usize = 6;

/// Shrinks every domain to its live instances, and every relation accordingly.
pub(super) fn run(graph: &mut Canonical) -> Result<()> {
    let above = from_above(graph)?;
    let (domains, live) = match above {
        Guess::Solution(sets) => (sets.clone(), sets),
        Guess::Bound(upper) => match from_below(graph)? {
            Guess::Solution(sets) => (sets.clone(), sets),
            Guess::Bound(lower) => (upper, lower),
        },
    };
    for ((operation, domain), live) in graph.operations.iter_mut().zip(domains).zip(live) {
        operation.live_is_exact = domain.is_equal(&live)?;
        operation.live = live;
        operation.instances = operation.instances.intersect_domain(&domain)?;
        operation.domain = domain;
    }
    let domains: Vec<Set> = graph.operations.iter().map(|o| o.domain.clone()).collect();
    for (operation, domain) in graph.operations.iter_mut().zip(&domains) {
        for operand in &mut operation.operands {
            restrict(&mut operand.sources, domain)?;
        }
    }
    Ok(())
}

/// Sets of instances, one per operation.
enum Guess {
    /// They solve the equation.
    Solution(Vec<Set>),
    /// They are a bound of the solution.
    Bound(Vec<Set>),
}

fn restrict(sources: &mut Vec<Source>, readers: &Set) -> Result<()> {
    let mut kept = Vec::new();
    for source in sources.drain(..) {
        let relation = source.relation.intersect_range(readers)?;
        if !relation.is_empty()? {
            kept.push(Source {
                relation: relation.coalesce()?,
                ..source
            });
        }
    }
    *sources = kept;
    Ok(())
}

/// Starts from everything in operations with a path to an output and takes unread instances away.
fn from_above(graph: &Canonical) -> Result<Guess> {
    let reaches = reaching_operations(graph);
    let mut sets = Vec::new();
    for (operation, reaches) in graph.operations.iter().zip(reaches) {
        let domain = &operation.domain;
        sets.push(if reaches {
            domain.clone()
        } else {
            Set::empty(&domain.space()?)?
        });
    }
    for _ in 0..LAYERS {
        let providers = providers(graph, &sets)?;
        let mut changed = false;
        for (set, providers) in sets.iter_mut().zip(&providers) {
            if !set.is_subset(providers)? {
                *set = set.intersect(providers)?.coalesce()?;
                changed = true;
            }
        }
        if !changed {
            return Ok(Guess::Solution(sets));
        }
    }
    Ok(Guess::Bound(sets))
}

/// Starts from the last writers and adds what they read; then once more, stretched along self-dependences.
fn from_below(graph: &Canonical) -> Result<Guess> {
    let mut nothing = Vec::new();
    for operation in &graph.operations {
        nothing.push(Set::empty(&operation.domain.space()?)?);
    }
    let proven = match grow(graph, nothing, false)? {
        Guess::Bound(proven) => proven,
        solution => return Ok(solution),
    };
    match grow(graph, proven.clone(), true)? {
        Guess::Bound(_) => Ok(Guess::Bound(proven)),
        solution => Ok(solution),
    }
}

/// Adds providers layer by layer. Without stretching, everything added is live.
fn grow(graph: &Canonical, mut sets: Vec<Set>, stretched: bool) -> Result<Guess> {
    for _ in 0..LAYERS {
        if stretched {
            stretch(graph, &mut sets)?;
        }
        let next = providers(graph, &sets)?;
        let mut solved = true;
        for (set, next) in sets.iter_mut().zip(next) {
            solved &= set.is_equal(&next)?;
            *set = set.union(&next)?.coalesce()?;
        }
        if solved {
            return Ok(Guess::Solution(sets));
        }
    }
    Ok(Guess::Bound(sets))
}

/// Extends sets to all of the domain along the dimensions in which an operation feeds itself.
fn stretch(graph: &Canonical, sets: &mut [Set]) -> Result<()> {
    for (at, operation) in graph.operations.iter().enumerate() {
        for operand in &operation.operands {
            let Some(step) = operand.from_operation(at) else {
                continue;
            };
            for dim in moving_dims(step)? {
                sets[at] = sets[at].eliminate(dim, 1)?.intersect(&operation.domain)?;
            }
        }
    }
    Ok(())
}

/// `W ∪ pre(sets)`: the instances that provide a final cell or an operand of an instance in the sets.
fn providers(graph: &Canonical, sets: &[Set]) -> Result<Vec<Set>> {
    let mut found = Vec::new();
    for operation in &graph.operations {
        found.push(Set::empty(&operation.domain.space()?)?);
    }
    for output in &graph.outputs {
        for source in &output.sources {
            if let Origin::Operation(at) = source.origin {
                found[at] = found[at].union(&source.relation.domain()?)?;
            }
        }
    }
    for (operation, readers) in graph.operations.iter().zip(sets) {
        for source in operation
            .operands
            .iter()
            .flat_map(|operand| &operand.sources)
        {
            if let Origin::Operation(at) = source.origin {
                let read = source.relation.intersect_range(readers)?.domain()?;
                found[at] = found[at].union(&read)?;
            }
        }
    }
    found.iter().map(|set| Ok(set.coalesce()?)).collect()
}

/// Operations from which a path of relations leads to an output, whatever the instances.
fn reaching_operations(graph: &Canonical) -> Vec<bool> {
    let mut reaches = vec![false; graph.operations.len()];
    let mut waiting: Vec<&Source> = graph.outputs.iter().flat_map(|o| &o.sources).collect();
    while let Some(source) = waiting.pop() {
        if let Origin::Operation(at) = source.origin
            && !std::mem::replace(&mut reaches[at], true)
        {
            waiting.extend(
                graph.operations[at]
                    .operands
                    .iter()
                    .flat_map(|o| &o.sources),
            );
        }
    }
    reaches
}
