//! Where the instances of one node lie next to those of another, whatever their loops count.
//!
//! Loops of different statements may run in any order, in any direction and from anywhere. What they have in common are values: two
//! nodes that read one source ([`beside`]), or a node that reads the other ([`around`]), tell which coordinates belong together.
//!
//! ```text
//! S reads X[i, k], T reads X[5 − a, c + 2]      i ~ 5 − a, k ~ c + 2
//! T reads S[t, i − 1], S[t, i], S[t, i + 1]     the middle one: T's (t, i) lies at S's (t, i)
//! ```
//!
//! Any choice is sound; a bad one only finds no argument.

use std::collections::BTreeMap;

use redblue_math::Rational;
use redblue_math::rational::int;

use crate::graph::{Graph, Piece, Source};

/// A coordinate as a function of (y, 1, sizes).
pub(crate) type Numbers = Vec<Rational>;

/// The numbers of coordinate `theirs` of node `other` that make it coordinate `mine` of node `one`, by most operands that both read of one source.
pub(crate) fn beside(
    graph: &Graph,
    (one, mine): (usize, usize),
    (other, theirs): (usize, usize),
) -> Option<Numbers> {
    let dims = graph.nodes[one].domain.n_dim();
    let mut votes: BTreeMap<Numbers, usize> = BTreeMap::new();
    for (_, left) in graph.arrows_of(one) {
        for (_, right) in graph.arrows_of(other) {
            if left.source != right.source {
                continue;
            }
            let pairs = left
                .pieces
                .iter()
                .flat_map(|a| right.pieces.iter().map(move |b| (a, b)));
            for (a, b) in pairs {
                for (x, y) in subscripts(a).zip(subscripts(b)) {
                    if single(x, dims) == Some(mine) && single(y, dims) == Some(theirs) {
                        *votes.entry(solved(x, y, dims, mine)).or_default() += 1;
                    }
                }
            }
        }
    }
    // Of equals the largest, so that the order of operands does not matter.
    votes
        .into_iter()
        .max_by(|a, b| (a.1, &a.0).cmp(&(b.1, &b.0)))
        .map(|(numbers, _)| numbers)
}

/// The coordinates of node `other` in terms of those of node `one`, in whose midst they lie: by what it reads of that node, or else by what that node
/// reads of it.
pub(crate) fn around(graph: &Graph, one: usize, other: usize) -> Option<Vec<Numbers>> {
    let dims = graph.nodes[one].domain.n_dim();
    let mut seen: Vec<Vec<Numbers>> = vec![Vec::new(); dims];
    for piece in pieces(graph, other, one) {
        for (at, row) in subscripts(piece).enumerate() {
            if single(row, dims).is_some() {
                seen[at].push(row.to_vec());
            }
        }
    }
    if seen.iter().all(Vec::is_empty) {
        for piece in pieces(graph, one, other) {
            for (theirs, row) in subscripts(piece).enumerate() {
                if let Some(mine) = single(row, dims) {
                    let mut y = vec![int(0); row.len()];
                    y[theirs] = int(1);
                    seen[mine].push(solved(row, &y, dims, mine));
                }
            }
        }
    }
    let middle = |mut rows: Vec<Numbers>| {
        rows.sort();
        let at = rows.len().checked_sub(1)? / 2;
        rows.into_iter().nth(at)
    };
    let found: Vec<Numbers> = seen.into_iter().map(middle).collect::<Option<_>>()?;
    let mut used: Vec<Option<usize>> = found.iter().map(|row| single(row, dims)).collect();
    used.sort();
    used.dedup();
    (used.len() == dims).then_some(found)
}

/// The functions with which one node reads another.
fn pieces(graph: &Graph, reader: usize, source: usize) -> impl Iterator<Item = &Piece> {
    let arrows = graph.arrows_of(reader).map(|(_, arrow)| arrow);
    let wanted = arrows.filter(move |arrow| arrow.source == Source::Node(source));
    wanted.flat_map(|arrow| &arrow.pieces)
}

/// The subscripts of a function.
fn subscripts(piece: &Piece) -> impl Iterator<Item = &[Rational]> {
    let count = piece.linear().rows().len();
    piece.step.rows()[..count].iter().map(Vec::as_slice)
}

/// The one coordinate that a function depends on, if it is that coordinate or its negative plus something fixed.
fn single(row: &[Rational], dims: usize) -> Option<usize> {
    let mut used = (0..dims).filter(|at| row[*at] != int(0));
    let at = used.next()?;
    let unit = row[at] == int(1) || row[at] == int(-1);
    (unit && used.next().is_none()).then_some(at)
}

/// x with x(…) = y(…), where `x` depends on the coordinate `at` alone.
fn solved(x: &[Rational], y: &[Rational], dims: usize, at: usize) -> Numbers {
    let sign = &x[at];
    let fixed = |column: usize| {
        if column < dims {
            int(0)
        } else {
            x[column].clone()
        }
    };
    y.iter()
        .enumerate()
        .map(|(column, value)| sign * (value - fixed(column)))
        .collect()
}
