//! Floors and ceilings, in the normal form of quasi-polynomials.
//!
//! Integer parts leave the floor. When what remains is a polynomial over integers, it is brought to
//!
//! ```text
//! floor((P + k) / q),  0 <= k < q,  coefficients of P/q in (-1/2, 1/2]
//! ```
//!
//! and written `ceil(P / q)` when `k = q - 1`. Of this and the equal `-floor((q-1-k - P) / q)`, the one with more
//! positive coefficients, or else smaller `k`, is taken. So `floor((n+3)/4)`, `ceil(n/4)` and `1 + floor((n-1)/4)` are one.

use super::{Atom, Expr, Monomial};
use crate::rational::{self, Rational, int, nearest, ratio};
use num_bigint::BigInt;
use num_integer::Integer as _;
use num_traits::{One as _, Signed as _};
use std::{cmp::Ordering, sync::Arc};

impl Expr {
    /// The largest integer not above the value.
    #[must_use]
    pub fn floor(&self) -> Expr {
        let (mut whole, mut rest) = (Expr::zero(), Expr::zero());
        for (monomial, value) in &self.terms {
            let pulled = if monomial.is_integral() && !monomial.is_one() {
                nearest(value)
            } else {
                BigInt::ZERO
            };
            rest.add_term(monomial.clone(), value - int(pulled.clone()));
            whole.add_term(monomial.clone(), int(pulled));
        }
        if rest.terms.keys().all(Monomial::is_integral) {
            return whole + floor_of_integers(rest);
        }
        if rest.is_symbol_free()
            && let Some(value) = rest.decided_floor()
        {
            return whole + Expr::integer(value);
        }
        let constant = rational::floor(&rest.constant_term());
        rest -= &Expr::integer(constant.clone());
        whole += Expr::integer(constant);
        if rest.prefers_negation() {
            whole - Expr::atom(Atom::Ceil(Arc::new(-rest)))
        } else {
            whole + Expr::atom(Atom::Floor(Arc::new(rest)))
        }
    }

    /// The smallest integer not below the value.
    #[must_use]
    pub fn ceil(&self) -> Expr {
        -(-self).floor()
    }
}

/// The floor of a polynomial over integers whose nonconstant coefficients lie in `(-1/2, 1/2]`.
fn floor_of_integers(mut rest: Expr) -> Expr {
    let constant = rest.constant_term();
    rest -= &Expr::constant(constant.clone());
    let q = rest
        .terms
        .values()
        .fold(BigInt::one(), |lcm, value| lcm.lcm(value.denom()));
    if rest.is_zero() {
        return Expr::integer(rational::floor(&constant));
    }
    // The polynomial is a multiple of 1/q, so finer parts of the constant never matter.
    let steps = rational::floor(&(constant * int(q.clone())));
    let (whole, k) = steps.div_mod_floor(&q);
    let last = &q - 1;
    let flipped = &last - &k;
    if prefers_flip(&rest, &k, &flipped) {
        return Expr::integer(whole) - (-rest + Expr::constant(Rational::new(flipped, q))).floor();
    }
    let atom = if k == last {
        Atom::Ceil(Arc::new(rest))
    } else {
        Atom::Floor(Arc::new(rest + Expr::constant(Rational::new(k, q))))
    };
    Expr::integer(whole) + Expr::atom(atom)
}

/// Whether `-floor((flipped - P) / q)` is the canonical form of `floor((P + k) / q)`.
fn prefers_flip(polynomial: &Expr, k: &BigInt, flipped: &BigInt) -> bool {
    let count = |wanted: fn(&Rational) -> bool| {
        polynomial
            .terms
            .values()
            .filter(|value| wanted(value))
            .count()
    };
    // A coefficient of one half stays one half under negation, because integer parts leave the floor.
    let (positive, positive_flipped) = (
        count(|value| value.is_positive()),
        count(|value| value.is_negative() || *value == ratio(1, 2)),
    );
    match positive_flipped.cmp(&positive).then(k.cmp(flipped)) {
        Ordering::Equal => polynomial.prefers_negation(),
        order => order == Ordering::Greater,
    }
}
