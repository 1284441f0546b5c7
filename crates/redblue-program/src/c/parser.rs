//! Recursive descent from tokens to the syntax tree.
//!
//! ```text
//! unit ─► declarations ─► functions (bodies as token ranges)      parser/declaration.rs
//! body ─► statements                                              parser/statement.rs
//!      ─► expressions, by precedence climbing                     parser/expression.rs
//! ```
//!
//! A syntax error is reported and reading goes on after the next `;` or `}`. Bodies of functions that are
//! not analysed are never parsed. Depth limits keep recursion here and later within the stack.

mod declaration;
mod expression;
mod statement;
mod types;

use std::collections::BTreeMap;

use super::ast::{Expr, Scalar, Stmt, Unit};
use super::codes;
use super::token::{Token, TokenKind};
use crate::diagnostic::{Diagnostic, Span};

/// Nested statements, parentheses and subscripts.
const MAX_NESTING: usize = 250;
/// Height of an expression tree; a sum of n terms has height n.
const MAX_HEIGHT: u32 = 1000;
/// After so many syntax errors in one file, the rest would only be noise.
const MAX_ERRORS: usize = 20;

/// Names declared by `typedef`.
pub(crate) type Typedefs = BTreeMap<String, Scalar>;

/// A syntax error that was already reported.
pub(crate) struct Reported;

type Parse<T> = Result<T, Reported>;

/// Parses the outline of a file.
pub(crate) fn unit(tokens: &[Token], diagnostics: &mut Vec<Diagnostic>) -> (Unit, Typedefs) {
    let mut parser = Parser::new(tokens, Typedefs::new(), diagnostics);
    let unit = parser.unit();
    (unit, parser.typedefs)
}

/// Parses the statements of a function body.
pub(crate) fn body(
    tokens: &[Token],
    typedefs: &Typedefs,
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<Stmt> {
    let mut parser = Parser::new(tokens, typedefs.clone(), diagnostics);
    let mut statements = Vec::new();
    while parser.peek().is_some() {
        statements.push(parser.statement());
    }
    statements
}

/// The expression that all these tokens make, if they make one.
pub(crate) fn whole_expression(tokens: &[Token]) -> Option<Expr> {
    let mut ignored = Vec::new();
    let mut parser = Parser::new(tokens, Typedefs::new(), &mut ignored);
    let expression = parser.expression().ok()?;
    parser.peek().is_none().then_some(expression)
}

struct Parser<'a> {
    tokens: &'a [Token],
    at: usize,
    nesting: usize,
    errors: usize,
    typedefs: Typedefs,
    diagnostics: &'a mut Vec<Diagnostic>,
}

impl<'a> Parser<'a> {
    fn new(
        tokens: &'a [Token],
        typedefs: Typedefs,
        diagnostics: &'a mut Vec<Diagnostic>,
    ) -> Parser<'a> {
        Parser {
            tokens,
            at: 0,
            nesting: 0,
            errors: 0,
            typedefs,
            diagnostics,
        }
    }

    fn peek(&self) -> Option<&'a Token> {
        self.tokens.get(self.at)
    }

    fn peek_after(&self, offset: usize) -> Option<&'a Token> {
        self.tokens.get(self.at + offset)
    }

    fn next(&mut self) -> Option<&'a Token> {
        let token = self.tokens.get(self.at)?;
        self.at += 1;
        Some(token)
    }

    fn at_punct(&self, punct: &str) -> bool {
        self.peek().is_some_and(|token| token.is(punct))
    }

    fn at_word(&self, word: &str) -> bool {
        self.peek().is_some_and(|token| token.name() == Some(word))
    }

    /// Takes the punctuation if it is next.
    fn eat(&mut self, punct: &str) -> bool {
        let found = self.at_punct(punct);
        self.at += usize::from(found);
        found
    }

    /// Takes the word if it is next.
    fn eat_word(&mut self, word: &str) -> bool {
        let found = self.at_word(word);
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, punct: &str) -> Parse<Span> {
        if self.eat(punct) {
            return Ok(self.last_span());
        }
        Err(self.expected(&format!("`{punct}`")))
    }

    /// Place of the next token, or of the last one at the end.
    fn here(&self) -> Span {
        self.peek().map_or(self.last_span(), |token| token.span)
    }

    /// Place of the token taken last.
    fn last_span(&self) -> Span {
        let last = self.at.checked_sub(1).and_then(|at| self.tokens.get(at));
        let none = Span {
            file: 0,
            start: 0,
            end: 0,
        };
        last.or(self.tokens.first())
            .map_or(none, |token| token.span)
    }

    fn expected(&mut self, what: &str) -> Reported {
        let found = self
            .peek()
            .map_or("the end".to_string(), |token| token.kind.describe());
        let message = format!("expected {what}, found {found}");
        self.syntax_error(message, format!("insert {what} before {found}"))
    }

    fn syntax_error(&mut self, message: String, hint: impl Into<String>) -> Reported {
        let problem = Diagnostic::error(&codes::SYNTAX, message)
            .at(self.here())
            .hint(hint);
        self.report(problem)
    }

    fn report(&mut self, problem: Diagnostic) -> Reported {
        self.errors += 1;
        if self.errors <= MAX_ERRORS {
            self.diagnostics.push(problem);
        }
        if self.errors == MAX_ERRORS {
            // The rest of the tokens is skipped.
            self.at = self.tokens.len();
        }
        Reported
    }

    /// Runs a parser one level deeper.
    fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parse<T>) -> Parse<T> {
        if self.nesting >= MAX_NESTING {
            let problem = Diagnostic::error(&codes::LIMIT, "nested too deeply")
                .at(self.here())
                .hint("use fewer nested parentheses and blocks");
            self.at = self.tokens.len();
            return Err(self.report(problem));
        }
        self.nesting += 1;
        let result = parse(self);
        self.nesting -= 1;
        result
    }

    /// Skips to just after the next `;` on this level, or to the `}` that ends it.
    fn recover(&mut self) {
        let mut depth = 0usize;
        while let Some(token) = self.peek() {
            match token.kind {
                TokenKind::Punct("{") => depth += 1,
                TokenKind::Punct("}") if depth == 0 => return,
                TokenKind::Punct("}") => depth -= 1,
                TokenKind::Pragma(_) if depth == 0 => return,
                _ => {}
            }
            self.at += 1;
            let ends = token.is(";") || token.is("}");
            if ends && depth == 0 {
                return;
            }
        }
    }

    /// The index just after the bracket that closes the one at `open`.
    fn matching(&self, open: usize) -> usize {
        let mut depth = 0usize;
        for (offset, token) in self.tokens[open..].iter().enumerate() {
            match token.kind {
                TokenKind::Punct("(" | "[" | "{") => depth += 1,
                TokenKind::Punct(")" | "]" | "}") => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        return open + offset + 1;
                    }
                }
                _ => {}
            }
        }
        self.tokens.len()
    }
}
