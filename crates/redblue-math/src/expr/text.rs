//! Plain text: what any computer-algebra system reads once `^` is replaced, and what [`parse`](super::parse) reads back.

use super::{
    Atom, Expr, Monomial, collect,
    view::{self, Factor, Style, TermView},
};
use crate::rational::{self, Rational, int};
use num_bigint::BigInt;
use num_integer::Integer as _;
use num_traits::{One as _, Signed as _};
use std::fmt;

impl fmt::Display for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&sum(self, Style::Expanded))
    }
}

impl fmt::Debug for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Expr {
    /// As people write it: polynomials as products, extrema around complete formulas. Reading it back gives an expression with
    /// the same values, perhaps in another form.
    pub fn factored(&self) -> String {
        sum(self, Style::Factored)
    }

    /// When this is at least the other, with common summands and common powers of symbols left out: `S >= N`. None where the comparison
    /// has no positive term, or is one of extrema.
    pub fn at_least(&self, other: &Expr) -> Option<String> {
        let difference = self - other;
        let common = difference.common_powers(|atom| matches!(atom, Atom::Symbol(_)));
        let difference = difference.distribute(&Expr::term(common.inverse(), Rational::one()));
        let (mut left, mut right) = (Expr::zero(), Expr::zero());
        for (monomial, value) in difference.terms() {
            if monomial
                .atoms()
                .any(|atom| matches!(atom, Atom::Min(_) | Atom::Max(_)))
            {
                return None;
            }
            if value.is_positive() {
                left.add_term(monomial.clone(), value.clone());
            } else {
                right.add_term(monomial.clone(), -value);
            }
        }
        if left.is_zero() {
            return None;
        }
        let positive_term = |expr: &Expr| expr.terms().len() == 1 && expr.is_nonnegative();
        if positive_term(&left) && positive_term(&right) {
            (left, right) = without_roots(left, right);
        }
        let values = left.terms().chain(right.terms()).map(|(_, value)| value);
        let scale = rational::content(values).recip();
        let (left, right) = (left.scale(&scale), right.scale(&scale));
        Some(format!("{} >= {}", left.factored(), right.factored()))
    }

    /// The same, without the terms of the comparison that another term outgrows, whichever of the symbols grow.
    pub fn roughly_at_least(&self, other: &Expr) -> Option<String> {
        let difference = self - other;
        let outgrown = |monomial: &Monomial| {
            let others = difference.terms().filter(|(other, _)| *other != monomial);
            others.into_iter().any(|(other, _)| {
                let mut atoms = other.atoms().chain(monomial.atoms());
                atoms.all(|atom| {
                    matches!(atom, Atom::Symbol(_))
                        && other.exponent(atom) >= monomial.exponent(atom)
                })
            })
        };
        let mut rough = Expr::zero();
        for (monomial, value) in difference.terms().filter(|(term, _)| !outgrown(term)) {
            rough.add_term(monomial.clone(), value.clone());
        }
        rough.at_least(&Expr::zero())
    }

    /// The formulas of which this is the largest; only itself if it is no maximum as a whole.
    pub fn alternatives(&self) -> Vec<Expr> {
        match collect::around(self, Style::Factored) {
            Some((false, items)) => items.iter().flat_map(Expr::alternatives).collect(),
            _ => vec![self.clone()],
        }
    }

    /// Whether a minimum or maximum is among its factors.
    pub fn has_extremum(&self) -> bool {
        self.terms().any(|(monomial, _)| {
            monomial.atoms().any(|atom| {
                matches!(atom, Atom::Min(_) | Atom::Max(_))
                    || atom.operands().iter().any(Expr::has_extremum)
            })
        })
    }
}

/// Two positive terms, both to the power that makes all exponents whole; as they are, if one of them is not defined that way.
fn without_roots(left: Expr, right: Expr) -> (Expr, Expr) {
    let exponents = |expr: &Expr| -> Vec<Rational> {
        let all = expr.terms().flat_map(|(monomial, _)| monomial.factors());
        all.map(|(_, exponent)| exponent.clone()).collect()
    };
    let denominators = [&left, &right].into_iter().flat_map(exponents);
    let power = denominators.fold(BigInt::one(), |power, exponent| power.lcm(exponent.denom()));
    let power = int(power);
    match (left.pow(&power), right.pow(&power)) {
        (Ok(left), Ok(right)) => (left, right),
        _ => (left, right),
    }
}

fn sum(expr: &Expr, style: Style) -> String {
    match collect::around(expr, style) {
        Some((minimum, items)) => {
            let name = if minimum { "min" } else { "max" };
            format!("{name}({})", list(&items, style))
        }
        None => view::sum(expr, style, |view| fraction(view, style)),
    }
}

fn list(items: &[Expr], style: Style) -> String {
    let items: Vec<String> = items.iter().map(|item| sum(item, style)).collect();
    items.join(", ")
}

pub(super) fn fraction(view: &TermView, style: Style) -> String {
    let mut text = match view.numerator.as_slice() {
        [single] => factor(single, style),
        several => product(several, style),
    };
    for denominator in &view.denominators {
        text += &match denominator.as_slice() {
            [single] if !single.is_plain_sum() => format!("/{}", factor(single, style)),
            several => format!("/({})", product(several, style)),
        };
    }
    text
}

fn product(factors: &[Factor], style: Style) -> String {
    match factors {
        [] => "1".into(),
        // Alone between parentheses of its surroundings, a sum needs none of its own.
        [Factor::Power(Atom::Sum(inner), exponent)] if exponent.is_one() => sum(inner, style),
        several => {
            let factors: Vec<String> = several.iter().map(|part| factor(part, style)).collect();
            factors.join("*")
        }
    }
}

fn factor(factor: &Factor, style: Style) -> String {
    match factor {
        Factor::Number(number) => number.to_string(),
        Factor::Power(base, exponent) if exponent.is_one() => atom(base, style),
        Factor::Power(base, exponent) if exponent.is_integer() => {
            format!("{}^{exponent}", atom(base, style))
        }
        Factor::Power(base, exponent) => format!("{}^({exponent})", atom(base, style)),
        Factor::Root(inside) => format!("sqrt({})", product(inside, style)),
    }
}

fn atom(atom: &Atom, style: Style) -> String {
    let call = |name: &str| format!("{name}({})", list(atom.operands(), style));
    match atom {
        Atom::Prime(prime) => prime.to_string(),
        Atom::Symbol(symbol) => symbol.to_string(),
        Atom::Sum(inner) => format!("({})", sum(inner, style)),
        Atom::Min(_) => call("min"),
        Atom::Max(_) => call("max"),
        Atom::Floor(inner) => format!("floor({})", quotient(inner)),
        Atom::Ceil(inner) => format!("ceil({})", quotient(inner)),
        Atom::Log2(_) => call("log2"),
    }
}

/// What stands in a floor, over its common denominator.
fn quotient(expr: &Expr) -> String {
    match view::over_common_denominator(expr) {
        Some((numerator, denominator)) => {
            format!("({})/{denominator}", sum(&numerator, Style::Expanded))
        }
        None => sum(expr, Style::Expanded),
    }
}
