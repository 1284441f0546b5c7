//! `pebble`: the least traffic of a computation graph, and the referee.

use std::fs;
use std::path::Path;
use std::time::Duration;

use redblue::Refusal;
use redblue::codes::{BAD_MEMORY, BAD_OPTION, BAD_SWEEP, MISSING_ARGUMENT, UNREADABLE, UNWRITABLE};
use redblue::graph;
use redblue::host;
use redblue::input::Source;
use redblue::pebble::exact::{Limits, Progress, Stopwatch, Watch, solve_watched};
use redblue::pebble::referee::judge;
use redblue::pebble::{Cdag, Game, Move, bound, notation};
use redblue::view::pebble::{Board, PebbleDocument, text};

use super::answer::Answer;
use super::program::load_source;
use super::progress::ProgressLine;
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
        no_program_options(request, name)?;
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

/// Refuses options that say how a program is read: a graph has no sizes, functions or arrays.
fn no_program_options(request: &Request<'_>, name: &str) -> Result<(), Refusal> {
    let options = [
        "define", "include", "function", "dtype", "assume", "outputs",
    ];
    match options
        .into_iter()
        .find(|option| !request.texts(option).is_empty())
    {
        None => Ok(()),
        Some(option) => Err(Refusal::new(
            &BAD_OPTION,
            format!("`--{option}` is about programs, but `{name}` is a graph"),
        )
        .hint("leave it out; a graph file says itself which vertices are inputs and outputs")),
    }
}

/// The best game found, saved if that is asked for.
fn play(request: &Request<'_>, board: &Board<'_>) -> Result<PebbleDocument, Refusal> {
    let limits = Limits {
        time: request.time_limit()?,
        ..Limits::default()
    };
    let mut progress = ShownProgress {
        stopwatch: Stopwatch::start(),
        line: ProgressLine::new(request),
    };
    let (pebbles, watch) = (board.pebbles, &mut progress);
    let outcome = solve_watched(board.graph, &board.game, pebbles, &limits, watch);
    progress.line.clear();
    let outcome = outcome.map_err(|error| graph::refusal_on(board.graph, &error))?;
    if let Some(file) = request.text("moves") {
        let moves = written(file, &outcome.play);
        fs::write(file, moves).map_err(|error| {
            Refusal::new(&UNWRITABLE, format!("cannot write `{file}`: {error}"))
        })?;
    }
    Ok(board.played(&outcome))
}

/// A wall clock that shows how far the search is.
struct ShownProgress {
    stopwatch: Stopwatch,
    line: ProgressLine,
}

impl Watch for ShownProgress {
    fn elapsed(&mut self) -> Duration {
        self.stopwatch.elapsed()
    }

    fn show(&mut self, progress: &Progress) {
        let Progress {
            elapsed,
            states,
            frontier,
            lower_bound,
            upper_bound,
        } = progress;
        self.line.show(&format!(
            "between {lower_bound} and {upper_bound} words; {states} positions, {frontier} of them open, {} s",
            elapsed.as_secs()
        ));
    }
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
