//! Where an access goes, and how that moves along a loop.

use super::{Expr, Form};

/// Where a touch goes, in words counted from the first word of the first array: a linear form, plus what is
/// not linear, if anything.
pub(crate) struct Place {
    form: Form,
    rest: Option<Expr>,
}

/// How something moves along a loop: every `period` iterations, by `advance`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Motion {
    pub(crate) advance: i64,
    pub(crate) period: u64,
}

impl Place {
    pub(super) fn new(base: i64, word: &Expr) -> Place {
        let mut form = Form {
            constant: base,
            terms: Vec::new(),
        };
        let mut rest = Vec::new();
        split(word, 1, &mut form, &mut rest);
        Place {
            form,
            rest: (!rest.is_empty()).then_some(Expr::Sum(rest)),
        }
    }

    /// The word for given iterators.
    #[inline]
    pub(crate) fn word(&self, iterators: &[i64]) -> i64 {
        let terms = self.form.terms.iter();
        let linear = terms.fold(self.form.constant, |sum, &(at, factor)| {
            sum + factor * iterators[at]
        });
        match &self.rest {
            None => linear,
            Some(rest) => linear + rest.value(iterators),
        }
    }

    /// How the word moves when an iterator advances by `step`, if it does so regularly.
    pub(crate) fn motion(&self, iterator: usize, step: i64) -> Option<Motion> {
        let linear = Motion {
            advance: self.form.coefficient(iterator).checked_mul(step)?,
            period: 1,
        };
        match &self.rest {
            None => Some(linear),
            Some(rest) => linear.plus(motion(rest, iterator, step)?),
        }
    }
}

impl Motion {
    const NONE: Motion = Motion {
        advance: 0,
        period: 1,
    };

    /// What it moves by in a multiple of its period.
    pub(crate) fn advance_in(self, iterations: u64) -> Option<i64> {
        let times = i64::try_from(iterations / self.period).ok()?;
        self.advance.checked_mul(times)
    }

    fn plus(self, other: Motion) -> Option<Motion> {
        let period = lcm(self.period, other.period);
        let advance = self
            .advance_in(period)?
            .checked_add(other.advance_in(period)?)?;
        Some(Motion { advance, period })
    }

    /// The same over the least time in which it advances by a multiple of `divisor`.
    fn in_steps_of(self, divisor: i64) -> Option<Motion> {
        let divisor = divisor.unsigned_abs();
        let times = divisor / gcd(divisor, self.advance.unsigned_abs());
        let period = self.period.checked_mul(times)?;
        Some(Motion {
            advance: self.advance_in(period)?,
            period,
        })
    }
}

/// Adds a multiple of an expression to a linear form, and what is not linear in it to `rest`.
fn split(expr: &Expr, factor: i64, form: &mut Form, rest: &mut Vec<Expr>) {
    match expr {
        Expr::Linear(part) => {
            form.constant += factor * part.constant;
            for &(iterator, coefficient) in &part.terms {
                add(form, iterator, factor * coefficient);
            }
        }
        Expr::Sum(list) => list.iter().for_each(|e| split(e, factor, form, rest)),
        Expr::Scaled(more, inner) => split(inner, factor * more, form, rest),
        other => rest.push(Expr::Scaled(factor, Box::new(other.clone()))),
    }
}

fn add(form: &mut Form, iterator: usize, coefficient: i64) {
    match form.terms.binary_search_by_key(&iterator, |term| term.0) {
        Ok(at) => form.terms[at].1 += coefficient,
        Err(at) => form.terms.insert(at, (iterator, coefficient)),
    }
    form.terms.retain(|term| term.1 != 0);
}

/// How an expression moves when an iterator advances by `step`. Floors and remainders, as in the double
/// buffers of `t % 2`, move regularly over a multiple of their divisor.
fn motion(expr: &Expr, iterator: usize, step: i64) -> Option<Motion> {
    if !expr.involves(iterator) {
        return Some(Motion::NONE);
    }
    match expr {
        Expr::Linear(form) => Some(Motion {
            advance: form.coefficient(iterator).checked_mul(step)?,
            period: 1,
        }),
        Expr::Sum(list) => list
            .iter()
            .try_fold(Motion::NONE, |sum, e| sum.plus(motion(e, iterator, step)?)),
        Expr::Scaled(factor, inner) => {
            let Motion { advance, period } = motion(inner, iterator, step)?;
            Some(Motion {
                advance: advance.checked_mul(*factor)?,
                period,
            })
        }
        Expr::FloorDiv(inner, divisor) => {
            let inner = motion(inner, iterator, step)?.in_steps_of(*divisor)?;
            Some(Motion {
                advance: inner.advance / divisor,
                period: inner.period,
            })
        }
        Expr::Modulo(inner, divisor) => {
            let inner = motion(inner, iterator, step)?.in_steps_of(*divisor)?;
            Some(Motion {
                advance: 0,
                period: inner.period,
            })
        }
        Expr::Min(_) | Expr::Max(_) | Expr::Select(..) => None,
    }
}

/// The greatest common divisor; `gcd(a, 0) = a`.
pub(crate) fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// The least common multiple of two numbers that are not 0.
pub(crate) fn lcm(a: u64, b: u64) -> u64 {
    (a / gcd(a, b)).saturating_mul(b)
}
