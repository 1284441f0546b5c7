//! Substitution, the polynomial view in one symbol, derivatives, and equality beyond the normal form.

use super::{Assignment, Atom, Expr, Monomial, Symbol, power::atom_power};
use crate::{
    error::{MathError, Result},
    rational::{self, Rational, int},
};
use num_traits::{One as _, ToPrimitive as _};
use std::collections::{BTreeMap, BTreeSet};

/// The most denominators that [`Expr::equivalent`] clears.
const DENOMINATORS: usize = 64;

impl Expr {
    /// All symbols that occur, also inside atoms.
    pub fn symbols(&self) -> BTreeSet<Symbol> {
        let mut found = BTreeSet::new();
        self.collect_symbols(&mut found);
        found
    }

    fn collect_symbols(&self, found: &mut BTreeSet<Symbol>) {
        for atom in self.terms.keys().flat_map(Monomial::atoms) {
            if let Atom::Symbol(symbol) = atom {
                found.insert(symbol.clone());
            }
            for operand in atom.operands() {
                operand.collect_symbols(found);
            }
        }
    }

    /// Whether `symbol` occurs.
    pub fn mentions(&self, symbol: &Symbol) -> bool {
        self.terms
            .keys()
            .flat_map(Monomial::atoms)
            .any(|atom| match atom {
                Atom::Symbol(name) => name == symbol,
                _ => atom
                    .operands()
                    .iter()
                    .any(|operand| operand.mentions(symbol)),
            })
    }

    /// Replaces one symbol by an expression, which must stand for a nonnegative integer as symbols do.
    pub fn substitute(&self, symbol: impl Into<Symbol>, value: &Expr) -> Result<Expr> {
        self.substitute_all(&BTreeMap::from([(symbol.into(), value.clone())]))
    }

    /// Replaces several symbols at once.
    pub fn substitute_all(&self, values: &BTreeMap<Symbol, Expr>) -> Result<Expr> {
        self.rebuild(&|symbol| Ok(values.get(symbol).cloned()))
    }

    /// The constant that the expression is at the given sizes; an error when a symbol has none.
    pub fn at(&self, sizes: &Assignment) -> Result<Expr> {
        self.rebuild(&|symbol| {
            sizes
                .get(symbol)
                .map(|value| Some(Expr::integer(value.clone())))
        })
    }

    /// Builds the expression anew, with other values for the symbols that have one.
    fn rebuild(&self, value: &dyn Fn(&Symbol) -> Result<Option<Expr>>) -> Result<Expr> {
        let mut total = Expr::zero();
        for (monomial, coefficient) in &self.terms {
            let mut product = Expr::constant(coefficient.clone());
            for (atom, exponent) in monomial.factors() {
                product *= &match atom.rebuild(value)? {
                    Some(base) => base.pow(exponent)?,
                    None => atom_power(atom, exponent)?,
                };
            }
            total += product;
        }
        Ok(total)
    }

    /// The coefficients by power of `symbol`, when the expression is a polynomial in it.
    pub fn coefficients(&self, symbol: &Symbol) -> Option<BTreeMap<u32, Expr>> {
        let atom = Atom::Symbol(symbol.clone());
        let mut coefficients: BTreeMap<u32, Expr> = BTreeMap::new();
        for (monomial, value) in &self.terms {
            let exponent = monomial.exponent(&atom);
            if !exponent.is_integer() {
                return None;
            }
            let coefficient = Expr::term(monomial.without(&atom), value.clone());
            if coefficient.mentions(symbol) {
                return None;
            }
            *coefficients.entry(exponent.to_u32()?).or_default() += coefficient;
        }
        coefficients.retain(|_, coefficient| !coefficient.is_zero());
        Some(coefficients)
    }

    /// The highest power of `symbol`, when the expression is a polynomial in it; zero for the zero polynomial.
    pub fn degree(&self, symbol: &Symbol) -> Option<u32> {
        Some(
            self.coefficients(symbol)?
                .into_keys()
                .next_back()
                .unwrap_or(0),
        )
    }

    /// The derivative by `symbol`; `None` when the symbol occurs in a minimum, a floor or a logarithm.
    pub fn derivative(&self, symbol: &Symbol) -> Option<Expr> {
        let mut total = Expr::zero();
        for (monomial, value) in &self.terms {
            for (atom, exponent) in monomial.factors() {
                let inner = match atom {
                    Atom::Symbol(name) if name == symbol => Expr::one(),
                    Atom::Sum(sum) if sum.mentions(symbol) => sum.derivative(symbol)?,
                    _ if atom
                        .operands()
                        .iter()
                        .any(|operand| operand.mentions(symbol)) =>
                    {
                        return None;
                    }
                    _ => continue,
                };
                let lowered = atom_power(atom, &(exponent - Rational::one())).ok()?;
                total += Expr::term(monomial.without(atom), value * exponent) * lowered * inner;
            }
        }
        Some(total)
    }

    /// Whether the two expressions are provably equal for all sizes: by normal form after clearing denominators.
    ///
    /// `false` means "not proved". What normal form leaves open: factors that different denominators share,
    /// nested roots, and orders between items of minima.
    pub fn equivalent(&self, other: &Expr) -> bool {
        let mut difference = self - other;
        // Each round clears one denominator for good; the bound only guards against pathological nesting.
        for _ in 0..DENOMINATORS {
            let worst = difference
                .terms
                .keys()
                .flat_map(Monomial::denominators)
                .min_by(|left, right| left.1.cmp(right.1));
            let Some((sum, exponent)) =
                worst.map(|(sum, exponent)| (sum.clone(), exponent.clone()))
            else {
                break;
            };
            // A denominator to the power e, rounded up, leaves every exponent of the sum nonnegative.
            let lift = Monomial::power(Atom::Sum(sum), int(rational::floor(&exponent)));
            match difference.divide_terms(&lift) {
                Ok(cleared) => difference = cleared,
                Err(_) => return false,
            }
        }
        difference.is_zero()
    }
}

impl Atom {
    /// The atom with its operands rebuilt; `None` when it holds no symbol and so cannot change.
    fn rebuild(&self, value: &dyn Fn(&Symbol) -> Result<Option<Expr>>) -> Result<Option<Expr>> {
        let operands = || {
            self.operands()
                .iter()
                .map(|operand| operand.rebuild(value))
                .collect::<Result<Vec<_>>>()
        };
        let only = || Ok::<_, MathError>(operands()?.pop().unwrap_or_default());
        Ok(match self {
            Atom::Prime(_) => None,
            Atom::Symbol(symbol) => value(symbol)?,
            Atom::Sum(_) => Some(only()?),
            Atom::Min(_) => Expr::min_of(operands()?),
            Atom::Max(_) => Expr::max_of(operands()?),
            Atom::Floor(_) => Some(only()?.floor()),
            Atom::Ceil(_) => Some(only()?.ceil()),
            Atom::Log2(_) => Some(only()?.log2()?),
        })
    }
}
