//! Million accesses per CPU second of each simulator, as ratios to textbook baselines run in turn with it.
//!
//! `cargo bench -p redblue-sim`. One thread; traces are recorded beforehand so that only simulation is
//! timed; every round runs all contestants once, and medians over the rounds are compared. Counts are
//! compared with the baseline's on every run, so a fast wrong answer does not pass. Exits with 1 when a
//! ratio is below its goal.

use std::hint::black_box;
use std::process::ExitCode;
use std::sync::LazyLock;
use std::time::Instant;

use redblue_sim::synthetic::Matmul;
use redblue_sim::{Access, Grain, Recorded, Simulator, Trace, lru, opt};

#[path = "baseline/fenwick.rs"]
mod fenwick;
#[path = "baseline/heap.rs"]
mod heap;

use fenwick::Fenwick;

const ROUNDS: usize = 5;

struct Contest {
    name: &'static str,
    baseline: &'static str,
    goal: f64,
    run: Box<dyn Fn() -> u64>,
}

fn main() -> ExitCode {
    let mut missed = 0;
    for (name, tile) in [
        ("tiled 16", Some(16)),
        ("tiled 32", Some(32)),
        ("untiled", None),
    ] {
        let trace = matmul(128, tile);
        println!(
            "matrix product 128³ i-j-k, {name}: {} accesses to {} cells",
            trace.accesses().len(),
            trace.shape().cells()
        );
        missed += compete(trace, tile.is_some());
    }
    if missed == 0 {
        return ExitCode::SUCCESS;
    }
    println!("{missed} goals missed");
    ExitCode::FAILURE
}

/// Reads only, so that hits and misses mean the same to the baselines, which know no writes.
fn matmul(n: u32, tile: Option<u32>) -> Recorded {
    let product = Matmul {
        m: n,
        n,
        k: n,
        order: [0, 1, 2],
        tile,
        grain: Grain::Line { words: 1 },
    };
    match product.trace() {
        Ok(trace) => Recorded::of(&trace),
        Err(error) => {
            eprintln!("{error}");
            std::process::exit(2)
        }
    }
}

fn compete(trace: Recorded, tiled: bool) -> usize {
    let trace: &'static Recorded = Box::leak(Box::new(trace));
    let next: &'static [u32] = heap::next_uses(trace.accesses(), trace.shape().cells()).leak();
    const SIZE: u64 = 4096;
    let contests = [
        contest(
            "Fenwick tree, LRU all sizes",
            "Fenwick tree, LRU all sizes",
            1.0,
            move || {
                let mut fenwick = Fenwick::new(trace.shape().cells());
                fenwick.feed(trace.accesses());
                let hits: u64 = fenwick.histogram[1..=SIZE as usize].iter().sum();
                trace.accesses().len() as u64 - hits
            },
        ),
        contest(
            "LRU all sizes",
            "Fenwick tree, LRU all sizes",
            1.8,
            move || {
                feed(lru::Distances::new(trace.shape()), trace.accesses())
                    .traffic(SIZE)
                    .loads()
            },
        ),
        contest(
            "LRU one size",
            "Fenwick tree, LRU all sizes",
            5.0,
            move || match lru::OneSize::new(trace.shape(), SIZE) {
                Ok(simulator) => feed(simulator, trace.accesses()).loads(),
                Err(_) => 0,
            },
        ),
        contest(
            "lazy heap, OPT one size",
            "lazy heap, OPT one size",
            1.0,
            move || heap::misses(trace.accesses(), next, trace.shape().cells(), SIZE as usize),
        ),
        contest(
            "OPT one size",
            "lazy heap, OPT one size",
            1.3,
            move || match opt::OneSize::new(trace.shape(), SIZE) {
                Ok(simulator) => feed(simulator, trace.accesses()).loads(),
                Err(_) => 0,
            },
        ),
        contest(
            "OPT all sizes",
            "Fenwick tree, LRU all sizes",
            if tiled { 0.25 } else { 0.0 },
            move || {
                feed(opt::Distances::new(trace.shape()), trace.accesses())
                    .traffic(SIZE)
                    .loads()
            },
        ),
    ];
    report(&contests, trace.accesses().len())
}

fn contest(
    name: &'static str,
    baseline: &'static str,
    goal: f64,
    run: impl Fn() -> u64 + 'static,
) -> Contest {
    Contest {
        name,
        baseline,
        goal,
        run: Box::new(run),
    }
}

fn feed<S: Simulator>(mut simulator: S, accesses: &[Access]) -> S::Outcome {
    accesses
        .chunks(2048)
        .for_each(|block| simulator.feed(block));
    simulator.finish()
}

fn report(contests: &[Contest], accesses: usize) -> usize {
    let mut seconds = vec![Vec::new(); contests.len()];
    let mut misses = vec![0; contests.len()];
    for _ in 0..ROUNDS {
        for (index, contest) in contests.iter().enumerate() {
            let start = cpu_seconds();
            misses[index] = black_box((contest.run)());
            seconds[index].push(cpu_seconds() - start);
        }
    }
    let medians: Vec<f64> = seconds.into_iter().map(median).collect();
    let mut missed = 0;
    for (index, contest) in contests.iter().enumerate() {
        let baseline = contests.iter().position(|c| c.name == contest.baseline);
        let ratio = medians[baseline.unwrap_or(index)] / medians[index];
        let verdict = if ratio < contest.goal { "  MISSED" } else { "" };
        missed += usize::from(ratio < contest.goal);
        println!(
            "  {:<28} {:>7.1} M/s   {:>5.2} × {:<28} goal {:.2}{verdict}",
            contest.name,
            accesses as f64 / medians[index] / 1e6,
            ratio,
            contest.baseline,
            contest.goal,
        );
    }
    // Two policies, each with one right answer.
    for same in [[0, 1].as_slice(), &[0, 2], &[3, 4], &[3, 5]] {
        if misses[same[0]] != misses[same[1]] {
            println!(
                "  {} and {} disagree",
                contests[same[0]].name, contests[same[1]].name
            );
            missed += 1;
        }
    }
    missed
}

/// Time this process has spent on a processor, so that other work on the machine does not count; where the
/// system does not tell, time since the first call.
fn cpu_seconds() -> f64 {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    let on_cpu = || -> Option<f64> {
        let schedule = std::fs::read_to_string("/proc/self/schedstat").ok()?;
        let nanoseconds: f64 = schedule.split_whitespace().next()?.parse().ok()?;
        Some(nanoseconds / 1e9)
    };
    on_cpu().unwrap_or_else(|| START.elapsed().as_secs_f64())
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
