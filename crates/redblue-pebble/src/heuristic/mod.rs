//! Good plays on graphs of any size: Belady's rule on a given order, and a search over orders.
//!
//! Every result is a legal play, hence an upper bound on the optimum; nothing here proves a lower
//! bound. Recomputation is never used: what is legal without it is legal with it.

mod belady;
mod order;

pub use belady::belady;
pub use order::{Greed, OrderSearch, depth_first_order, greedy_order, search_order};
