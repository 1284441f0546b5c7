//! Dimensions that others determine.
//!
//! In tiled code the tile counter follows from the point (`ii = 32*floor(i/32)`), so the projection that
//! drops it is injective on the domain, and re-indexing the instances by it changes nothing but their names.

use redblue_poly::{Map, PwAff};

use super::{Canonical, Operation, Origin, Source};
use crate::error::Result;
use crate::expression::Expression;

/// Drops, in every operation, dimensions that the remaining ones determine, outermost first.
pub(super) fn run(graph: &mut Canonical) -> Result<()> {
    for at in 0..graph.operations.len() {
        let kept = independent_dims(&graph.operations[at])?;
        let name = graph.operations[at].name.clone();
        select_dims(graph, at, &kept, &name)?;
    }
    Ok(())
}

/// Gives an operation a new name and the listed ones of its dimensions, in this order. The projection onto
/// them must be injective on its domain.
pub(super) fn select_dims(
    graph: &mut Canonical,
    at: usize,
    dims: &[usize],
    name: &str,
) -> Result<()> {
    let projection = projection(&graph.operations[at], dims, name)?;
    graph.operations[at].name = name.to_string();
    rename(graph, at, dims, &projection)
}

/// Gives the instances of an operation new names by a projection that is injective on its domain; `dims` are the dimensions that
/// its coordinates stand for.
pub(super) fn rename(
    graph: &mut Canonical,
    at: usize,
    dims: &[usize],
    projection: &Map,
) -> Result<()> {
    let operation = &mut graph.operations[at];
    operation.domain = operation.domain.apply(projection)?.coalesce()?;
    operation.live = operation.live.apply(projection)?.coalesce()?;
    operation.instances = operation.instances.apply_domain(projection)?;
    operation.value = operation.value.map_leaves(&mut |leaf| match leaf {
        Expression::Iterator(dim) => {
            Expression::Iterator(dims.iter().position(|d| d == dim).unwrap_or(*dim))
        }
        other => other.clone(),
    });
    for source in operation
        .operands
        .iter_mut()
        .flat_map(|operand| &mut operand.sources)
    {
        source.relation = source.relation.apply_range(projection)?.coalesce()?;
    }
    let readers = graph
        .operations
        .iter_mut()
        .flat_map(|operation| &mut operation.operands);
    let read = readers.flat_map(|operand| &mut operand.sources);
    let results = graph
        .outputs
        .iter_mut()
        .flat_map(|output| &mut output.sources);
    for source in read.chain(results) {
        provided(source, at, projection)?;
    }
    Ok(())
}

fn provided(source: &mut Source, at: usize, projection: &Map) -> Result<()> {
    if source.origin == Origin::Operation(at) {
        source.relation = source.relation.apply_domain(projection)?.coalesce()?;
    }
    Ok(())
}

fn independent_dims(operation: &Operation) -> Result<Vec<usize>> {
    let mentioned = operation.value.iterators();
    let mut kept: Vec<usize> = (0..operation.domain.n_dim()).collect();
    for dim in 0..operation.domain.n_dim() {
        if mentioned.contains(&dim) {
            continue;
        }
        let rest: Vec<usize> = kept.iter().copied().filter(|other| *other != dim).collect();
        let onto = projection(operation, &rest, "")?.intersect_domain(&operation.domain)?;
        if onto.is_injective()? {
            kept = rest;
        }
    }
    Ok(kept)
}

fn projection(operation: &Operation, dims: &[usize], name: &str) -> Result<Map> {
    let space = operation.domain.space()?;
    let coordinates = dims.iter().map(|&dim| PwAff::dim(&space, dim));
    let coordinates = coordinates.collect::<std::result::Result<Vec<_>, _>>()?;
    Ok(Map::from_pw_affs(&space, name, &coordinates)?)
}
