//! What a number counts: the model every bound, schedule and simulation carries.
//!
//! Numbers of different models are never compared. [`Model::implies`] says when a lower bound proved in one
//! model is one in another.

use serde::{Deserialize, Serialize};

/// What is counted, and what a schedule is allowed to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Model {
    /// Which transfers are counted.
    pub count: Counted,
    /// Whether a value may be computed more than once.
    pub recompute: bool,
    /// Whether associative-commutative sums keep the program's own order.
    pub sums: Sums,
}

/// Which transfers between fast and slow memory are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Counted {
    /// Loads only.
    Loads,
    /// Loads and stores; every result is stored at the end.
    Total,
}

/// The order of associative-commutative sums.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Sums {
    /// The program's own order, one running value per sum.
    Fixed,
    /// Any order and any tree.
    Free,
}

impl Model {
    /// The contract's default: loads and stores, no recomputation, the program's own order of sums.
    pub const DEFAULT: Model = Model {
        count: Counted::Total,
        recompute: false,
        sums: Sums::Fixed,
    };

    /// Whether a lower bound proved in this model is a lower bound in `other`: `other` counts at least as
    /// much and allows no more.
    pub fn implies(self, other: Model) -> bool {
        self.count <= other.count && (self.recompute || !other.recompute) && self.sums >= other.sums
    }
}

impl Default for Model {
    fn default() -> Self {
        Model::DEFAULT
    }
}
