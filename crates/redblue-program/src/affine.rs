//! Integer expressions and conditions in loop variables and sizes, before they become isl sets.
//!
//! ```text
//! C expression ──► Value (min, max, choice of polynomials) ──► Formula (and/or of linear constraints) ──► isl text
//! ```
//!
//! Front ends compute on these small exact values because they must see what isl no longer shows: products
//! of sizes in flat indices, which name stands for a number, in which direction a bound moves. isl decides
//! everything that needs a proof.

pub(crate) mod codes;
mod formula;
mod linear;
mod polynomial;
mod text;
mod value;

pub(crate) use formula::Formula;
pub(crate) use linear::{Atom, Linear, Trend};
pub(crate) use polynomial::{Monomial, Polynomial};
pub(crate) use text::{is_isl_word, tuple_text};
pub(crate) use value::Value;

/// Why an expression has no exact affine form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum AffineError {
    /// Atoms are multiplied with each other; the monomial is given.
    Product(Monomial),
    /// The expression has more pieces than any hand-written bound.
    TooComplicated,
}
