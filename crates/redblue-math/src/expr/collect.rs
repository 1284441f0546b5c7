//! Sums as people write them: terms collected into products, and one extremum around the whole.
//!
//! ```text
//! M·N²/√S − N³/(3·√S) − M·N/√S + N/(3·√S)    →    N·(N − 1)·(3·M − N − 1)/(3·√S)
//! a + min(b − a, S) − S                       →    min(b − S, a)
//! ```
//!
//! Terms that differ only by natural powers of symbols and floors belong together: their sum is a polynomial times a common *frame*, such as `1/√S`.
//! The polynomial is written as a product, or as one product for every power of `S`, or as it is, whichever is shortest.
//! For writing only: reading it back gives an expression with the same values, perhaps in another form.

use super::factor::factor;
use super::view::{Factor, Piece, Style, written};
use super::{Atom, Expr, Monomial, Regime};
use crate::rational::{Rational, int};
use num_traits::{One as _, Signed as _};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The symbol whose powers are collected.
const FAST: &str = "S";

/// The terms of a sum, collected, in no order.
pub(super) fn pieces(expr: &Expr) -> Vec<Piece> {
    let mut frames: BTreeMap<Monomial, Expr> = BTreeMap::new();
    for (monomial, value) in expr.terms() {
        let (frame, powers) = split(monomial);
        frames
            .entry(frame)
            .or_default()
            .add_term(powers, value.clone());
    }
    let mut all = Vec::new();
    for (frame, polynomial) in frames {
        let mut choices = vec![plain(&polynomial, &frame)];
        if polynomial.terms().len() > 1 {
            choices.extend(product(&polynomial, &frame).map(|piece| vec![piece]));
            let by_power = by_powers(&polynomial);
            if by_power.len() > 1 {
                let parts = by_power
                    .iter()
                    .flat_map(|part| match product(part, &frame) {
                        Some(piece) => vec![piece],
                        None => plain(part, &frame),
                    });
                choices.push(parts.collect());
            }
        }
        // Of equals the one with the fewest pieces.
        let cost = |pieces: &Vec<Piece>| {
            let letters: usize = pieces.iter().map(|piece| written(piece).len() + 3).sum();
            (letters, pieces.len())
        };
        all.extend(choices.into_iter().min_by_key(cost).into_iter().flatten());
    }
    all
}

/// A polynomial times its frame, term by term.
fn plain(polynomial: &Expr, frame: &Monomial) -> Vec<Piece> {
    let terms = polynomial.terms();
    terms
        .map(|(powers, value)| Piece::of(powers.times(frame).monomial, value))
        .collect()
}

/// A monomial as a frame and natural powers of symbols and floors.
fn split(monomial: &Monomial) -> (Monomial, Monomial) {
    let (mut frame, mut powers) = (Monomial::default(), Monomial::default());
    for (atom, exponent) in monomial.factors() {
        let natural = exponent.is_integer() && exponent.is_positive();
        if natural && matches!(atom, Atom::Symbol(_) | Atom::Floor(_)) {
            powers.set(atom.clone(), exponent.clone());
        } else {
            frame.set(atom.clone(), exponent.clone());
        }
    }
    (frame, powers)
}

/// A polynomial times its frame, as one product; none if that is the polynomial alone.
fn product(polynomial: &Expr, frame: &Monomial) -> Option<Piece> {
    let found = factor(polynomial);
    if frame.is_one() && found.factors == [(polynomial.clone(), 1)] {
        return None;
    }
    let whole = found.powers.times(frame).monomial;
    let power =
        |(factor, multiplicity)| Factor::Power(Atom::Sum(Arc::new(factor)), int(multiplicity));
    let sums = found.factors.into_iter().map(power).collect();
    Some(Piece::product(
        &whole,
        &found.scale,
        sums,
        growth(polynomial, frame),
    ))
}

/// The parts of a polynomial with equal powers of `S`.
fn by_powers(polynomial: &Expr) -> Vec<Expr> {
    let fast = Atom::Symbol(FAST.into());
    let mut parts: BTreeMap<Rational, Expr> = BTreeMap::new();
    for (monomial, value) in polynomial.terms() {
        let part = parts.entry(monomial.exponent(&fast)).or_default();
        part.add_term(monomial.clone(), value.clone());
    }
    parts.into_values().collect()
}

/// The fastest term of a product, by which pieces are ordered.
fn growth(polynomial: &Expr, frame: &Monomial) -> Monomial {
    let regime = Regime::large_sizes();
    let key = |monomial: &&Monomial| regime.growth(monomial);
    let fastest = polynomial
        .terms()
        .map(|(monomial, _)| monomial)
        .max_by(|a, b| key(a).cmp(&key(b)).then_with(|| a.lex_cmp(b)));
    let fastest = fastest.cloned().unwrap_or_default();
    fastest.times(frame).monomial
}

/// `rest + c·min(…)` as the minimum of complete formulas, if that is the only extremum that stands in one term alone; the maximum with zero
/// stays where it is, and so does an extremum that several terms share, like a width. The flag says whether it is a minimum.
pub(super) fn around(expr: &Expr, style: Style) -> Option<(bool, Vec<Expr>)> {
    if style == Style::Expanded {
        return None;
    }
    let holds =
        |(monomial, _): &(&Monomial, _), atom: &Atom| monomial.atoms().any(|other| other == atom);
    let mut found = None;
    for (monomial, value) in expr.terms() {
        for (atom, exponent) in monomial.factors() {
            let (minimum, items) = match atom {
                Atom::Min(items) => (true, items),
                Atom::Max(items) => (false, items),
                _ => continue,
            };
            let shared = expr.terms().filter(|term| holds(term, atom)).count() > 1;
            if shared || items.iter().any(Expr::is_zero) {
                continue;
            }
            let cofactor = Expr::term(monomial.without(atom), value.abs());
            if found.is_some() || !exponent.is_one() || !cofactor.is_nonnegative() {
                return None;
            }
            let cofactor = Expr::term(monomial.without(atom), value.clone());
            let rest = expr - Expr::term(monomial.clone(), value.clone());
            let items: Vec<Expr> = items.iter().map(|item| &rest + &cofactor * item).collect();
            found = Some((minimum != value.is_negative(), items));
        }
    }
    found
}
