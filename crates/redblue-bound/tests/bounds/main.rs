//! Bounds of whole programs: strong enough, never too high, and the same for every spelling.

mod common;
mod contractions;
mod robust;
mod soundness;
mod strength;
