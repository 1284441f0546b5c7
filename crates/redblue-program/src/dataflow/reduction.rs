//! Which chains of one statement are reductions: `x = x ⊕ e` with ⊕ associative and commutative.
//!
//! ```text
//! value: $0 + $1 * $2      write: C[i,j]     reads: C[i,j], A[i,k], B[k,j]
//! chain: S1[i,j,k] -> S1[i,j,k+1]            runs over dimension 2, operator +
//! ```
//!
//! Recording is all that happens here: the dataflow keeps the program's own order of the sum, and only a
//! caller that was allowed to (`--reassociate`) may forget it. For that caller two facts are recorded
//! besides: `independent` (the terms of the sum do not read values of the statement itself) and `private` (no
//! one but the next link reads a partial sum). With both, the links may be combined in any order and tree:
//! any path from a partial sum to a later term would have to leave the chain through a reader of that sum.

use std::fmt;

use redblue_poly::Map;

use super::Operand;
use crate::error::Result;
use crate::expression::{BinaryOp, Expression, UnaryOp};
use crate::interpret::function::{Extremum, extremum};
use crate::program::{Statement, StatementId};

/// An associative and commutative operator (over exact numbers; floating point rounds differently).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Operator {
    /// `x + e`, and `x - e` as `x + (-e)`.
    Add,
    /// `x * e`.
    Multiply,
    /// `min(x, e)`, as a function or as a selection such as `x < e ? x : e`.
    Minimum,
    /// `max(x, e)`.
    Maximum,
}

/// A self-dependence of a statement that is a reduction.
#[derive(Clone, Debug)]
pub struct Reduction {
    /// The operator ⊕.
    pub operator: Operator,
    /// The operands that read the previous partial result: one, or two for a selection.
    pub operands: Vec<usize>,
    /// Previous link → next link, as instances of the statement.
    pub chain: Map,
    /// The dimensions of the statement that the chain moves along.
    pub dims: Vec<usize>,
    /// No other operand reads a value this statement produced.
    pub independent: bool,
    /// A value that has a next link is read by that link only.
    pub private: bool,
}

impl Reduction {
    /// Finds the reduction in a statement whose operands' flow is known; `flow` is that of all statements.
    pub(super) fn find(
        id: StatementId,
        statement: &Statement,
        flow: &[Vec<Operand>],
    ) -> Result<Option<Reduction>> {
        let Some((operator, operands)) = accumulation(statement)? else {
            return Ok(None);
        };
        let own = &flow[id.0];
        let Some(chain) = own[operands[0]].from_statement(id) else {
            return Ok(None);
        };
        let independent = (0..own.len())
            .filter(|position| !operands.contains(position))
            .all(|position| own[position].from_statement(id).is_none());
        let partial = chain.domain()?;
        let mut private = true;
        for (reader, positions) in flow.iter().enumerate() {
            for (position, operand) in positions.iter().enumerate() {
                let link = reader == id.0 && operands.contains(&position);
                if let Some(relation) = operand.from_statement(id).filter(|_| !link) {
                    private &= relation.intersect_domain(&partial)?.is_empty()?;
                }
            }
        }
        let dims = moving_dims(chain)?;
        Ok(Some(Reduction {
            operator,
            operands,
            chain: chain.clone(),
            dims,
            independent,
            private,
        }))
    }
}

/// The dimensions in which some pair of a relation of a space to itself differs.
pub(crate) fn moving_dims(chain: &Map) -> Result<Vec<usize>> {
    let steps = chain.deltas()?;
    let mut dims = Vec::new();
    for dim in 0..steps.n_dim() {
        if !steps.is_subset(&steps.fix_dim(dim, 0)?)? {
            dims.push(dim);
        }
    }
    Ok(dims)
}

/// The operator and the operands that read the written cell, if the value is `x ⊕ e` in syntax.
fn accumulation(statement: &Statement) -> Result<Option<(Operator, Vec<usize>)>> {
    let groups = statement.operands_by_cell()?;
    let mut written = None;
    for group in &groups {
        let read = &statement.reads[group[0]];
        if read.array == statement.write.array && read.map.is_equal(&statement.write.map)? {
            written = Some(group.clone());
        }
    }
    let Some(operands) = written else {
        return Ok(None);
    };
    // Operands that read one cell get one number, so that `a < x ? a : x` shows two equal pairs.
    let value = statement.value.map_leaves(&mut |leaf| match leaf {
        Expression::Read(position) => {
            let group = groups.iter().find(|group| group.contains(position));
            Expression::Read(group.map_or(*position, |group| group[0]))
        }
        other => other.clone(),
    });
    let target = operands[0];
    Ok(combination(&value, target).map(|operator| (operator, operands)))
}

/// The operator ⊕ of `x ⊕ e` where `x` is `Read(target)` and does not occur in `e`.
pub(crate) fn combination(value: &Expression, target: usize) -> Option<Operator> {
    let x = Expression::Read(target);
    let free = |e: &Expression| !e.operands().contains(&target);
    match value {
        Expression::Binary(BinaryOp::Add | BinaryOp::Subtract, ..)
        | Expression::Unary(UnaryOp::Negate, _) => {
            let mut terms = Vec::new();
            sum_terms(value, true, &mut terms);
            alone(&terms, &x, free).then_some(Operator::Add)
        }
        Expression::Binary(BinaryOp::Multiply, ..) => {
            let mut factors = Vec::new();
            flatten(value, &mut factors, &|e| match e {
                Expression::Binary(BinaryOp::Multiply, a, b) => Some(vec![a, b]),
                _ => None,
            });
            alone(&factors, &x, free).then_some(Operator::Multiply)
        }
        Expression::Call(name, _) => {
            let which = extremum(name)?;
            let mut arguments = Vec::new();
            flatten(value, &mut arguments, &|e| match e {
                Expression::Call(name, arguments) if extremum(name) == Some(which) => {
                    Some(arguments.iter().collect())
                }
                _ => None,
            });
            alone(&arguments, &x, free).then_some(which.into())
        }
        Expression::Select(condition, then, otherwise) => {
            let (which, a, b) = selection(condition, then, otherwise)?;
            alone(&[a, b], &x, free).then_some(which.into())
        }
        _ => None,
    }
}

/// Whether `x` is exactly one of the parts and occurs in no other.
fn alone(parts: &[&Expression], x: &Expression, free: impl Fn(&Expression) -> bool) -> bool {
    parts.iter().filter(|part| **part == x).count() == 1
        && parts.iter().all(|part| *part == x || free(part))
}

/// The terms that are added; a subtracted term counts as its negation, which cannot be `x` itself.
fn sum_terms<'e>(value: &'e Expression, positive: bool, terms: &mut Vec<&'e Expression>) {
    match value {
        Expression::Binary(BinaryOp::Add, a, b) => {
            sum_terms(a, positive, terms);
            sum_terms(b, positive, terms);
        }
        Expression::Binary(BinaryOp::Subtract, a, b) => {
            sum_terms(a, positive, terms);
            sum_terms(b, !positive, terms);
        }
        Expression::Unary(UnaryOp::Negate, a) => sum_terms(a, !positive, terms),
        // A negated `x` must not pass for `x`: listing it twice makes it not alone.
        Expression::Read(_) if !positive => terms.extend([value, value]),
        _ => terms.push(value),
    }
}

fn flatten<'e>(
    value: &'e Expression,
    parts: &mut Vec<&'e Expression>,
    split: &dyn Fn(&'e Expression) -> Option<Vec<&'e Expression>>,
) {
    match split(value) {
        Some(children) => {
            for child in children {
                flatten(child, parts, split);
            }
        }
        None => parts.push(value),
    }
}

/// Reads `a < b ? a : b` and its relatives as an extremum of `a` and `b`.
pub(crate) fn selection<'e>(
    condition: &'e Expression,
    then: &'e Expression,
    otherwise: &'e Expression,
) -> Option<(Extremum, &'e Expression, &'e Expression)> {
    let Expression::Binary(op, a, b) = condition else {
        return None;
    };
    let (a, b): (&Expression, &Expression) = (a, b);
    let smaller_first = match op {
        BinaryOp::Less | BinaryOp::LessEqual => true,
        BinaryOp::Greater | BinaryOp::GreaterEqual => false,
        _ => return None,
    };
    let same_order = (a, b) == (then, otherwise);
    if !same_order && (a, b) != (otherwise, then) {
        return None;
    }
    let which = if smaller_first == same_order {
        Extremum::Minimum
    } else {
        Extremum::Maximum
    };
    Some((which, a, b))
}

impl From<Extremum> for Operator {
    fn from(which: Extremum) -> Operator {
        match which {
            Extremum::Minimum => Operator::Minimum,
            Extremum::Maximum => Operator::Maximum,
        }
    }
}

impl fmt::Display for Operator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Operator::Add => "+",
            Operator::Multiply => "*",
            Operator::Minimum => "min",
            Operator::Maximum => "max",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expression::Expression as E;

    fn x() -> E {
        E::Read(0)
    }
    fn e() -> E {
        E::Read(1) * E::Read(2)
    }
    fn less(a: E, b: E) -> Box<E> {
        Box::new(E::Binary(BinaryOp::Less, Box::new(a), Box::new(b)))
    }
    fn select(condition: Box<E>, a: E, b: E) -> E {
        E::Select(condition, Box::new(a), Box::new(b))
    }

    #[track_caller]
    fn check(value: E, expect: Option<Operator>) {
        assert_eq!(combination(&value, 0), expect, "{value}");
    }

    #[test]
    fn recognises_the_operators_in_their_spellings() {
        check(x() + e(), Some(Operator::Add));
        check(e() + x(), Some(Operator::Add));
        check(x() - e(), Some(Operator::Add));
        check((E::Read(1) + x()) - E::Read(2), Some(Operator::Add));
        check(-(e() - x()), Some(Operator::Add));
        check(E::Read(1) * x() * E::Read(2), Some(Operator::Multiply));
        check(
            E::Call("fmin".into(), vec![e(), x()]),
            Some(Operator::Minimum),
        );
        check(
            E::Call("MAX".into(), vec![x(), e()]),
            Some(Operator::Maximum),
        );
        check(select(less(x(), e()), x(), e()), Some(Operator::Minimum));
        check(select(less(x(), e()), e(), x()), Some(Operator::Maximum));
        check(select(less(e(), x()), x(), e()), Some(Operator::Maximum));
    }

    #[test]
    fn refuses_what_is_not_associative_or_mentions_x_twice() {
        check(e() - x(), None);
        check(-x() + e(), None);
        check(x() / e(), None);
        check(x() + x() * E::Read(1), None);
        check(x() * E::Read(1) + E::Read(2), None);
        check(x() + x(), None);
        check(E::Call("pow".into(), vec![x(), e()]), None);
        check(select(less(x(), e()), x(), E::Read(3)), None);
        check(x(), None);
    }
}
