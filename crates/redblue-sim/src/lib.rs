//! Cache simulation: the traffic of any order of accesses, for every size of the fast memory.
//!
//! ```text
//! Program + schedule ──► Nest ──► Trace ──► lru::Distances, opt::Distances ──► Profile ──► Traffic (any size)
//!                          │           ├──► lru::OneSize,   opt::OneSize   ──────────────► Traffic (one size)
//!                          │           └──► hierarchy::Caches ───────────────────────────► Traffic per level
//!                          └──► regular::lru (skips what repeats) ───────────────────────► Traffic (one size)
//! ```
//!
//! A [`Trace`] streams accesses to cells (words or lines); a [`Simulator`] consumes them and yields
//! [`Traffic`]: loads and stores, split by cause, per reference and per array. What an access costs is
//! said at [`Grain`]. A [`Nest`](nest::Nest) is a trace that knows its loops, which [`regular`] uses to count
//! billions of accesses in milliseconds. [`machine`] reads the caches of the machine at hand.
//!
//! ```
//! use redblue_sim::{lru, opt, run, synthetic::Matmul, Grain, Trace};
//!
//! # fn main() -> Result<(), redblue_sim::SimError> {
//! let product = Matmul { m: 20, n: 20, k: 20, order: [0, 1, 2], tile: Some(5), grain: Grain::Word };
//! let trace = product.trace()?;
//! let best = run(opt::Distances::new(trace.shape()), &trace);
//! let usual = run(lru::Distances::new(trace.shape()), &trace);
//! assert_eq!(best.traffic(36).accesses(), 4 * 20 * 20 * 20);
//! assert!(best.traffic(36).loads() <= usual.traffic(36).loads());
//! # Ok(())
//! # }
//! ```

mod error;
pub mod hierarchy;
pub mod lru;
pub mod machine;
pub mod naive;
pub mod nest;
pub mod opt;
mod profile;
pub mod regular;
pub mod synthetic;
mod tally;
mod trace;
mod traffic;

pub use error::SimError;
pub use profile::{Curve, Profile, ReferenceProfile};
pub use redblue_math::random::Random;
pub use trace::{
    Access, Array, Blocks, Grain, MAX_CELLS, Recorded, Reference, Shape, Simulator, Trace, run,
};
pub use traffic::{ReferenceTraffic, Traffic};
