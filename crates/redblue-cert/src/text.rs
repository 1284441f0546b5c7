//! A program as text: everything that a proof can refer to, as data in a certificate.
//!
//! ```text
//! Program ── ProgramText::of ──► ProgramText ── JSON ──► ProgramText ── to_program ──► Program
//! ```
//!
//! Sets and maps are isl text, values are small trees. Positions in source files are not kept: they prove
//! nothing.

use std::collections::BTreeSet;

use redblue_poly::{Context, Map, Set};
use redblue_program::{
    Access, Array, ArrayId, BinaryOp, ElementType, Expression, Param, Program, Role, Statement,
    UnaryOp,
};
use serde::{Deserialize, Serialize};

use crate::certificate::IslText;
use crate::refusal::{Cause, Refusal, Result, demand};

/// A program as text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProgramText {
    /// The name of the program.
    pub name: String,
    /// The size parameters, in order.
    pub params: Vec<String>,
    /// The sizes that are considered, `[N] -> { : N >= 1 }`.
    pub context: IslText,
    /// Arrays and scalars.
    pub arrays: Vec<ArrayText>,
    /// The statements, in textual order.
    pub statements: Vec<StatementText>,
}

/// An array as text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ArrayText {
    /// Its name.
    pub name: String,
    /// Declared extents, outermost first; none for a scalar.
    pub extents: Vec<Option<String>>,
    /// The type of its elements in C's spelling.
    pub element: String,
    /// Whether it is declared inside the function, so that cells nobody has written hold no input.
    pub local: bool,
    /// Whether its final cells are results.
    pub output: bool,
}

/// A statement as text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StatementText {
    /// Its name, the tuple name of its domain.
    pub name: String,
    /// Names of its loops, outermost first.
    pub iterators: Vec<String>,
    /// `{ S0[i, j] : … }`.
    pub domain: IslText,
    /// `{ S0[i, j] -> [0, i, j] }`.
    pub schedule: IslText,
    /// `{ S0[i, j] -> C[i, j] }`.
    pub write: IslText,
    /// The cells read, in order.
    pub reads: Vec<IslText>,
    /// What is computed from them.
    pub value: Value,
    /// The statement as written, for people.
    pub text: String,
}

/// What a statement computes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Value {
    /// The operand at this position.
    Read(usize),
    /// A floating-point literal.
    Real(String),
    /// An integer literal.
    Integer(i64),
    /// A loop counter by position.
    Iterator(usize),
    /// A size by name.
    Parameter(String),
    /// `-`, `!` or `~`.
    Unary(String, Box<Value>),
    /// An operator of C with two arguments, or more of them from left to right: `a + b + c` is `(a + b) + c`.
    Binary(String, Vec<Value>),
    /// A call of a pure function.
    Call(String, Vec<Value>),
    /// `condition ? a : b`.
    Select(Box<(Value, Value, Value)>),
    /// A conversion to a type in C's spelling.
    Cast(String, Box<Value>),
}

impl ProgramText {
    /// The text of a program.
    pub fn of(program: &Program) -> ProgramText {
        let array = |array: &Array| ArrayText {
            name: array.name.clone(),
            extents: array.extents.clone(),
            element: array.element.to_string(),
            local: array.role == Role::Local,
            output: array.output,
        };
        let statement = |statement: &Statement| StatementText {
            name: statement.name.clone(),
            iterators: statement.iterators.clone(),
            domain: statement.domain.to_string(),
            schedule: statement.schedule.to_string(),
            write: statement.write.map.to_string(),
            reads: statement.reads.iter().map(|r| r.map.to_string()).collect(),
            value: Value::of(&statement.value),
            text: statement.text.clone(),
        };
        ProgramText {
            name: program.name.clone(),
            params: program.params.iter().map(|p| p.name.clone()).collect(),
            context: program.context.to_string(),
            arrays: program.arrays.iter().map(array).collect(),
            statements: program.statements.iter().map(statement).collect(),
        }
    }

    /// The program, with all invariants of [`redblue_program::program`] checked.
    pub fn to_program(&self, context: &Context) -> Result<Program> {
        let distinct: BTreeSet<&String> = self.params.iter().collect();
        demand(distinct.len() == self.params.len(), Cause::Program, || {
            "two sizes have one name".into()
        })?;
        let array = |array: &ArrayText| {
            Ok(Array {
                name: array.name.clone(),
                extents: array.extents.clone(),
                element: element(&array.element)?,
                role: if array.local {
                    Role::Local
                } else {
                    Role::Parameter
                },
                output: array.output,
            })
        };
        let param = |name: &String| Param {
            name: name.clone(),
            default: None,
        };
        let statements = self.statements.iter();
        let program = Program {
            name: self.name.clone(),
            params: self.params.iter().map(param).collect(),
            context: Set::parse(context, &self.context)?.align_params(&self.params)?,
            assumptions: Vec::new(),
            arrays: self.arrays.iter().map(array).collect::<Result<_>>()?,
            statements: statements
                .map(|text| self.statement(text, context))
                .collect::<Result<_>>()?,
            omitted: Vec::new(),
        };
        program.validate()?;
        Ok(program)
    }

    fn statement(&self, text: &StatementText, context: &Context) -> Result<Statement> {
        let map = |text: &IslText| -> Result<Map> {
            Ok(Map::parse(context, text)?.align_params(&self.params)?)
        };
        let access = |text: &IslText| -> Result<Access> {
            let map = map(text)?;
            let tuple = map.out_tuple().unwrap_or_default();
            let array = self.arrays.iter().position(|array| array.name == tuple);
            let array = array.map(ArrayId).ok_or_else(|| {
                Refusal::new(Cause::Program, format!("there is no array `{tuple}`"))
            })?;
            Ok(Access {
                array,
                map,
                span: None,
            })
        };
        Ok(Statement {
            name: text.name.clone(),
            iterators: text.iterators.clone(),
            domain: Set::parse(context, &text.domain)?.align_params(&self.params)?,
            schedule: map(&text.schedule)?,
            write: access(&text.write)?,
            reads: text.reads.iter().map(access).collect::<Result<_>>()?,
            value: text.value.to_expression()?,
            span: None,
            text: text.text.clone(),
        })
    }
}

const ELEMENTS: [ElementType; 8] = [
    ElementType::I8,
    ElementType::I16,
    ElementType::I32,
    ElementType::I64,
    ElementType::F32,
    ElementType::F64,
    ElementType::C64,
    ElementType::C128,
];

const UNARY: [UnaryOp; 3] = [UnaryOp::Negate, UnaryOp::Not, UnaryOp::Complement];

const BINARY: [BinaryOp; 18] = [
    BinaryOp::Add,
    BinaryOp::Subtract,
    BinaryOp::Multiply,
    BinaryOp::Divide,
    BinaryOp::Remainder,
    BinaryOp::ShiftLeft,
    BinaryOp::ShiftRight,
    BinaryOp::And,
    BinaryOp::Or,
    BinaryOp::BitAnd,
    BinaryOp::BitOr,
    BinaryOp::BitXor,
    BinaryOp::Less,
    BinaryOp::LessEqual,
    BinaryOp::Greater,
    BinaryOp::GreaterEqual,
    BinaryOp::Equal,
    BinaryOp::NotEqual,
];

/// The member of a table that prints as `text`.
fn named<T: Copy + ToString>(table: &[T], text: &str) -> Result<T> {
    let found = table.iter().find(|item| item.to_string() == text);
    found
        .copied()
        .ok_or_else(|| Refusal::new(Cause::Format, format!("`{text}` is not known")))
}

fn element(text: &str) -> Result<ElementType> {
    named(&ELEMENTS, text)
}

impl Value {
    fn of(expression: &Expression) -> Value {
        let boxed = |e: &Expression| Box::new(Value::of(e));
        match expression {
            Expression::Read(position) => Value::Read(*position),
            Expression::Real(literal) => Value::Real(literal.clone()),
            Expression::Integer(value) => Value::Integer(*value),
            Expression::Iterator(position) => Value::Iterator(*position),
            Expression::Parameter(name) => Value::Parameter(name.clone()),
            Expression::Unary(op, a) => Value::Unary(op.to_string(), boxed(a)),
            Expression::Binary(op, a, b) => {
                let mut arguments = vec![Value::of(b)];
                let mut first = &**a;
                // Long sums stay flat, and shallow enough for readers of JSON.
                while let Expression::Binary(inner, a, b) = first
                    && inner == op
                {
                    arguments.push(Value::of(b));
                    first = a;
                }
                arguments.push(Value::of(first));
                arguments.reverse();
                Value::Binary(op.to_string(), arguments)
            }
            Expression::Call(name, arguments) => {
                Value::Call(name.clone(), arguments.iter().map(Value::of).collect())
            }
            Expression::Select(c, a, b) => {
                Value::Select(Box::new((Value::of(c), Value::of(a), Value::of(b))))
            }
            Expression::Cast(to, a) => Value::Cast(to.to_string(), boxed(a)),
        }
    }

    fn to_expression(&self) -> Result<Expression> {
        let boxed = |value: &Value| value.to_expression().map(Box::new);
        Ok(match self {
            Value::Read(position) => Expression::Read(*position),
            Value::Real(literal) => Expression::Real(literal.clone()),
            Value::Integer(value) => Expression::Integer(*value),
            Value::Iterator(position) => Expression::Iterator(*position),
            Value::Parameter(name) => Expression::Parameter(name.clone()),
            Value::Unary(op, a) => Expression::Unary(named(&UNARY, op)?, boxed(a)?),
            Value::Binary(op, arguments) => {
                let op = named(&BINARY, op)?;
                let mut arguments = arguments.iter().map(Value::to_expression);
                let first = arguments.next().transpose()?;
                let first = first.filter(|_| arguments.len() > 0).ok_or_else(|| {
                    Refusal::new(Cause::Format, format!("`{op}` has less than two arguments"))
                })?;
                arguments.try_fold(first, |left, right| -> Result<Expression> {
                    Ok(Expression::Binary(op, Box::new(left), Box::new(right?)))
                })?
            }
            Value::Call(name, arguments) => {
                let arguments = arguments.iter().map(Value::to_expression);
                Expression::Call(name.clone(), arguments.collect::<Result<_>>()?)
            }
            Value::Select(parts) => {
                let (c, a, b) = parts.as_ref();
                Expression::Select(boxed(c)?, boxed(a)?, boxed(b)?)
            }
            Value::Cast(to, a) => Expression::Cast(element(to)?, boxed(a)?),
        })
    }
}
