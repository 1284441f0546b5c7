//! Linear expressions with integer coefficients over loop variables, sizes and floors.

use std::collections::{BTreeMap, BTreeSet};

use num_bigint::BigInt;
use num_traits::{Signed, Zero};

/// What a linear expression is linear in.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Atom {
    /// The loop at this depth, outermost first.
    Iterator(usize),
    /// A size.
    Parameter(String),
    /// ⌊linear / divisor⌋ with a positive divisor.
    Floor(Box<Linear>, BigInt),
}

/// `constant + Σ coefficient · atom`, without zero coefficients.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Linear {
    pub(crate) terms: BTreeMap<Atom, BigInt>,
    pub(crate) constant: BigInt,
}

/// How an expression moves when one loop variable grows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trend {
    /// It does not contain the variable.
    Constant,
    /// It never falls.
    Rises,
    /// It never rises.
    Falls,
    /// Neither can be seen from its form.
    Unknown,
}

impl Linear {
    /// A number.
    pub(crate) fn constant(value: impl Into<BigInt>) -> Linear {
        Linear {
            terms: BTreeMap::new(),
            constant: value.into(),
        }
    }

    /// One atom.
    pub(crate) fn atom(atom: Atom) -> Linear {
        Linear {
            terms: BTreeMap::from([(atom, BigInt::from(1))]),
            constant: BigInt::zero(),
        }
    }

    /// `self + factor · other`.
    pub(crate) fn add_scaled(&self, other: &Linear, factor: &BigInt) -> Linear {
        let mut sum = self.clone();
        sum.constant += &other.constant * factor;
        for (atom, coefficient) in &other.terms {
            let entry = sum.terms.entry(atom.clone()).or_default();
            *entry += coefficient * factor;
            if entry.is_zero() {
                sum.terms.remove(atom);
            }
        }
        sum
    }

    /// `self + number`.
    pub(crate) fn plus(&self, number: i64) -> Linear {
        let mut sum = self.clone();
        sum.constant += number;
        sum
    }

    /// `-self`.
    pub(crate) fn negated(&self) -> Linear {
        Linear::default().add_scaled(self, &BigInt::from(-1))
    }

    /// The number, if there is no atom.
    pub(crate) fn as_constant(&self) -> Option<&BigInt> {
        self.terms.is_empty().then_some(&self.constant)
    }

    /// All sizes in it, also inside floors.
    pub(crate) fn collect_parameters(&self, into: &mut BTreeSet<String>) {
        for atom in self.terms.keys() {
            match atom {
                Atom::Iterator(_) => {}
                Atom::Parameter(name) => {
                    into.insert(name.clone());
                }
                Atom::Floor(inner, _) => inner.collect_parameters(into),
            }
        }
    }

    /// How it moves with the loop variable at `depth`.
    pub(crate) fn trend(&self, depth: usize) -> Trend {
        let mut trend = Trend::Constant;
        for (atom, coefficient) in &self.terms {
            let of_atom = match atom {
                Atom::Iterator(at) if *at == depth => Trend::Rises,
                Atom::Iterator(_) | Atom::Parameter(_) => Trend::Constant,
                Atom::Floor(inner, _) => inner.trend(depth),
            };
            trend = trend.join(if coefficient.is_negative() {
                of_atom.reversed()
            } else {
                of_atom
            });
        }
        trend
    }

    /// The same expression with the loop variable at `depth` replaced.
    pub(crate) fn substitute(&self, depth: usize, replacement: &Linear) -> Linear {
        let mut result = Linear::constant(self.constant.clone());
        for (atom, coefficient) in &self.terms {
            let new = match atom {
                Atom::Iterator(at) if *at == depth => replacement.clone(),
                Atom::Floor(inner, divisor) => Linear::atom(Atom::Floor(
                    Box::new(inner.substitute(depth, replacement)),
                    divisor.clone(),
                )),
                other => Linear::atom(other.clone()),
            };
            result = result.add_scaled(&new, coefficient);
        }
        result
    }
}

impl Trend {
    pub(crate) fn reversed(self) -> Trend {
        match self {
            Trend::Rises => Trend::Falls,
            Trend::Falls => Trend::Rises,
            other => other,
        }
    }

    pub(super) fn join(self, other: Trend) -> Trend {
        match (self, other) {
            (Trend::Constant, x) | (x, Trend::Constant) => x,
            (a, b) if a == b => a,
            _ => Trend::Unknown,
        }
    }
}
