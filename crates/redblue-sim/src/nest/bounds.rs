//! The proof that no access of a nest leaves its array, by interval arithmetic.
//!
//! It is exact for rectangular loops with linear subscripts and errs on the safe side otherwise. Programs do
//! not rely on it: their accesses are checked exactly, on the integer sets.

use super::{Expr, Nest, Node};
use crate::error::SimError;

/// Shows by interval arithmetic that every access is inside its array.
pub(super) fn check_bounds(nest: &Nest, words: &[u64], roots: &[Node]) -> Result<(), SimError> {
    let mut ranges = vec![Interval { low: 0, high: 0 }; nest.iterators];
    check_nodes(nest, words, roots, &mut ranges)
}

fn check_nodes(
    nest: &Nest,
    words: &[u64],
    nodes: &[Node],
    ranges: &mut [Interval],
) -> Result<(), SimError> {
    for node in nodes {
        match node {
            Node::Loop {
                iterator,
                first,
                last,
                body,
                ..
            } => {
                let range = Interval {
                    low: interval(first, ranges).low,
                    high: interval(last, ranges).high,
                };
                if range.low <= range.high {
                    ranges[*iterator] = range;
                    check_nodes(nest, words, body, ranges)?;
                }
            }
            Node::Guard {
                then, otherwise, ..
            } => {
                check_nodes(nest, words, then, ranges)?;
                check_nodes(nest, words, otherwise, ranges)?;
            }
            Node::Touch { reference, word } => {
                let reference = &nest.shape.references()[*reference as usize];
                let range = interval(word, ranges);
                let words = i128::from(words[reference.array as usize]);
                if range.low < 0 || range.high >= words {
                    return Err(SimError::OutOfBounds {
                        reference: reference.text.clone(),
                    });
                }
            }
        }
    }
    Ok(())
}

#[derive(Clone, Copy)]
struct Interval {
    low: i128,
    high: i128,
}

/// All values an expression can have while its iterators are in their ranges, or more.
fn interval(expr: &Expr, ranges: &[Interval]) -> Interval {
    let of = |list: &[Expr], f: fn(i128, i128) -> i128| {
        list.iter()
            .map(|e| interval(e, ranges))
            .reduce(|a, b| Interval {
                low: f(a.low, b.low),
                high: f(a.high, b.high),
            })
            .unwrap_or(Interval { low: 0, high: 0 })
    };
    let scaled = |range: Interval, factor: i64| {
        let ends = [
            range.low.saturating_mul(factor.into()),
            range.high.saturating_mul(factor.into()),
        ];
        Interval {
            low: ends[0].min(ends[1]),
            high: ends[0].max(ends[1]),
        }
    };
    match expr {
        Expr::Linear(form) => {
            let constant = i128::from(form.constant);
            let start = Interval {
                low: constant,
                high: constant,
            };
            form.terms.iter().fold(start, |sum, &(at, factor)| {
                let term = scaled(ranges[at], factor);
                Interval {
                    low: sum.low.saturating_add(term.low),
                    high: sum.high.saturating_add(term.high),
                }
            })
        }
        Expr::Sum(list) => of(list, i128::saturating_add),
        Expr::Scaled(factor, inner) => scaled(interval(inner, ranges), *factor),
        Expr::Min(list) => of(list, i128::min),
        Expr::Max(list) => of(list, i128::max),
        Expr::FloorDiv(inner, divisor) => {
            let range = interval(inner, ranges);
            Interval {
                low: range.low.div_euclid((*divisor).into()),
                high: range.high.div_euclid((*divisor).into()),
            }
        }
        Expr::Modulo(_, divisor) => Interval {
            low: 0,
            high: i128::from(*divisor) - 1,
        },
        Expr::Select(_, yes, no) => {
            let (yes, no) = (interval(yes, ranges), interval(no, ranges));
            Interval {
                low: yes.low.min(no.low),
                high: yes.high.max(no.high),
            }
        }
    }
}
