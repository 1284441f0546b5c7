//! Growth: how fast terms become large.
//!
//! A [`Regime`] gives every symbol a weight, a vector that is compared lexicographically. The growth of a
//! monomial is the sum of exponent × weight, and larger growth wins asymptotically:
//!
//! ```text
//! 1 ≪ S ≪ every size:   N: (1, 0)   S: (0, 1)     N³/√S: (3, -1/2)  >  N²: (2, 0)  >  S: (0, 1)
//! ```
//!
//! Logarithms grow slower than every power and are counted in a last component. A sum is taken to grow like its
//! fastest term; `dominance` asks separately whether that is certain.

use super::{Atom, Expr, Monomial, Symbol};
use crate::rational::{Rational, int};
use num_traits::{One as _, Zero as _};
use std::collections::BTreeMap;

/// How fast each symbol grows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Regime {
    components: usize,
    usual: Vec<Rational>,
    special: BTreeMap<Symbol, Vec<Rational>>,
}

/// The growth of a term, compared lexicographically.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Growth(Vec<Rational>);

impl Regime {
    /// All symbols grow alike.
    pub fn uniform() -> Self {
        Regime {
            components: 1,
            usual: vec![Rational::one()],
            special: BTreeMap::new(),
        }
    }

    /// `1 ≪ p ≪ S ≪` every size: the regime of leading terms.
    pub fn large_sizes() -> Self {
        Regime::uniform()
            .with_weight("S", [0, 1].map(int))
            .with_weight("p", [0, 0, 1].map(int))
    }

    /// The same regime with another weight for one symbol; missing components are zero.
    #[must_use]
    pub fn with_weight(
        mut self,
        symbol: impl Into<Symbol>,
        weight: impl IntoIterator<Item = Rational>,
    ) -> Self {
        let weight: Vec<_> = weight.into_iter().collect();
        self.components = self.components.max(weight.len());
        self.special.insert(symbol.into(), weight);
        self
    }

    /// The growth of a product of powers.
    pub fn growth(&self, monomial: &Monomial) -> Growth {
        let mut total = self.bounded();
        for (atom, exponent) in monomial.factors() {
            for (sum, part) in total.0.iter_mut().zip(self.atom(atom).0) {
                *sum += part * exponent;
            }
        }
        total
    }

    /// The growth of the fastest term; `None` for zero.
    pub fn growth_of(&self, expr: &Expr) -> Option<Growth> {
        expr.terms()
            .map(|(monomial, _)| self.growth(monomial))
            .max()
    }

    /// Whether the expression leaves every bound, in either direction.
    pub fn grows(&self, expr: &Expr) -> bool {
        self.growth_of(expr)
            .is_some_and(|growth| growth > self.bounded())
    }

    /// The growth of constants.
    fn bounded(&self) -> Growth {
        Growth(vec![Rational::zero(); self.components + 1])
    }

    fn atom(&self, atom: &Atom) -> Growth {
        let fastest = |items: &[&Expr]| {
            items
                .iter()
                .filter_map(|item| self.growth_of(item))
                .max()
                .unwrap_or_else(|| self.bounded())
        };
        match atom {
            Atom::Prime(_) => self.bounded(),
            Atom::Symbol(symbol) => {
                let mut weight = self.special.get(symbol).unwrap_or(&self.usual).clone();
                weight.resize(self.components + 1, Rational::zero());
                Growth(weight)
            }
            Atom::Sum(inner) | Atom::Floor(inner) | Atom::Ceil(inner) => fastest(&[inner]),
            Atom::Min(_) | Atom::Max(_) => fastest(&self.winners(atom)),
            Atom::Log2(inner) => {
                let mut growth = self.bounded();
                if self.growth_of(inner).is_some_and(|inner| inner != growth) {
                    growth.0[self.components] = Rational::one();
                }
                growth
            }
        }
    }

    /// The items that decide a minimum or maximum for large sizes.
    ///
    /// Items are ranked by sign and growth, and those of the winning rank are returned. An item whose sign is
    /// open cannot be ranked; then all are returned.
    pub(super) fn winners<'a>(&self, extremum: &'a Atom) -> Vec<&'a Expr> {
        let items = extremum.operands();
        let end = if matches!(extremum, Atom::Min(_)) {
            -Rational::one()
        } else {
            Rational::one()
        };
        let rank = |item: &Expr| {
            let sign = self.sign(item)? * &end;
            // Seen from the chosen end, the fastest positive value wins, or else the slowest negative one.
            let speed = self.growth_of(item).map(|growth| {
                growth
                    .0
                    .into_iter()
                    .map(|part| part * &sign)
                    .collect::<Vec<_>>()
            });
            Some((sign, speed))
        };
        let Some(ranks) = items.iter().map(rank).collect::<Option<Vec<_>>>() else {
            return items.iter().collect();
        };
        let best = ranks.iter().max();
        items
            .iter()
            .zip(&ranks)
            .filter(|(_, rank)| Some(*rank) == best)
            .map(|(item, _)| item)
            .collect()
    }
}
