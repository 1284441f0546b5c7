//! What a statement computes from its operands: a small tree of pure operations.
//!
//! The leaves are operands (by position in [`Statement::reads`](crate::Statement)), literals, loop counters
//! and sizes; no leaf has an address, so the same tree serves the interpreter, the search for reductions and
//! the canonical form. Evaluation is in [`crate::interpret`]; a tree by itself never evaluates.

use std::fmt;

use crate::program::ElementType;

/// A side-effect-free computation on operands.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Expression {
    /// The operand at this position of [`Statement::reads`](crate::Statement).
    Read(usize),
    /// A floating-point literal, as written.
    Real(String),
    /// An integer literal.
    Integer(i64),
    /// The value of the loop at this position of [`Statement::iterators`](crate::Statement).
    Iterator(usize),
    /// The value of a size parameter, by name.
    Parameter(String),
    /// An operator with one argument.
    Unary(UnaryOp, Box<Expression>),
    /// An operator with two arguments.
    Binary(BinaryOp, Box<Expression>, Box<Expression>),
    /// A call of a pure function.
    Call(String, Vec<Expression>),
    /// `condition ? a : b` with a condition on data; both arms count as operands.
    Select(Box<Expression>, Box<Expression>, Box<Expression>),
    /// A conversion.
    Cast(ElementType, Box<Expression>),
}

/// Operators with one argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum UnaryOp {
    /// `-x`
    Negate,
    /// `!x`
    Not,
    /// `~x`
    Complement,
}

/// Operators with two arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum BinaryOp {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    ShiftLeft,
    ShiftRight,
    And,
    Or,
    BitAnd,
    BitOr,
    BitXor,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Equal,
    NotEqual,
}

impl Expression {
    /// The arguments of the root, left to right.
    pub fn children(&self) -> Vec<&Expression> {
        match self {
            Expression::Read(_)
            | Expression::Real(_)
            | Expression::Integer(_)
            | Expression::Iterator(_)
            | Expression::Parameter(_) => Vec::new(),
            Expression::Unary(_, a) | Expression::Cast(_, a) => vec![a],
            Expression::Binary(_, a, b) => vec![a, b],
            Expression::Call(_, arguments) => arguments.iter().collect(),
            Expression::Select(c, a, b) => vec![c, a, b],
        }
    }

    /// Positions of the operands in the tree, left to right, with repetitions.
    pub fn operands(&self) -> Vec<usize> {
        let mut found = Vec::new();
        self.visit(&mut |node| {
            if let Expression::Read(position) = node {
                found.push(*position);
            }
        });
        found
    }

    /// Positions of the loop counters in the tree, in order of first occurrence, each once.
    pub fn iterators(&self) -> Vec<usize> {
        let mut found = Vec::new();
        self.visit(&mut |node| {
            if let Expression::Iterator(position) = node
                && !found.contains(position)
            {
                found.push(*position);
            }
        });
        found
    }

    /// Calls `see` on every node, parents before children, left to right.
    pub fn visit<'e>(&'e self, see: &mut dyn FnMut(&'e Expression)) {
        see(self);
        for child in self.children() {
            child.visit(see);
        }
    }

    /// The same tree with every leaf replaced by `leaf(leaf)`.
    pub fn map_leaves(&self, leaf: &mut dyn FnMut(&Expression) -> Expression) -> Expression {
        match self {
            Expression::Unary(op, a) => Expression::Unary(*op, Box::new(a.map_leaves(leaf))),
            Expression::Cast(to, a) => Expression::Cast(*to, Box::new(a.map_leaves(leaf))),
            Expression::Binary(op, a, b) => Expression::Binary(
                *op,
                Box::new(a.map_leaves(leaf)),
                Box::new(b.map_leaves(leaf)),
            ),
            Expression::Select(c, a, b) => Expression::Select(
                Box::new(c.map_leaves(leaf)),
                Box::new(a.map_leaves(leaf)),
                Box::new(b.map_leaves(leaf)),
            ),
            Expression::Call(name, arguments) => Expression::Call(
                name.clone(),
                arguments.iter().map(|a| a.map_leaves(leaf)).collect(),
            ),
            _ => leaf(self),
        }
    }

    /// C-like text, with the caller's words for operands and loop counters.
    pub fn display(
        &self,
        operand: &dyn Fn(usize) -> String,
        iterator: &dyn Fn(usize) -> String,
    ) -> String {
        let text = |e: &Expression| e.display(operand, iterator);
        let atom = |e: &Expression| match e {
            Expression::Binary(..) | Expression::Select(..) | Expression::Cast(..) => {
                format!("({})", text(e))
            }
            _ => text(e),
        };
        match self {
            Expression::Read(position) => operand(*position),
            Expression::Real(literal) => literal.clone(),
            Expression::Integer(value) => value.to_string(),
            Expression::Iterator(position) => iterator(*position),
            Expression::Parameter(name) => name.clone(),
            Expression::Unary(op, a) => format!("{op}{}", atom(a)),
            Expression::Binary(op, a, b) => format!("{} {op} {}", atom(a), atom(b)),
            Expression::Call(name, arguments) => {
                let list: Vec<String> = arguments.iter().map(text).collect();
                format!("{name}({})", list.join(", "))
            }
            Expression::Select(c, a, b) => format!("{} ? {} : {}", atom(c), atom(a), atom(b)),
            Expression::Cast(to, a) => format!("({to}) {}", atom(a)),
        }
    }
}

impl std::ops::Neg for Expression {
    type Output = Expression;
    fn neg(self) -> Expression {
        Expression::Unary(UnaryOp::Negate, Box::new(self))
    }
}

macro_rules! arithmetic {
    ($($operation:ident $method:ident $op:ident),*) => {$(
        impl std::ops::$operation for Expression {
            type Output = Expression;
            fn $method(self, other: Expression) -> Expression {
                Expression::Binary(BinaryOp::$op, Box::new(self), Box::new(other))
            }
        }
    )*};
}

arithmetic!(Add add Add, Sub sub Subtract, Mul mul Multiply, Div div Divide);

impl fmt::Display for Expression {
    /// Operands print as `$0`, loop counters as `#0`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.display(&|operand| format!("${operand}"), &|i| format!("#{i}")))
    }
}

impl BinaryOp {
    /// Whether exchanging the two arguments changes nothing.
    pub fn is_commutative(self) -> bool {
        matches!(
            self,
            BinaryOp::Add
                | BinaryOp::Multiply
                | BinaryOp::And
                | BinaryOp::Or
                | BinaryOp::BitAnd
                | BinaryOp::BitOr
                | BinaryOp::BitXor
                | BinaryOp::Equal
                | BinaryOp::NotEqual
        )
    }

    /// Whether the result is a truth value, an `int` whatever the arguments are.
    pub fn is_logical(self) -> bool {
        matches!(
            self,
            BinaryOp::And
                | BinaryOp::Or
                | BinaryOp::Less
                | BinaryOp::LessEqual
                | BinaryOp::Greater
                | BinaryOp::GreaterEqual
                | BinaryOp::Equal
                | BinaryOp::NotEqual
        )
    }
}

impl fmt::Display for UnaryOp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            UnaryOp::Negate => "-",
            UnaryOp::Not => "!",
            UnaryOp::Complement => "~",
        })
    }
}

impl fmt::Display for BinaryOp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            BinaryOp::Add => "+",
            BinaryOp::Subtract => "-",
            BinaryOp::Multiply => "*",
            BinaryOp::Divide => "/",
            BinaryOp::Remainder => "%",
            BinaryOp::ShiftLeft => "<<",
            BinaryOp::ShiftRight => ">>",
            BinaryOp::And => "&&",
            BinaryOp::Or => "||",
            BinaryOp::BitAnd => "&",
            BinaryOp::BitOr => "|",
            BinaryOp::BitXor => "^",
            BinaryOp::Less => "<",
            BinaryOp::LessEqual => "<=",
            BinaryOp::Greater => ">",
            BinaryOp::GreaterEqual => ">=",
            BinaryOp::Equal => "==",
            BinaryOp::NotEqual => "!=",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(position: usize) -> Expression {
        Expression::Read(position)
    }

    #[test]
    fn prints_like_c() {
        let sum = read(0) + read(1) * read(2);
        assert_eq!(sum.to_string(), "$0 + ($1 * $2)");
        let cast = Expression::Cast(ElementType::F32, Box::new(sum.clone()));
        assert_eq!(cast.to_string(), "(float) ($0 + ($1 * $2))");
        let call = Expression::Call("sqrt".into(), vec![sum]);
        assert_eq!(call.to_string(), "sqrt($0 + ($1 * $2))");
    }

    #[test]
    fn lists_operands_in_order() {
        assert_eq!((read(2) - read(0) / -read(2)).operands(), [2, 0, 2]);
    }
}
