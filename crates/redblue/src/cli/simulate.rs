//! `simulate`: the traffic of a program through caches of every size.

mod hierarchy;

use redblue::Refusal;
use redblue::codes::{BAD_OPTION, BAD_VALUE, FEW_WORDS};
use redblue::host;
use redblue::program::{Diagnostic, Program};
use redblue::schedule::Options;
use redblue::sim::hierarchy::Replacement;
use redblue::simulate::{Level, Policy, Progress, Question, Watch, simulate};
use redblue::sizes::Point;
use redblue::view::simulate::{self as view, ResultView, SimulateDocument};

use self::hierarchy::Hierarchy;
use super::answer::Answer;
use super::program::load;
use super::progress::ProgressLine;
use super::request::{Format, Request};

/// `redblue simulate INPUT -S …`.
pub(super) fn run(request: &Request<'_>) -> Result<Answer, Refusal> {
    let policies = policies(request);
    let replacement = replacement(request, &policies)?;
    let loaded = load(request)?;
    let machine = host::machine().ok();
    let word_bytes = word_bytes(&loaded.program);
    let hierarchy = Hierarchy::new(request, &policies, word_bytes, machine.as_ref())?;
    if request.has("reassociate") && request.text("schedule") != Some("tiled") {
        let message = "`--reassociate` needs `--schedule tiled`";
        let hint = "the program's own order has its sums in their own order";
        return Err(Refusal::new(&BAD_OPTION, message).hint(hint));
    }
    let question = Question {
        policies,
        memories: hierarchy.memories,
        line: hierarchy.line,
        replacement,
    };
    let mut talk = loaded.reading.render();
    talk.push_str(&hierarchy.note);
    talk.push_str(&few_words(&loaded.program, &question)?);

    let memory_bytes = machine.as_ref().and_then(|machine| machine.memory_bytes);
    let mut line = ProgressLine::new(request);
    let visible = line.is_visible();
    let mut show = |progress| line.show(&spelled(progress));
    let listener: Option<&mut dyn FnMut(Progress)> = match visible {
        true => Some(&mut show),
        false => None,
    };
    let mut watch = Watch::new(request.time_limit()?, listener);
    let mut answer = || -> Result<Vec<ResultView>, Refusal> {
        let mut results = Vec::new();
        for point in loaded.sizes.points() {
            let program = loaded.at(&point)?;
            let schedule = request.text("schedule").unwrap_or("original");
            if schedule == "original" {
                let one = simulate(&program, &point, &question, memory_bytes, &mut watch)?;
                results.extend(view::results(&question, &one, "original"));
                continue;
            }
            // Every memory has its own tiling.
            for levels in &question.memories {
                let question = Question {
                    memories: vec![levels.clone()],
                    ..question.clone()
                };
                let program = tiled(request, &program, &point, levels)?;
                let one = simulate(&program, &point, &question, memory_bytes, &mut watch)?;
                results.extend(view::results(&question, &one, "tiled"));
            }
        }
        Ok(results)
    };
    let answers = answer();
    line.clear();
    let results = answers?;
    let answer = match request.format {
        Format::Json => Answer::json(&SimulateDocument::of(&loaded.program, results))?,
        Format::Csv => Answer::plain(view::csv(&results)),
        Format::Markdown => Answer::plain(view::markdown(&results)),
        _ => Answer::plain(view::text(&loaded.program, &results)),
    };
    Ok(answer.with_talk(talk))
}

/// The program in the order that `redblue tile` finds for a memory.
fn tiled(
    request: &Request<'_>,
    program: &Program,
    sizes: &Point,
    levels: &[Level],
) -> Result<Program, Refusal> {
    redblue::simulate::check_sizes(program, sizes)?;
    let options = Options {
        model: super::tile::model(request),
        fast: levels.iter().map(|level| level.words).collect(),
        sizes: sizes.clone(),
        time_limit: request.time_limit()?.map(|limit| limit / 2),
        work: Options::WORK,
    };
    let nested = redblue::tile::nested(program, &options)?;
    let last = nested.into_iter().last();
    Ok(last.map_or_else(|| program.clone(), |tiling| tiling.program))
}

/// How far a simulation is, in words.
fn spelled(progress: Progress) -> String {
    let Progress {
        policy,
        accesses,
        elapsed,
    } = progress;
    let (millions, seconds) = (accesses / 1_000_000, elapsed.as_secs());
    format!("{}: {millions} M accesses, {seconds} s", policy.name())
}

fn policies(request: &Request<'_>) -> Vec<Policy> {
    let mut policies: Vec<Policy> = Vec::new();
    for name in request.texts("policy") {
        let policy = Policy::from_name(&name);
        policies.extend(policy.filter(|policy| !policies.contains(policy)));
    }
    match policies.is_empty() {
        true => vec![Policy::Opt, Policy::Lru],
        false => policies,
    }
}

/// What goes from a full set. Options that mean sets are refused where there are none.
fn replacement(request: &Request<'_>, policies: &[Policy]) -> Result<Replacement, Refusal> {
    let alone = |option: &str, needed: &str, hint: &str| {
        let message = format!("`--{option}` needs `{needed}`");
        Err(Refusal::new(&BAD_OPTION, message).hint(hint))
    };
    if !policies.contains(&Policy::Set)
        && let Some(option) = ["ways", "replacement", "seed"]
            .into_iter()
            .find(|option| request.text(option).is_some())
    {
        return alone(option, "--policy set", "opt and lru are fully associative");
    }
    let seed = request.text("seed").map(|text| {
        text.parse().map_err(|_| {
            Refusal::new(&BAD_VALUE, format!("`{text}` is not possible for `--seed`"))
                .hint("give a whole number from 0 to 2^64 - 1")
        })
    });
    let seed: Option<u64> = seed.transpose()?;
    match request.text("replacement") {
        Some("random") => Ok(Replacement::Random {
            seed: seed.unwrap_or(1),
        }),
        _ if seed.is_some() => alone("seed", "--replacement random", "nothing else is random"),
        Some("fifo") => Ok(Replacement::Fifo),
        _ => Ok(Replacement::Lru),
    }
}

/// Bytes of the widest element of an array, or of a scalar in a program without arrays.
pub(super) fn word_bytes(program: &Program) -> u64 {
    let widest = |scalars: bool| {
        let arrays = program.arrays.iter();
        arrays
            .filter(|array| array.extents.is_empty() == scalars)
            .map(|array| array.element.bytes())
            .max()
    };
    widest(false).or_else(|| widest(true)).unwrap_or(8)
}

/// A warning if some memory is smaller than a statement's operands.
fn few_words(program: &Program, question: &Question) -> Result<String, Refusal> {
    let levels = question.memories.iter().flatten();
    let Some(least) = levels.map(|level| level.words).min() else {
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
