//! `for` loops: the header, and the body inside it.
//!
//! The set of iterations is worked out in [`super::bounds`]; here the parts of a header are found and the
//! body is walked with the loop around it. A loop that counts down runs at time `-i`.

use num_bigint::BigInt;
use num_traits::{One, Signed};

use super::scope::Binding;
use super::{Failed, Level, Lowering};
use crate::affine::{self, Atom, Formula, Value};
use crate::c::ast::{Expr, ExprKind, ForLoop, Initial, Stmt, StmtKind};
use crate::c::integer;
use crate::c::obstacle::Place;
use crate::diagnostic::{Code, Diagnostic, Span};
use crate::expression::BinaryOp;

/// A loop header whose variable is known.
pub(super) struct Header<'a> {
    pub(super) name: &'a str,
    pub(super) first: Value,
    pub(super) step: BigInt,
    pub(super) unsigned: bool,
}

impl Lowering<'_> {
    pub(super) fn for_loop(&mut self, loop_: &ForLoop) {
        self.scopes.open();
        let variable = self.loop_variable(loop_);
        let first = variable.and_then(|(_, first, _)| self.bound(first).ok());
        // From here on, variables that the body changes have a value of some iteration.
        self.forget_assigned(&loop_.body);
        let (name, is_declared) = variable_name(loop_);
        let depth = self.loops.len();
        let n_guards = self.guards.len();
        self.loops.push(Level {
            name: self.unused_iterator(name),
            backwards: false,
        });
        self.scopes.declare(name, Binding::Loop(depth));
        let step = variable.and_then(|(name, ..)| self.step(loop_, name).ok());
        let domain = match (variable, first, step) {
            (Some((name, _, unsigned)), Some(first), Some(step)) => {
                let header = Header {
                    name,
                    first,
                    step,
                    unsigned,
                };
                self.loops[depth].backwards = header.step.is_negative();
                self.loop_condition(loop_, &header, depth).ok()
            }
            _ => None,
        };
        let understood = domain.is_some();
        self.guards.extend(domain);
        self.run_body(&loop_.body, understood);
        self.guards.truncate(n_guards);
        self.loops.pop();
        self.scopes.close();
        if !is_declared {
            self.scopes.forget(name);
        }
    }

    pub(super) fn bound(&mut self, expr: &Expr) -> Result<Value, Failed> {
        integer::value(expr, self).map_err(|obstacle| {
            self.refuse(&obstacle, Place::Bound);
            Failed
        })
    }

    fn run_body(&mut self, body: &Stmt, understood: bool) {
        let last = self.positions.len() - 1;
        self.positions[last] += 1;
        self.positions.push(0);
        self.broken += usize::from(!understood);
        self.statement(body, None);
        self.broken -= usize::from(!understood);
        self.positions.pop();
    }

    /// Runs `body` in a loop over `0 <= name < extent` that the source does not spell out.
    pub(super) fn counted_loop(
        &mut self,
        name: &str,
        extent: &Value,
        body: &mut dyn FnMut(&mut Self),
    ) {
        let depth = self.loops.len();
        let iterator = Value::atom(Atom::Iterator(depth));
        let upper = integer::compare(BinaryOp::Less, &iterator, extent);
        let lower = iterator.nonnegative();
        let (Ok(lower), Ok(upper)) = (lower, upper) else {
            return;
        };
        let level = Level {
            name: self.unused_iterator(name),
            backwards: false,
        };
        self.loops.push(level);
        self.guards.push(Formula::all(vec![lower, upper]));
        let last = self.positions.len() - 1;
        self.positions[last] += 1;
        self.positions.push(0);
        body(self);
        self.positions.pop();
        self.guards.pop();
        self.loops.pop();
    }

    pub(super) fn form_problem(&mut self, code: &Code, span: Span, message: &str) -> Failed {
        self.problem(
            Diagnostic::error(code, message)
                .at(span)
                .hint("write `for (i = first; i < last; i += number)`"),
        );
        Failed
    }

    /// The loop variable, its first value as written, and whether it is unsigned.
    fn loop_variable<'l>(&mut self, loop_: &'l ForLoop) -> Option<(&'l str, &'l Expr, bool)> {
        let form = &affine::codes::LOOP_FORM;
        let Some(init) = &loop_.init else {
            self.form_problem(form, loop_.header, "loop without a first value");
            return None;
        };
        match &init.kind {
            StmtKind::Declare(variables) => match variables.as_slice() {
                [variable] if variable.scalar.is_index() => match &variable.initial {
                    Some(Initial::Value(first)) => {
                        Some((&variable.name, first, variable.scalar.unsigned))
                    }
                    _ => {
                        self.form_problem(form, init.span, "loop variable without a first value");
                        None
                    }
                },
                _ => {
                    self.form_problem(form, init.span, "a loop needs one integer variable");
                    None
                }
            },
            StmtKind::Expr(Expr {
                kind: ExprKind::Assign(target, None, first),
                ..
            }) => {
                let ExprKind::Name(name) = &target.kind else {
                    self.form_problem(form, target.span, "the loop variable must be a scalar");
                    return None;
                };
                let unsigned = self.assignable_iterator(name, target.span).ok()?;
                Some((name, first, unsigned))
            }
            _ => {
                self.form_problem(form, init.span, "the first part must set the loop variable");
                None
            }
        }
    }

    /// Checks that an existing variable can count; tells whether it is unsigned.
    fn assignable_iterator(&mut self, name: &str, span: Span) -> Result<bool, Failed> {
        match self.scopes.get(name) {
            Some(Binding::Integer(_) | Binding::Size) => Ok(self.unsigned.contains(name)),
            Some(Binding::Loop(_)) => {
                let code = &affine::codes::CHANGED_ITERATOR;
                let message = format!("`{name}` already counts an outer loop");
                let problem = Diagnostic::error(code, message).at(span);
                self.problem(problem.hint("use another variable for the inner loop"));
                Err(Failed)
            }
            Some(Binding::Cell(_) | Binding::Refused) => {
                let message = format!("`{name}` cannot count a loop");
                self.problem(
                    Diagnostic::error(&affine::codes::LOOP_FORM, message)
                        .at(span)
                        .note("a loop variable is an integer that is set only in loop headers")
                        .hint("declare the variable in the loop: `for (int i = 0; …)`"),
                );
                Err(Failed)
            }
            None => {
                let obstacle = self.undeclared(name, span);
                self.refuse(&obstacle, Place::Bound);
                Err(Failed)
            }
        }
    }

    fn step(&mut self, loop_: &ForLoop, name: &str) -> Result<BigInt, Failed> {
        let form = &affine::codes::LOOP_FORM;
        let Some(step) = &loop_.step else {
            return Err(self.form_problem(form, loop_.header, "loop without a step"));
        };
        let is_variable = |expr: &Expr| matches!(&expr.kind, ExprKind::Name(n) if n == name);
        let (operator, amount) = match &step.kind {
            ExprKind::Step(operator, target) if is_variable(target) => (*operator, None),
            ExprKind::Assign(target, Some(operator), amount) if is_variable(target) => {
                (*operator, Some(amount))
            }
            ExprKind::Assign(target, None, sum) if is_variable(target) => match &sum.kind {
                ExprKind::Binary(operator, a, amount) if is_variable(a) => {
                    (*operator, Some(amount))
                }
                ExprKind::Binary(BinaryOp::Add, amount, a) if is_variable(a) => {
                    (BinaryOp::Add, Some(amount))
                }
                _ => (BinaryOp::Multiply, None),
            },
            _ => (BinaryOp::Multiply, None),
        };
        if !matches!(operator, BinaryOp::Add | BinaryOp::Subtract) {
            let message = format!("the step must add a number to `{name}`");
            return Err(self.form_problem(form, step.span, &message));
        }
        let size = match amount {
            None => BigInt::one(),
            Some(amount) => match integer::number(amount, "the step of a loop", self) {
                Ok(number) => number,
                Err(obstacle) => {
                    self.refuse(&obstacle, Place::Bound);
                    return Err(Failed);
                }
            },
        };
        Ok(if operator == BinaryOp::Add {
            size
        } else {
            -size
        })
    }
}

/// The name a loop counts with, and whether the loop declares it.
fn variable_name(loop_: &ForLoop) -> (&str, bool) {
    match loop_.init.as_ref().map(|init| &init.kind) {
        Some(StmtKind::Declare(variables)) => {
            (variables.first().map_or("i", |v| v.name.as_str()), true)
        }
        Some(StmtKind::Expr(Expr {
            kind: ExprKind::Assign(target, ..),
            ..
        })) => match &target.kind {
            ExprKind::Name(name) => (name, false),
            _ => ("i", true),
        },
        _ => ("i", true),
    }
}
