//! Symbolic expressions in sizes: what every bound and every count is written in.
//!
//! An [`Expr`] is always in normal form:
//!
//! ```text
//! Expr = Σ coefficient · Π atom^exponent          coefficient, exponent rational
//! atom = symbol | √prime | (sum)^e | min(…) | max(…) | floor(…) | ceil(…) | log2(…)
//! ```
//!
//! Products of sums are multiplied out, integers leave roots (`√8 = 2√2`), a sum under a root or in a
//! denominator is made primitive (`√(4a+8b) = 2√(a+2b)`), minima are flattened and share no common part, floors
//! hold no integer part. So equal polynomials, radicals and quasi-polynomials have equal representations, and
//! `==` decides them. Fractions with sums in their denominators are left as they were written when nothing
//! cancels; [`Expr::equivalent`] decides those by clearing denominators.
//!
//! Every symbol stands for a **nonnegative integer**. That is what makes `√(N²) = N` and `floor(N) = N` true.
//!
//! | file | holds |
//! |---|---|
//! | `atom`, `monomial` | the factors and their products |
//! | `ring`, `power` | sums and products; powers, roots, quotients |
//! | `extremum`, `rounding`, `logarithm` | constructors of the other atoms |
//! | `sign` | what is provably nonnegative or integer |
//! | `calculus` | substitution, coefficients, derivative |
//! | `view`, `text`, `latex`, `mathml`, `parse` | writing and reading |
//! | `collect`, `factor` | writing polynomials as products |
//! | `eval`, `growth`, `dominance` | exact values; growth; leading terms and who wins in the end |
//!
//! Deliberately absent: symbolic exponents, signs that depend on assumptions. Products of sums are for writing only.

mod atom;
mod calculus;
mod collect;
mod dominance;
mod eval;
mod extremum;
mod factor;
mod growth;
mod latex;
mod logarithm;
mod mathml;
mod monomial;
mod parse;
mod power;
mod ring;
mod rounding;
mod sign;
mod symbol;
mod text;
mod view;

pub use atom::Atom;
pub use growth::{Growth, Regime};
pub use monomial::Monomial;
pub use symbol::{Assignment, Symbol};

use crate::rational::{self, Rational, int};
use num_bigint::BigInt;
use num_traits::{One as _, Zero as _};
use std::{cmp::Ordering, collections::BTreeMap};

/// A symbolic expression in normal form; see the [module](self).
///
/// `Ord` compares representations, so that expressions can be keys of maps. It says nothing about values:
/// for those there are [`Expr::max_of`], [`Expr::compare_at`] and [`Expr::dominates`].
#[derive(Clone, PartialEq, Eq, Hash, Default)]
pub struct Expr {
    /// No coefficient is zero.
    terms: BTreeMap<Monomial, Rational>,
}

impl Expr {
    /// Zero, the empty sum.
    pub fn zero() -> Self {
        Self::default()
    }

    /// One, the empty product.
    pub fn one() -> Self {
        Expr::constant(Rational::one())
    }

    /// A rational constant.
    pub fn constant(value: Rational) -> Self {
        Expr::term(Monomial::default(), value)
    }

    /// An integer constant.
    pub fn integer(value: impl Into<BigInt>) -> Self {
        Expr::constant(int(value))
    }

    /// A named size.
    pub fn symbol(name: impl Into<Symbol>) -> Self {
        Expr::atom(Atom::Symbol(name.into()))
    }

    /// The terms with their coefficients, in a fixed but meaningless order.
    pub fn terms(&self) -> impl ExactSizeIterator<Item = (&Monomial, &Rational)> {
        self.terms.iter()
    }

    /// Whether this is the constant zero.
    pub fn is_zero(&self) -> bool {
        self.terms.is_empty()
    }

    /// The value, when the expression is a rational number.
    pub fn as_constant(&self) -> Option<Rational> {
        match self.as_term() {
            Some((monomial, value)) if monomial.is_one() => Some(value.clone()),
            None if self.is_zero() => Some(Rational::zero()),
            _ => None,
        }
    }

    /// The value, when the expression is an integer.
    pub fn as_integer(&self) -> Option<BigInt> {
        self.as_constant()
            .filter(Rational::is_integer)
            .map(|value| value.to_integer())
    }

    /// The only term, when there is exactly one.
    pub fn as_term(&self) -> Option<(&Monomial, &Rational)> {
        let mut terms = self.terms.iter();
        terms.next().filter(|_| terms.next().is_none())
    }

    /// The coefficient of the empty product.
    pub fn constant_term(&self) -> Rational {
        self.terms
            .get(&Monomial::default())
            .cloned()
            .unwrap_or_else(Rational::zero)
    }

    /// A single term.
    fn term(monomial: Monomial, coefficient: Rational) -> Self {
        let mut expr = Expr::zero();
        expr.add_term(monomial, coefficient);
        expr
    }

    /// A free atom with exponent one.
    fn atom(atom: Atom) -> Self {
        Expr::term(Monomial::power(atom, Rational::one()), Rational::one())
    }

    /// Adds one term in place.
    fn add_term(&mut self, monomial: Monomial, coefficient: Rational) {
        use std::collections::btree_map::Entry;
        if coefficient.is_zero() {
            return;
        }
        match self.terms.entry(monomial) {
            Entry::Vacant(entry) => {
                entry.insert(coefficient);
            }
            Entry::Occupied(mut entry) => {
                *entry.get_mut() = rational::sum(entry.get(), &coefficient);
                if entry.get().is_zero() {
                    entry.remove();
                }
            }
        }
    }
}

impl Ord for Expr {
    fn cmp(&self, other: &Self) -> Ordering {
        // The terms of a fraction share their denominator, and comparing it with itself must cost nothing.
        if std::ptr::eq(self, other) {
            return Ordering::Equal;
        }
        self.terms.cmp(&other.terms)
    }
}

impl PartialOrd for Expr {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl From<Rational> for Expr {
    fn from(value: Rational) -> Self {
        Expr::constant(value)
    }
}

impl From<BigInt> for Expr {
    fn from(value: BigInt) -> Self {
        Expr::integer(value)
    }
}

impl From<i64> for Expr {
    fn from(value: i64) -> Self {
        Expr::integer(value)
    }
}

impl From<Symbol> for Expr {
    fn from(symbol: Symbol) -> Self {
        Expr::symbol(symbol)
    }
}
