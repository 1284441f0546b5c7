//! *addition*: groups of targets that use different words are added in one phase argument.
//!
//! The best plans of single nodes and of joint targets come first; then plans whose words are disjoint are
//! put together greedily, the most valuable first, as long as the sum is worth more than its parts.

use std::collections::BTreeMap;

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
pub(crate) fn find(search: &Search<'_>) -> Result<Vec<Proof>> {
    let mut found = among(search, search.graph, joint::candidates(search.graph)?)?;
    if let Some(graph) = search.absorbed {
        let mut candidates = joint::candidates(graph)?;
        candidates.retain(|targets| targets.parts.iter().any(|p| graph.has_private(p.node)));
        found.extend(among(search, graph, candidates)?);
    }
    Ok(found)
}

/// The proofs for some targets and their sums.
fn among(search: &Search<'_>, graph: &Graph, candidates: Vec<Targets>) -> Result<Vec<Proof>> {
    let points = search.points;
    let mut pool = Vec::new();
    for targets in candidates {
        if search.is_over() {
            break;
        }
        pool.extend(projections::plans(graph, &targets, points)?);
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
    for (at, _) in pool.iter().enumerate() {
        sums.push((values(graph, &pool, &[at], points)?, vec![at]));
    }
    let mut apart = Apart::of(&pool)?;
    for point in points.iter().take(MOST_SUMMED) {
        // Once with all plans, once with those that leave the starts of chains alone wherever there are such, and
        // once with those of them whose paths end early: fewer words are easier to keep apart.
        let all: Vec<usize> = (0..pool.len()).collect();
        let lean: Vec<usize> = all
            .iter()
            .copied()
            .filter(|at| !fuller.contains(at))
            .collect();
        let early = lean.iter().copied().filter(|&at| {
            let mut others = lean
                .iter()
                .filter(|&&other| pool[other].nodes() == pool[at].nodes());
            pool[at].ends_early() || !others.any(|&other| pool[other].ends_early())
        });
        let early: Vec<usize> = early.collect();
        for offered in [all, lean, early] {
            let best = greedy(graph, &pool, &mut apart, &offered, point)?;
            if best.len() > 1 && !sums.iter().any(|(_, known)| *known == best) {
                sums.push((values(graph, &pool, &best, points)?, best));
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
    let mut proofs = Vec::new();
    for set in kept.into_iter().take(MOST_CLAIMS) {
        let plans: Vec<&Plan> = set.iter().map(|&at| &pool[at]).collect();
        proofs.extend(plan::phases(graph, &plans)?.map(Proof::Phases));
    }
    Ok(proofs)
}

/// Which plans have no words in common, each question asked once.
struct Apart {
    words: Vec<Words>,
    known: BTreeMap<(usize, usize), bool>,
}

impl Apart {
    fn of(pool: &[Plan]) -> Result<Apart> {
        Ok(Apart {
            words: pool.iter().map(Plan::words).collect::<Result<_>>()?,
            known: BTreeMap::new(),
        })
    }

    fn are(&mut self, one: usize, other: usize) -> Result<bool> {
        let key = (one.min(other), one.max(other));
        if let Some(known) = self.known.get(&key) {
            return Ok(*known);
        }
        let apart = plan::disjoint(&self.words[one], &self.words[other])?;
        self.known.insert(key, apart);
        Ok(apart)
    }
}

fn terminals(graph: &Graph, pool: &[Plan], set: &[usize]) -> Result<Count> {
    plan::count_terminals(graph, set.iter().flat_map(|&at| &pool[at].families))
}

fn values(graph: &Graph, pool: &[Plan], set: &[usize], points: &[Point]) -> Result<Vec<Rational>> {
    let plans: Vec<&Plan> = set.iter().map(|&at| &pool[at]).collect();
    let terminals = terminals(graph, pool, set)?;
    points
        .iter()
        .map(|point| plan::value(&plans, &terminals, point))
        .collect()
}

/// The input words at a point, as a yardstick: the compulsory bound gives that much.
fn inputs(graph: &Graph, point: &Point) -> Result<Rational> {
    let mut sum = Rational::default();
    for input in &graph.inputs {
        sum += int(graph.count(&input.cells)?.evaluate(&point.sizes)?);
    }
    Ok(sum)
}

/// Some of the offered plans with disjoint words, the most valuable ones first.
fn greedy(
    graph: &Graph,
    pool: &[Plan],
    apart: &mut Apart,
    offered: &[usize],
    point: &Point,
) -> Result<Vec<usize>> {
    let mut order = Vec::new();
    for &at in offered {
        order.push((plan::value(&[&pool[at]], &pool[at].terminals, point)?, at));
    }
    order.sort_by(|one, other| other.0.cmp(&one.0).then(one.1.cmp(&other.1)));
    let mut chosen: Vec<usize> = Vec::new();
    let mut best = Rational::default();
    for (_, at) in order {
        let mut fits = true;
        for &other in &chosen {
            fits = fits && apart.are(at, other)?;
        }
        if !fits {
            continue;
        }
        let mut longer = chosen.clone();
        longer.push(at);
        let value = values(graph, pool, &longer, std::slice::from_ref(point))?.remove(0);
        if value > best {
            best = value;
            chosen = longer;
        }
    }
    Ok(chosen)
}
