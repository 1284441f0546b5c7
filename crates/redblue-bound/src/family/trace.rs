//! The labels of all words that paths from some targets can meet.
//!
//! Targets hand their labels on along one operand; every word that gets a label hands it on along all its operands,
//! until the inputs are reached, or, for shallow seeds, not at all. A piece that would contradict what is known is no
//! step of a path.

use std::collections::BTreeMap;

use redblue_math::rational::int;
use redblue_math::{Matrix, Rational};

use crate::error::Result;
use crate::graph::{Graph, Piece, Source};
use crate::label::{self, System};
use crate::targets::Targets;

/// What a family is looked for with.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Seed {
    /// The projection: label of a target at point p is `projection · p`.
    pub projection: Matrix,
    /// For every part of the targets, the operand at which paths begin.
    pub operands: Vec<usize>,
    /// Whether targets are words on their own paths, with the same label: chains.
    pub chain: bool,
    /// Whether paths end at the first computed value that is not on the chain.
    pub shallow: bool,
}

/// The labels of all words that paths from some targets can meet.
#[derive(Clone, Debug)]
pub struct Trace {
    pub(super) seed: Seed,
    /// Nodes of the targets, by part.
    pub(super) nodes: Vec<usize>,
    /// Labels of targets, by part.
    pub(super) starts: Vec<Matrix>,
    /// Labels of words.
    pub(super) labels: BTreeMap<Source, Matrix>,
}

impl Trace {
    /// Finds labels; none if no path begins.
    pub fn new(graph: &Graph, targets: &Targets, seed: Seed) -> Result<Option<Trace>> {
        Trace::along(graph, targets, seed, None)
    }

    /// Finds labels that agree with those of another trace where it has any, so that a word has one label in both families.
    pub fn along(
        graph: &Graph,
        targets: &Targets,
        seed: Seed,
        other: Option<&Trace>,
    ) -> Result<Option<Trace>> {
        let components = seed.projection.rows().len();
        let mut starts = Vec::new();
        for part in &targets.parts {
            starts.push(seed.projection.product(&part.embedding)?);
        }
        let mut labels: BTreeMap<Source, Matrix> = match other {
            Some(other) => other.labels.clone(),
            None => BTreeMap::new(),
        };
        if seed.chain {
            for (part, start) in targets.parts.iter().zip(&starts) {
                labels.insert(Source::Node(part.node), start.clone());
            }
        }
        let mut open: BTreeMap<Source, System> = BTreeMap::new();
        let mut begun = false;
        for ((part, start), &operand) in targets.parts.iter().zip(&starts).zip(&seed.operands) {
            let mut steps = Vec::new();
            for (_, arrow) in graph.arrows_of(part.node) {
                if arrow.operand == operand {
                    steps.extend(arrow.pieces.iter().map(|piece| (arrow.source, piece)));
                }
            }
            begun |= offer(&labels, &mut open, steps, start, components)?;
        }
        if !begun {
            return Ok(None);
        }
        let mut waiting: Vec<usize> = Vec::new();
        loop {
            if let Some(node) = waiting.pop() {
                let Some(own) = labels.get(&Source::Node(node)).cloned() else {
                    continue;
                };
                let mut steps = Vec::new();
                for (_, arrow) in graph.arrows_of(node) {
                    if arrow.through.is_empty() {
                        steps.extend(arrow.pieces.iter().map(|piece| (arrow.source, piece)));
                    }
                }
                // A path that is back at words with labels need not be led to others.
                let mut closed = false;
                for (source, piece) in &steps {
                    if let (Source::Node(_), Some(there)) = (source, labels.get(source)) {
                        closed |= label::preserves(piece, &own, there)?;
                    }
                }
                steps.retain(|(source, _)| !closed || matches!(source, Source::Input(_)));
                offer(&labels, &mut open, steps, &own, components)?;
                continue;
            }
            let Some((source, mut system)) = open.pop_first() else {
                break;
            };
            if let Source::Node(node) = source {
                for (_, arrow) in graph.arrows_of(node) {
                    if arrow.source == source {
                        for piece in &arrow.pieces {
                            system.keep(piece)?;
                        }
                    }
                }
                if !seed.shallow {
                    waiting.push(node);
                }
            }
            labels.insert(source, system.solve()?);
        }
        let mut trace = Trace {
            seed,
            nodes: targets.parts.iter().map(|part| part.node).collect(),
            starts,
            labels,
        };
        trace.clear_denominators()?;
        Ok(Some(trace))
    }

    /// Multiplies all labels by one number so that they are integers.
    fn clear_denominators(&mut self) -> Result<()> {
        let all = self.starts.iter().chain(self.labels.values());
        let entries = all.flat_map(|label| label.rows().iter().flatten());
        let content = redblue_math::rational::content(entries);
        let factor = int(content.denom().clone());
        if factor == int(1) {
            return Ok(());
        }
        let scaled = |matrix: &Matrix| -> Result<Matrix> {
            let rows = matrix.rows().iter();
            let rows = rows.map(|row| row.iter().map(|entry: &Rational| entry * &factor).collect());
            Ok(Matrix::new(matrix.columns(), rows.collect())?)
        };
        self.seed.projection = scaled(&self.seed.projection)?;
        for label in self.starts.iter_mut().chain(self.labels.values_mut()) {
            *label = scaled(label)?;
        }
        Ok(())
    }

    /// The projection.
    pub fn projection(&self) -> &Matrix {
        &self.seed.projection
    }

    /// What it was looked for with.
    pub fn seed(&self) -> &Seed {
        &self.seed
    }
}

/// Adds the equations of steps that leave a node with a known label; those with the largest domains first.
fn offer(
    labels: &BTreeMap<Source, Matrix>,
    open: &mut BTreeMap<Source, System>,
    mut steps: Vec<(Source, &Piece)>,
    label: &Matrix,
    components: usize,
) -> Result<bool> {
    steps.sort_by_key(|(_, piece)| std::cmp::Reverse(piece.hull.columns()));
    let mut any = false;
    for (source, piece) in steps {
        if let Some(there) = labels.get(&source) {
            any |= label::preserves(piece, label, there)?;
            continue;
        }
        let unknowns = piece.step.rows().len();
        let system = match open.remove(&source) {
            Some(system) => system,
            None => System::new(unknowns, components)?,
        };
        let mut changed = system.clone();
        let accepted = changed.receive(piece, label)?;
        any |= accepted;
        if accepted {
            open.insert(source, changed);
        } else if !system.is_empty() {
            open.insert(source, system);
        }
    }
    Ok(any)
}
