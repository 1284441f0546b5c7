//! An order for everything that has none: dimensions, operations, operands, arrays, and names by that order.
//!
//! Dimensions are sorted by the part they play (position in an output cell, then in input cells; those a
//! chain runs along last), operations by their distance to the outputs, commutative arguments by what they
//! read. Parts that play the same role keep the source's order: then two spellings of one computation may
//! have different texts, and only [`super::equivalent`] sees that they are the same.

use std::collections::BTreeSet;

use num_traits::Zero;
use redblue_poly::Map;

use super::{Canonical, Operand, Origin, reindex, value};
use crate::dataflow::reduction::moving_dims;
use crate::error::Result;
use crate::expression::Expression;

/// Sorts and names the parts of a graph.
pub(super) fn run(graph: Canonical) -> Result<Canonical> {
    let mut graph = sort_operations(graph)?;
    for at in 0..graph.operations.len() {
        let order = sorted_dims(&graph, at)?;
        reindex::select_dims(&mut graph, at, &order, &format!("op{at}"))?;
    }
    for at in 0..graph.operations.len() {
        sort_operands(&mut graph, at)?;
    }
    name_arrays(&mut graph)?;
    Ok(graph)
}

/// Drops operations without instances and sorts the others: farthest from the outputs first.
fn sort_operations(mut graph: Canonical) -> Result<Canonical> {
    let distance = distances(&graph);
    let mut kept = Vec::new();
    for (at, operation) in graph.operations.iter().enumerate() {
        if !operation.domain.is_empty()? {
            let shape = (operation.domain.n_dim(), operation.value.to_string());
            kept.push((std::cmp::Reverse(distance[at]), shape, at));
        }
    }
    kept.sort();
    let place = |at: usize| kept.iter().position(|(_, _, old)| *old == at);
    for operation in &mut graph.operations {
        for operand in &mut operation.operands {
            renumber(operand, &place);
        }
    }
    for output in &mut graph.outputs {
        for source in &mut output.sources {
            renumber_origin(&mut source.origin, &place);
        }
    }
    let operations = kept
        .iter()
        .map(|(_, _, at)| graph.operations[*at].clone())
        .collect();
    Ok(Canonical {
        operations,
        ..graph
    })
}

fn renumber(operand: &mut Operand, place: &dyn Fn(usize) -> Option<usize>) {
    for source in &mut operand.sources {
        renumber_origin(&mut source.origin, place);
    }
}

fn renumber_origin(origin: &mut Origin, place: &dyn Fn(usize) -> Option<usize>) {
    if let Origin::Operation(at) = origin
        && let Some(new) = place(*at)
    {
        *at = new;
    }
}

/// The least number of relations between an operation and an output.
fn distances(graph: &Canonical) -> Vec<usize> {
    let mut distance = vec![usize::MAX; graph.operations.len()];
    let mut layer: BTreeSet<usize> = BTreeSet::new();
    for source in graph.outputs.iter().flat_map(|output| &output.sources) {
        if let Origin::Operation(at) = source.origin {
            layer.insert(at);
        }
    }
    let mut depth = 0;
    while !layer.is_empty() {
        let mut next = BTreeSet::new();
        for at in layer {
            if distance[at] > depth {
                distance[at] = depth;
                let operands = &graph.operations[at].operands;
                for source in operands.iter().flat_map(|operand| &operand.sources) {
                    if let Origin::Operation(producer) = source.origin {
                        next.insert(producer);
                    }
                }
            }
        }
        layer = next;
        depth += 1;
    }
    distance
}

/// The dimensions of an operation by the part they play.
fn sorted_dims(graph: &Canonical, at: usize) -> Result<Vec<usize>> {
    let operation = &graph.operations[at];
    let dims = operation.domain.n_dim();
    let mut moving = vec![false; dims];
    let mut facts: Vec<Vec<String>> = vec![Vec::new(); dims];
    for source in graph.outputs.iter().flat_map(|output| &output.sources) {
        if source.origin == Origin::Operation(at) {
            // Copies can put one value into several cells; the first of them speaks for it.
            collect_facts("0", &source.relation.lexmin()?, &mut facts)?;
        }
    }
    for source in operation
        .operands
        .iter()
        .flat_map(|operand| &operand.sources)
    {
        match source.origin {
            Origin::Operation(producer) if producer == at => {
                for dim in moving_dims(&source.relation)? {
                    moving[dim] = true;
                }
            }
            Origin::Input(_) => {
                collect_facts("1", &source.relation.reverse()?, &mut facts)?;
            }
            _ => {}
        }
    }
    for list in &mut facts {
        list.sort();
    }
    let mut order: Vec<usize> = (0..dims).collect();
    order.sort_by(|&a, &b| (moving[a], &facts[a]).cmp(&(moving[b], &facts[b])));
    Ok(order)
}

/// Notes in which coordinates of an array cell each dimension occurs.
fn collect_facts(kind: &str, cells: &Map, facts: &mut [Vec<String>]) -> Result<()> {
    for (_, coordinates) in cells.affine_pieces()? {
        for (position, coordinate) in coordinates.iter().enumerate() {
            for (dim, coefficient) in coordinate.numerator.dims.iter().enumerate() {
                if !coefficient.is_zero() {
                    let arity = coordinates.len();
                    facts[dim].push(format!("{kind} {position}/{arity} {coefficient}"));
                }
            }
        }
    }
    Ok(())
}

/// Sorts commutative arguments by what they read, and numbers the operands as they occur.
fn sort_operands(graph: &mut Canonical, at: usize) -> Result<()> {
    let operands = &graph.operations[at].operands;
    let keys: Vec<String> = operands
        .iter()
        .map(|o| description(o, at))
        .collect::<Result<_>>()?;
    let operation = &mut graph.operations[at];
    let arranged = value::arrange(&operation.value, &|operand| {
        keys.get(operand).cloned().unwrap_or_default()
    });
    let mut order: Vec<usize> = Vec::new();
    for operand in arranged.operands() {
        if !order.contains(&operand) {
            order.push(operand);
        }
    }
    operation.value = arranged.map_leaves(&mut |leaf| match leaf {
        Expression::Read(old) => {
            Expression::Read(order.iter().position(|o| o == old).unwrap_or(*old))
        }
        other => other.clone(),
    });
    operation.operands = order
        .iter()
        .map(|&old| operation.operands[old].clone())
        .collect();
    Ok(())
}

/// What an operand reads, without names: its own operation first, then others, inputs with their cells.
fn description(operand: &Operand, reader: usize) -> Result<String> {
    let mut parts = Vec::new();
    for source in &operand.sources {
        parts.push(match &source.origin {
            Origin::Operation(at) if *at == reader => "0 own".to_string(),
            Origin::Operation(at) => format!("1 op{at}"),
            Origin::Input(_) => {
                let cells = source.relation.reverse()?.set_out_tuple("cell")?;
                format!("2 {cells}")
            }
            Origin::Constant(value) => format!("3 {value}"),
            Origin::Undefined => "4".to_string(),
        });
    }
    parts.sort();
    Ok(parts.join("; "))
}

/// Names inputs in the order in which the operations read them, and outputs in the program's order.
fn name_arrays(graph: &mut Canonical) -> Result<()> {
    let mut order: Vec<usize> = Vec::new();
    let read = graph
        .operations
        .iter()
        .flat_map(|operation| &operation.operands);
    let read = read.flat_map(|operand| &operand.sources);
    let results = graph.outputs.iter().flat_map(|output| &output.sources);
    for source in read.chain(results) {
        if let Origin::Input(input) = source.origin
            && !order.contains(&input)
        {
            order.push(input);
        }
    }
    let mut inputs = Vec::new();
    for (place, &old) in order.iter().enumerate() {
        let mut input = graph.inputs[old].clone();
        input.name = format!("in{place}");
        inputs.push(input);
    }
    let mut used = vec![None; inputs.len()];
    let operands = graph
        .operations
        .iter_mut()
        .flat_map(|operation| &mut operation.operands);
    let read = operands.flat_map(|operand| &mut operand.sources);
    let results = graph
        .outputs
        .iter_mut()
        .flat_map(|output| &mut output.sources);
    for source in read.chain(results) {
        if let Origin::Input(input) = &mut source.origin
            && let Some(place) = order.iter().position(|old| old == input)
        {
            *input = place;
            source.relation = source.relation.set_in_tuple(&inputs[place].name)?;
            let cells = source.relation.domain()?;
            used[place] = Some(match used[place].take() {
                Some(others) => cells.union(&others)?.coalesce()?,
                None => cells,
            });
        }
    }
    for (input, cells) in inputs.iter_mut().zip(used) {
        input.cells = cells.map_or_else(|| input.cells.set_tuple_name(&input.name), Ok)?;
    }
    graph.inputs = inputs;
    for (place, output) in graph.outputs.iter_mut().enumerate() {
        output.name = format!("out{place}");
        for source in &mut output.sources {
            source.relation = source.relation.set_out_tuple(&output.name)?;
        }
    }
    Ok(())
}
