//! Simulated traffic: the curve over all sizes, and where it comes from.

use redblue_program::{Program, Sizes};
use redblue_sim::ReferenceTraffic;
use redblue_sim::hierarchy::Replacement;
use schemars::JsonSchema;
use serde::Serialize;

use super::SCHEMA_VERSION;
use super::ir::heading;
use super::model::Model;
use super::table::{Align, columns};
use crate::simulate::{Policy, Question, Run, Simulation};

/// All simulations of one program.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SimulateDocument {
    schema: &'static str,
    schema_version: u32,
    program: ProgramName,
    model: Model,
    assumptions: Vec<String>,
    results: Vec<ResultView>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct ProgramName {
    name: String,
    /// Whether every statement of the source was simulated.
    complete: bool,
    parameters: Vec<String>,
    statements: Vec<String>,
}

/// One size under one replacement; all counts in words.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ResultView {
    sizes: Sizes,
    schedule: &'static str,
    policy: &'static str,
    #[serde(rename = "S")]
    words: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    level: Option<usize>,
    line_words: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    ways: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    replacement: Option<&'static str>,
    /// Start of the random choices, if there are any.
    #[serde(skip_serializing_if = "Option::is_none")]
    seed: Option<u64>,
    #[serde(flatten)]
    total: TrafficView,
    /// Lines loaded.
    #[serde(skip_serializing_if = "Option::is_none")]
    lines: Option<u64>,
    arrays: Vec<ArrayTraffic>,
    references: Vec<ReferenceView>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct TrafficView {
    accesses: u64,
    loads: u64,
    stores: u64,
    total: u64,
    compulsory: u64,
    capacity: u64,
    conflict: u64,
}

#[derive(Debug, Serialize, JsonSchema)]
struct ArrayTraffic {
    array: String,
    #[serde(flatten)]
    traffic: TrafficView,
}

#[derive(Debug, Serialize, JsonSchema)]
struct ReferenceView {
    reference: String,
    array: String,
    write: bool,
    #[serde(flatten)]
    traffic: TrafficView,
}

impl TrafficView {
    fn of(traffic: &ReferenceTraffic, line_words: u64) -> TrafficView {
        let words = |cells: u64| cells * line_words;
        TrafficView {
            accesses: traffic.accesses,
            loads: words(traffic.loads),
            stores: words(traffic.stores()),
            total: words(traffic.loads + traffic.stores()),
            compulsory: words(traffic.compulsory),
            capacity: words(traffic.capacity()),
            conflict: words(traffic.conflict),
        }
    }

    /// As cells of a table, in the order of [`COUNTS`].
    fn cells(&self) -> Vec<String> {
        let TrafficView {
            accesses,
            loads,
            stores,
            total,
            compulsory,
            capacity,
            conflict,
        } = self;
        [
            accesses, loads, compulsory, capacity, conflict, stores, total,
        ]
        .map(u64::to_string)
        .to_vec()
    }
}

/// Names of the replacements within a set, as the command line has them.
pub const REPLACEMENTS: &[&str] = &["lru", "fifo", "random"];

fn replacement_name(replacement: Replacement) -> &'static str {
    REPLACEMENTS[match replacement {
        Replacement::Lru => 0,
        Replacement::Fifo => 1,
        Replacement::Random { .. } => 2,
    }]
}

/// Heads of the columns of counts.
const COUNTS: [&str; 7] = [
    "accesses",
    "loads",
    "compulsory",
    "capacity",
    "conflict",
    "stores",
    "total",
];

/// The results of one simulation; `schedule` is `original` or `tiled`.
pub fn results(
    question: &Question,
    simulation: &Simulation,
    schedule: &'static str,
) -> Vec<ResultView> {
    let runs = simulation.runs.iter();
    runs.map(|run| ResultView::of(question, simulation, run, schedule))
        .collect()
}

impl ResultView {
    fn of(
        question: &Question,
        simulation: &Simulation,
        run: &Run,
        schedule: &'static str,
    ) -> ResultView {
        let shape = &simulation.shape;
        let line_words = run.traffic.grain.words();
        let name = |array: usize| shape.arrays()[array].name.clone();
        let by_array = run.traffic.by_array(shape);
        let references = shape.references().iter().zip(&run.traffic.references);
        let by_sets = run.policy == Policy::Set;
        let seed = match question.replacement {
            Replacement::Random { seed } => Some(seed),
            Replacement::Lru | Replacement::Fifo => None,
        };
        ResultView {
            sizes: simulation.sizes.clone(),
            schedule,
            policy: run.policy.name(),
            words: run.level.words,
            level: run.number,
            line_words,
            ways: by_sets.then_some(run.level.ways),
            replacement: by_sets.then(|| replacement_name(question.replacement)),
            seed: seed.filter(|_| by_sets),
            total: TrafficView::of(&run.traffic.total(), line_words),
            lines: question.line.map(|_| run.traffic.loads()),
            arrays: by_array
                .iter()
                .enumerate()
                .map(|(array, traffic)| ArrayTraffic {
                    array: name(array),
                    traffic: TrafficView::of(traffic, line_words),
                })
                .collect(),
            references: references
                .map(|(reference, traffic)| ReferenceView {
                    // A scalar is an array without subscripts.
                    reference: reference.text.trim_end_matches("[]").to_string(),
                    array: name(reference.array as usize),
                    write: reference.write,
                    traffic: TrafficView::of(traffic, line_words),
                })
                .collect(),
        }
    }
}

impl SimulateDocument {
    /// The document of all results.
    pub fn of(program: &Program, results: Vec<ResultView>) -> SimulateDocument {
        let params = program.params.iter();
        let statements = program.statements.iter();
        SimulateDocument {
            schema: "redblue.simulate",
            schema_version: SCHEMA_VERSION,
            program: ProgramName {
                name: program.name.clone(),
                complete: program.omitted.is_empty(),
                parameters: params.map(|param| param.name.clone()).collect(),
                statements: statements.map(|statement| statement.name.clone()).collect(),
            },
            model: Model::SIMULATION,
            assumptions: program.assumptions.clone(),
            results,
        }
    }
}

/// The curve as text; with one size, also by array and by reference.
pub fn text(program: &Program, results: &[ResultView]) -> String {
    let moves = match results.first() {
        Some(result) if result.lines.is_some() => {
            format!(
                "lines of {} words move; all counts in words",
                result.line_words
            )
        }
        _ => "single words move".to_string(),
    };
    let sets = results
        .iter()
        .find_map(|result| Some((result.replacement?, result.seed)));
    let sets = match sets {
        Some((replacement, Some(seed))) => {
            format!("; sets: {replacement} replacement, seed {seed}")
        }
        Some((replacement, None)) => format!("; sets: {replacement} replacement"),
        None => String::new(),
    };
    let order = match results.first().map(|result| result.schedule) {
        Some("tiled") => "tiled for each fast memory",
        _ => "in its own order",
    };
    let mut out = format!("{}{order}; {moves}{sets}\n\n", heading(program));
    out.push_str(&aligned(&curve(results), 2));
    let mut policies: Vec<&str> = results.iter().map(|result| result.policy).collect();
    policies.sort_unstable();
    policies.dedup();
    if policies.len() == results.len() {
        for result in results {
            let heading = format!("\nBy array ({})\n", result.policy);
            let arrays = result.arrays.iter();
            let rows = arrays.map(|view| (view.array.clone(), &view.traffic));
            out.push_str(&format!("{heading}{}", breakdown("array", rows)));
            let heading = format!("\nBy reference ({})\n", result.policy);
            let references = result.references.iter();
            let rows = references.map(|view| {
                let verb = if view.write { "writes" } else { "reads" };
                let spelled = view.reference.replacen(": ", &format!(" {verb} "), 1);
                (spelled, &view.traffic)
            });
            out.push_str(&format!("{heading}{}", breakdown("reference", rows)));
        }
    }
    out
}

/// The curve as comma-separated values.
pub fn csv(results: &[ResultView]) -> String {
    let lines: Vec<String> = curve(results).iter().map(|row| row.join(",")).collect();
    lines.join("\n")
}

/// The curve as a Markdown table.
pub fn markdown(results: &[ResultView]) -> String {
    let mut rows = curve(results);
    let rule = rows[0].iter().map(|_| "---:".to_string()).collect();
    rows.insert(1, rule);
    let lines: Vec<String> = rows
        .iter()
        .map(|row| format!("| {} |", row.join(" | ")))
        .collect();
    lines.join("\n")
}

/// A head and one row per result. Sizes, levels and lines have columns only where there are any to tell.
fn curve(results: &[ResultView]) -> Vec<Vec<String>> {
    let Some(first) = results.first() else {
        return vec![Vec::new()];
    };
    let levels = results.iter().any(|result| result.level.is_some());
    let mut head: Vec<String> = first.sizes.keys().cloned().collect();
    head.push("policy".into());
    head.extend(levels.then(|| "level".to_string()));
    head.push("S".into());
    let ways = results.iter().any(|result| result.ways.is_some());
    head.extend(ways.then(|| "ways".to_string()));
    head.extend(COUNTS.map(String::from));
    let row = |result: &ResultView| {
        let mut row: Vec<String> = result.sizes.values().map(i64::to_string).collect();
        row.push(result.policy.into());
        row.extend(levels.then(|| result.level.unwrap_or(1).to_string()));
        row.push(result.words.to_string());
        row.extend(ways.then(|| {
            let own = result.ways.map(|ways| ways.to_string());
            own.unwrap_or_else(|| "all".into())
        }));
        row.extend(result.total.cells());
        row
    };
    let rows = results.iter().map(row);
    std::iter::once(head).chain(rows).collect()
}

fn breakdown<'a>(what: &str, rows: impl Iterator<Item = (String, &'a TrafficView)>) -> String {
    let head = std::iter::once(what).chain(COUNTS).map(String::from);
    let mut table = vec![head.collect::<Vec<String>>()];
    table.extend(rows.map(|(name, traffic)| [vec![name], traffic.cells()].concat()));
    let mut aligns = vec![Align::Right; COUNTS.len() + 1];
    aligns[0] = Align::Left;
    columns("  ", &table, &aligns)
}

/// A table with all columns to the right.
fn aligned(rows: &[Vec<String>], indent: usize) -> String {
    let width = rows.first().map_or(0, Vec::len);
    columns(&" ".repeat(indent), rows, &vec![Align::Right; width])
}
