//! Integer values with `min`, `max` and choices.
//!
//! Sums, multiples and floors move into the branches (`min(a, b) + c = min(a + c, b + c)`), so a comparison
//! becomes a conjunction or disjunction of linear constraints without any auxiliary variable.

use num_bigint::BigInt;
use num_traits::{One, Signed, Zero};

use super::{AffineError, Atom, Formula, Linear, Polynomial};

/// More branches than any bound written by hand or by a tiling tool.
const MAX_LEAVES: usize = 64;

/// An exact integer expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    /// No branches.
    Leaf(Polynomial),
    /// The smallest of these.
    Min(Vec<Value>),
    /// The largest of these.
    Max(Vec<Value>),
    /// The first if the condition holds, the second otherwise.
    Choose(Box<Formula>, Box<Value>, Box<Value>),
}

impl Value {
    /// A number.
    pub(crate) fn constant(value: impl Into<BigInt>) -> Value {
        Value::Leaf(Polynomial::constant(value))
    }

    /// One atom.
    pub(crate) fn atom(atom: Atom) -> Value {
        Value::Leaf(Polynomial::atom(atom))
    }

    /// `min` (or `max`) of two values.
    pub(crate) fn extremum(a: Value, b: Value, smallest: bool) -> Value {
        let mut parts = Vec::new();
        for value in [a, b] {
            match (value, smallest) {
                (Value::Min(inner), true) | (Value::Max(inner), false) => parts.extend(inner),
                (other, _) => parts.push(other),
            }
        }
        if smallest {
            Value::Min(parts)
        } else {
            Value::Max(parts)
        }
    }

    /// `condition ? a : b`.
    pub(crate) fn choose(condition: Formula, a: Value, b: Value) -> Value {
        match condition {
            Formula::True => a,
            Formula::False => b,
            condition => Value::Choose(Box::new(condition), Box::new(a), Box::new(b)),
        }
    }

    /// The number, if it is one.
    pub(crate) fn as_constant(&self) -> Option<BigInt> {
        match self {
            Value::Leaf(polynomial) => polynomial.as_constant(),
            _ => None,
        }
    }

    /// The value without branches, if it has none.
    pub(crate) fn as_leaf(&self) -> Option<&Polynomial> {
        match self {
            Value::Leaf(polynomial) => Some(polynomial),
            _ => None,
        }
    }

    /// `self + factor · other`.
    pub(crate) fn add_scaled(&self, other: &Value, factor: &BigInt) -> Result<Value, AffineError> {
        self.plus(&other.scaled(factor))
    }

    fn plus(&self, other: &Value) -> Result<Value, AffineError> {
        if self.leaves() * other.leaves() > MAX_LEAVES {
            return Err(AffineError::TooComplicated);
        }
        match (self, other) {
            (Value::Leaf(a), Value::Leaf(b)) => Ok(Value::Leaf(a.add_scaled(b, &BigInt::one()))),
            (Value::Leaf(_), branched) => branched.map(&|part| part.plus(self)),
            (branched, _) => branched.map(&|part| part.plus(other)),
        }
    }

    /// `factor · self`; a negative factor turns `min` into `max`.
    pub(crate) fn scaled(&self, factor: &BigInt) -> Value {
        let parts = |values: &[Value]| values.iter().map(|v| v.scaled(factor)).collect();
        match self {
            _ if factor.is_zero() => Value::constant(0),
            Value::Leaf(a) => Value::Leaf(Polynomial::default().add_scaled(a, factor)),
            Value::Min(values) if factor.is_positive() => Value::Min(parts(values)),
            Value::Max(values) if factor.is_negative() => Value::Min(parts(values)),
            Value::Min(values) | Value::Max(values) => Value::Max(parts(values)),
            Value::Choose(c, a, b) => Value::Choose(
                c.clone(),
                Box::new(a.scaled(factor)),
                Box::new(b.scaled(factor)),
            ),
        }
    }

    /// The product, if one side is a number or neither has branches.
    pub(crate) fn multiply(&self, other: &Value) -> Result<Value, AffineError> {
        match (self.as_constant(), other.as_constant()) {
            (Some(factor), _) => Ok(other.scaled(&factor)),
            (_, Some(factor)) => Ok(self.scaled(&factor)),
            _ => match (self, other) {
                (Value::Leaf(a), Value::Leaf(b)) => Ok(Value::Leaf(a.multiply(b)?)),
                // A choice does not depend on signs, so products move into it.
                (Value::Choose(..), _) => self.map(&|part| part.multiply(other)),
                (_, Value::Choose(..)) => other.map(&|part| self.multiply(part)),
                _ => Err(AffineError::TooComplicated),
            },
        }
    }

    /// ⌊self / divisor⌋ for a positive divisor. Floors are monotone, so they move into `min` and `max`.
    pub(crate) fn floor_divide(&self, divisor: &BigInt) -> Result<Value, AffineError> {
        match self {
            _ if divisor.is_one() => Ok(self.clone()),
            Value::Leaf(a) => {
                let linear = a.to_linear()?;
                Ok(Value::Leaf(floor(&linear, divisor)))
            }
            branched => branched.map(&|part| part.floor_divide(divisor)),
        }
    }

    /// `self >= 0` as a condition.
    pub(crate) fn nonnegative(&self) -> Result<Formula, AffineError> {
        let all = |values: &[Value]| -> Result<Vec<Formula>, AffineError> {
            values.iter().map(Value::nonnegative).collect()
        };
        Ok(match self {
            Value::Leaf(a) => Formula::nonnegative(a.to_linear()?),
            Value::Min(values) => Formula::all(all(values)?),
            Value::Max(values) => Formula::any(all(values)?),
            Value::Choose(c, a, b) => Formula::any(vec![
                Formula::all(vec![(**c).clone(), a.nonnegative()?]),
                Formula::all(vec![c.negated(), b.nonnegative()?]),
            ]),
        })
    }

    /// `self == 0` as a condition.
    pub(crate) fn zero(&self) -> Result<Formula, AffineError> {
        match self {
            Value::Leaf(a) => Ok(Formula::zero(a.to_linear()?)),
            branched => {
                let opposite = branched.scaled(&BigInt::from(-1));
                Ok(Formula::all(vec![
                    branched.nonnegative()?,
                    opposite.nonnegative()?,
                ]))
            }
        }
    }

    /// The cases of the value: exclusive conditions that cover everything, each with a plain polynomial.
    pub(crate) fn cases(&self) -> Result<Vec<(Formula, Polynomial)>, AffineError> {
        let extremum = |values: &[Value], sign: i64| {
            let mut cases = Vec::new();
            for (at, value) in values.iter().enumerate() {
                let mut best = Vec::new();
                for (other_at, other) in values.iter().enumerate() {
                    // The first of several equal values is the one taken.
                    let margin = Value::constant(if other_at < at { -1 } else { 0 });
                    if other_at != at {
                        let lead = other.add_scaled(value, &BigInt::from(-1))?;
                        best.push(
                            lead.scaled(&BigInt::from(sign))
                                .plus(&margin)?
                                .nonnegative()?,
                        );
                    }
                }
                let best = Formula::all(best);
                for (when, polynomial) in value.cases()? {
                    cases.push((Formula::all(vec![best.clone(), when]), polynomial));
                }
            }
            Ok(cases)
        };
        match self {
            Value::Leaf(a) => Ok(vec![(Formula::True, a.clone())]),
            Value::Min(values) => extremum(values, 1),
            Value::Max(values) => extremum(values, -1),
            Value::Choose(c, a, b) => {
                let mut cases = Vec::new();
                for (guard, branch) in [((**c).clone(), a), (c.negated(), b)] {
                    for (when, polynomial) in branch.cases()? {
                        cases.push((Formula::all(vec![guard.clone(), when]), polynomial));
                    }
                }
                Ok(cases)
            }
        }
    }

    fn map(&self, f: &dyn Fn(&Value) -> Result<Value, AffineError>) -> Result<Value, AffineError> {
        let all = |values: &[Value]| values.iter().map(f).collect::<Result<Vec<_>, _>>();
        Ok(match self {
            Value::Leaf(_) => f(self)?,
            Value::Min(values) => Value::Min(all(values)?),
            Value::Max(values) => Value::Max(all(values)?),
            Value::Choose(c, a, b) => Value::Choose(c.clone(), Box::new(f(a)?), Box::new(f(b)?)),
        })
    }

    fn leaves(&self) -> usize {
        match self {
            Value::Leaf(_) => 1,
            Value::Min(values) | Value::Max(values) => values.iter().map(Value::leaves).sum(),
            Value::Choose(_, a, b) => a.leaves() + b.leaves(),
        }
    }
}

/// ⌊linear / divisor⌋ with whole multiples of the divisor taken out.
fn floor(linear: &Linear, divisor: &BigInt) -> Polynomial {
    let mut whole = Polynomial::default();
    let mut rest = linear.clone();
    for (atom, coefficient) in &linear.terms {
        if (coefficient % divisor).is_zero() {
            whole = whole.add_scaled(&Polynomial::atom(atom.clone()), &(coefficient / divisor));
            rest.terms.remove(atom);
        }
    }
    if rest.terms.is_empty() {
        let (quotient, remainder) = (&rest.constant / divisor, &rest.constant % divisor);
        let floored = if remainder.is_negative() {
            quotient - 1
        } else {
            quotient
        };
        return whole.add_scaled(&Polynomial::constant(floored), &BigInt::one());
    }
    let atom = Atom::Floor(Box::new(rest), divisor.clone());
    whole.add_scaled(&Polynomial::atom(atom), &BigInt::one())
}
