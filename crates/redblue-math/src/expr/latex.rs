//! LaTeX, from the same layout as the plain text.

use super::{
    Atom, Expr, collect,
    view::{self, Factor, Style, TermView},
};
use num_traits::One as _;

impl Expr {
    /// The expression in LaTeX's math mode.
    pub fn latex(&self) -> String {
        sum(self, Style::Expanded)
    }

    /// The same as [`Expr::factored`] writes it.
    pub fn factored_latex(&self) -> String {
        sum(self, Style::Factored)
    }
}

fn sum(expr: &Expr, style: Style) -> String {
    match collect::around(expr, style) {
        Some((minimum, items)) => {
            let name = if minimum { "min" } else { "max" };
            format!("\\{name}\\left({}\\right)", list(&items, style))
        }
        None => view::sum(expr, style, |view| fraction(view, style)),
    }
}

fn list(items: &[Expr], style: Style) -> String {
    let items: Vec<String> = items.iter().map(|item| sum(item, style)).collect();
    items.join(", ")
}

fn fraction(view: &TermView, style: Style) -> String {
    let below: Vec<&Factor> = view.denominators.iter().flatten().collect();
    let above: Vec<&Factor> = view.numerator.iter().collect();
    match below.as_slice() {
        [] => product(&above, style),
        below => format!(
            "\\frac{{{}}}{{{}}}",
            product(&above, style),
            product(below, style)
        ),
    }
}

fn product(factors: &[&Factor], style: Style) -> String {
    match factors {
        [] => "1".into(),
        // Alone in its group, a sum needs no parentheses.
        [Factor::Power(Atom::Sum(inner), exponent)] if exponent.is_one() => sum(inner, style),
        [first, others @ ..] => others.iter().fold(factor(first, style), |text, part| {
            // A space between two numbers would read as one number.
            let times = match part {
                Factor::Power(Atom::Prime(_), _) => "\\cdot",
                _ => "\\,",
            };
            format!("{text} {times} {}", factor(part, style))
        }),
    }
}

fn factor(factor: &Factor, style: Style) -> String {
    match factor {
        Factor::Number(number) => number.to_string(),
        Factor::Power(base, exponent) if exponent.is_one() => atom(base, style),
        Factor::Power(base, exponent) => format!("{}^{{{exponent}}}", atom(base, style)),
        Factor::Root(inside) => {
            let inside: Vec<&Factor> = inside.iter().collect();
            format!("\\sqrt{{{}}}", product(&inside, style))
        }
    }
}

fn atom(atom: &Atom, style: Style) -> String {
    let items = || list(atom.operands(), style);
    match atom {
        Atom::Prime(prime) => prime.to_string(),
        Atom::Symbol(symbol) => name(symbol.name()),
        Atom::Sum(inner) => format!("\\left({}\\right)", sum(inner, style)),
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
