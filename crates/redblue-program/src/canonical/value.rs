//! One spelling per value: literals by number, conversions where they change something, commutative
//! arguments in order.

use crate::dataflow::reduction::selection;
use crate::expression::{BinaryOp, Expression, UnaryOp};
use crate::interpret::Value;
use crate::interpret::function::{Extremum, extremum};
use crate::program::ElementType;

/// The C type of an expression as far as it matters here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// An integer literal, a loop counter, a size, a truth value: takes any type exactly.
    Index,
    /// A number of this type.
    Of(ElementType),
    /// The result of a function, of which only the name is known.
    Unknown,
}

/// The value with literals in normal form and the conversion to the written array's type made explicit, so
/// that equal trees mean equal values. `types` are the element types of the operands.
pub(super) fn typed(value: &Expression, types: &[ElementType], element: ElementType) -> Expression {
    let (value, kind) = infer(value, types);
    convert(value, kind, element)
}

fn infer(value: &Expression, types: &[ElementType]) -> (Expression, Kind) {
    match value {
        Expression::Read(position) => {
            let kind = types
                .get(*position)
                .map_or(Kind::Unknown, |element| Kind::Of(*element));
            (value.clone(), kind)
        }
        Expression::Real(literal) => {
            let single = literal.ends_with(['f', 'F']);
            let element = if single {
                ElementType::F32
            } else {
                ElementType::F64
            };
            let literal = format!("{}{}", decimal(literal), suffix(element));
            (Expression::Real(literal), Kind::Of(element))
        }
        Expression::Integer(_) | Expression::Iterator(_) | Expression::Parameter(_) => {
            (value.clone(), Kind::Index)
        }
        Expression::Unary(op, a) => {
            let (a, kind) = infer(a, types);
            let kind = if *op == UnaryOp::Not {
                Kind::Index
            } else {
                kind
            };
            (negated(*op, a), kind)
        }
        Expression::Binary(op, a, b) => {
            let ((a, kind_a), (b, kind_b)) = (infer(a, types), infer(b, types));
            let common = wider(kind_a, kind_b);
            let (a, b) = (floating(a, common), floating(b, common));
            let kind = if op.is_logical() { Kind::Index } else { common };
            (Expression::Binary(*op, Box::new(a), Box::new(b)), kind)
        }
        Expression::Call(name, arguments) => {
            let arguments = arguments
                .iter()
                .map(|argument| infer(argument, types).0)
                .collect();
            (Expression::Call(name.clone(), arguments), Kind::Unknown)
        }
        Expression::Select(c, a, b) => {
            let c = infer(c, types).0;
            let ((a, kind_a), (b, kind_b)) = (infer(a, types), infer(b, types));
            let kind = wider(kind_a, kind_b);
            let (a, b) = (floating(a, kind), floating(b, kind));
            (
                Expression::Select(Box::new(c), Box::new(a), Box::new(b)),
                kind,
            )
        }
        Expression::Cast(element, a) => {
            let (a, kind) = infer(a, types);
            (convert(a, kind, *element), Kind::Of(*element))
        }
    }
}

/// `-3` is a literal, not an operation on one.
fn negated(op: UnaryOp, a: Expression) -> Expression {
    match (op, &a) {
        (UnaryOp::Negate, Expression::Integer(v)) => Expression::Integer(v.wrapping_neg()),
        _ => Expression::Unary(op, Box::new(a)),
    }
}

/// The type of an operation on both, after C's usual arithmetic conversions.
fn wider(a: Kind, b: Kind) -> Kind {
    match (a, b) {
        (Kind::Index, other) | (other, Kind::Index) => other,
        (Kind::Unknown, _) | (_, Kind::Unknown) => Kind::Unknown,
        (Kind::Of(a), Kind::Of(b)) => {
            let short = |e| matches!(e, ElementType::I8 | ElementType::I16);
            let widest = a.max(b);
            Kind::Of(if short(widest) {
                ElementType::I32
            } else {
                widest
            })
        }
    }
}

fn is_floating(element: ElementType) -> bool {
    !matches!(
        element,
        ElementType::I8 | ElementType::I16 | ElementType::I32 | ElementType::I64
    )
}

/// An integer literal next to floating-point numbers is the same number in their type.
fn floating(value: Expression, kind: Kind) -> Expression {
    match (value, kind) {
        (Expression::Integer(v), Kind::Of(element)) if is_floating(element) => {
            Expression::Real(format!("{v}{}", suffix(element)))
        }
        (value, _) => value,
    }
}

fn convert(value: Expression, kind: Kind, element: ElementType) -> Expression {
    match kind {
        Kind::Of(same) if same == element => value,
        Kind::Unknown => value,
        Kind::Index => floating(value, Kind::Of(element)),
        Kind::Of(_) => match rounded(&value, element) {
            Some(literal) => literal,
            None => Expression::Cast(element, Box::new(value)),
        },
    }
}

/// A literal in another floating-point type, if that is the same number.
fn rounded(value: &Expression, element: ElementType) -> Option<Expression> {
    let Expression::Real(literal) = value else {
        return None;
    };
    let other = format!("{}{}", literal.trim_end_matches('f'), suffix(element));
    let (before, after) = (
        Value::parse_real(literal).ok()?,
        Value::parse_real(&other).ok()?,
    );
    let same = is_floating(element) && before.to_f64() == after.to_f64();
    same.then_some(Expression::Real(other))
}

fn suffix(element: ElementType) -> &'static str {
    if element == ElementType::F32 { "f" } else { "" }
}

/// The number of a decimal literal in normal form: `0.50`, `.5` and `5e-1` are all `5e-1`, `1.e1f` is `10`.
fn decimal(literal: &str) -> String {
    let text = literal
        .trim_end_matches(['f', 'F', 'l', 'L'])
        .to_ascii_lowercase();
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole}{fraction}");
    let plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let (true, Ok(exponent)) = (plain, exponent.parse::<i64>()) else {
        return literal.to_string();
    };
    let significant = digits.trim_start_matches('0');
    let stripped = significant.trim_end_matches('0');
    if stripped.is_empty() {
        return "0".to_string();
    }
    let zeros = significant.len() - stripped.len();
    let exponent = exponent
        .saturating_add(zeros as i64)
        .saturating_sub(fraction.len() as i64);
    match exponent {
        0..=18 => format!("{stripped}{}", "0".repeat(exponent as usize)),
        _ => format!("{stripped}e{exponent}"),
    }
}

/// The tree with commutative arguments sorted by `key` of their operands, comparisons turned to `<` and `<=`,
/// and minima and maxima under one name.
pub(super) fn arrange(value: &Expression, key: &dyn Fn(usize) -> String) -> Expression {
    let arranged = |e: &Expression| arrange(e, key);
    let name = |e: &Expression| e.display(key, &|iterator| format!("#{iterator}"));
    let sorted = |a: Expression, b: Expression| if name(&b) < name(&a) { (b, a) } else { (a, b) };
    match value {
        Expression::Binary(op, a, b) => {
            let (a, b) = (arranged(a), arranged(b));
            let (op, a, b) = match op {
                BinaryOp::Greater => (BinaryOp::Less, b, a),
                BinaryOp::GreaterEqual => (BinaryOp::LessEqual, b, a),
                _ => (*op, a, b),
            };
            let (a, b) = if op.is_commutative() {
                sorted(a, b)
            } else {
                (a, b)
            };
            Expression::Binary(op, Box::new(a), Box::new(b))
        }
        Expression::Call(function, arguments) => {
            let mut arguments: Vec<Expression> = arguments.iter().map(arranged).collect();
            match extremum(function) {
                Some(which) => {
                    arguments.sort_by_cached_key(name);
                    Expression::Call(spelling(which).to_string(), arguments)
                }
                None => Expression::Call(function.clone(), arguments),
            }
        }
        Expression::Select(c, a, b) => {
            let (c, a, b) = (arranged(c), arranged(a), arranged(b));
            match selection(&c, &a, &b) {
                Some((which, ..)) => {
                    let (a, b) = sorted(a, b);
                    Expression::Call(spelling(which).to_string(), vec![a, b])
                }
                None => Expression::Select(Box::new(c), Box::new(a), Box::new(b)),
            }
        }
        Expression::Unary(op, a) => Expression::Unary(*op, Box::new(arranged(a))),
        Expression::Cast(to, a) => Expression::Cast(*to, Box::new(arranged(a))),
        leaf => leaf.clone(),
    }
}

fn spelling(which: Extremum) -> &'static str {
    match which {
        Extremum::Minimum => "min",
        Extremum::Maximum => "max",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expression::Expression as E;

    #[test]
    fn decimals_have_one_spelling() {
        for (literal, normal) in [
            ("0.0", "0"),
            ("0.", "0"),
            ("00", "0"),
            ("1.e1f", "10"),
            ("0.50", "5e-1"),
            (".5", "5e-1"),
            ("5E-1L", "5e-1"),
            ("120.25", "12025e-2"),
            ("1e30", "1e30"),
            ("0x1p3", "0x1p3"),
            ("nan", "nan"),
        ] {
            assert_eq!(decimal(literal), normal, "{literal}");
        }
    }

    #[track_caller]
    fn check(value: E, types: &[ElementType], element: ElementType, expect: &str) {
        assert_eq!(typed(&value, types, element).to_string(), expect);
    }

    #[test]
    fn conversions_appear_where_they_matter() {
        use ElementType::*;
        check(E::Integer(0), &[], F64, "0");
        assert_eq!(
            typed(&E::Integer(0), &[], F64),
            typed(&E::Real("0.0".into()), &[], F64)
        );
        check(E::Read(0), &[F64], F64, "$0");
        check(E::Read(0), &[F64], F32, "(float) $0");
        check(E::Real("0.5".into()), &[], F32, "5e-1f");
        check(E::Real("0.1".into()), &[], F32, "(float) 1e-1");
        check(E::Real("0.1f".into()), &[], F64, "(double) 1e-1f");
        check(E::Read(0) * E::Integer(2), &[F32], F32, "$0 * 2f");
        check(E::Read(0) / E::Integer(2), &[F64], F64, "$0 / 2");
        assert_ne!(
            typed(&(E::Read(0) / E::Integer(2)), &[F64], F64),
            typed(&(E::Read(0) / E::Integer(2)), &[I32], I32),
        );
        check(E::Cast(F64, Box::new(E::Read(0))), &[F64], F64, "$0");
        check(E::Read(0) + E::Read(1), &[I8, I8], I8, "(char) ($0 + $1)");
    }

    #[test]
    fn commutative_arguments_are_sorted() {
        let key = |operand: usize| ["b", "a", "c"][operand].to_string();
        let show = |value: E| arrange(&value, &key).to_string();
        assert_eq!(show(E::Read(0) * E::Read(1)), "$1 * $0");
        assert_eq!(show(E::Read(0) - E::Read(1)), "$0 - $1");
        assert_eq!(
            show((E::Read(2) + E::Read(0)) * E::Read(1)),
            "$1 * ($0 + $2)"
        );
        let less = E::Binary(
            BinaryOp::Greater,
            Box::new(E::Read(0)),
            Box::new(E::Read(1)),
        );
        let select = E::Select(Box::new(less), Box::new(E::Read(1)), Box::new(E::Read(0)));
        assert_eq!(show(select), "min($1, $0)");
    }
}
