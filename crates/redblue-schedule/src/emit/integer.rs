//! Integer expressions of loops and subscripts as text.
//!
//! C and Rust spell them alike except for minima, maxima and divisions, which the caller words. Sums start with
//! a positive term where there is one, and comparisons have no negative terms.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use redblue_poly::scan::{Comparison, Condition, Expr, Form};

/// How a language says what differs.
pub(super) trait Words {
    /// The lesser of two.
    fn min(&self, a: &str, b: &str) -> String;
    /// The greater of two.
    fn max(&self, a: &str, b: &str) -> String;
    /// The quotient rounded down.
    fn floor_div(&self, a: &str, divisor: i64) -> String;
    /// One of two.
    fn select(&self, condition: &str, yes: &str, no: &str) -> String;
}

/// What is known about positions in forms while code is written.
#[derive(Clone, Debug, Default)]
pub(super) struct Scope {
    /// Name and sign of each position: a loop that counts down is the negative of its position.
    names: BTreeMap<usize, (String, i64)>,
    /// Tile loops whose size has a name: position to size and its name.
    sizes: BTreeMap<usize, (i64, String)>,
    /// Positions that are known to be at least zero.
    natural: BTreeSet<usize>,
}

impl Scope {
    pub(super) fn bind(&mut self, position: usize, name: &str, sign: i64) {
        self.names.insert(position, (name.to_string(), sign));
    }

    /// Notes where a loop starts.
    pub(super) fn starts(&mut self, position: usize, first: &Expr) {
        match self.is_natural(first) {
            true => self.natural.insert(position),
            false => self.natural.remove(&position),
        };
    }

    /// Whether an expression is seen to be at least zero.
    fn is_natural(&self, expr: &Expr) -> bool {
        let all = |list: &[Expr]| list.iter().all(|e| self.is_natural(e));
        match expr {
            Expr::Linear(form) => {
                let mut terms = form.terms.iter();
                form.constant >= 0 && terms.all(|(at, f)| *f >= 0 && self.natural.contains(at))
            }
            Expr::Sum(list) | Expr::Min(list) => all(list),
            Expr::Max(list) => list.iter().any(|e| self.is_natural(e)),
            Expr::Scaled(factor, e) => *factor >= 0 && self.is_natural(e),
            Expr::FloorDiv(e, _) => self.is_natural(e),
            Expr::Modulo(..) => true,
            Expr::Select(_, yes, no) => self.is_natural(yes) && self.is_natural(no),
        }
    }

    pub(super) fn bind_size(&mut self, position: usize, size: i64, name: &str) {
        self.sizes.insert(position, (size, name.to_string()));
    }

    pub(super) fn is_used(&self, name: &str) -> bool {
        self.names.values().any(|(used, _)| used == name)
    }

    fn form(&self, form: &Form) -> Vec<(i64, String)> {
        let mut parts = Vec::new();
        let mut constant = form.constant;
        for (position, factor) in &form.terms {
            let (name, sign) = match self.names.get(position) {
                Some((name, sign)) => (name.clone(), *sign),
                None => (format!("c{position}"), 1),
            };
            parts.push((factor * sign, name));
            if let Some((size, word)) = self.sizes.get(position)
                && *factor == 1
                && (constant == *size || constant == size - 1)
            {
                parts.push((1, word.clone()));
                constant -= size;
            } else if let Some((size, word)) = self.sizes.get(position)
                && *factor == -1
                && (-constant == *size || -constant == size - 1)
            {
                parts.push((-1, word.clone()));
                constant += size;
            }
        }
        if constant != 0 || parts.is_empty() {
            parts.push((constant, String::new()));
        }
        parts
    }
}

/// Writes expressions in a scope.
pub(super) struct Writer<'a, W: Words> {
    pub(super) words: &'a W,
    pub(super) scope: &'a Scope,
}

impl<W: Words> Writer<'_, W> {
    /// The expression; a sum is not in parentheses.
    pub(super) fn expr(&self, expr: &Expr) -> String {
        sum_text(&self.parts(expr))
    }

    /// The expression in a place where a sum needs parentheses.
    pub(super) fn atom(&self, expr: &Expr) -> String {
        let parts = self.parts(expr);
        let text = sum_text(&parts);
        match &parts[..] {
            [(1, name)] if !name.is_empty() => text,
            [(value, name)] if name.is_empty() && *value >= 0 => text,
            _ => format!("({text})"),
        }
    }

    /// The terms of a sum: factor and word; no word is a constant.
    fn parts(&self, expr: &Expr) -> Vec<(i64, String)> {
        match expr {
            Expr::Linear(form) => self.scope.form(form),
            Expr::Sum(list) => {
                let mut parts: Vec<(i64, String)> =
                    list.iter().flat_map(|e| self.parts(e)).collect();
                parts.retain(|(factor, word)| *factor != 0 || !word.is_empty());
                if parts.is_empty() {
                    parts.push((0, String::new()));
                }
                parts
            }
            Expr::Scaled(factor, e) => {
                let inner = self.parts(e);
                let scaled = inner.into_iter().map(|(f, word)| (f * factor, word));
                scaled.collect()
            }
            Expr::Min(list) => vec![(1, self.fold(list, &|a, b| self.words.min(a, b)))],
            Expr::Max(list) => vec![(1, self.fold(list, &|a, b| self.words.max(a, b)))],
            Expr::FloorDiv(e, divisor) if self.scope.is_natural(e) => {
                vec![(1, format!("({} / {divisor})", self.atom(e)))]
            }
            Expr::FloorDiv(e, divisor) => {
                vec![(1, self.words.floor_div(&self.expr(e), *divisor))]
            }
            Expr::Modulo(e, divisor) => vec![(1, format!("({} % {divisor})", self.atom(e)))],
            Expr::Select(condition, yes, no) => {
                let condition = self.condition(condition);
                vec![(
                    1,
                    self.words
                        .select(&condition, &self.expr(yes), &self.expr(no)),
                )]
            }
        }
    }

    fn fold(&self, list: &[Expr], join: &dyn Fn(&str, &str) -> String) -> String {
        let texts = list.iter().map(|e| self.expr(e));
        texts.reduce(|a, b| join(&a, &b)).unwrap_or_default()
    }

    /// The condition, not in parentheses.
    pub(super) fn condition(&self, condition: &Condition) -> String {
        match condition {
            Condition::All(parts) => self.joined(parts, " && ", "1 == 1"),
            Condition::Any(parts) => self.joined(parts, " || ", "1 == 0"),
            Condition::Zero(comparison, e) => {
                let mut sides = [Vec::new(), Vec::new()];
                for (factor, word) in self.parts(e) {
                    let side = usize::from(factor < 0);
                    sides[side].push((factor.abs(), word));
                }
                // a - b - 1 >= 0 reads better as a > b.
                let mut sign = match comparison {
                    Comparison::Equal => "==",
                    Comparison::NonNegative => ">=",
                };
                if *comparison == Comparison::NonNegative
                    && sides[1].len() > 1
                    && sides[1].last() == Some(&(1, String::new()))
                {
                    sides[1].pop();
                    sign = ">";
                }
                format!("{} {sign} {}", sum_text(&sides[0]), sum_text(&sides[1]))
            }
        }
    }

    fn joined(&self, parts: &[Condition], by: &str, none: &str) -> String {
        let texts: Vec<String> = parts
            .iter()
            .map(|part| match part {
                Condition::Any(_) | Condition::All(_) if parts.len() > 1 => {
                    format!("({})", self.condition(part))
                }
                _ => self.condition(part),
            })
            .collect();
        if texts.is_empty() {
            none.to_string()
        } else {
            texts.join(by)
        }
    }

    /// `name < bound` for a last value, the way people write it.
    pub(super) fn up_to(&self, name: &str, last: &Expr) -> String {
        match one_more(last) {
            Some(bound) => format!("{name} < {}", self.expr(&bound)),
            None => format!("{name} <= {}", self.expr(last)),
        }
    }
}

/// The expression plus one where that does not make it longer.
fn one_more(last: &Expr) -> Option<Expr> {
    match last {
        Expr::Linear(form) => Some(Expr::Linear(Form {
            constant: form.constant.checked_add(1)?,
            terms: form.terms.clone(),
        })),
        Expr::Min(list) => Some(Expr::Min(list.iter().map(one_more).collect::<Option<_>>()?)),
        Expr::Max(list) => Some(Expr::Max(list.iter().map(one_more).collect::<Option<_>>()?)),
        _ => None,
    }
}

/// The negative of an expression, with the sign inside minima and maxima.
pub(super) fn negated(expr: &Expr) -> redblue_poly::Result<Expr> {
    let all = |list: &[Expr]| {
        list.iter()
            .map(negated)
            .collect::<redblue_poly::Result<_>>()
    };
    Ok(match expr {
        Expr::Min(list) => Expr::Max(all(list)?),
        Expr::Max(list) => Expr::Min(all(list)?),
        other => other.clone().times(-1)?,
    })
}

fn sum_text(parts: &[(i64, String)]) -> String {
    let mut ordered: Vec<&(i64, String)> = parts.iter().collect();
    // Constants last, and a positive term first.
    ordered.sort_by_key(|(_, word)| word.is_empty());
    if let Some(first) = ordered.iter().position(|(factor, _)| *factor > 0) {
        let first = ordered.remove(first);
        ordered.insert(0, first);
    }
    let mut out = String::new();
    for (factor, word) in ordered {
        let negative = *factor < 0;
        match (out.is_empty(), negative) {
            (true, true) => out.push('-'),
            (true, false) => {}
            (false, true) => out.push_str(" - "),
            (false, false) => out.push_str(" + "),
        }
        let size = factor.unsigned_abs();
        let _ = match (size, word.as_str()) {
            (_, "") => write!(out, "{size}"),
            (1, word) => write!(out, "{word}"),
            (_, word) => write!(out, "{size} * {word}"),
        };
    }
    if out.is_empty() {
        out.push('0');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Plain;

    impl Words for Plain {
        fn min(&self, a: &str, b: &str) -> String {
            format!("min({a}, {b})")
        }
        fn max(&self, a: &str, b: &str) -> String {
            format!("max({a}, {b})")
        }
        fn floor_div(&self, a: &str, divisor: i64) -> String {
            format!("floor({a}, {divisor})")
        }
        fn select(&self, condition: &str, yes: &str, no: &str) -> String {
            format!("({condition} ? {yes} : {no})")
        }
    }

    fn form(constant: i64, terms: &[(usize, i64)]) -> Expr {
        Expr::Linear(Form {
            constant,
            terms: terms.to_vec(),
        })
    }

    #[test]
    fn sums_and_bounds_read_as_people_write_them() {
        let mut scope = Scope::default();
        scope.bind(0, "N", 1);
        scope.bind(1, "it", 1);
        scope.bind(2, "k", -1);
        scope.bind_size(1, 32, "TI");
        let writer = Writer {
            words: &Plain,
            scope: &scope,
        };
        assert_eq!(writer.expr(&form(-1, &[(0, 1)])), "N - 1");
        assert_eq!(writer.expr(&form(3, &[(0, -2), (1, 1)])), "it - 2 * N + 3");
        assert_eq!(writer.expr(&form(1, &[(2, 1)])), "1 - k");
        let last = Expr::Min(vec![form(-1, &[(0, 1)]), form(31, &[(1, 1)])]);
        assert_eq!(writer.up_to("i", &last), "i < min(N, it + TI)");
        let full = Condition::Zero(Comparison::NonNegative, form(-32, &[(0, 1), (1, -1)]));
        assert_eq!(writer.condition(&full), "N >= it + TI");
        let odd = Condition::Zero(
            Comparison::Equal,
            Expr::Modulo(Box::new(form(1, &[(0, 1)])), 2),
        );
        assert_eq!(writer.condition(&odd), "((N + 1) % 2) == 0");
    }

    #[test]
    fn quotients_round_down() {
        let mut scope = Scope::default();
        for (position, name) in ["N", "it", "i"].into_iter().enumerate() {
            scope.bind(position, name, 1);
        }
        scope.starts(1, &form(0, &[]));
        scope.starts(2, &Expr::Max(vec![form(-3, &[(0, 1)]), form(0, &[(1, 2)])]));
        let half = |e: Expr| Expr::FloorDiv(Box::new(e), 2);
        for (dividend, expected) in [
            (form(1, &[(1, 3), (2, 1)]), "((3 * it + i + 1) / 2)"),
            (form(-1, &[(2, 1)]), "floor(i - 1, 2)"),
            (form(0, &[(0, 1)]), "floor(N, 2)"),
        ] {
            let writer = Writer {
                words: &Plain,
                scope: &scope,
            };
            assert_eq!(writer.expr(&half(dividend)), expected);
        }
    }
}
