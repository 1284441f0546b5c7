//! What is wrong with an input, where, and what to do about it.
//!
//! A [`Diagnostic`] is a value; [`SourceMap::render`] turns it into the text users see, with the source
//! line, a caret, notes and a hint.

use std::fmt;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The analysis goes on with what is said in the message.
    Warning,
    /// The statement or the whole input is left out.
    Error,
}

/// A range of bytes in one file of a [`SourceMap`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// Index of the file in the source map.
    pub file: u32,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

/// One problem of an input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// A code such as `RB0203`; `redblue explain CODE` tells more.
    pub code: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// Where, if it has a place.
    pub span: Option<Span>,
    /// What is wrong, in one sentence without a full stop.
    pub message: String,
    /// Further facts.
    pub notes: Vec<String>,
    /// What to do.
    pub hint: Option<String>,
}

/// The files that spans point into.
#[derive(Clone, Debug, Default)]
pub struct SourceMap {
    files: Vec<(String, String)>,
}
