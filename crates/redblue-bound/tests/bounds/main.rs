//! Bounds of whole programs: strong enough, never too high, and the same for every spelling.

mod attention;
mod common;
mod contractions;
#[path = "../../examples/bounds/published.rs"]
mod published;
mod robust;
mod soundness;
mod strength;
#[path = "../../examples/bounds/table.rs"]
mod table;
mod tables;
