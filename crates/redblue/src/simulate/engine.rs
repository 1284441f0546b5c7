//! Which simulator answers: the cheapest exact one for the sizes that were asked for.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use redblue_sim::hierarchy::{self, Caches, Replacement};
use redblue_sim::nest::Nest;
use redblue_sim::{Profile, SimError, Simulator, Trace, Traffic, lru, opt, regular};

use super::{Level, Policy, Question, Watch};

/// The traffic of every level of every memory, in cells and in their order.
pub(super) fn run(
    policy: Policy,
    nest: &Nest,
    question: &Question,
    memories: &[Vec<u64>],
    watch: &mut Watch<'_>,
) -> Result<Vec<Traffic>, SimError> {
    match policy {
        Policy::Opt => best(nest, memories, watch),
        Policy::Lru => least_recent(nest, memories, watch),
        Policy::Set => {
            let hierarchies = question.memories.iter().zip(memories);
            let hierarchies = hierarchies.map(|(levels, cells)| {
                let levels = levels.iter().zip(cells).enumerate();
                let cache = |(at, (level, &cells))| cache(at, level, cells, question.replacement);
                levels.map(cache).collect::<Vec<_>>()
            });
            let runs = hierarchies.map(|levels| sets(nest, &levels, watch));
            Ok(runs.collect::<Result<Vec<_>, _>>()?.concat())
        }
    }
}

fn best(
    nest: &Nest,
    memories: &[Vec<u64>],
    watch: &mut Watch<'_>,
) -> Result<Vec<Traffic>, SimError> {
    let sizes = memories.concat();
    if let &[size] = sizes.as_slice() {
        let simulator = opt::OneSize::new(nest.shape(), size)?;
        return Ok(vec![feed(simulator, nest, Policy::Opt, watch)?]);
    }
    let profile = feed(opt::Distances::new(nest.shape()), nest, Policy::Opt, watch)?;
    Ok(at(&profile, &sizes))
}

/// What one access costs in the pass for all sizes, compared with one size.
const PASS_COST: u64 = 6;

/// What one cell costs in a run for one size that skips what repeats: it is marked as seen.
const CELL_COST: u64 = 8;

/// Sizes one by one skip what repeats, which one pass for all sizes cannot; but each of them has to be run.
/// What is cheaper is known after the first one, which never costs much compared with the pass.
fn least_recent(
    nest: &Nest,
    memories: &[Vec<u64>],
    watch: &mut Watch<'_>,
) -> Result<Vec<Traffic>, SimError> {
    let sizes = memories.concat();
    let distinct: BTreeSet<u64> = sizes.iter().copied().collect();
    let mut found: BTreeMap<u64, Traffic> = BTreeMap::new();
    for &size in &distinct {
        let run = regular::lru_watched(nest, size, &mut |accesses| {
            watch.look(Policy::Lru, accesses)
        })?;
        let left = (distinct.len() - found.len() - 1) as u64;
        let cost = run.simulated + CELL_COST * u64::from(nest.shape().cells());
        let pass_cost = PASS_COST.saturating_mul(run.traffic.accesses());
        if left.saturating_mul(cost) > pass_cost {
            let profile = feed(lru::Distances::new(nest.shape()), nest, Policy::Lru, watch)?;
            return Ok(at(&profile, &sizes));
        }
        found.insert(size, run.traffic);
    }
    let known = sizes.iter().filter_map(|size| found.get(size).cloned());
    Ok(known.collect())
}

/// A level of so many cells as a cache.
fn cache(at: usize, level: &Level, cells: u64, replacement: Replacement) -> hierarchy::Level {
    // More sets than any trace has cells are as good as any number of them.
    let sets = u32::try_from(cells / u64::from(level.ways.max(1))).unwrap_or(u32::MAX);
    hierarchy::Level {
        replacement,
        ..hierarchy::Level::new(&format!("level {}", at + 1), sets, level.ways)
    }
}

fn sets(
    nest: &Nest,
    levels: &[hierarchy::Level],
    watch: &mut Watch<'_>,
) -> Result<Vec<Traffic>, SimError> {
    let caches = Caches::new(nest.shape(), levels)?;
    let traffic = feed(caches, nest, Policy::Set, watch)?.into_iter();
    Ok(traffic.map(|level| level.traffic).collect())
}

fn at(profile: &Profile, sizes: &[u64]) -> Vec<Traffic> {
    sizes.iter().map(|&size| profile.traffic(size)).collect()
}

/// Feeds the whole trace to a simulator, or stops when the watcher does.
fn feed<S: Simulator>(
    mut simulator: S,
    nest: &Nest,
    policy: Policy,
    watch: &mut Watch<'_>,
) -> Result<S::Outcome, SimError> {
    let mut accesses = 0;
    let flow = nest.replay(&mut |block| {
        simulator.feed(block);
        accesses += block.len() as u64;
        watch.look(policy, accesses)
    });
    match flow {
        ControlFlow::Continue(()) => Ok(simulator.finish()),
        ControlFlow::Break(()) => Err(SimError::Stopped),
    }
}
