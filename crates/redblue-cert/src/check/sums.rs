//! Sums in any order: when a proof does not depend on the program's own order of its sums.
//!
//! If sums may be taken in any order and by any tree, a statement `x = x ⊕ e` only says that e is one of the
//! summands of the final x; its running values need not exist (U-4). What remains true: the summand e is
//! computed from its own operands, and a final value is computed from all its summands. So
//! * no edge of a path goes through an operand that is itself a summand (the running value is one);
//! * a target of such a statement stands for one summand, which must be an operation and hold the operands of all
//!   its edges, and is no terminal itself;
//! * a member of such a statement is a final value: no later sum continues it. A path from it to its own summand meets only
//!   partial sums that hold this summand, which belong to this final value alone and get its label.
//!
//! Syntax decides, on the safe side: any operand that stands alone as an argument of an associative operator at
//! the root counts as a summand, unless neither the statement's operands nor its readers can be part of a sum with it: then it is one
//! operation like others. Capacities that follow running values of sums (hourglass) never qualify.

use redblue_poly::{Map, Set, Space, UnionSet};
use redblue_program::{BinaryOp, Expression, Statement};

use super::family::Paths;
use super::graph::{Graph, Targets};
use crate::certificate::{Capacity, Edge, Group};
use crate::refusal::Result;

/// How many copies in a row are followed; beyond, the proof is taken to depend on the order.
pub(super) const MOST_COPIES: usize = 4;

/// Whether the group's part of the proof holds for sums in any order.
pub(super) fn free(
    graph: &Graph,
    targets: &Targets,
    group: &Group,
    paths: &[Paths],
) -> Result<bool> {
    let mut edges: Vec<&Edge> = group.families.iter().flat_map(|f| &f.edges).collect();
    match &group.capacity {
        Capacity::BrascampLieb { .. } | Capacity::Symmetric { .. } | Capacity::Merging(_) => {}
        Capacity::Hourglass(_) => return Ok(false),
        // These decide for themselves: see `fused` and `mirror`.
        Capacity::Fused(_) | Capacity::Mirror(_) => return Ok(false),
        Capacity::Reduction(pattern) => {
            edges.extend(pattern.leaves.iter().flat_map(|leaves| &leaves.edges));
            // Links may follow the running values: a tree is a final value with all its summands.
            return Ok(edges_avoid_summands(graph, &edges)? && final_values(graph, &targets.all)?);
        }
    }
    if !edges_avoid_summands(graph, &edges)? {
        return Ok(false);
    }
    for statement in graph.view.statements() {
        let Some(summands) = summands(&statement.value).filter(|_| in_sum(graph, statement)) else {
            continue;
        };
        let own = |set: &UnionSet| -> Result<Set> { Ok(set.set_of(&statement.domain.space()?)?) };
        if !own(&targets.all)?.is_empty()? {
            let mut operands = Vec::new();
            for edge in &edges {
                let hop = graph.first_hop(edge)?;
                if hop.reader == statement.name {
                    operands.push(hop.operand);
                }
            }
            let holds = |summand: &&Expression| {
                let inside = summand.operands();
                !matches!(summand, Expression::Read(_))
                    && operands.iter().all(|o| inside.contains(o))
            };
            if !summands.iter().any(holds) {
                return Ok(false);
            }
        }
        for family in paths {
            if !own(&family.own_terminals)?.is_empty()? {
                return Ok(false);
            }
        }
    }
    for family in paths {
        if !final_values(graph, &family.labels.domain()?)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Whether no edge starts at an operand that is a summand by itself.
pub(super) fn edges_avoid_summands(graph: &Graph, edges: &[&Edge]) -> Result<bool> {
    for edge in edges {
        let hop = graph.first_hop(edge)?;
        let statement = graph.view.statement(&hop.reader)?;
        if in_sum(graph, statement) && bare_operands(statement).contains(&hop.operand) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Whether a statement may continue a sum, or be continued by one: it shares an array with a statement of the same operator, or
/// with a copy, be it with another sign.
pub(super) fn in_sum(graph: &Graph, statement: &Statement) -> bool {
    let Some(own) = operator(&statement.value) else {
        return false;
    };
    let alone = |statement: &Statement| {
        let operands = bare_operands(statement).into_iter();
        operands
            .filter_map(|at| Some(statement.reads.get(at)?.array))
            .collect::<Vec<_>>()
    };
    graph
        .view
        .statements()
        .iter()
        .any(|other| match &other.value {
            value if carried(value).is_some() => {
                let copied = other
                    .reads
                    .iter()
                    .any(|read| read.array == statement.write.array);
                copied || alone(statement).contains(&other.write.array)
            }
            value if operator(value).as_ref() == Some(&own) => {
                alone(statement).contains(&other.write.array)
                    || alone(other).contains(&statement.write.array)
            }
            _ => false,
        })
}

/// Whether no later sum continues one of these values, directly or after being copied.
fn final_values(graph: &Graph, values: &UnionSet) -> Result<bool> {
    let view = &graph.view;
    let mut open = Vec::new();
    for statement in view.statements() {
        let own = values.set_of(&statement.domain.space()?)?;
        let operator = operator(&statement.value).filter(|_| in_sum(graph, statement));
        if let Some(operator) = operator
            && !own.is_empty()?
        {
            open.push((statement, own, operator));
        }
    }
    for _ in 0..=MOST_COPIES {
        let mut copies = Vec::new();
        for (writer, own, operator) in &open {
            for reader in view.statements() {
                // Only the same operator continues a sum: a product of sums is not a longer sum.
                let carried = carried(&reader.value);
                let alone = match carried {
                    Some(operand) => vec![operand],
                    None if self::operator(&reader.value).as_ref() == Some(operator) => {
                        bare_operands(reader)
                    }
                    None => Vec::new(),
                };
                for operand in alone {
                    let readers = readers(graph, writer, own, reader, operand)?;
                    match carried {
                        _ if readers.is_empty()? => {}
                        Some(_) => copies.push((reader, readers, operator.clone())),
                        None => return Ok(false),
                    }
                }
            }
        }
        if copies.is_empty() {
            return Ok(true);
        }
        open = copies;
    }
    Ok(false)
}

/// The instances of `reader` whose operand reads a value that one of the instances `own` of `writer` wrote.
fn readers(
    graph: &Graph,
    writer: &Statement,
    own: &Set,
    reader: &Statement,
    operand: usize,
) -> Result<Set> {
    Ok(readings(graph, writer, own, reader, operand)?.range()?)
}

/// From the instances `own` of `writer` to the instances of `reader` whose operand reads their value.
pub(super) fn readings(
    graph: &Graph,
    writer: &Statement,
    own: &Set,
    reader: &Statement,
    operand: usize,
) -> Result<Map> {
    let view = &graph.view;
    let write = writer.write.map.intersect_domain(own)?;
    let read = match reader.reads.get(operand) {
        Some(read) if read.array == writer.write.array => view.on_domain(&read.map, reader)?,
        _ => {
            let space = Space::map(&writer.domain.space()?, &reader.domain.space()?)?;
            return Ok(Map::empty(&space)?);
        }
    };
    let same = write.apply_range(&read.reverse()?)?;
    let mut pairs = same.intersect(&view.before(writer, reader)?)?;
    for other in view.statements() {
        if other.write.array == writer.write.array {
            let over = view.on_domain(&other.write.map, other)?.reverse()?;
            let over = write
                .apply_range(&over)?
                .intersect(&view.before(writer, other)?)?;
            pairs = pairs.subtract(&over.apply_range(&view.before(other, reader)?)?)?;
        }
    }
    Ok(pairs)
}

/// The operand that a statement hands on as it is, but for its sign or its type.
pub(super) fn carried(value: &Expression) -> Option<usize> {
    match value {
        Expression::Read(operand) => Some(*operand),
        Expression::Unary(_, a) | Expression::Cast(_, a) => carried(a),
        _ => None,
    }
}

/// The operands that are summands by themselves. In a selection or a call this is also the old value of the cell that is written, however
/// deep inside: `m = max(a, max(m, b))`, or a sum that goes on under a condition.
pub(super) fn bare_operands(statement: &Statement) -> Vec<usize> {
    let value = &statement.value;
    let bare = |summand: &Expression| match summand {
        Expression::Read(operand) => Some(*operand),
        _ => None,
    };
    let Some(summands) = summands(value) else {
        return Vec::new();
    };
    let mut found: Vec<usize> = summands.into_iter().filter_map(bare).collect();
    if operator(value).as_deref() == Some(SELECTION) {
        let old = |operand: &usize| {
            let read = statement.reads.get(*operand);
            read.is_some_and(|read| {
                let same = read.map.is_equal(&statement.write.map);
                read.array == statement.write.array && same.unwrap_or(true)
            })
        };
        found.extend(value.operands().into_iter().filter(old));
    }
    found
}

/// The arguments of an associative and commutative operator at the root of a value, if there is one.
pub(super) fn summands(value: &Expression) -> Option<Vec<&Expression>> {
    match value {
        Expression::Binary(op, ..) => {
            let family = |op: BinaryOp| match op {
                BinaryOp::Subtract => BinaryOp::Add,
                BinaryOp::Divide => BinaryOp::Multiply,
                other => other,
            };
            let root = family(*op);
            if !root.is_commutative() {
                return None;
            }
            let mut found = Vec::new();
            let mut open = vec![value];
            while let Some(next) = open.pop() {
                match next {
                    Expression::Binary(op, a, b) if family(*op) == root => {
                        open.extend([&**a, &**b])
                    }
                    Expression::Unary(_, a) | Expression::Cast(_, a) => open.push(a),
                    Expression::Call(name, arguments) if root == BinaryOp::Add && fused(name) => {
                        open.extend(arguments)
                    }
                    other => found.push(other),
                }
            }
            Some(found)
        }
        // Minimum and maximum, as functions or selections, of any number of terms.
        Expression::Call(_, arguments) if arguments.len() > 1 => Some(terms(value)),
        Expression::Select(..) => Some(terms(value)),
        Expression::Unary(_, a) | Expression::Cast(_, a) => summands(a),
        _ => None,
    }
}

/// What a selection, or a function that may be one, selects from.
fn terms(value: &Expression) -> Vec<&Expression> {
    match value {
        Expression::Call(_, arguments) if arguments.len() > 1 => {
            arguments.iter().flat_map(terms).collect()
        }
        Expression::Select(_, a, b) => [terms(a), terms(b)].concat(),
        Expression::Unary(_, a) | Expression::Cast(_, a) => terms(a),
        other => vec![other],
    }
}

/// The associative operator at the root of a value, by name.
pub(super) fn operator(value: &Expression) -> Option<String> {
    summands(value)?;
    match value {
        Expression::Binary(BinaryOp::Subtract, ..) => Some(BinaryOp::Add.to_string()),
        Expression::Binary(BinaryOp::Divide, ..) => Some(BinaryOp::Multiply.to_string()),
        Expression::Binary(op, ..) => Some(op.to_string()),
        Expression::Unary(_, inner) | Expression::Cast(_, inner) => operator(inner),
        Expression::Call(name, _) if fused(name) => Some(BinaryOp::Add.to_string()),
        // A maximum may be a function here and a selection there.
        _ => Some(SELECTION.into()),
    }
}

/// What selections, and functions that may be one, are called as operators.
const SELECTION: &str = "?:";

/// Whether a function is a product with a sum in one.
fn fused(name: &str) -> bool {
    matches!(name, "fma" | "fmaf" | "fmal")
}
