//! Declarations, parameters and function definitions.

use super::types::Specifiers;
use super::{Parse, Parser};
use crate::c::ast::{Expr, Function, Initial, Shape, Unit, Variable};
use crate::c::token::{Pragma, TokenKind};

impl Parser<'_> {
    /// The whole file.
    pub(super) fn unit(&mut self) -> Unit {
        let mut unit = Unit::default();
        for token in self.tokens {
            if let TokenKind::Pragma(Pragma::Assume(text)) = &token.kind {
                unit.assumptions.push((text.clone(), token.span));
            }
        }
        while let Some(token) = self.peek() {
            let before = self.at;
            if matches!(token.kind, TokenKind::Pragma(_)) || token.is(";") {
                self.at += 1;
            } else if self.external(&mut unit).is_err() {
                self.recover();
            }
            // A stray closing brace stops recovery in front of it.
            if self.at == before {
                self.at += 1;
            }
        }
        unit
    }

    fn external(&mut self, unit: &mut Unit) -> Parse<()> {
        let specifiers = self.specifiers()?;
        if self.eat(";") {
            return Ok(());
        }
        loop {
            let (mut variable, parameters) = self.declarator(&specifiers)?;
            if let Some(parameters) = parameters {
                if self.at_punct("{") {
                    self.function(variable, parameters, unit);
                    return Ok(());
                }
                variable.shape = Shape::Other;
            }
            self.initial(&mut variable)?;
            self.declare(&specifiers, variable, &mut unit.globals);
            if !self.eat(",") {
                break;
            }
        }
        self.expect(";")?;
        Ok(())
    }

    fn function(&mut self, head: Variable, parameters: Vec<Variable>, unit: &mut Unit) {
        let open = self.at;
        let end = self.matching(open);
        // Without a closing brace the body reaches to the end of the file.
        let closed = end > open + 1 && self.tokens[end - 1].is("}");
        let body = open + 1..if closed { end - 1 } else { end };
        self.at = end;
        if !closed {
            let message = format!("the body of `{}` has no closing brace", head.name);
            self.syntax_error(message, "count the braces of its loops");
        }
        let tokens = &self.tokens[body.clone()];
        let is_scop = |kind: &TokenKind| *kind == TokenKind::Pragma(Pragma::Scop);
        unit.functions.push(Function {
            has_scop: tokens.iter().any(|t| is_scop(&t.kind)),
            has_loop: tokens.iter().any(|t| t.name() == Some("for")),
            name: head.name,
            span: head.span,
            returns: head.scalar,
            parameters,
            body,
        });
    }

    /// A declaration inside a function, without its `;`.
    pub(super) fn declaration(&mut self) -> Parse<Vec<Variable>> {
        let specifiers = self.specifiers()?;
        let mut variables = Vec::new();
        if self.at_punct(";") {
            return Ok(variables);
        }
        loop {
            let (mut variable, parameters) = self.declarator(&specifiers)?;
            if parameters.is_some() {
                variable.shape = Shape::Other;
            }
            self.initial(&mut variable)?;
            self.declare(&specifiers, variable, &mut variables);
            if !self.eat(",") {
                return Ok(variables);
            }
        }
    }

    fn declare(&mut self, specifiers: &Specifiers, variable: Variable, into: &mut Vec<Variable>) {
        if !specifiers.is_typedef {
            into.push(variable);
            return;
        }
        let is_scalar = matches!(&variable.shape, Shape::Array(extents) if extents.is_empty());
        let mut scalar = variable.scalar;
        if !is_scalar {
            scalar.element = None;
        }
        self.typedefs.insert(variable.name, scalar);
    }

    fn initial(&mut self, variable: &mut Variable) -> Parse<()> {
        if !self.eat("=") {
            return Ok(());
        }
        if self.at_punct("{") {
            let start = self.here();
            self.at = self.matching(self.at);
            variable.initial = Some(Initial::List(start.to(self.last_span())));
        } else {
            variable.initial = Some(Initial::Value(self.assignment()?));
        }
        Ok(())
    }

    /// `*name[n][m]`, `(*name)[m]`, `name(parameters)`.
    fn declarator(&mut self, specifiers: &Specifiers) -> Parse<(Variable, Option<Vec<Variable>>)> {
        let mut pointers = self.pointers();
        let mut pointer_to_array = 0;
        let grouped = self.at_punct("(");
        if grouped {
            self.at += 1;
            pointer_to_array = self.pointers();
        }
        let span = self.here();
        let name = match self.peek() {
            Some(token) if token.name().is_some() => {
                self.at += 1;
                token.name().unwrap_or_default().to_string()
            }
            // Parameters of prototypes may have no name: `double f(double, int []);`
            Some(token) if [",", ")", "["].iter().any(|end| token.is(end)) => String::new(),
            _ => return Err(self.expected("a name")),
        };
        let mut extents = Vec::new();
        if grouped {
            self.extents(&mut extents)?;
            self.expect(")")?;
        }
        let mut variable = Variable {
            name,
            span,
            scalar: specifiers.scalar,
            shape: Shape::Other,
            initial: None,
        };
        if self.at_punct("(") {
            let parameters = self.nested(Parser::parameters)?;
            // A function pointer is no function.
            let is_function = !grouped;
            return Ok((variable, is_function.then_some(parameters)));
        }
        self.extents(&mut extents)?;
        if pointer_to_array == 1 && pointers == 0 {
            pointers = 1;
        } else if pointer_to_array > 0 {
            return Ok((variable, None));
        } else if pointers == 1 && !extents.is_empty() {
            // An array of pointers.
            return Ok((variable, None));
        }
        if pointers <= 1 {
            let unknown = (pointers == 1).then_some(None);
            variable.shape = Shape::Array(unknown.into_iter().chain(extents).collect());
        }
        Ok((variable, None))
    }

    /// Counts `*` and skips the qualifiers between them.
    fn pointers(&mut self) -> usize {
        let mut count = 0;
        loop {
            if self.eat("*") {
                count += 1;
            } else if !self.qualifier() {
                return count;
            }
        }
    }

    fn qualifier(&mut self) -> bool {
        [
            "const",
            "restrict",
            "__restrict",
            "__restrict__",
            "volatile",
            "static",
        ]
        .iter()
        .any(|word| self.eat_word(word))
    }

    fn extents(&mut self, into: &mut Vec<Option<Expr>>) -> Parse<()> {
        while self.eat("[") {
            while self.qualifier() {}
            let is_star = self.at_punct("*") && self.peek_after(1).is_some_and(|t| t.is("]"));
            if self.at_punct("]") || is_star {
                self.at += usize::from(is_star);
                into.push(None);
            } else {
                into.push(Some(self.nested(Parser::assignment)?));
            }
            self.expect("]")?;
        }
        Ok(())
    }

    /// `( int n, double A[n] )`, also `()` and `(void)`.
    fn parameters(&mut self) -> Parse<Vec<Variable>> {
        self.expect("(")?;
        let mut parameters = Vec::new();
        let void = self.at_word("void") && self.peek_after(1).is_some_and(|t| t.is(")"));
        if void {
            self.at += 1;
        }
        if self.eat(")") {
            return Ok(parameters);
        }
        loop {
            if self.eat("...") {
                self.expect(")")?;
                return Ok(parameters);
            }
            let specifiers = self.specifiers()?;
            let (mut variable, nested) = self.declarator(&specifiers)?;
            if nested.is_some() {
                variable.shape = Shape::Other;
            }
            parameters.push(variable);
            if !self.eat(",") {
                break;
            }
        }
        self.expect(")")?;
        Ok(parameters)
    }
}
