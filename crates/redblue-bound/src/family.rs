//! Families of paths along which a label never changes (H-3, G-10), found from the kernel of the label.
//!
//! ```text
//! target ──operand──► word ──► word ──► … ──► input, or a terminal
//! ```
//!
//! [`Trace::new`] solves for the labels of all words that paths from the targets can meet. [`Trace::family`] then
//! collects the members, the steps and the terminals, with some words forbidden if asked (*cutting*): readers
//! whose only step leads to a forbidden word become terminals themselves, or are no targets any more. Forbidding the words of another family
//! costs terminals and makes the two families disjoint, which is often the better deal.

mod trace;

use std::collections::{BTreeMap, BTreeSet};

use redblue_cert::certificate::{self, IslText};
use redblue_math::{Matrix, Rational};
use redblue_poly::Set;

pub use self::trace::{Seed, Trace};
use crate::error::Result;
use crate::graph::{Graph, Source};
use crate::label;
use crate::targets::Targets;
use crate::write;

/// Words by what provides them.
pub type Words = BTreeMap<Source, Set>;

/// How often the members are cut down to those that a path can reach.
const ROUNDS: usize = 3;

/// A family of paths for some targets.
#[derive(Clone, Debug)]
pub struct Family {
    /// The labels it came from.
    pub trace: Trace,
    /// The words at which paths can leave a phase.
    pub words: Words,
    /// The words at which paths end although they are computed.
    pub terminals: BTreeMap<usize, Set>,
    /// Per part, targets that are terminals of their own paths.
    pub own: Vec<Set>,
    /// Per part, targets that have no path: they must not be counted.
    pub unserved: Vec<Set>,
    /// Private values of targets that paths lead over.
    pub private: Words,
    /// Words that paths avoid.
    forbidden: Words,
    /// The arrows that are stepped along.
    arrows: BTreeSet<usize>,
}

/// Words that paths can reach, those among them that end a path, by node, and arrows that are stepped along.
type Members = (Words, BTreeMap<usize, Set>, BTreeSet<usize>);

impl Trace {
    /// The family of some targets whose paths avoid the forbidden words.
    pub fn family(&self, graph: &Graph, targets: &Targets, forbidden: &Words) -> Result<Family> {
        let mut arrows = BTreeSet::new();
        let mut first: Words = BTreeMap::new();
        let mut unserved = Vec::new();
        let mut own: Vec<Set> = Vec::new();
        let mut private = Words::new();
        for ((part, start), &operand) in targets
            .parts
            .iter()
            .zip(&self.starts)
            .zip(&self.seed.operands)
        {
            let steps = self.steps(graph, part.node, start, Some(operand), forbidden)?;
            let mut open = part.set.clone();
            for step in &steps {
                let reach = step.relation.intersect_domain(&part.set)?;
                if !reach.is_empty()? {
                    arrows.insert(step.arrow);
                    open = open.subtract(&reach.domain()?)?;
                    unite(&mut first, step.source, reach.range()?)?;
                    for over in &graph.arrows[step.arrow].through {
                        let values = reach.domain()?.apply(&over.relation)?;
                        unite(&mut private, Source::Node(over.node), values)?;
                    }
                }
            }
            let open = open.coalesce()?;
            // A target without a step is a terminal of its own path, if it is a word with its label.
            let word = self.labels.get(&Source::Node(part.node));
            // Where only small sizes leave targets without a step, they are better given up.
            let matters = !open.intersect_params(&graph.large)?.is_empty()?;
            let terminal = matters && word.is_none_or(|label| label == start);
            let allowed = match forbidden.get(&Source::Node(part.node)) {
                Some(words) if terminal => open.subtract(words)?,
                None if terminal => open.clone(),
                _ => Set::empty(&open.space()?)?,
            };
            unserved.push(open.subtract(&allowed)?.coalesce()?);
            own.push(allowed);
        }
        let sizes = targets.sizes()?;
        let (mut words, mut terminals, also) = self.onwards(graph, &first, forbidden, &sizes)?;
        arrows.extend(also);
        for (part, set) in targets.parts.iter().zip(&own) {
            if !set.is_empty()? {
                unite(&mut words, Source::Node(part.node), set.clone())?;
                let all = match terminals.remove(&part.node) {
                    Some(known) => known.union(set)?.coalesce()?,
                    None => set.clone(),
                };
                terminals.insert(part.node, all);
            }
        }
        Ok(Family {
            trace: self.clone(),
            words,
            terminals,
            own,
            unserved,
            private,
            forbidden: forbidden.clone(),
            arrows,
        })
    }

    /// The words that paths can reach after their first step, those among them that end a path, and the arrows. Where a
    /// word has several ways on, the first operand that has one goes before the others; or the last, if that leaves fewer
    /// ends.
    fn onwards(
        &self,
        graph: &Graph,
        first: &Words,
        forbidden: &Words,
        sizes: &Set,
    ) -> Result<Members> {
        let mut choice = false;
        let some = self.members(graph, first, forbidden, sizes, (false, &mut choice))?;
        if !choice || some.1.is_empty() {
            return Ok(some);
        }
        let other = self.members(graph, first, forbidden, sizes, (true, &mut choice))?;
        for (node, ends) in &other.1 {
            match some.1.get(node) {
                Some(known) if ends.is_subset(known)? => {}
                _ => return Ok(some),
            }
        }
        Ok(other)
    }

    /// The same with one order of operands, and whether the other one could make a difference. At sizes without targets
    /// there are no words.
    fn members(
        &self,
        graph: &Graph,
        first: &Words,
        forbidden: &Words,
        sizes: &Set,
        (last, choice): (bool, &mut bool),
    ) -> Result<Members> {
        let mut onwards: BTreeMap<usize, Vec<Step>> = BTreeMap::new();
        let mut ends: BTreeMap<usize, Set> = BTreeMap::new();
        for (source, label) in &self.labels {
            let Source::Node(node) = *source else {
                continue;
            };
            let domain = &graph.nodes[node].domain;
            let mut open = domain.clone();
            let mut kept: Vec<Step> = Vec::new();
            // Words of the chain go on along the operand at which targets begin.
            let part = self.nodes.iter().position(|other| *other == node);
            let operand = part
                .filter(|_| self.seed.chain)
                .map(|part| self.seed.operands[part]);
            if !self.seed.shallow || operand.is_some() {
                let mut steps = self.steps(graph, node, label, operand, forbidden)?;
                if last {
                    steps.reverse();
                }
                for step in steps {
                    // Only targets have private values.
                    if !graph.arrows[step.arrow].through.is_empty() {
                        continue;
                    }
                    let served = step.relation.domain()?;
                    *choice |= !served.is_subset(&open)?;
                    if open.is_disjoint(&served)? {
                        continue;
                    }
                    open = open.subtract(&served)?;
                    kept.push(step);
                }
            }
            ends.insert(node, open.coalesce()?);
            onwards.insert(node, kept);
        }
        // Nodes that no path comes to are left out at once.
        let mut waiting: Vec<Source> = first.keys().copied().collect();
        let mut reached = BTreeSet::new();
        while let Some(source) = waiting.pop() {
            if let Source::Node(node) = source
                && reached.insert(node)
            {
                let steps = onwards.get(&node).into_iter().flatten();
                waiting.extend(steps.map(|step| step.source));
            }
        }
        onwards.retain(|node, _| reached.contains(node));
        // From all words with a label down to those that are reached: every round keeps what the next step needs.
        let mut words: Words = BTreeMap::new();
        for &node in onwards.keys() {
            let all = graph.nodes[node].domain.intersect_params(sizes)?;
            words.insert(Source::Node(node), all);
        }
        for _ in 0..ROUNDS {
            let mut next = first.clone();
            for (node, steps) in &onwards {
                let Some(here) = words.get(&Source::Node(*node)) else {
                    continue;
                };
                let going = here.subtract(&ends[node])?;
                for step in steps {
                    let reach = going.apply(&step.relation)?;
                    if !reach.is_empty()? {
                        unite(&mut next, step.source, reach)?;
                    }
                }
            }
            words = next;
        }
        let mut terminals = BTreeMap::new();
        let mut arrows = BTreeSet::new();
        for (node, steps) in &onwards {
            let Some(here) = words.get(&Source::Node(*node)) else {
                continue;
            };
            let ended = here.intersect(&ends[node])?.coalesce()?;
            if !ended.is_empty()? {
                terminals.insert(*node, ended);
            }
            arrows.extend(steps.iter().map(|step| step.arrow));
        }
        Ok((words, terminals, arrows))
    }

    /// The steps of a node that keep a label and avoid forbidden words.
    fn steps(
        &self,
        graph: &Graph,
        node: usize,
        label: &Matrix,
        operand: Option<usize>,
        forbidden: &Words,
    ) -> Result<Vec<Step>> {
        let mut steps = Vec::new();
        for (at, arrow) in graph.arrows_of(node) {
            let Some(there) = self.labels.get(&arrow.source) else {
                continue;
            };
            if operand.is_some_and(|operand| operand != arrow.operand) {
                continue;
            }
            let mut domain: Option<Set> = None;
            for piece in &arrow.pieces {
                if label::preserves(piece, label, there)? {
                    domain = Some(match domain {
                        Some(domain) => domain.union(&piece.domain)?,
                        None => piece.domain.clone(),
                    });
                }
            }
            let Some(domain) = domain else { continue };
            let mut relation = arrow.relation.intersect_domain(&domain)?;
            if let Some(words) = forbidden.get(&arrow.source) {
                relation = relation.subtract_range(words)?;
            }
            if !relation.is_empty()? {
                steps.push(Step {
                    arrow: at,
                    source: arrow.source,
                    relation: relation.coalesce()?,
                });
            }
        }
        Ok(steps)
    }
}

/// Part of an arrow along which labels stay.
struct Step {
    arrow: usize,
    source: Source,
    relation: redblue_poly::Map,
}

/// Adds words to those known of a source.
pub(crate) fn unite(words: &mut Words, source: Source, set: Set) -> Result<()> {
    let set = match words.remove(&source) {
        Some(known) => known.union(&set)?,
        None => set,
    };
    words.insert(source, set.coalesce()?);
    Ok(())
}

/// The private values of some targets in some families, with the points of the targets they belong to.
pub(crate) fn owners(
    graph: &Graph,
    targets: &Targets,
    families: &[Family],
) -> Result<Vec<IslText>> {
    let mut texts = BTreeSet::new();
    for family in families {
        for arrow in family.arrows.iter().map(|&at| &graph.arrows[at]) {
            for part in targets.parts.iter().filter(|p| p.node == arrow.reader) {
                for private in &arrow.through {
                    let owners = private.relation.reverse()?.apply_range(&part.map()?)?;
                    texts.insert(write::labelled(&graph.nodes[private.node], &owners)?);
                }
            }
        }
    }
    Ok(texts.into_iter().collect())
}

/// The words that two families both use.
pub fn common(one: &Words, other: &Words) -> Result<Words> {
    let mut found = BTreeMap::new();
    for (source, words) in one {
        if let Some(others) = other.get(source) {
            let both = words.intersect(others)?;
            if !both.is_empty()? {
                found.insert(*source, both.coalesce()?);
            }
        }
    }
    Ok(found)
}

impl Family {
    /// The kernel's label of the targets.
    pub fn projection(&self) -> &Matrix {
        self.trace.projection()
    }

    /// The same family for fewer targets.
    pub fn restricted(&self, graph: &Graph, targets: &Targets) -> Result<Family> {
        self.trace.family(graph, targets, &self.forbidden)
    }

    /// The certificate's form.
    pub fn write(&self, graph: &Graph, weight: &Rational) -> Result<Option<certificate::Family>> {
        let Some(projection) = write::rows(self.projection()) else {
            return Ok(None);
        };
        let (mut members, mut inputs, mut terminals) = (Vec::new(), Vec::new(), Vec::new());
        for (source, words) in &self.words {
            let label = match (source, self.trace.labels.get(source)) {
                (_, Some(label)) => label,
                (Source::Node(node), None) => match self.own_label(*node) {
                    Some(label) => label,
                    None => continue,
                },
                _ => continue,
            };
            let map = label::to_map(label, &words.space()?)?.intersect_domain(words)?;
            match source {
                Source::Node(node) => members.push(write::labelled(&graph.nodes[*node], &map)?),
                Source::Input(input) => inputs.push(write::cells(&graph.inputs[*input], &map)?),
            }
        }
        for (node, set) in &self.terminals {
            terminals.push(write::instances(&graph.nodes[*node], set)?);
        }
        let edges = self.arrows.iter().flat_map(|&at| {
            let arrow = &graph.arrows[at];
            let over = arrow.through.iter().map(|private| &private.edge);
            over.chain([&arrow.edge]).cloned()
        });
        Ok(Some(certificate::Family {
            projection,
            weight: weight.to_string(),
            members,
            inputs,
            edges: edges.collect(),
            terminals,
        }))
    }

    /// The label of targets that are words only as terminals of their own paths.
    fn own_label(&self, node: usize) -> Option<&Matrix> {
        let part = self.trace.nodes.iter().position(|other| *other == node)?;
        self.trace.starts.get(part)
    }
}
