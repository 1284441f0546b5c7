//! From the loops as given to loops that run fast, and the proof that no access leaves its array.

use super::{Condition, Expr, Form, Nest, Node};
use crate::error::SimError;
use crate::trace::Shape;

/// A compiled [`Node`].
pub(crate) enum Step {
    Loop(Loop),
    Guard {
        condition: Condition,
        then: Vec<Step>,
        otherwise: Vec<Step>,
    },
    Touch(Touch),
}

/// A compiled loop.
pub(crate) struct Loop {
    /// Number of the loop, in textual order.
    pub(crate) id: usize,
    pub(crate) iterator: usize,
    pub(crate) first: Expr,
    pub(crate) last: Expr,
    pub(crate) step: i64,
    pub(crate) body: Vec<Step>,
    /// Whether the body is nothing but touches with linear addresses: an innermost loop run by additions.
    pub(crate) straight: bool,
}

/// A compiled access.
pub(crate) struct Touch {
    pub(crate) reference: u32,
    pub(crate) place: Place,
}

/// Where a touch goes, in words counted from the first word of the first array.
pub(crate) enum Place {
    Linear(Form),
    /// The constant is the array's first word.
    General(i64, Expr),
}

impl Place {
    /// The word for given iterators.
    #[inline]
    pub(crate) fn word(&self, iterators: &[i64]) -> i64 {
        match self {
            Place::Linear(form) => form.terms.iter().fold(form.constant, |sum, &(at, factor)| {
                sum + factor * iterators[at]
            }),
            Place::General(base, expr) => base + expr.value(iterators),
        }
    }

    /// How much the word moves with an iterator, if that is always the same.
    pub(crate) fn stride(&self, iterator: usize) -> Option<i64> {
        match self {
            Place::Linear(form) => Some(form.coefficient(iterator)),
            Place::General(_, expr) => (!expr.involves(iterator)).then_some(0),
        }
    }
}

pub(super) fn compile(shape: Shape, roots: &[Node]) -> Result<Nest, SimError> {
    let mut compiler = Compiler {
        shape,
        iterators: 0,
        loops: 0,
    };
    let steps = compiler.steps(roots)?;
    Ok(Nest {
        shape: compiler.shape,
        steps,
        iterators: compiler.iterators,
        loops: compiler.loops,
    })
}

struct Compiler {
    shape: Shape,
    iterators: usize,
    loops: usize,
}

impl Compiler {
    fn steps(&mut self, nodes: &[Node]) -> Result<Vec<Step>, SimError> {
        nodes.iter().map(|node| self.step(node)).collect()
    }

    fn step(&mut self, node: &Node) -> Result<Step, SimError> {
        Ok(match node {
            Node::Loop {
                iterator,
                first,
                last,
                step,
                body,
            } => {
                if *step <= 0 {
                    return Err(SimError::BadStep { step: *step });
                }
                let id = self.loops;
                self.loops += 1;
                self.iterators = self.iterators.max(iterator + 1);
                let body = self.steps(body)?;
                let straight = body.iter().all(|step| {
                    matches!(
                        step,
                        Step::Touch(Touch {
                            place: Place::Linear(_),
                            ..
                        })
                    )
                });
                Step::Loop(Loop {
                    id,
                    iterator: *iterator,
                    first: first.clone(),
                    last: last.clone(),
                    step: *step,
                    body,
                    straight,
                })
            }
            Node::Guard {
                condition,
                then,
                otherwise,
            } => Step::Guard {
                condition: condition.clone(),
                then: self.steps(then)?,
                otherwise: self.steps(otherwise)?,
            },
            Node::Touch { reference, word } => {
                let known = self.shape.references().get(*reference as usize);
                let array = known.ok_or(SimError::StrayAccess {
                    cell: 0,
                    reference: *reference,
                })?;
                let first_cell = i64::from(self.shape.first_cell(array.array as usize));
                let base = first_cell * self.shape.grain().words() as i64;
                let place = match linear(word) {
                    Some(mut form) => {
                        form.constant += base;
                        Place::Linear(form)
                    }
                    None => Place::General(base, word.clone()),
                };
                Step::Touch(Touch {
                    reference: *reference,
                    place,
                })
            }
        })
    }
}

/// The expression as one linear form, if it is one.
fn linear(expr: &Expr) -> Option<Form> {
    match expr {
        Expr::Linear(form) => Some(form.clone()),
        Expr::Sum(list) => {
            let mut sum = Form::default();
            for part in list {
                let part = linear(part)?;
                sum.constant += part.constant;
                part.terms.iter().for_each(|&term| add(&mut sum, term));
            }
            Some(sum)
        }
        Expr::Scaled(factor, inner) => {
            let mut form = linear(inner)?;
            form.constant *= factor;
            form.terms.iter_mut().for_each(|term| term.1 *= factor);
            form.terms.retain(|term| term.1 != 0);
            Some(form)
        }
        _ => None,
    }
}

fn add(form: &mut Form, (iterator, factor): (usize, i64)) {
    match form.terms.binary_search_by_key(&iterator, |term| term.0) {
        Ok(at) => form.terms[at].1 += factor,
        Err(at) => form.terms.insert(at, (iterator, factor)),
    }
    form.terms.retain(|term| term.1 != 0);
}

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
