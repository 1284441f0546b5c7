//! Minima and maxima.
//!
//! The normal form of `min(x_1, …, x_n)`: nested extrema are flattened, constants folded, items that another item
//! provably beats dropped, common summands and common nonnegative factors taken out, the rest sorted.
//! An extremum is also the negated opposite extremum of the negated items; the form with fewer minus signs is kept.

use super::{Atom, Expr, Monomial};
use crate::rational::{self, Rational};
use num_traits::{One as _, Signed as _, Zero as _};
use std::cmp::Ordering;

/// Nested extrema are flattened while the items stay below this number.
const FLATTEN_LIMIT: usize = 64;

/// Which end of the items is meant.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Min,
    Max,
}

impl Expr {
    /// The smallest of the items; `None` when there are none.
    pub fn min_of(items: impl IntoIterator<Item = Expr>) -> Option<Expr> {
        extremum(End::Min, items.into_iter().collect())
    }

    /// The largest of the items; `None` when there are none.
    pub fn max_of(items: impl IntoIterator<Item = Expr>) -> Option<Expr> {
        extremum(End::Max, items.into_iter().collect())
    }
}

impl End {
    fn opposite(self) -> End {
        match self {
            End::Min => End::Max,
            End::Max => End::Min,
        }
    }

    /// Whether the negated opposite extremum is the canonical form: the one with fewer minus signs, then the
    /// maximum with zero, then the one whose items come first.
    fn prefers_opposite(self, items: &[Expr], negated: &[Expr]) -> bool {
        let signs = |items: &[Expr]| items.iter().map(Expr::minus_signs).sum::<usize>();
        let minimum_with_zero = |end: End| end == End::Min && items.iter().any(Expr::is_zero);
        let mut sorted = negated.to_vec();
        sorted.sort();
        let ours = (signs(items), minimum_with_zero(self), items);
        let theirs = (
            signs(negated),
            minimum_with_zero(self.opposite()),
            sorted.as_slice(),
        );
        theirs < ours
    }

    /// Whether `one` provably makes `other` superfluous.
    fn beats(self, one: &Expr, other: &Expr) -> bool {
        let lead = match self {
            End::Min => other - one,
            End::Max => one - other,
        };
        lead.is_nonnegative()
            || (lead.is_symbol_free()
                && matches!(lead.constant_sign(), Ok(Some(Ordering::Greater))))
    }
}

fn extremum(end: End, items: Vec<Expr>) -> Option<Expr> {
    let items = undefeated(end, flatten(end, items));
    let (first, others) = items.split_first()?;
    if others.is_empty() {
        return Some(first.clone());
    }
    let shared = shared_terms(first, others);
    if !shared.is_zero() {
        return extremum(end, items.iter().map(|item| item - &shared).collect())
            .map(|rest| shared + rest);
    }
    let (content, powers) = shared_factor(&items);
    if !content.is_one() || !powers.is_one() {
        let inverse = Expr::term(powers.inverse(), content.recip());
        return extremum(end, items.iter().map(|item| item * &inverse).collect())
            .map(|rest| Expr::term(powers, content) * rest);
    }
    let negated: Vec<Expr> = items.iter().map(|item| -item).collect();
    if end.prefers_opposite(&items, &negated) {
        return extremum(end.opposite(), negated).map(|rest| -rest);
    }
    Some(Expr::atom(match end {
        End::Min => Atom::Min(items.into()),
        End::Max => Atom::Max(items.into()),
    }))
}

/// Replaces an item `r + c·min(…)` by the items `r + c·x`, and `r - c·max(…)` likewise.
fn flatten(end: End, items: Vec<Expr>) -> Vec<Expr> {
    let mut flat = Vec::new();
    let mut open = items;
    while let Some(item) = open.pop() {
        match nested(end, &item) {
            Some(parts) if flat.len() + open.len() + parts.len() <= FLATTEN_LIMIT => {
                open.extend(parts)
            }
            _ => flat.push(item),
        }
    }
    flat
}

/// The items behind the only term of `item` that is a nonnegative multiple of an extremum of the same end.
fn nested(end: End, item: &Expr) -> Option<Vec<Expr>> {
    let mut found = None;
    for (monomial, coefficient) in item.terms() {
        let wanted = if coefficient.is_positive() {
            end
        } else {
            end.opposite()
        };
        for (atom, exponent) in monomial.factors() {
            let inner = match (atom, wanted) {
                (Atom::Min(inner), End::Min) | (Atom::Max(inner), End::Max)
                    if exponent.is_one() =>
                {
                    inner
                }
                _ => continue,
            };
            let cofactor = Expr::term(monomial.without(atom), coefficient.clone());
            let size = if coefficient.is_positive() {
                cofactor.clone()
            } else {
                -&cofactor
            };
            if !size.is_nonnegative() || found.is_some() {
                return None;
            }
            let term = Expr::term(monomial.clone(), coefficient.clone());
            let rest = item - &term;
            found = Some(inner.iter().map(|x| &rest + &cofactor * x).collect());
        }
    }
    found
}

/// The sorted items that no other item provably beats.
fn undefeated(end: End, mut items: Vec<Expr>) -> Vec<Expr> {
    items.sort();
    items.dedup();
    let mut kept: Vec<Expr> = Vec::with_capacity(items.len());
    for item in items {
        if kept.iter().any(|other| end.beats(other, &item)) {
            continue;
        }
        kept.retain(|other| !end.beats(&item, other));
        kept.push(item);
    }
    kept
}

/// The terms that all items have in common.
fn shared_terms(first: &Expr, others: &[Expr]) -> Expr {
    let in_all = |monomial: &Monomial, value: &Rational| {
        others
            .iter()
            .all(|other| other.terms.get(monomial) == Some(value))
    };
    let terms = first
        .terms
        .iter()
        .filter(|(monomial, value)| in_all(monomial, value));
    Expr {
        terms: terms
            .map(|(monomial, value)| (monomial.clone(), value.clone()))
            .collect(),
    }
}

/// The content of all items together, and the nonnegative powers of free atoms that all their terms share.
fn shared_factor(items: &[Expr]) -> (Rational, Monomial) {
    let content = rational::content(items.iter().flat_map(|item| item.terms.values()));
    let monomials: Vec<_> = items.iter().flat_map(|item| item.terms.keys()).collect();
    let mut powers = Monomial::default();
    for (atom, _) in monomials
        .iter()
        .take(1)
        .flat_map(|monomial| monomial.factors())
    {
        let exponents = || monomials.iter().map(|monomial| monomial.exponent(atom));
        let (low, high) = (exponents().min(), exponents().max());
        let shared = match (low, high) {
            (Some(low), _) if low.is_positive() => low,
            (_, Some(high)) if high.is_negative() => high,
            _ => Rational::zero(),
        };
        if !shared.is_zero()
            && atom.is_nonnegative()
            && !matches!(atom, Atom::Prime(_) | Atom::Sum(_))
        {
            powers.set(atom.clone(), shared);
        }
    }
    (content, powers)
}
