//! Functions of the file that only return an expression, put in place of their calls.
//!
//! `static inline double relu(double x) { return x > 0 ? x : 0; }` is an abbreviation like a macro. Anything
//! longer stays a call.

use std::cell::Cell;
use std::collections::BTreeMap;

use super::ast::{Expr, ExprKind, Scalar, Shape, StmtKind, Unit};
use super::parser::{self, Typedefs};
use super::token::Token;
use crate::diagnostic::Span;

/// Longer bodies are no abbreviations.
const MAX_TOKENS: usize = 100;
/// Calls replaced in one input: nested calls that use an argument twice would grow without end.
const MAX_CALLS: usize = 4096;

/// The functions that can be put in place, by name.
#[derive(Debug, Default)]
pub(crate) struct Inlines {
    functions: BTreeMap<String, Abbreviation>,
    used: Cell<usize>,
}

#[derive(Debug)]
struct Abbreviation {
    parameters: Vec<(String, Scalar)>,
    value: Expr,
}

impl Inlines {
    /// Finds them among the functions of a file.
    pub(crate) fn of(unit: &Unit, tokens: &[Token], typedefs: &Typedefs) -> Inlines {
        let mut inlines = Inlines::default();
        for function in &unit.functions {
            if function.body.len() > MAX_TOKENS || function.has_loop {
                continue;
            }
            let mut ignored = Vec::new();
            let body = parser::body(&tokens[function.body.clone()], typedefs, &mut ignored);
            let [statement] = body.as_slice() else {
                continue;
            };
            let StmtKind::Return(Some(value)) = &statement.kind else {
                continue;
            };
            // A function that calls others of the file could call itself.
            let is_leaf = !calls(value, &|name| unit.functions.iter().any(|f| f.name == name));
            let parameters: Option<Vec<(String, Scalar)>> = function
                .parameters
                .iter()
                .map(|parameter| match &parameter.shape {
                    Shape::Array(extents) if extents.is_empty() => {
                        Some((parameter.name.clone(), parameter.scalar))
                    }
                    _ => None,
                })
                .collect();
            if let Some(parameters) = parameters.filter(|_| is_leaf && ignored.is_empty()) {
                let value = value.clone();
                let abbreviation = Abbreviation { parameters, value };
                inlines
                    .functions
                    .insert(function.name.clone(), abbreviation);
            }
        }
        inlines
    }

    /// The value of a call, written out, with every part placed at the call.
    pub(crate) fn apply(&self, name: &str, arguments: &[Expr], call: Span) -> Option<Expr> {
        let function = self.functions.get(name)?;
        if function.parameters.len() != arguments.len() || self.used.get() >= MAX_CALLS {
            return None;
        }
        self.used.set(self.used.get() + 1);
        let by_name: BTreeMap<&str, Expr> = function
            .parameters
            .iter()
            .zip(arguments)
            .map(|((name, scalar), argument)| (name.as_str(), converted(argument, *scalar)))
            .collect();
        Some(substitute(&function.value, &by_name, call))
    }
}

/// An argument is converted to the type of its parameter, as in a call.
fn converted(argument: &Expr, scalar: Scalar) -> Expr {
    Expr {
        kind: ExprKind::Cast(scalar, Box::new(argument.clone())),
        ..*argument
    }
}

fn calls(expr: &Expr, is_function: &dyn Fn(&str) -> bool) -> bool {
    let mut found = match &expr.kind {
        ExprKind::Call(callee, _) => match &callee.kind {
            ExprKind::Name(name) => is_function(name),
            _ => true,
        },
        _ => false,
    };
    expr.for_each_child(&mut |child| found |= calls(child, is_function));
    found
}

/// The expression with names replaced; everything that is not replaced is placed at `span`.
fn substitute(expr: &Expr, names: &BTreeMap<&str, Expr>, span: Span) -> Expr {
    if let ExprKind::Name(name) = &expr.kind
        && let Some(replacement) = names.get(name.as_str())
    {
        return replacement.clone();
    }
    let mut copy = expr.map_children(&mut |child| substitute(child, names, span));
    copy.span = span;
    copy
}
