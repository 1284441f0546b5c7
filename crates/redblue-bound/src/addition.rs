//! *addition*: groups of targets that use different words are added in one phase argument.
//!
//! The best plans of single nodes and of joint targets come first; then plans whose words are disjoint are
//! put together greedily, the most valuable first, as long as the sum is worth more than its parts.

use std::collections::BTreeMap;
use std::slice::from_ref;

use redblue_cert::Proof;
use redblue_math::Rational;
use redblue_math::rational::int;
use redblue_poly::Count;

use crate::analysis::Search;
use crate::error::Result;
use crate::family::Words;
use crate::graph::Graph;
use crate::joint;
use crate::plan::{self, Plan};
use crate::projections;
use crate::reference::Point;
use crate::targets::Targets;

/// Most claims of this method.
const MOST_CLAIMS: usize = 8;

/// Most points at which sums are put together.
const MOST_SUMMED: usize = 6;

/// Finds plans and their sums.
pub(crate) fn find(search: &Search<'_>) -> Result<()> {
    among(search, search.graph, joint::candidates(search.graph)?)?;
    if let Some(graph) = search.absorbed.filter(|_| !search.is_over()) {
        let mut candidates = joint::candidates(graph)?;
        candidates.retain(|targets| targets.parts.iter().any(|p| graph.has_private(p.node)));
        among(search, graph, candidates)?;
    }
    Ok(())
}

/// The proofs for some targets and their sums.
fn among(search: &Search<'_>, graph: &Graph, candidates: Vec<Targets>) -> Result<()> {
    let points = search.points;
    let mut pool = Vec::new();
    for targets in candidates {
        if search.is_over() {
            break;
        }
        let plans = projections::plans(search, graph, &targets)?;
        search.meanwhile(|| alone(graph, plans.iter()))?;
        pool.extend(plans);
    }
    if search.model.recompute {
        pool.retain(Plan::is_free_of_terminals);
    }
    let mut fuller = Vec::new();
    for at in 0..pool.len() {
        if let Some(lean) = pool[at].without_starts(graph)? {
            fuller.push(at);
            pool.push(lean);
        }
    }
    let mut sums: Vec<(Vec<Rational>, Vec<usize>)> = Vec::new();
    let mut pool = Pool::of(graph, pool)?;
    for at in 0..pool.plans.len() {
        sums.push((pool.values(&[at], points)?, vec![at]));
    }
    for point in points.iter().take(MOST_SUMMED) {
        // Once with all plans, once with those that leave the starts of chains alone wherever there are such, and
        // once with those of them whose paths end early: fewer words are easier to keep apart.
        let all: Vec<usize> = (0..pool.plans.len()).collect();
        let lean: Vec<usize> = all
            .iter()
            .copied()
            .filter(|at| !fuller.contains(at))
            .collect();
        let early = lean.iter().copied().filter(|&at| {
            let mut others = lean
                .iter()
                .filter(|&&other| pool.plans[other].nodes() == pool.plans[at].nodes());
            pool.plans[at].ends_early() || !others.any(|&other| pool.plans[other].ends_early())
        });
        let early: Vec<usize> = early.collect();
        for offered in [all, lean, early] {
            let best = pool.greedy(&offered, point)?;
            if best.len() > 1 && !sums.iter().any(|(_, known)| *known == best) {
                sums.push((pool.values(&best, points)?, best));
            }
        }
    }
    let mut kept: Vec<&Vec<usize>> = Vec::new();
    for (at, point) in points.iter().enumerate() {
        let compulsory = inputs(graph, point)?;
        let best = sums.iter().filter(|(values, _)| values[at] > compulsory);
        let best = best.max_by(|one, other| one.0[at].cmp(&other.0[at]));
        if let Some((_, set)) = best.filter(|(_, set)| !kept.contains(&set)) {
            kept.push(set);
        }
    }
    for set in kept.into_iter().take(MOST_CLAIMS) {
        let plans: Vec<&Plan> = set.iter().map(|&at| &pool.plans[at]).collect();
        search.propose(plan::phases(graph, &plans)?.map(Proof::Phases));
    }
    Ok(())
}

/// The proofs of plans that are not added to others.
fn alone<'p>(graph: &Graph, plans: impl Iterator<Item = &'p Plan>) -> Result<Vec<Proof>> {
    let mut proofs = Vec::new();
    for plan in plans {
        proofs.extend(plan::phases(graph, &[plan])?.map(Proof::Phases));
    }
    Ok(proofs)
}

/// The plans, with what is asked about them again and again.
struct Pool<'g> {
    graph: &'g Graph,
    plans: Vec<Plan>,
    words: Vec<Words>,
    /// Which plans have no words in common.
    apart: BTreeMap<(usize, usize), bool>,
    /// Terminals of sets of plans.
    terminals: BTreeMap<Vec<usize>, Vec<Count>>,
}

impl Pool<'_> {
    fn of(graph: &Graph, plans: Vec<Plan>) -> Result<Pool<'_>> {
        Ok(Pool {
            graph,
            words: plans.iter().map(Plan::words).collect::<Result<_>>()?,
            plans,
            apart: BTreeMap::new(),
            terminals: BTreeMap::new(),
        })
    }

    fn are_apart(&mut self, one: usize, other: usize) -> Result<bool> {
        let key = (one.min(other), one.max(other));
        if let Some(known) = self.apart.get(&key) {
            return Ok(*known);
        }
        let apart = plan::disjoint(&self.words[one], &self.words[other])?;
        self.apart.insert(key, apart);
        Ok(apart)
    }

    /// What a sum of plans is worth at some points.
    fn values(&mut self, set: &[usize], points: &[Point]) -> Result<Vec<Rational>> {
        let plans: Vec<&Plan> = set.iter().map(|&at| &self.plans[at]).collect();
        if !self.terminals.contains_key(set) {
            let families = plans.iter().flat_map(|plan| &plan.families);
            let counts = plan::terminal_counts(self.graph, families)?;
            self.terminals.insert(set.to_vec(), counts);
        }
        let terminals = &self.terminals[set];
        let values = points.iter();
        values
            .map(|point| plan::value(&plans, terminals, point))
            .collect()
    }

    /// Some of the offered plans with disjoint words, the most valuable ones first.
    fn greedy(&mut self, offered: &[usize], point: &Point) -> Result<Vec<usize>> {
        let mut order = Vec::new();
        for &at in offered {
            let plan = &self.plans[at];
            let value = plan::value(&[plan], from_ref(&plan.terminals), point)?;
            order.push((value, at));
        }
        order.sort_by(|one, other| other.0.cmp(&one.0).then(one.1.cmp(&other.1)));
        let mut chosen: Vec<usize> = Vec::new();
        let mut best = Rational::default();
        for (_, at) in order {
            let mut fits = true;
            for &other in &chosen {
                fits = fits && self.are_apart(at, other)?;
            }
            if !fits {
                continue;
            }
            let mut longer = chosen.clone();
            longer.push(at);
            let value = self.values(&longer, from_ref(point))?.remove(0);
            if value > best {
                best = value;
                chosen = longer;
            }
        }
        Ok(chosen)
    }
}

/// The input words at a point, as a yardstick: the compulsory bound gives that much.
fn inputs(graph: &Graph, point: &Point) -> Result<Rational> {
    let mut sum = Rational::default();
    for input in &graph.inputs {
        sum += int(graph.count(&input.cells)?.evaluate(&point.sizes)?);
    }
    Ok(sum)
}
