//! Text to tokens.
//!
//! Comments and line continuations disappear here. Bytes that begin no token are reported once per run and
//! skipped, so any text gives a list of tokens.

use super::codes;
use super::token::{PUNCTUATION, Token, TokenKind};
use crate::diagnostic::{Diagnostic, Span};

/// Splits a text into tokens; problems are appended to `diagnostics`.
pub(crate) fn lex(file: u32, text: &str, diagnostics: &mut Vec<Diagnostic>) -> Vec<Token> {
    let mut lexer = Lexer {
        file,
        text,
        at: 0,
        first_on_line: true,
        after_space: false,
        tokens: Vec::new(),
        diagnostics,
    };
    while lexer.at < text.len() {
        lexer.step();
    }
    lexer.tokens
}

struct Lexer<'a> {
    file: u32,
    text: &'a str,
    at: usize,
    first_on_line: bool,
    after_space: bool,
    tokens: Vec<Token>,
    diagnostics: &'a mut Vec<Diagnostic>,
}

impl Lexer<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn span(&self, start: usize) -> Span {
        Span {
            file: self.file,
            start: start as u32,
            end: self.at as u32,
        }
    }

    fn push(&mut self, start: usize, kind: TokenKind) {
        self.tokens.push(Token {
            kind,
            span: self.span(start),
            first_on_line: self.first_on_line,
            after_space: self.after_space,
        });
        self.first_on_line = false;
        self.after_space = false;
    }

    fn step(&mut self) {
        let start = self.at;
        let rest = &self.text[start..];
        let Some(c) = rest.chars().next() else {
            return;
        };
        if let Some(length) = continuation(rest) {
            self.at += length;
            self.after_space = true;
        } else if c == '\n' {
            self.at += 1;
            self.first_on_line = true;
        } else if c.is_whitespace() {
            self.at += c.len_utf8();
            self.after_space = true;
        } else if rest.starts_with("//") {
            self.at += line_comment(rest);
            self.after_space = true;
        } else if rest.starts_with("/*") {
            self.block_comment();
        } else if c.is_ascii_alphabetic() || c == '_' {
            self.at += prefix_length(rest, |c| c.is_ascii_alphanumeric() || c == '_');
            let name = self.text[start..self.at].to_string();
            self.push(start, TokenKind::Name(name));
        } else if c.is_ascii_digit()
            || (c == '.' && rest[1..].starts_with(|d: char| d.is_ascii_digit()))
        {
            self.number();
        } else if c == '"' || c == '\'' {
            self.quoted(c);
        } else if let Some(punct) = PUNCTUATION.iter().find(|p| rest.starts_with(**p)) {
            self.at += punct.len();
            self.push(start, TokenKind::Punct(punct));
        } else {
            self.unexpected();
        }
    }

    /// A block comment is white space; one that spans lines keeps what is after it off the line's start.
    fn block_comment(&mut self) {
        let start = self.at;
        match self.rest().find("*/") {
            Some(length) if length >= 2 => self.at += length + 2,
            // "/*/" is not closed by its own slash.
            Some(_) => match self.rest()[3..].find("*/") {
                Some(length) => self.at += 3 + length + 2,
                None => self.unterminated(start, "comment"),
            },
            None => self.unterminated(start, "comment"),
        }
        self.after_space = true;
    }

    fn unterminated(&mut self, start: usize, what: &str) {
        self.at = self.text.len();
        let opening = Span {
            end: (start as u32 + 2).min(self.text.len() as u32),
            ..self.span(start)
        };
        self.diagnostics.push(
            Diagnostic::error(&codes::UNTERMINATED, format!("{what} without end"))
                .at(opening)
                .hint("close it with `*/`"),
        );
    }

    fn quoted(&mut self, quote: char) {
        let start = self.at;
        let mut value = String::new();
        let mut chars = self.text[start + 1..].char_indices();
        while let Some((offset, c)) = chars.next() {
            if c == quote {
                self.at = start + 1 + offset + 1;
                let kind = match (quote, value.chars().next()) {
                    ('\'', first) => TokenKind::Integer(first.map_or(0, |c| i64::from(c as u32))),
                    _ => TokenKind::Text(value),
                };
                self.push(start, kind);
                return;
            }
            match c {
                '\n' => break,
                '\\' => value.extend(chars.next().map(|(_, escaped)| unescape(escaped))),
                c => value.push(c),
            }
        }
        let line = self.rest().find('\n').unwrap_or(self.rest().len());
        self.at += line;
        let what = if quote == '"' {
            "string"
        } else {
            "character constant"
        };
        let span = self.span(start);
        self.diagnostics.push(
            Diagnostic::error(&codes::UNTERMINATED, format!("{what} without end"))
                .at(span)
                .hint("close it on the same line"),
        );
    }

    /// A preprocessing number: digits, letters, dots, and signs after an exponent letter.
    fn number(&mut self) {
        let start = self.at;
        let mut before = ' ';
        self.at += prefix_length(self.rest(), |c| {
            let sign_of_exponent =
                (c == '+' || c == '-') && matches!(before, 'e' | 'E' | 'p' | 'P');
            let part = c.is_ascii_alphanumeric() || c == '.' || c == '_' || sign_of_exponent;
            before = c;
            part
        });
        // In hexadecimal integers `e` is a digit: 0xe+1 is a sum.
        let mut text = &self.text[start..self.at];
        if is_hexadecimal(text) && !text.contains(['p', 'P', '.']) {
            let length = prefix_length(text, |c| c.is_ascii_alphanumeric());
            self.at = start + length;
            text = &text[..length];
        }
        match number(text) {
            Some(kind) => self.push(start, kind),
            None => {
                let message = format!("`{text}` is not a number");
                let span = self.span(start);
                self.diagnostics.push(
                    Diagnostic::error(&codes::NUMBER, message)
                        .at(span)
                        .hint("write a number such as 12, 0x1F or 1.5e-3"),
                );
                self.push(start, TokenKind::Integer(0));
            }
        }
    }

    fn unexpected(&mut self) {
        let start = self.at;
        let strange = |c: char| {
            !c.is_ascii_alphanumeric()
                && !c.is_whitespace()
                && !"_\"'".contains(c)
                && !PUNCTUATION.iter().any(|p| p.starts_with(c))
        };
        self.at += prefix_length(self.rest(), strange).max(1);
        while !self.text.is_char_boundary(self.at) {
            self.at += 1;
        }
        let shown = self.text[start..self.at].chars().next().unwrap_or(' ');
        let message = format!("unexpected character `{}`", shown.escape_default());
        let span = self.span(start);
        self.diagnostics.push(
            Diagnostic::error(&codes::CHARACTER, message)
                .at(span)
                .hint("remove it"),
        );
    }
}

/// Length of a backslash with the line end after it.
fn continuation(rest: &str) -> Option<usize> {
    let after = rest.strip_prefix('\\')?;
    let blanks = prefix_length(after, |c| c == ' ' || c == '\t' || c == '\r');
    after[blanks..].starts_with('\n').then_some(blanks + 2)
}

/// Length of a `//` comment, which a continuation prolongs.
fn line_comment(rest: &str) -> usize {
    let mut length = 0;
    loop {
        match rest[length..].find('\n') {
            None => return rest.len(),
            Some(end) if rest[..length + end].trim_end_matches('\r').ends_with('\\') => {
                length += end + 1;
            }
            Some(end) => return length + end,
        }
    }
}

fn prefix_length(text: &str, mut accept: impl FnMut(char) -> bool) -> usize {
    text.find(|c| !accept(c)).unwrap_or(text.len())
}

fn unescape(c: char) -> char {
    match c {
        'n' => '\n',
        't' => '\t',
        'r' => '\r',
        '0' => '\0',
        other => other,
    }
}

fn is_hexadecimal(text: &str) -> bool {
    text.starts_with("0x") || text.starts_with("0X")
}

/// The constant a preprocessing number stands for.
fn number(text: &str) -> Option<TokenKind> {
    let hexadecimal = is_hexadecimal(text);
    let exponent: &[char] = if hexadecimal {
        &['.', 'p', 'P']
    } else {
        &['.', 'e', 'E']
    };
    if text.contains(exponent) {
        return real(text, hexadecimal);
    }
    let digits = text.trim_end_matches(['u', 'U', 'l', 'L']);
    if !hexadecimal && digits.ends_with(['f', 'F']) {
        return None;
    }
    let value = if hexadecimal {
        i64::from_str_radix(&digits[2..], 16)
    } else if digits.len() > 1 && digits.starts_with('0') {
        i64::from_str_radix(digits, 8)
    } else {
        digits.parse()
    };
    value.ok().map(TokenKind::Integer)
}

fn real(text: &str, hexadecimal: bool) -> Option<TokenKind> {
    let digits = text.trim_end_matches(['f', 'F', 'l', 'L']);
    let single = text.ends_with(['f', 'F']);
    let valid = if hexadecimal {
        // The fraction of a hexadecimal constant may end in `f`; the exponent is always decimal.
        let (mantissa, exponent) = digits[2..].split_once(['p', 'P'])?;
        let hex = |c: char| c.is_ascii_hexdigit() || c == '.';
        !mantissa.is_empty()
            && mantissa.chars().all(hex)
            && mantissa.matches('.').count() <= 1
            && exponent.parse::<i32>().is_ok()
    } else {
        digits.parse::<f64>().is_ok()
    };
    valid.then(|| TokenKind::Real(digits.to_string(), single))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        let mut diagnostics = Vec::new();
        let tokens = lex(0, text, &mut diagnostics);
        let mut shown: Vec<String> = tokens.iter().map(|t| t.kind.describe()).collect();
        shown.extend(
            diagnostics
                .iter()
                .map(|d| format!("{}: {}", d.code, d.message)),
        );
        assert_eq!(shown.join(" "), expected, "{text:?}");
    }

    #[test]
    fn tokens() {
        check("a<<=b->c", "`a` `<<=` `b` `->` `c`");
        check("x/*/ y */+// z\\\n still\n1", "`x` `+` `1`");
        check("0x1F 017 10UL 'a' '\\n'", "`31` `15` `10` `97` `10`");
        check("0xe+1", "`14` `+` `1`");
        check(
            "1. .5 1e-3f 0x1.8p3 2.0L",
            "`1.` `.5` `1e-3` `0x1.8p3` `2.0`",
        );
        check("a\\\nb", "`a` `b`");
    }

    #[test]
    fn problems() {
        check("1.2.3", "`0` RB0103: `1.2.3` is not a number");
        check(
            "99999999999999999999",
            "`0` RB0103: `99999999999999999999` is not a number",
        );
        check("a @é b", "`a` `b` RB0101: unexpected character `@`");
        check("/* x", "RB0102: comment without end");
        check("\"x\ny", "`y` RB0102: string without end");
    }
}
