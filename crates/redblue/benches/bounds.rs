//! Time to prove the bounds of each kernel: `cargo bench -p redblue --bench bounds [-- NAME …]`.
//!
//! Kernels of the catalogue always; the 30 PolyBench sources too if `REDBLUE_POLYBENCH` names a copy of
//! PolyBench/C 4.2.1. Names restrict both. The model is that of the published tables: loads, no recomputation.
//!
//! ```text
//! prove   all methods, every proof that is claimed verified by the checker, the formulas
//! check   the certificate verified again from its text, as `redblue check` does
//! ```
//!
//! Times are processor time where Linux tells it, one run each: kernels take from a hundredth of a second to two.

mod common;

use std::time::Duration;

use common::{Clock, Suite, is_test, milliseconds, suites};
use redblue::bound::Bounds;
use redblue::cert::{Certificate, Counted, Model, check};
use redblue::input::Source;
use redblue_bound::analysis::Options;

/// What one kernel took.
struct Timing {
    prove: Duration,
    check: Duration,
    claims: usize,
}

fn main() {
    let arguments = std::env::args().skip(1);
    let mut names: Vec<String> = arguments.filter(|word| !word.starts_with('-')).collect();
    // Whether it works at all is seen on one kernel.
    if is_test() {
        names = vec!["gemm".to_owned()];
    }
    for mut suite in suites() {
        let wanted = |name: &String| names.is_empty() || names.contains(name);
        suite.kernels.retain(|(name, _)| wanted(name));
        report(&suite);
    }
}

fn time(name: &str, source: &Source, suite: &Suite) -> Timing {
    let options = Options {
        model: Model {
            count: Counted::Loads,
            ..Model::DEFAULT
        },
        ..Options::default()
    };
    let start = Clock::start();
    let program = common::read(name, source, &suite.options);
    let bounds = Bounds::of(&program, &options, &Default::default()).expect("bounds");
    let prove = start.elapsed();
    let text = serde_json::to_string(&bounds.analysis.certificate).expect("a document");
    let start = Clock::start();
    let certificate: Certificate = serde_json::from_str(&text).expect("a certificate");
    let checked = check(&certificate, None).expect("a certificate that holds");
    Timing {
        prove,
        check: start.elapsed(),
        claims: checked.len(),
    }
}

fn report(suite: &Suite) {
    println!(
        "{:<24} {:>10} {:>10} {:>10}",
        suite.title, "claims", "prove ms", "check ms"
    );
    let mut timings = Vec::new();
    for (name, source) in &suite.kernels {
        let timing = time(name, source, suite);
        println!(
            "  {name:<22} {:>10} {:>10.0} {:>10.0}",
            timing.claims,
            milliseconds(timing.prove),
            milliseconds(timing.check)
        );
        timings.push(timing);
    }
    let prove: Duration = timings.iter().map(|timing| timing.prove).sum();
    let check: Duration = timings.iter().map(|timing| timing.check).sum();
    let slowest = timings.iter().map(|timing| timing.prove).max();
    println!(
        "  {:<33} {:>10.0} {:>10.0}   slowest {:.0} ms\n",
        format!("all {}", timings.len()),
        milliseconds(prove),
        milliseconds(check),
        milliseconds(slowest.unwrap_or_default())
    );
}
