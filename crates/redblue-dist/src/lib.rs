//! Parallel plans for matrix product: who computes what, what moves, and how far that is from the bound.
//!
//! ```text
//! Problem ──plan::search──► Plan ──► RankPlan (brick, owned words, rounds) ──► execution over a Comm
//!                            │ └──► Summary: volume, work, memory, messages
//!          text, and back ◄──┤
//!         bound, baseline ◄──┤
//!  layout ──► plan::joint ◄──┘     redistribute and use the plan, or stay in the caller's layout
//! ```
//!
//! `plan`, `bound` and `baseline` are pure integer arithmetic: nothing communicates and nothing is multiplied.
//! `layout` says where words are and moves them, `comm` is how ranks talk.

pub mod baseline;
pub mod bound;
pub mod comm;
pub mod layout;
pub mod plan;
pub mod shape;

pub use shape::{Axis, Brick, Matrix, Rect, Shape};
