//! Programs: what every analysis of redblue starts from.
//!
//! ```text
//! C source ──► c::read ───────┐
//! einsum   ──► einsum::read ──┼──► Program ──► Dataflow ──► Canonical
//! name     ──► catalogue ─────┘
//! ```
//!
//! A [`Program`] is a list of [`Statement`]s with exact iteration domains, an execution order and exact
//! accesses, all with symbolic sizes. A front end either understands a statement exactly or reports a
//! [`Diagnostic`]; nothing is approximated.

pub mod diagnostic;
pub mod program;

pub use diagnostic::{Diagnostic, Severity, SourceMap, Span};
pub use program::{
    Access, Array, ArrayId, BinaryOp, ElementType, Expression, Param, Program, Role, Statement,
    StatementId, UnaryOp,
};
