//! Classes of loops and subscripts that have the same values.

use std::collections::{BTreeMap, BTreeSet};

use num_bigint::BigInt;
use redblue_program::{Program, StatementId};

use crate::error::Result;
use crate::order::Row;
use crate::shape::Shape;
use crate::site::ranges;

/// A loop of a statement, or a subscript of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Node {
    Loop(usize, usize),
    Subscript(usize, usize),
}

/// Loops and subscripts that have the same values.
#[derive(Clone, Debug, Default)]
pub(super) struct Kind {
    pub(super) nodes: BTreeSet<Node>,
    /// Least and greatest value, of all loops alike.
    pub(super) range: (i64, i64),
}

/// Classes of loops and subscripts that may be joined with others; nothing if no statement can be read that way.
pub(super) fn kinds(program: &Program, shape: &Shape, values: &[i64]) -> Result<Option<Vec<Kind>>> {
    let mut kinds = Kinds::default();
    for (id, statement) in program.statements.iter().enumerate() {
        let depth = statement.iterators.len();
        for at in 0..depth {
            kinds.add(Node::Loop(id, at));
        }
        let domain = program.set_at(&statement.domain, values)?;
        let known = ranges(&domain)?;
        let sides = known
            .iter()
            .map(|(low, high)| BigInt::from(*high) - low + 1);
        let volume: BigInt = sides.product();
        let size = domain.count()?.evaluate(&BTreeMap::new())?;
        let boxed = size == volume;
        let counters = statement.value.iterators();
        for at in 0..depth {
            let single = shape.times[id].as_ref().is_some_and(|rows| {
                let uses = rows.iter().filter(|row| row.dims[at] != 0);
                uses.map(|row| unit(row, at)).collect::<Vec<_>>() == [true]
            });
            if !boxed || !single || counters.contains(&at) {
                kinds.spoil(Node::Loop(id, at));
            }
        }
        let reads = statement.reads.iter().zip(&shape.reads[id]);
        for (access, rows) in reads.chain([(&statement.write, &shape.writes[id])]) {
            let array = access.array.0;
            for dim in 0..program.arrays[array].extents.len() {
                let node = Node::Subscript(array, dim);
                kinds.add(node);
                let Some(row) = rows.as_ref().and_then(|rows| rows.get(dim)) else {
                    kinds.spoil(node);
                    (0..depth).for_each(|at| kinds.spoil(Node::Loop(id, at)));
                    continue;
                };
                let used: Vec<usize> = (0..depth).filter(|at| row.dims[*at] != 0).collect();
                match &used[..] {
                    [] => kinds
                        .constants
                        .push((node, row.at(&vec![0; depth], values))),
                    [one] if unit(row, *one) => kinds.unite(Node::Loop(id, *one), node),
                    _ => {
                        kinds.spoil(node);
                        used.iter().for_each(|at| kinds.spoil(Node::Loop(id, *at)));
                    }
                }
            }
        }
    }
    let mut found = Vec::new();
    for (nodes, spoiled) in &kinds.classes {
        let mut kind = Kind {
            nodes: nodes.clone(),
            range: (0, -1),
        };
        let Some(range) = range(program, &kind, values)? else {
            continue;
        };
        kind.range = range;
        let inside = |(node, value): &(Node, i64)| {
            !nodes.contains(node) || (range.0 <= *value && *value <= range.1)
        };
        if !spoiled && kinds.constants.iter().all(inside) {
            found.push(kind);
        }
    }
    Ok((!found.is_empty()).then_some(found))
}

/// Whether a function is a loop's counter.
pub(super) fn unit(row: &Row, at: usize) -> bool {
    row.dims[at] == 1
        && row.constant == 0
        && row.params.iter().all(|c| *c == 0)
        && row.dims.iter().filter(|c| **c != 0).count() == 1
}

/// The values that all loops of a class have alike.
pub(super) fn range(program: &Program, kind: &Kind, values: &[i64]) -> Result<Option<(i64, i64)>> {
    let mut common = None;
    for node in &kind.nodes {
        let Node::Loop(id, at) = node else { continue };
        let domain = program.set_at(&program.statement(StatementId(*id)).domain, values)?;
        let range = ranges(&domain)?[*at];
        if range.0 > range.1 || common.is_some_and(|known| known != range) {
            return Ok(None);
        }
        common = Some(range);
    }
    Ok(common)
}

#[derive(Default)]
struct Kinds {
    /// Nodes, and whether something forbids to join them with others.
    classes: Vec<(BTreeSet<Node>, bool)>,
    /// Subscripts that are a number somewhere.
    constants: Vec<(Node, i64)>,
}

impl Kinds {
    fn find(&mut self, node: Node) -> usize {
        let known = self
            .classes
            .iter()
            .position(|(nodes, _)| nodes.contains(&node));
        known.unwrap_or_else(|| {
            self.classes.push((BTreeSet::from([node]), false));
            self.classes.len() - 1
        })
    }

    fn add(&mut self, node: Node) {
        self.find(node);
    }

    fn spoil(&mut self, node: Node) {
        let at = self.find(node);
        self.classes[at].1 = true;
    }

    fn unite(&mut self, one: Node, other: Node) {
        let (one, other) = (self.find(one), self.find(other));
        if one != other {
            let (nodes, spoiled) = self.classes.remove(one.max(other));
            let target = &mut self.classes[one.min(other)];
            target.0.extend(nodes);
            target.1 |= spoiled;
        }
    }
}
