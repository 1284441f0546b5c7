//! The gap between what no schedule avoids and what schedules move, at given sizes.
//!
//! ```text
//! Program, sizes, S ──► Bounds::at ────────────────────► lower ─┐
//!                  ├──► tiling, its proven traffic ────► upper ─┼──► Gap, one per size and memory
//!                  └──► simulations of both orders ────► runs  ─┘
//! ```
//!
//! All numbers of a [`Gap`] are in one model: a schedule that neither recomputes nor reorders sums is also one of the
//! freer models, so its words may be divided by the bound of any of them. Where only loads count, only loads are
//! divided.
//!
//! Simulations have a budget of accesses, so that an answer takes seconds whatever the sizes; what does not fit is
//! listed as skipped, never estimated. LRU of regular loops is counted exactly without a step per access, so it
//! fits far more often than the rest.

mod curve;
mod runs;

use std::time::{Duration, Instant};

use num_bigint::BigInt;
use num_traits::Signed as _;
use redblue_cert::{Counted, Model};
use redblue_math::Expr;
use redblue_program::Program;

use crate::Refusal;
use crate::bound::Bounds;
use crate::simulate::check_sizes;
use crate::sizes::Point;
use crate::view::instances::Instances;

pub use curve::Curve;
pub use runs::{Runs, Schedule, Skipped};

/// A fast memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Memory {
    /// How it was asked for, if not as a number of words: `L1`.
    pub name: Option<String>,
    /// Its size.
    pub words: u64,
}

/// What is asked.
#[derive(Clone, Debug)]
pub struct Question {
    /// The model of all numbers.
    pub model: Model,
    /// The fast memories, each alone.
    pub memories: Vec<Memory>,
    /// Ends searches and simulations; without it they have budgets of operations.
    pub time_limit: Option<Duration>,
    /// What this machine has, if known: a larger simulation is skipped.
    pub memory_bytes: Option<u64>,
}

/// What a tiling provably moves.
#[derive(Clone, Debug)]
pub struct Upper {
    /// The program in the new order.
    pub program: Program,
    /// Words of fast memory that it needs.
    pub fast_words: u64,
    /// Words loaded.
    pub loads: BigInt,
    /// Words stored.
    pub stores: BigInt,
    /// By array: name, loads, stores.
    pub arrays: Vec<(String, BigInt, BigInt)>,
    /// The traffic as a formula in the sizes.
    pub formula: Expr,
    /// Whether nothing better than the program's own order was found.
    pub is_original: bool,
    /// The loops, outermost first, with what stays in fast memory.
    pub nest: String,
}

/// One size and one memory.
#[derive(Clone, Debug)]
pub struct Gap {
    /// The sizes, without S.
    pub sizes: Point,
    /// The fast memory.
    pub memory: Memory,
    /// What counts.
    pub model: Model,
    /// Words that no schedule avoids.
    pub lower: BigInt,
    /// What a tiling moves; `None` if none was searched for or found.
    pub upper: Option<Upper>,
    /// Simulations of the original order and of the tiling.
    pub runs: Runs,
    /// Instances of statements, if they could be counted.
    pub operations: Option<BigInt>,
}

impl Gap {
    /// The words that count in the model.
    pub fn counted(&self, loads: &BigInt, stores: &BigInt) -> BigInt {
        match self.model.count {
            Counted::Loads => loads.clone(),
            Counted::Total => loads + stores,
        }
    }

    /// The counted words of the tiling.
    pub fn upper_words(&self) -> Option<BigInt> {
        let upper = self.upper.as_ref()?;
        Some(self.counted(&upper.loads, &upper.stores))
    }

    /// Words divided by the lower bound, in thousandths rounded up; `None` if the bound is zero.
    pub fn thousandths(&self, words: &BigInt) -> Option<BigInt> {
        if !self.lower.is_positive() {
            return None;
        }
        Some((words * 1000 + &self.lower - 1) / &self.lower)
    }

    /// Whether the tiling moves at most `most` (a numerator and a denominator) times the bound. Without a tiling it
    /// is not known to.
    pub fn is_within(&self, (numerator, denominator): &(BigInt, BigInt)) -> bool {
        self.upper_words()
            .is_some_and(|words| words * denominator <= &self.lower * numerator)
    }
}

/// Answers a question at one choice of sizes: one gap per memory.
///
/// # Errors
/// `RB0416` for missing sizes; when counting exceeds its budget.
pub fn at(
    program: &Program,
    bounds: &Bounds,
    sizes: &Point,
    question: &Question,
) -> Result<Vec<Gap>, Refusal> {
    check_sizes(program, sizes)?;
    let started = Instant::now();
    let sizes = program
        .all_sizes(sizes)
        .map_err(|error| Refusal::gave_up("sizes", &error))?;
    let operations = Instances::at(program, &sizes)
        .ok()
        .and_then(|instances| instances.total());
    let mut gaps = Vec::new();
    for memory in &question.memories {
        let lower = lower_at(bounds, &sizes, memory.words);
        gaps.push(Gap {
            sizes: sizes.clone(),
            memory: memory.clone(),
            model: question.model,
            lower,
            upper: None,
            runs: Runs::default(),
            operations: operations.clone(),
        });
    }
    let left = question
        .time_limit
        .map(|limit| limit.saturating_sub(started.elapsed()));
    runs::simulate(program, &sizes, &mut gaps, question.memory_bytes, left)?;
    Ok(gaps)
}

/// The bound at sizes with this fast memory. Where nothing is proved, nothing is unavoidable.
fn lower_at(bounds: &Bounds, sizes: &Point, words: u64) -> BigInt {
    let mut point = sizes.clone();
    point.insert("S".to_owned(), i64::try_from(words).unwrap_or(i64::MAX));
    bounds.at(&point).unwrap_or_default()
}
