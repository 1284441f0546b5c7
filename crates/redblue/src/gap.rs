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
use redblue_program::Program;
use redblue_schedule::{Options, Tiling, tile_nested};

use crate::Refusal;
use crate::bound::Bounds;
use crate::simulate::check_sizes;
use crate::sizes::Point;
use crate::timing::Timing;
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
    /// The fast memories; each with its levels, nearest first, for which one nested order is sought.
    pub memories: Vec<Vec<Memory>>,
    /// Ends searches and simulations; without it they have budgets of operations.
    pub time_limit: Option<Duration>,
    /// What this machine has, if known: a larger simulation is skipped.
    pub memory_bytes: Option<u64>,
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
    /// A tiling with what it provably moves, or why there is none.
    pub upper: Result<Tiling, String>,
    /// Simulations of the original order and of the tiling.
    pub runs: Runs,
    /// Instances of statements, if they could be counted.
    pub operations: Option<BigInt>,
    /// Times of compiled code; empty unless someone measured them.
    pub timed: Vec<Timing>,
}

impl Gap {
    /// The words that count in the model.
    pub fn counted(&self, loads: &BigInt, stores: &BigInt) -> BigInt {
        match self.model.count {
            Counted::Loads => loads.clone(),
            Counted::Total => loads + stores,
        }
    }

    /// The tiling, if it is another order than the program's own.
    pub fn tiled(&self) -> Option<&Tiling> {
        self.upper
            .as_ref()
            .ok()
            .filter(|tiling| !tiling.is_original)
    }

    /// The counted words of the tiling.
    pub fn upper_words(&self) -> Option<BigInt> {
        let traffic = &self.upper.as_ref().ok()?.traffic;
        Some(self.counted(&traffic.loads, &traffic.stores))
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
    // Half of the time is for tilings, the rest for simulations.
    let share = 2 * u32::try_from(question.memories.len().max(1)).unwrap_or(u32::MAX / 2);
    for levels in &question.memories {
        let options = Options {
            model: question.model,
            fast: levels.iter().map(|memory| memory.words).collect(),
            sizes: sizes.clone(),
            time_limit: question.time_limit.map(|limit| limit / share),
            // Two caches are one question, and are answered in the time of one.
            work: Options::WORK / question.memories.len().clamp(1, 2) as u64,
        };
        // A program that is too hard to tile still has a bound and simulations.
        let uppers = tile_nested(program, &options).map_err(|error| error.to_string());
        for (at, memory) in levels.iter().enumerate() {
            let upper = uppers.as_ref().map(|uppers| uppers[at].clone());
            gaps.push(Gap {
                sizes: sizes.clone(),
                memory: memory.clone(),
                model: question.model,
                lower: lower_at(bounds, &sizes, memory.words),
                upper: upper.map_err(Clone::clone),
                runs: Runs::default(),
                operations: operations.clone(),
                timed: Vec::new(),
            });
        }
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
