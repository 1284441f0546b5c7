//! Sums and products of expressions, the commutative ring.
//!
//! Multiplication distributes and collects. The one exception: a sum that meets a denominator dividing it
//! exactly cancels, so `(a² - b²) / (a + b)` is `a - b`.

use super::{Atom, Expr, Monomial};
use crate::rational::{self, Rational};
use num_traits::{One as _, Zero as _};
use std::{
    collections::BTreeSet,
    iter,
    ops::{Add, AddAssign, Mul, MulAssign, Neg, Sub, SubAssign},
};

/// Terms of a quotient after which a division is given up.
const DIVISION_STEPS: usize = 1000;

impl Expr {
    /// The expression times a rational number.
    #[must_use]
    pub fn scale(&self, factor: &Rational) -> Expr {
        if factor.is_zero() {
            return Expr::zero();
        }
        Expr {
            terms: self
                .terms
                .iter()
                .map(|(monomial, value)| (monomial.clone(), value * factor))
                .collect(),
        }
    }

    fn multiply(&self, other: &Expr) -> Expr {
        let fractions = |expr: &Expr| expr.terms.keys().any(Monomial::has_denominator);
        match (fractions(self), fractions(other)) {
            (false, false) => self.distribute(other),
            (false, true) => other.multiply_by_terms(self),
            (true, false) => self.multiply_by_terms(other),
            // Cancellation is not symmetric, so fix the roles to keep products commutative.
            (true, true) => {
                std::cmp::max(self, other).multiply_by_terms(std::cmp::min(self, other))
            }
        }
    }

    /// Multiplies `whole` by each term of `self`, cancelling denominators that divide it.
    fn multiply_by_terms(&self, whole: &Expr) -> Expr {
        let mut product = Expr::zero();
        for (monomial, coefficient) in &self.terms {
            product += match whole.cancel(monomial) {
                Some((quotient, rest)) => quotient.multiply(&rest).scale(coefficient),
                None => whole.distribute(&Expr::term(monomial.clone(), coefficient.clone())),
            };
        }
        product
    }

    /// Writes `self * monomial` as `(self / d) * (monomial * d)` for a denominator `d` that divides `self`.
    fn cancel(&self, monomial: &Monomial) -> Option<(Expr, Expr)> {
        if self.terms.len() < 2 {
            return None;
        }
        let mut sums = monomial.denominators();
        sums.find_map(|(sum, exponent)| {
            let quotient = self.exact_quotient(sum)?;
            let mut rest = monomial.clone();
            rest.set(Atom::Sum(sum.clone()), exponent + Rational::one());
            Some((quotient, Expr::term(rest, Rational::one())))
        })
    }

    /// The plain distributive product.
    pub(super) fn distribute(&self, other: &Expr) -> Expr {
        let mut product = Expr::zero();
        for (left, left_value) in &self.terms {
            for (right, right_value) in &other.terms {
                let parts = left.times(right);
                let mut coefficient = rational::product(left_value, right_value);
                if !parts.scale.is_one() {
                    coefficient *= parts.scale;
                }
                if parts.expand.is_empty() {
                    product.add_term(parts.monomial, coefficient);
                } else {
                    let term = Expr::term(parts.monomial, coefficient);
                    product += parts
                        .expand
                        .iter()
                        .fold(term, |whole, sum| whole.multiply(sum));
                }
            }
        }
        product
    }

    /// The quotient by `divisor`, when the division of these (generalised) polynomials leaves no remainder.
    ///
    /// Long division in the lexicographic order of atoms. The dividend is first freed of monomial content (the
    /// divisor, a primitive sum, has none), so that a quotient has nonnegative exponents and the division ends.
    pub(super) fn exact_quotient(&self, divisor: &Expr) -> Option<Expr> {
        if divisor.terms.len() < 2 {
            return None;
        }
        let common = self.common_powers(|_| true);
        let mut remainder = self.divide_terms(&common).ok()?;
        let (lead, lead_value) = divisor.lex_leading()?;
        let mut quotient = Expr::zero();
        for _ in 0..DIVISION_STEPS {
            let Some((monomial, value)) = remainder.lex_leading() else {
                return Some(quotient.distribute(&Expr::term(common, Rational::one())));
            };
            let step = monomial.divide(lead)?;
            let step = Expr::term(step, value / lead_value);
            let leading = monomial.clone();
            remainder -= &step.distribute(divisor);
            // A relation between atoms may keep the leading term alive; then long division does not apply.
            if remainder.terms.contains_key(&leading) {
                return None;
            }
            quotient += step;
        }
        None
    }

    /// The greatest term in the lexicographic order by atoms.
    pub(super) fn lex_leading(&self) -> Option<(&Monomial, &Rational)> {
        self.terms
            .iter()
            .max_by(|left, right| left.0.lex_cmp(right.0))
    }

    /// The lowest exponent of each atom over all terms, for the atoms that `eligible` admits.
    pub(super) fn common_powers(&self, eligible: impl Fn(&Atom) -> bool) -> Monomial {
        let atoms: BTreeSet<&Atom> = self.terms.keys().flat_map(Monomial::atoms).collect();
        let mut common = Monomial::default();
        for atom in atoms.into_iter().filter(|atom| eligible(atom)) {
            let lowest = self
                .terms
                .keys()
                .map(|monomial| monomial.exponent(atom))
                .min();
            common.set(atom.clone(), lowest.unwrap_or_else(Rational::zero));
        }
        common
    }
}

impl AddAssign<&Expr> for Expr {
    fn add_assign(&mut self, other: &Expr) {
        for (monomial, value) in &other.terms {
            self.add_term(monomial.clone(), value.clone());
        }
    }
}

impl AddAssign for Expr {
    fn add_assign(&mut self, mut other: Expr) {
        if self.terms.len() < other.terms.len() {
            std::mem::swap(self, &mut other);
        }
        for (monomial, value) in other.terms {
            self.add_term(monomial, value);
        }
    }
}

impl SubAssign<&Expr> for Expr {
    fn sub_assign(&mut self, other: &Expr) {
        for (monomial, value) in &other.terms {
            self.add_term(monomial.clone(), -value);
        }
    }
}

impl MulAssign<&Expr> for Expr {
    fn mul_assign(&mut self, other: &Expr) {
        *self = self.multiply(other);
    }
}

impl Neg for &Expr {
    type Output = Expr;
    fn neg(self) -> Expr {
        self.scale(&-Rational::one())
    }
}

impl Neg for Expr {
    type Output = Expr;
    fn neg(self) -> Expr {
        -&self
    }
}

impl Add<&Expr> for &Expr {
    type Output = Expr;
    fn add(self, other: &Expr) -> Expr {
        let mut sum = self.clone();
        sum += other;
        sum
    }
}

impl Sub<&Expr> for &Expr {
    type Output = Expr;
    fn sub(self, other: &Expr) -> Expr {
        let mut difference = self.clone();
        difference -= other;
        difference
    }
}

impl Mul<&Expr> for &Expr {
    type Output = Expr;
    fn mul(self, other: &Expr) -> Expr {
        self.multiply(other)
    }
}

/// The owned and mixed forms of a binary operator, by reference to the borrowed one.
macro_rules! forward_operator {
    ($($operator:ident $method:ident),*) => { $(
        impl $operator<Expr> for Expr {
            type Output = Expr;
            fn $method(self, other: Expr) -> Expr { $operator::$method(&self, &other) }
        }
        impl $operator<&Expr> for Expr {
            type Output = Expr;
            fn $method(self, other: &Expr) -> Expr { $operator::$method(&self, other) }
        }
        impl $operator<Expr> for &Expr {
            type Output = Expr;
            fn $method(self, other: Expr) -> Expr { $operator::$method(self, &other) }
        }
    )* };
}
forward_operator!(Add add, Sub sub, Mul mul);

impl iter::Sum for Expr {
    fn sum<I: Iterator<Item = Expr>>(items: I) -> Expr {
        items.fold(Expr::zero(), |mut total, item| {
            total += item;
            total
        })
    }
}

impl<'a> iter::Sum<&'a Expr> for Expr {
    fn sum<I: Iterator<Item = &'a Expr>>(items: I) -> Expr {
        items.fold(Expr::zero(), |mut total, item| {
            total += item;
            total
        })
    }
}

impl iter::Product for Expr {
    fn product<I: Iterator<Item = Expr>>(items: I) -> Expr {
        items.fold(Expr::one(), |total, item| total * item)
    }
}

impl<'a> iter::Product<&'a Expr> for Expr {
    fn product<I: Iterator<Item = &'a Expr>>(items: I) -> Expr {
        items.fold(Expr::one(), |total, item| total * item)
    }
}
