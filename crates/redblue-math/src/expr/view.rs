//! How a term is laid out as a fraction, shared by plain text, LaTeX and MathML.
//!
//! ```text
//! coefficient · Π atom^e   →   ± numerator / denominators,   lists of factors with positive exponents
//! ```
//!
//! Purely cosmetic choices live here and nowhere else: the fastest growing term comes first, square roots are
//! drawn together (`√2·√S` as `√(2·S)`), a prime root moves into a denominator that it simplifies
//! (`√2/6` as `1/(3·√2)`), and a fractional coefficient enters the extremum that it alone multiplies.

use super::{Atom, Expr, Monomial, Regime, collect};
use crate::rational::{self, Rational, int, ratio};
use num_bigint::{BigInt, BigUint};
use num_traits::{One as _, Signed as _, Zero as _};

/// How sums are written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    /// Term by term: the normal form, which reads back as it was.
    Expanded,
    /// Collected into products, see [`collect`].
    Factored,
}

/// A part of a sum, and the term by whose growth it is ordered.
pub(super) struct Piece {
    pub(super) view: TermView,
    pub(super) growth: Monomial,
}

impl Piece {
    /// One term.
    pub(super) fn of(monomial: Monomial, value: &Rational) -> Piece {
        Piece {
            view: view(&monomial, value, true),
            growth: monomial,
        }
    }

    /// A product: one term, and sums that multiply it.
    pub(super) fn product(
        monomial: &Monomial,
        value: &Rational,
        sums: Vec<Factor>,
        growth: Monomial,
    ) -> Piece {
        let mut view = view(monomial, value, sums.is_empty());
        view.numerator.extend(sums);
        Piece { view, growth }
    }
}

/// What a piece looks like, for comparing lengths.
pub(super) fn written(piece: &Piece) -> String {
    super::text::fraction(&piece.view, Style::Factored)
}

/// One term as a signed fraction.
pub(super) struct TermView {
    pub(super) negative: bool,
    pub(super) numerator: Vec<Factor>,
    /// Divisors to apply one after the other. Only one sum may stand in each, or reading it back would
    /// multiply the sums out.
    pub(super) denominators: Vec<Vec<Factor>>,
}

/// A factor of a numerator or denominator.
pub(super) enum Factor {
    /// A natural number.
    Number(BigUint),
    /// An atom with a positive exponent other than one half.
    Power(Atom, Rational),
    /// The square root of a product.
    Root(Vec<Factor>),
}

/// The terms, fastest growing first.
pub(super) fn terms(expr: &Expr, style: Style) -> Vec<TermView> {
    let regime = Regime::large_sizes();
    let one = |(monomial, value): (&Monomial, &Rational)| Piece::of(monomial.clone(), value);
    let pieces = match style {
        Style::Expanded => expr.terms().map(one).collect(),
        Style::Factored => collect::pieces(expr),
    };
    let mut terms: Vec<_> = pieces
        .into_iter()
        .map(|piece| (regime.growth(&piece.growth), piece))
        .collect();
    // Among terms of equal growth: positive ones first, then by the exponents of the first symbols.
    terms.sort_by(|left, right| {
        let signs = left.1.view.negative.cmp(&right.1.view.negative);
        right
            .0
            .cmp(&left.0)
            .then(signs)
            .then_with(|| right.1.growth.lex_cmp(&left.1.growth))
    });
    terms.into_iter().map(|(_, piece)| piece.view).collect()
}

/// The terms written by `fraction`, joined by their signs.
pub(super) fn sum(expr: &Expr, style: Style, fraction: impl Fn(&TermView) -> String) -> String {
    let mut text = String::new();
    for view in terms(expr, style) {
        text.push_str(match (text.is_empty(), view.negative) {
            (true, false) => "",
            (true, true) => "-",
            (false, false) => " + ",
            (false, true) => " - ",
        });
        text.push_str(&fraction(&view));
    }
    if text.is_empty() { "0".into() } else { text }
}

/// A sum over its common denominator, where that is worth writing: `(n + 1)/4`.
pub(super) fn over_common_denominator(expr: &Expr) -> Option<(Expr, BigInt)> {
    let content = rational::content(expr.terms().map(|(_, value)| value));
    let denominator = content.denom().clone();
    (expr.terms().len() > 1 && !denominator.is_one())
        .then(|| (expr.scale(&int(denominator.clone())), denominator))
}

/// A term as a fraction; `alone` if no further factors follow.
fn view(monomial: &Monomial, coefficient: &Rational, alone: bool) -> TermView {
    let mut scale = coefficient.abs();
    let mut factors: Vec<(Atom, Rational)> = monomial
        .factors()
        .map(|(atom, exponent)| (atom.clone(), exponent.clone()))
        .collect();
    for (atom, exponent) in &mut factors {
        if let Atom::Prime(prime) = atom
            && (scale.denom().magnitude() % &*prime).is_zero()
        {
            scale *= int(BigInt::from(prime.clone()));
            *exponent -= Rational::one();
        }
    }
    if alone
        && !scale.is_integer()
        && let [(atom, exponent)] = factors.as_mut_slice()
        && is_extremum(atom)
        && exponent.is_one()
    {
        *atom = scaled(atom, &scale);
        scale = Rational::one();
    }
    let (above, below): (Vec<_>, Vec<_>) = factors
        .into_iter()
        .partition(|(_, exponent)| exponent.is_positive());
    let below = below
        .into_iter()
        .map(|(atom, exponent)| (atom, -exponent))
        .collect();
    TermView {
        negative: coefficient.is_negative(),
        numerator: layout(scale.numer().magnitude(), above),
        denominators: divisors(layout(scale.denom().magnitude(), below)),
    }
}

fn is_extremum(atom: &Atom) -> bool {
    matches!(atom, Atom::Min(_) | Atom::Max(_))
}

fn scaled(atom: &Atom, factor: &Rational) -> Atom {
    let items = atom
        .operands()
        .iter()
        .map(|item| item.scale(factor))
        .collect();
    if matches!(atom, Atom::Min(_)) {
        Atom::Min(items)
    } else {
        Atom::Max(items)
    }
}

/// Splits a denominator: the first plain sum stays with the other factors, unless the root of a sum is among them;
/// any further one stands alone.
fn divisors(factors: Vec<Factor>) -> Vec<Vec<Factor>> {
    let (sums, mut first): (Vec<_>, Vec<_>) = factors
        .into_iter()
        .partition(|factor| matches!(factor, Factor::Power(Atom::Sum(_), _)));
    let (plain, powers): (Vec<_>, Vec<_>) = sums.into_iter().partition(Factor::is_plain_sum);
    let mut plain = plain.into_iter();
    if !first.iter().any(Factor::is_root_of_sum) {
        first.extend(plain.next());
    }
    let others = plain.chain(powers).map(|factor| vec![factor]);
    [first]
        .into_iter()
        .filter(|group| !group.is_empty())
        .chain(others)
        .collect()
}

impl Factor {
    /// Whether this is a sum to the first power.
    pub(super) fn is_plain_sum(&self) -> bool {
        matches!(self, Factor::Power(Atom::Sum(_), exponent) if exponent.is_one())
    }

    fn is_root_of_sum(&self) -> bool {
        matches!(self, Factor::Root(inside) if inside.iter().any(Factor::is_plain_sum))
    }
}

/// The factors in writing order: numbers and their root, whole powers, then one square root of symbols and at most
/// one factor that is a sum or of unknown sign; further ones have roots of their own.
fn layout(number: &BigUint, powers: Vec<(Atom, Rational)>) -> Vec<Factor> {
    let mut factors = Vec::new();
    if !number.is_one() {
        factors.push(Factor::Number(number.clone()));
    }
    let is_root = |(_, exponent): &(Atom, Rational)| *exponent == ratio(1, 2);
    let (roots, others): (Vec<_>, Vec<_>) = powers.into_iter().partition(is_root);
    let (mut radicand, mut inside, mut open) = (BigUint::one(), Vec::new(), Vec::new());
    for (atom, _) in roots {
        match atom {
            Atom::Prime(prime) => radicand *= prime,
            // Reading back, a root is taken factor by factor only where no two signs are open.
            _ if matches!(atom, Atom::Sum(_)) || !atom.is_nonnegative() => {
                open.push((atom, Rational::one()));
            }
            _ => inside.push((atom, Rational::one())),
        }
    }
    let others = others
        .into_iter()
        .map(|(atom, exponent)| Factor::Power(atom, exponent));
    let mut open = open.into_iter();
    inside.extend(open.next());
    if inside.is_empty() && !radicand.is_one() {
        factors.push(Factor::Root(vec![Factor::Number(radicand)]));
        factors.extend(others);
    } else {
        factors.extend(others);
        if !inside.is_empty() {
            factors.push(Factor::Root(layout(&radicand, inside)));
        }
    }
    factors.extend(open.map(|alone| Factor::Root(layout(&BigUint::one(), vec![alone]))));
    factors
}
