//! The simulations of a gap, within a budget of accesses.

use std::time::Duration;

use num_bigint::BigInt;
use redblue_program::Program;
use redblue_sim::hierarchy::Replacement;

use super::Gap;
use crate::Refusal;
use crate::codes::TOO_LARGE;
use crate::simulate::{self, Level, Policy, Simulation, Watch};
use crate::sizes::Point;

/// The order that was simulated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Schedule {
    /// The program's own.
    Original,
    /// That of the tiling.
    Tiled,
}

impl Schedule {
    /// As documents name it.
    pub fn name(self) -> &'static str {
        match self {
            Schedule::Original => "original",
            Schedule::Tiled => "tiled",
        }
    }
}

/// A simulation that was not made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Skipped {
    /// The order.
    pub schedule: Schedule,
    /// The replacement.
    pub policy: Policy,
    /// Why.
    pub reason: &'static str,
}

/// What was simulated, and what was not.
#[derive(Clone, Debug, Default)]
pub struct Runs {
    /// The order, what was asked, and the answer, which has one run.
    pub done: Vec<(Schedule, simulate::Question, Simulation)>,
    /// The rest.
    pub skipped: Vec<Skipped>,
}

impl Runs {
    /// Counted loads and stores of one run, if it was made.
    pub fn traffic(&self, schedule: Schedule, policy: Policy) -> Option<(u64, u64)> {
        let runs = self.done.iter().filter(|(order, ..)| *order == schedule);
        let mut runs = runs.flat_map(|(.., simulation)| &simulation.runs);
        let run = runs.find(|run| run.policy == policy)?;
        Some((run.traffic.loads(), run.traffic.stores()))
    }
}

/// Accesses that a run may simulate: about a second each on a machine of the year 2020.
pub(super) const BUDGET: [(Policy, u64); 3] = [
    (Policy::Opt, 48_000_000),
    (Policy::Lru, 20_000_000),
    (Policy::Set, 32_000_000),
];

/// Cells that a run may have: marking each of them costs as much as some accesses.
const MOST_CELLS: u64 = 24_000_000;

const OVER_BUDGET: &str = "not simulated within the budget of accesses";
const OVER_TIME: &str = "not simulated within the time limit";
const OVER_MEMORY: &str = "not simulated: it needs more memory than this machine has";

/// Simulates the original order and the tiling of every gap.
pub(super) fn simulate(
    program: &Program,
    sizes: &Point,
    gaps: &mut [Gap],
    memory_bytes: Option<u64>,
    time: Option<Duration>,
) -> Result<(), Refusal> {
    let memory_bytes =
        Some(memory_bytes.map_or(MOST_CELLS * 48, |bytes| bytes.min(MOST_CELLS * 48)));
    let runs = gaps.iter().map(|gap| match gap.tiled() {
        Some(_) => 2,
        None => 1,
    });
    let mut left: u32 = runs.sum::<u32>() * BUDGET.len() as u32;
    let started = std::time::Instant::now();
    for gap in gaps {
        let tiled = gap.tiled();
        let tiled = tiled.map(|tiling| (Schedule::Tiled, tiling.program.clone()));
        let orders = [(Schedule::Original, program.clone())];
        for (schedule, program) in orders.into_iter().chain(tiled) {
            let accesses = accesses(&program, gap.operations.as_ref());
            for (policy, budget) in BUDGET {
                // What is left of the time is divided evenly: an early run must not use up all of it.
                let share = time.map(|time| time.saturating_sub(started.elapsed()) / left.max(1));
                left -= 1;
                let mut skip = |reason| {
                    gap.runs.skipped.push(Skipped {
                        schedule,
                        policy,
                        reason,
                    });
                };
                let walks = policy != Policy::Lru;
                if time.is_none() && walks && accesses.as_ref().is_none_or(|n| *n > budget.into()) {
                    skip(OVER_BUDGET);
                    continue;
                }
                let question = question(policy, gap.memory.words);
                let mut watch = Watch::new(share, None);
                if time.is_none() {
                    watch = watch.with_budget(budget);
                }
                match simulate::attempt(&program, sizes, &question, memory_bytes, &mut watch) {
                    Ok(Some(answer)) => gap.runs.done.push((schedule, question, answer)),
                    Ok(None) => skip(if time.is_some() {
                        OVER_TIME
                    } else {
                        OVER_BUDGET
                    }),
                    Err(refusal) if is_too_large(&refusal) => skip(OVER_MEMORY),
                    Err(refusal) => return Err(refusal),
                }
            }
        }
    }
    Ok(())
}

/// One memory under one replacement, word by word. A set-associative one has the usual ways, and as many sets as fit.
pub(super) fn question(policy: Policy, words: u64) -> simulate::Question {
    let ways = u64::from(Level::USUAL_WAYS).min(words.max(1));
    let words = match policy {
        Policy::Set => words / ways * ways,
        Policy::Opt | Policy::Lru => words,
    };
    let level = Level {
        words,
        ways: u32::try_from(ways).unwrap_or(Level::USUAL_WAYS),
    };
    simulate::Question {
        policies: vec![policy],
        memories: vec![vec![level]],
        line: None,
        replacement: Replacement::Lru,
    }
}

/// At most so many accesses; `None` if the instances could not be counted.
pub(super) fn accesses(program: &Program, operations: Option<&BigInt>) -> Option<BigInt> {
    let most = program.statements.iter().map(|s| s.reads.len() + 1).max();
    Some(operations? * most.unwrap_or(1))
}

pub(super) fn is_too_large(refusal: &Refusal) -> bool {
    let mut problems = refusal.diagnostics.iter();
    problems.any(|problem| problem.code == TOO_LARGE.id)
}
