//! The simulations of a gap, within a budget of accesses.

use std::time::{Duration, Instant};

use num_bigint::BigInt;
use redblue_program::Program;
use redblue_sim::hierarchy::Replacement;

use super::Gap;
use crate::Refusal;
use crate::codes::TOO_LARGE;
use crate::simulate::{self, Level, Policy, Prepared, Simulation, Watch};
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
const OVER_MEMORY: &str = "not simulated: it has too many cells";

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
    let mut clock = Clock {
        end: time.map(|time| Instant::now() + time),
        left: runs.sum::<u32>() * BUDGET.len() as u32,
    };
    let prepared = |program: &Program| match Prepared::new(program, sizes, None, memory_bytes) {
        Ok(prepared) => Ok(Some(prepared)),
        Err(refusal) if is_too_large(&refusal) => Ok(None),
        Err(refusal) => Err(refusal),
    };
    let original = prepared(program)?;
    for gap in gaps {
        let operations = gap.operations.as_ref();
        let mut orders = vec![(
            Schedule::Original,
            original.as_ref(),
            accesses(program, operations),
        )];
        let tiled = gap.tiled().map(|tiling| &tiling.program);
        let nest = tiled.map(prepared).transpose()?;
        if let (Some(program), Some(nest)) = (tiled, &nest) {
            let accesses = accesses(program, operations);
            orders.push((Schedule::Tiled, nest.as_ref(), accesses));
        }
        let mut jobs = Vec::new();
        for (schedule, nest, accesses) in &orders {
            jobs.extend(BUDGET.map(|(policy, budget)| Job {
                schedule: *schedule,
                policy,
                words: gap.memory.words,
                budget,
                nest: *nest,
                accesses: accesses.as_ref(),
            }));
        }
        let mut runs = Runs::default();
        for (job, answer) in jobs.iter().zip(answers(&jobs, &mut clock)) {
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
        gap.runs = runs;
    }
    Ok(())
}

/// Time that runs share, if it is limited.
struct Clock {
    end: Option<Instant>,
    /// How many runs are still to come.
    left: u32,
}

impl Clock {
    /// The part of the next run. What is left is divided evenly: an early run must not use up all of it.
    fn share(&mut self) -> Option<Duration> {
        let left = self.left.max(1);
        self.left = left - 1;
        let end = self.end?;
        Some(end.saturating_duration_since(Instant::now()) / left)
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

/// The answers of all jobs: side by side, or one after the other where they share limited time or need much memory.
fn answers(jobs: &[Job<'_>], clock: &mut Clock) -> Vec<Result<Answer, Refusal>> {
    let nests = jobs.iter().filter_map(|job| job.nest);
    let large = nests.map(Prepared::cells).sum::<u64>() > MOST_CELLS;
    if clock.end.is_some() || large {
        return jobs.iter().map(|job| job.run(clock.share())).collect();
    }
    std::thread::scope(|scope| {
        let runs: Vec<_> = jobs
            .iter()
            .map(|job| scope.spawn(|| job.run(None)))
            .collect();
        let ended = runs.into_iter().map(|run| run.join());
        ended
            .map(|answer| answer.unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect()
    })
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
