//! What lowering knows about arrays and statements before isl is asked.

use crate::affine::{Formula, Value};
use crate::diagnostic::Span;
use crate::expression::Expression;
use crate::program::{ElementType, Role};

/// An array or scalar.
#[derive(Debug)]
pub(super) struct ArrayDraft {
    /// Unique among arrays; another one's name with a number if the source uses a name twice.
    pub(super) name: String,
    pub(super) element: ElementType,
    pub(super) role: Role,
    /// A scalar passed by value: what it holds at the end is lost.
    pub(super) by_value: bool,
    /// A local that is set before the analysed region, so that its first value is an input.
    pub(super) captured: bool,
    /// Whether it is the value the function returns.
    pub(super) returned: bool,
    pub(super) constant: bool,
    pub(super) extents: Vec<Option<Value>>,
}

/// A reference to a cell.
#[derive(Clone, Debug)]
pub(super) struct AccessDraft {
    pub(super) array: usize,
    pub(super) subscripts: Vec<Value>,
    pub(super) span: Span,
}

/// A statement.
#[derive(Debug)]
pub(super) struct StatementDraft {
    pub(super) label: Option<String>,
    pub(super) iterators: Vec<String>,
    pub(super) domain: Formula,
    pub(super) time: Vec<Time>,
    pub(super) write: AccessDraft,
    pub(super) reads: Vec<AccessDraft>,
    pub(super) value: Expression,
    pub(super) span: Span,
}

impl StatementDraft {
    /// The write and the reads.
    pub(super) fn accesses_mut(&mut self) -> impl Iterator<Item = &mut AccessDraft> {
        std::iter::once(&mut self.write).chain(&mut self.reads)
    }

    /// The write and the reads.
    pub(super) fn accesses(&self) -> impl Iterator<Item = &AccessDraft> {
        std::iter::once(&self.write).chain(&self.reads)
    }
}

/// One component of an execution time.
#[derive(Clone, Copy, Debug)]
pub(super) enum Time {
    /// Position among the parts of a loop body.
    Position(usize),
    /// The loop at this depth.
    Loop { depth: usize, backwards: bool },
}
