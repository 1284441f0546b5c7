//! The simulations of a gap, within a budget of accesses.

use std::time::{Duration, Instant};

use num_bigint::BigInt;
use redblue_cert::text::ProgramText;
use redblue_poly::Context;
use redblue_program::Program;
use redblue_schedule::{processors, side_by_side};
use redblue_sim::hierarchy::Replacement;

use crate::Refusal;
use crate::codes::TOO_LARGE;
use crate::simulate::{self, BYTES_PER_CELL, Level, Policy, Prepared, Simulation, Watch};
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
    /// The answers of the jobs of one order in one memory.
    fn of<'j>(
        answers: impl Iterator<Item = (&'j Job<'j>, Result<Answer, Refusal>)>,
    ) -> Result<Runs, Refusal> {
        let mut runs = Runs::default();
        for (job, answer) in answers {
            match answer? {
                Ok(answer) => {
                    let question = question(job.policy, job.words);
                    runs.done.push((job.schedule, question, answer));
                }
                Err(reason) => runs.skipped.push(Skipped {
                    schedule: job.schedule,
                    policy: job.policy,
                    reason,
                }),
            }
        }
        Ok(runs)
    }

    /// Adds what was simulated in another order.
    pub(super) fn extend(&mut self, more: Runs) {
        self.done.extend(more.done);
        self.skipped.extend(more.skipped);
    }

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

/// Runs side by side may have more cells together, as many as this part of the machine's memory has room for.
const SPARE: u64 = 4;

const OVER_BUDGET: &str = "not simulated within the budget of accesses";
const OVER_TIME: &str = "not simulated within the time limit";
const OVER_MEMORY: &str = "not simulated: it has too many cells";

/// An order to simulate, and in which memories.
pub(super) struct Order<'p> {
    pub(super) schedule: Schedule,
    pub(super) program: &'p Program,
    pub(super) words: Vec<u64>,
}

/// What all orders of one question have in common.
pub(super) struct Stage<'a> {
    pub(super) sizes: &'a Point,
    /// Instances of statements, if they could be counted.
    pub(super) operations: Option<&'a BigInt>,
    /// What this machine has, if known.
    pub(super) memory_bytes: Option<u64>,
    /// When all simulations must have ended.
    pub(super) end: Option<Instant>,
}

impl Stage<'_> {
    /// Simulates orders: by order and memory.
    pub(super) fn simulate(&self, orders: &[&Order<'_>]) -> Result<Vec<Vec<Runs>>, Refusal> {
        let mut ready = Vec::new();
        for (order, nest) in orders.iter().zip(self.all_prepared(orders)) {
            let accesses = accesses(order.program, self.operations);
            ready.push((order, nest?, accesses));
        }
        let mut jobs = Vec::new();
        for (order, nest, accesses) in &ready {
            for words in &order.words {
                jobs.extend(BUDGET.map(|(policy, budget)| Job {
                    schedule: order.schedule,
                    policy,
                    words: *words,
                    budget,
                    nest: nest.as_ref(),
                    accesses: accesses.as_ref(),
                }));
            }
        }
        let mut answers = jobs.iter().zip(self.answers(&jobs));
        let mut all = Vec::new();
        for order in orders {
            let runs = order.words.iter();
            let runs = runs.map(|_| Runs::of(answers.by_ref().take(BUDGET.len())));
            all.push(runs.collect::<Result<_, _>>()?);
        }
        Ok(all)
    }

    /// All programs ready to be simulated. Objects of isl stay on their thread, so several go to others as text.
    fn all_prepared(&self, orders: &[&Order<'_>]) -> Vec<Result<Option<Prepared>, Refusal>> {
        if let [order] = orders {
            return vec![self.prepared(order.program)];
        }
        let texts = orders.iter().map(|order| ProgramText::of(order.program));
        let ready = side_by_side(processors(), texts.collect(), |text| {
            let program = text.to_program(&Context::new().ok()?).ok()?;
            Some(self.prepared(&program))
        });
        let ready = orders.iter().zip(ready);
        ready
            .map(|(order, ready)| ready.unwrap_or_else(|| self.prepared(order.program)))
            .collect()
    }

    /// A program ready to be simulated; nothing if it has too many cells.
    fn prepared(&self, program: &Program) -> Result<Option<Prepared>, Refusal> {
        let most = MOST_CELLS * BYTES_PER_CELL;
        let bytes = self.memory_bytes.map_or(most, |bytes| bytes.min(most));
        match Prepared::new(program, self.sizes, None, Some(bytes)) {
            Ok(prepared) => Ok(Some(prepared)),
            Err(refusal) if is_too_large(&refusal) => Ok(None),
            Err(refusal) => Err(refusal),
        }
    }

    /// The answers of all jobs: side by side, or one after the other where they share limited time or need much memory.
    fn answers(&self, jobs: &[Job<'_>]) -> Vec<Result<Answer, Refusal>> {
        if let Some(end) = self.end {
            // What is left is divided evenly: an early run must not use up all of it.
            let numbered = (1..=jobs.len() as u32).rev().zip(jobs);
            return numbered
                .map(|(left, job)| {
                    job.run(Some(end.saturating_duration_since(Instant::now()) / left))
                })
                .collect();
        }
        let cells = jobs.iter().filter_map(|job| job.nest).map(Prepared::cells);
        let most = cells.max().unwrap_or(0).max(1);
        let spare = self.memory_bytes.unwrap_or(0) / SPARE / BYTES_PER_CELL;
        let together = usize::try_from(spare.max(MOST_CELLS) / most).unwrap_or(usize::MAX);
        let threads = processors().min(together);
        side_by_side(threads, jobs.iter().collect(), |job| job.run(None))
    }
}

/// One order under one policy.
struct Job<'a> {
    schedule: Schedule,
    policy: Policy,
    words: u64,
    /// Accesses that it may simulate.
    budget: u64,
    /// Nothing if there are too many cells.
    nest: Option<&'a Prepared>,
    /// At most so many accesses, if that is known.
    accesses: Option<&'a BigInt>,
}

/// The answer of a run, or why there is none.
type Answer = Result<Simulation, &'static str>;

impl Job<'_> {
    fn run(&self, share: Option<Duration>) -> Result<Answer, Refusal> {
        let Some(nest) = self.nest else {
            return Ok(Err(OVER_MEMORY));
        };
        let walks = self.policy != Policy::Lru;
        let many = self.accesses.is_none_or(|n| *n > self.budget.into());
        if share.is_none() && walks && many {
            return Ok(Err(OVER_BUDGET));
        }
        let mut watch = Watch::new(share, None);
        if share.is_none() {
            watch = watch.with_budget(self.budget);
        }
        let found = nest.run(&question(self.policy, self.words), &mut watch)?;
        Ok(found.ok_or(match share {
            Some(_) => OVER_TIME,
            None => OVER_BUDGET,
        }))
    }
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
