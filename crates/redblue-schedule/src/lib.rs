//! Schedules: other orders of a program, and the code for them.
//!
//! ```text
//! Program ──expand──► Program ──(another schedule)──► Program ──emit──► C, Rust
//! ```
//!
//! A schedule is a [`Program`](redblue_program::Program) whose statements have other time maps; the scanner, the
//! simulators, the interpreter and the code generator work on it unchanged.
//!
//! Legality is a theorem about [`order`]s, traffic one about what stays resident ([`tile`]'s result lists it); both are
//! proved with exact sets. The search that chooses is a heuristic with fixed budgets.

mod aside;
mod candidate;
mod choices;
mod components;
mod copies;
mod dependence;
pub mod emit;
mod error;
mod estimate;
pub mod expand;
mod family;
mod flat;
mod footprint;
mod form;
mod formula;
mod linear;
mod nested;
pub mod order;
mod partition;
mod plan;
mod points;
mod release;
#[cfg(test)]
mod replay;
mod residency;
mod retain;
mod sample;
mod search;
mod shape;
mod site;
pub mod speed;
mod steps;
mod storage;
mod threads;
mod tile;
mod tiling;
mod told;
mod turns;
mod twins;
mod unfold;
mod walk;
mod webs;
mod window;

// For its allocator.
#[cfg(test)]
use redblue_testkit as _;

pub use aside::tile_all;
pub use emit::{EmitError, EmitOptions, emit_c, emit_rust};
pub use error::{Result, ScheduleError};
pub use expand::expand;
pub use order::{Component, Dim, Family, Order, Row};
pub use speed::{Hardware, order_for_speed};
pub use threads::{processors, side_by_side};
pub use tile::{tile, tile_nested};
pub use tiling::{Alternative, Options, Resident, Scope, Stop, Tiling, Together, Traffic};
