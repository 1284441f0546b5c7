//! *projections*: few words, few labels, few operations (G-6, G-10, G-12).
//!
//! # Statement
//! If every target needs, for each of several linear labels, a word that determines the label, then a phase with K words
//! computes at most `U(K) = Π L^ζ · (K/σ)^σ · Π (s_j/w_j)^{s_j}` targets, and `loads ≥ T·(V/U(S+T) − 1) + S − |Z|`.
//!
//! # Assumptions
//! None on the program. Labels are constant along paths of dependences that end at inputs, or at *terminals* Z:
//! computed values that are counted when they are computed, once each, so such a bound excludes recomputation.
//! A temporary that one target alone reads (`t = a·b; c += t`) is stepped over as a *private value*: then
//! `max(K, U(K))` takes the place of U(K), which is the same from a few words on.
//!
//! # Certificate
//! Targets with their points, families with labels, members, edges and terminals, exponents over the lattice of kernels, weights, phase lengths.
//!
//! # Fails when
//! Labels of different families have too much of their kernels in common (σ ≤ 1: streaming, where the compulsory
//! bound is the right one), or paths end in too many terminals.
//!
//! # Example
//! gemm: chain (i, j), A (i, k), B (k, j), s = 1/2 each, T = 2S: `2·NI·NJ·NK/√S − S`.
//!
//! # References
//! Hong and Kung 1981; Ballard, Demmel, Holtz, Schwartz 2011; Christ, Demmel, Knight, Scanlon, Yelick 2013; Olivry et al. 2020.

use std::cell::RefCell;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::slice::from_ref;

use num_bigint::BigInt;
use redblue_math::rational::int;
use redblue_math::{Matrix, Rational, Subspace};
use redblue_poly::Set;

use crate::analysis;
use crate::error::Result;
use crate::exponents::{self, Regime};
use crate::family::{Family, Trace, Words, common, unite};
use crate::graph::Graph;
use crate::plan::{self, Plan, Span};
use crate::reference::Point;
use crate::seeds;
use crate::targets::Targets;

/// Most kernels that are combined.
const MOST_KERNELS: usize = 5;
/// Up to this many kernels all combinations are looked at.
const FEW_KERNELS: usize = 4;
/// Most combinations of kernels for which plans are made.
const MOST_PLANNED: usize = 6;
/// Most coordinates that are offered as short ones at once.
const MOST_TOGETHER: usize = 7;

/// A loss of more than one in this many targets is not worth a family.
const LOSS: u32 = 16;

/// The plans for some targets, best first at the first point.
pub fn plans(
    analysis: &analysis::Search<'_>,
    graph: &Graph,
    targets: &Targets,
) -> Result<Vec<Plan>> {
    let points = analysis.points;
    let Some(search) = Search::new(graph, targets, points)? else {
        return Ok(Vec::new());
    };
    let (mut deep, mut shallow) = (Vec::new(), Vec::new());
    for subset in search.subsets()? {
        if analysis.is_over() {
            break;
        }
        for families in search.choices(&subset) {
            for cutting in [true, false] {
                for plan in search.plans(&families, cutting)? {
                    if plan.ends_early() {
                        &mut shallow
                    } else {
                        &mut deep
                    }
                    .push(plan);
                }
            }
        }
    }
    // Sums of plans need both: deep ones have fewer terminals, shallow ones fewer words; of equals, the fewest.
    shallow.sort_by_key(|plan| Reverse(plan.early_families()));
    let mut plans = select(deep, points)?;
    plans.extend(select(shallow, points)?);
    Ok(plans)
}

/// Keeps plans that are best at some point, in the order of the first one.
pub(crate) fn select(plans: Vec<Plan>, points: &[Point]) -> Result<Vec<Plan>> {
    let mut values: Vec<Vec<Rational>> = Vec::new();
    for plan in &plans {
        let mut row = Vec::new();
        for point in points {
            row.push(plan::value(&[plan], from_ref(&plan.terminals), point)?);
        }
        values.push(row);
    }
    let mut kept: Vec<usize> = Vec::new();
    for at in 0..points.len() {
        let here = values.iter().map(|row| &row[at]).enumerate();
        let worth = here.filter(|(_, value)| **value > int(0));
        let best = worth.max_by(|(a, one), (b, other)| one.cmp(other).then(b.cmp(a)));
        if let Some((best, _)) = best.filter(|(best, _)| !kept.contains(best)) {
            kept.push(best);
        }
    }
    Ok(kept.into_iter().map(|at| plans[at].clone()).collect())
}

/// A regime and the coordinates its extents are about.
type Offer = (Regime, Vec<Span>);

/// What is known about some targets.
struct Search<'g> {
    graph: &'g Graph,
    targets: Targets,
    point: &'g Point,
    volume: BigInt,
    /// Families by kernel, then by the operands at which they begin.
    kernels: Vec<(Subspace, Vec<Vec<Family>>)>,
    spans: Vec<Span>,
    /// Regimes that were found before, by kernels.
    regimes: RefCell<BTreeMap<Vec<Subspace>, Vec<Offer>>>,
}

impl<'g> Search<'g> {
    fn new(graph: &'g Graph, targets: &Targets, points: &'g [Point]) -> Result<Option<Search<'g>>> {
        let Some(point) = points.first() else {
            return Ok(None);
        };
        if seeds::common_kernels(graph, targets)? < 2 {
            return Ok(None);
        }
        let volume = targets.count(graph)?.evaluate(&point.sizes)?;
        let mut search = Search {
            graph,
            point,
            volume,
            kernels: Vec::new(),
            spans: plan::spans(graph, targets)?,
            regimes: RefCell::default(),
            targets: targets.clone(),
        };
        for seed in seeds::seeds(graph, targets)? {
            let Some(trace) = Trace::new(graph, targets, seed)? else {
                continue;
            };
            let family = trace.family(graph, targets, &Words::new())?;
            if search.affordable(&family)? {
                search.add(family)?;
            }
        }
        Ok((!search.kernels.is_empty()).then_some(search))
    }

    /// Whether a family loses few enough targets and terminals.
    fn affordable(&self, family: &Family) -> Result<bool> {
        Ok(self.cost(family)? * LOSS < self.volume)
    }

    /// Terminals and lost targets at the reference point.
    fn cost(&self, family: &Family) -> Result<BigInt> {
        self.size(family.unserved.iter().chain(family.terminals.values()))
    }

    /// The size of sets at the reference point.
    fn size<'s>(&self, sets: impl IntoIterator<Item = &'s Set>) -> Result<BigInt> {
        let mut sum = BigInt::default();
        for set in sets {
            if !set.intersect_params(&self.graph.large)?.is_empty()? {
                sum += self.graph.count(set)?.evaluate(&self.point.sizes)?;
            }
        }
        Ok(sum)
    }

    fn add(&mut self, family: Family) -> Result<()> {
        let kernel = Subspace::kernel(family.projection());
        let at = match self.kernels.iter().position(|(known, _)| *known == kernel) {
            Some(at) => at,
            None => {
                self.kernels.push((kernel, Vec::new()));
                self.kernels.len() - 1
            }
        };
        let groups = &mut self.kernels[at].1;
        let operands = &family.trace.seed().operands;
        for other in groups.iter().flatten() {
            // A second family with the same label helps only by words of its own.
            let alternative = other.trace.seed().operands == *operands;
            if same_words(&other.words, &family.words)?
                || !alternative && !common(&other.words, &family.words)?.is_empty()
            {
                return Ok(());
            }
        }
        match groups
            .iter_mut()
            .find(|group| group[0].trace.seed().operands == *operands)
        {
            Some(group) => group.push(family),
            None => groups.push(vec![family]),
        }
        Ok(())
    }

    /// Sets of kernels with the least σ, larger ones first.
    fn subsets(&self) -> Result<Vec<Vec<usize>>> {
        let count = self.kernels.len();
        let projections: Vec<&Matrix> = self
            .kernels
            .iter()
            .map(|(_, groups)| groups[0][0].projection())
            .collect();
        let mut found: Vec<(Rational, Vec<usize>)> = Vec::new();
        for size in 1..=MOST_KERNELS.min(count) {
            for subset in combinations(count, size) {
                // With many kernels the lattice they generate is kept small: independent ones generate 2^size.
                if count > FEW_KERNELS && !self.independent(&subset)? {
                    continue;
                }
                let used: Vec<&Matrix> = subset.iter().map(|&at| projections[at]).collect();
                for regime in exponents::regimes(self.targets.dimension, &used, &[])? {
                    let part = |(sigma, other): &(Rational, Vec<usize>)| {
                        *sigma <= regime.sigma && other.iter().all(|at| subset.contains(at))
                    };
                    // Among few kernels, larger sets are worth a try: their optimal face may be larger.
                    let repeats = count > FEW_KERNELS && found.iter().any(part);
                    if regime.sigma > int(1) && !repeats {
                        found.push((regime.sigma, subset.clone()));
                    }
                }
                if found
                    .iter()
                    .filter(|(_, other)| other.len() == size)
                    .count()
                    >= MOST_PLANNED
                {
                    break;
                }
            }
        }
        found.sort_by(|one, other| (&one.0, other.1.len()).cmp(&(&other.0, one.1.len())));
        found.dedup_by(|one, other| one.1 == other.1);
        found.truncate(MOST_PLANNED);
        Ok(found.into_iter().map(|(_, subset)| subset).collect())
    }

    /// Whether some kernels are linearly independent.
    fn independent(&self, subset: &[usize]) -> Result<bool> {
        let mut sum = Subspace::span(self.targets.dimension, Vec::new())?;
        let mut ranks = 0;
        for &at in subset {
            sum = sum.sum(&self.kernels[at].0)?;
            ranks += self.kernels[at].0.rank();
        }
        Ok(sum.rank() == ranks)
    }

    /// Ways to take families for a set of kernels.
    fn choices(&self, subset: &[usize]) -> Vec<Vec<Family>> {
        let mut choices: Vec<Vec<Family>> = Vec::new();
        for shallow in [false, true] {
            for all in [true, false] {
                let mut families = Vec::new();
                for &at in subset {
                    let groups = &self.kernels[at].1;
                    let used = if all { groups.len() } else { 1 };
                    for group in &groups[..used] {
                        let fits = |family: &&Family| family.trace.seed().shallow == shallow;
                        families.extend(group.iter().find(fits).or(group.first()).cloned());
                    }
                }
                let known = |other: &Vec<Family>| {
                    let seeds = |list: &[Family]| -> Vec<_> {
                        list.iter()
                            .map(|family| family.trace.seed().clone())
                            .collect()
                    };
                    seeds(other) == seeds(&families)
                };
                if !choices.iter().any(known) {
                    choices.push(families);
                }
            }
        }
        choices
    }

    /// The plans for some families, with common words cut away where that costs little.
    fn plans(&self, families: &[Family], cutting: bool) -> Result<Vec<Plan>> {
        let mut forbidden = vec![Words::new(); families.len()];
        let mut families = families.to_vec();
        if cutting && !self.cut(&mut families, &mut forbidden)? {
            return Ok(Vec::new());
        }
        // Targets that some family cannot serve are given up, which may free words.
        let mut removed: Vec<Set> = Vec::new();
        for (at, part) in self.targets.parts.iter().enumerate() {
            let mut lost = Set::empty(&part.set.space()?)?;
            for family in &families {
                lost = lost.union(&family.unserved[at])?;
            }
            removed.push(lost.coalesce()?);
        }
        let targets = self.targets.without(&removed)?;
        if targets.is_empty()? {
            return Ok(Vec::new());
        }
        for (family, forbidden) in families.iter_mut().zip(&forbidden) {
            *family = family.trace.family(self.graph, &targets, forbidden)?;
        }
        let volume = targets.count(self.graph)?;
        let terminals = plan::count_terminals(self.graph, &families)?;
        let mut plans = Vec::new();
        let class = plan::classes(&families)?;
        for (regime, spans) in self.regimes(&families)? {
            let counts = (&volume, &terminals);
            plans.extend(Plan::new(
                &targets,
                &families,
                &class,
                (&regime, &spans),
                counts,
            )?);
        }
        Ok(plans)
    }

    /// Regimes without and with short coordinates; pairs of them if all together are too many.
    fn regimes(&self, families: &[Family]) -> Result<Vec<Offer>> {
        let key: Vec<Subspace> = families
            .iter()
            .map(|family| Subspace::kernel(family.projection()))
            .collect();
        if let Some(known) = self.regimes.borrow().get(&key) {
            return Ok(known.clone());
        }
        let found = self.find_regimes(families)?;
        self.regimes.borrow_mut().insert(key, found.clone());
        Ok(found)
    }

    fn find_regimes(&self, families: &[Family]) -> Result<Vec<Offer>> {
        let projections: Vec<&Matrix> = families.iter().map(Family::projection).collect();
        let dimension = self.targets.dimension;
        let mut found = Vec::new();
        for regime in exponents::regimes(dimension, &projections, &[])? {
            found.push((regime, Vec::new()));
        }
        let count = self.spans.len();
        let mut offers = vec![(0..count).collect::<Vec<usize>>()];
        if count > MOST_TOGETHER {
            offers = combinations(count, 2);
        }
        if families.iter().all(|family| family.trace.seed().chain) {
            // Stencils: all directions lead through time, and no coordinate is short by itself.
            offers.clear();
        }
        for offer in offers {
            let spans: Vec<Span> = offer.iter().map(|&at| self.spans[at].clone()).collect();
            let mut rows = Vec::new();
            for span in &spans {
                let row = span.row.iter().map(|&entry| int(entry)).collect();
                rows.push(Matrix::new(dimension, vec![row])?);
            }
            for regime in exponents::regimes(dimension, &projections, &rows)? {
                let seen = |(other, list): &Offer| {
                    other.sigma == regime.sigma && *list == spans && other.extents == regime.extents
                };
                if regime.extents.iter().any(|zeta| *zeta > int(0)) && !found.iter().any(seen) {
                    found.push((regime, spans.clone()));
                }
            }
        }
        found.retain(|(regime, _)| regime.sigma > int(1));
        Ok(found)
    }

    /// Whether there are few words compared to targets.
    fn few(&self, words: &Words) -> Result<bool> {
        Ok(self.size(words.values())? * LOSS < self.volume)
    }

    /// Makes families disjoint where forbidding one of them the common words is cheap; says whether anything changed.
    fn cut(&self, families: &mut [Family], forbidden: &mut [Words]) -> Result<bool> {
        let mut changed = false;
        for one in 0..families.len() {
            for other in 0..families.len() {
                if one == other {
                    continue;
                }
                let shared = common(&families[one].words, &families[other].words)?;
                if shared.is_empty() || !self.few(&shared)? {
                    continue;
                }
                let mut best: Option<(BigInt, usize, Family, Words)> = None;
                for at in [one, other] {
                    let mut words = forbidden[at].clone();
                    for (source, set) in &shared {
                        unite(&mut words, *source, set.clone())?;
                    }
                    let family = families[at]
                        .trace
                        .family(self.graph, &self.targets, &words)?;
                    let cost = self.cost(&family)?;
                    let cheaper = best.as_ref().is_none_or(|(least, ..)| cost < *least);
                    if cheaper && &cost * LOSS < self.volume {
                        best = Some((cost, at, family, words));
                    }
                }
                if let Some((_, at, family, words)) = best {
                    families[at] = family;
                    forbidden[at] = words;
                    changed = true;
                }
            }
        }
        Ok(changed)
    }
}

fn same_words(one: &Words, other: &Words) -> Result<bool> {
    if !one.keys().eq(other.keys()) {
        return Ok(false);
    }
    for (a, b) in one.values().zip(other.values()) {
        if !a.is_equal(b)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// All sets of `size` numbers below `count`, in lexicographic order.
fn combinations(count: usize, size: usize) -> Vec<Vec<usize>> {
    let mut found = vec![Vec::new()];
    for _ in 0..size {
        let longer = found.iter().flat_map(|set: &Vec<usize>| {
            let from = set.last().map_or(0, |last| last + 1);
            (from..count).map(move |next| {
                let mut set = set.clone();
                set.push(next);
                set
            })
        });
        found = longer.collect();
    }
    found
}
