//! Dominators, minimum sets and the partitions of Hong-Kung and COSMA (theory G-5, G-9, C-2).

mod check;
mod sets;

pub use check::{Violation, check_partition, phases};
pub use sets::{in_set, minimum_dominator, minimum_set};
