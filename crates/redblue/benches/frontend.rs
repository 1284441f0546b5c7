//! Time to read each kernel with its dependences: `cargo bench -p redblue --bench frontend`.
//!
//! Kernels of the catalogue always; the 30 PolyBench sources too if `REDBLUE_POLYBENCH` names a copy of
//! PolyBench/C 4.2.1. Times are processor time where Linux tells it, since other programs must not count; it
//! tells whole ticks only, hence the mean of several runs.

mod common;

use std::time::Duration;

use common::{Clock, is_test, milliseconds, suites};
use redblue::dataflow::Dataflow;
use redblue::input::Source;
use redblue::program::reading::ReadOptions;

const RUNS: u32 = 10;

/// Time to read a program, and to find its dependences.
struct Timing {
    name: String,
    statements: usize,
    read: Duration,
    flow: Duration,
}

fn main() {
    let runs = if is_test() { 1 } else { RUNS };
    for suite in suites() {
        let kernels = suite.kernels.iter();
        let timings = kernels.map(|(name, source)| time(name, source, &suite.options, runs));
        report(suite.title, timings.collect());
    }
}

fn time(name: &str, source: &Source, options: &ReadOptions, runs: u32) -> Timing {
    let timings: Vec<Timing> = (0..runs).map(|_| once(name, source, options)).collect();
    let mean = |part: fn(&Timing) -> Duration| timings.iter().map(part).sum::<Duration>() / runs;
    Timing {
        name: name.to_string(),
        statements: timings.first().map_or(0, |timing| timing.statements),
        read: mean(|timing| timing.read),
        flow: mean(|timing| timing.flow),
    }
}

fn once(name: &str, source: &Source, options: &ReadOptions) -> Timing {
    let start = Clock::start();
    let program = common::read(name, source, options);
    let read = start.elapsed();
    let start = Clock::start();
    Dataflow::of(&program).expect("dependences");
    let flow = start.elapsed();
    Timing {
        name: name.to_string(),
        statements: program.statements.len(),
        read,
        flow,
    }
}

fn report(title: &str, timings: Vec<Timing>) {
    let ms = milliseconds;
    println!(
        "{title:<24} {:>10} {:>10} {:>10}",
        "statements", "read ms", "deps ms"
    );
    for timing in &timings {
        let Timing {
            name,
            statements,
            read,
            flow,
        } = timing;
        println!(
            "  {name:<22} {statements:>10} {:>10.2} {:>10.2}",
            ms(*read),
            ms(*flow)
        );
    }
    let read: Duration = timings.iter().map(|timing| timing.read).sum();
    let flow: Duration = timings.iter().map(|timing| timing.flow).sum();
    let total = format!("all {} in {:.0} ms", timings.len(), ms(read + flow));
    println!("  {total:<33} {:>10.2} {:>10.2}\n", ms(read), ms(flow));
}
