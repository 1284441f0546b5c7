//! `pebble`: the least traffic of a computation graph, and the referee.

use std::fs;
use std::path::Path;

use redblue::Refusal;
use redblue::codes::{BAD_MEMORY, BAD_SWEEP, MISSING_ARGUMENT, UNREADABLE, UNWRITABLE};
use redblue::graph;
use redblue::host;
use redblue::input::Source;
use redblue::pebble::exact::{Limits, solve};
use redblue::pebble::referee::judge;
use redblue::pebble::{Cdag, Game, Move, bound, notation};
use redblue::view::pebble::{Board, PebbleDocument, text};

use super::answer::Answer;
use super::program::load_source;
use super::request::{Format, Request};

/// Larger graphs than this have no game within reasonable time, not even a good one.
const MOST_VERTICES: usize = 20_000;

/// `redblue pebble INPUT|GRAPH -S n`.
pub(super) fn run(request: &Request<'_>) -> Result<Answer, Refusal> {
    let pebbles = pebbles(request)?;
    let (name, graph, talk) = subject(request)?;
    let name_of_game = request.text("game").unwrap_or("red-blue-white");
    let game = Game::from_name(name_of_game).unwrap_or(Game::red_blue_white());
    let board = Board {
        name: Some(name),
        graph: &graph,
        game: Game {
            slide: request.has("slide"),
            ..game
        },
        pebbles,
    };
    let (document, no) = match request.text("referee") {
        Some(file) => referee(&board, file)?,
        None => (play(request, &board)?, false),
    };
    let answer = match request.format {
        Format::Json => Answer::json(&document)?,
        _ => Answer::plain(text(&document)),
    };
    Ok(answer.with_talk(talk).meaning_no(no))
}

/// The one size given with `-S`.
fn pebbles(request: &Request<'_>) -> Result<usize, Refusal> {
    let memories = request.memories()?;
    let machine = host::machine().ok();
    let one = || {
        Refusal::new(&BAD_MEMORY, "a pebble game has one fast memory")
            .hint("give one number of red pebbles, as in -S 4")
    };
    match memories.as_slice() {
        [] => Err(Refusal::new(&MISSING_ARGUMENT, "`-S` is missing")
            .hint("give the number of red pebbles, as in -S 4")),
        // Every value of a graph is one word, which is taken to have the size of a double.
        [memory] => match memory.words(8, machine.as_ref())?.as_slice() {
            &[words] => Ok(usize::try_from(words).unwrap_or(usize::MAX)),
            _ => Err(one()),
        },
        _ => Err(one()),
    }
}

/// The name of the graph, the graph, and warnings about where it comes from.
fn subject(request: &Request<'_>) -> Result<(String, Cdag, String), Refusal> {
    let source = request.source()?;
    if let (Source::C { name, text, .. }, Some(format)) = (&source, graph::format(&source)) {
        return Ok((
            name.clone(),
            graph::read(name, text, format)?,
            String::new(),
        ));
    }
    let loaded = load_source(request, source)?;
    if let Some(name) = loaded.sizes.swept().next() {
        let message = format!("a pebble game has no sweep over `{name}`");
        return Err(Refusal::new(&BAD_SWEEP, message).hint("give each size one value"));
    }
    let point = loaded.sizes.points().next().unwrap_or_default();
    let graph = graph::of_program(&loaded.program, &point, MOST_VERTICES)?;
    Ok((loaded.program.name.clone(), graph, loaded.reading.render()))
}

/// The best game found, saved if that is asked for.
fn play(request: &Request<'_>, board: &Board<'_>) -> Result<PebbleDocument, Refusal> {
    let limits = Limits {
        time: request.time_limit()?,
        ..Limits::default()
    };
    let outcome = solve(board.graph, &board.game, board.pebbles, &limits)
        .map_err(|error| graph::refusal_on(board.graph, &error))?;
    if let Some(file) = request.text("moves") {
        let moves = written(file, &outcome.play);
        fs::write(file, moves).map_err(|error| {
            Refusal::new(&UNWRITABLE, format!("cannot write `{file}`: {error}"))
        })?;
    }
    Ok(board.played(&outcome))
}

/// A game as JSON in a file that is called so, else as text.
fn written(file: &str, play: &[Move]) -> String {
    match Path::new(file).extension().is_some_and(|end| end == "json") {
        true => notation::to_json(play),
        false => notation::to_text(play),
    }
}

/// The verdict on the game in a file, and whether it is "no".
fn referee(board: &Board<'_>, file: &str) -> Result<(PebbleDocument, bool), Refusal> {
    let text = fs::read_to_string(file)
        .map_err(|error| Refusal::new(&UNREADABLE, format!("cannot read `{file}`: {error}")))?;
    let play = graph::read_moves(file, &text)?;
    let Board {
        graph,
        game,
        pebbles,
        ..
    } = board;
    let verdict = judge(graph, game, *pebbles, &play);
    let (_, lower_bound) = bound::best(graph, game, *pebbles);
    Ok((
        board.judged(&verdict, play.len(), lower_bound),
        verdict.is_err(),
    ))
}
