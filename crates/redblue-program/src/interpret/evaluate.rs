//! Evaluating the value of a statement, literals and sizes resolved beforehand.

use super::function;
use super::value::{self, Value};
use crate::error::{ProgramError, Result};
use crate::expression::{BinaryOp, Expression, UnaryOp};
use crate::program::{ElementType, Sizes};

/// An [`Expression`] at fixed sizes.
#[derive(Clone, Debug)]
pub(super) enum Code {
    Operand(usize),
    Constant(Value),
    Iterator(usize),
    Unary(UnaryOp, Box<Code>),
    Binary(BinaryOp, Box<Code>, Box<Code>),
    Call(String, Vec<Code>),
    Select(Box<[Code; 3]>),
    Cast(ElementType, Box<Code>),
}

impl Code {
    /// Resolves literals and sizes.
    pub(super) fn compile(expression: &Expression, sizes: &Sizes) -> Result<Code> {
        let code = |e: &Expression| Code::compile(e, sizes);
        Ok(match expression {
            Expression::Read(position) => Code::Operand(*position),
            Expression::Iterator(position) => Code::Iterator(*position),
            Expression::Real(literal) => Code::Constant(Value::parse_real(literal)?),
            Expression::Integer(value) => Code::Constant(Value::Integer(*value)),
            Expression::Parameter(name) => {
                let value = sizes.get(name).copied();
                let value = value.ok_or_else(|| ProgramError::MissingSize(name.clone()))?;
                Code::Constant(Value::Integer(value))
            }
            Expression::Unary(op, a) => Code::Unary(*op, Box::new(code(a)?)),
            Expression::Binary(op, a, b) => {
                Code::Binary(*op, Box::new(code(a)?), Box::new(code(b)?))
            }
            Expression::Call(name, arguments) => Code::Call(
                name.clone(),
                arguments.iter().map(code).collect::<Result<_>>()?,
            ),
            Expression::Select(c, a, b) => Code::Select(Box::new([code(c)?, code(a)?, code(b)?])),
            Expression::Cast(to, a) => Code::Cast(*to, Box::new(code(a)?)),
        })
    }

    /// The value for these operands at this iteration.
    pub(super) fn evaluate(&self, operands: &[Value], point: &[i64]) -> Result<Value> {
        let of = |code: &Code| code.evaluate(operands, point);
        match self {
            Code::Operand(position) => {
                found(operands.get(*position).copied(), "operand", *position)
            }
            Code::Iterator(position) => {
                let counter = point.get(*position).copied().map(Value::Integer);
                found(counter, "loop", *position)
            }
            Code::Constant(value) => Ok(*value),
            Code::Unary(op, a) => value::unary(*op, of(a)?),
            Code::Binary(op, a, b) => value::binary(*op, of(a)?, of(b)?),
            Code::Call(name, arguments) => {
                let arguments: Vec<Value> = arguments.iter().map(of).collect::<Result<_>>()?;
                function::call(name, &arguments)
            }
            // Only the arm that C evaluates is evaluated, so that guarded divisions stay guarded.
            Code::Select(parts) => {
                let [condition, then, otherwise] = &**parts;
                if of(condition)?.is_true() {
                    of(then)
                } else {
                    of(otherwise)
                }
            }
            Code::Cast(to, a) => of(a)?.convert(*to),
        }
    }
}

fn found(value: Option<Value>, what: &str, position: usize) -> Result<Value> {
    value.ok_or_else(|| ProgramError::Invalid(format!("there is no {what} {position}")))
}
