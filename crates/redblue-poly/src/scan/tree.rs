//! The loop tree: plain data with the arithmetic to run it.
//!
//! Values are machine integers; [`super::range`] has made sure beforehand that none can overflow.

use std::collections::BTreeMap;

use crate::error::{PolyError, Result};

/// One piece of a loop nest; a body is a list of nodes run one after the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Node {
    /// A loop.
    Loop(Loop),
    /// A choice that is made again whenever it is reached.
    Guard {
        /// What is tested.
        condition: Condition,
        /// Runs if the condition holds.
        then: Vec<Node>,
        /// Runs if it does not.
        otherwise: Vec<Node>,
    },
    /// One instance of a statement.
    Call(Call),
}

/// `for (iterator = first; iterator <= last; iterator += step) body`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loop {
    /// Position of the iterator.
    pub iterator: usize,
    /// Where it starts.
    pub first: Expr,
    /// The last value it may have.
    pub last: Expr,
    /// The positive stride.
    pub step: i64,
    /// What is repeated.
    pub body: Vec<Node>,
    /// The body once more if it consists of calls only, each of whose coordinates changes by a constant.
    pub straight: Option<Vec<Call>>,
}

/// One instance of a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// Index of the statement.
    pub statement: usize,
    /// Its point.
    pub point: Vec<Expr>,
}

/// `constant + Σ coefficient · iterator`, with the iterators in increasing order and no zero coefficient.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Form {
    /// The constant term.
    pub constant: i64,
    /// Positions of iterators and their coefficients.
    pub terms: Vec<(usize, i64)>,
}

/// An integer expression in the iterators.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expr {
    /// A linear form.
    Linear(Form),
    /// The sum.
    Sum(Vec<Expr>),
    /// A constant multiple.
    Scaled(i64, Box<Expr>),
    /// The least.
    Min(Vec<Expr>),
    /// The greatest.
    Max(Vec<Expr>),
    /// The quotient rounded down; the divisor is positive.
    FloorDiv(Box<Expr>, i64),
    /// The non-negative remainder; the divisor is positive.
    Modulo(Box<Expr>, i64),
    /// One of two.
    Select(Box<Condition>, Box<Expr>, Box<Expr>),
}

/// A condition on the iterators.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Condition {
    /// All hold.
    All(Vec<Condition>),
    /// At least one holds.
    Any(Vec<Condition>),
    /// A comparison with zero.
    Zero(Comparison, Expr),
}

/// How an expression compares with zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// It is zero.
    Equal,
    /// It is zero or more.
    NonNegative,
}

impl Form {
    pub(crate) fn value(&self, iterators: &[i64]) -> i64 {
        self.terms.iter().fold(self.constant, |sum, (at, factor)| {
            sum + factor * iterators[*at]
        })
    }

    /// The coefficient of an iterator.
    pub fn coefficient(&self, iterator: usize) -> i64 {
        self.terms
            .iter()
            .find(|(at, _)| *at == iterator)
            .map_or(0, |(_, factor)| *factor)
    }
}

fn overflow() -> PolyError {
    PolyError::Overflow {
        value: "in generated loops".to_owned(),
    }
}

impl Expr {
    /// A number.
    pub fn constant(constant: i64) -> Expr {
        Expr::Linear(Form {
            constant,
            terms: Vec::new(),
        })
    }

    /// The iterator at a position.
    pub fn variable(iterator: usize) -> Expr {
        Expr::Linear(Form {
            constant: 0,
            terms: vec![(iterator, 1)],
        })
    }

    /// The number it is, if it is one.
    pub fn as_constant(&self) -> Option<i64> {
        match self {
            Expr::Linear(form) if form.terms.is_empty() => Some(form.constant),
            _ => None,
        }
    }

    /// The multiple of an expression; an error if a coefficient does not fit.
    pub fn times(self, factor: i64) -> Result<Expr> {
        let times = |x: i64| x.checked_mul(factor).ok_or_else(overflow);
        match self {
            _ if factor == 0 => Ok(Expr::constant(0)),
            Expr::Linear(Form { constant, terms }) => {
                let terms = terms.into_iter().map(|(at, x)| Ok((at, times(x)?)));
                Ok(Expr::Linear(Form {
                    constant: times(constant)?,
                    terms: terms.collect::<Result<_>>()?,
                }))
            }
            Expr::Scaled(inner, e) => Ok(Expr::Scaled(times(inner)?, e)),
            other if factor == 1 => Ok(other),
            other => Ok(Expr::Scaled(factor, Box::new(other))),
        }
    }

    /// The sum of two expressions; an error if a coefficient does not fit.
    pub fn plus(self, other: Expr) -> Result<Expr> {
        match (self, other) {
            (Expr::Linear(a), Expr::Linear(b)) => {
                let plus = |x: i64, y: i64| x.checked_add(y).ok_or_else(overflow);
                let mut terms = BTreeMap::new();
                for (at, factor) in a.terms.into_iter().chain(b.terms) {
                    let entry = terms.entry(at).or_insert(0);
                    *entry = plus(*entry, factor)?;
                }
                let terms = terms
                    .into_iter()
                    .filter(|(_, factor)| *factor != 0)
                    .collect();
                Ok(Expr::Linear(Form {
                    constant: plus(a.constant, b.constant)?,
                    terms,
                }))
            }
            (left, right) if right.as_constant() == Some(0) => Ok(left),
            (left, right) if left.as_constant() == Some(0) => Ok(right),
            (left, right) => Ok(Expr::Sum(vec![left, right])),
        }
    }

    /// The value for given iterators.
    pub fn value(&self, iterators: &[i64]) -> i64 {
        let all = |list: &[Expr], start: i64, f: fn(i64, i64) -> i64| {
            list.iter().fold(start, |acc, e| f(acc, e.value(iterators)))
        };
        match self {
            Expr::Linear(form) => form.value(iterators),
            Expr::Sum(list) => all(list, 0, |a, b| a + b),
            Expr::Scaled(factor, e) => factor * e.value(iterators),
            Expr::Min(list) => all(list, i64::MAX, i64::min),
            Expr::Max(list) => all(list, i64::MIN, i64::max),
            Expr::FloorDiv(e, divisor) => e.value(iterators).div_euclid(*divisor),
            Expr::Modulo(e, divisor) => e.value(iterators).rem_euclid(*divisor),
            Expr::Select(condition, yes, no) => {
                if condition.holds(iterators) {
                    yes.value(iterators)
                } else {
                    no.value(iterators)
                }
            }
        }
    }

    /// Whether an iterator occurs.
    pub fn involves(&self, iterator: usize) -> bool {
        match self {
            Expr::Linear(form) => form.coefficient(iterator) != 0,
            Expr::Sum(list) | Expr::Min(list) | Expr::Max(list) => {
                list.iter().any(|e| e.involves(iterator))
            }
            Expr::Scaled(_, e) | Expr::FloorDiv(e, _) | Expr::Modulo(e, _) => e.involves(iterator),
            Expr::Select(condition, yes, no) => {
                condition.involves(iterator) || yes.involves(iterator) || no.involves(iterator)
            }
        }
    }

    /// Whether the expression grows by a constant with an iterator; [`Expr::step`] is that constant.
    pub(crate) fn is_straight(&self, iterator: usize) -> bool {
        match self {
            Expr::Linear(_) => true,
            Expr::Sum(list) => list.iter().all(|e| e.is_straight(iterator)),
            Expr::Scaled(_, e) => e.is_straight(iterator),
            _ => !self.involves(iterator),
        }
    }

    /// What one more of an iterator adds to a straight expression.
    pub(crate) fn step(&self, iterator: usize) -> i64 {
        match self {
            Expr::Linear(form) => form.coefficient(iterator),
            Expr::Sum(list) => list.iter().map(|e| e.step(iterator)).sum(),
            Expr::Scaled(factor, e) => factor * e.step(iterator),
            _ => 0,
        }
    }
}

impl Condition {
    /// Whether it holds for given iterators.
    pub fn holds(&self, iterators: &[i64]) -> bool {
        match self {
            Condition::All(list) => list.iter().all(|c| c.holds(iterators)),
            Condition::Any(list) => list.iter().any(|c| c.holds(iterators)),
            Condition::Zero(Comparison::Equal, e) => e.value(iterators) == 0,
            Condition::Zero(Comparison::NonNegative, e) => e.value(iterators) >= 0,
        }
    }

    /// Whether an iterator occurs.
    pub fn involves(&self, iterator: usize) -> bool {
        match self {
            Condition::All(list) | Condition::Any(list) => {
                list.iter().any(|c| c.involves(iterator))
            }
            Condition::Zero(_, e) => e.involves(iterator),
        }
    }
}
