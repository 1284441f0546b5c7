//! Innermost loops in which one iteration is in the way of all others.
//!
//! ```text
//! for j = 0 .. N - 1                          for j = 0 .. k - 1        independent
//!   p[i][j] = min(p[i][j], p[i][k] + …)  ──►  p[i][k] = …               the iteration that writes p[i][k]
//!                                             for j = k + 1 .. N - 1    independent
//! ```
//!
//! The order stays what it was, so nothing has to be proved about results. The place is guessed, next to the
//! counter of a loop outside; a loop is split only if both parts are proved to be independent.

use redblue_poly::scan::{Comparison, Condition, Expr, Form, Loop, Node};

use super::Result;
use super::conflict::{Conflicts, Known};
use super::names;
use super::unroll::substitute;

/// Finds and splits such loops.
pub(super) struct Isolation<'a> {
    /// What the statements touch.
    pub(super) conflicts: &'a Conflicts,
    /// Names of the parameters, which come before the loops in positions.
    pub(super) params: &'a [String],
}

impl Isolation<'_> {
    /// The tree with loops split where that makes them independent.
    pub(super) fn split(&self, nodes: Vec<Node>) -> Result<Vec<Node>> {
        self.nodes(nodes, &Known::default(), &[])
    }

    fn nodes(&self, nodes: Vec<Node>, known: &Known, outer: &[usize]) -> Result<Vec<Node>> {
        let mut out = Vec::new();
        for node in nodes {
            match node {
                Node::Loop(mut at) => {
                    if at.body.iter().all(|node| matches!(node, Node::Call(_))) {
                        out.extend(self.innermost(at, known, outer)?);
                        continue;
                    }
                    let mut inside = known.clone();
                    inside.enter(&at, self.params);
                    let outer = [outer, &[at.iterator]].concat();
                    at.body = self.nodes(at.body, &inside, &outer)?;
                    out.push(Node::Loop(at));
                }
                Node::Guard {
                    condition,
                    then,
                    otherwise,
                } => {
                    let mut inside = known.clone();
                    inside.assume(&condition, self.params);
                    out.push(Node::Guard {
                        condition,
                        then: self.nodes(then, &inside, outer)?,
                        otherwise: self.nodes(otherwise, known, outer)?,
                    });
                }
                call => out.push(call),
            }
        }
        Ok(out)
    }

    fn innermost(&self, at: Loop, known: &Known, outer: &[usize]) -> Result<Vec<Node>> {
        let bounds = (bounds(&at.first, false), bounds(&at.last, true));
        let (Some(low), Some(high)) = bounds else {
            return Ok(vec![Node::Loop(at)]);
        };
        if at.step != 1 || self.is_independent(&at, known)? {
            return Ok(vec![Node::Loop(at)]);
        }
        for place in outer {
            for shift in [0, 1, -1] {
                let pivot = Form {
                    constant: shift,
                    terms: vec![(*place, 1)],
                };
                let end = Expr::Linear(shifted(&pivot, -1));
                let before = part(&at, at.first.clone(), with(&high, end, Expr::Min));
                let start = Expr::Linear(shifted(&pivot, 1));
                let after = part(&at, with(&low, start, Expr::Max), at.last.clone());
                if self.is_independent(&before, known)? && self.is_independent(&after, known)? {
                    let mut conditions = Vec::new();
                    let mut ask = |difference: Expr| {
                        conditions.push(Condition::Zero(Comparison::NonNegative, difference));
                    };
                    let value = Expr::Linear(pivot);
                    for form in &low {
                        ask(value.clone().plus(Expr::Linear(form.clone()).times(-1)?)?);
                    }
                    for form in &high {
                        ask(Expr::Linear(form.clone()).plus(value.clone().times(-1)?)?);
                    }
                    let alone = Node::Guard {
                        condition: Condition::All(conditions),
                        then: substitute(&at.body, at.iterator, &value)?,
                        otherwise: Vec::new(),
                    };
                    return Ok(vec![Node::Loop(before), alone, Node::Loop(after)]);
                }
            }
        }
        Ok(vec![Node::Loop(at)])
    }

    fn is_independent(&self, at: &Loop, known: &Known) -> Result<bool> {
        let mut inside = known.clone();
        inside.enter(at, self.params);
        let dim = at.iterator - self.params.len();
        let statements = names::statements(&at.body);
        self.conflicts.is_parallel(dim, &statements, &inside)
    }
}

/// The operands of a bound, if all are linear.
fn bounds(bound: &Expr, is_min: bool) -> Option<Vec<Form>> {
    let list = match bound {
        Expr::Min(list) if is_min => &list[..],
        Expr::Max(list) if !is_min => &list[..],
        other => std::slice::from_ref(other),
    };
    let linear = |expr: &Expr| match expr {
        Expr::Linear(form) => Some(form.clone()),
        _ => None,
    };
    list.iter().map(linear).collect()
}

fn shifted(form: &Form, by: i64) -> Form {
    Form {
        constant: form.constant + by,
        ..form.clone()
    }
}

fn with(list: &[Form], more: Expr, join: fn(Vec<Expr>) -> Expr) -> Expr {
    let mut list: Vec<Expr> = list.iter().cloned().map(Expr::Linear).collect();
    if !list.contains(&more) {
        list.push(more);
    }
    match list.len() {
        1 => list.remove(0),
        _ => join(list),
    }
}

fn part(at: &Loop, first: Expr, last: Expr) -> Loop {
    Loop {
        first,
        last,
        straight: None,
        ..at.clone()
    }
}
