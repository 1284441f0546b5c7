//! Why something asked for was not done: diagnostics with the texts they point into.

use std::fmt;

use redblue_program::diagnostic::Code;
use redblue_program::{Diagnostic, SourceMap, Span};

/// The error type of the facade.
#[derive(Clone, Debug, Default)]
pub struct Refusal {
    /// What is wrong; at least one entry.
    pub diagnostics: Vec<Diagnostic>,
    /// The texts that the diagnostics point into.
    pub sources: SourceMap,
}

impl Refusal {
    /// A refusal that points at a part of one argument, which is shown like a source line.
    ///
    /// `origin` names where the argument came from, as in `-D`.
    pub(crate) fn in_argument(
        origin: &str,
        argument: &str,
        part: std::ops::Range<usize>,
        diagnostic: Diagnostic,
    ) -> Refusal {
        let mut sources = SourceMap::new();
        let file = sources.add(origin, argument);
        let offset = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        let span = Span {
            file,
            start: offset(part.start),
            end: offset(part.end),
        };
        Refusal {
            diagnostics: vec![diagnostic.at(span)],
            sources,
        }
    }

    /// A refusal because an exact computation ended early or failed.
    pub fn gave_up(what: &str, error: &dyn std::error::Error) -> Refusal {
        Refusal::from(Diagnostic::error(
            &crate::codes::GAVE_UP,
            format!("{what}: {error}"),
        ))
    }

    /// A refusal without a place in a text.
    pub fn new(code: &Code, message: impl Into<String>) -> Refusal {
        Refusal::from(Diagnostic::error(code, message))
    }

    /// The same with advice on its last diagnostic.
    pub fn hint(mut self, hint: impl Into<String>) -> Refusal {
        if let Some(last) = self.diagnostics.last_mut() {
            last.hint = Some(hint.into());
        }
        self
    }
}

impl From<Diagnostic> for Refusal {
    fn from(diagnostic: Diagnostic) -> Refusal {
        Refusal {
            diagnostics: vec![diagnostic],
            sources: SourceMap::new(),
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.sources.render_all(&self.diagnostics).trim_end())
    }
}

impl std::error::Error for Refusal {}
