//! The soundness harness: it takes a claimed lower bound and tries to break it.
//!
//! ```text
//! Claim { program, sizes, S, game, value } ──► attack ──► Survived, or Broken { by, io }
//! ```
//!
//! A bound is broken by one legal play that moves less. Plays come from the exact player where the graph is
//! small, and from Belady's rule on a suite of [`orders`] elsewhere (T-4): every permutation and many tilings
//! of the loops and of the cells, eager and lazy, random topological orders, and orders improved by local search. Each play is judged by the referee
//! before it counts. [`convex`] attacks the phase capacity U(K) of a proof directly (T-5), [`capacities`]
//! lists the memory sizes at which proofs tend to fail.
//!
//! The harness shares no code with the engines that derive bounds.

pub mod attack;
pub mod capacities;
pub mod convex;
pub mod orders;

pub use attack::{Attack, AttackError, Claim, Effort, Verdict, attack, attack_graph};
