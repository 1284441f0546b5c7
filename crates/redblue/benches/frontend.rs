//! Time to read each kernel with its dependences: `cargo bench -p redblue --bench frontend`.
//!
//! Kernels of the catalogue always; the 30 PolyBench sources too if `REDBLUE_POLYBENCH` names a copy of
//! PolyBench/C 4.2.1. Times are processor time where Linux tells it, since other programs must not count; it
//! tells whole ticks only, hence the mean of several runs.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use redblue::catalogue::catalogue;
use redblue::dataflow::Dataflow;
use redblue::input::{Source, load, resolve};
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
    // `cargo test --benches` calls every bench with this argument; one run shows that all kernels work.
    let runs = if std::env::args().any(|argument| argument == "--test") {
        1
    } else {
        RUNS
    };
    let options = ReadOptions::default();
    let sources = catalogue()
        .iter()
        .map(|entry| (entry.name.to_string(), Source::Kernel(entry)));
    report(
        "catalogue",
        sources
            .map(|(name, source)| time(name, &source, &options, runs))
            .collect(),
    );

    let Some(folder) = std::env::var_os("REDBLUE_POLYBENCH").map(PathBuf::from) else {
        println!("PolyBench sources: skipped, REDBLUE_POLYBENCH is not set");
        return;
    };
    let utilities = folder.join("utilities").to_string_lossy().into_owned();
    let options = ReadOptions {
        include_dirs: vec![utilities],
        ..ReadOptions::default()
    };
    let mut files = Vec::new();
    c_files(&folder, &mut files);
    files.sort();
    let timings = files.iter().filter_map(|file| {
        let name = file.file_stem()?.to_string_lossy().into_owned();
        let source = resolve(&file.to_string_lossy(), false).ok()?;
        Some(time(name, &source, &options, runs))
    });
    report("PolyBench/C", timings.collect());
}

fn time(name: String, source: &Source, options: &ReadOptions, runs: u32) -> Timing {
    let timings: Vec<Timing> = (0..runs).map(|_| once(&name, source, options)).collect();
    let mean = |part: fn(&Timing) -> Duration| timings.iter().map(part).sum::<Duration>() / runs;
    let statements = timings.first().map_or(0, |timing| timing.statements);
    Timing {
        statements,
        read: mean(|timing| timing.read),
        flow: mean(|timing| timing.flow),
        name,
    }
}

fn once(name: &str, source: &Source, options: &ReadOptions) -> Timing {
    let start = Clock::start();
    let reading = load(source, options);
    let read = start.elapsed();
    assert!(
        !reading.has_errors(),
        "{name} was not understood:\n{}",
        reading.render()
    );
    let program = reading.program.expect("a program without errors");
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

/// Processor time of this thread, or time on the wall where the system does not tell.
struct Clock {
    wall: Instant,
    processor: Option<Duration>,
}

impl Clock {
    fn start() -> Clock {
        Clock {
            wall: Instant::now(),
            processor: Clock::processor(),
        }
    }

    fn elapsed(&self) -> Duration {
        match (self.processor, Clock::processor()) {
            (Some(start), Some(end)) => end.saturating_sub(start),
            _ => self.wall.elapsed(),
        }
    }

    /// The first number of `schedstat`: nanoseconds on a processor.
    fn processor() -> Option<Duration> {
        let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
        text.split(' ')
            .next()?
            .parse()
            .ok()
            .map(Duration::from_nanos)
    }
}

fn report(title: &str, timings: Vec<Timing>) {
    let ms = |time: Duration| time.as_secs_f64() * 1e3;
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

/// The kernels of PolyBench: every C file that is called like its folder.
fn c_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            c_files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "c")
            && path.file_stem() == folder.file_name()
        {
            found.push(path);
        }
    }
}
