//! *crossing*: two recurrences that run over the same positions in opposite directions.
//!
//! ```text
//! F[i] = f(F[i − 1], X[i])      B[i] = g(B[i + 1], X[i])      Y[i] = h(F[i], B[i])
//! ```
//!
//! # Statement
//! Some moment finds F computed up to a position and B from the next one on. Then every position of the line has a value, F[i] or B[i], that waits for the other one,
//! and every X[i] that both recurrences read has been read by one of them and waits for the other. With n such words per line, all but S of them are loaded later, besides first loads:
//! `loads ≥ inputs + Σ_lines max(0, n − S)`.
//!
//! # Assumptions
//! No recomputation, the program's own order of the recurrences. Words of different lines are different.
//!
//! # Certificate
//! `crossing`: lines with their two recurrences, the vertices that need both, and the words that both read.
//!
//! # Fails when
//! Lines fit in memory (n ≤ S), or one recurrence starts where the other ends, which is *wavefront*'s case.
//!
//! # Example
//! deriche: rows and columns of an H × W image, `5·H·W − (S + 2)·(H + W)` with S ≪ H, W. Published: H·W.
//!
//! # References
//! None known. It is a wavefront (X-6) whose hub depends on the schedule.

use redblue_cert::Proof;
use redblue_cert::certificate::{Crossing, Edge, Lines, Readings};
use redblue_poly::Map;

use crate::analysis::Search;
use crate::error::Result;
use crate::family::{Words, common, unite};
use crate::graph::{Arrow, Graph, Source};
use crate::joint::orders;
use crate::targets::Part;
use crate::write;

/// Most coordinates of a recurrence.
const MOST_DIMENSIONS: usize = 4;
/// How far apart the two readers of a word may be.
const FARTHEST: i64 = 2;

/// The proof of all lines that are found.
pub fn find(search: &Search<'_>) -> Result<()> {
    let graph = search.graph;
    let mut lines = Vec::new();
    let mut used = Words::new();
    for forward in 0..graph.nodes.len() {
        for backward in 0..graph.nodes.len() {
            if search.is_over() || forward == backward {
                continue;
            }
            if let Some(found) = between(graph, forward, backward)?
                && common(&found.words, &used)?.is_empty()
            {
                for (source, set) in found.words {
                    unite(&mut used, source, set)?;
                }
                lines.push(found.lines);
            }
        }
    }
    if !lines.is_empty() {
        search.propose([Proof::Crossing(Crossing { lines })]);
    }
    Ok(())
}

/// Lines and the words they count.
struct Found {
    lines: Lines,
    words: Words,
}

/// The lines of two nodes, if they are opposite recurrences over the same positions.
fn between(graph: &Graph, forward: usize, backward: usize) -> Result<Option<Found>> {
    let dims = graph.nodes[forward].domain.n_dim();
    if dims == 0 || dims > MOST_DIMENSIONS || graph.nodes[backward].domain.n_dim() != dims {
        return Ok(None);
    }
    for position in 0..dims {
        let mut order: Vec<usize> = (0..dims).filter(|dim| *dim != position).collect();
        order.push(position);
        let ahead = Part::permuted(graph, forward, &order)?.map()?;
        let Some(first) = recurrence(graph, forward, &ahead, -1)? else {
            continue;
        };
        for turned in orders(dims) {
            let behind = Part::permuted(graph, backward, &turned)?.map()?;
            if !behind.range()?.is_equal(&ahead.range()?)? {
                continue;
            }
            if let Some(second) = recurrence(graph, backward, &behind, 1)? {
                let pair = Pair {
                    graph,
                    nodes: [forward, backward],
                    places: [ahead.clone(), behind],
                    edges: vec![first.clone(), second],
                };
                return pair.lines();
            }
        }
    }
    Ok(None)
}

/// The edge along which every value of a node needs the one a step away, in the last coordinate.
fn recurrence(graph: &Graph, node: usize, place: &Map, step: i64) -> Result<Option<Edge>> {
    let wanted = place
        .apply_range(&shift(place, step)?)?
        .apply_range(&place.reverse()?)?;
    if wanted.is_empty()? {
        return Ok(None);
    }
    for (_, arrow) in graph.arrows_of(node) {
        if arrow.source == Source::Node(node) && wanted.is_subset(&arrow.relation)? {
            return Ok(Some(arrow.edge.clone()));
        }
    }
    Ok(None)
}

/// `{ [t, i] -> [t, i + step] }` on the points of a placement.
fn shift(place: &Map, step: i64) -> Result<Map> {
    let line: String = (1..place.n_out()).map(|at| format!("t{at}, ")).collect();
    let text = format!("{{ [{line}i] -> [{line}i + ({step})] }}");
    Ok(Map::parse(place.context(), &text)?)
}

/// Two opposite recurrences.
struct Pair<'g> {
    graph: &'g Graph,
    nodes: [usize; 2],
    /// From instances to (line, position).
    places: [Map; 2],
    edges: Vec<Edge>,
}

impl Pair<'_> {
    fn lines(&self) -> Result<Option<Found>> {
        let graph = self.graph;
        let mut words = Words::new();
        let mut lines = Lines {
            forward: vec![write::labelled(
                &graph.nodes[self.nodes[0]],
                &self.places[0],
            )?],
            backward: vec![write::labelled(
                &graph.nodes[self.nodes[1]],
                &self.places[1],
            )?],
            edges: self.edges.clone(),
            meets: Vec::new(),
            meeting: Vec::new(),
            reads: Vec::new(),
        };
        if let Some((meets, edges)) = self.meets()? {
            lines.meets = vec![meets];
            lines.meeting = edges;
            for (node, place) in self.nodes.iter().zip(&self.places) {
                unite(&mut words, Source::Node(*node), place.domain()?)?;
            }
        }
        for (source, readings, cells) in self.reads()? {
            let mut own = Words::new();
            unite(&mut own, source, cells)?;
            if common(&own, &words)?.is_empty() {
                words.append(&mut own);
                lines.reads.push(readings);
            }
        }
        Ok((!words.is_empty()).then_some(Found { lines, words }))
    }

    /// The first node that needs both recurrences at one position, with its edges.
    fn meets(&self) -> Result<Option<(String, Vec<Edge>)>> {
        let graph = self.graph;
        for (at, node) in graph.nodes.iter().enumerate() {
            let to = |which: usize| {
                let source = Source::Node(self.nodes[which]);
                let arrows = graph.arrows_of(at);
                arrows.filter(move |(_, arrow)| arrow.source == source)
            };
            for (_, one) in to(0) {
                for (_, other) in to(1) {
                    let places = self.labels(one, 0)?.intersect(&self.labels(other, 1)?)?;
                    let places = places.intersect_domain(&node.live)?;
                    if !places.is_empty()? && places.is_injective()? {
                        let edges = vec![one.edge.clone(), other.edge.clone()];
                        return Ok(Some((write::labelled(node, &places)?, edges)));
                    }
                }
            }
        }
        Ok(None)
    }

    /// From the readers of an arrow to the place of what they read.
    fn labels(&self, arrow: &Arrow, which: usize) -> Result<Map> {
        Ok(arrow.relation.apply_range(&self.places[which])?)
    }

    /// From the words that an arrow reads to the places of their readers.
    fn readers(&self, arrow: &Arrow, which: usize) -> Result<Map> {
        Ok(arrow.relation.reverse()?.apply_range(&self.places[which])?)
    }

    /// For every source that both recurrences read, the words with the nearest two readers.
    fn reads(&self) -> Result<Vec<(Source, Readings, redblue_poly::Set)>> {
        let graph = self.graph;
        let mut found: Vec<(Source, Readings, redblue_poly::Set)> = Vec::new();
        let own = self.nodes.map(Source::Node);
        for (_, one) in graph.arrows_of(self.nodes[0]) {
            for (_, other) in graph.arrows_of(self.nodes[1]) {
                let source = one.source;
                if other.source != source || own.contains(&source) {
                    continue;
                }
                for distance in -FARTHEST..=FARTHEST {
                    let known = found.iter().position(|(known, ..)| *known == source);
                    let nearer = |at: usize| found[at].1.offset.abs() > distance.abs();
                    if known.is_some_and(|at| !nearer(at)) {
                        continue;
                    }
                    let back = shift(&self.places[1], -distance)?;
                    let second = self.readers(other, 1)?.apply_range(&back)?;
                    let places = self.readers(one, 0)?.intersect(&second)?;
                    let unique = places.is_single_valued()? && places.is_injective()?;
                    if !unique || places.intersect_params(&graph.large)?.is_empty()? {
                        continue;
                    }
                    let cells = places.domain()?;
                    let (values, inputs) = match source {
                        Source::Node(node) => {
                            (vec![write::labelled(&graph.nodes[node], &places)?], vec![])
                        }
                        Source::Input(input) => {
                            (vec![], vec![write::cells(&graph.inputs[input], &places)?])
                        }
                    };
                    let readings = Readings {
                        values,
                        inputs,
                        offset: distance,
                        edges: vec![one.edge.clone(), other.edge.clone()],
                    };
                    if let Some(at) = known {
                        found.remove(at);
                    }
                    found.push((source, readings, cells));
                }
            }
        }
        Ok(found)
    }
}

#[cfg(test)]
mod tests;
