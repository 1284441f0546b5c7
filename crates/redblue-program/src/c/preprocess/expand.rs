//! Macros and their expansion.
//!
//! Tokens wait on a stack; a macro's result goes back on the stack with the macro's name hidden, so that
//! expansion always ends (the standard's rule, with hide sets). A budget ends expansions that double at
//! every step; after that no macro is expanded any more.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::polybench;
use crate::c::codes;
use crate::c::lexer::lex;
use crate::c::token::{Token, TokenKind};
use crate::diagnostic::{Diagnostic, Span};

/// Tokens produced by all expansions of one input.
const MAX_TOKENS: usize = 1 << 20;
/// Macros inside macros, and uses inside arguments.
const MAX_DEPTH: usize = 100;

/// A definition by `#define`.
#[derive(Clone, Debug)]
pub(super) struct Macro {
    /// Names of the parameters; `None` for a macro without a parameter list.
    parameters: Option<Vec<String>>,
    body: Vec<Token>,
}

impl Macro {
    /// A macro that is a number.
    pub(super) fn number(value: i64) -> Macro {
        let origin = Span {
            file: 0,
            start: 0,
            end: 0,
        };
        let token = |kind| Token {
            kind,
            span: origin,
            first_on_line: false,
            after_space: true,
        };
        let digits = token(TokenKind::Integer(value.saturating_abs()));
        let body = if value < 0 {
            let [open, minus, close] = ["(", "-", ")"].map(|p| token(TokenKind::Punct(p)));
            vec![open, minus, digits, close]
        } else {
            vec![digits]
        };
        Macro {
            parameters: None,
            body,
        }
    }

    /// The same macro with its body placed at `span`.
    pub(super) fn at(mut self, span: Span) -> Macro {
        self.body.iter_mut().for_each(|token| token.span = span);
        self
    }

    /// Reads what comes after the name in a `#define`.
    pub(super) fn parse(line: &[Token]) -> Option<Macro> {
        match line.first() {
            Some(open) if open.is("(") && !open.after_space => {
                let close = line.iter().position(|t| t.is(")"))?;
                let mut parameters = Vec::new();
                for (at, token) in line[1..close].iter().enumerate() {
                    match token.name() {
                        Some(name) if at % 2 == 0 => parameters.push(name.to_string()),
                        None if at % 2 == 1 && token.is(",") => {}
                        _ => return None,
                    }
                }
                Some(Macro {
                    parameters: Some(parameters),
                    body: line[close + 1..].to_vec(),
                })
            }
            _ => Some(Macro {
                parameters: None,
                body: line.to_vec(),
            }),
        }
    }

    /// The number, if the macro is an integer constant, possibly in parentheses.
    pub(super) fn as_size(&self) -> Option<i64> {
        if self.parameters.is_some() {
            return None;
        }
        match self.body.iter().map(|t| &t.kind).collect::<Vec<_>>()[..] {
            [TokenKind::Integer(value)]
            | [
                TokenKind::Punct("("),
                TokenKind::Integer(value),
                TokenKind::Punct(")"),
            ] => Some(*value),
            _ => None,
        }
    }
}

/// Names that must not be expanded again, as a shared list.
type Hidden = Option<Rc<HideSet>>;

struct HideSet {
    name: String,
    length: usize,
    rest: Hidden,
}

fn hides(mut set: &Hidden, name: &str) -> bool {
    while let Some(entry) = set {
        if entry.name == name {
            return true;
        }
        set = &entry.rest;
    }
    false
}

type Pending = (Token, Hidden);

/// The macros in force and what was spent on expanding them.
#[derive(Default)]
pub(super) struct Expander {
    macros: BTreeMap<String, Macro>,
    produced: usize,
    depth: usize,
}

impl Expander {
    /// Defines or redefines a macro.
    pub(super) fn define(&mut self, name: &str, definition: Macro) {
        self.macros.insert(name.to_string(), definition);
    }

    /// Forgets a macro.
    pub(super) fn remove(&mut self, name: &str) {
        self.macros.remove(name);
    }

    /// The macro of this name.
    pub(super) fn get(&self, name: &str) -> Option<&Macro> {
        self.macros.get(name)
    }

    /// Expands all macros in a run of tokens.
    pub(super) fn expand(
        &mut self,
        tokens: Vec<Token>,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Vec<Token> {
        let mut stack: Vec<Pending> = tokens.into_iter().rev().map(|t| (t, None)).collect();
        let mut out = Vec::new();
        while let Some((mut token, hidden)) = stack.pop() {
            let Some(name) = token.name() else {
                out.push(token);
                continue;
            };
            let usable = self.macros.get(name).filter(|_| !hides(&hidden, name));
            let Some(definition) = usable.cloned() else {
                if let Some(size) = polybench::size_of_bound(name) {
                    token.kind = TokenKind::Name(size.to_string());
                }
                out.push(token);
                continue;
            };
            if definition.parameters.is_some() && !stack.last().is_some_and(|(t, _)| t.is("(")) {
                out.push(token);
                continue;
            }
            let length = hidden.as_ref().map_or(1, |set| set.length + 1);
            if self.produced > MAX_TOKENS || length > MAX_DEPTH || self.depth > MAX_DEPTH {
                let message = "macros expand too far";
                diagnostics.push(
                    Diagnostic::error(&codes::LIMIT, message)
                        .at(token.span)
                        .hint("write some of them out by hand"),
                );
                self.macros.clear();
                out.push(token);
                continue;
            }
            let result = self.apply(&token, &definition, &mut stack, diagnostics);
            self.produced += result.len() + 1;
            let hidden = Some(Rc::new(HideSet {
                name: token.name().unwrap_or_default().to_string(),
                length,
                rest: hidden,
            }));
            stack.extend(result.into_iter().rev().map(|t| (t, hidden.clone())));
        }
        out
    }

    /// The replacement for one use; takes the arguments off the stack.
    fn apply(
        &mut self,
        used: &Token,
        definition: &Macro,
        stack: &mut Vec<Pending>,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Vec<Token> {
        let Some(parameters) = &definition.parameters else {
            return placed(&definition.body, used.span);
        };
        let name = used.name().unwrap_or_default();
        let problem = |message: String| {
            Diagnostic::error(&codes::MACRO, message)
                .at(used.span)
                .hint(format!("write `{name}({})`", parameters.join(", ")))
        };
        // A use that was reported leaves a number, so that the expression around it stands.
        let stand_in = placed(&Macro::number(0).body, used.span);
        let Some((arguments, close)) = take_arguments(stack) else {
            diagnostics.push(problem(format!(
                "the use of macro `{name}` has no closing `)`"
            )));
            return stand_in;
        };
        let empty_call = parameters.is_empty() && arguments.len() == 1 && arguments[0].is_empty();
        if arguments.len() != parameters.len() && !empty_call {
            diagnostics.push(problem(format!(
                "macro `{name}` takes {} arguments, not {}",
                parameters.len(),
                arguments.len()
            )));
            return stand_in;
        }
        let by_name: BTreeMap<&str, &Vec<Token>> = parameters
            .iter()
            .map(String::as_str)
            .zip(&arguments)
            .collect();
        let body = placed(&definition.body, used.span.to(close));
        let mut out: Vec<Token> = Vec::new();
        let mut at = 0;
        while at < body.len() {
            let token = &body[at];
            let argument = |at: usize| {
                let name = body.get(at).and_then(Token::name)?;
                by_name.get(name).copied()
            };
            if token.is("##") && !out.is_empty() && at + 1 < body.len() {
                let right = argument(at + 1).map_or(vec![body[at + 1].clone()], Vec::clone);
                paste(&mut out, right, diagnostics);
                at += 2;
            } else if token.is("#")
                && let Some(text) = argument(at + 1)
            {
                let words: Vec<String> = text.iter().map(|t| spelling(&t.kind)).collect();
                out.push(Token {
                    kind: TokenKind::Text(words.join(" ")),
                    ..token.clone()
                });
                at += 2;
            } else if let Some(argument) = argument(at) {
                // An operand of ## is not expanded first.
                if body.get(at + 1).is_some_and(|t| t.is("##")) {
                    out.extend(argument.iter().cloned());
                } else {
                    self.depth += 1;
                    let expanded = self.expand(argument.clone(), diagnostics);
                    self.depth -= 1;
                    self.produced += expanded.len();
                    out.extend(expanded);
                }
                at += 1;
            } else {
                out.push(token.clone());
                at += 1;
            }
        }
        out
    }
}

fn placed(body: &[Token], span: Span) -> Vec<Token> {
    let place = |token: &Token| Token {
        span,
        first_on_line: false,
        ..token.clone()
    };
    body.iter().map(place).collect()
}

/// Takes `( a, b, … )` off the stack; also tells where the closing parenthesis stands.
fn take_arguments(stack: &mut Vec<Pending>) -> Option<(Vec<Vec<Token>>, Span)> {
    stack.pop();
    let mut arguments = vec![Vec::new()];
    let mut depth = 0usize;
    while let Some((token, _)) = stack.pop() {
        match token.kind {
            TokenKind::Punct(")") if depth == 0 => return Some((arguments, token.span)),
            TokenKind::Punct(",") if depth == 0 => {
                arguments.push(Vec::new());
                continue;
            }
            TokenKind::Punct("(") => depth += 1,
            TokenKind::Punct(")") => depth -= 1,
            _ => {}
        }
        if let Some(last) = arguments.last_mut() {
            last.push(token);
        }
    }
    None
}

/// Joins the last token of `out` with the first of `right`.
fn paste(out: &mut Vec<Token>, mut right: Vec<Token>, diagnostics: &mut Vec<Diagnostic>) {
    if right.is_empty() {
        return;
    }
    let second = right.remove(0);
    if let Some(first) = out.pop() {
        let text = spelling(&first.kind) + &spelling(&second.kind);
        let mut problems = Vec::new();
        match lex(first.span.file, &text, &mut problems).as_slice() {
            [joined] if problems.is_empty() => out.push(Token {
                kind: joined.kind.clone(),
                ..first
            }),
            _ => {
                let message = format!("`{text}` is not one token");
                diagnostics.push(
                    Diagnostic::error(&codes::MACRO, message)
                        .at(first.span)
                        .hint("## must join its sides to one name or number"),
                );
            }
        }
    }
    out.extend(right);
}

fn spelling(kind: &TokenKind) -> String {
    match kind {
        TokenKind::Name(name) => name.clone(),
        TokenKind::Integer(value) => value.to_string(),
        TokenKind::Real(text, single) => format!("{text}{}", if *single { "f" } else { "" }),
        TokenKind::Text(text) => format!("{text:?}"),
        TokenKind::Punct(punct) => (*punct).to_string(),
        TokenKind::Pragma(_) => String::new(),
    }
}
