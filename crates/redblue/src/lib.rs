//! redblue, a toolkit for data movement, as a library.
//!
//! You give it a kernel (C loops, an einsum, a name of the catalogue); it reads the kernel exactly, with
//! symbolic sizes, and tells who computes which value for whom. The crates below are re-exported under their
//! short names; this crate adds what connects them to the outside: [`input`], [`sizes`], [`memory`] and
//! [`host`].
//!
//! ```
//! use redblue::dataflow::Dataflow;
//! use redblue::input::{load, resolve};
//! use redblue::program::reading::ReadOptions;
//!
//! let reading = load(&resolve("gemm", false)?, &ReadOptions::default());
//! let program = reading.program.ok_or("gemm was not understood")?;
//! let dataflow = Dataflow::of(&program)?;
//!
//! // The product is a sum over k: each instance of the update reads what the one before it wrote.
//! let update = program.statement_ids().last().ok_or("no statements")?;
//! assert!(dataflow.reduction(update).is_some());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The binary of the same name is a thin layer over this library; [`view`] has what it prints.

pub mod bound;
pub mod codes;
mod compile;
pub mod concepts;
pub mod duration;
pub mod gap;
pub mod graph;
pub mod host;
pub mod input;
pub mod launch;
pub mod memory;
mod refusal;
pub mod simulate;
pub mod sizes;
pub mod tile;
pub mod timing;
pub mod verify;
pub mod view;

pub use redblue_bound as bounds;
pub use redblue_cert as cert;
pub use redblue_dist as dist;
pub use redblue_kernels as kernels;
pub use redblue_math as math;
pub use redblue_pebble as pebble;
pub use redblue_poly as poly;
pub use redblue_program as program;
pub use redblue_program::{catalogue, dataflow};
pub use redblue_report as report;
pub use redblue_schedule as schedule;
pub use redblue_sim as sim;
pub use refusal::Refusal;
