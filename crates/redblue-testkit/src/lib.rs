//! The soundness harness: it takes claimed lower bounds and tries to break them.
//!
//! ```text
//! Program, sizes ──► Arena ── Stake { S, model, value } ──► attack ──► Survived, or Broken { by, io, play }
//!                      └───── targets X, capacity U(K)  ──► phase  ──► Survived, or Broken { set }
//! ```
//!
//! A bound is broken by one legal play that moves less. Plays come from the exact player where the graph is
//! small, and from Belady's rule on a suite of [`orders`] elsewhere (T-4): permutations and tilings of the
//! loops and of the cells, eager and lazy (which covers left- and right-looking and stationary variants), random
//! topological orders, keys improved for the memory at hand, and orders improved by local search. In models with
//! free [`sums`], their terms are reordered as well. Every play is judged by the referee before it counts.
//! [`phase`] attacks the phase capacity U(K) of a proof directly (T-5); [`capacities`] and [`sizes`] list the
//! memories and sizes at which proofs tend to fail; [`programs`] writes programs on which they might.
//!
//! The harness shares no code with the engines that derive bounds. Recomputation is used by the exact player
//! only, so claims that allow it are attacked less hard on large graphs.

/// isl's `malloc` in every test that attacks something, which spends a fifth of its time there otherwise.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

pub mod arena;
pub mod attack;
pub mod capacities;
pub mod key;
pub mod model;
pub mod orders;
pub mod phase;
pub mod programs;
pub mod sizes;
pub mod sums;

pub use arena::{Arena, Source};
pub use attack::{Attack, AttackError, Claim, Effort, Stake, Verdict, attack};
pub use model::{Count, Model, Sums};
