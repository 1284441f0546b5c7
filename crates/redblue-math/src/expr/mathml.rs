//! MathML, from the same layout as the factored plain text: what browsers draw without any script.
//!
//! Only the core elements are used (`mi mn mo mrow mfrac msqrt msup`), which every current browser knows.

use super::{
    Atom, Expr, collect,
    view::{self, Factor, Style, TermView},
};
use num_traits::One as _;

impl Expr {
    /// The expression as a `<math>` element of its own.
    ///
    /// ```
    /// use redblue_math::Expr;
    ///
    /// let half: Expr = "N/2".parse()?;
    /// assert_eq!(half.mathml(), "<math><mfrac><mi>N</mi><mn>2</mn></mfrac></math>");
    /// # Ok::<(), redblue_math::MathError>(())
    /// ```
    pub fn mathml(&self) -> String {
        format!("<math>{}</math>", sum(self))
    }
}

fn operator(sign: &str) -> String {
    format!("<mo>{sign}</mo>")
}

/// Several elements in one place need a row around them, a single one does not.
fn row(elements: &[String]) -> String {
    match elements {
        [single] => single.clone(),
        several => format!("<mrow>{}</mrow>", several.concat()),
    }
}

fn sum(expr: &Expr) -> String {
    if let Some((minimum, items)) = collect::around(expr, Style::Factored) {
        return call(if minimum { "min" } else { "max" }, &items);
    }
    let mut elements = Vec::new();
    for view in view::terms(expr, Style::Factored) {
        match (elements.is_empty(), view.negative) {
            (true, false) => {}
            (_, true) => elements.push(operator("−")),
            (false, false) => elements.push(operator("+")),
        }
        elements.push(fraction(&view));
    }
    if elements.is_empty() {
        return "<mn>0</mn>".into();
    }
    row(&elements)
}

fn fraction(view: &TermView) -> String {
    let below: Vec<&Factor> = view.denominators.iter().flatten().collect();
    let above: Vec<&Factor> = view.numerator.iter().collect();
    match below.as_slice() {
        [] => product(&above),
        below => format!("<mfrac>{}{}</mfrac>", product(&above), product(below)),
    }
}

fn product(factors: &[&Factor]) -> String {
    match factors {
        [] => "<mn>1</mn>".into(),
        // Alone in its group, a sum needs no parentheses.
        [Factor::Power(Atom::Sum(inner), exponent)] if exponent.is_one() => sum(inner),
        [first, others @ ..] => {
            let mut elements = vec![factor(first)];
            for part in others {
                // A blank between two numbers would read as one number.
                elements.push(match part {
                    Factor::Power(Atom::Prime(_), _) => operator("·"),
                    _ => "<mspace width=\"0.17em\"/>".into(),
                });
                elements.push(factor(part));
            }
            row(&elements)
        }
    }
}

fn factor(factor: &Factor) -> String {
    match factor {
        Factor::Number(number) => format!("<mn>{number}</mn>"),
        Factor::Power(base, exponent) if exponent.is_one() => atom(base),
        Factor::Power(base, exponent) => {
            format!("<msup>{}<mn>{exponent}</mn></msup>", atom(base))
        }
        Factor::Root(inside) => {
            format!(
                "<msqrt>{}</msqrt>",
                product(&inside.iter().collect::<Vec<_>>())
            )
        }
    }
}

fn fenced(open: &str, inside: &str, close: &str) -> String {
    format!("<mrow>{}{inside}{}</mrow>", operator(open), operator(close))
}

fn call(name: &str, items: &[Expr]) -> String {
    let items: Vec<String> = items.iter().map(sum).collect();
    let inside = items.join(&operator(","));
    format!("<mrow><mi>{name}</mi>{}</mrow>", fenced("(", &inside, ")"))
}

fn atom(atom: &Atom) -> String {
    let call = |name: &str| call(name, atom.operands());
    match atom {
        Atom::Prime(prime) => format!("<mn>{prime}</mn>"),
        Atom::Symbol(symbol) => format!("<mi>{}</mi>", escaped(symbol.name())),
        Atom::Sum(inner) => fenced("(", &sum(inner), ")"),
        Atom::Min(_) => call("min"),
        Atom::Max(_) => call("max"),
        Atom::Floor(inner) => fenced("⌊", &quotient(inner), "⌋"),
        Atom::Ceil(inner) => fenced("⌈", &quotient(inner), "⌉"),
        Atom::Log2(_) => call("log₂"),
    }
}

fn quotient(expr: &Expr) -> String {
    match view::over_common_denominator(expr) {
        Some((numerator, denominator)) => {
            format!("<mfrac>{}<mn>{denominator}</mn></mfrac>", sum(&numerator))
        }
        None => sum(expr),
    }
}

/// Names come from sources, so they are escaped like any other text.
fn escaped(name: &str) -> String {
    name.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        let expr: Expr = text.parse().unwrap();
        assert_eq!(expr.mathml(), format!("<math>{expected}</math>"), "{text}");
    }

    #[test]
    fn formulas() {
        check("0", "<mn>0</mn>");
        check(
            "2*N^3/sqrt(S) - S",
            "<mrow><mfrac><mrow><mn>2</mn><mspace width=\"0.17em\"/><msup><mi>N</mi><mn>3</mn></msup></mrow>\
             <msqrt><mi>S</mi></msqrt></mfrac><mo>−</mo><mi>S</mi></mrow>",
        );
        check(
            "max(NI, NJ)",
            "<mrow><mi>max</mi><mrow><mo>(</mo><mi>NI</mi><mo>,</mo><mi>NJ</mi><mo>)</mo></mrow></mrow>",
        );
        check(
            "floor((M+N)/4)",
            "<mrow><mo>⌊</mo><mfrac><mrow><mi>M</mi><mo>+</mo><mi>N</mi></mrow><mn>4</mn></mfrac><mo>⌋</mo></mrow>",
        );
    }
}
