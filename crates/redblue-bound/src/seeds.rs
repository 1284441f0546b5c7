//! Where families begin: an operand and a kernel.
//!
//! * *Broadcast*: the operand reads the same word for all targets along the kernel of its affine function.
//! * *Chain*: a circuit of arrows leads from a target to another target at a constant displacement δ, and the label is
//!   constant along δ; or an operand reads other targets, and the label is constant along all its displacements.
//!
//! Each is tried deep (paths go on to the inputs) and shallow (paths end at the first computed value).

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use num_traits::Signed;
use redblue_math::rational::{content, int};
use redblue_math::{Matrix, Rational, Subspace};

use crate::error::Result;
use crate::family::Seed;
use crate::graph::{Graph, Source};
use crate::targets::{Part, Targets};

/// Most arrows in a circuit.
const LONGEST_CIRCUIT: usize = 4;
/// Most circuits that are followed from one node.
const MOST_PATHS: usize = 4000;
/// Most kernels of circuits for one node, those of short circuits with small displacements first.
const MOST_CIRCUITS: usize = 8;

/// A kernel and the operand at which it was seen, for one part of the targets.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Hint {
    chain: bool,
    kernel: Subspace,
    operand: usize,
}

/// The hints of every part.
fn hints(graph: &Graph, targets: &Targets) -> Result<Vec<Vec<Hint>>> {
    let mut hints: Vec<Vec<Hint>> = Vec::new();
    for part in &targets.parts {
        let found = broadcasts(graph, part, targets.dimension)?;
        let mut found: Vec<Hint> = found.into_iter().collect();
        found.extend(nests(graph, targets, part)?);
        for hint in circuits(graph, targets, part)? {
            if !found.contains(&hint) {
                found.push(hint);
            }
        }
        hints.push(found);
    }
    Ok(hints)
}

/// How many kernels all parts have in common: the more, the better they fit together.
pub fn common_kernels(graph: &Graph, targets: &Targets) -> Result<usize> {
    let hints = hints(graph, targets)?;
    let kernels = |part: &Vec<Hint>| -> BTreeSet<(bool, Subspace)> {
        part.iter()
            .map(|hint| (hint.chain, hint.kernel.clone()))
            .collect()
    };
    let mut sets = hints.iter().map(kernels);
    let Some(first) = sets.next() else {
        return Ok(0);
    };
    let common = sets.fold(first, |all, next| {
        all.intersection(&next).cloned().collect()
    });
    Ok(common.len())
}

/// All seeds of some targets, in a fixed order.
pub fn seeds(graph: &Graph, targets: &Targets) -> Result<Vec<Seed>> {
    let hints = hints(graph, targets)?;
    let mut seeds = Vec::new();
    let Some(first) = hints.first() else {
        return Ok(seeds);
    };
    for hint in first {
        // Every part needs an operand with this kernel; the n-th of one part goes with the n-th of the others.
        let same = |other: &&Hint| other.chain == hint.chain && other.kernel == hint.kernel;
        let rank = first
            .iter()
            .filter(same)
            .position(|other| other == hint)
            .unwrap_or(0);
        let partners = hints.iter().map(|part| {
            let all: Vec<&Hint> = part.iter().filter(same).collect();
            all.get(rank).or(all.last()).map(|hint| hint.operand)
        });
        let Some(operands) = partners.collect::<Option<Vec<usize>>>() else {
            continue;
        };
        let projection = integer_rows(&hint.kernel.annihilator())?;
        for shallow in [false, true] {
            let seed = Seed {
                projection: projection.clone(),
                operands: operands.clone(),
                chain: hint.chain,
                shallow,
            };
            if !seeds.contains(&seed) {
                seeds.push(seed);
            }
        }
    }
    Ok(seeds)
}

/// A basis with coprime integers in every row.
fn integer_rows(space: &Subspace) -> Result<Matrix> {
    let rows = space.basis().rows().iter().map(|row| {
        let divisor = content(row);
        row.iter().map(|entry| entry / &divisor).collect()
    });
    Ok(Matrix::new(space.ambient(), rows.collect())?)
}

/// Kernels of operands, in the common space.
fn broadcasts(graph: &Graph, part: &Part, dimension: usize) -> Result<BTreeSet<Hint>> {
    let mut found = BTreeSet::new();
    for (_, arrow) in graph.arrows_of(part.node) {
        for piece in arrow.pieces.iter().filter(|piece| piece.is_full()) {
            let kernel = Subspace::kernel(&piece.linear()).image(&linear(part)?)?;
            if kernel.rank() > 0 && kernel.rank() < dimension {
                found.insert(Hint {
                    kernel,
                    operand: arrow.operand,
                    chain: false,
                });
            }
        }
    }
    Ok(found)
}

/// The linear part of an embedding.
fn linear(part: &Part) -> Result<Matrix> {
    let dims = part.set.n_dim();
    let rows = part.embedding.rows().iter().map(|row| row[..dims].to_vec());
    Ok(Matrix::new(dims, rows.collect())?)
}

/// For every operand that reads a target directly, the span of all its displacements: a sum over several loops moves
/// along all of them, `(c, h) ← (c, h − 1)` and `(c, 0) ← (c − 1, H − 1)`.
fn nests(graph: &Graph, targets: &Targets, part: &Part) -> Result<Vec<Hint>> {
    let mut spans: BTreeMap<usize, Subspace> = BTreeMap::new();
    for (_, arrow) in graph.arrows_of(part.node) {
        let Some(end) = targets
            .parts
            .iter()
            .find(|end| arrow.source == Source::Node(end.node))
        else {
            continue;
        };
        for piece in &arrow.pieces {
            let there = end.embedding.product(&piece.step)?.product(&piece.hull)?;
            let here = part.embedding.product(&piece.hull)?;
            let rows = here.rows().iter().zip(there.rows());
            let rows = rows.map(|(x, y)| x.iter().zip(y).map(|(x, y)| x - y).collect());
            let moves = Matrix::new(here.columns(), rows.collect())?.transpose();
            let moves = Subspace::span(targets.dimension, moves.rows().to_vec())?;
            let all = match spans.remove(&arrow.operand) {
                Some(known) => known.sum(&moves)?,
                None => moves,
            };
            spans.insert(arrow.operand, all);
        }
    }
    let proper = |kernel: &Subspace| kernel.rank() > 0 && kernel.rank() < targets.dimension;
    let hints = spans.into_iter().filter(|(_, kernel)| proper(kernel));
    let hint = |(operand, kernel)| Hint {
        chain: true,
        kernel,
        operand,
    };
    Ok(hints.map(hint).collect())
}

/// Displacements of circuits through the targets, in the common space.
fn circuits(graph: &Graph, targets: &Targets, part: &Part) -> Result<Vec<Hint>> {
    let mut found: BTreeSet<(usize, Rational, Hint)> = BTreeSet::new();
    for walk in walks(graph, targets, part)?.iter() {
        let Some(end) = targets.parts.iter().find(|part| part.node == walk.end) else {
            continue;
        };
        let Some(line) = displacement(part, end, &walk.there)? else {
            continue;
        };
        let norm = line.iter().map(Signed::abs).sum();
        let kernel = Subspace::span(targets.dimension, vec![line])?;
        if kernel.rank() == 1 && targets.dimension > 1 {
            let hint = Hint {
                kernel,
                operand: walk.operand,
                chain: true,
            };
            found.insert((walk.length, norm, hint));
        }
    }
    Ok(shortest(found))
}

/// A way from a node to the first target it meets.
#[derive(Clone, Debug)]
pub(crate) struct Walk {
    /// Arrows before the last one.
    length: usize,
    end: usize,
    /// Where it leads, in homogeneous coordinates.
    there: Matrix,
    /// The operand at which it begins.
    operand: usize,
}

/// Ways by the node they start from and the nodes of the targets.
pub(crate) type Walks = BTreeMap<(usize, Vec<usize>), Rc<Vec<Walk>>>;

/// All ways from the node of a part to targets, found once for every set of nodes: where targets lie in the common space does not matter.
fn walks(graph: &Graph, targets: &Targets, part: &Part) -> Result<Rc<Vec<Walk>>> {
    let nodes: Vec<usize> = targets.parts.iter().map(|part| part.node).collect();
    let key = (part.node, nodes);
    if let Some(known) = graph.walks.borrow().get(&key) {
        return Ok(Rc::clone(known));
    }
    let found = Rc::new(walk(graph, &key.1, part)?);
    graph.walks.borrow_mut().insert(key, Rc::clone(&found));
    Ok(found)
}

fn walk(graph: &Graph, nodes: &[usize], part: &Part) -> Result<Vec<Walk>> {
    let mut found = Vec::new();
    let size = part.embedding.columns();
    let mut paths: Vec<(usize, usize, Matrix, Option<usize>)> =
        vec![(part.node, 0, Matrix::identity(size), None)];
    let mut steps = 0;
    while let Some((node, length, so_far, first)) = paths.pop() {
        for (_, arrow) in graph.arrows_of(node) {
            let Source::Node(source) = arrow.source else {
                continue;
            };
            for piece in arrow.pieces.iter().filter(|piece| piece.is_full()) {
                steps += 1;
                if steps > MOST_PATHS {
                    return Ok(found);
                }
                let there = piece.step.product(&so_far)?;
                let operand = first.unwrap_or(arrow.operand);
                if nodes.contains(&source) {
                    found.push(Walk {
                        length,
                        end: source,
                        there,
                        operand,
                    });
                } else if length + 1 < LONGEST_CIRCUIT {
                    paths.push((source, length + 1, there, Some(operand)));
                }
            }
        }
    }
    Ok(found)
}

/// The hints of the first few kernels.
fn shortest(found: BTreeSet<(usize, Rational, Hint)>) -> Vec<Hint> {
    let mut kernels: Vec<Subspace> = Vec::new();
    let mut kept: Vec<Hint> = Vec::new();
    for (_, _, hint) in found {
        if !kernels.contains(&hint.kernel) {
            if kernels.len() == MOST_CIRCUITS {
                continue;
            }
            kernels.push(hint.kernel.clone());
        }
        if !kept.contains(&hint) {
            kept.push(hint);
        }
    }
    kept
}

/// The constant displacement in the common space between a target and the target that a path leads to.
fn displacement(start: &Part, end: &Part, path: &Matrix) -> Result<Option<Vec<Rational>>> {
    let there = end.embedding.product(path)?;
    let dims = start.set.n_dim();
    let mut line = Vec::new();
    for (from, to) in start.embedding.rows().iter().zip(there.rows()) {
        let shift: Vec<Rational> = from.iter().zip(to).map(|(x, y)| x - y).collect();
        let constant = shift
            .iter()
            .enumerate()
            .all(|(at, c)| at == dims || *c == int(0));
        if !constant {
            return Ok(None);
        }
        line.push(shift[dims].clone());
    }
    Ok(Some(line))
}
