//! Logarithms to base two, spread over products: `log2(8·N·√S) = 3 + log2(N) + log2(S)/2`.

use super::{Atom, Expr, Monomial};
use crate::{
    error::{MathError, Result},
    integer::factor,
    rational::{Rational, int},
};
use num_bigint::{BigInt, BigUint};
use num_traits::Signed as _;
use std::sync::Arc;

impl Expr {
    /// The logarithm to base two; fails for constants that are not positive.
    pub fn log2(&self) -> Result<Expr> {
        match self.as_term() {
            Some((monomial, coefficient)) => log2_term(monomial, coefficient),
            None if self.is_zero() => Err(MathError::LogOfNonPositive),
            None => {
                let (content, common, primitive) = self.primitive_part(Atom::is_nonnegative)?;
                let rest = if common.has_sum() {
                    primitive.log2()?
                } else {
                    Expr::atom(Atom::Log2(Arc::new(primitive)))
                };
                Ok(log2_term(&common, &content)? + rest)
            }
        }
    }
}

/// Factors that cannot be negative leave the logarithm; the others stay in it together.
fn log2_term(monomial: &Monomial, coefficient: &Rational) -> Result<Expr> {
    let (mut sum, mut inside) = (Expr::zero(), Monomial::default());
    for (atom, exponent) in monomial.factors() {
        if !atom.is_nonnegative() && exponent.is_integer() {
            inside.set(atom.clone(), exponent.clone());
            continue;
        }
        let inner = match atom {
            Atom::Prime(prime) => log2_prime(prime),
            Atom::Sum(sum) => Expr::atom(Atom::Log2(sum.clone())),
            _ => Expr::atom(Atom::Log2(Arc::new(Expr::atom(atom.clone())))),
        };
        sum += inner.scale(exponent);
    }
    if !inside.is_one() {
        let signed = Expr::term(inside, coefficient.signum());
        sum += Expr::atom(Atom::Log2(Arc::new(signed)));
    } else if !coefficient.is_positive() {
        return Err(MathError::LogOfNonPositive);
    }
    Ok(sum + log2_integer(coefficient.numer()) - log2_integer(coefficient.denom()))
}

/// The logarithm of the absolute value of an integer other than zero.
fn log2_integer(n: &BigInt) -> Expr {
    factor(n.magnitude())
        .iter()
        .map(|(prime, multiplicity)| log2_prime(prime).scale(&int(*multiplicity)))
        .sum()
}

fn log2_prime(prime: &BigUint) -> Expr {
    if *prime == BigUint::from(2u32) {
        return Expr::one();
    }
    Expr::atom(Atom::Log2(Arc::new(Expr::integer(prime.clone()))))
}
