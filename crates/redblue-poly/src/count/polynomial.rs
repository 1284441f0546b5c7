//! Linear forms and polynomials in numbered variables, the arithmetic of nested summation.

use std::collections::BTreeMap;

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Signed, Zero};
use redblue_math::{Rational, faulhaber};

/// A variable; [`super::variables::Variables`] knows what it stands for.
pub(crate) type Var = usize;

/// `constant + Σ coefficient · variable` with integer coefficients, none of them zero.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) struct Form {
    pub(crate) constant: BigInt,
    pub(crate) terms: BTreeMap<Var, BigInt>,
}

impl Form {
    pub(crate) fn constant(value: impl Into<BigInt>) -> Form {
        Form {
            constant: value.into(),
            terms: BTreeMap::new(),
        }
    }

    pub(crate) fn variable(var: Var) -> Form {
        Form {
            constant: BigInt::zero(),
            terms: BTreeMap::from([(var, BigInt::one())]),
        }
    }

    /// `self + factor · other`.
    pub(crate) fn plus(mut self, factor: &BigInt, other: &Form) -> Form {
        self.constant += factor * &other.constant;
        for (var, coefficient) in &other.terms {
            *self.terms.entry(*var).or_default() += factor * coefficient;
        }
        self.terms.retain(|_, coefficient| !coefficient.is_zero());
        self
    }

    pub(crate) fn minus(self, other: &Form) -> Form {
        self.plus(&-BigInt::one(), other)
    }

    pub(crate) fn negated(&self) -> Form {
        Form::default().minus(self)
    }

    /// The form with a variable replaced.
    pub(crate) fn substitute(&self, var: Var, value: &Form) -> Form {
        let mut rest = self.clone();
        match rest.terms.remove(&var) {
            Some(coefficient) => rest.plus(&coefficient, value),
            None => rest,
        }
    }

    /// The terms that satisfy a condition without the constant, and the rest.
    pub(crate) fn split(&self, chosen: impl Fn(Var) -> bool) -> (Form, Form) {
        let (inside, outside) = self
            .terms
            .clone()
            .into_iter()
            .partition(|(var, _)| chosen(*var));
        let inside = Form {
            constant: BigInt::zero(),
            terms: inside,
        };
        (
            inside,
            Form {
                constant: self.constant.clone(),
                terms: outside,
            },
        )
    }

    /// Greatest common divisor of the coefficients, zero if there are none.
    pub(crate) fn content(&self) -> BigInt {
        self.terms
            .values()
            .fold(BigInt::zero(), |gcd, c| gcd.gcd(c))
    }

    /// The form divided by a number that divides every coefficient, the constant rounded down.
    pub(crate) fn divided(&self, divisor: &BigInt) -> Form {
        let terms = self
            .terms
            .iter()
            .map(|(var, c)| (*var, c / divisor))
            .collect();
        Form {
            constant: self.constant.div_floor(divisor),
            terms,
        }
    }
}

/// A polynomial with rational coefficients: monomials as sorted lists of variables and exponents.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) struct Polynomial(BTreeMap<Vec<(Var, u32)>, Rational>);

impl Polynomial {
    pub(crate) fn one() -> Polynomial {
        Polynomial::constant(Rational::one())
    }

    pub(crate) fn constant(value: Rational) -> Polynomial {
        let mut polynomial = Polynomial::default();
        polynomial.add_term(Vec::new(), value);
        polynomial
    }

    pub(crate) fn variable(var: Var) -> Polynomial {
        Polynomial(BTreeMap::from([(vec![(var, 1)], Rational::one())]))
    }

    pub(crate) fn terms(&self) -> impl Iterator<Item = (&[(Var, u32)], &Rational)> {
        self.0
            .iter()
            .map(|(monomial, coefficient)| (monomial.as_slice(), coefficient))
    }

    pub(crate) fn is_zero(&self) -> bool {
        self.0.is_empty()
    }

    /// All variables that occur.
    pub(crate) fn variables(&self) -> std::collections::BTreeSet<Var> {
        self.0.keys().flatten().map(|(var, _)| *var).collect()
    }

    fn add_term(&mut self, monomial: Vec<(Var, u32)>, coefficient: Rational) {
        let entry = self.0.entry(monomial).or_insert_with(Rational::zero);
        *entry += coefficient;
        // Zero coefficients must not stay, or equal polynomials would differ.
        if entry.is_zero() {
            self.0.retain(|_, coefficient| !coefficient.is_zero());
        }
    }

    pub(crate) fn plus(mut self, other: &Polynomial) -> Polynomial {
        for (monomial, coefficient) in &other.0 {
            self.add_term(monomial.clone(), coefficient.clone());
        }
        self
    }

    pub(crate) fn minus(self, other: &Polynomial) -> Polynomial {
        self.plus(&other.scaled(&-Rational::one()))
    }

    pub(crate) fn scaled(&self, factor: &Rational) -> Polynomial {
        if factor.is_zero() {
            return Polynomial::default();
        }
        Polynomial(
            self.0
                .iter()
                .map(|(m, c)| (m.clone(), c * factor))
                .collect(),
        )
    }

    pub(crate) fn times(&self, other: &Polynomial) -> Polynomial {
        let mut product = Polynomial::default();
        for (left, a) in &self.0 {
            for (right, b) in &other.0 {
                let mut powers: BTreeMap<Var, u32> = left.iter().copied().collect();
                for (var, exponent) in right {
                    *powers.entry(*var).or_default() += exponent;
                }
                product.add_term(powers.into_iter().collect(), a * b);
            }
        }
        product
    }

    /// The polynomial as one in `var`: coefficients by exponent, which do not contain `var`.
    pub(crate) fn coefficients(&self, var: Var) -> Vec<Polynomial> {
        let mut coefficients = Vec::new();
        for (monomial, value) in &self.0 {
            let exponent = monomial
                .iter()
                .find(|(v, _)| *v == var)
                .map_or(0, |(_, e)| *e as usize);
            if coefficients.len() <= exponent {
                coefficients.resize(exponent + 1, Polynomial::default());
            }
            let rest = monomial
                .iter()
                .copied()
                .filter(|(v, _)| *v != var)
                .collect();
            coefficients[exponent].add_term(rest, value.clone());
        }
        coefficients
    }

    /// The polynomial with a variable replaced.
    pub(crate) fn substitute(&self, var: Var, value: &Polynomial) -> Polynomial {
        if !self.variables().contains(&var) {
            return self.clone();
        }
        horner(&self.coefficients(var), value)
    }

    /// `Σ self` over the integers `first <= var <= last`, as a polynomial identity in the bounds; it also
    /// holds for the empty sum `last = first - 1`.
    pub(crate) fn sum(&self, var: Var, first: &Polynomial, last: &Polynomial) -> Polynomial {
        let before = first.clone().minus(&Polynomial::one());
        let mut total = Polynomial::default();
        for (exponent, coefficient) in self.coefficients(var).iter().enumerate() {
            let powers = faulhaber(exponent as u32)
                .into_iter()
                .map(Polynomial::constant);
            let powers: Vec<Polynomial> = powers.collect();
            let between = horner(&powers, last).minus(&horner(&powers, &before));
            total = total.plus(&coefficient.times(&between));
        }
        total
    }

    /// The value, given the values of all variables that occur.
    pub(crate) fn evaluate(&self, value: impl Fn(Var) -> BigInt) -> Rational {
        self.0
            .iter()
            .map(|(monomial, coefficient)| {
                monomial
                    .iter()
                    .fold(coefficient.clone(), |product, (var, exponent)| {
                        product * Rational::from_integer(value(*var).pow(*exponent))
                    })
            })
            .fold(Rational::zero(), |sum, term| sum + term)
    }

    /// The polynomial with all variables replaced at once; `None` keeps a variable.
    pub(crate) fn renamed(&self, value: impl Fn(Var) -> Option<Polynomial>) -> Polynomial {
        self.0
            .iter()
            .fold(Polynomial::default(), |sum, (monomial, coefficient)| {
                let start = Polynomial::constant(coefficient.clone());
                let term = monomial.iter().fold(start, |product, (var, exponent)| {
                    let factor = value(*var).unwrap_or_else(|| Polynomial::variable(*var));
                    (0..*exponent).fold(product, |product, _| product.times(&factor))
                });
                sum.plus(&term)
            })
    }
}

impl From<&Form> for Polynomial {
    fn from(form: &Form) -> Polynomial {
        let mut polynomial = Polynomial::constant(Rational::from_integer(form.constant.clone()));
        for (var, coefficient) in &form.terms {
            polynomial.add_term(vec![(*var, 1)], Rational::from_integer(coefficient.clone()));
        }
        polynomial
    }
}

fn horner(coefficients: &[Polynomial], at: &Polynomial) -> Polynomial {
    coefficients
        .iter()
        .rev()
        .fold(Polynomial::default(), |value, coefficient| {
            value.times(at).plus(coefficient)
        })
}

/// Whether a coefficient is one or minus one.
pub(crate) fn is_unit(coefficient: &BigInt) -> bool {
    coefficient.abs().is_one()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_agree_with_addition() {
        let (x, n) = (0, 1);
        let [px, pn] = [x, n].map(Polynomial::variable);
        // x³ - 2nx + n, summed over n - 3 <= x <= 2n.
        let two = Rational::from_integer(2.into());
        let f = px
            .times(&px)
            .times(&px)
            .minus(&pn.times(&px).scaled(&two))
            .plus(&pn);
        let first = pn
            .clone()
            .minus(&Polynomial::constant(Rational::from_integer(3.into())));
        let sum = f.sum(x, &first, &pn.scaled(&two));
        for value in -4..9i64 {
            let at = |x: i64| f.evaluate(|var| BigInt::from(if var == n { value } else { x }));
            let expected = (value - 3..=2 * value)
                .map(at)
                .fold(Rational::zero(), |a, b| a + b);
            // n = -4 gives the empty sum over -7 <= x <= -8.
            assert_eq!(
                sum.evaluate(|_| BigInt::from(value)),
                expected,
                "n = {value}"
            );
        }
    }
}
