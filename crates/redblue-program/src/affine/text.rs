//! Affine values in isl's notation.

use std::fmt::Write;

use num_bigint::BigInt;
use num_traits::{One, Signed, Zero};

use super::{Atom, Formula, Linear};

/// Words that isl reads as operators or values.
const ISL_WORDS: [&str; 16] = [
    "and", "or", "not", "implies", "exists", "mod", "floor", "ceil", "floord", "ceild", "min",
    "max", "true", "false", "rat", "infty",
];

/// Whether isl reads this name as something else.
pub(crate) fn is_isl_word(name: &str) -> bool {
    ISL_WORDS.iter().any(|word| word.eq_ignore_ascii_case(name))
        || ["NaN", "DIVs", "inf"]
            .iter()
            .any(|word| word.eq_ignore_ascii_case(name))
}

/// `name[i, j]`.
pub(crate) fn tuple_text(name: &str, dims: &[String]) -> String {
    format!("{name}[{}]", dims.join(", "))
}

impl Linear {
    /// The expression in isl's notation; `iterators[depth]` is the name of a loop.
    pub(crate) fn text(&self, iterators: &[String]) -> String {
        let mut out = String::new();
        for (atom, coefficient) in &self.terms {
            let name = match atom {
                Atom::Iterator(depth) => iterators.get(*depth).cloned().unwrap_or_default(),
                Atom::Parameter(name) => name.clone(),
                Atom::Floor(inner, divisor) => {
                    format!("floor(({})/{divisor})", inner.text(iterators))
                }
            };
            push_sign(&mut out, coefficient);
            let size = coefficient.abs();
            if !size.is_one() {
                let _ = write!(out, "{size}*");
            }
            out.push_str(&name);
        }
        if out.is_empty() {
            return self.constant.to_string();
        }
        if !self.constant.is_zero() {
            push_sign(&mut out, &self.constant);
            let _ = write!(out, "{}", self.constant.abs());
        }
        out
    }
}

fn push_sign(out: &mut String, number: &BigInt) {
    out.push_str(match (out.is_empty(), number.is_negative()) {
        (true, true) => "-",
        (true, false) => "",
        (false, true) => " - ",
        (false, false) => " + ",
    });
}

impl Formula {
    /// The condition in isl's notation.
    pub(crate) fn text(&self, iterators: &[String]) -> String {
        let join = |parts: &[Formula], word: &str| {
            let texts: Vec<String> = parts
                .iter()
                .map(|part| format!("({})", part.text(iterators)))
                .collect();
            texts.join(word)
        };
        match self {
            Formula::True => "true".into(),
            Formula::False => "false".into(),
            Formula::Nonnegative(linear) => format!("{} >= 0", linear.text(iterators)),
            Formula::Zero(linear) => format!("{} = 0", linear.text(iterators)),
            Formula::All(parts) => join(parts, " and "),
            Formula::Any(parts) => join(parts, " or "),
        }
    }
}
