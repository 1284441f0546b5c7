//! What a front end is asked and what it answers.
//!
//! ```text
//! text + ReadOptions ──► c::read | einsum::read ──► Reading { program?, diagnostics, sources }
//! ```
//!
//! Reading never fails as a function call: problems of the input are diagnostics, and the program is there
//! as far as it was understood.

use std::collections::BTreeMap;

use crate::diagnostic::{Diagnostic, SourceMap};
use crate::program::{ElementType, Program};

/// How an input is to be read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReadOptions {
    /// Folders searched for included files, in order (C only).
    pub include_dirs: Vec<String>,
    /// The function meant, when a file has several (C only).
    pub function: Option<String>,
    /// Sizes given by the user. They stay symbolic in the program, except where the source needs a number
    /// (a stride, a divisor).
    pub defines: BTreeMap<String, i64>,
    /// Conditions on sizes, as in `M >= N`.
    pub assumptions: Vec<String>,
    /// The arrays that are outputs, instead of the default rule.
    pub outputs: Option<Vec<String>>,
    /// Element type of inputs whose text has none (einsum only); double precision if not given.
    pub dtype: Option<ElementType>,
}

/// What was read.
#[derive(Clone, Debug)]
pub struct Reading {
    /// The program, as far as it was understood; see [`Program::omitted`].
    pub program: Option<Program>,
    /// Problems in the order of the source.
    pub diagnostics: Vec<Diagnostic>,
    /// The texts that the diagnostics point into.
    pub sources: SourceMap,
}

impl Reading {
    /// Whether anything was left out.
    pub fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(Diagnostic::is_error)
    }

    /// All diagnostics as text.
    pub fn render(&self) -> String {
        self.sources.render_all(&self.diagnostics)
    }
}
