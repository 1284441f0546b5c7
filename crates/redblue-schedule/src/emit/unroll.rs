//! Loops of a few iterations written out: register tiles.
//!
//! A loop over the values of one small tile (at most [`LIMIT`]), complete and inside another loop, becomes copies
//! of its body. The order of execution stays the same, so this needs no proof; the schedule has made the
//! tile, and compilers keep its operands in registers.

use redblue_poly::scan::{Call, Condition, Expr, Loop, Node};

use super::Result;

/// The longest loop that is written out.
const LIMIT: i64 = 8;

/// The tree with short complete loops inside other loops written out.
pub(super) fn unroll(nodes: Vec<Node>, inside: bool) -> Result<Vec<Node>> {
    let mut out = Vec::new();
    for node in nodes {
        match node {
            Node::Loop(at) => {
                let count = length(&at);
                match count.filter(|count| inside && *count <= LIMIT) {
                    Some(count) => {
                        for step in 0..count {
                            let value = at.first.clone().plus(Expr::constant(step))?;
                            let copy = substitute(&at.body, at.iterator, &value)?;
                            out.extend(unroll(copy, true)?);
                        }
                    }
                    None => {
                        let body = unroll(at.body.clone(), at.step == 1)?;
                        out.push(Node::Loop(Loop { body, ..at }));
                    }
                }
            }
            Node::Guard {
                condition,
                then,
                otherwise,
            } => out.push(Node::Guard {
                condition,
                then: unroll(then, inside)?,
                otherwise: unroll(otherwise, inside)?,
            }),
            call => out.push(call),
        }
    }
    Ok(out)
}

/// The number of iterations, if it is a constant.
fn length(at: &Loop) -> Option<i64> {
    let difference = at
        .last
        .clone()
        .plus(at.first.clone().times(-1).ok()?)
        .ok()?;
    let linear = matches!((&at.first, &at.last), (Expr::Linear(_), Expr::Linear(_)));
    let constant = difference
        .as_constant()
        .filter(|_| linear && at.step == 1)?;
    Some(constant + 1)
}

/// The tree with an expression in place of a counter.
pub(super) fn substitute(nodes: &[Node], position: usize, value: &Expr) -> Result<Vec<Node>> {
    let in_expr = |e: &Expr| replaced(e, position, value);
    nodes
        .iter()
        .map(|node| {
            Ok(match node {
                Node::Loop(at) => Node::Loop(Loop {
                    first: in_expr(&at.first)?,
                    last: in_expr(&at.last)?,
                    body: substitute(&at.body, position, value)?,
                    straight: None,
                    ..at.clone()
                }),
                Node::Guard {
                    condition,
                    then,
                    otherwise,
                } => Node::Guard {
                    condition: in_condition(condition, position, value)?,
                    then: substitute(then, position, value)?,
                    otherwise: substitute(otherwise, position, value)?,
                },
                Node::Call(call) => Node::Call(Call {
                    statement: call.statement,
                    point: call.point.iter().map(in_expr).collect::<Result<_>>()?,
                }),
            })
        })
        .collect()
}

fn replaced(expr: &Expr, position: usize, value: &Expr) -> Result<Expr> {
    let one = |e: &Expr| replaced(e, position, value);
    let boxed = |e: &Expr| Ok::<_, super::EmitError>(Box::new(one(e)?));
    let all = |list: &[Expr]| list.iter().map(one).collect::<Result<Vec<_>>>();
    Ok(match expr {
        Expr::Linear(form) => {
            let factor = form.coefficient(position);
            let gone = Expr::variable(position).times(-factor)?;
            let rest = Expr::Linear(form.clone()).plus(gone)?;
            rest.plus(value.clone().times(factor)?)?
        }
        Expr::Sum(list) => Expr::Sum(all(list)?),
        Expr::Min(list) => Expr::Min(all(list)?),
        Expr::Max(list) => Expr::Max(all(list)?),
        Expr::Scaled(factor, e) => Expr::Scaled(*factor, boxed(e)?),
        Expr::FloorDiv(e, divisor) => Expr::FloorDiv(boxed(e)?, *divisor),
        Expr::Modulo(e, divisor) => Expr::Modulo(boxed(e)?, *divisor),
        Expr::Select(condition, yes, no) => Expr::Select(
            Box::new(in_condition(condition, position, value)?),
            boxed(yes)?,
            boxed(no)?,
        ),
    })
}

fn in_condition(condition: &Condition, position: usize, value: &Expr) -> Result<Condition> {
    let all = |parts: &[Condition]| {
        let parts = parts.iter().map(|part| in_condition(part, position, value));
        parts.collect::<Result<Vec<_>>>()
    };
    Ok(match condition {
        Condition::All(parts) => Condition::All(all(parts)?),
        Condition::Any(parts) => Condition::Any(all(parts)?),
        Condition::Zero(comparison, e) => {
            Condition::Zero(*comparison, replaced(e, position, value)?)
        }
    })
}
