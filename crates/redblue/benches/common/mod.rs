//! What the benches of whole kernels have in common: which kernels there are, and a clock that other programs do not
//! disturb.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use redblue::catalogue::catalogue;
use redblue::input::{Source, load, resolve};
use redblue::program::Program;
use redblue::program::reading::ReadOptions;

/// Kernels that belong together.
pub(crate) struct Suite {
    pub(crate) title: &'static str,
    pub(crate) kernels: Vec<(String, Source)>,
    pub(crate) options: ReadOptions,
}

/// The catalogue, and the 30 PolyBench sources if `REDBLUE_POLYBENCH` names a copy of PolyBench/C 4.2.1.
pub(crate) fn suites() -> Vec<Suite> {
    let entries = catalogue().iter();
    let mut suites = vec![Suite {
        title: "catalogue",
        kernels: entries
            .map(|entry| (entry.name.to_string(), Source::Kernel(entry)))
            .collect(),
        options: ReadOptions::default(),
    }];
    let Some(folder) = std::env::var_os("REDBLUE_POLYBENCH").map(PathBuf::from) else {
        println!("PolyBench sources: skipped, REDBLUE_POLYBENCH is not set");
        return suites;
    };
    let utilities = folder.join("utilities").to_string_lossy().into_owned();
    let mut files = Vec::new();
    c_files(&folder, &mut files);
    files.sort();
    let kernels = files.iter().filter_map(|file| {
        let name = file.file_stem()?.to_string_lossy().into_owned();
        Some((name, resolve(&file.to_string_lossy(), false).ok()?))
    });
    suites.push(Suite {
        title: "PolyBench/C",
        kernels: kernels.collect(),
        options: ReadOptions {
            include_dirs: vec![utilities],
            ..ReadOptions::default()
        },
    });
    suites
}

/// A kernel as a program; one that is not understood ends the bench.
pub(crate) fn read(name: &str, source: &Source, options: &ReadOptions) -> Program {
    let reading = load(source, options);
    assert!(
        !reading.has_errors(),
        "{name} was not understood:\n{}",
        reading.render()
    );
    reading.program.expect("a program without errors")
}

/// Whether this is `cargo test --benches`, which calls every bench with this argument to see that it works.
pub(crate) fn is_test() -> bool {
    std::env::args().any(|argument| argument == "--test")
}

pub(crate) fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
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

/// Processor time of this thread, or time on the wall where the system does not tell.
pub(crate) struct Clock {
    wall: Instant,
    processor: Option<Duration>,
}

impl Clock {
    pub(crate) fn start() -> Clock {
        Clock {
            wall: Instant::now(),
            processor: Clock::processor(),
        }
    }

    pub(crate) fn elapsed(&self) -> Duration {
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
