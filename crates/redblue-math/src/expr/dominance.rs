//! Dominance: leading terms, and which of two expressions is larger in the end.
//!
//! Leading terms are descriptions and take sums at face value. [`Expr::dominates`] is a proof: it answers only
//! when every growth involved is certain, that is, when the fastest terms of every sum agree in sign.

use super::{Atom, Expr, Monomial, Regime, power::atom_power};
use crate::error::Result;

impl Expr {
    /// The dominant terms when all symbols grow as the regime says.
    ///
    /// Also inside atoms: `N²/(√(S+1) - 1)` leads with `N²/√S`, and `max(N², S)` with `N²`. When the leading
    /// parts of the terms cancel each other, the terms themselves are kept, once minima and maxima are decided.
    pub fn leading(&self, regime: &Regime) -> Result<Expr> {
        let Some(fastest) = regime.growth_of(self) else {
            return Ok(Expr::zero());
        };
        let (mut plain, mut total) = (Expr::zero(), Expr::zero());
        for (monomial, value) in self
            .terms()
            .filter(|(monomial, _)| regime.growth(monomial) == fastest)
        {
            plain.add_term(monomial.clone(), value.clone());
            let mut product = Expr::constant(value.clone());
            for (atom, exponent) in monomial.factors() {
                product *= &atom.leading(regime)?.pow(exponent)?;
            }
            total += product;
        }
        if !total.is_zero() {
            return Ok(total);
        }
        let decided = self.decided(regime)?;
        if decided == *self {
            Ok(plain)
        } else {
            decided.leading(regime)
        }
    }

    /// The expression with each minimum and maximum replaced by the only item that decides it.
    fn decided(&self, regime: &Regime) -> Result<Expr> {
        let mut total = Expr::zero();
        for (monomial, value) in self.terms() {
            let mut product = Expr::constant(value.clone());
            for (atom, exponent) in monomial.factors() {
                let winners = match atom {
                    Atom::Min(_) | Atom::Max(_) => regime.winners(atom),
                    _ => Vec::new(),
                };
                product *= &match winners.as_slice() {
                    [(only, _)] => only.pow(exponent)?,
                    _ => atom_power(atom, exponent)?,
                };
            }
            total += product;
        }
        Ok(total)
    }

    /// Whether `self >= other` for all large sizes of the regime: `None` where neither order is proved.
    pub fn dominates(&self, other: &Expr, regime: &Regime) -> Option<bool> {
        let difference = self - other;
        regime
            .sign(&difference)
            .filter(|_| regime.is_signed(&difference))
            .map(|sign| sign >= 0)
    }

    /// The expression with all symbols but the memory `S` and the ranks `p` set equal to `N`.
    pub fn simplified(&self) -> Result<Expr> {
        let common = Expr::symbol("N");
        let sizes = self
            .symbols()
            .into_iter()
            .filter(|symbol| !["S", "p"].contains(&symbol.name()));
        self.substitute_all(&sizes.map(|symbol| (symbol, common.clone())).collect())
    }
}

impl Atom {
    fn leading(&self, regime: &Regime) -> Result<Expr> {
        match self {
            Atom::Prime(prime) => Ok(Expr::integer(prime.clone())),
            Atom::Symbol(symbol) => Ok(Expr::symbol(symbol)),
            Atom::Sum(inner) => inner.leading(regime),
            Atom::Floor(inner) | Atom::Ceil(inner) if regime.grows(inner) => inner.leading(regime),
            Atom::Log2(inner) if regime.grows(inner) => inner.leading(regime)?.log2(),
            Atom::Floor(_) | Atom::Ceil(_) | Atom::Log2(_) => Ok(Expr::atom(self.clone())),
            Atom::Min(_) | Atom::Max(_) => {
                let winners = regime
                    .winners(self)
                    .into_iter()
                    .map(|(item, _)| item.leading(regime))
                    .collect::<Result<Vec<_>>>()?;
                let pick = if matches!(self, Atom::Min(_)) {
                    Expr::min_of
                } else {
                    Expr::max_of
                };
                Ok(pick(winners).unwrap_or_default())
            }
        }
    }
}

impl Regime {
    /// Whether the monomial truly grows as its growth says.
    fn is_certain(&self, monomial: &Monomial) -> bool {
        monomial.atoms().all(|atom| match atom {
            Atom::Prime(_) | Atom::Symbol(_) => true,
            Atom::Sum(inner) => self.is_signed(inner),
            Atom::Floor(inner) | Atom::Ceil(inner) | Atom::Log2(inner) => {
                self.is_signed(inner) && self.grows(inner)
            }
            // An extremum that is zero in the end does not grow like anything.
            Atom::Min(items) | Atom::Max(items) => {
                items.iter().all(|item| self.is_signed(item))
                    && self.winners(atom).iter().all(|(item, _)| !item.is_zero())
            }
        })
    }

    /// Whether the fastest terms are certain and agree in sign, so that the sum grows as they do.
    fn is_signed(&self, expr: &Expr) -> bool {
        self.sign(expr).is_some() && expr.terms.keys().all(|monomial| self.is_certain(monomial))
    }

    /// The sign for large sizes, with sums taken at face value.
    fn sign(&self, expr: &Expr) -> Option<i8> {
        self.trend(expr).map_or(Some(0), |trend| trend.sign)
    }
}
