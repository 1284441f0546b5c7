//! Targets of several nodes in one space.
//!
//! A family of paths may run through several statements, and then one phase argument can count them all: stencils that go to and
//! fro between two arrays, or the two halves of an elimination. Candidates for the common space:
//!
//! * every node alone, at its own coordinates;
//! * two nodes of equal dimension whose instances do not overlap, at their own coordinates in some order (lower and upper part of lu);
//! * nodes that read each other in turn, interleaved in one dimension: `(m·t + r, …)` for the r-th of m nodes.
//!
//! Coordinates of different nodes are matched by the values that they read, see [`crate::alignment`].

use redblue_math::Matrix;
use redblue_math::rational::int;

use crate::alignment;
use crate::error::Result;
use crate::graph::{Graph, Source};
use crate::seeds;
use crate::targets::{Part, Targets};

/// Most dimensions in which all orders of coordinates are tried.
const MOST_DIMENSIONS: usize = 4;

/// All candidate targets, single nodes first.
pub fn candidates(graph: &Graph) -> Result<Vec<Targets>> {
    let mut found = Vec::new();
    let dims = |node: usize| graph.nodes[node].domain.n_dim();
    // Nodes of smaller dimension have fewer instances than words are compulsory, as a rule.
    let most = (0..graph.nodes.len()).map(dims).max().unwrap_or(0);
    let mut together = Vec::new();
    for cycle in cycles(graph) {
        for along in 0..dims(cycle[0]) {
            let targets = interleaved(graph, &cycle, along)?;
            // With as many common directions as dimensions, the whole cycle is better than its nodes one by one.
            if seeds::common_kernels(graph, &targets)? >= most {
                together.push(targets);
                break;
            }
        }
    }
    let single = |node: &usize| {
        let mut parts = together.iter().flat_map(|targets| &targets.parts);
        !parts.any(|part| part.node == *node)
    };
    for node in (0..graph.nodes.len())
        .filter(|&node| dims(node) > 1)
        .filter(single)
    {
        if dims(node) == most || dims(node) > 2 {
            found.push(Targets::of_node(graph, node)?);
        }
    }
    let large: Vec<Targets> = found
        .iter()
        .filter(|targets| targets.dimension == most)
        .cloned()
        .collect();
    for (at, one) in large.iter().enumerate() {
        for other in &large[at + 1..] {
            found.extend(pair(graph, one, other)?);
        }
    }
    found.extend(together);
    Ok(found)
}

/// Two nodes side by side, with the coordinates of the second in the order that gives the most common kernels.
fn pair(graph: &Graph, one: &Targets, other: &Targets) -> Result<Option<Targets>> {
    if one.dimension < 3 || one.dimension > MOST_DIMENSIONS {
        return Ok(None);
    }
    let mut best: Option<(usize, Targets)> = None;
    for order in orders(one.dimension) {
        let targets = Targets {
            dimension: one.dimension,
            parts: vec![
                one.parts[0].clone(),
                beside(graph, one.parts[0].node, other.parts[0].node, &order)?,
            ],
        };
        if !apart(&targets)? {
            continue;
        }
        let kernels = seeds::common_kernels(graph, &targets)?;
        if kernels > 1 && best.as_ref().is_none_or(|(most, _)| kernels > *most) {
            best = Some((kernels, targets));
        }
    }
    Ok(best.map(|(_, targets)| targets))
}

/// The instances of a node, coordinate `order[at]` at place `at`, numbered like those of another one.
fn beside(graph: &Graph, one: usize, other: usize, order: &[usize]) -> Result<Part> {
    let mut part = Part::permuted(graph, other, order)?;
    let mut rows = part.embedding.rows().to_vec();
    for (at, row) in rows.iter_mut().enumerate() {
        if let Some(numbers) = alignment::beside(graph, (one, at), (other, order[at])) {
            *row = numbers;
        }
    }
    part.embedding = Matrix::new(part.embedding.columns(), rows)?;
    Ok(part)
}

/// All orders of the first `count` numbers.
pub(crate) fn orders(count: usize) -> Vec<Vec<usize>> {
    let mut found = vec![Vec::new()];
    for _ in 0..count {
        let longer = found.iter().flat_map(|order: &Vec<usize>| {
            let rest = (0..count).filter(|at| !order.contains(at));
            rest.map(|at| order.iter().copied().chain([at]).collect())
        });
        found = longer.collect();
    }
    found
}

/// Whether no two targets lie at one point.
fn apart(targets: &Targets) -> Result<bool> {
    let [one, other] = targets.parts.as_slice() else {
        return Ok(false);
    };
    Ok(one.map()?.range()?.is_disjoint(&other.map()?.range()?)?)
}

/// Cycles of two or three different nodes of equal dimension that read each other.
fn cycles(graph: &Graph) -> Vec<Vec<usize>> {
    let reads = |reader: usize, source: usize| {
        graph
            .arrows_of(reader)
            .any(|(_, arrow)| arrow.source == Source::Node(source))
    };
    let dims = |node: usize| graph.nodes[node].domain.n_dim();
    let count = graph.nodes.len();
    let most = (0..count).map(dims).max().unwrap_or(0).max(2);
    let mut found = Vec::new();
    for a in 0..count {
        for b in 0..count {
            if a == b || dims(a) != dims(b) || dims(a) < most || !reads(a, b) {
                continue;
            }
            if a < b && reads(b, a) {
                found.push(vec![a, b]);
            }
            for c in 0..count {
                if c != a && c != b && a < b && dims(c) == dims(a) && reads(b, c) && reads(c, a) {
                    found.push(vec![a, b, c]);
                }
            }
        }
    }
    found
}

/// The nodes of a cycle, the r-th one at `m·t + r` in one dimension.
fn interleaved(graph: &Graph, cycle: &[usize], along: usize) -> Result<Targets> {
    let dimension = graph.nodes[cycle[0]].domain.n_dim();
    let own: Vec<usize> = (0..dimension).collect();
    let mut parts = Vec::new();
    for (r, &node) in cycle.iter().enumerate() {
        let mut part = Part::permuted(graph, node, &own)?;
        let mut rows = part.embedding.rows().to_vec();
        if r > 0
            && let Some(numbers) = alignment::around(graph, cycle[0], node)
        {
            rows = numbers;
        }
        for entry in &mut rows[along] {
            *entry *= int(cycle.len() as i64);
        }
        rows[along][dimension] += int(r as i64);
        part.embedding = Matrix::new(part.embedding.columns(), rows)?;
        parts.push(part);
    }
    Ok(Targets { parts, dimension })
}
