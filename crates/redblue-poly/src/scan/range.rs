//! Proof that running a loop tree cannot overflow.
//!
//! Every iterator gets an interval that contains its values; intervals propagate through expressions.
//! If all of them stay well inside 64 bits, the plain arithmetic of [`super::tree`] is exact.

use crate::error::{PolyError, Result};

use super::tree::{Condition, Expr, Node};

/// Bound on everything that is computed while running.
const LIMIT: i128 = 1 << 62;

type Interval = (i128, i128);

/// An error if some value might not fit.
pub(super) fn check(roots: &[Node], iterators: usize) -> Result<()> {
    nodes(roots, &mut vec![(0, 0); iterators])
}

fn nodes(list: &[Node], iterators: &mut [Interval]) -> Result<()> {
    for node in list {
        match node {
            Node::Loop(l) => {
                let (low, _) = expr(&l.first, iterators)?;
                let (_, high) = expr(&l.last, iterators)?;
                // The loop counter itself goes one step too far.
                within((low, high + i128::from(l.step)))?;
                if low <= high {
                    iterators[l.iterator] = (low, high);
                    nodes(&l.body, iterators)?;
                }
            }
            Node::Guard {
                condition,
                then,
                otherwise,
            } => {
                self::condition(condition, iterators)?;
                nodes(then, iterators)?;
                nodes(otherwise, iterators)?;
            }
            Node::Call(call) => {
                for coordinate in &call.point {
                    expr(coordinate, iterators)?;
                }
            }
        }
    }
    Ok(())
}

fn condition(condition: &Condition, iterators: &[Interval]) -> Result<()> {
    match condition {
        Condition::All(list) | Condition::Any(list) => {
            list.iter().try_for_each(|c| self::condition(c, iterators))
        }
        Condition::Zero(_, e) => expr(e, iterators).map(|_| ()),
    }
}

fn within(interval: Interval) -> Result<Interval> {
    let (low, high) = interval;
    if -LIMIT < low && high < LIMIT {
        Ok(interval)
    } else {
        Err(PolyError::Overflow {
            value: format!("between {low} and {high}"),
        })
    }
}

fn times(factor: i64, (low, high): Interval) -> Interval {
    // Both factors are below 2^63, so the products fit 128 bits.
    let (a, b) = (i128::from(factor) * low, i128::from(factor) * high);
    (a.min(b), a.max(b))
}

fn expr(e: &Expr, iterators: &[Interval]) -> Result<Interval> {
    let all = |list: &[Expr]| -> Result<Vec<Interval>> {
        list.iter().map(|part| expr(part, iterators)).collect()
    };
    let add = |a: Interval, b: Interval| within((a.0 + b.0, a.1 + b.1));
    match e {
        Expr::Linear(form) => {
            let start = within((i128::from(form.constant), i128::from(form.constant)))?;
            form.terms.iter().try_fold(start, |sum, (at, factor)| {
                add(sum, within(times(*factor, iterators[*at]))?)
            })
        }
        Expr::Sum(list) => all(list)?.into_iter().try_fold((0, 0), add),
        Expr::Scaled(factor, e) => within(times(*factor, expr(e, iterators)?)),
        Expr::Min(list) => {
            let parts = all(list)?;
            Ok(parts
                .into_iter()
                .fold((LIMIT, LIMIT), |a, b| (a.0.min(b.0), a.1.min(b.1))))
        }
        Expr::Max(list) => {
            let parts = all(list)?;
            Ok(parts
                .into_iter()
                .fold((-LIMIT, -LIMIT), |a, b| (a.0.max(b.0), a.1.max(b.1))))
        }
        Expr::FloorDiv(e, divisor) => {
            let (low, high) = expr(e, iterators)?;
            let divisor = i128::from(*divisor);
            Ok((low.div_euclid(divisor), high.div_euclid(divisor)))
        }
        Expr::Modulo(e, divisor) => {
            expr(e, iterators)?;
            Ok((0, i128::from(*divisor) - 1))
        }
        Expr::Select(test, yes, no) => {
            condition(test, iterators)?;
            let (a, b) = (expr(yes, iterators)?, expr(no, iterators)?);
            Ok((a.0.min(b.0), a.1.max(b.1)))
        }
    }
}
