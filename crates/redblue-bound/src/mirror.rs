//! *mirror*: two statements that read one operand as mirror images of each other (X-1, U-11).
//!
//! ```text
//! C[o] += A(o, t)·B[t]   for t on one side of o      both statements read the same word A(o, t) = A(t, o),
//! D[o] += A(t, o)·B[t]   for t on the other side     and each word of B
//! ```
//!
//! # Statement
//! A product with a symmetric matrix of which one half is stored: two statements with V operations in all over (o, t, column), each with a
//! running value (o, column) of its own, one shared operand (t, column), and one shared operand whose word at (o, t) is that of the other statement at (t, o).
//! The two bounds of the statements alone do not add up, because words serve both. Jointly
//!
//! ```text
//! loads > √2·V/√S − S − |Z|                    always
//! loads > 2·V/√S − 2·√24·L − S − |Z|           if running values are computed in order; L of them
//! ```
//!
//! The second has the constant of a product with a full matrix, as if nothing were shared. Twins (o, t) and (t, o) save a word of the matrix only when both are computed in one phase, and words of B are saved
//! only by outs that are computed with common t. Both at once, for one column, need an interval of t that contains o and t: too long to be worth it if |o − t| ≥ √(8K).
//!
//! # Assumptions
//! None for the first form but that words are as described; for the second no recomputation and the program's own order of sums, in which t runs through consecutive values on one side of o.
//! Starting values of sums are counted as |Z|.
//!
//! # Certificate
//! A phase argument with capacity `mirror`: two sheets of targets with their three families each; the proof is at `Mirror` in redblue-cert.
//!
//! # Fails when
//! The two statements read the shared operand in the same orientation (no mirror image), or a third one joins them.
//!
//! # Example
//! `symm`: 2·M²·N/√S.
//!
//! # References
//! The published 2·M²·N/√S (Olivry et al. 2020) adds the two statements, which alone proves nothing (U-11); it is right nevertheless.

use redblue_cert::Proof;
use redblue_cert::certificate::{Capacity, Family as Written, Group, Mirror, Phases, Sheet};
use redblue_math::rational::int;
use redblue_math::{Matrix, Rational};
use redblue_poly::Set;

use crate::analysis::Search;
use crate::error::Result;
use crate::family::{Family, Seed, Trace, Words, unite};
use crate::graph::{Graph, Source};
use crate::joint::orders;
use crate::places::{self, Column, Place};
use crate::targets::{Part, Targets};

/// Most coordinates of a column: their orders are tried one by one.
const MOST_COLUMNS: usize = 3;

/// A node seen as a sheet: its coordinates and operands.
#[derive(Clone, Debug)]
struct View {
    node: usize,
    /// Coordinates: o, t, then the column.
    order: Vec<usize>,
    /// The operand that reads the running value.
    chain: usize,
    /// The operand that reads (t, column), and where from.
    operand: (usize, Source),
    /// The operand that reads (o, t), and where from.
    shared: (usize, Source),
}

impl View {
    /// The function by which the operand is read.
    fn operand<'g>(&self, graph: &'g Graph) -> Option<&'g Matrix> {
        self.access(graph, self.operand)
    }

    /// The function by which the shared operand is read.
    fn shared<'g>(&self, graph: &'g Graph) -> Option<&'g Matrix> {
        self.access(graph, self.shared)
    }

    fn access<'g>(&self, graph: &'g Graph, (at, source): (usize, Source)) -> Option<&'g Matrix> {
        let mut arrows = graph.arrows_of(self.node).map(|(_, arrow)| arrow);
        let arrow = arrows.find(|arrow| arrow.operand == at && arrow.source == source)?;
        let piece = arrow.pieces.iter().find(|piece| piece.is_full())?;
        Some(&piece.step)
    }
}

/// All proofs of this kind.
pub fn find(search: &Search<'_>) -> Result<()> {
    let graph = search.graph;
    let views: Vec<View> = (0..graph.nodes.len())
        .flat_map(|node| views(graph, node))
        .collect();
    for (at, first) in views.iter().enumerate() {
        for second in &views[at + 1..] {
            let same = first.operand.1 == second.operand.1 && first.shared.1 == second.shared.1;
            if first.node == second.node || !same || first.order.len() != second.order.len() {
                continue;
            }
            if search.is_over() {
                return Ok(());
            }
            if let Some(pair) = Pair::new(graph, first, second)? {
                search.propose([true, false].map(|ordered| Proof::Phases(pair.phases(ordered))));
            }
        }
    }
    Ok(())
}

/// The ways to see a node as a sheet.
fn views(graph: &Graph, node: usize) -> Vec<View> {
    let dims = graph.nodes[node].domain.n_dim();
    let mut found = Vec::new();
    if !(3..=MOST_COLUMNS + 2).contains(&dims) {
        return found;
    }
    // Operands that read one word for all values of the other coordinates.
    let mut reads: Vec<(usize, Source, Vec<usize>)> = Vec::new();
    let mut chains: Vec<(usize, usize)> = Vec::new();
    for (_, arrow) in graph.arrows_of(node) {
        for piece in arrow.pieces.iter().filter(|piece| piece.is_full()) {
            let linear = piece.linear();
            let seen = |dim: &usize| linear.rows().iter().any(|row| row[*dim] != int(0));
            let used: Vec<usize> = (0..dims).filter(seen).collect();
            if arrow.source != Source::Node(node) {
                if linear.rank() == used.len() && used.len() < dims {
                    reads.push((arrow.operand, arrow.source, used));
                }
                continue;
            }
            if let Some(along) = unit_step(&piece.step, dims) {
                chains.push((arrow.operand, along));
            }
        }
    }
    for &(chain, t) in &chains {
        for (operand, from, with) in &reads {
            let missing: Vec<usize> = (0..dims).filter(|dim| !with.contains(dim)).collect();
            let [o] = missing[..] else { continue };
            for (shared, source, both) in &reads {
                if o == t || *both != [o.min(t), o.max(t)] || operand == shared {
                    continue;
                }
                let column = (0..dims).filter(|dim| *dim != o && *dim != t);
                found.push(View {
                    node,
                    order: [o, t].into_iter().chain(column).collect(),
                    chain,
                    operand: (*operand, *from),
                    shared: (*shared, *source),
                });
            }
        }
    }
    found
}

/// The coordinate along which a function of homogeneous points moves by one, keeping all others.
fn unit_step(step: &Matrix, dims: usize) -> Option<usize> {
    let mut along = None;
    for (at, row) in step.rows().iter().take(dims).enumerate() {
        let entry = |column: usize| row.get(column).cloned().unwrap_or_default();
        let kept = (0..row.len()).all(|c| c == dims || entry(c) == int(i64::from(c == at)));
        let shift = entry(dims);
        let unit = shift == int(1) || shift == int(-1);
        match (kept, unit, along) {
            (true, false, _) if shift == int(0) => {}
            (true, true, None) => along = Some(at),
            _ => return None,
        }
    }
    along
}

/// Two sheets with their families.
struct Pair {
    targets: Vec<String>,
    sheets: Vec<Sheet>,
}

impl Pair {
    /// The sheets of two views, if their families can be kept apart.
    fn new(graph: &Graph, first: &View, second: &View) -> Result<Option<Pair>> {
        for column in orders(second.order.len() - 2) {
            let mut turned = second.clone();
            turned.order.truncate(2);
            turned
                .order
                .extend(column.iter().map(|&at| second.order[2 + at]));
            if let Some(pair) = Pair::aligned(graph, first, &turned)? {
                return Ok(Some(pair));
            }
        }
        Ok(None)
    }

    fn aligned(graph: &Graph, first: &View, second: &View) -> Result<Option<Pair>> {
        let views = [first, second];
        let mut placed = Vec::new();
        let mut rows = numbers(graph, first, second).into_iter().flatten();
        for view in views {
            let mut part = Part::permuted(graph, view.node, &view.order)?;
            if let Some(rows) = rows.next() {
                part.embedding = Matrix::new(part.embedding.columns(), rows)?;
            }
            placed.push(Targets {
                dimension: view.order.len(),
                parts: vec![part],
            });
        }
        let dimension = first.order.len();
        let column: Vec<usize> = (2..dimension).collect();
        let mut words = Words::new();
        let (mut operands, mut shared) = (Vec::new(), Vec::new());
        for (at, (view, targets)) in views.iter().zip(&placed).enumerate() {
            let label = [&[1], column.as_slice()].concat();
            let mirrored = if at == 0 { [0, 1] } else { [1, 0] };
            let plain = Kind { chain: false };
            let none = Words::new();
            let Some(operand) = plain.family(graph, targets, &label, view.operand.0, &none)? else {
                return Ok(None);
            };
            let Some(both) = plain.family(graph, targets, &mirrored, view.shared.0, &none)? else {
                return Ok(None);
            };
            for family in [&operand, &both] {
                for (source, set) in &family.words {
                    unite(&mut words, *source, set.clone())?;
                }
            }
            operands.push(operand);
            shared.push(both);
        }
        // If both sheets add to the same values, one of them ends where the other begins.
        let mut chains = None;
        for first in [1, 0] {
            if chains.is_none() {
                chains = running(graph, &views, &placed, first, words.clone())?;
            }
        }
        let Some(chains) = chains else {
            return Ok(None);
        };
        let write = |family: &Family| -> Result<Option<Written>> { family.write(graph, &int(1)) };
        let mut sheets = Vec::new();
        for (at, targets) in placed.iter().enumerate() {
            let (Some(chain), Some(operand), Some(both)) = (
                write(&chains[at])?,
                write(&operands[at])?,
                write(&shared[at])?,
            ) else {
                return Ok(None);
            };
            sheets.push(Sheet {
                targets: targets.texts(graph)?,
                chain,
                operand,
                shared: both,
            });
        }
        Ok(Some(Pair {
            targets: numbered(&placed)?.texts(graph)?,
            sheets,
        }))
    }

    fn phases(&self, ordered: bool) -> Phases {
        Phases {
            groups: vec![Group {
                private: Vec::new(),
                targets: self.targets.clone(),
                families: Vec::new(),
                capacity: Capacity::Mirror(Mirror {
                    sheets: self.sheets.clone(),
                    ordered,
                }),
            }],
            lengths: vec!["2*S".into()],
        }
    }
}

/// Where the instances of two views lie, so that operand and shared operand are the same functions of (t, column) and of
/// (o, t) or its mirror image; none if the loops do not fit.
fn numbers(graph: &Graph, first: &View, second: &View) -> Option<[Vec<Vec<Rational>>; 2]> {
    let dims = first.order.len();
    let (operands, shared) = (
        [first.operand(graph)?, second.operand(graph)?],
        [first.shared(graph)?, second.shared(graph)?],
    );
    let sizes = operands[0].columns() - dims;
    let column = |step: &Matrix, at: usize| places::column(step, places::sources(step, dims), at);
    let constants = |step: &Matrix| -> Vec<Column> {
        (dims..dims + sizes).map(|at| column(step, at)).collect()
    };
    let moved = |one: &[Column], other: &[Column]| -> Vec<Column> {
        let pairs = one.iter().zip(other);
        pairs
            .map(|(one, other)| places::minus(one, other))
            .collect()
    };
    // t and the column of the second view, as the first one counts them.
    let inner = first.order[1..].iter().zip(&second.order[1..]);
    let inner: Vec<_> = inner
        .map(|(&one, &other)| (column(operands[0], one), column(operands[1], other)))
        .collect();
    let differences = moved(&constants(operands[1]), &constants(operands[0]));
    let inner = places::aligned(&inner, &differences)?;
    let t = inner.first()?;
    // o of the first is t of the second, and the other way round. With t' = ±t + d the second reads its t at ±(t' − d).
    let there: Column = column(shared[1], second.order[1])
        .iter()
        .map(|entry| entry * &t.sign)
        .collect();
    let mut ends = constants(shared[1]);
    for (end, shift) in ends.iter_mut().zip(&t.shift) {
        let back: Column = there.iter().map(|entry| entry * shift).collect();
        *end = places::minus(end, &back);
    }
    let outer = [
        (there, column(shared[0], first.order[0])),
        (
            column(shared[0], first.order[1]),
            column(shared[1], second.order[0]),
        ),
    ];
    let [one, mut other] = <[Place; 2]>::try_from(places::aligned(
        &outer,
        &moved(&constants(shared[0]), &ends),
    )?)
    .ok()?;
    other.shift.iter_mut().for_each(|shift| *shift = -&*shift);
    let plain = Place {
        sign: int(1),
        shift: vec![int(0); sizes],
    };
    let rows = |view: &View, o: &Place, others: &[&Place]| -> Vec<Vec<Rational>> {
        let all = [o].into_iter().chain(others.iter().copied());
        let rows = all.zip(&view.order);
        rows.map(|(place, &at)| place.row(dims, at)).collect()
    };
    Some([
        rows(first, &one, &vec![&plain; dims - 1]),
        rows(second, &other, &inner.iter().collect::<Vec<_>>()),
    ])
}

/// The running values of both sheets, which avoid the words of the operands; those of the sheet that comes second avoid the
/// other's too.
fn running(
    graph: &Graph,
    views: &[&View; 2],
    placed: &[Targets],
    first: usize,
    mut words: Words,
) -> Result<Option<[Family; 2]>> {
    let mut found = Vec::new();
    for at in [first, 1 - first] {
        let label: Vec<usize> = (0..placed[at].dimension).filter(|dim| *dim != 1).collect();
        let chain = Kind { chain: true };
        let chain = chain.family(graph, &placed[at], &label, views[at].chain, &words)?;
        let Some(chain) = chain else {
            return Ok(None);
        };
        for (source, set) in &chain.words {
            unite(&mut words, *source, set.clone())?;
        }
        found.push(chain);
    }
    if first == 1 {
        found.reverse();
    }
    Ok(found.try_into().ok())
}

/// How a family is looked for.
struct Kind {
    chain: bool,
}

impl Kind {
    /// The family whose label is some coordinates, from one operand on, if it serves all targets.
    fn family(
        &self,
        graph: &Graph,
        targets: &Targets,
        coordinates: &[usize],
        operand: usize,
        forbidden: &Words,
    ) -> Result<Option<Family>> {
        let unit = |at: &usize| -> Vec<Rational> {
            let entry = |dim| int(i64::from(dim == *at));
            (0..targets.dimension).map(entry).collect()
        };
        let rows = coordinates.iter().map(unit).collect();
        let seed = Seed {
            projection: Matrix::new(targets.dimension, rows)?,
            operands: vec![operand],
            chain: self.chain,
            shallow: false,
        };
        let Some(trace) = Trace::new(graph, targets, seed)? else {
            return Ok(None);
        };
        let family = trace.family(graph, targets, forbidden)?;
        for unserved in &family.unserved {
            if !unserved.is_empty()? {
                return Ok(None);
            }
        }
        Ok(Some(family))
    }
}

/// The targets of several sheets in one space, with the number of the sheet as first coordinate.
fn numbered(sheets: &[Targets]) -> Result<Targets> {
    let mut parts = Vec::new();
    for (at, sheet) in sheets.iter().enumerate() {
        for part in &sheet.parts {
            let columns = part.embedding.columns();
            let mut number = vec![int(0); columns];
            number[Set::n_dim(&part.set)] = int(at);
            let mut rows = vec![number];
            rows.extend(part.embedding.rows().iter().cloned());
            parts.push(Part {
                embedding: Matrix::new(columns, rows)?,
                ..part.clone()
            });
        }
    }
    Ok(Targets {
        dimension: sheets.first().map_or(0, |sheet| sheet.dimension) + 1,
        parts,
    })
}

#[cfg(test)]
mod tests;
