//! `simulate`: the traffic of a program through caches of every size.

use std::io::{self, IsTerminal, Write};

use redblue::Refusal;
use redblue::codes::{BAD_OPTION, BAD_VALUE, FEW_WORDS, NOT_YET};
use redblue::host;
use redblue::memory::{Capacity, FastMemory};
use redblue::program::{Diagnostic, Program};
use redblue::sim::machine::Machine;
use redblue::simulate::{Policy, Progress, Question, Watch, simulate};
use redblue::view::simulate::{self as view, SimulateDocument};

use super::answer::Answer;
use super::program::load;
use super::request::{Format, Request};

/// Lines per set, unless --ways tells.
const USUAL_WAYS: u32 = 8;

/// `redblue simulate INPUT -S …`.
pub(super) fn run(request: &Request<'_>) -> Result<Answer, Refusal> {
    if request.text("schedule") == Some("tiled") {
        return Err(
            Refusal::new(&NOT_YET, "tiled schedules cannot be simulated yet")
                .hint("this version has the original order only"),
        );
    }
    let loaded = load(request)?;
    let machine = host::machine().ok();
    let (memories, mut talk) = memories(request, &loaded.program, machine.as_ref())?;
    let question = question(request, memories)?;
    talk.insert_str(0, &loaded.reading.render());
    talk.push_str(&few_words(&loaded.program, &question)?);

    let memory_bytes = machine.as_ref().and_then(|machine| machine.memory_bytes);
    let mut bar = Bar::default();
    let mut show = |progress| bar.show(progress);
    let listener: Option<&mut dyn FnMut(Progress)> = match io::stderr().is_terminal() {
        true => Some(&mut show),
        false => None,
    };
    let mut watch = Watch::new(request.time_limit()?, listener);
    let mut results = Vec::new();
    let mut failure = None;
    for point in loaded.sizes.points() {
        let program = loaded.at(&point)?;
        match simulate(&program, &point, &question, memory_bytes, &mut watch) {
            Ok(simulation) => results.extend(view::results(&question, &simulation)),
            Err(refusal) => {
                failure = Some(refusal);
                break;
            }
        }
    }
    bar.clear();
    if let Some(refusal) = failure {
        return Err(refusal);
    }
    let answer = match request.format {
        Format::Json => Answer::json(&SimulateDocument::of(&loaded.program, results))?,
        Format::Csv => Answer::plain(view::csv(&results)),
        Format::Markdown => Answer::plain(view::markdown(&results)),
        _ => Answer::plain(view::text(&loaded.program, &results)),
    };
    Ok(answer.with_talk(talk))
}

/// The memories in words per level, and what is to be said about them.
fn memories(
    request: &Request<'_>,
    program: &Program,
    machine: Option<&Machine>,
) -> Result<(Vec<Vec<u64>>, String), Refusal> {
    let word = word_bytes(program);
    let mut talk = String::new();
    let mut given = request.memories()?;
    if given.is_empty() {
        let caches = [1, 2].map(|level| FastMemory(vec![Capacity::Cache(level)]));
        given = caches.to_vec();
        talk = format!(
            "note: without -S, this machine's L1 and L2 are taken, with words of {word} bytes\n"
        );
    }
    let words = given.iter().map(|memory| memory.words(word, machine));
    Ok((words.collect::<Result<_, _>>()?, talk))
}

/// Bytes of the widest element of an array, or of a scalar in a program without arrays.
fn word_bytes(program: &Program) -> u64 {
    let widest = |scalars: bool| {
        let arrays = program.arrays.iter();
        arrays
            .filter(|array| array.extents.is_empty() == scalars)
            .map(|array| array.element.bytes())
            .max()
    };
    widest(false).or_else(|| widest(true)).unwrap_or(8)
}

fn question(request: &Request<'_>, memories: Vec<Vec<u64>>) -> Result<Question, Refusal> {
    let mut policies: Vec<Policy> = Vec::new();
    for name in request.texts("policy") {
        let policy = Policy::from_name(&name);
        policies.extend(policy.filter(|policy| !policies.contains(policy)));
    }
    if policies.is_empty() {
        policies = vec![Policy::Opt, Policy::Lru];
    }
    let ways = positive(request, "ways")?;
    if ways.is_some() && !policies.contains(&Policy::Set) {
        return Err(Refusal::new(&BAD_OPTION, "`--ways` needs `--policy set`")
            .hint("opt and lru are fully associative"));
    }
    Ok(Question {
        policies,
        memories,
        line: positive(request, "line")?,
        ways: ways.unwrap_or(USUAL_WAYS),
    })
}

/// The value of an option that is a number above 0.
fn positive(request: &Request<'_>, option: &str) -> Result<Option<u32>, Refusal> {
    let read = |text: &str| {
        text.parse().ok().filter(|n| *n > 0).ok_or_else(|| {
            let message = format!("`{text}` is not possible for `--{option}`");
            Refusal::new(&BAD_VALUE, message).hint("give a whole number above 0")
        })
    };
    request.text(option).map(read).transpose()
}

/// A warning if some memory is smaller than a statement's operands.
fn few_words(program: &Program, question: &Question) -> Result<String, Refusal> {
    let Some(&least) = question.memories.iter().flatten().min() else {
        return Ok(String::new());
    };
    for statement in &program.statements {
        let operands = statement.operands_by_cell();
        let operands = operands
            .map_err(|error| Refusal::gave_up("operands", &error))?
            .len();
        if operands as u64 > least {
            let message = format!(
                "{} has {operands} operands, which {least} words of fast memory cannot hold at once",
                statement.name
            );
            let warning = Diagnostic::warning(&FEW_WORDS, message)
                .hint("the traffic is that of a cache; no lower bound is about such a size");
            let refusal = Refusal::from(warning);
            return Ok(format!("{refusal}\n"));
        }
    }
    Ok(String::new())
}

/// One line on the terminal that is written again and again.
#[derive(Default)]
struct Bar {
    shown: bool,
}

impl Bar {
    fn show(&mut self, progress: Progress) {
        self.shown = true;
        let Progress {
            policy,
            accesses,
            elapsed,
        } = progress;
        let line = format!(
            "{}: {} M accesses, {} s",
            policy.name(),
            accesses / 1_000_000,
            elapsed.as_secs()
        );
        let _ = write!(io::stderr().lock(), "\r\x1b[K{line}");
    }

    fn clear(&self) {
        if self.shown {
            let _ = write!(io::stderr().lock(), "\r\x1b[K");
        }
    }
}
