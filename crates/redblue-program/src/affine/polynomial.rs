//! Polynomials with integer coefficients over loop variables, sizes and floors.
//!
//! Flat indices such as `(i*n + j)*m + k` need products of sizes until they are split into subscripts;
//! everywhere else a polynomial must turn out to be [`Linear`].

use std::collections::BTreeMap;

use num_bigint::BigInt;
use num_traits::{One, Signed, Zero};

use super::{AffineError, Atom, Linear};

/// A product of atoms, sorted, with repetition; empty for the number one.
pub(crate) type Monomial = Vec<Atom>;

/// More terms than any subscript written by hand or by a tiling tool.
const MAX_TERMS: usize = 256;

/// `Σ coefficient · monomial`, without zero coefficients.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Polynomial {
    terms: BTreeMap<Monomial, BigInt>,
}

impl Polynomial {
    /// A number.
    pub(crate) fn constant(value: impl Into<BigInt>) -> Polynomial {
        Polynomial::default().plus_term(&Vec::new(), &value.into())
    }

    /// One atom.
    pub(crate) fn atom(atom: Atom) -> Polynomial {
        Polynomial {
            terms: BTreeMap::from([(vec![atom], BigInt::one())]),
        }
    }

    /// A single term.
    pub(crate) fn monomial(monomial: Monomial, coefficient: BigInt) -> Polynomial {
        Polynomial::default().plus_term(&monomial, &coefficient)
    }

    /// The terms in a fixed order.
    pub(crate) fn terms(&self) -> impl Iterator<Item = (&Monomial, &BigInt)> {
        self.terms.iter()
    }

    /// Whether it is the number zero.
    pub(crate) fn is_zero(&self) -> bool {
        self.terms.is_empty()
    }

    fn plus_term(mut self, monomial: &Monomial, coefficient: &BigInt) -> Polynomial {
        let entry = self.terms.entry(monomial.clone()).or_default();
        *entry += coefficient;
        if entry.is_zero() {
            self.terms.remove(monomial);
        }
        self
    }

    /// `self + factor · other`.
    pub(crate) fn add_scaled(&self, other: &Polynomial, factor: &BigInt) -> Polynomial {
        other.terms.iter().fold(self.clone(), |sum, (monomial, c)| {
            sum.plus_term(monomial, &(c * factor))
        })
    }

    /// The product, unless it has too many terms to be a subscript.
    pub(crate) fn multiply(&self, other: &Polynomial) -> Result<Polynomial, AffineError> {
        if self.terms.len() * other.terms.len() > MAX_TERMS {
            return Err(AffineError::TooComplicated);
        }
        let mut product = Polynomial::default();
        for (a, x) in &self.terms {
            for (b, y) in &other.terms {
                let mut monomial = [a.as_slice(), b.as_slice()].concat();
                monomial.sort();
                product = product.plus_term(&monomial, &(x * y));
            }
        }
        Ok(product)
    }

    /// The number, if it is one.
    pub(crate) fn as_constant(&self) -> Option<BigInt> {
        self.to_linear()
            .ok()
            .and_then(|linear| linear.as_constant().cloned())
    }

    /// The linear expression, if no atoms are multiplied with each other.
    pub(crate) fn to_linear(&self) -> Result<Linear, AffineError> {
        let mut linear = Linear::default();
        for (monomial, coefficient) in &self.terms {
            let part = match monomial.as_slice() {
                [] => Linear::constant(1),
                [atom] => Linear::atom(atom.clone()),
                _ => return Err(AffineError::Product(monomial.clone())),
            };
            linear = linear.add_scaled(&part, coefficient);
        }
        Ok(linear)
    }

    /// Quotient and remainder by a divisor, as polynomials whose leading term is its largest monomial
    /// by degree. No remaining term is a multiple of that monomial.
    pub(crate) fn divide(&self, divisor: &Polynomial) -> Option<(Polynomial, Polynomial)> {
        let (lead, lead_coefficient) = divisor.leading()?;
        let mut quotient = Polynomial::default();
        let mut rest = self.clone();
        // Each step removes the largest multiple of the leading monomial and adds smaller ones, so the
        // number of steps is bounded by the number of terms that can arise; the cap guards the rest.
        for _ in 0..MAX_TERMS {
            let Some((factor, coefficient)) = rest
                .terms
                .iter()
                .filter_map(|(m, c)| Some((without(m, lead)?, c.clone())))
                .max_by_key(|(m, _)| m.len())
            else {
                return Some((quotient, rest));
            };
            if !(&coefficient % lead_coefficient).is_zero() {
                return None;
            }
            let scale = coefficient / lead_coefficient;
            let step = Polynomial {
                terms: BTreeMap::from([(factor, scale)]),
            };
            rest = rest.add_scaled(&step.multiply(divisor).ok()?, &BigInt::from(-1));
            quotient = quotient.add_scaled(&step, &BigInt::one());
        }
        None
    }

    /// The monomial of highest degree, the largest in order among equals, and its coefficient.
    fn leading(&self) -> Option<(&Monomial, &BigInt)> {
        self.terms
            .iter()
            .max_by_key(|(m, _)| (m.len(), (*m).clone()))
    }

    /// The leading monomial with coefficient one.
    pub(crate) fn leading_monomial(&self) -> Option<Polynomial> {
        let (monomial, _) = self.leading()?;
        Some(Polynomial::monomial(monomial.clone(), BigInt::one()))
    }

    /// Highest number of atoms in one term.
    pub(crate) fn degree(&self) -> usize {
        self.terms.keys().map(Vec::len).max().unwrap_or(0)
    }

    /// Whether every coefficient is non-negative and no loop variable occurs: then it is a positive
    /// stride for all non-negative sizes.
    pub(crate) fn is_stride(&self) -> bool {
        !self.is_zero()
            && self.leading().is_some_and(|(_, c)| c.is_positive())
            && self
                .terms
                .keys()
                .flatten()
                .all(|atom| matches!(atom, Atom::Parameter(_)))
    }
}

/// `monomial / part`, if it divides.
fn without(monomial: &Monomial, part: &Monomial) -> Option<Monomial> {
    let mut rest = monomial.clone();
    for atom in part {
        let at = rest.iter().position(|a| a == atom)?;
        rest.remove(at);
    }
    Some(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn size(name: &str) -> Polynomial {
        Polynomial::atom(Atom::Parameter(name.into()))
    }

    fn plus(a: &Polynomial, b: &Polynomial) -> Polynomial {
        a.add_scaled(b, &BigInt::one())
    }

    #[test]
    fn division_undoes_flattening() {
        let (i, j) = (
            Polynomial::atom(Atom::Iterator(0)),
            Polynomial::atom(Atom::Iterator(1)),
        );
        let strides = [
            size("n"),
            plus(&size("n"), &Polynomial::constant(2)),
            size("n").multiply(&size("m")).expect("small"),
        ];
        for stride in strides {
            let row = plus(&i, &Polynomial::constant(1));
            let flat = plus(&row.multiply(&stride).expect("small"), &j);
            assert_eq!(flat.divide(&stride), Some((row, j.clone())));
        }
    }

    #[test]
    fn products_are_not_linear() {
        let square = size("n").multiply(&size("n")).expect("small");
        assert!(matches!(square.to_linear(), Err(AffineError::Product(_))));
        assert_eq!(square.divide(&Polynomial::default()), None);
    }
}
