//! Products of powers of atoms.
//!
//! A [`Monomial`] is `Π atom^exponent` with rational, nonzero exponents, a list sorted by atom. Two kinds of atoms are
//! not free: a prime under a root and a sum under a power satisfy `√a·√a = a`. Their exponents therefore stay below
//! one, and [`Monomial::times`] hands what passes one back to the caller: a rational factor, and sums to multiply out.

use super::{Atom, Expr};
use crate::rational::{self, Rational, int};
use num_bigint::BigInt;
use num_traits::{One as _, Signed as _, Zero as _};
use std::{cmp::Ordering, sync::Arc};

/// A product of powers of atoms; the empty product is one.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Monomial(Vec<(Atom, Rational)>);

/// The product of two monomials: `scale * monomial * Π expand`.
pub(super) struct MonomialProduct {
    pub(super) scale: Rational,
    pub(super) monomial: Monomial,
    pub(super) expand: Vec<Expr>,
}

impl Monomial {
    /// The factors with their exponents, in writing order.
    pub fn factors(&self) -> impl Iterator<Item = (&Atom, &Rational)> {
        self.0.iter().map(|(atom, exponent)| (atom, exponent))
    }

    /// The factors without their exponents.
    pub fn atoms(&self) -> impl Iterator<Item = &Atom> {
        self.0.iter().map(|(atom, _)| atom)
    }

    /// Whether this is the empty product.
    pub fn is_one(&self) -> bool {
        self.0.is_empty()
    }

    /// The exponent of `atom`, zero when it does not occur.
    pub fn exponent(&self, atom: &Atom) -> Rational {
        self.find(atom)
            .map_or_else(|_| Rational::zero(), |place| self.0[place].1.clone())
    }

    /// A single power. The exponent must respect the range that the atom's kind demands.
    pub(super) fn power(atom: Atom, exponent: Rational) -> Self {
        Monomial(if exponent.is_zero() {
            Vec::new()
        } else {
            vec![(atom, exponent)]
        })
    }

    /// Gives `atom` another exponent; zero removes it.
    pub(super) fn set(&mut self, atom: Atom, exponent: Rational) {
        match (self.find(&atom), exponent.is_zero()) {
            (Ok(place), true) => drop(self.0.remove(place)),
            (Ok(place), false) => self.0[place].1 = exponent,
            (Err(_), true) => {}
            (Err(place), false) => self.0.insert(place, (atom, exponent)),
        }
    }

    /// The reciprocal of a product of free atoms.
    pub(super) fn inverse(&self) -> Monomial {
        let factors = self.0.iter();
        Monomial(
            factors
                .map(|(atom, exponent)| (atom.clone(), -exponent))
                .collect(),
        )
    }

    /// The product of the other factors.
    pub(super) fn without(&self, removed: &Atom) -> Monomial {
        Monomial(
            self.0
                .iter()
                .filter(|(atom, _)| atom != removed)
                .cloned()
                .collect(),
        )
    }

    fn find(&self, atom: &Atom) -> Result<usize, usize> {
        self.0.binary_search_by(|(known, _)| known.cmp(atom))
    }

    /// Whether a sum is among the factors.
    pub(super) fn has_sum(&self) -> bool {
        self.atoms().any(|atom| matches!(atom, Atom::Sum(_)))
    }

    /// Whether a sum stands in a denominator, the one case in which a product may cancel.
    pub(super) fn has_denominator(&self) -> bool {
        self.denominators().next().is_some()
    }

    /// The sums that stand in a denominator.
    pub(super) fn denominators(&self) -> impl Iterator<Item = (&Arc<Expr>, &Rational)> {
        self.factors().filter_map(|(atom, exponent)| match atom {
            Atom::Sum(sum) if exponent.is_negative() => Some((sum, exponent)),
            _ => None,
        })
    }

    /// The product, with exponents brought back into range.
    pub(super) fn times(&self, other: &Monomial) -> MonomialProduct {
        let mut product = MonomialProduct {
            scale: Rational::one(),
            monomial: Monomial::default(),
            expand: Vec::new(),
        };
        let (mut left, mut right) = (self.0.iter().peekable(), other.0.iter().peekable());
        product.monomial.0.reserve(self.0.len() + other.0.len());
        loop {
            let order = match (left.peek(), right.peek()) {
                (Some((one, _)), Some((two, _))) => one.cmp(two),
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (None, None) => return product,
            };
            match order {
                Ordering::Less => product.monomial.0.extend(left.next().cloned()),
                Ordering::Greater => product.monomial.0.extend(right.next().cloned()),
                Ordering::Equal => {
                    if let (Some((atom, one)), Some((_, two))) = (left.next(), right.next()) {
                        product.push_power(atom, one, two);
                    }
                }
            }
        }
    }

    /// `self / other` when no exponent becomes negative or leaves the range of its atom.
    pub(super) fn divide(&self, other: &Monomial) -> Option<Monomial> {
        let mut quotient = self.clone();
        for (atom, exponent) in other.factors() {
            let left = self.exponent(atom) - exponent;
            let multiplied_out = matches!(atom, Atom::Sum(_)) && left >= Rational::one();
            if left.is_negative() || multiplied_out {
                return None;
            }
            quotient.set(atom.clone(), left);
        }
        Some(quotient)
    }

    /// Compares exponents atom by atom, in the order of atoms: the lexicographic order of polynomial division.
    pub(super) fn lex_cmp(&self, other: &Monomial) -> Ordering {
        let zero = Rational::zero();
        let (mut left, mut right) = (self.0.iter(), other.0.iter());
        loop {
            let order = match (left.next(), right.next()) {
                (None, None) => return Ordering::Equal,
                (Some((_, one)), None) => one.cmp(&zero),
                (None, Some((_, two))) => zero.cmp(two),
                (Some((atom, one)), Some((other_atom, two))) => match atom.cmp(other_atom) {
                    Ordering::Less => one.cmp(&zero),
                    Ordering::Equal => one.cmp(two),
                    Ordering::Greater => zero.cmp(two),
                },
            };
            if order != Ordering::Equal {
                return order;
            }
        }
    }
}

/// The order of representations, not of values: it keys every sum, so exponents are compared part by part.
impl Ord for Monomial {
    fn cmp(&self, other: &Self) -> Ordering {
        let mut pairs = self.0.iter().zip(&other.0);
        let differing = pairs.find_map(|((atom, one), (other_atom, two))| {
            let order = atom.cmp(other_atom);
            let order = order
                .then_with(|| one.numer().cmp(two.numer()))
                .then_with(|| one.denom().cmp(two.denom()));
            (order != Ordering::Equal).then_some(order)
        });
        differing.unwrap_or_else(|| self.0.len().cmp(&other.0.len()))
    }
}

impl PartialOrd for Monomial {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl MonomialProduct {
    /// Appends `atom^(one + two)`.
    fn push_power(&mut self, atom: &Atom, one: &Rational, two: &Rational) {
        let whole = one.is_integer() && two.is_integer();
        let mut exponent = rational::sum(one, two);
        match atom {
            Atom::Prime(prime) if exponent >= Rational::one() => {
                exponent -= Rational::one();
                self.scale *= int(BigInt::from(prime.clone()));
            }
            Atom::Sum(sum) if exponent >= Rational::one() => {
                exponent -= Rational::one();
                self.expand.push((**sum).clone());
            }
            // Two roots met: a whole power of the sum may be simpler than the roots were.
            Atom::Sum(sum) if !whole && exponent.is_negative() && exponent.is_integer() => {
                if let Ok(power) = sum.pow(&exponent) {
                    self.expand.push(power);
                    exponent = Rational::zero();
                }
            }
            _ => {}
        }
        if !exponent.is_zero() {
            self.monomial.0.push((atom.clone(), exponent));
        }
    }
}
