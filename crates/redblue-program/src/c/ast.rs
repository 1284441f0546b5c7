//! The syntax tree of the C subset, with a place on every node.
//!
//! The tree keeps what was written; meaning (which name is a size, which expression is affine) is found by
//! lowering. Constructs that can be parsed but never understood are nodes too, so that one pass reports all.

use crate::diagnostic::Span;
use crate::expression::BinaryOp;
use crate::program::ElementType;

/// A file.
#[derive(Debug, Default)]
pub(crate) struct Unit {
    /// Variables outside functions.
    pub(crate) globals: Vec<Variable>,
    /// Function definitions.
    pub(crate) functions: Vec<Function>,
    /// `#pragma redblue assume` anywhere in the file.
    pub(crate) assumptions: Vec<(String, Span)>,
}

/// A function definition.
#[derive(Debug)]
pub(crate) struct Function {
    pub(crate) name: String,
    /// The name in the definition.
    pub(crate) span: Span,
    /// Type of the value it returns.
    pub(crate) returns: Scalar,
    pub(crate) parameters: Vec<Variable>,
    /// The tokens between the braces, as a range of the file's tokens; parsed only if the function is used.
    pub(crate) body: std::ops::Range<usize>,
    /// Whether `#pragma scop` stands in the body.
    pub(crate) has_scop: bool,
    /// Whether a loop stands in the body.
    pub(crate) has_loop: bool,
}

/// Type of the elements, as far as it matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Scalar {
    /// `None` for void and for types that are not numbers.
    pub(crate) element: Option<ElementType>,
    pub(crate) unsigned: bool,
    pub(crate) constant: bool,
}

impl Scalar {
    /// Whether values are integers wide enough to count with; shorter ones wrap around too soon.
    pub(crate) fn is_index(self) -> bool {
        matches!(self.element, Some(ElementType::I32 | ElementType::I64))
    }
}

/// A declared variable or parameter.
#[derive(Clone, Debug)]
pub(crate) struct Variable {
    pub(crate) name: String,
    pub(crate) span: Span,
    pub(crate) scalar: Scalar,
    pub(crate) shape: Shape,
    pub(crate) initial: Option<Initial>,
}

/// Dimensions of a variable.
#[derive(Clone, Debug)]
pub(crate) enum Shape {
    /// A scalar, an array, or a pointer, which is an array whose first extent is not told.
    Array(Vec<Option<Expr>>),
    /// Something else, such as a pointer to pointers or a function.
    Other,
}

/// What a variable starts with.
#[derive(Clone, Debug)]
pub(crate) enum Initial {
    /// `= expression`
    Value(Expr),
    /// `= { … }`
    List(Span),
}

/// A statement.
#[derive(Clone, Debug)]
pub(crate) struct Stmt {
    pub(crate) kind: StmtKind,
    pub(crate) span: Span,
}

/// What a statement is.
#[derive(Clone, Debug)]
pub(crate) enum StmtKind {
    Empty,
    Block(Vec<Stmt>),
    Expr(Expr),
    Declare(Vec<Variable>),
    For(Box<ForLoop>),
    If(Expr, Box<Stmt>, Option<Box<Stmt>>),
    Label(String, Box<Stmt>),
    Return(Option<Expr>),
    /// `#pragma scop`
    Scop,
    /// `#pragma endscop`
    EndScop,
    /// Control flow that is never understood, by its keyword, with its body if it has one.
    Unsupported(&'static str, Option<Box<Stmt>>),
    /// A syntax error stood here and was reported.
    Broken,
}

/// A `for` loop.
#[derive(Clone, Debug)]
pub(crate) struct ForLoop {
    pub(crate) init: Option<Stmt>,
    pub(crate) condition: Option<Expr>,
    pub(crate) step: Option<Expr>,
    pub(crate) body: Stmt,
    /// From `for` to the closing parenthesis.
    pub(crate) header: Span,
}

/// An expression.
#[derive(Clone, Debug)]
pub(crate) struct Expr {
    pub(crate) kind: ExprKind,
    pub(crate) span: Span,
    /// Height of the tree, kept small by the parser so that recursion is safe.
    pub(crate) height: u32,
}

/// What an expression is.
#[derive(Clone, Debug)]
pub(crate) enum ExprKind {
    Integer(i64),
    /// As written, and whether it is single precision.
    Real(String, bool),
    Text,
    Name(String),
    Index(Box<Expr>, Box<Expr>),
    Call(Box<Expr>, Vec<Expr>),
    Unary(Prefix, Box<Expr>),
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    Conditional(Box<Expr>, Box<Expr>, Box<Expr>),
    /// Target, operator of a compound assignment, value.
    Assign(Box<Expr>, Option<BinaryOp>, Box<Expr>),
    /// `x++`, `--x`: the operator that is applied with one.
    Step(BinaryOp, Box<Expr>),
    Cast(Scalar, Box<Expr>),
    /// A cast to a pointer type.
    PointerCast(Box<Expr>),
    Comma(Box<Expr>, Box<Expr>),
    /// `a.b` and `a->b`
    Member(Box<Expr>),
    SizeOf,
}

/// Operators before their operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Prefix {
    Plus,
    Negate,
    Not,
    Complement,
    Dereference,
    Address,
}

impl Expr {
    /// The integer the expression is, if it has no names; `None` also on overflow.
    pub(crate) fn fold(&self) -> Option<i64> {
        use BinaryOp as B;
        match &self.kind {
            ExprKind::Integer(value) => Some(*value),
            ExprKind::Unary(op, a) => {
                let a = a.fold()?;
                match op {
                    Prefix::Plus => Some(a),
                    Prefix::Negate => a.checked_neg(),
                    Prefix::Not => Some((a == 0).into()),
                    Prefix::Complement => Some(!a),
                    Prefix::Dereference | Prefix::Address => None,
                }
            }
            ExprKind::Conditional(c, a, b) => {
                if c.fold()? != 0 {
                    a.fold()
                } else {
                    b.fold()
                }
            }
            ExprKind::Binary(B::And, a, b) => Some((a.fold()? != 0 && b.fold()? != 0).into()),
            ExprKind::Binary(B::Or, a, b) => Some((a.fold()? != 0 || b.fold()? != 0).into()),
            ExprKind::Binary(op, a, b) => {
                let (a, b) = (a.fold()?, b.fold()?);
                match op {
                    B::Add => a.checked_add(b),
                    B::Subtract => a.checked_sub(b),
                    B::Multiply => a.checked_mul(b),
                    B::Divide => a.checked_div(b),
                    B::Remainder => a.checked_rem(b),
                    B::ShiftLeft => a.checked_shl(b.try_into().ok()?),
                    B::ShiftRight => a.checked_shr(b.try_into().ok()?),
                    B::BitAnd => Some(a & b),
                    B::BitOr => Some(a | b),
                    B::BitXor => Some(a ^ b),
                    B::Less => Some((a < b).into()),
                    B::LessEqual => Some((a <= b).into()),
                    B::Greater => Some((a > b).into()),
                    B::GreaterEqual => Some((a >= b).into()),
                    B::Equal => Some((a == b).into()),
                    B::NotEqual => Some((a != b).into()),
                    B::And | B::Or => None,
                }
            }
            _ => None,
        }
    }

    /// Calls `visit` for every name read in the expression, with its place.
    pub(crate) fn for_each_name(&self, visit: &mut dyn FnMut(&str, Span)) {
        if let ExprKind::Name(name) = &self.kind {
            visit(name, self.span);
        }
        self.for_each_child(&mut |child| child.for_each_name(visit));
    }

    /// Calls `visit` for the parts of the expression, in source order.
    pub(crate) fn for_each_child<'a>(&'a self, visit: &mut dyn FnMut(&'a Expr)) {
        match &self.kind {
            ExprKind::Integer(_)
            | ExprKind::Real(..)
            | ExprKind::Text
            | ExprKind::Name(_)
            | ExprKind::SizeOf => {}
            ExprKind::Unary(_, a)
            | ExprKind::Step(_, a)
            | ExprKind::Cast(_, a)
            | ExprKind::PointerCast(a)
            | ExprKind::Member(a) => visit(a),
            ExprKind::Index(a, b)
            | ExprKind::Binary(_, a, b)
            | ExprKind::Assign(a, _, b)
            | ExprKind::Comma(a, b) => {
                visit(a);
                visit(b);
            }
            ExprKind::Call(callee, arguments) => {
                visit(callee);
                arguments.iter().for_each(visit);
            }
            ExprKind::Conditional(a, b, c) => {
                visit(a);
                visit(b);
                visit(c);
            }
        }
    }
}

impl Expr {
    /// The same node with its children replaced, in source order.
    pub(crate) fn map_children(&self, map: &mut dyn FnMut(&Expr) -> Expr) -> Expr {
        let mut go = |child: &Expr| Box::new(map(child));
        let kind = match &self.kind {
            ExprKind::Integer(_)
            | ExprKind::Real(..)
            | ExprKind::Text
            | ExprKind::Name(_)
            | ExprKind::SizeOf => self.kind.clone(),
            ExprKind::Unary(op, a) => ExprKind::Unary(*op, go(a)),
            ExprKind::Step(op, a) => ExprKind::Step(*op, go(a)),
            ExprKind::Cast(scalar, a) => ExprKind::Cast(*scalar, go(a)),
            ExprKind::PointerCast(a) => ExprKind::PointerCast(go(a)),
            ExprKind::Member(a) => ExprKind::Member(go(a)),
            ExprKind::Index(a, b) => ExprKind::Index(go(a), go(b)),
            ExprKind::Binary(op, a, b) => ExprKind::Binary(*op, go(a), go(b)),
            ExprKind::Assign(a, op, b) => ExprKind::Assign(go(a), *op, go(b)),
            ExprKind::Comma(a, b) => ExprKind::Comma(go(a), go(b)),
            ExprKind::Conditional(a, b, c) => ExprKind::Conditional(go(a), go(b), go(c)),
            ExprKind::Call(callee, arguments) => {
                let callee = go(callee);
                ExprKind::Call(callee, arguments.iter().map(map).collect())
            }
        };
        Expr { kind, ..*self }
    }
}

impl Stmt {
    /// Calls `visit` for every expression in the statement.
    pub(crate) fn for_each_expr(&self, visit: &mut dyn FnMut(&Expr)) {
        match &self.kind {
            StmtKind::Block(inner) => inner.iter().for_each(|s| s.for_each_expr(visit)),
            StmtKind::Expr(expr) => visit(expr),
            StmtKind::Declare(variables) => {
                for variable in variables {
                    if let Some(Initial::Value(value)) = &variable.initial {
                        visit(value);
                    }
                }
            }
            StmtKind::For(loop_) => {
                loop_.init.iter().for_each(|s| s.for_each_expr(visit));
                [&loop_.condition, &loop_.step]
                    .into_iter()
                    .flatten()
                    .for_each(&mut *visit);
                loop_.body.for_each_expr(visit);
            }
            StmtKind::If(condition, then, otherwise) => {
                visit(condition);
                then.for_each_expr(visit);
                otherwise.iter().for_each(|s| s.for_each_expr(visit));
            }
            StmtKind::Label(_, inner) => inner.for_each_expr(visit),
            StmtKind::Unsupported(_, inner) => inner.iter().for_each(|s| s.for_each_expr(visit)),
            StmtKind::Return(value) => value.iter().for_each(visit),
            StmtKind::Empty | StmtKind::Scop | StmtKind::EndScop | StmtKind::Broken => {}
        }
    }
}
