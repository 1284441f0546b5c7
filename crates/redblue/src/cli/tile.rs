//! `tile`: an order of execution that moves few words, and how far it is from the bound.

use std::time::Instant;

use redblue::cert::{Counted, Model, Sums};
use redblue::codes::{BAD_SWEEP, MISSING_ARGUMENT};
use redblue::schedule::{Options, processors};
use redblue::sizes::Point;
use redblue::tile::{Tiled, bounds};
use redblue::view::{tile as view, tilings};
use redblue::{Refusal, host};

use super::answer::Answer;
use super::program::load;
use super::request::{Format, Request};
use super::tile_code;

/// `redblue tile INPUT -S …`.
pub(super) fn run(request: &Request<'_>) -> Result<Answer, Refusal> {
    if request.text("for") == Some("speed") {
        return tile_code::for_speed(request);
    }
    let started = Instant::now();
    let loaded = load(request)?;
    let machine = host::machine().ok();
    let word_bytes = super::simulate::word_bytes(&loaded.program);
    let memories = request.memories()?;
    if memories.is_empty() {
        return Err(Refusal::new(&MISSING_ARGUMENT, "`-S SIZE` is missing")
            .hint("the size of fast memory decides the tiles, for example -S 32KiB"));
    }
    let points: Vec<Point> = loaded.sizes.points().collect();
    if points.len() * memories.len() > 1
        && (request.text("emit").is_some() || request.has("verify"))
    {
        let message = "code is written and compared for one size and one memory";
        return Err(Refusal::new(&BAD_SWEEP, message).hint("give one value of -D and one -S"));
    }
    let limit = request.time_limit()?;
    let mut all: Vec<Vec<Tiled>> = Vec::new();
    // Memories are searched for side by side.
    let rounds = memories.len().div_ceil(processors());
    for (at, point) in points.iter().enumerate() {
        let left = u32::try_from((points.len() - at) * rounds).unwrap_or(u32::MAX);
        let program = loaded.at(point)?;
        redblue::simulate::check_sizes(&program, point)?;
        let remaining = limit.map(|limit| limit.saturating_sub(started.elapsed()));
        let mut questions = Vec::new();
        for memory in &memories {
            questions.push(Options {
                model: model(request),
                fast: memory.words(word_bytes, machine.as_ref())?,
                sizes: point.clone(),
                time_limit: remaining.map(|time| time / left),
                work: Options::WORK,
            });
        }
        let prove = || bounds(&program, &questions[0]);
        all.extend(Tiled::all(&program, &questions, prove)?);
    }
    let talk = loaded.reading.render();
    if let ([levels], [point]) = (&all[..], &points[..])
        && let Some(last) = levels.last()
    {
        let new = &last.tiling.program;
        let comment = || view::text(levels).lines().map(String::from).collect();
        let answer = match tile_code::code(request, new, comment)? {
            Some(code) => Answer::plain(code),
            None => printed(request, &all)?,
        };
        let program = loaded.at(point)?;
        return tile_code::verified(request, &program, new, &last.tiling.sizes, answer, talk);
    }
    Ok(printed(request, &all)?.with_talk(talk))
}

/// All schedules in the format that was asked for.
fn printed(request: &Request<'_>, all: &[Vec<Tiled>]) -> Result<Answer, Refusal> {
    Ok(match request.format {
        Format::Json => Answer::json(&tilings::document(all))?,
        Format::Csv => Answer::plain(tilings::rows(all).csv()),
        Format::Markdown => Answer::plain(tilings::rows(all).markdown()),
        Format::Latex => Answer::plain(tilings::rows(all).latex()),
        Format::Text => Answer::plain(tilings::text(all)),
    })
}

/// What the options say of the model.
pub(super) fn model(request: &Request<'_>) -> Model {
    Model {
        count: match request.text("count") {
            Some("loads") => Counted::Loads,
            _ => Counted::Total,
        },
        recompute: false,
        sums: match request.has("reassociate") {
            true => Sums::Free,
            false => Sums::Fixed,
        },
    }
}
