//! Integer expressions of C as exact affine values.
//!
//! C divides towards zero; where the numerator is not known to be non-negative, the two signs become two
//! cases, so nothing is approximated. What a name means is asked of an [`Environment`].

use num_bigint::BigInt;
use num_traits::{Signed, ToPrimitive, Zero};

use super::ast::{Expr, ExprKind, Prefix};
use super::obstacle::{Evaluated, Obstacle};
use crate::affine::{AffineError, Formula, Value};
use crate::diagnostic::Span;
use crate::expression::BinaryOp;

/// Shifts beyond this are no index arithmetic.
const MAX_SHIFT: i64 = 62;

/// What surrounds an expression.
pub(crate) trait Environment {
    /// The integer a name stands for.
    fn resolve(&self, name: &str, span: Span) -> Evaluated<Value>;

    /// Whether a condition is known to hold here.
    fn proves(&self, condition: &Formula) -> bool;

    /// The body of a function that only returns an expression, with these arguments in place.
    fn inlined(&self, call: &Expr, name: &str, arguments: &[Expr]) -> Option<Expr>;
}

/// The value of an integer expression.
pub(crate) fn value(expr: &Expr, env: &dyn Environment) -> Evaluated<Value> {
    let complicated = |error: AffineError| Obstacle::from_affine(error, expr.span);
    match &expr.kind {
        ExprKind::Integer(number) => Ok(Value::constant(*number)),
        ExprKind::Name(name) => env.resolve(name, expr.span),
        ExprKind::Cast(scalar, inner) if scalar.is_index() => value(inner, env),
        ExprKind::Unary(Prefix::Plus, inner) => value(inner, env),
        ExprKind::Unary(Prefix::Negate, inner) => Ok(value(inner, env)?.scaled(&BigInt::from(-1))),
        ExprKind::Unary(Prefix::Not, _) => Ok(truth(condition(expr, env)?)),
        ExprKind::Binary(op, a, b) => match op {
            BinaryOp::Add | BinaryOp::Subtract => {
                let sign = if *op == BinaryOp::Add { 1 } else { -1 };
                let (a, b) = (value(a, env)?, value(b, env)?);
                a.add_scaled(&b, &BigInt::from(sign)).map_err(complicated)
            }
            BinaryOp::Multiply => {
                let (a, b) = (value(a, env)?, value(b, env)?);
                a.multiply(&b).map_err(complicated)
            }
            BinaryOp::Divide => {
                let divisor = number(b, "a divisor", env)?;
                truncated(&value(a, env)?, &divisor, expr.span, env)
            }
            BinaryOp::Remainder => {
                let divisor = number(b, "a modulus", env)?;
                let dividend = value(a, env)?;
                let quotient = truncated(&dividend, &divisor, expr.span, env)?;
                dividend
                    .add_scaled(&quotient, &-divisor)
                    .map_err(complicated)
            }
            BinaryOp::ShiftLeft => Ok(value(a, env)?.scaled(&power_of_two(b, env)?)),
            // Right shifts of negative numbers round down on every machine in use.
            BinaryOp::ShiftRight => {
                let divisor = power_of_two(b, env)?;
                value(a, env)?.floor_divide(&divisor).map_err(complicated)
            }
            BinaryOp::BitAnd => masked(a, b, expr.span, env),
            BinaryOp::BitOr | BinaryOp::BitXor => Err(Obstacle::data(expr.span)),
            _ => Ok(truth(condition(expr, env)?)),
        },
        ExprKind::Conditional(test, a, b) => {
            let (yes, no) = (value(a, env)?, value(b, env)?);
            match extremum(test, &yes, &no, env)? {
                Some(smallest) => Ok(Value::extremum(yes, no, smallest)),
                None => Ok(Value::choose(condition(test, env)?, yes, no)),
            }
        }
        ExprKind::Call(callee, arguments) => call(expr, callee, arguments, env),
        ExprKind::Assign(..) | ExprKind::Step(..) => Err(Obstacle::effect(expr.span)),
        _ => Err(Obstacle::data(expr.span)),
    }
}

/// The condition an expression stands for.
pub(crate) fn condition(expr: &Expr, env: &dyn Environment) -> Evaluated<Formula> {
    match &expr.kind {
        ExprKind::Unary(Prefix::Not, inner) => Ok(condition(inner, env)?.negated()),
        ExprKind::Binary(BinaryOp::And, a, b) => {
            Ok(Formula::all(vec![condition(a, env)?, condition(b, env)?]))
        }
        ExprKind::Binary(BinaryOp::Or, a, b) => {
            Ok(Formula::any(vec![condition(a, env)?, condition(b, env)?]))
        }
        ExprKind::Binary(op, a, b) if is_comparison(*op) => {
            let (a, b) = (value(a, env)?, value(b, env)?);
            compare(*op, &a, &b).map_err(|error| Obstacle::from_affine(error, expr.span))
        }
        ExprKind::Conditional(test, a, b) => {
            let (test, a, b) = (
                condition(test, env)?,
                condition(a, env)?,
                condition(b, env)?,
            );
            let no = Formula::all(vec![test.negated(), b]);
            Ok(Formula::any(vec![Formula::all(vec![test, a]), no]))
        }
        _ => {
            let zero = value(expr, env)?.zero();
            let zero = zero.map_err(|error| Obstacle::from_affine(error, expr.span))?;
            Ok(zero.negated())
        }
    }
}

/// `a op b` for a comparison.
pub(crate) fn compare(op: BinaryOp, a: &Value, b: &Value) -> Result<Formula, AffineError> {
    let minus_one = BigInt::from(-1);
    let difference = a.add_scaled(b, &minus_one)?;
    let opposite = difference.scaled(&minus_one);
    Ok(match op {
        BinaryOp::Equal => difference.zero()?,
        BinaryOp::NotEqual => difference.zero()?.negated(),
        BinaryOp::GreaterEqual => difference.nonnegative()?,
        BinaryOp::LessEqual => opposite.nonnegative()?,
        BinaryOp::Greater => opposite.nonnegative()?.negated(),
        _ => difference.nonnegative()?.negated(),
    })
}

/// Whether the operator compares.
pub(crate) fn is_comparison(op: BinaryOp) -> bool {
    use BinaryOp::{Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual};
    matches!(
        op,
        Less | LessEqual | Greater | GreaterEqual | Equal | NotEqual
    )
}

/// The number an expression must be, for example a stride.
pub(crate) fn number(expr: &Expr, what: &'static str, env: &dyn Environment) -> Evaluated<BigInt> {
    let value = value(expr, env)?;
    match value.as_constant() {
        Some(number) if number.is_zero() => Err(Obstacle::zero(what, expr.span)),
        Some(number) => Ok(number),
        None => Err(Obstacle::needs_number(what, &value, expr.span)),
    }
}

/// Whether `test ? yes : no` is the smaller (`true`) or larger (`false`) of its branches, as in
/// `a < b ? a : b`. As a minimum it makes a bound a conjunction, where a choice would split the domain.
fn extremum(
    test: &Expr,
    yes: &Value,
    no: &Value,
    env: &dyn Environment,
) -> Evaluated<Option<bool>> {
    use BinaryOp::{Greater, GreaterEqual, Less, LessEqual};
    let ExprKind::Binary(op @ (Less | LessEqual | Greater | GreaterEqual), left, right) =
        &test.kind
    else {
        return Ok(None);
    };
    let (left, right) = (value(left, env)?, value(right, env)?);
    let is_less = matches!(op, Less | LessEqual);
    Ok(if (&left, &right) == (yes, no) {
        Some(is_less)
    } else if (&left, &right) == (no, yes) {
        Some(!is_less)
    } else {
        None
    })
}

fn truth(condition: Formula) -> Value {
    Value::choose(condition, Value::constant(1), Value::constant(0))
}

fn power_of_two(expr: &Expr, env: &dyn Environment) -> Evaluated<BigInt> {
    let value = value(expr, env)?;
    match value.as_constant().map(|shift| shift.to_i64()) {
        Some(Some(shift)) if (0..=MAX_SHIFT).contains(&shift) => Ok(BigInt::from(1i64 << shift)),
        Some(_) => Err(Obstacle::data(expr.span)),
        None => Err(Obstacle::needs_number("a shift", &value, expr.span)),
    }
}

/// `x & (2^k - 1)` is x modulo 2^k, for negative x too.
fn masked(a: &Expr, b: &Expr, span: Span, env: &dyn Environment) -> Evaluated<Value> {
    let (a, b) = (value(a, env)?, value(b, env)?);
    let (x, mask) = match (a.as_constant(), b.as_constant()) {
        (_, Some(mask)) => (a, mask),
        (Some(mask), None) => (b, mask),
        _ => return Err(Obstacle::data(span)),
    };
    let modulus: BigInt = &mask + 1;
    if mask.is_negative() || !(&modulus & &mask).is_zero() {
        return Err(Obstacle::data(span));
    }
    let complicated = |error: AffineError| Obstacle::from_affine(error, span);
    let quotient = x.floor_divide(&modulus).map_err(complicated)?;
    x.add_scaled(&quotient, &-modulus).map_err(complicated)
}

/// Division towards zero.
fn truncated(a: &Value, divisor: &BigInt, span: Span, env: &dyn Environment) -> Evaluated<Value> {
    let complicated = |error: AffineError| Obstacle::from_affine(error, span);
    if let Some(number) = a.as_constant() {
        return Ok(Value::constant(number / divisor));
    }
    let sign = BigInt::from(if divisor.is_negative() { -1 } else { 1 });
    let size = divisor.abs();
    let down = a.floor_divide(&size).map_err(complicated)?;
    let nonnegative = a.nonnegative().map_err(complicated)?;
    if env.proves(&nonnegative) {
        return Ok(down.scaled(&sign));
    }
    let minus_one = BigInt::from(-1);
    let up = a
        .scaled(&minus_one)
        .floor_divide(&size)
        .map_err(complicated)?;
    Ok(Value::choose(nonnegative, down, up.scaled(&minus_one)).scaled(&sign))
}

fn call(expr: &Expr, callee: &Expr, arguments: &[Expr], env: &dyn Environment) -> Evaluated<Value> {
    let ExprKind::Name(name) = &callee.kind else {
        return Err(Obstacle::data(expr.span));
    };
    if let Some(body) = env.inlined(expr, name, arguments) {
        return value(&body, env);
    }
    match (name.as_str(), arguments) {
        ("min" | "MIN" | "Min" | "imin" | "fmin", [a, b]) => {
            Ok(Value::extremum(value(a, env)?, value(b, env)?, true))
        }
        ("max" | "MAX" | "Max" | "imax" | "fmax", [a, b]) => {
            Ok(Value::extremum(value(a, env)?, value(b, env)?, false))
        }
        ("floord", [a, b]) => rounded(a, b, false, expr.span, env),
        ("ceild", [a, b]) => rounded(a, b, true, expr.span, env),
        // Tiling tools write floor(((double)(a)) / ((double)(b))).
        ("floor" | "ceil", [quotient]) => match &quotient.kind {
            ExprKind::Binary(BinaryOp::Divide, a, b) if is_floating(a) || is_floating(b) => {
                let (a, b) = (without_casts(a), without_casts(b));
                rounded(a, b, name == "ceil", expr.span, env)
            }
            _ => Err(Obstacle::data(expr.span)),
        },
        _ => Err(Obstacle::data(expr.span)),
    }
}

fn is_floating(expr: &Expr) -> bool {
    use crate::program::ElementType::{F32, F64};
    matches!(&expr.kind, ExprKind::Cast(scalar, _) if matches!(scalar.element, Some(F32 | F64)))
}

fn without_casts(expr: &Expr) -> &Expr {
    match &expr.kind {
        ExprKind::Cast(_, inner) => without_casts(inner),
        _ => expr,
    }
}

/// ⌊a / b⌋ or ⌈a / b⌉.
fn rounded(a: &Expr, b: &Expr, up: bool, span: Span, env: &dyn Environment) -> Evaluated<Value> {
    let divisor = number(b, "a divisor", env)?;
    let toward = BigInt::from(if up { -1 } else { 1 });
    let sign = BigInt::from(if divisor.is_negative() { -1 } else { 1 });
    let numerator = value(a, env)?.scaled(&(&sign * &toward));
    let quotient = numerator
        .floor_divide(&divisor.abs())
        .map_err(|error| Obstacle::from_affine(error, span))?;
    Ok(quotient.scaled(&toward))
}
