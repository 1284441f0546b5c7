//! Exact values at given sizes.
//!
//! Evaluation substitutes the sizes, which leaves a constant in normal form: a rational number whenever the
//! value is one and no logarithm or nested root hides it. What is irrational is enclosed in an [`Interval`].
//! Questions with a discrete answer (floor, ceiling, order) double the precision until it is decided.
//!
//! Rounding is always to the safe side: [`Expr::eval_floor`] never exceeds the value (lower bounds), and
//! [`Expr::eval_ceil`] is never below it (upper bounds), even where the precision limit ends the search.

use super::{Assignment, Atom, Expr};
use crate::{
    error::{MathError, Result},
    interval::Interval,
    rational::{self, Rational},
};
use num_bigint::BigInt;
use num_traits::{One as _, Signed as _, Zero as _};
use std::cmp::Ordering;

/// The precisions that are tried in turn, in bits.
const PRECISIONS: [u32; 5] = [64, 128, 256, 512, HIGHEST_PRECISION];
/// The precision at which questions are given up.
const HIGHEST_PRECISION: u32 = 1024;

impl Expr {
    /// An interval that encloses the value at the given sizes, with roots to `bits` bits; a point when the
    /// value is rational.
    pub fn eval(&self, sizes: &Assignment, bits: u32) -> Result<Interval> {
        self.at(sizes)?.enclose(bits)
    }

    /// The floor of the value at the given sizes; where it cannot be decided, an integer below it.
    pub fn eval_floor(&self, sizes: &Assignment) -> Result<BigInt> {
        let value = self.at(sizes)?;
        match value.decide(|interval| interval.floor().as_point().cloned())? {
            Some(floor) => Ok(floor.to_integer()),
            None => Ok(rational::floor(value.enclose(HIGHEST_PRECISION)?.lower())),
        }
    }

    /// The ceiling of the value at the given sizes; where it cannot be decided, an integer above it.
    pub fn eval_ceil(&self, sizes: &Assignment) -> Result<BigInt> {
        Ok(-(-self).eval_floor(sizes)?)
    }

    /// The order of two values at the given sizes; `None` where the precision limit does not separate them.
    pub fn compare_at(&self, other: &Expr, sizes: &Assignment) -> Result<Option<Ordering>> {
        (self.at(sizes)? - other.at(sizes)?).constant_sign()
    }

    /// The order of a constant and zero.
    pub(super) fn constant_sign(&self) -> Result<Option<Ordering>> {
        if self.is_zero() {
            return Ok(Some(Ordering::Equal));
        }
        self.decide(|interval| match interval.as_point() {
            Some(value) => Some(value.cmp(&Rational::zero())),
            None if interval.lower().is_positive() => Some(Ordering::Greater),
            None if interval.upper().is_negative() => Some(Ordering::Less),
            None => None,
        })
    }

    /// The floor of a constant, when it can be decided.
    pub(super) fn decided_floor(&self) -> Option<BigInt> {
        let decided = self.decide(|interval| interval.floor().as_point().cloned());
        decided.ok().flatten().map(|floor| floor.to_integer())
    }

    /// Asks `question` with growing precision until it has an answer.
    fn decide<T>(&self, question: impl Fn(&Interval) -> Option<T>) -> Result<Option<T>> {
        for bits in PRECISIONS {
            match self.enclose(bits) {
                Ok(interval) => {
                    if let Some(answer) = question(&interval) {
                        return Ok(Some(answer));
                    }
                }
                Err(MathError::Undecided) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(None)
    }

    /// An enclosure of a constant.
    fn enclose(&self, bits: u32) -> Result<Interval> {
        let mut total = Interval::point(Rational::zero());
        for (monomial, coefficient) in self.terms() {
            let mut product = Interval::point(coefficient.clone());
            for (atom, exponent) in monomial.factors() {
                let value = atom.enclose(bits)?;
                product = product
                    * if exponent.is_one() {
                        value
                    } else {
                        value.pow(exponent, bits)?
                    };
            }
            total = total + product;
        }
        Ok(total)
    }
}

impl Atom {
    fn enclose(&self, bits: u32) -> Result<Interval> {
        let fold = |items: &[Expr], pick: fn(Interval, Interval) -> Interval| -> Result<Interval> {
            let mut values = items.iter().map(|item| item.enclose(bits));
            let first = values
                .next()
                .unwrap_or_else(|| Ok(Interval::point(Rational::zero())))?;
            values.try_fold(first, |best, value| Ok(pick(best, value?)))
        };
        match self {
            Atom::Prime(prime) => Ok(Interval::point(rational::int(BigInt::from(prime.clone())))),
            Atom::Symbol(symbol) => Err(MathError::Unassigned(symbol.to_string())),
            Atom::Sum(inner) => inner.enclose(bits),
            Atom::Min(items) => fold(items, Interval::min),
            Atom::Max(items) => fold(items, Interval::max),
            Atom::Floor(inner) => Ok(inner.enclose(bits)?.floor()),
            Atom::Ceil(inner) => Ok(inner.enclose(bits)?.ceil()),
            Atom::Log2(inner) => inner.enclose(bits)?.log2(bits),
        }
    }
}
