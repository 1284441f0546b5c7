//! Claims about data movement, their certificates, and the independent checker.
//!
//! ```text
//! Certificate, Program ──► check ──► LowerBound, or Refusal
//! ```
//!
//! A [`LowerBound`] exists only after [`check`]. The checker trusts the front end's `Program`, isl with the counting on top of it, and redblue-math;
//! it shares no code with the engines and fails closed.

pub mod bound;
pub mod certificate;
pub mod check;
pub mod model;
pub mod refusal;
pub mod text;

pub use bound::{LowerBound, combine, combine_at};
pub use certificate::{Certificate, Claim, Proof};
pub use check::{Checker, check};
pub use model::{Counted, Model, Sums};
pub use refusal::{Cause, Refusal};
