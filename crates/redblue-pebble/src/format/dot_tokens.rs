//! The tokens of a Graphviz file, each with its line; comments and white space are skipped.

use std::iter::Peekable;
use std::str::Chars;

use crate::error::Error;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Token {
    /// A name, number or quoted string.
    Name(String),
    /// One of `{ } [ ] ; , =`.
    Sign(char),
    Arrow,
}

pub(super) fn tokens(text: &str) -> Result<Vec<(usize, Token)>, Error> {
    let mut lexer = Lexer {
        chars: text.chars().peekable(),
        line: 1,
    };
    let mut tokens = Vec::new();
    while let Some(c) = lexer.next() {
        let line = lexer.line;
        match c {
            c if c.is_whitespace() => {}
            '#' => lexer.skip_line(),
            '/' if lexer.chars.peek() == Some(&'/') => lexer.skip_line(),
            '/' if lexer.chars.peek() == Some(&'*') => lexer.skip_comment()?,
            '-' if lexer.chars.next_if_eq(&'>').is_some() => tokens.push((line, Token::Arrow)),
            '-' => return malformed(line, "the graph must be directed: use '->'"),
            '{' | '}' | '[' | ']' | ';' | ',' | '=' => tokens.push((line, Token::Sign(c))),
            '"' => tokens.push((line, Token::Name(lexer.quoted()?))),
            c if in_word(c) => tokens.push((line, Token::Name(lexer.word(c)))),
            _ => return malformed(line, format!("unexpected '{c}'")),
        }
    }
    Ok(tokens)
}

struct Lexer<'a> {
    chars: Peekable<Chars<'a>>,
    line: usize,
}

impl Lexer<'_> {
    fn next(&mut self) -> Option<char> {
        let c = self.chars.next()?;
        self.line += usize::from(c == '\n');
        Some(c)
    }

    fn skip_line(&mut self) {
        while self.chars.next_if(|&c| c != '\n').is_some() {}
    }

    fn skip_comment(&mut self) -> Result<(), Error> {
        let opened = self.line;
        // The star that opens the comment must not close it.
        self.next();
        let mut last = ' ';
        while let Some(c) = self.next() {
            if last == '*' && c == '/' {
                return Ok(());
            }
            last = c;
        }
        malformed(opened, "the comment is not closed")
    }

    fn quoted(&mut self) -> Result<String, Error> {
        let opened = self.line;
        let mut name = String::new();
        while let Some(c) = self.next() {
            match c {
                '"' => return Ok(name),
                '\\' => name.extend(self.next()),
                _ => name.push(c),
            }
        }
        malformed(opened, "the string is not closed")
    }

    fn word(&mut self, first: char) -> String {
        let mut name = String::from(first);
        while let Some(c) = self.chars.next_if(|&c| in_word(c)) {
            name.push(c);
        }
        name
    }
}

fn in_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '.'
}

fn malformed<T>(line: usize, reason: impl Into<String>) -> Result<T, Error> {
    Err(Error::Malformed {
        line,
        reason: reason.into(),
    })
}
