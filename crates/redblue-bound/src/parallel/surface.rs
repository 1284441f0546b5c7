//! The least number of words a share of the work touches, in closed form.
//!
//! `min Σ x_j` subject to `Π x_j^{s_j} ≥ V/p` and `x_j ≥ a_j = |A_j|/p` is a convex problem. Let F be the arrays
//! that sit at their bound. The others share one multiplier, `x_j = λ·s_j`, with
//! `λ^{σ'} = (V/p) / (Π_F a_j^{s_j} · Π_rest s_j^{s_j})`, σ' the sum of their exponents, and the point is optimal if
//! `λ·s_j ≤ a_j` on F and `λ·s_j ≥ a_j` elsewhere. As λ/a_j grows like `p^{(σ−1)/σ'}`, each condition is a threshold on p.

use std::cmp::Ordering;

use redblue_math::rational::int;
use redblue_math::{Assignment, Expr, Rational};

use super::Nest;
use crate::error::Result;

/// Most arrays with a positive exponent: there is one regime per subset.
const MOST_ARRAYS: usize = 6;

/// `D − Σ|A_j|/p` for one choice of exponents.
#[derive(Clone, Debug)]
pub struct Surface {
    /// s_j, one per array of the nest.
    pub exponents: Vec<Rational>,
    /// The formula without the conditions `x_j ≥ a_j`: holds always, but is weak for few ranks.
    pub always: Expr,
    /// The exact minimum, case by case.
    pub regimes: Vec<Regime>,
}

/// A formula and when it is the minimum.
#[derive(Clone, Debug)]
pub struct Regime {
    /// `p ≥` each of these.
    pub at_least: Vec<Expr>,
    /// `p ≤` each of these.
    pub at_most: Vec<Expr>,
    /// Words per rank beyond those it owns.
    pub formula: Expr,
}

impl Surface {
    pub(super) fn of(nest: &Nest, exponents: Vec<Rational>) -> Result<Surface> {
        let positive: Vec<usize> = (0..exponents.len())
            .filter(|&j| exponents[j] > int(0))
            .collect();
        let subsets = if positive.len() <= MOST_ARRAYS {
            1usize << positive.len()
        } else {
            1
        };
        let mut regimes = Vec::new();
        // The last subset, everything at its bound, is what ranks own anyway.
        for mask in 0..subsets.saturating_sub(1).max(1) {
            let free: Vec<usize> = (0..positive.len())
                .filter(|at| mask >> at & 1 == 0)
                .map(|at| positive[at])
                .collect();
            regimes.push(regime(nest, &exponents, &free)?);
        }
        // With λ·s_j in place of x_j for every array, also those that own more: a bound below the minimum.
        let multiplier = multiplier(nest, &exponents, &positive)?;
        let sum: Rational = exponents.iter().sum();
        let owned = nest.words().div(&Expr::symbol("p"))?;
        Ok(Surface {
            always: multiplier.scale(&sum) - owned,
            exponents,
            regimes,
        })
    }

    /// The formula that applies at given sizes.
    pub fn at(&self, sizes: &Assignment) -> Result<Expr> {
        for regime in &self.regimes {
            if regime.holds_at(sizes)? {
                return Ok(regime.formula.clone());
            }
        }
        Ok(self.always.clone())
    }
}

impl Regime {
    /// Whether given sizes, `p` among them, are in the regime.
    pub fn holds_at(&self, sizes: &Assignment) -> Result<bool> {
        let ranks = Expr::symbol("p");
        let low = self.at_least.iter().map(|threshold| (threshold, &ranks));
        let high = self.at_most.iter().map(|threshold| (&ranks, threshold));
        for (small, large) in low.chain(high) {
            if !matches!(
                small.compare_at(large, sizes)?,
                Some(Ordering::Less | Ordering::Equal)
            ) {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// λ with the given arrays free and the others at their bound.
fn multiplier(nest: &Nest, exponents: &[Rational], free: &[usize]) -> Result<Expr> {
    let ranks = Expr::symbol("p");
    let mut share = nest.work().div(&ranks)?;
    for (j, exponent) in exponents.iter().enumerate() {
        let base = match free.contains(&j) {
            true => Expr::constant(exponent.clone()),
            false => nest.size(j).div(&ranks)?,
        };
        share = share.div(&base.pow(exponent)?)?;
    }
    let sum: Rational = free.iter().map(|&j| &exponents[j]).sum();
    Ok(share.pow(&(int(1) / sum))?)
}

fn regime(nest: &Nest, exponents: &[Rational], free: &[usize]) -> Result<Regime> {
    let ranks = Expr::symbol("p");
    let multiplier = multiplier(nest, exponents, free)?;
    let all: Rational = exponents.iter().sum();
    let sum: Rational = free.iter().map(|&j| &exponents[j]).sum();
    let power = &sum / (all - int(1));
    let (mut at_least, mut at_most) = (Vec::new(), Vec::new());
    let mut formula = multiplier.scale(&sum);
    for (j, exponent) in exponents.iter().enumerate() {
        let owned = nest.size(j).div(&ranks)?;
        // λ·s_j = a_j solved for p: λ/a_j is its value at p = 1 times p^{1/power}.
        let threshold = || {
            let ratio = owned
                .div(&multiplier.scale(exponent))?
                .substitute("p", &Expr::one())?;
            ratio.pow(&power)
        };
        if free.contains(&j) {
            at_least.push(threshold()?);
            formula -= &owned;
        } else if *exponent > int(0) {
            at_most.push(threshold()?);
        }
    }
    Ok(Regime {
        at_least,
        at_most,
        formula,
    })
}
