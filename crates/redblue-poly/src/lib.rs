//! Integer sets and maps on isl, and counting their points.
//!
//! ```text
//! text / PwAff ──► Set, Map, UnionSet, UnionMap ──► exact set algebra, flow()
//!                        ├──► scan::LoopNest: runs all points in schedule order
//!                        └──► Count: the number of points as a quasi-polynomial
//! ```
//!
//! ```
//! use redblue_poly::{Context, Set};
//!
//! let context = Context::new()?;
//! let triangle = Set::parse(&context, "[n] -> { [i, j] : 0 <= i < j < n }")?;
//! let sizes = Set::parse(&context, "[n] -> { : n >= 1 }")?;
//! assert_eq!(triangle.count_within(&sizes)?.to_string(), "n^2/2 - n/2");
//! # Ok::<(), redblue_poly::PolyError>(())
//! ```
//!
//! A thin safe layer on [isl](https://libisl.sourceforge.io): contexts are values, every failure is a
//! [`PolyError`], runaway computations end with [`PolyError::Budget`], and nothing approximates. No
//! floating point, no global state. Objects of one [`Context`] stay on one thread.

mod affine;
mod context;
pub mod count;
mod error;
mod flow;
mod handle;
mod map;
mod pieces;
mod pw_aff;
pub mod scan;
mod set;
mod space;
mod sys;
mod text;
mod union;
mod value;

pub use affine::{Affine, Constraint, Floor, Linear};
pub use context::Context;
pub use count::{Count, QuasiPolynomial};
pub use error::{PolyError, Result};
pub use flow::{Flow, flow};
pub use map::Map;
pub use pw_aff::PwAff;
pub use set::{BasicSet, Set};
pub use space::Space;
pub use union::{UnionMap, UnionSet};
