//! What is wrong with an input, where, and what to do about it.
//!
//! A [`Diagnostic`] is a plain value made by a front end; [`SourceMap::render`] turns it into the text
//! users see, with the source line, a caret, notes and a hint. Its [`Code`] leads to the longer
//! explanation that `redblue explain CODE` prints. Nothing here prints or reads files.

pub mod codes;
mod render;
mod source_map;

pub use codes::Code;
pub use source_map::{Location, SourceMap};

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

impl Span {
    /// The smallest range that holds both; `self` if they are in different files.
    pub fn to(self, other: Span) -> Span {
        if self.file != other.file {
            return self;
        }
        Span {
            file: self.file,
            start: self.start.min(other.start),
            end: self.end.max(other.end),
        }
    }
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

impl Diagnostic {
    /// An error with this code and message.
    pub fn error(code: &Code, message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            code: code.id,
            severity: Severity::Error,
            span: None,
            message: message.into(),
            notes: Vec::new(),
            hint: None,
        }
    }

    /// A warning with this code and message.
    pub fn warning(code: &Code, message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            severity: Severity::Warning,
            ..Diagnostic::error(code, message)
        }
    }

    /// The same problem, placed in the source.
    pub fn at(mut self, span: Span) -> Diagnostic {
        self.span = Some(span);
        self
    }

    /// The same problem with one more fact.
    pub fn note(mut self, note: impl Into<String>) -> Diagnostic {
        self.notes.push(note.into());
        self
    }

    /// The same problem with advice.
    pub fn hint(mut self, hint: impl Into<String>) -> Diagnostic {
        self.hint = Some(hint.into());
        self
    }

    /// The same problem with advice, if there is any.
    pub fn hint_if(mut self, hint: Option<String>) -> Diagnostic {
        self.hint = hint.or(self.hint);
        self
    }

    /// Whether it leaves something out of the program.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}
