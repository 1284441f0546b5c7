//! Plain text: what any computer-algebra system reads once `^` is replaced, and what [`parse`](super::parse) reads back.

use super::{
    Atom, Expr,
    view::{self, Factor, TermView},
};
use num_traits::One as _;
use std::fmt;

impl fmt::Display for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&sum(self))
    }
}

impl fmt::Debug for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

fn sum(expr: &Expr) -> String {
    view::sum(expr, fraction)
}

fn fraction(view: &TermView) -> String {
    let mut text = product(&view.numerator);
    for denominator in &view.denominators {
        text += &match denominator.as_slice() {
            [single] if !single.is_plain_sum() => format!("/{}", factor(single)),
            several => format!("/({})", product(several)),
        };
    }
    text
}

fn product(factors: &[Factor]) -> String {
    match factors {
        [] => "1".into(),
        // Alone between parentheses of its surroundings, a sum needs none of its own.
        [Factor::Power(Atom::Sum(inner), exponent)] if exponent.is_one() => sum(inner),
        several => several.iter().map(factor).collect::<Vec<_>>().join("*"),
    }
}

fn factor(factor: &Factor) -> String {
    match factor {
        Factor::Number(number) => number.to_string(),
        Factor::Power(base, exponent) if exponent.is_one() => atom(base),
        Factor::Power(base, exponent) if exponent.is_integer() => {
            format!("{}^{exponent}", atom(base))
        }
        Factor::Power(base, exponent) => format!("{}^({exponent})", atom(base)),
        Factor::Root(inside) => format!("sqrt({})", product(inside)),
    }
}

fn atom(atom: &Atom) -> String {
    let call = |name: &str| {
        format!(
            "{name}({})",
            atom.operands()
                .iter()
                .map(sum)
                .collect::<Vec<_>>()
                .join(", ")
        )
    };
    match atom {
        Atom::Prime(prime) => prime.to_string(),
        Atom::Symbol(symbol) => symbol.to_string(),
        Atom::Sum(inner) => format!("({})", sum(inner)),
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
        Some((numerator, denominator)) => format!("({})/{denominator}", sum(&numerator)),
        None => sum(expr),
    }
}
