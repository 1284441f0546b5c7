//! The iterations of a loop as a condition on its variable.
//!
//! ```text
//! for (i = first; condition; i += step)
//!   step > 0:  i >= first, (i - first) mod step = 0, condition
//!   step < 0:  i <= first, (first - i) mod |step| = 0, condition
//! ```
//!
//! A loop ends the first time its condition is false, so the set above is right only if a condition that is
//! false stays false. That is checked for every conjunct: one that moves the other way holds throughout
//! once it holds at the first iteration, and is replaced by its value there.

use num_bigint::BigInt;
use num_traits::{One, Signed};

use super::loops::Header;
use super::{Failed, Lowering};
use crate::affine::{self, Atom, Formula, Trend, Value};
use crate::c::ast::{Expr, ExprKind, ForLoop};
use crate::c::integer::{self, Environment};
use crate::c::obstacle::{Obstacle, Place};
use crate::diagnostic::{Diagnostic, Span};
use crate::expression::BinaryOp;

impl Lowering<'_> {
    /// The iterations, as a condition on the loop variable at `depth`.
    pub(super) fn loop_condition(
        &mut self,
        loop_: &ForLoop,
        header: &Header<'_>,
        depth: usize,
    ) -> Result<Formula, Failed> {
        let Some(condition) = &loop_.condition else {
            let code = &affine::codes::ENDLESS_LOOP;
            return Err(self.form_problem(code, loop_.header, "loop without a condition"));
        };
        let too_complicated = |this: &mut Self, error, span| {
            this.refuse(&Obstacle::from_affine(error, span), Place::Bound);
            Failed
        };
        let iterator = Value::atom(Atom::Iterator(depth));
        let minus_one = BigInt::from(-1);
        let advance = iterator
            .add_scaled(&header.first, &minus_one)
            .map_err(|error| too_complicated(self, error, loop_.header))?;
        let size = header.step.abs();
        let advance = advance.scaled(&header.step.signum());
        let start =
            begin(&advance, &size).map_err(|error| too_complicated(self, error, loop_.header))?;
        let mut parts = vec![start];
        let mut bounded = false;
        for conjunct in conjuncts(condition) {
            let formula = self.conjunct(conjunct, header, &parts[0], depth)?;
            for part in formula.conjuncts() {
                let trend = if header.step.is_negative() {
                    part.trend(depth).reversed()
                } else {
                    part.trend(depth)
                };
                match trend {
                    Trend::Falls => {
                        bounded = true;
                        parts.push(part);
                    }
                    Trend::Constant => {
                        bounded |= part == Formula::False;
                        parts.push(part);
                    }
                    Trend::Rises => {
                        parts.push(self.at_first(&part, header, depth, conjunct.span)?)
                    }
                    Trend::Unknown => {
                        let message = "the iterations that satisfy this do not form an interval";
                        let form = &affine::codes::LOOP_FORM;
                        return Err(self.form_problem(form, conjunct.span, message));
                    }
                }
            }
        }
        if !bounded {
            let message = format!("`{}` moves away from its bound", header.name);
            self.problem(
                Diagnostic::error(&affine::codes::ENDLESS_LOOP, message)
                    .at(condition.span)
                    .note("if this loop runs at all, it does not end")
                    .hint("turn the comparison or the step around"),
            );
            return Err(Failed);
        }
        let domain = Formula::all(parts);
        self.check_unsigned(&domain, header, depth, loop_.header)?;
        Ok(domain)
    }

    /// One part of a loop condition. `i != last` is a bound: a loop that steps over it would overflow, which
    /// C does not define.
    fn conjunct(
        &mut self,
        conjunct: &Expr,
        header: &Header<'_>,
        start: &Formula,
        depth: usize,
    ) -> Result<Formula, Failed> {
        let ExprKind::Binary(BinaryOp::NotEqual, a, b) = &conjunct.kind else {
            return integer::condition(conjunct, self).map_err(|obstacle| {
                self.refuse(&obstacle, Place::Bound);
                Failed
            });
        };
        let (a, b) = (self.bound(a)?, self.bound(b)?);
        let iterator = Value::atom(Atom::Iterator(depth));
        let last = match (a == iterator, b == iterator) {
            (true, _) => b,
            (_, true) => a,
            _ => {
                let message = "`!=` must compare the loop variable itself";
                let form = &affine::codes::LOOP_FORM;
                return Err(self.form_problem(form, conjunct.span, message));
            }
        };
        let operator = if header.step.is_negative() {
            BinaryOp::Greater
        } else {
            BinaryOp::Less
        };
        let distance = last.add_scaled(&header.first, &BigInt::from(-1));
        let whole = distance.and_then(|distance| divisible(&distance, &header.step.abs()));
        let bound = integer::compare(operator, &iterator, &last);
        let (Ok(whole), Ok(bound)) = (whole, bound) else {
            let error = affine::AffineError::TooComplicated;
            self.refuse(&Obstacle::from_affine(error, conjunct.span), Place::Bound);
            return Err(Failed);
        };
        // The distance need only be a multiple of the step where the loop runs.
        let runs = Formula::all(vec![start.clone(), bound.clone()]);
        let is_reached = Formula::any(vec![runs.negated(), whole]);
        if !header.step.abs().is_one() && !self.proves(&is_reached) {
            let message = format!("`{}` may step over its last value", header.name);
            self.problem(
                Diagnostic::error(&affine::codes::ENDLESS_LOOP, message)
                    .at(conjunct.span)
                    .hint("compare with `<` or `>` instead of `!=`"),
            );
            return Err(Failed);
        }
        Ok(bound)
    }

    /// A condition that stays true once it is true, at the first iteration.
    fn at_first(
        &mut self,
        part: &Formula,
        header: &Header<'_>,
        depth: usize,
        span: Span,
    ) -> Result<Formula, Failed> {
        let first = header
            .first
            .as_leaf()
            .and_then(|leaf| leaf.to_linear().ok());
        match first {
            Some(first) => Ok(part.substitute(depth, &first)),
            None => {
                let error = affine::AffineError::TooComplicated;
                self.refuse(&Obstacle::from_affine(error, span), Place::Bound);
                Err(Failed)
            }
        }
    }

    /// An unsigned variable that would go below zero wraps around instead.
    fn check_unsigned(
        &mut self,
        domain: &Formula,
        header: &Header<'_>,
        depth: usize,
        span: Span,
    ) -> Result<(), Failed> {
        if !header.unsigned || !header.step.is_negative() {
            return Ok(());
        }
        let after = Value::atom(Atom::Iterator(depth))
            .add_scaled(&Value::constant(header.step.clone()), &BigInt::one())
            .and_then(|after| after.nonnegative());
        let stays = after.map(|after| Formula::any(vec![domain.negated(), after]));
        if stays.is_ok_and(|stays| self.proves(&stays)) {
            return Ok(());
        }
        let message = format!("unsigned `{}` counts down past zero", header.name);
        self.problem(
            Diagnostic::error(&affine::codes::ENDLESS_LOOP, message)
                .at(span)
                .hint("use a signed loop variable"),
        );
        Err(Failed)
    }
}

/// `advance >= 0`, a multiple of the size of the step.
fn begin(advance: &Value, size: &BigInt) -> Result<Formula, affine::AffineError> {
    Ok(Formula::all(vec![
        advance.nonnegative()?,
        divisible(advance, size)?,
    ]))
}

/// `value mod divisor == 0`.
fn divisible(value: &Value, divisor: &BigInt) -> Result<Formula, affine::AffineError> {
    if divisor.is_one() {
        return Ok(Formula::True);
    }
    let quotient = value.floor_divide(divisor)?;
    value.add_scaled(&quotient, &-divisor)?.zero()
}

/// The parts of a condition that must all hold.
fn conjuncts(condition: &Expr) -> Vec<&Expr> {
    match &condition.kind {
        ExprKind::Binary(BinaryOp::And, a, b) => [conjuncts(a), conjuncts(b)].concat(),
        _ => vec![condition],
    }
}
