//! The gap as a document, as text and as tables.
//!
//! One [`Gap`] is one size and one memory. Every table has the same lines for it: the bound, what the tiling provably
//! moves, and every simulation, each with its loads, stores and its ratio to the bound; a simulation that was not made
//! has a line that says so.

mod charts;
mod page;

use num_bigint::BigInt;
use redblue_program::Program;
use redblue_report::table::{Align, Table};
use redblue_schedule::{Stop, Tiling};
use schemars::JsonSchema;
use serde::Serialize;

use super::SCHEMA_VERSION;
use super::bound::{BoundDocument, Value, value};
use super::formula::Formula;
use super::model::Model;
use super::nest::{nest, used};
use super::simulate::{ResultView, results};
use super::tile::{CUT, TileDocument};
use crate::bound::Bounds;
use crate::gap::{Gap, Schedule};
use crate::simulate::{Level, Policy};
use crate::sizes::Point;
use crate::tile::Tiled;
use crate::timing::{FLAGS, Timing};

pub use charts::{Charts, Machine};
pub use page::{Subject, page};

/// The answer of `redblue gap`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct GapDocument {
    schema: &'static str,
    schema_version: u32,
    /// The sizes of the result shown in full, S among them: of several the one with the largest ratio.
    sizes: Point,
    model: Model,
    lower: BoundDocument,
    upper: Option<TileDocument>,
    simulated: Vec<ResultView>,
    /// Simulations that were not made, and why.
    skipped: Vec<SkippedView>,
    /// Times of compiled code on this machine; empty without `--time`.
    timed: Vec<Timed>,
    /// Words of the tiling divided by the lower bound, rounded up.
    ratio: Option<f64>,
    /// All sizes and memories that were asked for.
    results: Vec<GapResult>,
}

/// The time of compiled code.
#[derive(Debug, Serialize, JsonSchema)]
struct Timed {
    /// `original`, `tiled`, or `speed` for the order of `tile --for speed`.
    schedule: String,
    /// Median CPU seconds of interleaved runs, one thread.
    seconds: f64,
    /// All runs, in increasing order.
    runs: Vec<f64>,
}

/// Words moved; exact, so as text.
#[derive(Debug, Serialize, JsonSchema)]
struct Words {
    loads: String,
    stores: String,
    total: String,
}

#[derive(Debug, Serialize, JsonSchema)]
struct SkippedView {
    schedule: &'static str,
    policy: &'static str,
    reason: &'static str,
}

#[derive(Debug, Serialize, JsonSchema)]
struct GapResult {
    /// S among them.
    sizes: Point,
    /// How the memory was asked for, if not in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    memory: Option<String>,
    /// Words that no schedule avoids.
    lower: String,
    upper: Option<Words>,
    ratio: Option<f64>,
    simulated: Vec<SimulatedTotal>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct SimulatedTotal {
    schedule: &'static str,
    policy: &'static str,
    loads: u64,
    stores: u64,
    ratio: Option<f64>,
}

impl Words {
    fn of(loads: &BigInt, stores: &BigInt) -> Words {
        Words {
            loads: loads.to_string(),
            stores: stores.to_string(),
            total: (loads + stores).to_string(),
        }
    }
}

impl GapDocument {
    /// The document of all gaps; `None` without any.
    pub fn of(program: &Program, bounds: &Bounds, gaps: &[Gap]) -> Option<GapDocument> {
        let worst = worst(gaps)?;
        let sizes = with_memory(worst);
        let simulated = worst.runs.done.iter();
        Some(GapDocument {
            schema: "redblue.gap",
            schema_version: SCHEMA_VERSION,
            model: Model::proved(worst.model),
            lower: BoundDocument::of(program, bounds, &sizes, vec![bound_value(worst)]),
            sizes,
            upper: worst.upper.as_ref().ok().map(|tiling| {
                TileDocument::of(&Tiled {
                    tiling: tiling.clone(),
                    lower: Some(worst.lower.clone()),
                })
            }),
            simulated: simulated
                .flat_map(|(schedule, question, simulation)| {
                    results(question, simulation, schedule.name())
                })
                .collect(),
            skipped: worst
                .runs
                .skipped
                .iter()
                .map(|skipped| SkippedView {
                    schedule: skipped.schedule.name(),
                    policy: skipped.policy.name(),
                    reason: skipped.reason,
                })
                .collect(),
            timed: worst.timed.iter().map(Timed::of).collect(),
            ratio: worst
                .upper_words()
                .and_then(|words| as_number(worst, &words)),
            results: gaps.iter().map(GapResult::of).collect(),
        })
    }
}

impl Timed {
    fn of(timing: &Timing) -> Timed {
        Timed {
            schedule: timing.schedule.clone(),
            seconds: timing.median(),
            runs: timing.seconds.clone(),
        }
    }
}

/// A sentence on the times of compiled code, if there are any.
fn timings(gap: &Gap) -> Option<String> {
    let runs = gap.timed.first()?.seconds.len();
    let list: Vec<String> = gap
        .timed
        .iter()
        .map(|timing| {
            let name = match timing.schedule.as_str() {
                "speed" => "for speed",
                name => name,
            };
            format!("{name} {:.6}", timing.median())
        })
        .collect();
    Some(format!(
        "timed on this machine, compiled with cc {}, one thread, median CPU seconds of {runs} interleaved runs: {}",
        FLAGS.join(" "),
        list.join(", ")
    ))
}

impl GapResult {
    fn of(gap: &Gap) -> GapResult {
        let simulated = runs(gap).filter_map(|(schedule, policy)| {
            let (loads, stores) = gap.runs.traffic(schedule, policy)?;
            let words = gap.counted(&loads.into(), &stores.into());
            Some(SimulatedTotal {
                schedule: schedule.name(),
                policy: policy.name(),
                loads,
                stores,
                ratio: as_number(gap, &words),
            })
        });
        let upper = gap.upper.as_ref().ok();
        GapResult {
            sizes: with_memory(gap),
            memory: gap.memory.name.clone(),
            lower: gap.lower.to_string(),
            upper: upper.map(|upper| Words::of(&upper.traffic.loads, &upper.traffic.stores)),
            ratio: gap.upper_words().and_then(|words| as_number(gap, &words)),
            simulated: simulated.collect(),
        }
    }
}

/// The gap with the largest ratio; one without a tiling counts as the largest.
fn worst(gaps: &[Gap]) -> Option<&Gap> {
    let key = |gap: &&Gap| match gap.upper_words() {
        Some(words) => gap
            .thousandths(&words)
            .map_or((0, BigInt::ZERO), |ratio| (1, ratio)),
        None => (2, BigInt::ZERO),
    };
    // The first of equals.
    gaps.iter().rev().max_by_key(key)
}

fn with_memory(gap: &Gap) -> Point {
    let words = i64::try_from(gap.memory.words).unwrap_or(i64::MAX);
    let mut sizes = gap.sizes.clone();
    sizes.insert("S".to_owned(), words);
    sizes
}

fn bound_value(gap: &Gap) -> Value {
    value(with_memory(gap), &gap.lower, gap.operations.as_ref())
}

/// All simulations that belong to a gap, made or not.
fn runs(gap: &Gap) -> impl Iterator<Item = (Schedule, Policy)> {
    let tiled = gap.tiled().map(|_| Schedule::Tiled);
    let orders = [Some(Schedule::Original), tiled];
    let policies = [Policy::Opt, Policy::Lru, Policy::Set];
    orders
        .into_iter()
        .flatten()
        .flat_map(move |order| policies.map(|policy| (order, policy)))
}

fn as_number(gap: &Gap, words: &BigInt) -> Option<f64> {
    ratio(gap, words)?.parse().ok()
}

/// Words divided by the bound, rounded up to three digits behind the point.
fn ratio(gap: &Gap, words: &BigInt) -> Option<String> {
    let thousandths = gap.thousandths(words)?;
    Some(format!(
        "{}.{:0>3}",
        &thousandths / 1000,
        &thousandths % 1000
    ))
}

/// One line about a gap.
struct Line {
    schedule: &'static str,
    how: String,
    /// Loads, stores and the words that count, or why there are none.
    words: Result<(String, String, BigInt), String>,
}

/// The lines of a gap: the bound, the tiling, the simulations.
fn lines(gap: &Gap) -> Vec<Line> {
    let mut lines = vec![Line {
        schedule: "any",
        how: "lower bound".into(),
        words: Ok((String::new(), String::new(), gap.lower.clone())),
    }];
    let words = match &gap.upper {
        Ok(Tiling { traffic, .. }) => Ok((
            traffic.loads.to_string(),
            traffic.stores.to_string(),
            gap.counted(&traffic.loads, &traffic.stores),
        )),
        Err(reason) => Err(reason.clone()),
    };
    lines.push(Line {
        schedule: match &gap.upper {
            Ok(tiling) if tiling.is_original => "original",
            _ => "tiled",
        },
        how: "proven".into(),
        words,
    });
    for (schedule, policy) in runs(gap) {
        let words = match gap.runs.traffic(schedule, policy) {
            Some((loads, stores)) => Ok((
                loads.to_string(),
                stores.to_string(),
                gap.counted(&loads.into(), &stores.into()),
            )),
            None => {
                let skipped = gap.runs.skipped.iter();
                let mut reasons = skipped
                    .filter(|skipped| (skipped.schedule, skipped.policy) == (schedule, policy));
                let reason = reasons.next().map(|skipped| skipped.reason);
                Err(reason.unwrap_or("not simulated").to_owned())
            }
        };
        lines.push(Line {
            schedule: schedule.name(),
            how: spelled(policy),
            words,
        });
    }
    // Tiled before original: the answer first.
    let place = |line: &Line| {
        ["any", "tiled", "original"]
            .iter()
            .position(|name| *name == line.schedule)
    };
    lines.sort_by_key(place);
    lines
}

fn spelled(policy: Policy) -> String {
    match policy {
        Policy::Opt => "OPT, simulated".into(),
        Policy::Lru => "LRU, simulated".into(),
        Policy::Set => format!("{} ways, simulated", Level::USUAL_WAYS),
    }
}

/// The lines of one gap as a table.
fn table(gap: &Gap) -> Table {
    let mut table = Table::new(&[
        ("order", Align::Left),
        ("words", Align::Left),
        (counted_name(gap), Align::Right),
        ("/ bound", Align::Right),
        ("loads", Align::Right),
        ("stores", Align::Right),
    ]);
    for line in lines(gap) {
        let mut row = vec![line.schedule.to_owned(), line.how];
        row.extend(match line.words {
            Ok((loads, stores, words)) => {
                let ratio = ratio(gap, &words).unwrap_or_default();
                [words.to_string(), ratio, loads, stores]
            }
            Err(_) => ["–", "", "", ""].map(String::from),
        });
        table.rows.push(row);
    }
    table
}

fn counted_name(gap: &Gap) -> &'static str {
    match gap.model.count {
        redblue_cert::Counted::Loads => "counted",
        redblue_cert::Counted::Total => "total",
    }
}

/// All gaps as one table, one row per number: for CSV, Markdown and LaTeX.
pub fn rows(gaps: &[Gap]) -> Table {
    let names: Vec<&str> = gaps
        .first()
        .map(|gap| gap.sizes.keys().map(String::as_str).collect())
        .unwrap_or_default();
    let mut columns: Vec<(&str, Align)> = names.iter().map(|name| (*name, Align::Right)).collect();
    columns.push(("S", Align::Right));
    let first = gaps.first().map(table).unwrap_or_default();
    columns.extend(first.head.iter().map(String::as_str).zip(first.aligns));
    let mut all = Table::new(&columns);
    for gap in gaps {
        for row in table(gap).rows {
            let mut cells: Vec<String> = gap.sizes.values().map(i64::to_string).collect();
            cells.push(gap.memory.words.to_string());
            cells.extend(row);
            all.rows.push(cells);
        }
    }
    all
}

/// More gaps than this are shown as one table, one line each.
const MOST_IN_FULL: usize = 3;

/// For people.
pub fn text(program: &Program, bounds: &Bounds, gaps: &[Gap]) -> String {
    let mut out = String::new();
    if gaps.len() > MOST_IN_FULL {
        let fixed = at(&constant(gaps));
        out.push_str(&format!(
            "{}{fixed}\n\n{}",
            program.name,
            sweep(gaps).text("  ")
        ));
    } else {
        let parts: Vec<String> = gaps.iter().map(|gap| one(program, gap)).collect();
        out.push_str(&parts.join("\n"));
    }
    let Some(gap) = gaps.first() else {
        return out;
    };
    let methods: Vec<&str> = bounds
        .best
        .iter()
        .map(|at| bounds.analysis.bounds[*at].method())
        .collect();
    let full = &bounds.full;
    out.push_str(&format!("\nlower bound: {}\n", full.factored()));
    let more = |gap: &Gap| {
        let formula = Formula::of_bound(full, &with_memory(gap));
        formula
            .exact
            .is_some_and(|value| value != gap.lower.to_string())
    };
    if gaps.iter().any(more) {
        out.push_str(
            "  at given sizes more is proved than its value: phases have their best length there\n",
        );
    }
    out.push_str(&format!(
        "  for large sizes {}\n  proved by {}; {} steps checked\n",
        bounds.leading.factored(),
        methods.join(", "),
        bounds.analysis.certificate.steps()
    ));
    out.push_str(&format!(
        "model of all numbers: {}; words of fast and slow memory\n",
        Model::proved(gap.model).in_words()
    ));
    let cut = |gap: &Gap| matches!(&gap.upper, Ok(tiling) if tiling.stopped == Stop::TimeLimit);
    if gaps.iter().any(cut) {
        out.push_str(CUT);
    }
    out
}

fn one(program: &Program, gap: &Gap) -> String {
    let mut out = format!("{}\n\n{}", heading(program, gap), table(gap).text("  "));
    for line in lines(gap) {
        if let Err(reason) = line.words {
            out.push_str(&format!(
                "  {} order, {}: {reason}\n",
                line.schedule,
                line.how.replace(", simulated", "")
            ));
        }
    }
    if stores_too_much(gap) {
        out.push_str(
            "  OPT loads the fewest words; here that takes more stores than it saves loads\n",
        );
    }
    if let Some(timings) = timings(gap) {
        out.push_str(&format!("\n{timings}\n"));
    }
    if let Ok(tiling) = &gap.upper {
        out.push_str(&format!("\n{}{}", used(tiling), nest(&[tiling])));
        out.push_str(&super::tile::everywhere(tiling).unwrap_or_default());
    }
    out
}

/// Whether Belady's rule, which loads the fewest words, moves more than was proved, because it stores more.
fn stores_too_much(gap: &Gap) -> bool {
    let played = gap.runs.traffic(Schedule::Tiled, Policy::Opt);
    let (Some((loads, stores)), Ok(tiling)) = (played, &gap.upper) else {
        return false;
    };
    gap.counted(&loads.into(), &stores.into()) > tiling.cost()
}

/// `gemm at NI=1000, NJ=1100, NK=1200 with S = 4096 words (L1)`.
fn heading(program: &Program, gap: &Gap) -> String {
    format!("{}{} with {}", program.name, at(&gap.sizes), memory(gap))
}

/// ` at NI=1000, NJ=1100`, or nothing without sizes.
pub(super) fn at(sizes: &Point) -> String {
    let sizes: Vec<String> = sizes
        .iter()
        .map(|(name, size)| format!("{name}={size}"))
        .collect();
    match sizes.as_slice() {
        [] => String::new(),
        sizes => format!(" at {}", sizes.join(", ")),
    }
}

fn memory(gap: &Gap) -> String {
    let name = gap
        .memory
        .name
        .as_ref()
        .map_or(String::new(), |name| format!(" ({name})"));
    format!("S = {} words{name}", gap.memory.words)
}

/// The sizes that all gaps have in common.
fn constant(gaps: &[Gap]) -> Point {
    let Some(first) = gaps.first() else {
        return Point::new();
    };
    let mut sizes = first.sizes.clone();
    sizes.retain(|name, size| gaps.iter().all(|gap| gap.sizes.get(name) == Some(&*size)));
    sizes
}

/// One line per gap.
fn sweep(gaps: &[Gap]) -> Table {
    let constant = constant(gaps);
    let sizes = gaps
        .first()
        .map(|gap| gap.sizes.keys())
        .into_iter()
        .flatten();
    let varying: Vec<&String> = sizes.filter(|name| !constant.contains_key(*name)).collect();
    let mut columns: Vec<(&str, Align)> = varying
        .iter()
        .map(|name| (name.as_str(), Align::Right))
        .collect();
    columns.extend(
        [
            "S",
            "lower bound",
            "tiling, proven",
            "ratio",
            "original, OPT",
            "original, LRU",
        ]
        .map(|name| (name, Align::Right)),
    );
    let mut table = Table::new(&columns);
    for gap in gaps {
        let mut row: Vec<String> = varying
            .iter()
            .map(|name| gap.sizes[*name].to_string())
            .collect();
        row.push(gap.memory.words.to_string());
        row.push(gap.lower.to_string());
        let upper = gap.upper_words();
        row.push(upper.as_ref().map_or("–".into(), BigInt::to_string));
        row.push(
            upper
                .and_then(|words| ratio(gap, &words))
                .unwrap_or("–".into()),
        );
        for policy in [Policy::Opt, Policy::Lru] {
            let words = gap.runs.traffic(Schedule::Original, policy);
            row.push(words.map_or("–".into(), |(loads, stores)| {
                gap.counted(&loads.into(), &stores.into()).to_string()
            }));
        }
        table.rows.push(row);
    }
    table
}
