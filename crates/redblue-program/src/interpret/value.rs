//! Numbers as C sees them: which type an operation has, and what it gives.
//!
//! Integers are computed in 64 bits (signed overflow of a C `int` is undefined, so a wider result is a valid
//! one) and truncated when stored; `float` arithmetic rounds after every operation; mixing converts to the
//! wider floating type. This is the one place of the crate that computes in floating point, on purpose: the
//! interpreter must agree with compiled C bit for bit. Complex numbers are not interpreted.

use crate::error::{ProgramError, Result};
use crate::expression::{BinaryOp, UnaryOp};
use crate::program::ElementType;

/// A number with its C type.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    /// Any integer type.
    Integer(i64),
    /// `float`.
    Single(f32),
    /// `double`.
    Double(f64),
}

/// Two numbers after C's usual arithmetic conversions.
#[derive(Clone, Copy)]
pub(super) enum Pair {
    Integer(i64, i64),
    Single(f32, f32),
    Double(f64, f64),
}

impl Value {
    /// The number as a `double`.
    pub fn to_f64(self) -> f64 {
        match self {
            Value::Integer(v) => v as f64,
            Value::Single(v) => f64::from(v),
            Value::Double(v) => v,
        }
    }

    /// The number as a `float`.
    pub fn to_f32(self) -> f32 {
        match self {
            Value::Integer(v) => v as f32,
            Value::Single(v) => v,
            Value::Double(v) => v as f32,
        }
    }

    /// The number as an integer, truncated toward zero.
    pub fn to_i64(self) -> i64 {
        match self {
            Value::Integer(v) => v,
            Value::Single(v) => v as i64,
            Value::Double(v) => v as i64,
        }
    }

    /// Whether C takes it for true.
    pub fn is_true(self) -> bool {
        match self {
            Value::Integer(v) => v != 0,
            Value::Single(v) => v != 0.0,
            Value::Double(v) => v != 0.0,
        }
    }

    /// The zero of an element type; `None` for complex types.
    pub fn zero(element: ElementType) -> Result<Value> {
        Value::Integer(0).convert(element)
    }

    /// The value after conversion to `element`, as an assignment or a cast does it.
    pub fn convert(self, element: ElementType) -> Result<Value> {
        Ok(match element {
            ElementType::I8 => Value::Integer(i64::from(self.to_i64() as i8)),
            ElementType::I16 => Value::Integer(i64::from(self.to_i64() as i16)),
            ElementType::I32 => Value::Integer(i64::from(self.to_i64() as i32)),
            ElementType::I64 => Value::Integer(self.to_i64()),
            ElementType::F32 => Value::Single(self.to_f32()),
            ElementType::F64 => Value::Double(self.to_f64()),
            ElementType::C64 | ElementType::C128 => {
                return Err(ProgramError::Undefined(format!(
                    "a number of type {element}"
                )));
            }
        })
    }

    /// Reads a literal as written in C, with its suffixes.
    pub fn parse_real(literal: &str) -> Result<Value> {
        let digits = literal.trim_end_matches(['f', 'F', 'l', 'L']);
        let number: f64 = digits
            .parse()
            .map_err(|_| ProgramError::Undefined(format!("the literal {literal}")))?;
        if literal.ends_with(['f', 'F']) {
            // Parsed once more: rounding through `double` first could round twice.
            let single = digits.parse().unwrap_or(number as f32);
            Ok(Value::Single(single))
        } else {
            Ok(Value::Double(number))
        }
    }

    /// Both values in their common type.
    pub(super) fn promote(self, other: Value) -> Pair {
        match (self, other) {
            (Value::Double(_), _) | (_, Value::Double(_)) => {
                Pair::Double(self.to_f64(), other.to_f64())
            }
            (Value::Single(_), _) | (_, Value::Single(_)) => {
                Pair::Single(self.to_f32(), other.to_f32())
            }
            (Value::Integer(a), Value::Integer(b)) => Pair::Integer(a, b),
        }
    }
}

/// Applies a unary operator.
pub(super) fn unary(op: UnaryOp, a: Value) -> Result<Value> {
    Ok(match (op, a) {
        (UnaryOp::Negate, Value::Integer(v)) => Value::Integer(v.wrapping_neg()),
        (UnaryOp::Negate, Value::Single(v)) => Value::Single(-v),
        (UnaryOp::Negate, Value::Double(v)) => Value::Double(-v),
        (UnaryOp::Not, _) => truth(!a.is_true()),
        (UnaryOp::Complement, Value::Integer(v)) => Value::Integer(!v),
        (UnaryOp::Complement, _) => return Err(no_meaning("~ on a floating-point number")),
    })
}

/// Applies a binary operator. `&&` and `||` need no short cut: operands have no side effects.
pub(super) fn binary(op: BinaryOp, a: Value, b: Value) -> Result<Value> {
    match op {
        BinaryOp::And => return Ok(truth(a.is_true() && b.is_true())),
        BinaryOp::Or => return Ok(truth(a.is_true() || b.is_true())),
        _ => {}
    }
    match a.promote(b) {
        Pair::Integer(a, b) => integer(op, a, b),
        Pair::Single(a, b) => match arithmetic(op, a, b) {
            Some(result) => Ok(Value::Single(result)),
            None => comparison(op, a, b),
        },
        Pair::Double(a, b) => match arithmetic(op, a, b) {
            Some(result) => Ok(Value::Double(result)),
            None => comparison(op, a, b),
        },
    }
}

fn integer(op: BinaryOp, a: i64, b: i64) -> Result<Value> {
    let divided = |result: Option<i64>| result.ok_or_else(|| no_meaning(&format!("{a} {op} {b}")));
    let shift = || u32::try_from(b).ok().filter(|&s| s < 64);
    Ok(Value::Integer(match op {
        BinaryOp::Add => a.wrapping_add(b),
        BinaryOp::Subtract => a.wrapping_sub(b),
        BinaryOp::Multiply => a.wrapping_mul(b),
        BinaryOp::Divide => divided(a.checked_div(b))?,
        BinaryOp::Remainder => divided(a.checked_rem(b))?,
        BinaryOp::ShiftLeft => divided(shift().map(|s| a.wrapping_shl(s)))?,
        BinaryOp::ShiftRight => divided(shift().map(|s| a >> s))?,
        BinaryOp::BitAnd => a & b,
        BinaryOp::BitOr => a | b,
        BinaryOp::BitXor => a ^ b,
        _ => return comparison(op, a, b),
    }))
}

/// The four operators of floating-point arithmetic; `None` for any other.
fn arithmetic<T>(op: BinaryOp, a: T, b: T) -> Option<T>
where
    T: std::ops::Add<Output = T>
        + std::ops::Sub<Output = T>
        + std::ops::Mul<Output = T>
        + std::ops::Div<Output = T>,
{
    match op {
        BinaryOp::Add => Some(a + b),
        BinaryOp::Subtract => Some(a - b),
        BinaryOp::Multiply => Some(a * b),
        BinaryOp::Divide => Some(a / b),
        _ => None,
    }
}

fn comparison<T: PartialOrd>(op: BinaryOp, a: T, b: T) -> Result<Value> {
    Ok(truth(match op {
        BinaryOp::Less => a < b,
        BinaryOp::LessEqual => a <= b,
        BinaryOp::Greater => a > b,
        BinaryOp::GreaterEqual => a >= b,
        BinaryOp::Equal => a == b,
        BinaryOp::NotEqual => a != b,
        _ => return Err(no_meaning(&format!("{op} on floating-point numbers"))),
    }))
}

fn truth(holds: bool) -> Value {
    Value::Integer(i64::from(holds))
}

fn no_meaning(what: &str) -> ProgramError {
    ProgramError::Undefined(what.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(op: BinaryOp, a: Value, b: Value, expect: Value) {
        assert_eq!(binary(op, a, b).unwrap(), expect);
    }

    #[test]
    fn division_truncates_and_types_mix_as_in_c() {
        use BinaryOp::*;
        use Value::*;
        check(Divide, Integer(-7), Integer(2), Integer(-3));
        check(Remainder, Integer(-7), Integer(2), Integer(-1));
        check(Divide, Integer(1), Double(2.0), Double(0.5));
        check(Add, Single(1.0), Integer(1), Single(2.0));
        check(Multiply, Single(0.1), Single(3.0), Single(0.1f32 * 3.0));
        check(Less, Double(1.0), Integer(2), Integer(1));
        check(And, Double(0.5), Integer(0), Integer(0));
    }

    #[test]
    fn undefined_operations_are_errors() {
        assert!(binary(BinaryOp::Divide, Value::Integer(1), Value::Integer(0)).is_err());
        assert!(binary(BinaryOp::Remainder, Value::Double(1.0), Value::Double(1.0)).is_err());
        assert!(binary(BinaryOp::ShiftLeft, Value::Integer(1), Value::Integer(64)).is_err());
        assert!(unary(UnaryOp::Complement, Value::Single(1.0)).is_err());
    }

    #[test]
    fn literals_keep_their_type() {
        assert_eq!(Value::parse_real("0.1f").unwrap(), Value::Single(0.1));
        assert_eq!(Value::parse_real("1.e-2").unwrap(), Value::Double(0.01));
        assert_eq!(Value::parse_real(".5").unwrap(), Value::Double(0.5));
        assert!(Value::parse_real("abc").is_err());
    }

    #[test]
    fn stores_truncate_to_the_element_type() {
        let stored = Value::Integer(300).convert(ElementType::I8).unwrap();
        assert_eq!(stored, Value::Integer(44));
        let stored = Value::Double(-2.9).convert(ElementType::I32).unwrap();
        assert_eq!(stored, Value::Integer(-2));
        assert!(Value::Integer(1).convert(ElementType::C128).is_err());
    }
}
