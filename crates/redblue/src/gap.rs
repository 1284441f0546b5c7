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
use redblue_schedule::{Options, Tiling, processors, tile_all};

use crate::Refusal;
use crate::bound::Bounds;
use crate::simulate::check_sizes;
use crate::sizes::Point;
use crate::timing::Timing;
use crate::view::instances::Instances;

pub use curve::Curve;
use runs::{Order, Stage};
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

/// Answers a question at one choice of sizes: one gap per memory, and the bounds, which are found while orders are searched for.
///
/// # Errors
/// `RB0416` for missing sizes; when counting exceeds its budget; those of the bounds.
pub fn at(
    program: &Program,
    sizes: &Point,
    question: &Question,
    prove: impl FnOnce() -> Result<Bounds, Refusal>,
) -> Result<(Vec<Gap>, Bounds), Refusal> {
    check_sizes(program, sizes)?;
    let end = question.time_limit.map(|limit| Instant::now() + limit);
    let sizes = program
        .all_sizes(sizes)
        .map_err(|error| Refusal::gave_up("sizes", &error))?;
    let operations = Instances::at(program, &sizes)
        .ok()
        .and_then(|instances| instances.total());
    let stage = Stage {
        sizes: &sizes,
        operations: operations.as_ref(),
        memory_bytes: question.memory_bytes,
        end,
    };
    let own = Order {
        schedule: Schedule::Original,
        program,
        words: question.memories().map(|memory| memory.words).collect(),
    };
    let meanwhile = || -> Result<_, Refusal> {
        let bounds = prove()?;
        // Limited time is for the searches first.
        let early = end.is_none().then(|| stage.simulate(&[&own]));
        Ok((bounds, early.transpose()?))
    };
    let (answers, meanwhile) = tile_all(program, &question.searches(&sizes), meanwhile);
    let (bounds, early) = meanwhile?;
    // A program that is too hard to tile still has a bound and simulations.
    let mut uppers = Vec::new();
    for (levels, answer) in question.memories.iter().zip(answers) {
        match answer {
            Ok(tilings) => uppers.extend(tilings.into_iter().map(Ok)),
            Err(error) => uppers.extend(levels.iter().map(|_| Err(error.to_string()))),
        }
    }
    let gap = |(memory, upper): (&Memory, Result<Tiling, String>)| Gap {
        sizes: sizes.clone(),
        memory: memory.clone(),
        model: question.model,
        lower: lower_at(&bounds, &sizes, memory.words),
        upper,
        runs: Runs::default(),
        operations: operations.clone(),
        timed: Vec::new(),
    };
    let mut gaps: Vec<Gap> = question.memories().zip(uppers).map(gap).collect();
    let tiled = gaps.iter().filter_map(|gap| {
        Some(Order {
            schedule: Schedule::Tiled,
            program: &gap.tiled()?.program,
            words: vec![gap.memory.words],
        })
    });
    let tiled: Vec<Order<'_>> = tiled.collect();
    let late = early.is_none().then_some(&own);
    let orders: Vec<&Order<'_>> = late.into_iter().chain(&tiled).collect();
    let runs = early.into_iter().flatten().chain(stage.simulate(&orders)?);
    let mut runs = runs.flatten();
    for (gap, own) in gaps.iter_mut().zip(&mut runs) {
        gap.runs = own;
    }
    let with_tiling = gaps.iter_mut().filter(|gap| gap.tiled().is_some());
    for (gap, more) in with_tiling.zip(runs) {
        gap.runs.extend(more);
    }
    Ok((gaps, bounds))
}

impl Question {
    /// All memories, level by level.
    fn memories(&self) -> impl Iterator<Item = &Memory> {
        self.memories.iter().flatten()
    }

    /// The searches for orders, one for each memory with its levels.
    fn searches(&self, sizes: &Point) -> Vec<Options> {
        // Half of the time is for tilings, the rest for simulations. Searches go side by side.
        let rounds = self.memories.len().div_ceil(processors()).max(1);
        let share = u32::try_from(2 * rounds).unwrap_or(u32::MAX);
        let search = |levels: &Vec<Memory>| Options {
            model: self.model,
            fast: levels.iter().map(|memory| memory.words).collect(),
            sizes: sizes.clone(),
            time_limit: self.time_limit.map(|limit| limit / share),
            // Two caches are one question, and are answered in the time of one.
            work: Options::WORK / self.memories.len().clamp(1, 2) as u64,
        };
        self.memories.iter().map(search).collect()
    }
}

/// The bound at sizes with this fast memory. Where nothing is proved, nothing is unavoidable.
fn lower_at(bounds: &Bounds, sizes: &Point, words: u64) -> BigInt {
    let mut point = sizes.clone();
    point.insert("S".to_owned(), i64::try_from(words).unwrap_or(i64::MAX));
    bounds.at(&point).unwrap_or_default()
}
