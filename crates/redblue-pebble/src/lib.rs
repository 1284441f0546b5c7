//! Computation graphs, pebble games, their referee and exact optima.
//!
//! A [`Cdag`] is a computation with one vertex per value. A [`Game`] fixes what a play on it may
//! do and what costs; [`referee::judge`] counts the traffic of a play or names its first illegal
//! move. Everything that claims a number answers to the referee.
//!
//! ```text
//!   generate / format / Builder ──► Cdag ──┬──► exact      optimum, or a proven interval
//!                                          ├──► heuristic  good plays on large graphs
//!                                          ├──► partition  dominators, S- and X-partitions
//!                                          └──► bound      lower bounds for explicit graphs
//!                                 Vec<Move> ──► referee ──► Score
//! ```

pub mod bound;
mod builder;
mod cdag;
mod error;
pub mod exact;
mod flow;
pub mod format;
mod game;
pub mod generate;
pub mod heuristic;
pub mod notation;
pub mod partition;
pub mod program;
pub mod referee;

pub use builder::Builder;
pub use cdag::{Cdag, MOST_VERTICES, Vertex};
pub use error::Error;
pub use game::{Game, Move};
pub use redblue_math::random::Random;

// The dumb exact player of the integration tests also checks the search without its helpers.
#[cfg(test)]
extern crate self as redblue_pebble;
#[cfg(test)]
#[path = "../tests/common/exhaustive.rs"]
mod exhaustive;
#[cfg(test)]
#[path = "../tests/common/mod.rs"]
mod testing;
