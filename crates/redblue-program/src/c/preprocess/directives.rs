//! The lines that begin with `#`.

use super::expand::Macro;
use super::{Conditional, Preprocessor, condition};
use crate::c::codes;
use crate::c::token::{Pragma, Token, TokenKind};
use crate::diagnostic::{Diagnostic, Span};

/// How a definition looks.
const NAME_ADVICE: &str = "write `#define NAME value` or `#define NAME(a, b) value`";

impl Preprocessor<'_> {
    /// Obeys one directive; `line` is what comes after the `#`.
    pub(super) fn directive(
        &mut self,
        hash: &Token,
        line: &[Token],
        conditionals: &mut Vec<Conditional>,
        depth: usize,
    ) {
        let Some((head, rest)) = line.split_first() else {
            return; // A lone `#` is allowed.
        };
        let whole = line
            .last()
            .map_or(hash.span, |last| hash.span.to(last.span));
        let active = conditionals.iter().all(|c| c.active);
        match head.name().unwrap_or_default() {
            "if" | "ifdef" | "ifndef" => {
                let holds = active && self.opening(head.name().unwrap_or_default(), rest, whole);
                conditionals.push(Conditional {
                    opened: whole,
                    active: holds,
                    // Inside a group that is skipped, no branch is ever taken.
                    taken: holds || !active,
                    last: false,
                });
            }
            "elif" | "else" | "endif" => self.next_group(head, rest, whole, conditionals),
            _ if !active => {}
            "define" => self.define_line(rest, whole),
            "undef" => {
                if let Some(name) = rest.first().and_then(Token::name) {
                    self.macros.remove(name);
                    self.withdrawn.insert(name.to_string());
                }
            }
            "include" => self.include_line(rest, whole, depth),
            "pragma" => self.pragma(rest, whole),
            "error" => {
                let text = self.sources.one_line(whole);
                self.diagnostics
                    .push(Diagnostic::error(&codes::ERROR_DIRECTIVE, text).at(whole).hint("define what it asks for with #define or -D"));
            }
            "line" | "warning" | "ident" => {}
            _ => self.report(
                head.span,
                format!("unknown directive {}", head.kind.describe()),
                "known are define, undef, include, if, ifdef, ifndef, elif, else, endif, error, pragma",
            ),
        }
    }

    fn opening(&mut self, word: &str, rest: &[Token], whole: Span) -> bool {
        if word == "if" {
            return self.condition(rest, whole);
        }
        let Some(name) = rest.first().and_then(Token::name) else {
            self.report(
                whole,
                format!("#{word} needs a name"),
                "write the name of a macro",
            );
            return false;
        };
        self.is_defined(name) == (word == "ifdef")
    }

    /// Whether a name is a macro, also one that is kept as a size.
    pub(super) fn is_defined(&mut self, name: &str) -> bool {
        self.result.tested.insert(name.to_string());
        let is_size = self.result.sizes.contains_key(name) && !self.withdrawn.contains(name);
        is_size || self.macros.get(name).is_some()
    }

    fn condition(&mut self, tokens: &[Token], whole: Span) -> bool {
        condition::holds(self, tokens).unwrap_or_else(|| {
            let advice = "use integers, macros, operators and defined(NAME)";
            self.report(whole, "this condition is not an integer expression", advice);
            false
        })
    }

    fn next_group(
        &mut self,
        head: &Token,
        rest: &[Token],
        whole: Span,
        conditionals: &mut Vec<Conditional>,
    ) {
        let Some(mut open) = conditionals.pop() else {
            let word = head.name().unwrap_or_default();
            return self.report(whole, format!("#{word} without #if"), "remove it");
        };
        match head.name().unwrap_or_default() {
            "endif" => return,
            _ if open.last => {
                self.report(whole, "another group after #else", "use #elif before #else");
            }
            "elif" => {
                // The condition after a taken group is not even looked at.
                open.active = !open.taken && self.condition(rest, whole);
                open.taken |= open.active;
            }
            _ => {
                open.active = !open.taken;
                open.last = true;
            }
        }
        conditionals.push(open);
    }

    fn define_line(&mut self, rest: &[Token], whole: Span) {
        let Some((name, body)) = rest.split_first() else {
            return self.report(whole, "#define needs a name", NAME_ADVICE);
        };
        let Some(text) = name.name().map(str::to_string) else {
            return self.report(name.span, "#define needs a name", NAME_ADVICE);
        };
        match Macro::parse(body) {
            Some(definition) => self.define(&text, definition, name.span),
            None => {
                let message = format!("the parameters of `{text}` are not names");
                self.report(whole, message, NAME_ADVICE);
            }
        }
    }

    fn include_line(&mut self, rest: &[Token], whole: Span, depth: usize) {
        match rest {
            [token] if matches!(token.kind, TokenKind::Text(_)) => {
                if let TokenKind::Text(name) = &token.kind {
                    self.include(name, true, whole, depth);
                }
            }
            [first, .., last] if first.is("<") && last.is(">") => {
                let inside = Span {
                    start: first.span.end,
                    end: last.span.start,
                    ..whole
                };
                let name = self.sources.text(inside).trim().to_string();
                self.include(&name, false, whole, depth);
            }
            _ => {
                let advice = "write #include \"file.h\"";
                self.report(whole, "#include needs \"file\" or <file>", advice);
            }
        }
    }

    fn pragma(&mut self, rest: &[Token], whole: Span) {
        let words: Vec<&str> = rest.iter().map_while(Token::name).collect();
        let (pragma, span) = match words.as_slice() {
            ["scop", ..] => (Pragma::Scop, whole),
            ["endscop", ..] => (Pragma::EndScop, whole),
            ["redblue", "assume", ..] => {
                let span = Span {
                    start: rest.get(2).map_or(whole.end, |first| first.span.start),
                    ..whole
                };
                (Pragma::Assume(self.sources.one_line(span)), span)
            }
            ["redblue", ..] => {
                let problem = Diagnostic::error(&codes::DIRECTIVE, "unknown #pragma redblue")
                    .at(whole)
                    .hint("the only one is `#pragma redblue assume CONDITION`");
                return self.diagnostics.push(problem);
            }
            _ => return,
        };
        self.result.tokens.push(Token {
            kind: TokenKind::Pragma(pragma),
            span,
            first_on_line: true,
            after_space: false,
        });
    }
}
