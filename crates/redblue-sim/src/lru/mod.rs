//! Least recently used: exact, fully associative.
//!
//! [`Distances`] gives the traffic for all sizes in one pass, [`OneSize`] for a single size at a quarter of
//! the cost. Sizes and distances are in cells.

mod distances;
mod live_slots;
mod one_size;
mod recency;

pub use distances::Distances;
pub use one_size::OneSize;
pub(crate) use recency::{Met, Recency};
