//! Dominance: leading terms, and which of two expressions is larger in the end.
//!
//! Leading terms are descriptions and take sums at face value. [`Expr::dominates`] is a proof: it answers only
//! when every growth involved is certain, that is, when the fastest terms of every sum agree in sign.

use super::{Atom, Expr, Monomial, Regime};
use crate::{error::Result, rational::Rational};
use num_traits::{One as _, Signed as _, Zero as _};

impl Expr {
    /// The dominant terms when all symbols grow as the regime says.
    ///
    /// Also inside atoms: `N²/(√(S+1) - 1)` leads with `N²/√S`, and `max(N², S)` with `N²`. When the leading
    /// parts of the terms cancel each other, the terms themselves are kept.
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
        Ok(if total.is_zero() { plain } else { total })
    }

    /// Whether `self >= other` for all large sizes of the regime: `None` where neither order is proved.
    pub fn dominates(&self, other: &Expr, regime: &Regime) -> Option<bool> {
        let difference = self - other;
        difference
            .terms
            .keys()
            .all(|monomial| regime.is_certain(monomial))
            .then(|| regime.sign(&difference))?
            .map(|sign| !sign.is_negative())
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
                    .map(|item| item.leading(regime))
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
    /// The sign of the fastest terms, for large sizes; `None` where they disagree.
    pub(super) fn sign(&self, expr: &Expr) -> Option<Rational> {
        let Some(fastest) = self.growth_of(expr) else {
            return Some(Rational::zero());
        };
        let leading = expr
            .terms()
            .filter(|(monomial, _)| self.growth(monomial) == fastest);
        let mut signs =
            leading.map(|(monomial, value)| Some(value.signum() * self.monomial_sign(monomial)?));
        let first = signs.next()??;
        signs
            .all(|sign| sign.as_ref() == Some(&first))
            .then_some(first)
    }

    fn monomial_sign(&self, monomial: &Monomial) -> Option<Rational> {
        let odd = |exponent: &Rational| exponent.is_integer() && exponent.numer().bit(0);
        monomial
            .factors()
            .filter(|(_, exponent)| odd(exponent))
            .try_fold(Rational::one(), |sign, (atom, _)| {
                Some(
                    sign * if atom.is_nonnegative() {
                        Rational::one()
                    } else {
                        self.atom_sign(atom)?
                    },
                )
            })
    }

    fn atom_sign(&self, atom: &Atom) -> Option<Rational> {
        let mut signs = atom.operands().iter().map(|operand| self.sign(operand));
        match atom {
            Atom::Prime(_) | Atom::Symbol(_) => Some(Rational::one()),
            Atom::Sum(_) => signs.next()?,
            // A bounded value may round to zero, so only a growing one keeps its sign.
            Atom::Floor(inner) | Atom::Ceil(inner) => signs.next()?.filter(|_| self.grows(inner)),
            Atom::Log2(inner) => self.grows(inner).then(Rational::one),
            Atom::Min(_) => signs.collect::<Option<Vec<_>>>()?.into_iter().min(),
            Atom::Max(_) => signs.collect::<Option<Vec<_>>>()?.into_iter().max(),
        }
    }

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
                    && !self.winners(atom).into_iter().any(Expr::is_zero)
            }
        })
    }

    /// Whether the fastest terms are certain and agree in sign, so that the sum grows as they do.
    fn is_signed(&self, expr: &Expr) -> bool {
        self.sign(expr).is_some() && expr.terms.keys().all(|monomial| self.is_certain(monomial))
    }
}
