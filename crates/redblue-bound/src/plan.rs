//! A phase argument in the making: targets, families, exponents and weights, with a value to compare it by.
//!
//! ```text
//! U(K) = Π L^ζ · (K/σ)^σ · Π (s_j/w_j)^{s_j}        x = Σ_groups V/U(S + T)
//! loads ≥ T·(x − 1) + S − |Z|                        T = S/(σ − 1)
//! ```
//!
//! Families that share words share weight: with w_j = s_j/Σs over all that share, the factor is least (G-12).

use std::collections::BTreeMap;

use num_bigint::BigInt;
use redblue_cert::certificate::{Capacity, Extent, Group, Phases};
use redblue_math::rational::{ceil, floor, int};
use redblue_math::{Expr, Interval, Rational};
use redblue_poly::{Count, Set};

use crate::error::Result;
use crate::exponents::Regime;
use crate::family::{self, Family, Words, common, unite};
use crate::graph::Graph;
use crate::reference::Point;
use crate::targets::Targets;

/// Bits of the roots in comparisons.
const BITS: u32 = 40;

/// Targets with their families and a choice of exponents.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The targets.
    pub targets: Targets,
    /// The families that have a positive exponent.
    pub families: Vec<Family>,
    /// s_j.
    pub exponents: Vec<Rational>,
    /// w_j.
    pub weights: Vec<Rational>,
    /// Short coordinates with ζ.
    pub extents: Vec<(Span, Rational)>,
    /// σ.
    pub sigma: Rational,
    /// The number of targets.
    pub volume: Count,
    /// The number of terminals.
    pub terminals: Count,
}

/// A coordinate of the common space and the range of its values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    /// The linear form.
    pub row: Vec<i64>,
    /// The least value.
    pub lower: Expr,
    /// The greatest value.
    pub upper: Expr,
}

/// Which families use common words, as a partition: families of one class share.
pub fn classes(families: &[Family]) -> Result<Vec<usize>> {
    let mut class: Vec<usize> = (0..families.len()).collect();
    for one in 0..families.len() {
        for other in 0..one {
            if class[one] != class[other]
                && !common(&families[one].words, &families[other].words)?.is_empty()
            {
                let (from, to) = (class[one], class[other]);
                for entry in class.iter_mut().filter(|entry| **entry == from) {
                    *entry = to;
                }
            }
        }
    }
    Ok(class)
}

impl Plan {
    /// The best plan of a regime for some families, `class` says which of them share words.
    pub fn new(
        targets: &Targets,
        families: &[Family],
        class: &[usize],
        (regime, spans): (&Regime, &[Span]),
        (volume, terminals): (&Count, &Count),
    ) -> Result<Option<Plan>> {
        let mut best: Option<(Interval, Plan)> = None;
        for choice in &regime.choices {
            if regime.sigma <= int(1) || choice.iter().any(|s| *s > int(1)) {
                continue;
            }
            let total = |at: usize| -> Rational {
                let same = choice.iter().zip(class).filter(|(_, c)| **c == class[at]);
                same.map(|(s, _)| s).sum()
            };
            let used: Vec<usize> = (0..families.len())
                .filter(|&at| choice[at] > int(0))
                .collect();
            let plan = Plan {
                targets: targets.clone(),
                families: used.iter().map(|&at| families[at].clone()).collect(),
                exponents: used.iter().map(|&at| choice[at].clone()).collect(),
                weights: used.iter().map(|&at| &choice[at] / total(at)).collect(),
                extents: spans
                    .iter()
                    .cloned()
                    .zip(regime.extents.iter().cloned())
                    .filter(|(_, zeta)| *zeta > int(0))
                    .collect(),
                sigma: regime.sigma.clone(),
                volume: volume.clone(),
                terminals: terminals.clone(),
            };
            let factor = plan.factor()?;
            if best
                .as_ref()
                .is_none_or(|(least, _)| factor.upper() < least.lower())
            {
                best = Some((factor, plan));
            }
        }
        Ok(best.map(|(_, plan)| plan))
    }

    /// The same without targets that are terminals of their own paths: a little less, but the first words of chains
    /// are then no words of this plan, unless something else reads them.
    pub fn without_starts(&self, graph: &Graph) -> Result<Option<Plan>> {
        let mut removed = Vec::new();
        for (at, part) in self.targets.parts.iter().enumerate() {
            let mut starts = Set::empty(&part.set.space()?)?;
            for family in &self.families {
                starts = starts.union(&family.own[at])?;
            }
            removed.push(starts.coalesce()?);
        }
        let targets = self.targets.without(&removed)?;
        let mut same = true;
        for starts in &removed {
            same &= starts.is_empty()?;
        }
        if same || targets.is_empty()? {
            return Ok(None);
        }
        let mut families = Vec::new();
        for family in &self.families {
            families.push(family.restricted(graph, &targets)?);
        }
        Ok(Some(Plan {
            volume: targets.count(graph)?,
            terminals: count_terminals(graph, &families)?,
            targets,
            families,
            ..self.clone()
        }))
    }

    /// The nodes of its targets.
    pub fn nodes(&self) -> Vec<usize> {
        self.targets.parts.iter().map(|part| part.node).collect()
    }

    /// Whether some of its paths end at the first computed value.
    pub fn ends_early(&self) -> bool {
        self.early_families() > 0
    }

    /// How many of its families end at the first computed value.
    pub fn early_families(&self) -> usize {
        let early = |family: &&Family| family.trace.seed().shallow;
        self.families.iter().filter(early).count()
    }

    /// Whether it counts no computations as events, so that recomputation does not matter.
    pub fn is_free_of_terminals(&self) -> bool {
        self.families
            .iter()
            .all(|family| family.terminals.is_empty())
    }

    /// `σ^{-σ} Π (s_j/w_j)^{s_j}`.
    fn factor(&self) -> Result<Interval> {
        let mut factor = Interval::point(self.sigma.clone()).pow(&-&self.sigma, BITS)?;
        for (s, w) in self.exponents.iter().zip(&self.weights) {
            let power = Interval::point(s / w).pow(s, BITS)?;
            factor = factor * power;
        }
        Ok(factor)
    }

    /// V/U(S + T) at a point, rounded down.
    fn load(&self, point: &Point, length: &BigInt) -> Result<Rational> {
        let words = Interval::point(int(&point.fast + length));
        let mut capacity = self.factor()? * words.pow(&self.sigma, BITS)?;
        for (span, zeta) in &self.extents {
            let length = &span.upper - &span.lower + Expr::one();
            let values = length.eval(&point.assignment(), BITS)?;
            capacity = capacity * values.max(Interval::point(int(1))).pow(zeta, BITS)?;
        }
        let volume = self.volume.evaluate(&point.sizes)?;
        let private = self.families.iter().any(|f| !f.private.is_empty());
        let capacity = match capacity.upper() {
            // With private values, every word may be worth one target.
            upper if private => upper.clone().max(int(&point.fast + length)),
            upper => upper.clone(),
        };
        Ok(int(volume) / capacity)
    }

    /// Multiples of S at which phases are cut.
    pub fn multiples(&self) -> Vec<BigInt> {
        let best = (&self.sigma - int(1)).recip();
        let mut multiples = vec![floor(&best), ceil(&best)];
        multiples.retain(|multiple| *multiple >= 1.into());
        multiples.dedup();
        multiples
    }

    /// The certificate's group.
    pub fn group(&self, graph: &Graph) -> Result<Option<Group>> {
        let mut families = Vec::new();
        for (family, weight) in self.families.iter().zip(&self.weights) {
            match family.write(graph, weight)? {
                Some(family) => families.push(family),
                None => return Ok(None),
            }
        }
        let extents = self.extents.iter().map(|(span, zeta)| Extent {
            row: span.row.clone(),
            lower: span.lower.to_string(),
            upper: span.upper.to_string(),
            exponent: zeta.to_string(),
        });
        Ok(Some(Group {
            targets: self.targets.texts(graph)?,
            private: family::owners(graph, &self.targets, &self.families)?,
            families,
            capacity: Capacity::BrascampLieb {
                exponents: self.exponents.iter().map(Rational::to_string).collect(),
                extents: extents.collect(),
            },
        }))
    }

    /// All words its families use.
    pub fn words(&self) -> Result<Words> {
        let mut all = Words::new();
        for family in &self.families {
            for (source, words) in family.words.iter().chain(&family.private) {
                unite(&mut all, *source, words.clone())?;
            }
        }
        Ok(all)
    }
}

/// The value of a sum of plans at a point: the bound on loads.
pub fn value(plans: &[&Plan], terminals: &[Count], point: &Point) -> Result<Rational> {
    let mut best: Option<Rational> = None;
    let mut lost = int(0);
    for count in terminals {
        lost += int(count.evaluate(&point.sizes)?);
    }
    let fast = int(point.fast.clone());
    for multiple in plans.iter().flat_map(|plan| plan.multiples()) {
        let length = &multiple * &point.fast;
        let mut excess = int(-1);
        for plan in plans {
            excess += plan.load(point, &length)?;
        }
        let bound = int(length) * &excess + &fast - &lost;
        if best.as_ref().is_none_or(|best| bound > *best) {
            best = Some(bound);
        }
    }
    Ok(best.unwrap_or_else(|| int(0)))
}

/// The proof of a sum of plans.
pub fn phases(graph: &Graph, plans: &[&Plan]) -> Result<Option<Phases>> {
    let mut groups = Vec::new();
    let mut multiples = Vec::new();
    for plan in plans {
        match plan.group(graph)? {
            Some(group) => groups.push(group),
            None => return Ok(None),
        }
        multiples.extend(plan.multiples());
    }
    multiples.sort();
    multiples.dedup();
    let lengths = multiples.iter().map(|multiple| format!("{multiple}*S"));
    Ok(Some(Phases {
        groups,
        lengths: lengths.collect(),
    }))
}

/// The number of different terminals of some families, in parts that add up.
pub fn terminal_counts<'f>(
    graph: &Graph,
    families: impl IntoIterator<Item = &'f Family>,
) -> Result<Vec<Count>> {
    let mut all: BTreeMap<usize, Set> = BTreeMap::new();
    for family in families {
        for (node, set) in &family.terminals {
            let set = match all.remove(node) {
                Some(known) => known.union(set)?.coalesce()?,
                None => set.clone(),
            };
            all.insert(*node, set);
        }
    }
    all.values().map(|set| graph.count(set)).collect()
}

/// The number of different terminals of some families.
pub fn count_terminals<'f>(
    graph: &Graph,
    families: impl IntoIterator<Item = &'f Family>,
) -> Result<Count> {
    let mut sum = graph.count(&Set::empty(&graph.context.space()?)?)?;
    for count in terminal_counts(graph, families)? {
        sum = sum.add(&count)?;
    }
    Ok(sum)
}

/// The ranges of the coordinates of the common space, where they are affine functions of the sizes.
pub fn spans(graph: &Graph, targets: &Targets) -> Result<Vec<Span>> {
    let mut spans = Vec::new();
    for at in 0..targets.dimension {
        if let Some((lower, upper)) = range(graph, targets, at)? {
            let row = (0..targets.dimension).map(|other| i64::from(other == at));
            spans.push(Span {
                row: row.collect(),
                lower,
                upper,
            });
        }
    }
    Ok(spans)
}

fn range(graph: &Graph, targets: &Targets, at: usize) -> Result<Option<(Expr, Expr)>> {
    let mut points: Option<Set> = None;
    for part in &targets.parts {
        let image = part.map()?.range()?;
        points = Some(match points {
            Some(points) => points.union(&image)?,
            None => image,
        });
    }
    let Some(points) = points else {
        return Ok(None);
    };
    let points = points.coalesce()?;
    let ends = [points.dim_min(at)?, points.dim_max(at)?];
    let mut found = Vec::new();
    for end in ends {
        let pieces = end.gist_params(&graph.context)?.pieces()?;
        let [(_, affine)] = pieces.as_slice() else {
            return Ok(None);
        };
        if !affine.is_plain() {
            return Ok(None);
        }
        let start = Expr::integer(affine.numerator.constant.clone());
        let sizes = graph.params.iter().zip(&affine.numerator.params);
        found.push(sizes.fold(start, |sum, (name, c)| {
            sum + Expr::symbol(name.as_str()).scale(&int(c.clone()))
        }));
    }
    let [lower, upper] = <[Expr; 2]>::try_from(found).unwrap_or_default();
    Ok(Some((lower, upper)))
}

/// The words of inputs and nodes that plans must not have in common to be added.
pub fn disjoint(one: &Words, other: &Words) -> Result<bool> {
    Ok(common(one, other)?.is_empty())
}
