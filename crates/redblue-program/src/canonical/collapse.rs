//! Copies and constants.
//!
//! ```text
//! t = A[i];  B[i] = t + 1      ──►  B[i] = A[i] + 1
//! s = 0;     s = s + x[i]      ──►  the first term of the sum starts from the constant 0
//! ```
//!
//! An operation that passes its only operand through is taken out of every path: its readers are related to
//! its own sources. One that reads nothing is a constant of its indices. Both are repeated until nothing
//! changes. A copy that feeds itself (`x[i] = x[i - 1]`) stays an operation: taking it out would need the
//! transitive closure of its relation.

use redblue_poly::{Map, PwAff};

use super::{Canonical, Operand, Operation, Origin, Source};
use crate::error::Result;
use crate::expression::Expression;

/// Collapses copies and constants. Collapsed operations stay in the list, but nobody reads them any more.
pub(super) fn run(graph: &mut Canonical) -> Result<()> {
    let mut collapsed = vec![false; graph.operations.len()];
    loop {
        let next = (0..graph.operations.len())
            .find(|&at| !collapsed[at] && passes_on(at, &graph.operations[at]));
        let Some(at) = next else { break };
        collapsed[at] = true;
        let operation = graph.operations[at].clone();
        for sources in all_sources(graph) {
            bypass(sources, at, &operation)?;
        }
        for reader in &mut graph.operations {
            fold_literals(reader);
        }
    }
    for operation in &mut graph.operations {
        unite_operands(operation)?;
    }
    Ok(())
}

/// Whether the readers of an operation can be served without it.
fn passes_on(at: usize, operation: &Operation) -> bool {
    match operation.operands.as_slice() {
        [] => true,
        [operand] => operation.value == Expression::Read(0) && operand.from_operation(at).is_none(),
        _ => false,
    }
}

fn all_sources(graph: &mut Canonical) -> impl Iterator<Item = &mut Vec<Source>> {
    let operands = graph
        .operations
        .iter_mut()
        .flat_map(|operation| &mut operation.operands);
    let outputs = graph.outputs.iter_mut().map(|output| &mut output.sources);
    operands.map(|operand| &mut operand.sources).chain(outputs)
}

/// Replaces a collapsed operation among the sources of a reader by that operation's own sources.
fn bypass(sources: &mut Vec<Source>, at: usize, operation: &Operation) -> Result<()> {
    let Some(place) = sources
        .iter()
        .position(|s| s.origin == Origin::Operation(at))
    else {
        return Ok(());
    };
    let through = sources.remove(place).relation;
    match operation.operands.first() {
        None => add(sources, constant(&operation.value, &through)?),
        Some(operand) => {
            for source in &operand.sources {
                let relation = source.relation.apply_range(&through)?;
                add(
                    sources,
                    Source {
                        origin: source.origin.clone(),
                        relation,
                    },
                )?;
            }
            Ok(())
        }
    }
}

/// Adds a source, united with one of the same origin.
fn add(sources: &mut Vec<Source>, source: Source) -> Result<()> {
    if source.relation.is_empty()? {
        return Ok(());
    }
    let same = |other: &&mut Source| {
        other.origin == source.origin && other.relation.in_tuple() == source.relation.in_tuple()
    };
    match sources.iter_mut().find(same) {
        Some(known) => known.relation = known.relation.union(&source.relation)?.coalesce()?,
        None => sources.push(Source {
            relation: source.relation.coalesce()?,
            ..source
        }),
    }
    Ok(())
}

/// The source that a constant operation is: its indices are those dimensions that its value mentions.
fn constant(value: &Expression, readers: &Map) -> Result<Source> {
    let used = value.iterators();
    let space = readers.domain()?.space()?;
    let coordinates = used.iter().map(|&dim| PwAff::dim(&space, dim));
    let coordinates = coordinates.collect::<std::result::Result<Vec<_>, _>>()?;
    let indices = Map::from_pw_affs(&space, "", &coordinates)?;
    let value = value.map_leaves(&mut |leaf| match leaf {
        Expression::Iterator(dim) => {
            Expression::Iterator(used.iter().position(|u| u == dim).unwrap_or(*dim))
        }
        other => other.clone(),
    });
    Ok(Source {
        origin: Origin::Constant(value),
        relation: readers.apply_domain(&indices)?,
    })
}

/// Writes operands that are the same literal for every instance into the value.
fn fold_literals(operation: &mut Operation) {
    while let Some((position, literal)) =
        operation
            .operands
            .iter()
            .enumerate()
            .find_map(|(position, operand)| match operand.sources.as_slice() {
                [
                    Source {
                        origin: Origin::Constant(value),
                        ..
                    },
                ] if value.iterators().is_empty() => Some((position, value.clone())),
                _ => None,
            })
    {
        operation.operands.remove(position);
        operation.value = operation.value.map_leaves(&mut |leaf| match leaf {
            Expression::Read(at) if *at == position => literal.clone(),
            Expression::Read(at) if *at > position => Expression::Read(at - 1),
            other => other.clone(),
        });
    }
}

/// Makes operands that always hold the same value one operand: `A[i] * A[i]` reads one value.
fn unite_operands(operation: &mut Operation) -> Result<()> {
    let mut kept: Vec<Operand> = Vec::new();
    let mut places = Vec::new();
    for operand in std::mem::take(&mut operation.operands) {
        let mut place = kept.len();
        for (at, other) in kept.iter().enumerate() {
            if same_operand(other, &operand)? {
                place = at;
                break;
            }
        }
        if place == kept.len() {
            kept.push(operand);
        }
        places.push(place);
    }
    operation.operands = kept;
    operation.value = operation.value.map_leaves(&mut |leaf| match leaf {
        Expression::Read(at) => Expression::Read(places.get(*at).copied().unwrap_or(*at)),
        other => other.clone(),
    });
    Ok(())
}

fn same_operand(a: &Operand, b: &Operand) -> Result<bool> {
    if a.sources.len() != b.sources.len() {
        return Ok(false);
    }
    for source in &a.sources {
        // Two undefined cells are not the same value.
        let equal = match b.from(&source.origin) {
            Some(relation) if source.origin != Origin::Undefined => {
                source.relation.in_tuple() == relation.in_tuple()
                    && source.relation.is_equal(relation)?
            }
            _ => false,
        };
        if !equal {
            return Ok(false);
        }
    }
    Ok(true)
}
