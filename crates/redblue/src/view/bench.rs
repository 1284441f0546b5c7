//! Results of benchmarks.

use redblue_dist::Shape;
use redblue_dist::plan::Stop;
use redblue_kernels::trial::Report;
use redblue_kernels::trial::verify::{DIFFERENCE, RESIDUAL};
use serde::Serialize;

use super::SCHEMA_VERSION;
use super::plan::{ShapeView, quotient, stop_name};
use super::table::{Align, columns};

/// A benchmark of a matrix product and everything that is said about it.
#[derive(Clone, Copy, Debug)]
pub struct Benched<'a> {
    /// Sizes.
    pub shape: Shape,
    /// Element type.
    pub dtype: &'static str,
    /// Whether it is complex: a product then counts as four.
    pub complex: bool,
    /// Number of ranks.
    pub ranks: u64,
    /// What ranks are.
    pub communicator: &'static str,
    /// The plan.
    pub plan: &'a str,
    /// Who multiplied.
    pub backend: &'a str,
    /// Timed runs that were asked for.
    pub runs: usize,
    /// Why the search for the plan ended.
    pub stop: Stop,
    /// What was seen.
    pub report: &'a Report,
}

/// A benchmark as a document.
#[derive(Debug, Serialize)]
pub struct BenchDocument {
    schema: &'static str,
    schema_version: u32,
    kernel: &'static str,
    shape: ShapeView,
    dtype: &'static str,
    ranks: u64,
    threads: u64,
    communicator: &'static str,
    backend: String,
    plan: String,
    runs: usize,
    warmup: usize,
    /// `complete`, or `time-limit` if the search for the plan was cut or fewer runs were made than asked for.
    stop: &'static str,
    seconds: Seconds,
    gflops: f64,
    words: WordsView,
    memory: MemoryView,
    /// Absent without `--verify`.
    residual: Option<f64>,
    residual_limit: f64,
    reference: Option<Reference>,
    /// False also without `--verify`: nothing was verified.
    verified: bool,
}

#[derive(Debug, Serialize)]
struct Seconds {
    min: f64,
    median: f64,
    max: f64,
}

/// Volumes of ranks in words: the larger of what a rank sends and what it receives.
#[derive(Debug, Serialize)]
struct WordsView {
    predicted_max: u64,
    counted_max: u64,
    counted_mean: f64,
    /// Whether every rank sent and received what its plan says.
    as_predicted: bool,
}

/// Words of own data and buffers of the rank that has most.
#[derive(Debug, Serialize)]
struct MemoryView {
    predicted_max: u64,
    allocated_max: u64,
}

#[derive(Debug, Serialize)]
struct Reference {
    difference: Option<f64>,
    limit: f64,
}

impl BenchDocument {
    /// The document of a benchmark.
    pub fn of(benched: &Benched<'_>) -> BenchDocument {
        let report = benched.report;
        let mut times = report.nanoseconds.clone();
        times.sort_unstable();
        let seconds = |nanoseconds: u64| nanoseconds as f64 * 1e-9;
        let at = |place: usize| seconds(times.get(place).copied().unwrap_or(0));
        let last = times.len().saturating_sub(1);
        let median = (at(last / 2) + at(last.div_ceil(2))) / 2.0;
        let flops = if benched.complex { 8.0 } else { 2.0 } * quotient(benched.shape.work(), 1);
        let finite = |number: f64| number.is_finite().then_some(number);
        let verdict = report.verdict;
        BenchDocument {
            schema: "redblue.bench",
            schema_version: SCHEMA_VERSION,
            kernel: "matmul",
            shape: ShapeView::of(benched.shape),
            dtype: benched.dtype,
            ranks: benched.ranks,
            threads: 1,
            communicator: benched.communicator,
            backend: benched.backend.to_string(),
            plan: benched.plan.to_string(),
            runs: times.len(),
            warmup: report.warmup,
            stop: stop_name(match times.len() < benched.runs {
                true => Stop::TimeLimit,
                false => benched.stop,
            }),
            seconds: Seconds {
                min: at(0),
                median,
                max: at(last),
            },
            gflops: if median > 0.0 {
                flops / median * 1e-9
            } else {
                0.0
            },
            words: WordsView {
                predicted_max: report.predicted_max,
                counted_max: report.counted_max,
                counted_mean: quotient(u128::from(report.counted_total), benched.ranks),
                as_predicted: report.as_planned,
            },
            memory: MemoryView {
                predicted_max: report.memory_predicted,
                allocated_max: report.memory_allocated,
            },
            residual: verdict.and_then(|verdict| finite(verdict.residual)),
            residual_limit: RESIDUAL,
            reference: verdict.and_then(|verdict| {
                Some(Reference {
                    difference: finite(verdict.difference?),
                    limit: DIFFERENCE,
                })
            }),
            verified: report.as_planned && verdict.is_some_and(|verdict| verdict.holds()),
        }
    }
}

/// The benchmark as text.
pub fn text(document: &BenchDocument, asked: bool) -> String {
    let ShapeView { m, n, k } = document.shape;
    let ranks = match document.ranks {
        1 => "1 rank".to_string(),
        ranks => format!("{ranks} ranks ({})", document.communicator),
    };
    let mut out = format!(
        "C = A·B with m = {m}, n = {n}, k = {k} in {} on {ranks}\n\n  plan     {}\n  backend  {}\n",
        document.dtype, document.plan, document.backend
    );
    let Seconds { min, median, max } = document.seconds;
    out.push_str(&format!(
        "  seconds  {median:.6} (from {min:.6} to {max:.6}, {} runs after {} to warm up)\n  gflops   {:.2}\n\n",
        document.runs, document.warmup, document.gflops
    ));
    if document.stop == stop_name(Stop::TimeLimit) {
        out.push_str("  Stopped by the time limit: fewer runs than asked for, or a plan that may not be the best\n\n");
    }
    let row = |cells: [&str; 5]| cells.map(String::from).to_vec();
    let (words, memory) = (&document.words, &document.memory);
    let rows = [
        row([
            "per rank",
            "predicted max",
            "counted max",
            "counted mean",
            "",
        ]),
        row([
            "volume",
            &words.predicted_max.to_string(),
            &words.counted_max.to_string(),
            &format!("{:.1}", words.counted_mean),
            "words sent or received",
        ]),
        row([
            "memory",
            &memory.predicted_max.to_string(),
            &memory.allocated_max.to_string(),
            "",
            "words of own data and buffers",
        ]),
    ];
    let right = Align::Right;
    out.push_str(&columns(
        "  ",
        &rows,
        &[Align::Left, right, right, right, Align::Left],
    ));
    if asked {
        out.push_str(&verdict(document));
    }
    out
}

fn verdict(document: &BenchDocument) -> String {
    let number = |number: Option<f64>| {
        number.map_or("not a number".to_string(), |number| format!("{number:.3}"))
    };
    let reference = document
        .reference
        .as_ref()
        .map_or(String::new(), |reference| {
            format!(
                ", difference from three loops {} of at most {}",
                number(reference.difference),
                reference.limit
            )
        });
    let counts = if document.words.as_predicted {
        "as many words as planned on every rank"
    } else {
        "OTHER WORDS THAN PLANNED"
    };
    format!(
        "\n  {}: residual {} of at most {}{reference}, {counts}\n",
        if document.verified {
            "verified"
        } else {
            "WRONG"
        },
        number(document.residual),
        document.residual_limit
    )
}
