//! Distributed plans.

use redblue_dist::Shape;
use redblue_dist::baseline::Baselines;
use redblue_dist::bound::Received;
use redblue_dist::plan::{Found, Memory, Problem, Stop};
use schemars::JsonSchema;
use serde::Serialize;

use super::SCHEMA_VERSION;
use super::model::Model;
use super::table::{Align, columns};

/// A plan and everything that is said about it.
#[derive(Clone, Copy, Debug)]
pub struct Planned<'a> {
    /// What was asked for.
    pub problem: &'a Problem,
    /// The plan, its cost, and why the search for it ended.
    pub found: &'a Found,
    /// The bound for equal work (C-13).
    pub equal_work: Received,
    /// The bound for the memory, if that is limited (C-14).
    pub limited_memory: Option<u128>,
    /// What others would move.
    pub baselines: Baselines,
}

/// A plan as a document. All amounts are in words, work is in products.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PlanDocument {
    schema: &'static str,
    schema_version: u32,
    model: Model,
    shape: ShapeView,
    memory_limit: Option<u128>,
    plan: String,
    /// Why the search ended: `complete` or `time-limit`; `complete` for a plan that was given.
    stop: &'static str,
    grid: Option<[u64; 3]>,
    ranks_used: u64,
    ranks_idle: u64,
    rounds: u64,
    messages_per_rank: u64,
    volume_per_rank: Amount,
    work_per_rank: Amount,
    memory_per_rank: u128,
    memory: MemoryView,
    bound_per_rank: f64,
    bounds: BoundsView,
    ratio: Option<f64>,
    ratio_from: Option<Origin>,
    baselines: BaselinesView,
    baseline_grids: GridsView,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ShapeView {
    pub(super) m: u64,
    pub(super) n: u64,
    pub(super) k: u64,
}

impl ShapeView {
    pub(super) fn of(Shape { m, n, k }: Shape) -> ShapeView {
        ShapeView { m, n, k }
    }
}

#[derive(Debug, Serialize, JsonSchema)]
struct Amount {
    max: u128,
    mean: f64,
}

#[derive(Debug, Serialize, JsonSchema)]
struct MemoryView {
    own: u128,
    relayed: u128,
    partial_sums: u128,
    panels: u128,
    joined: u128,
    reduction: u128,
}

/// Each bound by itself: for the plan's own work, for equal work, for the memory.
#[derive(Debug, Serialize, JsonSchema)]
struct BoundsView {
    given_work: f64,
    equal_work: f64,
    limited_memory: Option<u128>,
}

/// The two factors of the ratio.
#[derive(Debug, Serialize, JsonSchema)]
struct Origin {
    /// The mean volume over the bound: bricks that are not as round as they could be.
    bricks: f64,
    /// The largest volume over the mean.
    imbalance: f64,
}

#[derive(Debug, Serialize, JsonSchema)]
struct BaselinesView {
    #[serde(rename = "1d")]
    one_d: u128,
    #[serde(rename = "2d")]
    two_d: u128,
    #[serde(rename = "2.5d")]
    two_and_half_d: u128,
    recursive: u128,
}

#[derive(Debug, Serialize, JsonSchema)]
struct GridsView {
    #[serde(rename = "1d")]
    one_d: [u64; 3],
    #[serde(rename = "2d")]
    two_d: [u64; 3],
    #[serde(rename = "2.5d")]
    two_and_half_d: [u64; 3],
    recursive: [u64; 3],
}

impl PlanDocument {
    /// The document of a plan.
    pub fn of(planned: &Planned<'_>) -> PlanDocument {
        let Planned { problem, found, .. } = *planned;
        let Found {
            plan,
            summary,
            stop,
        } = found;
        let ranks = plan.ranks();
        let given_work = per_rank(summary.bound);
        let limited_memory = planned.limited_memory.map_or(0.0, |words| below(words, 1));
        let bound = given_work.max(limited_memory);
        let mean = quotient(summary.volume_total, ranks);
        let ratio = (bound > 0.0).then(|| quotient(summary.volume, 1) / bound);
        let Memory {
            own,
            relayed,
            partial,
            panels,
            joined,
            reduction,
        } = summary.memory;
        let shape = plan.shape();
        let all = planned.baselines;
        PlanDocument {
            schema: "redblue.plan",
            schema_version: SCHEMA_VERSION,
            model: Model::of_ranks(ranks),
            shape: ShapeView::of(shape),
            memory_limit: problem.memory,
            plan: plan.to_string(),
            stop: stop_name(*stop),
            grid: plan.tree().as_grid(),
            ranks_used: summary.busy,
            ranks_idle: ranks - summary.busy,
            rounds: plan.schedule().rounds(),
            messages_per_rank: summary.messages,
            volume_per_rank: Amount {
                max: summary.volume,
                mean,
            },
            work_per_rank: Amount {
                max: summary.work,
                mean: quotient(shape.work(), ranks),
            },
            memory_per_rank: summary.memory.total(),
            memory: MemoryView {
                own,
                relayed,
                partial_sums: partial,
                panels,
                joined,
                reduction,
            },
            bound_per_rank: bound,
            bounds: BoundsView {
                given_work,
                equal_work: per_rank(planned.equal_work),
                limited_memory: planned.limited_memory,
            },
            ratio,
            ratio_from: ratio.filter(|_| mean > 0.0).map(|ratio| Origin {
                bricks: mean / bound,
                imbalance: ratio * bound / mean,
            }),
            baselines: BaselinesView {
                one_d: all.one_d.volume,
                two_d: all.two_d.volume,
                two_and_half_d: all.two_and_half_d.volume,
                recursive: all.recursive.volume,
            },
            baseline_grids: GridsView {
                one_d: all.one_d.grid,
                two_d: all.two_d.grid,
                two_and_half_d: all.two_and_half_d.grid,
                recursive: all.recursive.grid,
            },
        }
    }
}

/// The plan as text.
pub fn text(document: &PlanDocument) -> String {
    let ShapeView { m, n, k } = document.shape;
    let ranks = document.ranks_used + document.ranks_idle;
    let memory = document
        .memory_limit
        .map_or("unlimited memory".to_string(), |words| {
            format!("{words} words of memory each")
        });
    let noun = if ranks == 1 { "rank" } else { "ranks" };
    let mut out = format!("C = A·B with m = {m}, n = {n}, k = {k} on {ranks} {noun}, {memory}\n\n");
    let grid = document.grid.map_or(String::new(), |grid| {
        format!("  (grid {})", grid_text(grid))
    });
    out.push_str(&format!("  plan    {}{grid}\n", document.plan));
    out.push_str(&format!(
        "  ranks   {} busy, {} idle\n",
        document.ranks_used, document.ranks_idle
    ));
    out.push_str(&format!(
        "  rounds  {}, a rank sends or receives at most {} messages\n\n",
        document.rounds, document.messages_per_rank
    ));
    let amount = |name: &str, amount: &Amount, unit: &str| {
        vec![
            name.to_string(),
            amount.max.to_string(),
            format!("{:.1}", amount.mean),
            unit.to_string(),
        ]
    };
    let mut rows = vec![["per rank", "max", "mean", ""].map(String::from).to_vec()];
    rows.push(amount(
        "volume",
        &document.volume_per_rank,
        "words sent or received",
    ));
    rows.push(amount("work", &document.work_per_rank, "products"));
    let MemoryView {
        own,
        relayed,
        partial_sums,
        panels,
        joined,
        reduction,
    } = document.memory;
    let some = |words: u128, what: &str| match words {
        0 => String::new(),
        words => format!("{words} {what}, "),
    };
    let (relayed, joined) = (some(relayed, "relayed"), some(joined, "joined panels"));
    let parts = format!(
        "words: {own} own, {relayed}{partial_sums} partial sums, {panels} panels, {joined}{reduction} reduction"
    );
    rows.push(vec![
        "memory".into(),
        document.memory_per_rank.to_string(),
        String::new(),
        parts,
    ]);
    let bound = format!("{:.1}", document.bound_per_rank);
    rows.push(vec![
        "bound".into(),
        bound,
        String::new(),
        "words that some rank receives at least".into(),
    ]);
    out.push_str(&columns(
        "  ",
        &rows,
        &[Align::Left, Align::Right, Align::Right, Align::Left],
    ));
    match (document.ratio, &document.ratio_from) {
        (Some(ratio), Some(Origin { bricks, imbalance })) => out.push_str(&format!(
            "\n  {ratio:.4} times the bound: {bricks:.4} from the shapes of the bricks, {imbalance:.4} from imbalance\n"
        )),
        _ => out.push_str("\n  Nothing has to move\n"),
    }
    if document.stop == stop_name(Stop::TimeLimit) {
        out.push_str("\n  Stopped by the time limit: there may be a better plan\n");
    }
    out.push_str("\nOther decompositions\n");
    let (volumes, grids) = (&document.baselines, &document.baseline_grids);
    let others = [
        ("1D", volumes.one_d, grids.one_d),
        ("2D", volumes.two_d, grids.two_d),
        ("2.5D", volumes.two_and_half_d, grids.two_and_half_d),
        ("recursive", volumes.recursive, grids.recursive),
    ];
    let rows = others.map(|(name, volume, grid)| {
        let times = document.volume_per_rank.max;
        let times = if times > 0 {
            format!(
                "{:.2} times this plan",
                quotient(volume, 1) / quotient(times, 1)
            )
        } else {
            String::new()
        };
        let idle = ranks - grid.iter().product::<u64>().min(ranks);
        let idle = if idle > 0 {
            format!("{idle} ranks idle")
        } else {
            String::new()
        };
        vec![
            name.to_string(),
            grid_text(grid),
            volume.to_string(),
            times,
            idle,
        ]
    });
    out.push_str(&columns(
        "  ",
        &rows,
        &[Align::Left, Align::Left, Align::Right, Align::Left],
    ));
    out
}

/// Why a search ended, as documents say it.
pub(super) fn stop_name(stop: Stop) -> &'static str {
    match stop {
        Stop::Complete => "complete",
        Stop::TimeLimit => "time-limit",
    }
}

fn grid_text([pm, pn, pk]: [u64; 3]) -> String {
    format!("{pm}×{pn}×{pk}")
}

fn per_rank(bound: Received) -> f64 {
    below(bound.total, bound.ranks)
}

/// A quotient for display, to the nearest double.
pub(super) fn quotient(words: u128, ranks: u64) -> f64 {
    words as f64 / ranks.max(1) as f64
}

/// A quotient rounded down to 1024ths, or to a double where those are coarser: lower bounds are never rounded up.
fn below(words: u128, ranks: u64) -> f64 {
    const PARTS: u128 = 1024;
    let parts = words.saturating_mul(PARTS) / u128::from(ranks.max(1));
    let near = parts as f64;
    let near = if near as u128 > parts {
        near.next_down()
    } else {
        near
    };
    near / PARTS as f64
}
