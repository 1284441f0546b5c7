//! The pure functions the interpreter knows: those of `<math.h>` and the usual `min`/`max` names.
//!
//! A trailing `f` selects the `float` variant, as in C; a name that is not in the table is an error, never a
//! guess.

use super::value::{Pair, Value};
use crate::error::{ProgramError, Result};

/// Calls a function by name.
pub(super) fn call(name: &str, arguments: &[Value]) -> Result<Value> {
    let unknown = || ProgramError::UnknownFunction(name.to_string());
    match arguments {
        [a] => unary(name, *a).ok_or_else(unknown),
        [a, b] => binary(name, *a, *b).ok_or_else(unknown),
        [a, b, c] if name == "fma" => Ok(Value::Double(a.to_f64().mul_add(b.to_f64(), c.to_f64()))),
        [a, b, c] if name == "fmaf" => {
            Ok(Value::Single(a.to_f32().mul_add(b.to_f32(), c.to_f32())))
        }
        _ => Err(unknown()),
    }
}

/// What a function of two numbers picks, if it is a minimum or maximum under one of its usual names.
pub(crate) fn extremum(name: &str) -> Option<Extremum> {
    match name {
        "fmin" | "fminf" | "min" | "MIN" | "Min" => Some(Extremum::Minimum),
        "fmax" | "fmaxf" | "max" | "MAX" | "Max" => Some(Extremum::Maximum),
        _ => None,
    }
}

/// Which of two numbers a function picks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extremum {
    Minimum,
    Maximum,
}

fn unary(name: &str, a: Value) -> Option<Value> {
    if let "abs" | "labs" | "llabs" = name {
        return Some(Value::Integer(a.to_i64().wrapping_abs()));
    }
    if let Some(result) = double_unary(name, a.to_f64()) {
        return Some(Value::Double(result));
    }
    single_unary(name.strip_suffix('f')?, a.to_f32()).map(Value::Single)
}

fn binary(name: &str, a: Value, b: Value) -> Option<Value> {
    match (name, extremum(name)) {
        ("fmin" | "fmax", Some(which)) => Some(Value::Double(pick(which, a.to_f64(), b.to_f64()))),
        ("fminf" | "fmaxf", Some(which)) => {
            Some(Value::Single(pick_single(which, a.to_f32(), b.to_f32())))
        }
        (_, Some(which)) => Some(match a.promote(b) {
            Pair::Integer(a, b) => Value::Integer(match which {
                Extremum::Minimum => a.min(b),
                Extremum::Maximum => a.max(b),
            }),
            Pair::Single(a, b) => Value::Single(pick_single(which, a, b)),
            Pair::Double(a, b) => Value::Double(pick(which, a, b)),
        }),
        (_, None) => {
            if let Some(result) = double_binary(name, a.to_f64(), b.to_f64()) {
                return Some(Value::Double(result));
            }
            single_binary(name.strip_suffix('f')?, a.to_f32(), b.to_f32()).map(Value::Single)
        }
    }
}

fn pick(which: Extremum, a: f64, b: f64) -> f64 {
    match which {
        Extremum::Minimum => a.min(b),
        Extremum::Maximum => a.max(b),
    }
}

fn pick_single(which: Extremum, a: f32, b: f32) -> f32 {
    match which {
        Extremum::Minimum => a.min(b),
        Extremum::Maximum => a.max(b),
    }
}

/// One table for both precisions: the names are C's, the methods Rust's.
macro_rules! functions {
    ($one:ident, $two:ident, $float:ty) => {
        fn $one(name: &str, a: $float) -> Option<$float> {
            Some(match name {
                "sqrt" => a.sqrt(),
                "cbrt" => a.cbrt(),
                "exp" => a.exp(),
                "exp2" => a.exp2(),
                "expm1" => a.exp_m1(),
                "log" => a.ln(),
                "log2" => a.log2(),
                "log10" => a.log10(),
                "log1p" => a.ln_1p(),
                "sin" => a.sin(),
                "cos" => a.cos(),
                "tan" => a.tan(),
                "asin" => a.asin(),
                "acos" => a.acos(),
                "atan" => a.atan(),
                "sinh" => a.sinh(),
                "cosh" => a.cosh(),
                "tanh" => a.tanh(),
                "fabs" => a.abs(),
                "floor" => a.floor(),
                "ceil" => a.ceil(),
                "trunc" => a.trunc(),
                "round" => a.round(),
                _ => return None,
            })
        }

        fn $two(name: &str, a: $float, b: $float) -> Option<$float> {
            Some(match name {
                "pow" => a.powf(b),
                "atan2" => a.atan2(b),
                "hypot" => a.hypot(b),
                "fmod" => a % b,
                "copysign" => a.copysign(b),
                _ => return None,
            })
        }
    };
}

functions!(double_unary, double_binary, f64);
functions!(single_unary, single_binary, f32);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn precision_follows_the_name() {
        let two = [Value::Double(2.0)];
        assert_eq!(call("sqrt", &two).unwrap(), Value::Double(2f64.sqrt()));
        assert_eq!(call("sqrtf", &two).unwrap(), Value::Single(2f32.sqrt()));
        let pair = [Value::Integer(3), Value::Integer(-4)];
        assert_eq!(call("MAX", &pair).unwrap(), Value::Integer(3));
        assert_eq!(call("fmin", &pair).unwrap(), Value::Double(-4.0));
        assert_eq!(call("powf", &pair).unwrap(), Value::Single(3f32.powf(-4.0)));
    }

    #[test]
    fn unknown_names_and_arities_are_errors() {
        for (name, arity) in [
            ("frobnicate", 1),
            ("sqrt", 2),
            ("fmin", 1),
            ("f", 1),
            ("", 0),
        ] {
            let arguments = vec![Value::Double(1.0); arity];
            assert!(call(name, &arguments).is_err(), "{name}/{arity}");
        }
    }
}
