//! What GRAPH means: a graph file, a graph on standard input, or a program at given sizes.
//!
//! ```text
//! graph.json, .dot, .gv, .hdag ──────────────► Cdag
//! INPUT ──► Program, sizes ──► ProgramGraph ──► Cdag
//! ```
//!
//! A file is a graph by its extension. Standard input is one if it starts as a graph does and no C source
//! can: with `{` (JSON), `digraph` (Graphviz), a digit or `%` (hyperDAG).

use redblue_pebble::format::Format;
use redblue_pebble::program::{ProgramGraph, ProgramGraphError};
use redblue_pebble::{Cdag, Error, Move, notation};
use redblue_program::diagnostic::Code;
use redblue_program::{Diagnostic, Program, ProgramError, Sizes, SourceMap, Span};

use crate::Refusal;
use crate::codes::games::{self, TOO_MANY_VERTICES};
use crate::input::Source;
use crate::simulate::check_sizes;

/// The format of a source that is a graph; `None` if it is a program.
pub fn format(source: &Source) -> Option<Format> {
    let Source::C { name, text, .. } = source else {
        return None;
    };
    if let Some((_, extension)) = name.rsplit_once('.') {
        return Format::from_extension(extension);
    }
    let start = text.trim_start();
    match start.chars().next()? {
        '{' => Some(Format::Json),
        '%' | '0'..='9' => Some(Format::Hdag),
        _ if start.starts_with("digraph") || start.starts_with("strict digraph") => {
            Some(Format::Dot)
        }
        _ => None,
    }
}

/// Reads a graph file.
///
/// # Errors
/// `RB0501` to `RB0508`, with the line where there is one.
///
/// # Example
/// ```
/// use redblue::pebble::format::Format;
///
/// let error = redblue::graph::read("g.json", "{\n  \"vertices\": }", Format::Json).unwrap_err();
/// assert!(error.to_string().contains("g.json:2"));
/// ```
pub fn read(name: &str, text: &str, format: Format) -> Result<Cdag, Refusal> {
    format
        .read(text)
        .map_err(|error| in_file(name, text, &error))
}

/// Reads a game: one move per line, or a JSON list.
///
/// # Errors
/// `RB0506` with the line that is not a move.
pub fn read_moves(name: &str, text: &str) -> Result<Vec<Move>, Refusal> {
    let moves = match text.trim_start().starts_with('[') {
        true => notation::from_json(text),
        false => notation::from_text(text),
    };
    moves.map_err(|error| in_file(name, text, &error))
}

/// The graph of a program at given sizes, refused above `limit` vertices.
///
/// # Errors
/// `RB0416` for missing sizes, `RB0508` for too many vertices.
pub fn of_program(program: &Program, sizes: &Sizes, limit: usize) -> Result<Cdag, Refusal> {
    check_sizes(program, sizes)?;
    let too_large = |message: String| {
        Refusal::new(&TOO_MANY_VERTICES, message)
            .hint("choose smaller sizes, or count the traffic with `redblue simulate`")
    };
    match ProgramGraph::of(program, sizes, limit) {
        Ok(found) => Ok(found.graph),
        Err(ProgramGraphError::Graph(error)) => {
            Err(Refusal::new(games::of(&error), error.to_string()))
        }
        Err(error @ ProgramGraphError::TooLarge { .. }) => Err(too_large(error.to_string())),
        Err(ProgramGraphError::Program(error @ ProgramError::TooLarge { .. })) => {
            Err(too_large(error.to_string()))
        }
        Err(error) => Err(Refusal::gave_up("the program has no graph", &error)),
    }
}

/// An error of a game on a graph; a vertex that has a label is named by it as well.
pub fn refusal_on(graph: &Cdag, error: &Error) -> Refusal {
    let problem = Diagnostic::error(games::of(error), error.to_string()).hint_if(advice(error));
    let label = match error {
        Error::CapacityTooSmall { vertex, .. } => graph.label(*vertex).map(|label| (vertex, label)),
        _ => None,
    };
    Refusal::from(match label {
        Some((vertex, label)) => problem.note(format!("vertex {vertex} is {label}")),
        None => problem,
    })
}

/// An error of a file, at its line if it has one.
fn in_file(name: &str, text: &str, error: &Error) -> Refusal {
    let code: &Code = games::of(error);
    let mut sources = SourceMap::new();
    let file = sources.add(name, text);
    let problem = match error {
        Error::Malformed { line, reason } => {
            Diagnostic::error(code, reason.clone()).at(line_span(file, text, *line))
        }
        _ => Diagnostic::error(code, error.to_string()).note(format!("in `{name}`")),
    };
    Refusal {
        diagnostics: vec![problem.hint_if(advice(error))],
        sources,
    }
}

/// The text of a line, counted from 1, without the blanks around it; the end of the text beyond the last.
fn line_span(file: u32, text: &str, line: usize) -> Span {
    let before: usize = text
        .split_inclusive('\n')
        .take(line.saturating_sub(1))
        .map(str::len)
        .sum();
    let shown = text[before..].lines().next().unwrap_or_default();
    let start = before + (shown.len() - shown.trim_start().len());
    let offset = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    Span {
        file,
        start: offset(start),
        end: offset(before + shown.trim_end().len()).max(offset(start)),
    }
}

fn advice(error: &Error) -> Option<String> {
    Some(match error {
        Error::CapacityTooSmall { needed, .. } => format!("choose -S {needed} or more"),
        Error::Malformed { .. } => "`redblue explain RB0506` shows the formats".to_string(),
        Error::Cycle { .. } => "a value cannot be computed from itself".to_string(),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(name: &str, text: &str, expected: Option<Format>) {
        let source = Source::C {
            name: name.into(),
            text: text.into(),
            mended: None,
        };
        assert_eq!(format(&source), expected, "{name} {text}");
    }

    #[test]
    fn graphs_are_told_from_programs() {
        check("a.json", "", Some(Format::Json));
        check("a.gv", "", Some(Format::Dot));
        check("dir/a.hdag", "", Some(Format::Hdag));
        check("a.c", "{", None);
        check("<stdin>", " {\"vertices\": 0}", Some(Format::Json));
        check("<stdin>", "digraph { a -> b }", Some(Format::Dot));
        check("<stdin>", "% comment\n1 1 1", Some(Format::Hdag));
        check("<stdin>", "void f(void) {}", None);
        check("<stdin>", "", None);
    }

    #[test]
    fn lines_are_found() {
        let text = "one\n  two \nthree";
        let at = |line| {
            let span = line_span(0, text, line);
            &text[span.start as usize..span.end as usize]
        };
        assert_eq!(
            [at(1), at(2), at(3), at(4), at(9)],
            ["one", "two", "three", "", ""]
        );
    }
}
