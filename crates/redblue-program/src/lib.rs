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

pub(crate) mod affine;
pub mod assume;
pub mod build;
pub mod c;
pub mod canonical;
pub mod catalogue;
pub mod dataflow;
pub mod diagnostic;
pub mod einsum;
pub mod error;
pub mod expression;
pub mod interpret;
pub mod program;
pub mod reading;
pub mod suggest;

pub use canonical::Canonical;
pub use dataflow::Dataflow;
pub use diagnostic::{Diagnostic, Severity, SourceMap, Span};
pub use error::ProgramError;
pub use expression::{BinaryOp, Expression, UnaryOp};
pub use program::{
    Access, Array, ArrayId, ElementType, Param, Program, Role, Sizes, Statement, StatementId,
};
