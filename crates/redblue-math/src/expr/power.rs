//! Powers, roots and quotients.
//!
//! ```text
//! (c·Π a^e)^r   = c^r · Π a^(e·r)               for factors that cannot be negative
//! (g·s)^r       = g^r · (s)^r                   g: the content of a sum, s: its primitive part
//! (s)^(n+f)     = s^n multiplied out · (s)^f    n natural, 0 <= f < 1
//! ```

use super::{Atom, Expr, Monomial};
use crate::{
    error::{MathError, Result},
    integer::factor,
    rational::{self, Rational, int, ratio},
};
use num_bigint::{BigInt, BigUint};
use num_traits::{One as _, Signed as _, ToPrimitive as _, Zero as _};
use std::{collections::BTreeMap, sync::Arc};

/// The most terms that a power may be multiplied out into; the last step may form a quarter of their square.
const MAX_TERMS: u64 = 1000;
/// The most terms that clearing an inner denominator may leave: nested fractions could double them at each level.
const MAX_CLEARED: usize = 500;
/// The most bits that a power of a constant may have.
const MAX_BITS: u64 = 1 << 16;

impl Expr {
    /// The expression to a rational power.
    ///
    /// `0^0` is one. Fails for negative powers of zero, fractional powers of what is provably negative, and
    /// powers too large to write out.
    pub fn pow(&self, exponent: &Rational) -> Result<Expr> {
        if exponent.is_zero() {
            return Ok(Expr::one());
        }
        if exponent.is_one() {
            return Ok(self.clone());
        }
        match (self.terms.len(), self.as_term()) {
            (0, _) if exponent.is_negative() => Err(MathError::DivisionByZero),
            (0, _) => Ok(Expr::zero()),
            (_, Some((monomial, coefficient))) => term_power(monomial, coefficient, exponent),
            _ if is_natural(exponent) => expand(self, exponent),
            _ => self.polynomial_root(exponent),
        }
    }

    /// The expression to an integer power.
    pub fn powi(&self, exponent: i64) -> Result<Expr> {
        self.pow(&int(exponent))
    }

    /// The nonnegative square root.
    pub fn sqrt(&self) -> Result<Expr> {
        self.pow(&ratio(1, 2))
    }

    /// The quotient; fails when the divisor is the constant zero.
    pub fn div(&self, divisor: &Expr) -> Result<Expr> {
        Ok(self * divisor.powi(-1)?)
    }

    /// A power that is not natural, of a sum of several terms.
    fn polynomial_root(&self, exponent: &Rational) -> Result<Expr> {
        // An integer power may take any common factor out; a root only what cannot be negative.
        let whole = exponent.is_integer();
        let (content, common, primitive) =
            self.primitive_part(|atom| whole || atom.is_nonnegative())?;
        if common.has_sum() {
            // Clearing a denominator can make terms cancel, so begin again with what is left.
            let cleared = term_power(&common, &content, exponent)? * primitive.pow(exponent)?;
            let fits = cleared.terms.len() <= MAX_CLEARED;
            return fits.then_some(cleared).ok_or(MathError::TooLarge);
        }
        let flip = whole && primitive.prefers_negation();
        let (content, primitive) = if flip {
            (-content, -primitive)
        } else {
            (content, primitive)
        };
        Ok(term_power(&common, &content, exponent)?
            * primitive_power(&Arc::new(primitive), exponent)?)
    }

    /// Splits a sum into `content · common powers · primitive part`, the content positive.
    pub(super) fn primitive_part(
        &self,
        eligible: impl Fn(&Atom) -> bool,
    ) -> Result<(Rational, Monomial, Expr)> {
        let content = rational::content(self.terms.values());
        let is_prime = |atom: &Atom| matches!(atom, Atom::Prime(_));
        let mut common = self.common_powers(|atom| !is_prime(atom) && eligible(atom));
        for (prime, power) in self.common_radicals(&content) {
            common.set(Atom::Prime(prime), power);
        }
        let primitive = self.divide_terms(&common)?.scale(&content.recip());
        Ok((content, common, primitive))
    }

    /// Divides every term by `divisor`, merging exponents before anything is multiplied out.
    pub(super) fn divide_terms(&self, divisor: &Monomial) -> Result<Expr> {
        let mut quotient = self.clone();
        for (atom, exponent) in divisor.factors() {
            let mut next = Expr::zero();
            for (monomial, value) in quotient.terms {
                let power = atom_power(atom, &(monomial.exponent(atom) - exponent))?;
                next += power.distribute(&Expr::term(monomial.without(atom), value));
            }
            quotient = next;
        }
        Ok(quotient)
    }

    /// The powers of primes, below one, that divide every term once the content is taken out: `√2` in `√2·a + 2·b`.
    fn common_radicals(&self, content: &Rational) -> BTreeMap<BigUint, Rational> {
        let radicals = self.terms.keys().flat_map(Monomial::atoms);
        let primes = radicals.filter_map(|atom| match atom {
            Atom::Prime(prime) => Some(prime.clone()),
            _ => None,
        });
        let lowest = |prime: &BigUint| {
            let atom = Atom::Prime(prime.clone());
            let power = |(monomial, value): (&Monomial, &Rational)| {
                let divides = ((value / content).numer().magnitude() % prime).is_zero();
                monomial.exponent(&atom) + int(u8::from(divides))
            };
            self.terms
                .iter()
                .map(power)
                .min()
                .unwrap_or_else(Rational::zero)
        };
        let powers = primes.map(|prime| (prime.clone(), lowest(&prime)));
        powers.filter(|(_, power)| !power.is_zero()).collect()
    }
}

fn is_natural(exponent: &Rational) -> bool {
    exponent.is_integer() && exponent.is_positive()
}

/// `(coefficient * monomial)^exponent`.
fn term_power(monomial: &Monomial, coefficient: &Rational, exponent: &Rational) -> Result<Expr> {
    if exponent.is_integer() {
        let mut power = Expr::constant(integer_power(coefficient, exponent)?);
        for (atom, inner) in monomial.factors() {
            power *= &atom_power(atom, &(inner * exponent))?;
        }
        return Ok(power);
    }
    let unsigned: Vec<_> = monomial
        .factors()
        .filter(|(atom, inner)| may_be_negative(atom, inner))
        .collect();
    // An even power must not lose its sign under the root, nor may signs be split between factors.
    let together = match unsigned.as_slice() {
        [] if coefficient.is_negative() => return Err(MathError::RootOfNegative),
        [] => false,
        [(_, inner)] => coefficient.is_negative() || !inner.numer().bit(0),
        _ => true,
    };
    let mut power = constant_power(&coefficient.abs(), exponent)?;
    let mut kept = Expr::constant(if together {
        coefficient.signum()
    } else {
        Rational::one()
    });
    for (atom, inner) in monomial.factors() {
        if together && may_be_negative(atom, inner) {
            kept *= &Expr::term(
                Monomial::power(atom.clone(), inner.clone()),
                Rational::one(),
            );
        } else {
            power *= &atom_power(atom, &(inner * exponent))?;
        }
    }
    if together {
        power *= &primitive_power(&Arc::new(kept), exponent)?;
    }
    Ok(power)
}

/// Whether a factor may be negative. Under a fractional power it is not, wherever the expression has a value.
fn may_be_negative(atom: &Atom, exponent: &Rational) -> bool {
    exponent.is_integer() && !atom.is_nonnegative()
}

/// A single atom to any power.
pub(super) fn atom_power(atom: &Atom, exponent: &Rational) -> Result<Expr> {
    match atom {
        Atom::Prime(prime) => constant_power(&int(BigInt::from(prime.clone())), exponent),
        Atom::Sum(sum) => sum_power(sum, exponent),
        _ => Ok(Expr::term(
            Monomial::power(atom.clone(), exponent.clone()),
            Rational::one(),
        )),
    }
}

/// A sum in an atom to any power.
fn sum_power(sum: &Arc<Expr>, exponent: &Rational) -> Result<Expr> {
    // Under a root the sum could not give away its sign; in a denominator it can.
    if exponent.is_integer() {
        sum.pow(exponent)
    } else {
        primitive_power(sum, exponent)
    }
}

/// A primitive sum to any power: the natural part multiplied out, the rest an atom.
fn primitive_power(sum: &Arc<Expr>, exponent: &Rational) -> Result<Expr> {
    let natural = exponent.floor();
    if natural.is_negative() {
        return Ok(Expr::term(
            Monomial::power(Atom::Sum(sum.clone()), exponent.clone()),
            Rational::one(),
        ));
    }
    let root = Monomial::power(Atom::Sum(sum.clone()), exponent - &natural);
    Ok(expand(sum, &natural)? * Expr::term(root, Rational::one()))
}

/// A natural power, by repeated squaring, within the term limit.
fn expand(base: &Expr, exponent: &Rational) -> Result<Expr> {
    let mut exponent = exponent.numer().to_u64().ok_or(MathError::TooLarge)?;
    if power_terms(base.terms.len() as u64, exponent) > MAX_TERMS {
        return Err(MathError::TooLarge);
    }
    let (mut power, mut square) = (Expr::one(), base.clone());
    while exponent > 0 {
        if exponent & 1 == 1 {
            power *= &square;
        }
        exponent >>= 1;
        if exponent > 0 {
            square = &square * &square;
        }
    }
    Ok(power)
}

/// An upper bound on the terms of a power: the number of monomials of that degree in that many variables.
fn power_terms(terms: u64, exponent: u64) -> u64 {
    let mut count = 1u64;
    for step in 1..terms.min(MAX_TERMS) {
        count = count.saturating_mul(exponent.saturating_add(step)) / step;
        if count > MAX_TERMS {
            break;
        }
    }
    count
}

/// A rational number to an integer power, within the size limit.
fn integer_power(base: &Rational, exponent: &Rational) -> Result<Rational> {
    if base.is_zero() && exponent.is_negative() {
        return Err(MathError::DivisionByZero);
    }
    if base.abs().is_one() {
        let odd = exponent.numer().bit(0);
        return Ok(if odd { base.clone() } else { Rational::one() });
    }
    let size = base.numer().bits().max(base.denom().bits());
    let exponent = exponent.to_i32().ok_or(MathError::TooLarge)?;
    if size.saturating_mul(u64::from(exponent.unsigned_abs())) > MAX_BITS {
        return Err(MathError::TooLarge);
    }
    Ok(base.pow(exponent))
}

/// A positive rational number to any power: integers leave the root prime by prime.
fn constant_power(base: &Rational, exponent: &Rational) -> Result<Expr> {
    if exponent.is_integer() {
        return integer_power(base, exponent).map(Expr::constant);
    }
    let mut coefficient = Rational::one();
    let mut radical = Monomial::default();
    let mut raise = |number: &BigInt, sign: i64| -> Result<()> {
        for (prime, multiplicity) in factor(number.magnitude()) {
            let power = exponent * int(multiplicity) * int(sign);
            let whole = power.floor();
            coefficient *= integer_power(&prime_value(&prime), &whole)?;
            let rest = power - whole;
            radical.set(Atom::Prime(prime), rest);
        }
        Ok(())
    };
    raise(base.numer(), 1)?;
    raise(base.denom(), -1)?;
    Ok(Expr::term(radical, coefficient))
}

fn prime_value(prime: &BigUint) -> Rational {
    int(BigInt::from(prime.clone()))
}
