//! OneStopParallel's `.hdag` hyperDAG files.
//!
//! A hyperedge stands for the out-edges of one vertex: its first pin is the tail, the others the
//! heads. Lines that start with `%` are comments. The header is `hyperedges vertices pins`, and the
//! lines after it come in one of two layouts that their number tells apart:
//!
//! ```text
//!   with hyperedge lines:   hyperedge weights…,  vertex weights…,  edge vertex  (pins)
//!   without:                edge vertex  (pins),  vertex weights…
//! ```
//!
//! Weights are ignored: every value is one word. Inputs are the sources, outputs the sinks.

use std::fmt::Write as _;

use crate::cdag::{Cdag, Vertex};
use crate::error::Error;

pub(super) fn read(text: &str) -> Result<Cdag, Error> {
    let mut lines = text
        .lines()
        .enumerate()
        .map(|(index, line)| (index + 1, line.trim()))
        .filter(|(_, line)| !line.is_empty() && !line.starts_with('%'));
    let Some(header) = lines.next() else {
        return malformed(1, "the header 'hyperedges vertices pins' is missing");
    };
    let [hyperedges, vertices, pins] = numbers(header)?;
    let body: Vec<(usize, &str)> = lines.collect();
    let long = hyperedges
        .checked_add(vertices)
        .and_then(|lines| lines.checked_add(pins));
    let pin_lines = if Some(body.len()) == long {
        &body[hyperedges + vertices..]
    } else if Some(body.len()) == pins.checked_add(vertices) || body.len() == pins {
        &body[..pins]
    } else {
        let reason = format!(
            "{} lines follow the header, but {hyperedges} hyperedges, {vertices} vertices and \
             {pins} pins do not add up to that",
            body.len()
        );
        return malformed(header.0, reason);
    };
    if hyperedges > pins {
        return malformed(header.0, "every hyperedge has at least one pin");
    }
    let mut tails: Vec<Option<Vertex>> = vec![None; hyperedges];
    let mut edges = Vec::new();
    for &line in pin_lines {
        let [hyperedge, vertex] = numbers(line)?;
        match tails.get_mut(hyperedge) {
            None => return malformed(line.0, format!("there is no hyperedge {hyperedge}")),
            Some(Some(tail)) => edges.push((*tail, vertex)),
            Some(tail) => *tail = Some(vertex),
        }
    }
    Cdag::from_parts(vertices, &edges, None, None)
}

pub(super) fn write(graph: &Cdag) -> String {
    let tails: Vec<Vertex> = (0..graph.len())
        .filter(|&v| !graph.succs(v).is_empty())
        .collect();
    let pins = tails.len() + graph.edge_count();
    let mut text = format!("{} {} {pins}\n", tails.len(), graph.len());
    // Writing to a string cannot fail.
    for (edge, &tail) in tails.iter().enumerate() {
        for vertex in std::iter::once(&tail).chain(graph.succs(tail)) {
            let _ = writeln!(text, "{edge} {vertex}");
        }
    }
    for v in 0..graph.len() {
        let _ = writeln!(text, "{v} 1 1");
    }
    text
}

/// The first `N` numbers of a line; what follows them is weights.
fn numbers<const N: usize>((number, line): (usize, &str)) -> Result<[usize; N], Error> {
    let mut words = line.split_whitespace();
    let mut found = [0; N];
    for slot in &mut found {
        let Some(word) = words.next() else {
            return malformed(number, format!("expected {N} numbers, found '{line}'"));
        };
        let Ok(value) = word.parse() else {
            return malformed(number, format!("'{word}' is not a number"));
        };
        *slot = value;
    }
    Ok(found)
}

fn malformed<T>(line: usize, reason: impl Into<String>) -> Result<T, Error> {
    Err(Error::Malformed {
        line,
        reason: reason.into(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Vertices 0 and 1 feed 2.
    const SHORT: &str = "% a comment\n2 3 4\n0 0\n0 2\n1 1\n1 2\n0 1 1\n1 1 1\n2 5 1\n";
    const LONG: &str = "2 3 4\n%% edges\n0 1 1\n1 1 1\n0 1\n1 1\n2 5\n0 0\n0 2\n1 1\n1 2\n";

    #[test]
    fn both_layouts_are_read() {
        let expect = Cdag::from_parts(3, &[(0, 2), (1, 2)], None, None);
        assert_eq!(read(SHORT), expect);
        assert_eq!(read(LONG), expect);
        assert_eq!(read("2 3 4\n0 0\n0 2\n1 1\n1 2\n"), expect);
    }

    fn check_refused(text: &str, expect: &str) {
        assert_eq!(read(text).expect_err("must be refused").to_string(), expect);
    }

    #[test]
    fn malformed_files_are_explained() {
        check_refused(
            "% only\n",
            "line 1: the header 'hyperedges vertices pins' is missing",
        );
        check_refused("1 2", "line 1: expected 3 numbers, found '1 2'");
        check_refused("1 2 x", "line 1: 'x' is not a number");
        let sum = "line 1: 0 lines follow the header, but 1 hyperedges, 2 vertices and 2 pins do not add up to that";
        check_refused("1 2 2\n", sum);
        check_refused("1 2 2\n1 0\n1 1\n", "line 2: there is no hyperedge 1");
        check_refused(
            "1 2 2\n0 0\n0 9\n",
            "an edge names vertex 9, but the vertices are 0..2",
        );
        check_refused(
            "9999999999999 2 0\n",
            "line 1: every hyperedge has at least one pin",
        );
        check_refused(
            "0 9999999999999 0\n",
            "9999999999999 vertices, but at most 33554432 are accepted",
        );
        let huge = usize::MAX;
        assert!(read(&format!("{huge} {huge} {huge}")).is_err());
    }
}
