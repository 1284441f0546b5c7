//! What can be proved about a value without knowing the sizes: that it is nonnegative, that it is an integer.
//!
//! Both answers are one-sided: `false` means "not proved".

use super::{Atom, Expr, Monomial};
use crate::Rational;
use num_traits::Signed as _;
use std::cmp::Ordering;

impl Expr {
    /// Whether the value is provably nonnegative for all sizes.
    pub fn is_nonnegative(&self) -> bool {
        self.terms
            .iter()
            .all(|(monomial, value)| value.is_positive() && monomial.is_nonnegative())
    }

    /// The terms with positive coefficients.
    #[must_use]
    pub fn positive_terms(&self) -> Expr {
        let positive = self.terms.iter().filter(|(_, value)| value.is_positive());
        Expr {
            terms: positive
                .map(|(monomial, value)| (monomial.clone(), value.clone()))
                .collect(),
        }
    }

    /// Whether the value is provably an integer for all sizes.
    pub fn is_integral(&self) -> bool {
        self.terms
            .iter()
            .all(|(monomial, value)| value.is_integer() && monomial.is_integral())
    }

    /// Whether no symbol occurs anywhere.
    pub fn is_symbol_free(&self) -> bool {
        self.terms
            .keys()
            .flat_map(Monomial::atoms)
            .all(|atom| match atom {
                Atom::Symbol(_) => false,
                _ => atom.operands().iter().all(Expr::is_symbol_free),
            })
    }
}

impl Expr {
    /// Which of `x` and `-x` is the canonical one, where normal form must choose: the one with fewer minus signs.
    pub(super) fn prefers_negation(&self) -> bool {
        let negative = self.minus_signs();
        match negative.cmp(&(self.terms.len() - negative)) {
            Ordering::Equal => self
                .lex_leading()
                .is_some_and(|(_, value)| value.is_negative()),
            order => order == Ordering::Greater,
        }
    }

    /// The number of negative coefficients.
    pub(super) fn minus_signs(&self) -> usize {
        self.terms
            .values()
            .filter(|value| value.is_negative())
            .count()
    }
}

impl Monomial {
    fn is_nonnegative(&self) -> bool {
        // A value under a fractional power is nonnegative wherever the expression has a value at all.
        let squared = |exponent: &Rational| !exponent.is_integer() || !exponent.numer().bit(0);
        self.factors()
            .all(|(atom, exponent)| squared(exponent) || atom.is_nonnegative())
    }

    /// Whether this is a product of natural powers of integers.
    pub(super) fn is_integral(&self) -> bool {
        self.factors().all(|(atom, exponent)| {
            exponent.is_integer() && exponent.is_positive() && atom.is_integral()
        })
    }
}

impl Atom {
    /// Whether the atom itself, before any exponent, is provably nonnegative.
    pub(super) fn is_nonnegative(&self) -> bool {
        match self {
            Atom::Prime(_) | Atom::Symbol(_) => true,
            Atom::Sum(inner) | Atom::Floor(inner) | Atom::Ceil(inner) => inner.is_nonnegative(),
            Atom::Min(items) => items.iter().all(Expr::is_nonnegative),
            Atom::Max(items) => items.iter().any(Expr::is_nonnegative),
            // A symbol may be zero, so only the logarithm of a constant has a known sign.
            Atom::Log2(inner) => inner
                .as_constant()
                .is_some_and(|value| value.numer() >= value.denom()),
        }
    }

    fn is_integral(&self) -> bool {
        match self {
            Atom::Symbol(_) | Atom::Floor(_) | Atom::Ceil(_) => true,
            Atom::Min(items) | Atom::Max(items) => items.iter().all(Expr::is_integral),
            Atom::Prime(_) | Atom::Sum(_) | Atom::Log2(_) => false,
        }
    }
}
