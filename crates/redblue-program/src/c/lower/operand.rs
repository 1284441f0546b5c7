//! Values of statements: data expressions and the cells they read.

use super::draft::AccessDraft;
use super::scope::Binding;
use super::{Failed, Lowering};
use crate::affine::Value;
use crate::c::ast::{Expr, ExprKind, Prefix};
use crate::c::codes;
use crate::c::integer;
use crate::c::obstacle::{Obstacle, Place};
use crate::diagnostic::{Code, Diagnostic, Span};
use crate::expression::{Expression, UnaryOp};
use crate::program::ElementType;

/// Library functions with effects.
const IMPURE: [&str; 12] = [
    "printf", "fprintf", "puts", "putchar", "rand", "random", "drand48", "malloc", "calloc",
    "realloc", "free", "scanf",
];

const NOT_AN_ARRAY: &str = "only arrays have subscripts";

impl Lowering<'_> {
    fn fail(&mut self, code: &Code, span: Span, message: impl Into<String>, hint: &str) -> Failed {
        self.problem(Diagnostic::error(code, message).at(span).hint(hint));
        Failed
    }

    /// A value; every cell it reads is appended to `reads`, in evaluation order.
    pub(super) fn operand(
        &mut self,
        expr: &Expr,
        reads: &mut Vec<AccessDraft>,
    ) -> Result<Expression, Failed> {
        match &expr.kind {
            ExprKind::Integer(value) => Ok(Expression::Integer(*value)),
            ExprKind::Real(text, single) => {
                let real = Expression::Real(text.clone());
                Ok(if *single {
                    Expression::Cast(ElementType::F32, Box::new(real))
                } else {
                    real
                })
            }
            ExprKind::Name(name) => self.named_operand(name, expr, reads),
            ExprKind::Index(..) | ExprKind::Unary(Prefix::Dereference, _) => {
                let access = self.cell(expr)?;
                reads.push(access);
                Ok(Expression::Read(reads.len() - 1))
            }
            ExprKind::Unary(prefix, inner) => {
                let operator = match prefix {
                    Prefix::Plus => return self.operand(inner, reads),
                    Prefix::Negate => UnaryOp::Negate,
                    Prefix::Not => UnaryOp::Not,
                    Prefix::Complement => UnaryOp::Complement,
                    Prefix::Dereference | Prefix::Address => {
                        let message = "taking an address is not supported";
                        let hint = "use the array element itself";
                        return Err(self.fail(&codes::POINTER, expr.span, message, hint));
                    }
                };
                let inner = self.operand(inner, reads)?;
                Ok(Expression::Unary(operator, Box::new(inner)))
            }
            ExprKind::Binary(operator, a, b) => {
                let a = self.operand(a, reads);
                let b = self.operand(b, reads);
                Ok(Expression::Binary(*operator, Box::new(a?), Box::new(b?)))
            }
            ExprKind::Conditional(test, a, b) => {
                let test = self.operand(test, reads);
                let a = self.operand(a, reads);
                let b = self.operand(b, reads);
                let (test, a, b) = (test?, a?, b?);
                Ok(Expression::Select(Box::new(test), Box::new(a), Box::new(b)))
            }
            ExprKind::Cast(scalar, inner) => match scalar.element {
                Some(element) => {
                    let inner = self.operand(inner, reads)?;
                    Ok(self.cast(element, inner, reads))
                }
                None => {
                    let message = "this cast has no value";
                    let hint = "cast to a type of numbers";
                    Err(self.fail(&codes::EXPRESSION, expr.span, message, hint))
                }
            },
            ExprKind::Call(callee, arguments) => self.call(expr, callee, arguments, reads),
            ExprKind::Assign(..) | ExprKind::Step(..) => {
                self.refuse(&Obstacle::effect(expr.span), Place::Subscript);
                Err(Failed)
            }
            ExprKind::Comma(..) => {
                let message = "the comma operator is not supported here";
                let hint = "write two statements";
                Err(self.fail(&codes::EXPRESSION, expr.span, message, hint))
            }
            ExprKind::Text => {
                let message = "a string is not a number";
                Err(self.fail(&codes::EXPRESSION, expr.span, message, "use a number"))
            }
            ExprKind::SizeOf => {
                let message = "`sizeof` is not supported";
                Err(self.fail(&codes::EXPRESSION, expr.span, message, "write the number"))
            }
            ExprKind::Member(_) => Err(self.member(expr)),
            ExprKind::PointerCast(_) => {
                let message = "casts to pointers are not supported";
                let hint = "pass the array as a parameter of its own type";
                Err(self.fail(&codes::POINTER, expr.span, message, hint))
            }
        }
    }

    /// A conversion, unless the value is a cell that has the type already.
    fn cast(&self, element: ElementType, value: Expression, reads: &[AccessDraft]) -> Expression {
        let read = match &value {
            Expression::Read(at) => reads.get(*at),
            _ => None,
        };
        match read {
            Some(read) if self.arrays[read.array].element == element => value,
            _ => Expression::Cast(element, Box::new(value)),
        }
    }

    fn member(&mut self, expr: &Expr) -> Failed {
        self.problem(
            Diagnostic::error(&codes::POINTER, "members of structures are not supported")
                .at(expr.span)
                .note("which cell is touched must be known from loop variables and sizes alone")
                .hint("use one array for each member"),
        );
        Failed
    }

    fn named_operand(
        &mut self,
        name: &str,
        expr: &Expr,
        reads: &mut Vec<AccessDraft>,
    ) -> Result<Expression, Failed> {
        match self.scopes.get(name) {
            Some(Binding::Loop(depth)) => Ok(Expression::Iterator(*depth)),
            Some(Binding::Size) => Ok(self.size_expression(name, expr.span)),
            Some(Binding::Integer(Some(known))) => Ok(known.expression.clone()),
            None if self.is_outer_size(name) => Ok(self.size_expression(name, expr.span)),
            Some(Binding::Integer(None)) => {
                if let Err(obstacle) = self.integer_named(name, expr.span) {
                    self.refuse(&obstacle, Place::Subscript);
                }
                Err(Failed)
            }
            Some(Binding::Cell(_) | Binding::Refused) | None => {
                let access = self.cell(expr)?;
                reads.push(access);
                Ok(Expression::Read(reads.len() - 1))
            }
        }
    }

    fn call(
        &mut self,
        expr: &Expr,
        callee: &Expr,
        arguments: &[Expr],
        reads: &mut Vec<AccessDraft>,
    ) -> Result<Expression, Failed> {
        let ExprKind::Name(name) = &callee.kind else {
            let message = "calls through pointers are not supported";
            let hint = "call the function by its name";
            return Err(self.fail(&codes::CALL, callee.span, message, hint));
        };
        if let Some(body) = self.source.inlines.apply(name, arguments, expr.span) {
            return self.operand(&body, reads);
        }
        if IMPURE.contains(&name.as_str()) {
            let message = format!("`{name}` is not a pure operation");
            let hint = "move it out of the region between #pragma scop and #pragma endscop";
            return Err(self.fail(&codes::CALL, expr.span, message, hint));
        }
        let mut values = Vec::new();
        for argument in arguments {
            if self.is_array(argument) {
                let problem = Diagnostic::error(
                    &codes::CALL,
                    format!("`{name}` gets an array and may read or write any of its cells"),
                )
                .at(argument.span)
                .hint("write the loops of the function in place of the call");
                self.problem(problem);
                return Err(Failed);
            }
            values.push(self.operand(argument, reads));
        }
        let values = values.into_iter().collect::<Result<Vec<_>, Failed>>()?;
        Ok(Expression::Call(name.clone(), values))
    }

    /// Whether an argument is an array or an address.
    fn is_array(&self, argument: &Expr) -> bool {
        match &argument.kind {
            ExprKind::Name(name) => match self.scopes.get(name) {
                Some(Binding::Cell(array)) => !self.arrays[*array].extents.is_empty(),
                _ => false,
            },
            ExprKind::Unary(Prefix::Address, _) => true,
            _ => false,
        }
    }

    /// The cell that an expression names.
    pub(super) fn cell(&mut self, expr: &Expr) -> Result<AccessDraft, Failed> {
        let mut indices = Vec::new();
        let base = self.base(expr, &mut indices)?;
        let ExprKind::Name(name) = &base.kind else {
            let message = "this is not an array element";
            let hint = "write the name of an array with its subscripts";
            return Err(self.fail(&codes::EXPRESSION, base.span, message, hint));
        };
        let array = match self.scopes.get(name) {
            Some(Binding::Cell(array)) => *array,
            Some(Binding::Refused) => {
                let problem = Diagnostic::error(
                    &codes::DECLARATION,
                    format!("the type of `{name}` is not supported"),
                )
                .at(base.span)
                .hint("use arrays of numbers, for example `double A[n][n]`");
                self.problem(problem);
                return Err(Failed);
            }
            Some(_) => {
                let message = format!("`{name}` is an integer, not an array");
                return Err(self.fail(&codes::SUBSCRIPTS, base.span, message, NOT_AN_ARRAY));
            }
            None if self.is_outer_size(name) => {
                let message = format!("`{name}` is a size, not an array");
                return Err(self.fail(&codes::SUBSCRIPTS, base.span, message, NOT_AN_ARRAY));
            }
            None => {
                let obstacle = self.undeclared(name, base.span);
                self.refuse(&obstacle, Place::Subscript);
                return Err(Failed);
            }
        };
        let dims = self.arrays[array].extents.len();
        if dims != indices.len() {
            let plural = if dims == 1 { "" } else { "s" };
            let message = match indices.len() {
                0 => format!("the array `{name}` needs {dims} subscript{plural}"),
                used => format!("`{name}` has {dims} dimension{plural}, not {used}"),
            };
            let hint = "write one subscript for each dimension";
            return Err(self.fail(&codes::SUBSCRIPTS, expr.span, message, hint));
        }
        let mut subscripts = Vec::new();
        for index in &indices {
            let value = match index {
                None => Ok(Value::constant(0)),
                Some(index) => integer::value(index, self),
            };
            match value {
                Ok(value) => subscripts.push(value),
                Err(obstacle) => self.refuse(&obstacle, Place::Subscript),
            }
        }
        if subscripts.len() < indices.len() {
            return Err(Failed);
        }
        Ok(AccessDraft {
            array,
            subscripts,
            span: expr.span,
        })
    }

    /// Takes subscripts off an expression; `*p` is `p[0]` and `*(p + e)` is `p[e]`.
    fn base<'e>(
        &mut self,
        expr: &'e Expr,
        indices: &mut Vec<Option<&'e Expr>>,
    ) -> Result<&'e Expr, Failed> {
        use crate::expression::BinaryOp::Add;
        match &expr.kind {
            ExprKind::Index(inner, index) => {
                let base = self.base(inner, indices)?;
                indices.push(Some(index));
                Ok(base)
            }
            ExprKind::Unary(Prefix::Dereference, inner) => {
                let (inner, offset) = match &inner.kind {
                    ExprKind::Binary(Add, pointer, offset) => (pointer, Some(&**offset)),
                    _ => (inner, None),
                };
                let base = self.base(inner, indices)?;
                indices.push(offset);
                Ok(base)
            }
            ExprKind::Member(_) => Err(self.member(expr)),
            ExprKind::Name(_) => Ok(expr),
            _ => {
                let message = "this pointer is not an array";
                let hint = "write it as an array element `a[i]`";
                Err(self.fail(&codes::POINTER, expr.span, message, hint))
            }
        }
    }
}
