//! Expressions, by precedence climbing.

use super::{MAX_HEIGHT, Parse, Parser};
use crate::c::ast::{Expr, ExprKind, Prefix, Scalar};
use crate::c::codes;
use crate::c::token::TokenKind;
use crate::diagnostic::{Diagnostic, Span};
use crate::expression::BinaryOp;

/// Binary operators with their precedence; a higher one binds tighter.
const BINARY: [(&str, u8, BinaryOp); 18] = [
    ("||", 1, BinaryOp::Or),
    ("&&", 2, BinaryOp::And),
    ("|", 3, BinaryOp::BitOr),
    ("^", 4, BinaryOp::BitXor),
    ("&", 5, BinaryOp::BitAnd),
    ("==", 6, BinaryOp::Equal),
    ("!=", 6, BinaryOp::NotEqual),
    ("<", 7, BinaryOp::Less),
    ("<=", 7, BinaryOp::LessEqual),
    (">", 7, BinaryOp::Greater),
    (">=", 7, BinaryOp::GreaterEqual),
    ("<<", 8, BinaryOp::ShiftLeft),
    (">>", 8, BinaryOp::ShiftRight),
    ("+", 9, BinaryOp::Add),
    ("-", 9, BinaryOp::Subtract),
    ("*", 10, BinaryOp::Multiply),
    ("/", 10, BinaryOp::Divide),
    ("%", 10, BinaryOp::Remainder),
];

const COMPOUND: [(&str, BinaryOp); 10] = [
    ("+=", BinaryOp::Add),
    ("-=", BinaryOp::Subtract),
    ("*=", BinaryOp::Multiply),
    ("/=", BinaryOp::Divide),
    ("%=", BinaryOp::Remainder),
    ("<<=", BinaryOp::ShiftLeft),
    (">>=", BinaryOp::ShiftRight),
    ("&=", BinaryOp::BitAnd),
    ("|=", BinaryOp::BitOr),
    ("^=", BinaryOp::BitXor),
];

const PREFIX: [(&str, Prefix); 6] = [
    ("+", Prefix::Plus),
    ("-", Prefix::Negate),
    ("!", Prefix::Not),
    ("~", Prefix::Complement),
    ("*", Prefix::Dereference),
    ("&", Prefix::Address),
];

impl Parser<'_> {
    /// An expression with commas.
    pub(super) fn expression(&mut self) -> Parse<Expr> {
        let mut left = self.assignment()?;
        while self.eat(",") {
            let right = self.assignment()?;
            let span = left.span.to(right.span);
            left = self.node(ExprKind::Comma(Box::new(left), Box::new(right)), span)?;
        }
        Ok(left)
    }

    /// An expression without commas.
    pub(super) fn assignment(&mut self) -> Parse<Expr> {
        self.nested(|parser| {
            let target = parser.conditional_expression()?;
            let operator = if parser.at_punct("=") {
                None
            } else {
                match COMPOUND.iter().find(|(punct, _)| parser.at_punct(punct)) {
                    Some((_, operator)) => Some(*operator),
                    None => return Ok(target),
                }
            };
            parser.at += 1;
            let value = parser.assignment()?;
            let span = target.span.to(value.span);
            parser.node(
                ExprKind::Assign(Box::new(target), operator, Box::new(value)),
                span,
            )
        })
    }

    fn conditional_expression(&mut self) -> Parse<Expr> {
        let condition = self.binary(1)?;
        if !self.eat("?") {
            return Ok(condition);
        }
        let yes = self.nested(Parser::expression)?;
        self.expect(":")?;
        let no = self.nested(Parser::conditional_expression)?;
        let span = condition.span.to(no.span);
        let kind = ExprKind::Conditional(Box::new(condition), Box::new(yes), Box::new(no));
        self.node(kind, span)
    }

    fn binary(&mut self, weakest: u8) -> Parse<Expr> {
        let mut left = self.unary()?;
        loop {
            let found = BINARY
                .iter()
                .find(|(punct, level, _)| *level >= weakest && self.at_punct(punct));
            let Some((_, level, operator)) = found else {
                return Ok(left);
            };
            self.at += 1;
            let right = self.binary(level + 1)?;
            let span = left.span.to(right.span);
            left = self.node(
                ExprKind::Binary(*operator, Box::new(left), Box::new(right)),
                span,
            )?;
        }
    }

    fn unary(&mut self) -> Parse<Expr> {
        let start = self.here();
        let step = [("++", BinaryOp::Add), ("--", BinaryOp::Subtract)]
            .into_iter()
            .find(|(punct, _)| self.at_punct(punct));
        if let Some((_, operator)) = step {
            self.at += 1;
            let operand = self.nested(Parser::unary)?;
            let span = start.to(operand.span);
            return self.node(ExprKind::Step(operator, Box::new(operand)), span);
        }
        if let Some((_, prefix)) = PREFIX.iter().find(|(punct, _)| self.at_punct(punct)) {
            self.at += 1;
            let operand = self.nested(Parser::unary)?;
            let span = start.to(operand.span);
            return self.node(ExprKind::Unary(*prefix, Box::new(operand)), span);
        }
        if self.at_word("sizeof") {
            self.at += 1;
            if self.at_punct("(") {
                self.at = self.matching(self.at);
            } else {
                self.nested(Parser::unary)?;
            }
            return self.node(ExprKind::SizeOf, start.to(self.last_span()));
        }
        if self.at_punct("(") && self.is_type_at(1) {
            return self.cast(start);
        }
        self.postfix()
    }

    fn cast(&mut self, start: Span) -> Parse<Expr> {
        self.at += 1;
        let scalar: Scalar = self.specifiers()?.scalar;
        let mut pointer = false;
        while !self.at_punct(")") {
            // An abstract declarator of any kind makes it a pointer.
            pointer = true;
            if self.at_punct("(") || self.at_punct("[") {
                self.at = self.matching(self.at);
            } else if self.next().is_none() {
                return Err(self.expected("`)`"));
            }
        }
        self.at += 1;
        let operand = Box::new(self.nested(Parser::unary)?);
        let span = start.to(operand.span);
        let kind = if pointer {
            ExprKind::PointerCast(operand)
        } else {
            ExprKind::Cast(scalar, operand)
        };
        self.node(kind, span)
    }

    fn postfix(&mut self) -> Parse<Expr> {
        let mut base = self.primary()?;
        loop {
            let start = base.span;
            let kind = if self.eat("[") {
                let index = self.nested(Parser::expression)?;
                self.expect("]")?;
                ExprKind::Index(Box::new(base), Box::new(index))
            } else if self.at_punct("(") {
                let arguments = self.nested(Parser::arguments)?;
                ExprKind::Call(Box::new(base), arguments)
            } else if self.eat(".") || self.eat("->") {
                if self.peek().and_then(|t| t.name()).is_none() {
                    return Err(self.expected("the name of a member"));
                }
                self.at += 1;
                ExprKind::Member(Box::new(base))
            } else if self.eat("++") {
                ExprKind::Step(BinaryOp::Add, Box::new(base))
            } else if self.eat("--") {
                ExprKind::Step(BinaryOp::Subtract, Box::new(base))
            } else {
                return Ok(base);
            };
            base = self.node(kind, start.to(self.last_span()))?;
        }
    }

    fn arguments(&mut self) -> Parse<Vec<Expr>> {
        self.expect("(")?;
        let mut arguments = Vec::new();
        if self.eat(")") {
            return Ok(arguments);
        }
        loop {
            arguments.push(self.assignment()?);
            if !self.eat(",") {
                break;
            }
        }
        self.expect(")")?;
        Ok(arguments)
    }

    fn primary(&mut self) -> Parse<Expr> {
        let Some(token) = self.peek() else {
            return Err(self.expected("an expression"));
        };
        let kind = match &token.kind {
            TokenKind::Integer(value) => ExprKind::Integer(*value),
            TokenKind::Real(text, single) => ExprKind::Real(text.clone(), *single),
            TokenKind::Text(_) => ExprKind::Text,
            TokenKind::Name(name) if !is_keyword(name) => ExprKind::Name(name.clone()),
            TokenKind::Punct("(") => {
                self.at += 1;
                let mut inner = self.nested(Parser::expression)?;
                let close = self.expect(")")?;
                inner.span = token.span.to(close);
                return Ok(inner);
            }
            _ => return Err(self.expected("an expression")),
        };
        self.at += 1;
        self.node(kind, token.span)
    }

    /// A node, unless the tree would get too high to walk.
    fn node(&mut self, kind: ExprKind, span: Span) -> Parse<Expr> {
        let mut expression = Expr {
            kind,
            span,
            height: 1,
        };
        let mut tallest = 0;
        expression.for_each_child(&mut |child| tallest = tallest.max(child.height));
        expression.height += tallest;
        if expression.height > MAX_HEIGHT {
            let problem = Diagnostic::error(&codes::LIMIT, "expression is too long")
                .at(span)
                .hint("split it into several statements");
            self.at = self.tokens.len();
            return Err(self.report(problem));
        }
        Ok(expression)
    }
}

/// Words that cannot be a variable.
fn is_keyword(name: &str) -> bool {
    matches!(
        name,
        "for"
            | "if"
            | "else"
            | "while"
            | "do"
            | "switch"
            | "case"
            | "default"
            | "goto"
            | "break"
            | "continue"
            | "return"
            | "sizeof"
    )
}
