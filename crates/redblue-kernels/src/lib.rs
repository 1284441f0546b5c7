//! Kernels that move the least: local products, and the execution of distributed plans.
//!
//! ```text
//! Plan (redblue-dist) ──compile──► Program of one rank ──execute over Comm──► C, counted words
//!                                        │
//!                         local products by a Backend: reference | simd | blas
//! ```
//!
//! [`callers`] multiplies matrices that already have a layout: redistributed for a plan, or where they are.
//!
//! Plans decide, this crate obeys: it moves what [`redblue_dist::plan::RankPlan`] lists, in that order, and
//! nothing else. It links no isl.

pub mod backend;
pub mod callers;
pub mod matmul;
mod scalar;
pub mod trial;
mod view;

pub use backend::Backend;
pub use scalar::Scalar;
pub use view::{Frame, MatMut, MatRef};
