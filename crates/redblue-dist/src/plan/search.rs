//! The search for a plan: trees of uneven cuts and rectangular grids, each with a schedule that fits the memory.
//!
//! ```text
//! cuts   ──► trees, best surfaces first ─┐
//!                                        ├─ fit: fewest words within the memory ─► exact summaries ─► the least volume
//! grids  ──► grids, best volumes first  ─┘
//! ```
//!
//! Candidates are ranked by estimates, and the best of them are counted exactly. A plan gives no rank more than
//! [`MORE_WORK`] percent more products than an equal share, where sizes allow. The effort is bounded by the constants
//! here and in its parts, and without a deadline the search takes no clock and is deterministic. At a deadline it
//! ends with the best of the candidates so far.

pub(crate) mod cuts;
pub(crate) mod fit;
pub(crate) mod grids;

use std::cmp::Reverse;
use std::time::Instant;

use super::clock::Clock;
use super::ownership::is_too_much;
use super::tree::Tree;
use super::{Plan, PlanError, Schedule, Summary, check_sizes};
use crate::shape::{Axis, Shape};
use fit::Frugal;

/// Products of a rank above an equal share that a plan may have, in percent (the δ of C-16).
pub const MORE_WORK: u128 = 3;
/// Up to so many ranks uneven trees are searched; above, some grid is always close to the bound.
const UNEVEN_RANKS: u64 = 512;
/// Number of trees that are counted exactly.
const TREES: usize = 8;
/// Steps along k of a plan whose memory would allow a single one.
const OVERLAP: u64 = 4;
/// Length along k that each of them has at least: shorter products do not run at full speed.
const LEAST_DEPTH: u64 = 128;

/// A problem to plan for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Sizes of the product.
    pub shape: Shape,
    /// Number of ranks.
    pub ranks: u64,
    /// Words of memory of each rank, own data and buffers included; unlimited if absent.
    pub memory: Option<u128>,
}

/// Why a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// All candidates were looked at.
    Complete,
    /// The time was over: there may be a better plan.
    TimeLimit,
}

/// What a search found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The plan with the least volume.
    pub plan: Plan,
    /// What it costs.
    pub summary: Summary,
    /// Whether all candidates were looked at.
    pub stop: Stop,
}

/// The plan with the least volume found, and what it costs.
pub fn search(problem: &Problem) -> Result<(Plan, Summary), PlanError> {
    search_until(problem, None).map(|found| (found.plan, found.summary))
}

/// The plan with the least volume found before a deadline.
pub fn search_until(problem: &Problem, deadline: Option<Instant>) -> Result<Found, PlanError> {
    let Problem {
        shape,
        ranks,
        memory,
    } = *problem;
    check_sizes(shape, ranks)?;
    if shape.is_empty() {
        let plan = Plan::new(shape, ranks, Tree::grid([ranks, 1, 1]), Schedule::WHOLE)?;
        let summary = plan.summary();
        within(memory, summary.memory.total())?;
        return Ok(Found {
            plan,
            summary,
            stop: Stop::Complete,
        });
    }
    let clock = Clock::new(deadline);
    let limit = memory.unwrap_or(u128::MAX);
    let mut best: Option<(Plan, Summary)> = None;
    let mut frugal = Frugal::default();
    for tree in trees(shape, ranks, &clock) {
        if clock.is_late() {
            break;
        }
        consider(&mut best, fit::tree(shape, ranks, tree, limit, &mut frugal));
    }
    let least = best.as_ref().map_or(u128::MAX, |(_, summary)| {
        with_idle(summary.volume, ranks, summary.busy)
    });
    for grid in grids::best(shape, ranks, limit, least, &clock, &mut frugal) {
        // One of them is counted in any case: there should be an answer.
        if best.is_some() && clock.is_late() {
            break;
        }
        consider(&mut best, fit::grid(shape, ranks, grid, limit, &mut frugal));
    }
    let stop = match clock.was_late() {
        true => Stop::TimeLimit,
        false => Stop::Complete,
    };
    let Some((plan, summary)) = best.map(overlapped) else {
        return Err(match stop {
            Stop::TimeLimit => PlanError::TimeLimit,
            Stop::Complete => PlanError::Memory {
                needed: frugal.needed(),
                limit,
            },
        });
    };
    Ok(Found {
        plan,
        summary,
        stop,
    })
}

/// The same plan with the product in a few steps, so that panels arrive while others are multiplied: as many words,
/// less memory.
fn overlapped((plan, summary): (Plan, Summary)) -> (Plan, Summary) {
    let schedule = Schedule {
        steps: OVERLAP,
        ..plan.schedule()
    };
    let deep = plan.shape().k / plan.tree().most_parts(Axis::K) >= OVERLAP * LEAST_DEPTH;
    if plan.schedule().rounds() > 1 || summary.memory.panels == 0 || !deep {
        return (plan, summary);
    }
    let plan = plan.with_schedule(schedule);
    let summary = plan.summary();
    (plan, summary)
}

fn trees(shape: Shape, ranks: u64, clock: &Clock) -> Vec<Tree> {
    // A rank without a product to compute has no place in a tree: grids leave it idle.
    if ranks > UNEVEN_RANKS || u128::from(ranks) > shape.work() || clock.is_late() {
        return Vec::new();
    }
    let mut trees = cuts::trees(shape, ranks);
    trees.truncate(TREES);
    trees
}

fn consider(best: &mut Option<(Plan, Summary)>, candidate: Option<(Plan, Summary)>) {
    let Some(candidate) = candidate else {
        return;
    };
    if best
        .as_ref()
        .is_none_or(|best| rank(&candidate) < rank(best))
    {
        *best = Some(candidate);
    }
}

/// A volume, more by the part of the ranks that is idle: a rank is not left idle to save a few words.
pub(crate) fn with_idle(volume: u128, ranks: u64, busy: u64) -> u128 {
    let idle = u128::from(ranks - busy.min(ranks));
    volume.saturating_add(volume.saturating_mul(idle) / u128::from(ranks.max(1)))
}

/// Plans in order of preference: work within the limit, equal shares if they do not cost too much, then least volume,
/// most ranks busy, fewest rounds.
fn rank((plan, summary): &(Plan, Summary)) -> impl Ord + use<> {
    let limit = work_limit(plan.shape(), plan.ranks(), MORE_WORK);
    let excess = summary.work.saturating_sub(limit);
    let preference = match plan.has_equal_shares() {
        false => 1,
        true if is_too_much(plan.shape(), plan.ranks(), summary.volume) => 2,
        true => 0,
    };
    (
        excess,
        preference,
        with_idle(summary.volume, plan.ranks(), summary.busy),
        Reverse(summary.busy),
        plan.schedule().rounds(),
        summary.memory.total(),
    )
}

/// The most products of a rank that are so many percent above an equal share, or the equal share rounded up.
pub(crate) fn work_limit(shape: Shape, ranks: u64, percent: u128) -> u128 {
    let (work, ranks) = (shape.work(), u128::from(ranks.max(1)));
    let limit = match work.checked_mul(100 + percent) {
        Some(more) => more / ranks / 100,
        None => (work / ranks / 100).saturating_mul(100 + percent),
    };
    limit.max(work.div_ceil(ranks))
}

fn within(memory: Option<u128>, needed: u128) -> Result<(), PlanError> {
    match memory {
        Some(limit) if needed > limit => Err(PlanError::Memory { needed, limit }),
        _ => Ok(()),
    }
}
