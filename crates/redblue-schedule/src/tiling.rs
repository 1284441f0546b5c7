//! The answer: an order of execution with its proven traffic.

use std::time::{Duration, Instant};

use num_bigint::BigInt;
use redblue_cert::{Counted, Model};
use redblue_math::Expr;
use redblue_program::{ArrayId, Program, Sizes};

use crate::order::Order;

/// What is asked for.
#[derive(Clone, Debug)]
pub struct Options {
    /// What counts, and whether sums keep their order.
    pub model: Model,
    /// Words of fast memory; several levels from the smallest to the largest.
    pub fast: Vec<u64>,
    /// Values of the parameters; the source's own where none are given.
    pub sizes: Sizes,
    /// Ends the search early with the best answer so far. Without it, the search takes a fixed number of steps.
    pub time_limit: Option<Duration>,
    /// Units of work, of two microseconds or so, after which components are joined no further: [`Options::WORK`] unless
    /// several questions share the time.
    pub work: u64,
}

impl Options {
    /// The usual work for one question.
    pub const WORK: u64 = 2_400_000;

    /// The same question with the time that is left of what there was at `begun`.
    pub(crate) fn since(&self, begun: Instant) -> Options {
        let left = |limit: Duration| limit.saturating_sub(begun.elapsed());
        Options {
            time_limit: self.time_limit.map(left),
            ..self.clone()
        }
    }

    /// When limited time is over.
    pub(crate) fn end(&self, begun: Instant) -> Option<Instant> {
        self.time_limit.and_then(|limit| begun.checked_add(limit))
    }

    /// The same question when limited time is over.
    pub(crate) fn in_haste(&self) -> Options {
        Options {
            time_limit: self.time_limit.map(|_| Duration::ZERO),
            ..self.clone()
        }
    }
}

/// An order of execution with its proven traffic.
#[derive(Clone, Debug)]
pub struct Tiling {
    /// The program in the new order.
    pub program: Program,
    /// The order that was applied.
    pub order: Order,
    /// Values of all parameters.
    pub sizes: Sizes,
    /// The model of the traffic.
    pub model: Model,
    /// Words of fast memory that were allowed.
    pub fast: u64,
    /// Words that suffice: less than the sum of what stays where statements must take turns.
    pub fast_words: u64,
    /// What stays in fast memory, and how long.
    pub resident: Vec<Resident>,
    /// Words moved, proven.
    pub traffic: Traffic,
    /// Above what counts of the traffic of this order with these tiles: a formula in the sizes, as far as
    /// [`Tiling::scope`] goes. Its value is at least the exact number. It counts what moves while the same things stay; at
    /// other sizes they may need another number of words, where a whole row stays for instance.
    pub formula: Expr,
    /// The sizes that the formula is for.
    pub scope: Scope,
    /// Whether this is the program's own order.
    pub is_original: bool,
    /// Why the search ended.
    pub stopped: Stop,
    /// Other orders that were counted, best first: dimensions and total words.
    pub alternatives: Vec<Alternative>,
}

impl Tiling {
    /// What the model counts: loads, or loads and stores.
    pub fn cost(&self) -> BigInt {
        match self.model.count {
            Counted::Loads => self.traffic.loads.clone(),
            Counted::Total => self.traffic.total(),
        }
    }
}

/// Cells that stay while the first dimensions of a component do not change.
#[derive(Clone, Debug)]
pub struct Resident {
    /// Which component of the order.
    pub component: usize,
    /// The array.
    pub array: ArrayId,
    /// The references as written, `S1: A[i, k]`.
    pub references: Vec<String>,
    /// How many dimensions of the component are fixed while a cell stays; one more than there are means that
    /// nothing stays from one instance to the next.
    pub depth: usize,
    /// At most so many words at a time.
    pub words: u64,
    /// Where its cells lie between those of another array, what both need.
    pub together: Option<Together>,
    /// Words loaded.
    pub loads: BigInt,
    /// Words stored.
    pub stores: BigInt,
}

/// Words that arrays need together, of which no two cells have the same subscripts: fewer than the sum of what they need.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Together {
    /// The first of the arrays.
    pub with: ArrayId,
    /// At most so many words of all of them at a time.
    pub words: u64,
}

/// Words moved between fast and slow memory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Words loaded.
    pub loads: BigInt,
    /// Words stored.
    pub stores: BigInt,
    /// The same by array, in array order; arrays that never move are left out.
    pub per_array: Vec<(ArrayId, BigInt, BigInt)>,
}

impl Traffic {
    /// Loads and stores.
    pub fn total(&self) -> BigInt {
        &self.loads + &self.stores
    }
}

/// The sizes that a formula is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// All sizes of at least one that fulfil the program's assumptions.
    AllSizes,
    /// Only those that were given: the formula is a number.
    TheseSizes,
}

/// Why a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// All candidates were considered.
    Complete,
    /// The time limit.
    TimeLimit,
}

/// Another order of one component.
#[derive(Clone, Debug)]
pub struct Alternative {
    /// Which component.
    pub component: usize,
    /// Its dimensions, outermost first.
    pub dims: Vec<String>,
    /// Words moved.
    pub total: BigInt,
}
