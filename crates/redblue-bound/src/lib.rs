//! Engines that derive lower bounds on data movement, one file per method.
//!
//! ```text
//! Program ──► Graph ──► methods ──► Certificate ──► redblue_cert::check ──► LowerBound
//! ```
//!
//! An engine only proposes: what it finds becomes a bound when the checker has accepted its proof.

pub mod addition;
mod alignment;
pub mod analysis;
pub mod compulsory;
pub mod crossing;
mod documentation;
pub mod error;
pub mod exponents;
pub mod family;
pub mod field;
pub mod fused;
pub mod graph;
pub mod hourglass;
pub mod joint;
mod label;
pub mod merging;
pub mod mirror;
pub mod parallel;
mod places;
pub mod plan;
pub mod projections;
pub mod reach;
pub mod reduction;
pub mod reference;
pub mod seeds;
pub mod spills;
pub mod symmetric;
pub mod targets;
#[cfg(test)]
mod trial;
pub mod wavefront;
pub mod write;

pub use documentation::documentation;
pub use error::{BoundError, Result};
pub use graph::Graph;
