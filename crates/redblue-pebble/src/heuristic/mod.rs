//! Good plays on graphs of any size: Belady's rule on a given order, and a search over orders.
//!
//! Every result is a legal play, hence an upper bound on the optimum; nothing here proves a lower
//! bound. Recomputation is never used: what is legal without it is legal with it.

mod belady;
mod greedy;
mod order;

pub use belady::{Replay, belady};
pub use greedy::{Greed, greedy_order};
pub(crate) use order::search_order_until;
pub use order::{OrderSearch, depth_first_order, search_order};
