//! Statements.

use super::{Parse, Parser};
use crate::c::ast::{ForLoop, Stmt, StmtKind};
use crate::c::token::{Pragma, TokenKind};

impl Parser<'_> {
    /// One statement; after a syntax error, a broken one.
    pub(super) fn statement(&mut self) -> Stmt {
        let start = self.here();
        let before = self.at;
        let kind = match self.nested(Parser::statement_kind) {
            Ok(kind) => kind,
            Err(_) => {
                self.recover();
                // Recovery stops in front of a closing brace, which here closes nothing.
                if self.at == before {
                    self.at += 1;
                }
                StmtKind::Broken
            }
        };
        Stmt {
            kind,
            span: start.to(self.last_span()),
        }
    }

    fn statement_kind(&mut self) -> Parse<StmtKind> {
        let Some(token) = self.peek() else {
            return Err(self.expected("a statement"));
        };
        match &token.kind {
            TokenKind::Pragma(pragma) => {
                self.at += 1;
                Ok(match pragma {
                    Pragma::Scop => StmtKind::Scop,
                    Pragma::EndScop => StmtKind::EndScop,
                    Pragma::Assume(_) => StmtKind::Empty,
                })
            }
            TokenKind::Punct(";") => {
                self.at += 1;
                Ok(StmtKind::Empty)
            }
            TokenKind::Punct("{") => self.block(),
            TokenKind::Name(word) => self.by_keyword(word),
            _ => self.simple(),
        }
    }

    fn by_keyword(&mut self, word: &str) -> Parse<StmtKind> {
        match word {
            "for" => self.for_loop(),
            "if" => self.conditional(),
            "while" => {
                self.at += 1;
                self.parenthesised()?;
                Ok(StmtKind::Unsupported(
                    "while",
                    Some(Box::new(self.statement())),
                ))
            }
            "do" => {
                self.at += 1;
                let body = self.statement();
                if self.eat_word("while") {
                    self.parenthesised()?;
                    self.expect(";")?;
                }
                Ok(StmtKind::Unsupported("do", Some(Box::new(body))))
            }
            "switch" => {
                self.at += 1;
                self.parenthesised()?;
                // `case` labels are no statements of the subset, so the body is skipped.
                if self.at_punct("{") {
                    self.at = self.matching(self.at);
                }
                Ok(StmtKind::Unsupported("switch", None))
            }
            "goto" => self.jump("goto"),
            "break" => self.jump("break"),
            "continue" => self.jump("continue"),
            "return" => {
                self.at += 1;
                let value = if self.at_punct(";") {
                    None
                } else {
                    Some(self.expression()?)
                };
                self.expect(";")?;
                Ok(StmtKind::Return(value))
            }
            "else" => Err(self.syntax_error("`else` without `if`".into(), "remove it")),
            _ if self.peek_after(1).is_some_and(|t| t.is(":")) => {
                self.at += 2;
                Ok(StmtKind::Label(
                    word.to_string(),
                    Box::new(self.statement()),
                ))
            }
            _ => self.simple(),
        }
    }

    /// A declaration or an expression, with its `;`.
    fn simple(&mut self) -> Parse<StmtKind> {
        let kind = if self.at_declaration() {
            StmtKind::Declare(self.declaration()?)
        } else {
            StmtKind::Expr(self.expression()?)
        };
        self.expect(";")?;
        Ok(kind)
    }

    /// A type that is not declared begins a declaration too if a name follows: `vector x;`
    fn at_declaration(&self) -> bool {
        let name_at = |offset| self.peek_after(offset).is_some_and(|t| t.name().is_some());
        self.at_type() || (name_at(0) && name_at(1))
    }

    fn block(&mut self) -> Parse<StmtKind> {
        self.expect("{")?;
        let mut statements = Vec::new();
        while !self.at_punct("}") {
            if self.peek().is_none() {
                return Err(self.expected("`}`"));
            }
            statements.push(self.statement());
        }
        self.at += 1;
        Ok(StmtKind::Block(statements))
    }

    fn for_loop(&mut self) -> Parse<StmtKind> {
        let start = self.here();
        self.at += 1;
        self.expect("(")?;
        let init_start = self.here();
        let init = if self.eat(";") {
            None
        } else {
            let kind = self.simple()?;
            let span = init_start.to(self.last_span());
            Some(Stmt { kind, span })
        };
        let condition = if self.at_punct(";") {
            None
        } else {
            Some(self.expression()?)
        };
        self.expect(";")?;
        let step = if self.at_punct(")") {
            None
        } else {
            Some(self.expression()?)
        };
        self.expect(")")?;
        let header = start.to(self.last_span());
        let body = self.statement();
        Ok(StmtKind::For(Box::new(ForLoop {
            init,
            condition,
            step,
            body,
            header,
        })))
    }

    fn conditional(&mut self) -> Parse<StmtKind> {
        self.at += 1;
        let condition = self.parenthesised()?;
        let then = Box::new(self.statement());
        let otherwise = if self.eat_word("else") {
            Some(Box::new(self.statement()))
        } else {
            None
        };
        Ok(StmtKind::If(condition, then, otherwise))
    }

    fn jump(&mut self, word: &'static str) -> Parse<StmtKind> {
        self.at += 1;
        if word == "goto" {
            self.at += 1;
        }
        self.expect(";")?;
        Ok(StmtKind::Unsupported(word, None))
    }

    fn parenthesised(&mut self) -> Parse<crate::c::ast::Expr> {
        self.expect("(")?;
        let expression = self.expression()?;
        self.expect(")")?;
        Ok(expression)
    }
}
