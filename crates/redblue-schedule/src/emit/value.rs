//! The value of a statement in C: the expression tree with the parentheses it needs, and no others.

use redblue_program::{BinaryOp, Expression, UnaryOp};

/// The functions of `<math.h>` that the interpreter knows, without the suffix for `float`.
const MATH: [&str; 31] = [
    "sqrt", "cbrt", "exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sin", "cos", "tan",
    "asin", "acos", "atan", "sinh", "cosh", "tanh", "fabs", "floor", "ceil", "trunc", "round",
    "pow", "atan2", "hypot", "fmod", "copysign", "fmin", "fmax", "fma",
];

/// Where a function of the source comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    /// `<math.h>`.
    Math,
    /// `<stdlib.h>`.
    Standard,
    /// The lesser or greater of two, under a name that C does not define.
    Extremum(&'static str),
}

/// Where a function comes from, if it is known.
pub(super) fn origin(name: &str) -> Option<Origin> {
    let base = name.strip_suffix('f').filter(|base| MATH.contains(base));
    match name {
        _ if MATH.contains(&name) || base.is_some() => Some(Origin::Math),
        "abs" | "labs" | "llabs" => Some(Origin::Standard),
        "min" | "MIN" | "Min" => Some(Origin::Extremum("<")),
        "max" | "MAX" | "Max" => Some(Origin::Extremum(">")),
        _ => None,
    }
}

/// How tightly an expression binds; larger is tighter.
fn binding(expression: &Expression) -> u8 {
    match expression {
        Expression::Select(..) => 1,
        Expression::Binary(op, ..) => operator_binding(*op),
        Expression::Unary(..) | Expression::Cast(..) => 12,
        Expression::Integer(value) if *value < 0 => 12,
        Expression::Real(literal) if literal.starts_with('-') => 12,
        _ => 13,
    }
}

fn operator_binding(op: BinaryOp) -> u8 {
    match op {
        BinaryOp::Or => 2,
        BinaryOp::And => 3,
        BinaryOp::BitOr => 4,
        BinaryOp::BitXor => 5,
        BinaryOp::BitAnd => 6,
        BinaryOp::Equal | BinaryOp::NotEqual => 7,
        BinaryOp::Less | BinaryOp::LessEqual | BinaryOp::Greater | BinaryOp::GreaterEqual => 8,
        BinaryOp::ShiftLeft | BinaryOp::ShiftRight => 9,
        BinaryOp::Add | BinaryOp::Subtract => 10,
        BinaryOp::Multiply | BinaryOp::Divide | BinaryOp::Remainder => 11,
    }
}

/// The text of a value, with the caller's words for operands and counters.
pub(super) fn c_text(
    expression: &Expression,
    operand: &dyn Fn(usize) -> String,
    iterator: &dyn Fn(usize) -> String,
) -> String {
    let text = |e: &Expression| c_text(e, operand, iterator);
    let within = |e: &Expression, paren: bool| {
        if paren {
            format!("({})", text(e))
        } else {
            text(e)
        }
    };
    match expression {
        Expression::Read(position) => operand(*position),
        Expression::Real(literal) => literal.clone(),
        Expression::Integer(value) => integer(*value),
        Expression::Iterator(position) => iterator(*position),
        Expression::Parameter(name) => name.clone(),
        Expression::Unary(op, a) => {
            let sign = match op {
                UnaryOp::Negate => "-",
                UnaryOp::Not => "!",
                UnaryOp::Complement => "~",
            };
            format!("{sign}{}", within(a, binding(a) < 13))
        }
        Expression::Cast(to, a) => format!("({to}) {}", within(a, binding(a) < 13)),
        Expression::Binary(op, a, b) => {
            let (left, right) = (open(*op, a, false), open(*op, b, true));
            format!("{} {op} {}", within(a, left), within(b, right))
        }
        Expression::Call(name, arguments) => {
            let list: Vec<String> = arguments.iter().map(text).collect();
            format!("{name}({})", list.join(", "))
        }
        Expression::Select(c, a, b) => format!(
            "{} ? {} : {}",
            within(c, binding(c) == 1),
            within(a, binding(a) == 1),
            within(b, binding(b) == 1)
        ),
    }
}

/// Whether an argument of an operator is in parentheses: where C needs them, and where compilers and people
/// ask for them (a mixture of operators other than those of arithmetic).
fn open(op: BinaryOp, argument: &Expression, right: bool) -> bool {
    let (outer, inner) = (operator_binding(op), binding(argument));
    if inner >= 12 {
        return false;
    }
    let arithmetic = |binding: u8| matches!(binding, 10 | 11);
    let comparison = |binding: u8| matches!(binding, 7 | 8);
    match () {
        _ if arithmetic(outer) && arithmetic(inner) => inner < outer || (inner == outer && right),
        _ if comparison(outer) && arithmetic(inner) => false,
        _ if matches!(op, BinaryOp::And | BinaryOp::Or) && comparison(inner) => false,
        _ => true,
    }
}

fn integer(value: i64) -> String {
    if i32::try_from(value).is_ok() {
        value.to_string()
    } else {
        format!("{value}L")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Expression::{Integer, Real};

    #[track_caller]
    fn check(expression: &Expression, expect: &str) {
        let text = c_text(expression, &|p| format!("x{p}"), &|p| format!("i{p}"));
        assert_eq!(text, expect);
    }

    fn x(position: usize) -> Expression {
        Expression::Read(position)
    }

    #[test]
    fn parentheses_keep_the_tree() {
        check(&(x(0) + x(1) * x(2)), "x0 + x1 * x2");
        check(&((x(0) + x(1)) * x(2)), "(x0 + x1) * x2");
        check(&(x(0) - (x(1) - x(2))), "x0 - (x1 - x2)");
        check(&(x(0) - x(1) - x(2)), "x0 - x1 - x2");
        check(&(x(0) * (x(1) * x(2))), "x0 * (x1 * x2)");
        check(&-(-x(0)), "-(-x0)");
        check(&(x(0) - Integer(-1)), "x0 - -1");
        check(&-(x(0) / Real("2.0".into())), "-(x0 / 2.0)");
    }
}
