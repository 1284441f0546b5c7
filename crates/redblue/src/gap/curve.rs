//! A gap as a curve over the fast memory, for charts: bounds at many sizes, simulations where they are cheap.

use num_bigint::BigInt;
use redblue_program::Program;

use super::runs::{accesses, is_too_large, question};
use super::{Gap, lower_at};
use crate::Refusal;
use crate::bound::Bounds;
use crate::simulate::{Level, Policy, Watch, attempt};
use crate::sizes::Point;

/// Sizes of fast memory in a curve.
const POINTS: u32 = 48;
/// Accesses for which all sizes of a curve are simulated in one pass.
const ONE_PASS: u64 = 8_000_000;

/// What is drawn around the memories that were asked about.
#[derive(Clone, Debug, Default)]
pub struct Curve {
    /// Words of memory, and words that no schedule avoids.
    pub lower: Vec<(u64, BigInt)>,
    /// The original order: replacement, words of memory, loads and stores.
    pub original: Vec<(Policy, u64, u64, u64)>,
    /// The words of each array.
    pub arrays: Vec<(String, u64)>,
}

impl Curve {
    /// The curve around gaps that are about the same sizes.
    ///
    /// # Errors
    /// When a simulation fails for another reason than its size.
    pub fn around(
        program: &Program,
        bounds: &Bounds,
        gaps: &[Gap],
        memory_bytes: Option<u64>,
    ) -> Result<Curve, Refusal> {
        let Some(first) = gaps.first() else {
            return Ok(Curve::default());
        };
        let arrays = arrays(program, &first.sizes);
        let memories = memories(gaps, &arrays);
        let lower = memories
            .iter()
            .map(|words| (*words, lower_at(bounds, &first.sizes, *words)));
        let mut curve = Curve {
            lower: lower.collect(),
            original: Vec::new(),
            arrays,
        };
        let few = |n: &BigInt| *n <= BigInt::from(ONE_PASS);
        if accesses(program, first.operations.as_ref()).is_some_and(|n| few(&n)) {
            for policy in [Policy::Opt, Policy::Lru] {
                let mut all = question(policy, 1);
                all.memories = memories
                    .iter()
                    .map(|words| vec![Level::new(*words)])
                    .collect();
                let found = attempt(
                    program,
                    &first.sizes,
                    &all,
                    memory_bytes,
                    &mut Watch::silent(),
                );
                let simulation = match found {
                    Ok(simulation) => simulation,
                    Err(refusal) if is_too_large(&refusal) => None,
                    Err(refusal) => return Err(refusal),
                };
                let runs = simulation
                    .into_iter()
                    .flat_map(|simulation| simulation.runs);
                curve.original.extend(runs.map(|run| {
                    (
                        policy,
                        run.level.words,
                        run.traffic.loads(),
                        run.traffic.stores(),
                    )
                }));
            }
        }
        Ok(curve)
    }
}

/// The words of every array at these sizes, without scalars.
fn arrays(program: &Program, sizes: &Point) -> Vec<(String, u64)> {
    let nest = redblue_sim::nest::Nest::of_program(program, sizes, None, redblue_sim::Grain::Word);
    let Ok(nest) = nest else {
        return Vec::new();
    };
    let shape = redblue_sim::Trace::shape(&nest);
    let arrays = shape.arrays().iter().filter(|array| array.cells > 1);
    arrays
        .map(|array| (array.name.clone(), array.cells.into()))
        .collect()
}

/// Sizes at equal ratios: from well below what was asked to where everything fits, or well above what was asked.
fn memories(gaps: &[Gap], arrays: &[(String, u64)]) -> Vec<u64> {
    let asked = || gaps.iter().map(|gap| gap.memory.words);
    let all: u64 = arrays.iter().map(|(_, words)| words).sum();
    let low = (asked().min().unwrap_or(64) / 16).max(8);
    let most = asked().max().unwrap_or(64);
    let high = most
        .saturating_mul(4)
        .max(all.min(most.saturating_mul(64)) * 2)
        .max(low + 1);
    let step = (high as f64 / low as f64).powf(1.0 / f64::from(POINTS));
    let mut sizes: Vec<u64> = (0..=POINTS)
        .map(|at| (low as f64 * step.powi(at as i32)).round() as u64)
        .chain(asked())
        .collect();
    sizes.sort_unstable();
    sizes.dedup();
    sizes
}
