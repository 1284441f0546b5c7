//! Exact mathematics for data-movement bounds, without floating point.
//!
//! | module | values |
//! |---|---|
//! | [`rational`], [`integer`] | big rationals; roots and factors of integers |
//! | [`expr`] | [`Expr`]: formulas in sizes, `S` and `p`; text, LaTeX, exact evaluation, dominance |
//! | [`faulhaber()`], [`power_sum`] | sums of powers |
//! | [`lp`] | exact linear programs that return certificates |
//! | [`polyhedron`] | vertices and rays |
//! | [`matrix`], [`subspace`] | linear algebra over the rationals; lattices of subspaces |
//! | [`random`] | numbers from a seed, the same everywhere |
//!
//! Everything is a plain value; nothing reads files or prints. Searches take limits, and errors are values.
//!
//! ```
//! use redblue_math::{Assignment, Expr};
//!
//! let bound: Expr = "2*N^3/sqrt(S) - S".parse()?;
//! let sizes = Assignment::new().with("N", 1000).with("S", 4096);
//! assert_eq!(bound.eval_floor(&sizes)?, 31_245_904.into());
//! # Ok::<(), redblue_math::MathError>(())
//! ```

mod error;
pub mod expr;
mod faulhaber;
pub mod integer;
mod interval;
pub mod lp;
pub mod matrix;
pub mod polyhedron;
pub mod random;
pub mod rational;
pub mod subspace;

pub use error::{MathError, Result};
pub use expr::{Assignment, Expr, Regime, Symbol};
pub use faulhaber::{faulhaber, power_sum};
pub use interval::Interval;
pub use lp::LinearProgram;
pub use matrix::Matrix;
pub use polyhedron::Polyhedron;
pub use rational::Rational;
pub use subspace::{Lattice, Subspace};
