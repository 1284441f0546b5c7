//! Bounds of whole programs: strong enough, never too high, and the same for every spelling.

mod arena;
mod attention;
mod common;
mod contractions;
mod mutation;
#[path = "../../examples/bounds/published.rs"]
mod published;
mod random;
mod robust;
mod soundness;
mod strength;
#[path = "../../examples/bounds/table.rs"]
mod table;
mod tables;
