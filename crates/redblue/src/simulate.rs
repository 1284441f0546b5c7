//! The traffic of a program at given sizes, for all fast memories and replacements that were asked for.
//!
//! ```text
//! Program, sizes, line ──► Nest ──► opt: one size, or all sizes in one pass ──┐
//!                              ├──► lru: skipping what repeats, or one pass ──┼──► Run (policy, S, Traffic)
//!                              └──► set: the levels behind each other       ──┘
//! ```
//!
//! What an access costs is said at [`Grain`]. Levels of a nested memory under `opt` and `lru` are looked at
//! one by one: the traffic of a level is that of a fast memory of its size alone. Under `set` they are
//! caches behind each other.
//!
//! Another order is another program: that of a tiling is simulated like any.

mod engine;
mod watch;

use redblue_program::{Program, ProgramError, Sizes};
use redblue_sim::hierarchy::Replacement;
use redblue_sim::nest::Nest;
use redblue_sim::{Grain, Shape, SimError, Trace, Traffic};

use crate::Refusal;
use crate::codes::{BAD_MEMORY, BAD_VALUE, MISSING_SIZE, OUT_OF_TIME, TOO_LARGE};

pub use watch::{Progress, Watch};

/// Which cell of a full memory goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Policy {
    /// Belady's rule: the fewest loads that this order of accesses allows.
    Opt,
    /// The least recently used one.
    Lru,
    /// One of a set of few, chosen by a [`Replacement`].
    Set,
}

impl Policy {
    /// All names, in the order of the variants.
    pub const NAMES: &'static [&'static str] = &["opt", "lru", "set"];

    /// The policy with this name.
    pub fn from_name(name: &str) -> Option<Policy> {
        [Policy::Opt, Policy::Lru, Policy::Set]
            .into_iter()
            .find(|policy| policy.name() == name)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        Policy::NAMES[self as usize]
    }
}

/// One level of a fast memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Level {
    /// Its size in words.
    pub words: u64,
    /// Lines per set, for [`Policy::Set`].
    pub ways: u32,
}

impl Level {
    /// Lines per set of a level of which only the size is known.
    pub const USUAL_WAYS: u32 = 8;

    /// A level of this size.
    pub fn new(words: u64) -> Level {
        Level {
            words,
            ways: Level::USUAL_WAYS,
        }
    }
}

/// What is to be simulated.
#[derive(Clone, Debug)]
pub struct Question {
    /// The replacements, each once.
    pub policies: Vec<Policy>,
    /// Fast memories as their levels, nearest first.
    pub memories: Vec<Vec<Level>>,
    /// Words per line; `None` moves single words.
    pub line: Option<u32>,
    /// Which line of a full set goes, for [`Policy::Set`].
    pub replacement: Replacement,
}

/// One size under one replacement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// The replacement.
    pub policy: Policy,
    /// The number of the level, from 1, if there are several.
    pub number: Option<usize>,
    /// The fast memory.
    pub level: Level,
    /// What moved, in cells.
    pub traffic: Traffic,
}

/// What was accessed, and the traffic of every run.
#[derive(Clone, Debug)]
pub struct Simulation {
    /// Every size with its value, the source's own ones included.
    pub sizes: Sizes,
    /// Arrays and references.
    pub shape: Shape,
    /// By replacement, then in the order of the memories.
    pub runs: Vec<Run>,
}

/// An estimate of what the largest simulator needs, in bytes per cell.
pub(crate) const BYTES_PER_CELL: u64 = 48;

/// Simulates a program. `memory_bytes` is what this machine has, if known: a simulation that needs more is
/// refused before it starts.
///
/// # Errors
/// `RB0413` for a memory without room for a line, `RB0416` for missing sizes, `RB0417` for sizes that do not
/// fit, `RB0802` when the watcher ran out of time.
///
/// # Example
/// ```
/// use redblue::input::{load, resolve};
/// use redblue::program::reading::ReadOptions;
/// use redblue::sim::hierarchy::Replacement;
/// use redblue::simulate::{Level, Policy, Question, Watch, simulate};
///
/// let reading = load(&resolve("axpy", false)?, &ReadOptions::default());
/// let program = reading.program.ok_or("axpy was not understood")?;
/// let question = Question {
///     policies: vec![Policy::Lru],
///     memories: vec![vec![Level::new(8)]],
///     line: None,
///     replacement: Replacement::Lru,
/// };
/// let sizes = [("N".to_string(), 100)].into();
/// let answer = simulate(&program, &sizes, &question, None, &mut Watch::silent())?;
/// // x and y are read once each, with alpha; y is written back.
/// assert_eq!(answer.runs[0].traffic.loads(), 201);
/// assert_eq!(answer.runs[0].traffic.stores(), 100);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn simulate(
    program: &Program,
    sizes: &Sizes,
    question: &Question,
    memory_bytes: Option<u64>,
    watch: &mut Watch<'_>,
) -> Result<Simulation, Refusal> {
    attempt(program, sizes, question, memory_bytes, watch)?.ok_or_else(|| {
        Refusal::new(
            &OUT_OF_TIME,
            "the simulation did not end within the time limit",
        )
        .hint("a part of a simulation is no answer: give more time, or smaller sizes")
    })
}

/// As [`simulate`]; `None` if the watcher ended it.
///
/// # Errors
/// As [`simulate`], apart from `RB0802`.
pub fn attempt(
    program: &Program,
    sizes: &Sizes,
    question: &Question,
    memory_bytes: Option<u64>,
    watch: &mut Watch<'_>,
) -> Result<Option<Simulation>, Refusal> {
    Prepared::new(program, sizes, question.line, memory_bytes)?.run(question, watch)
}

/// A program at given sizes, ready to be simulated any number of times, also side by side.
pub(crate) struct Prepared {
    nest: Nest,
    grain: Grain,
    sizes: Sizes,
}

impl Prepared {
    /// Refuses sizes that do not fit, or that need more memory than there is.
    pub(crate) fn new(
        program: &Program,
        sizes: &Sizes,
        line: Option<u32>,
        memory_bytes: Option<u64>,
    ) -> Result<Prepared, Refusal> {
        let grain = match line {
            None => Grain::Word,
            Some(0) => return Err(Refusal::new(&BAD_VALUE, "a line holds at least one word")),
            Some(words) => Grain::Line { words },
        };
        check_sizes(program, sizes)?;
        let nest = Nest::of_program(program, sizes, None, grain).map_err(refusal)?;
        let cells = u64::from(nest.shape().cells());
        if memory_bytes.is_some_and(|bytes| cells.saturating_mul(BYTES_PER_CELL) > bytes) {
            return Err(too_large(format!(
                "simulating {cells} cells needs more memory than this machine has"
            )));
        }
        let sizes = program.all_sizes(sizes);
        Ok(Prepared {
            nest,
            grain,
            sizes: sizes.map_err(|error| refusal(error.into()))?,
        })
    }

    /// How many cells there are.
    pub(crate) fn cells(&self) -> u64 {
        self.nest.shape().cells().into()
    }

    /// Simulates; `None` if the watcher ended it.
    pub(crate) fn run(
        &self,
        question: &Question,
        watch: &mut Watch<'_>,
    ) -> Result<Option<Simulation>, Refusal> {
        let cells_per_level = cells_per_level(question, self.grain)?;
        let mut runs = Vec::new();
        for &policy in &question.policies {
            let traffic = engine::run(policy, &self.nest, question, &cells_per_level, watch);
            let traffic = match traffic {
                Err(SimError::Stopped) => return Ok(None),
                traffic => traffic.map_err(refusal)?,
            };
            let levels = question.memories.iter().flat_map(|levels| {
                let numbered = levels.len() > 1;
                let number =
                    move |(at, level): (usize, &Level)| (numbered.then_some(at + 1), *level);
                levels.iter().enumerate().map(number)
            });
            runs.extend(levels.zip(traffic).map(|((number, level), traffic)| Run {
                policy,
                number,
                level,
                traffic,
            }));
        }
        Ok(Some(Simulation {
            sizes: self.sizes.clone(),
            shape: self.nest.shape().clone(),
            runs,
        }))
    }
}

/// The levels in cells: whole lines that fit, in whole sets if that matters.
fn cells_per_level(question: &Question, grain: Grain) -> Result<Vec<Vec<u64>>, Refusal> {
    let by_sets = question.policies.contains(&Policy::Set);
    let cells = |&Level { words, ways }: &Level| {
        let cells = words / grain.words();
        if cells == 0 {
            let message = format!("{words} words hold no line of {} words", grain.words());
            return Err(Refusal::new(&BAD_MEMORY, message)
                .hint("a fast memory needs room for at least one line"));
        }
        if by_sets && (ways == 0 || !cells.is_multiple_of(ways.into())) {
            let message = format!("{cells} cells are not a whole number of sets of {ways}");
            return Err(Refusal::new(&BAD_MEMORY, message)
                .hint("choose --ways so that it divides the size, in lines if --line is given"));
        }
        Ok(cells)
    };
    let memories = question.memories.iter();
    memories
        .map(|levels| levels.iter().map(cells).collect())
        .collect()
}

/// Refuses missing sizes, all of them at once.
///
/// # Errors
/// `RB0416` with the names of the missing ones.
pub fn check_sizes(program: &Program, sizes: &Sizes) -> Result<(), Refusal> {
    let missing: Vec<&str> = program
        .params
        .iter()
        .filter(|param| param.default.is_none() && !sizes.contains_key(&param.name))
        .map(|param| param.name.as_str())
        .collect();
    if missing.is_empty() {
        return Ok(());
    }
    let plural = if missing.len() > 1 { "s" } else { "" };
    let message = format!("the size{plural} {} must be given", missing.join(", "));
    let example: Vec<String> = missing.iter().map(|name| format!("{name}=100")).collect();
    Err(Refusal::new(&MISSING_SIZE, message).hint(format!("for example -D {}", example.join(","))))
}

/// What the simulators refuse, as a diagnostic.
fn refusal(error: SimError) -> Refusal {
    match error {
        SimError::TooManyCells { .. } | SimError::Program(ProgramError::TooLarge { .. }) => {
            too_large(error.to_string())
        }
        error => Refusal::gave_up("the program cannot be simulated", &error),
    }
}

fn too_large(message: String) -> Refusal {
    Refusal::new(&TOO_LARGE, message).hint("choose smaller sizes with -D, or lines with --line")
}
