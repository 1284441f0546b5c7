//! Assumptions on sizes: `M >= N`, `1 <= N < 100`, `N % 4 == 0 and M > 2`.
//!
//! One notation for `--assume` and `#pragma redblue assume`, read by every front end: C's expressions, with
//! chained comparisons, a single `=`, and the words `and`, `or`, `not` as in formulas.

use std::collections::{BTreeMap, BTreeSet};

use crate::affine::{Atom, Formula, Value};
use crate::c::{
    Environment, Evaluated, Expr, ExprKind, Place, Token, TokenKind, condition, lex,
    whole_expression,
};
use crate::diagnostic::codes::BAD_ASSUMPTION;
use crate::diagnostic::{Diagnostic, SourceMap, Span};
use crate::expression::BinaryOp;

/// Reads assumptions for a front end that has no sizes other than `names`: their conditions in isl's
/// notation, or what is wrong with them.
pub fn read(
    texts: &[String],
    names: &[&str],
    sources: &mut SourceMap,
) -> (Vec<String>, Vec<Diagnostic>) {
    let (mut conditions, mut diagnostics) = (Vec::new(), Vec::new());
    for text in texts {
        let span = place(text, sources);
        match parse(text, span, &BTreeMap::new()) {
            Ok(formula) => match unknown(&formula, names) {
                None => conditions.push(formula.text(&[])),
                Some(name) => diagnostics.push(
                    Diagnostic::error(
                        &BAD_ASSUMPTION,
                        format!("`{name}` is no size of the program"),
                    )
                    .at(span)
                    .hint_if(crate::suggest::did_you_mean(&name, names.iter().copied())),
                ),
            },
            Err(problem) => diagnostics.push(problem),
        }
    }
    (conditions, diagnostics)
}

fn unknown(formula: &Formula, names: &[&str]) -> Option<String> {
    let mut used = BTreeSet::new();
    formula.collect_parameters(&mut used);
    used.into_iter()
        .find(|name| !names.contains(&name.as_str()))
}

/// Puts a text from the command line where messages can point at it.
pub(crate) fn place(text: &str, sources: &mut SourceMap) -> Span {
    Span {
        file: sources.add("--assume", text),
        start: 0,
        end: text.len() as u32,
    }
}

/// The condition a text stands for; sizes in `numbers` are replaced.
pub(crate) fn parse(
    text: &str,
    span: Span,
    numbers: &BTreeMap<String, i64>,
) -> Result<Formula, Diagnostic> {
    let refuse = |message: &str| {
        Diagnostic::error(&BAD_ASSUMPTION, message)
            .at(span)
            .hint("write a condition such as `M >= N`, `1 <= N < 100` or `N % 4 == 0`")
    };
    let mut problems = Vec::new();
    let tokens: Vec<Token> = lex(span.file, text, &mut problems)
        .into_iter()
        .map(|token| Token {
            kind: translated(token.kind),
            span,
            ..token
        })
        .collect();
    // `not N > 3` would be read as C reads `!N > 3`, which nobody means.
    let is_negation = |token: &Token| token.is("!");
    let is_ambiguous = tokens
        .windows(2)
        .any(|pair| is_negation(&pair[0]) && !pair[1].is("("));
    let expression = whole_expression(&tokens).filter(|_| problems.is_empty() && !is_ambiguous);
    let Some(expression) = expression else {
        return Err(refuse("assumption not understood"));
    };
    if !is_condition(&expression) {
        return Err(refuse("an assumption must be a condition"));
    }
    condition(&unchained(&expression), &Sizes { numbers }).map_err(|obstacle| {
        let problem = obstacle.report(Place::Assumption);
        Diagnostic {
            code: BAD_ASSUMPTION.id,
            ..problem
        }
        .at(span)
    })
}

/// Words and signs of formulas as those of C.
fn translated(kind: TokenKind) -> TokenKind {
    match kind {
        TokenKind::Punct("=") => TokenKind::Punct("=="),
        TokenKind::Name(name) => match name.as_str() {
            "and" => TokenKind::Punct("&&"),
            "or" => TokenKind::Punct("||"),
            "not" => TokenKind::Punct("!"),
            "mod" => TokenKind::Punct("%"),
            _ => TokenKind::Name(name),
        },
        other => other,
    }
}

fn is_comparison(expr: &Expr) -> bool {
    matches!(&expr.kind, ExprKind::Binary(op, ..) if crate::c::is_comparison(*op))
}

fn is_condition(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Binary(BinaryOp::And | BinaryOp::Or, a, b) => is_condition(a) && is_condition(b),
        ExprKind::Unary(_, inner) => is_condition(inner),
        _ => is_comparison(expr),
    }
}

/// `a <= b < c` as `a <= b && b < c`.
fn unchained(expr: &Expr) -> Expr {
    let mut copy = expr.map_children(&mut |child| unchained(child));
    let ExprKind::Binary(op, left, right) = &expr.kind else {
        return copy;
    };
    if !crate::c::is_comparison(*op) || !is_comparison(left) {
        return copy;
    }
    let ExprKind::Binary(_, _, middle) = &left.kind else {
        return copy;
    };
    let second = Expr {
        kind: ExprKind::Binary(*op, middle.clone(), right.clone()),
        ..*expr
    };
    copy.kind = ExprKind::Binary(BinaryOp::And, Box::new(unchained(left)), Box::new(second));
    copy
}

/// Every name is a size.
struct Sizes<'a> {
    numbers: &'a BTreeMap<String, i64>,
}

impl Environment for Sizes<'_> {
    fn resolve(&self, name: &str, _: Span) -> Evaluated<Value> {
        Ok(match self.numbers.get(name) {
            Some(number) => Value::constant(*number),
            None => Value::atom(Atom::Parameter(name.to_string())),
        })
    }

    fn proves(&self, _: &Formula) -> bool {
        false
    }

    fn inlined(&self, _: &Expr, _: &str, _: &[Expr]) -> Option<Expr> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        let mut sources = SourceMap::new();
        let (conditions, diagnostics) = read(&[text.into()], &["M", "N"], &mut sources);
        let mut shown = conditions;
        shown.extend(diagnostics.iter().map(|d| d.message.clone()));
        assert_eq!(shown.join("; "), expected, "{text}");
    }

    #[test]
    fn conditions() {
        check("M >= N", "M - N >= 0");
        check("N = 4", "N - 4 = 0");
        check("1 <= N < 100", "(N - 1 >= 0) and (-N + 99 >= 0)");
        check("not N > 3", "assumption not understood");
        check("M > 2 and not (N > 3)", "(M - 3 >= 0) and (-N + 3 >= 0)");
        check(
            "3 * M == N || false_ == M",
            "`false_` is no size of the program",
        );
        check("M * N > 7", "expression is not affine");
        check("M +", "assumption not understood");
        check("M", "an assumption must be a condition");
    }
}
