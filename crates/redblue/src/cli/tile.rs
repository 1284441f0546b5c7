//! `tile`: an order of execution that moves few words, and how far it is from the bound.

use std::time::Instant;

use redblue::cert::{Counted, Model, Sums};
use redblue::codes::{BAD_SWEEP, MISSING_ARGUMENT};
use redblue::schedule::Options;
use redblue::tile::{Tiled, bounds};
use redblue::view::tile::{self as view, TileDocument};
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
    let [memory] = &request.memories()?[..] else {
        return Err(match request.memories()?.is_empty() {
            true => Refusal::new(&MISSING_ARGUMENT, "`-S SIZE` is missing")
                .hint("the size of fast memory decides the tiles, for example -S 32KiB"),
            false => Refusal::new(&BAD_SWEEP, "tilings have no sweep over `-S`")
                .hint("give one size; `redblue gap` sweeps"),
        });
    };
    if let Some(name) = loaded.sizes.swept().next() {
        let message = format!("tilings have no sweep over `{name}`");
        return Err(Refusal::new(&BAD_SWEEP, message).hint("give one value; `redblue gap` sweeps"));
    }
    let fast = memory.words(word_bytes, machine.as_ref())?;
    let sizes = loaded.sizes.fixed();
    let program = loaded.at(&sizes)?;
    redblue::simulate::check_sizes(&program, &sizes)?;
    // The bound may take half of the time.
    let limit = request.time_limit()?;
    let mut options = Options {
        model: model(request),
        fast,
        sizes,
        time_limit: limit.map(|limit| limit / 2),
        work: Options::WORK,
    };
    let bounds = bounds(&program, &options)?;
    options.time_limit = limit.map(|limit| limit.saturating_sub(started.elapsed()));
    let levels = Tiled::levels(&program, &options, &bounds)?;
    let Some((document, last)) = TileDocument::nested(&levels).zip(levels.last()) else {
        return Err(Refusal::new(&MISSING_ARGUMENT, "`-S SIZE` is missing"));
    };
    let new = &last.tiling.program;
    let comment = || view::text(&levels).lines().map(String::from).collect();
    let answer = match (tile_code::code(request, new, comment)?, request.format) {
        (Some(code), _) => Answer::plain(code),
        (None, Format::Json) => Answer::json(&document)?,
        (None, _) => Answer::plain(view::text(&levels)),
    };
    tile_code::verified(
        request,
        &program,
        new,
        &last.tiling.sizes,
        answer,
        loaded.reading.render(),
    )
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
