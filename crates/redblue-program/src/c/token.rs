//! Tokens of C, each with its place.

use crate::diagnostic::Span;

/// One token.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Token {
    pub(crate) kind: TokenKind,
    /// Where it stands; for a token out of a macro body, where the macro is used.
    pub(crate) span: Span,
    /// Whether it is the first on its line, which is where directives begin.
    pub(crate) first_on_line: bool,
    /// Whether white space comes before it: `#define f (x)` has no parameters.
    pub(crate) after_space: bool,
}

/// What a token is.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum TokenKind {
    /// A name or keyword.
    Name(String),
    /// An integer constant; character constants are integers too.
    Integer(i64),
    /// A floating-point constant, as written without suffix, and whether its suffix was `f`.
    Real(String, bool),
    /// A string, without its quotes.
    Text(String),
    /// Punctuation, longest first: `<<=` is one token.
    Punct(&'static str),
    /// A `#pragma` line that means something here.
    Pragma(Pragma),
}

/// Pragmas that are understood; all others are dropped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Pragma {
    /// `#pragma scop`
    Scop,
    /// `#pragma endscop`
    EndScop,
    /// `#pragma redblue assume …`
    Assume(String),
}

/// All punctuation, so that a longer one comes before its prefixes.
pub(crate) const PUNCTUATION: [&str; 48] = [
    "<<=", ">>=", "...", "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "+=",
    "-=", "*=", "/=", "%=", "&=", "|=", "^=", "##", "(", ")", "[", "]", "{", "}", ";", ",", ".",
    "+", "-", "*", "/", "%", "<", ">", "=", "!", "~", "&", "|", "^", "?", ":", "#",
];

impl Token {
    /// Whether it is this punctuation.
    pub(crate) fn is(&self, punct: &str) -> bool {
        matches!(self.kind, TokenKind::Punct(p) if p == punct)
    }

    /// Its name, if it is one.
    pub(crate) fn name(&self) -> Option<&str> {
        match &self.kind {
            TokenKind::Name(name) => Some(name),
            _ => None,
        }
    }
}

impl TokenKind {
    /// How messages call it.
    pub(crate) fn describe(&self) -> String {
        match self {
            TokenKind::Name(name) => format!("`{name}`"),
            TokenKind::Integer(value) => format!("`{value}`"),
            TokenKind::Real(text, _) => format!("`{text}`"),
            TokenKind::Text(_) => "a string".into(),
            TokenKind::Punct(punct) => format!("`{punct}`"),
            TokenKind::Pragma(_) => "a pragma".into(),
        }
    }
}
