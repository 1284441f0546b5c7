//! LaTeX, from the same layout as the plain text.

use super::{
    Atom, Expr,
    view::{self, Factor, TermView},
};
use num_traits::One as _;

impl Expr {
    /// The expression in LaTeX's math mode.
    pub fn latex(&self) -> String {
        view::sum(self, fraction)
    }
}

fn fraction(view: &TermView) -> String {
    let below: Vec<&Factor> = view.denominators.iter().flatten().collect();
    let above: Vec<&Factor> = view.numerator.iter().collect();
    match below.as_slice() {
        [] => product(&above),
        below => format!("\\frac{{{}}}{{{}}}", product(&above), product(below)),
    }
}

fn product(factors: &[&Factor]) -> String {
    match factors {
        [] => "1".into(),
        // Alone in its group, a sum needs no parentheses.
        [Factor::Power(Atom::Sum(inner), exponent)] if exponent.is_one() => inner.latex(),
        [first, others @ ..] => others.iter().fold(factor(first), |text, part| {
            // A space between two numbers would read as one number.
            let times = match part {
                Factor::Power(Atom::Prime(_), _) => "\\cdot",
                _ => "\\,",
            };
            format!("{text} {times} {}", factor(part))
        }),
    }
}

fn factor(factor: &Factor) -> String {
    match factor {
        Factor::Number(number) => number.to_string(),
        Factor::Power(base, exponent) if exponent.is_one() => atom(base),
        Factor::Power(base, exponent) => format!("{}^{{{exponent}}}", atom(base)),
        Factor::Root(inside) => {
            format!("\\sqrt{{{}}}", product(&inside.iter().collect::<Vec<_>>()))
        }
    }
}

fn atom(atom: &Atom) -> String {
    let items = || {
        atom.operands()
            .iter()
            .map(Expr::latex)
            .collect::<Vec<_>>()
            .join(", ")
    };
    match atom {
        Atom::Prime(prime) => prime.to_string(),
        Atom::Symbol(symbol) => name(symbol.name()),
        Atom::Sum(inner) => format!("\\left({}\\right)", inner.latex()),
        Atom::Min(_) => format!("\\min\\left({}\\right)", items()),
        Atom::Max(_) => format!("\\max\\left({}\\right)", items()),
        Atom::Floor(inner) => format!("\\left\\lfloor {} \\right\\rfloor", quotient(inner)),
        Atom::Ceil(inner) => format!("\\left\\lceil {} \\right\\rceil", quotient(inner)),
        Atom::Log2(_) => format!("\\log_2\\left({}\\right)", items()),
    }
}

fn quotient(expr: &Expr) -> String {
    match view::over_common_denominator(expr) {
        Some((numerator, denominator)) => {
            format!("\\frac{{{}}}{{{denominator}}}", numerator.latex())
        }
        None => expr.latex(),
    }
}

/// One letter stands alone; longer names are set as words, not as products. Underscores are escaped.
fn name(name: &str) -> String {
    let escaped = name.replace('_', "\\_");
    if name.chars().count() == 1 {
        return escaped;
    }
    format!("\\mathit{{{escaped}}}")
}
