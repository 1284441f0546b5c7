//! Growth: how fast terms become large, and with which sign.
//!
//! A [`Regime`] gives every symbol a weight, a vector that is compared lexicographically. The growth of a
//! monomial is the sum of exponent × weight, and larger growth wins asymptotically:
//!
//! ```text
//! 1 ≪ S ≪ every size:   N: (1, 0)   S: (0, 1)     N³/√S: (3, -1/2)  >  N²: (2, 0)  >  S: (0, 1)
//! ```
//!
//! A weight `(w_0, w_1, …)` stands for sizes within constant factors of `T^(w_0 + w_1·ε + w_2·ε² + …)`, where
//! `ε > 0` is as small as need be and then `T` as large as need be: a slower symbol is a small power of a faster
//! one, not merely unbounded. So all logarithms grow alike, slower than every power of every growing symbol, and
//! are counted in a last component. A sum is taken to grow like its fastest term; `dominance` asks separately
//! whether that is certain.

use super::{Atom, Expr, Monomial, Symbol};
use crate::rational::{Rational, int};
use num_traits::{One as _, Signed as _, Zero as _};
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

/// The behaviour for large sizes. Growth and sign are found in one pass, or nested extrema would take
/// exponential time: which item decides them depends on both.
pub(super) struct Trend {
    pub(super) growth: Growth,
    /// The sign in the end: 1, 0 or -1; `None` where it is not known.
    pub(super) sign: Option<i8>,
}

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
        self.monomial_trend(monomial).growth
    }

    /// The growth of the fastest term; `None` for zero, also where only large sizes make it zero.
    pub fn growth_of(&self, expr: &Expr) -> Option<Growth> {
        self.trend(expr).map(|trend| trend.growth)
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

    /// The growth of the fastest terms, and their sign where they agree; `None` for zero in the end.
    pub(super) fn trend(&self, expr: &Expr) -> Option<Trend> {
        let trends = expr.terms().map(|(monomial, value)| {
            let trend = self.monomial_trend(monomial);
            let sign = if value.is_negative() { -1 } else { 1 };
            Trend {
                sign: trend.sign.map(|of_monomial| of_monomial * sign),
                ..trend
            }
        });
        fastest(trends.collect())
    }

    fn monomial_trend(&self, monomial: &Monomial) -> Trend {
        let (mut growth, mut sign) = (self.bounded(), Some(1));
        for (atom, exponent) in monomial.factors() {
            let trend = self.atom_trend(atom);
            for (sum, part) in growth.0.iter_mut().zip(trend.growth.0) {
                *sum += part * exponent;
            }
            let odd = exponent.is_integer() && exponent.numer().bit(0);
            sign = match (sign, trend.sign) {
                (Some(0), _) | (_, Some(0)) => Some(0),
                (of_others, of_atom) if odd => of_others.zip(of_atom).map(|(x, y)| x * y),
                (of_others, _) => of_others,
            };
        }
        Trend { growth, sign }
    }

    fn atom_trend(&self, atom: &Atom) -> Trend {
        let constant = |sign| Trend {
            growth: self.bounded(),
            sign: Some(sign),
        };
        let of = |inner: &Expr| self.trend(inner).unwrap_or_else(|| constant(0));
        let mut trend = match atom {
            Atom::Prime(_) => constant(1),
            Atom::Symbol(symbol) => {
                let mut weight = self.special.get(symbol).unwrap_or(&self.usual).clone();
                weight.resize(self.components + 1, Rational::zero());
                Trend {
                    growth: Growth(weight),
                    sign: Some(1),
                }
            }
            Atom::Sum(inner) => of(inner),
            Atom::Floor(inner) | Atom::Ceil(inner) => {
                let Trend { growth, sign } = of(inner);
                // A bounded value may round to zero, so only a growing one keeps its sign.
                let sign = sign.filter(|&sign| sign == 0 || growth > self.bounded());
                Trend { growth, sign }
            }
            Atom::Log2(inner) => {
                let (inner, mut growth) = (of(inner).growth, self.bounded());
                let sign = (inner > growth).then_some(1);
                if inner != growth {
                    growth.0[self.components] = Rational::one();
                }
                Trend { growth, sign }
            }
            Atom::Min(_) | Atom::Max(_) => {
                let winners = self.winners(atom).into_iter();
                let trends: Vec<_> = winners.filter_map(|(_, trend)| trend).collect();
                let open = trends.iter().any(|trend| trend.sign.is_none());
                let mut trend = fastest(trends).unwrap_or_else(|| constant(0));
                trend.sign = trend.sign.filter(|_| !open);
                trend
            }
        };
        if trend.sign.is_none() && atom.is_nonnegative() {
            trend.sign = Some(1);
        }
        trend
    }

    /// The items that decide a minimum or maximum for large sizes, with their trends; that of zero is `None`.
    ///
    /// Items are ranked by sign and growth, and those of the winning rank are returned. An item whose sign is
    /// open cannot be ranked; then all are returned.
    pub(super) fn winners<'a>(&self, extremum: &'a Atom) -> Vec<(&'a Expr, Option<Trend>)> {
        let end = if matches!(extremum, Atom::Min(_)) {
            -1
        } else {
            1
        };
        // Seen from the chosen end, the fastest positive value wins, or else the slowest negative one.
        let rank = |trend: &Option<Trend>| match trend {
            None => Some((0, Vec::new())),
            Some(Trend { growth, sign }) => {
                let sign = (*sign)? * end;
                let speed = growth.0.iter().map(|part| part * int(sign)).collect();
                Some((sign, speed))
            }
        };
        let items = extremum.operands().iter();
        let trends: Vec<_> = items.map(|item| (item, self.trend(item))).collect();
        let ranks: Option<Vec<_>> = trends.iter().map(|(_, trend)| rank(trend)).collect();
        let Some(ranks) = ranks else {
            return trends;
        };
        let best = ranks.iter().max().cloned();
        let ranked = trends.into_iter().zip(ranks);
        ranked
            .filter(|(_, rank)| Some(rank) == best.as_ref())
            .map(|(item, _)| item)
            .collect()
    }
}

/// The common growth of the fastest, with their sign where all of them agree; what is zero in the end is left out.
fn fastest(mut trends: Vec<Trend>) -> Option<Trend> {
    trends.retain(|trend| trend.sign != Some(0));
    let growth = trends.iter().map(|trend| &trend.growth).max()?.clone();
    let mut signs = trends
        .iter()
        .filter(|trend| trend.growth == growth)
        .map(|trend| trend.sign);
    let first = signs.next().flatten();
    let sign = first.filter(|_| signs.all(|sign| sign == first));
    Some(Trend { growth, sign })
}
