//! The phase argument (G-6, G-8, G-10, X-1): see [`Phases`].
//!
//! ```text
//! groups ─ targets live, families valid, words disjoint ─► V_g, U_g(K), Z
//! x = Σ_g V_g / U_g(S + T)      loads ≥ T·(x − 1) + S − |Z|
//! ```

use redblue_math::rational::int;
use redblue_math::{Expr, Rational, Symbol};
use redblue_poly::UnionSet;

use super::brascamp_lieb::rational;
use super::capacity::Volume;
use super::count::Number;
use super::family::Paths;
use super::graph::{Graph, Targets};
use super::view::{FAST, View};
use super::{fused, mirror, sums};
use crate::certificate::{Capacity, Group, Phases};
use crate::model::{Counted, Model, Sums};
use crate::refusal::{Cause, Refusal, Result, demand};

/// A verified phase argument.
#[derive(Clone, Debug)]
pub(crate) struct Argument {
    /// Per group, the number of targets and the capacity.
    pub(crate) groups: Vec<(Number, Volume)>,
    /// The number of terminals.
    pub(crate) terminals: Number,
    /// Lengths of phases.
    pub(crate) lengths: Vec<Expr>,
    /// What is proved without restriction on the size of x.
    pub(crate) formula: Expr,
    /// The strongest model.
    pub(crate) model: Model,
}

impl Argument {
    /// Verifies all groups together.
    pub(super) fn verify(graph: &Graph, phases: &Phases) -> Result<Argument> {
        let view = &graph.view;
        let mut words = UnionSet::empty(view.isl())?;
        let mut terminals = UnionSet::empty(view.isl())?;
        let mut groups = Vec::new();
        let (mut once, mut free) = (false, true);
        for (at, group) in phases.groups.iter().enumerate() {
            let place = |refusal: Refusal| refusal.within(format!("group {at}"));
            let part = Part::verify(graph, group).map_err(place)?;
            demand(part.words.is_disjoint(&words)?, Cause::Sharing, || {
                format!("group {at} uses words of another group")
            })?;
            words = words.union(&part.words)?;
            terminals = terminals.union(&part.terminals)?;
            once |= match &group.capacity {
                Capacity::Hourglass(_) | Capacity::Fused(_) | Capacity::Merging(_) => true,
                Capacity::Mirror(pattern) => pattern.ordered,
                _ => false,
            };
            free &= part.free;
            groups.push((part.targets, part.volume));
        }
        // What is taken off the number of phases is taken off once.
        let lone = |volume: &Volume| {
            matches!(
                volume,
                Volume::Merged { .. } | Volume::Far { .. } | Volume::Hourglass(_)
            )
        };
        let lone = groups.iter().any(|(_, volume)| lone(volume));
        demand(!lone || groups.len() == 1, Cause::Capacity, || {
            "a group with merged sums, an hourglass or a diagonal does not stand alone".into()
        })?;
        let lengths = phases.lengths.iter().map(|text| length(view, text));
        let lengths = lengths.collect::<Result<Vec<Expr>>>()?;
        let model = Model {
            count: Counted::Loads,
            recompute: !once && terminals.is_empty()?,
            sums: if free { Sums::Free } else { Sums::Fixed },
        };
        let terminals = Number::of(view, &terminals)?;
        let formula = formula(view, &groups, &terminals.formula, &lengths)?;
        Ok(Argument {
            groups,
            terminals,
            lengths,
            formula,
            model,
        })
    }
}

/// A verified group.
struct Part {
    targets: Number,
    volume: Volume,
    words: UnionSet,
    terminals: UnionSet,
    free: bool,
}

impl Part {
    fn verify(graph: &Graph, group: &Group) -> Result<Part> {
        let view = &graph.view;
        let targets =
            Targets::verify(graph, &group.targets)?.with_private(graph, &group.private)?;
        let mut paths = Vec::new();
        for (at, family) in group.families.iter().enumerate() {
            let verified = Paths::verify(graph, &targets, family);
            paths.push(verified.map_err(|refusal| refusal.within(format!("family {at}")))?);
        }
        if matches!(
            group.capacity,
            Capacity::BrascampLieb { .. } | Capacity::Merging(_)
        ) {
            demand_shares(group, &paths)?;
        }
        let own = match &group.capacity {
            Capacity::Fused(pattern) => Some(fused::verify(graph, &targets, &paths, pattern)?),
            Capacity::Mirror(pattern) => Some(mirror::verify(graph, &targets, &paths, pattern)?),
            _ => None,
        };
        if let Some(own) = own {
            demand(group.private.is_empty(), Cause::Capacity, || {
                "private values where families are not the group's".into()
            })?;
            return Ok(Part {
                targets: Number::of(view, &targets.all)?,
                volume: own.volume,
                words: own.words,
                terminals: own.terminals,
                free: own.free,
            });
        }
        let (mut volume, mut words) = Volume::verify(graph, &targets, group, &paths)?;
        let private = targets.private.domain()?;
        let lone = private.is_empty()?;
        if !lone {
            volume = volume.with_private()?;
            words = words.union(&private)?;
        }
        let mut terminals = UnionSet::empty(view.isl())?;
        for family in &paths {
            words = words.union(&family.exits)?;
            terminals = terminals.union(&family.terminals)?;
        }
        Ok(Part {
            // The hourglass follows sums link by link, and a private value may be a summand.
            free: lone
                && !matches!(group.capacity, Capacity::Hourglass(_))
                && sums::free(graph, &targets, group, &paths)?,
            targets: Number::of(view, &targets.all)?,
            volume,
            words,
            terminals,
        })
    }
}

/// Demands that the weights of families that can use one word add up to at most 1: then Σ_j w_j |φ_j(E)| ≤ K.
fn demand_shares(group: &Group, paths: &[Paths]) -> Result<()> {
    let weights = group.families.iter().map(|family| rational(&family.weight));
    let weights = weights.collect::<Result<Vec<Rational>>>()?;
    // Sets of families with a common word, by their last member, their total weight and their common words.
    let mut open: Vec<(usize, Rational, UnionSet)> = Vec::new();
    for (at, (family, weight)) in paths.iter().zip(&weights).enumerate() {
        let mut found = vec![(at, weight.clone(), family.exits.clone())];
        for (_, total, words) in &open {
            let common = words.intersect(&family.exits)?;
            if !common.is_empty()? {
                found.push((at, total + weight, common));
            }
        }
        let heavy = found.iter().any(|(_, total, _)| *total > int(1));
        demand(!heavy, Cause::Sharing, || {
            format!("family {at} shares words with others, and their weights add up to more than 1")
        })?;
        open.extend(found);
    }
    Ok(())
}

/// The length of a phase from text: whole-numbered.
fn length(view: &View, text: &str) -> Result<Expr> {
    let length = view.formula(text)?;
    demand(length.is_integral(), Cause::Formula, || {
        format!("the length {length} of a phase is not a whole number")
    })?;
    Ok(length)
}

/// The positive integer c if the length is c·S.
fn multiple(length: &Expr) -> Option<Rational> {
    let quotient = length.div(&Expr::symbol(FAST)).ok()?.as_constant()?;
    (quotient.is_integer() && quotient >= int(1)).then_some(quotient)
}

/// The largest bound over the lengths.
fn formula(
    view: &View,
    groups: &[(Number, Volume)],
    terminals: &Expr,
    lengths: &[Expr],
) -> Result<Expr> {
    let fast = Expr::symbol(Symbol::from(FAST));
    let mut bounds = Vec::new();
    for length in lengths {
        let k = if length.is_nonnegative() {
            length + &fast
        } else {
            // Where T ≤ 0 nothing is claimed, but the formula must have a value.
            view.at_least_one(&(length + &fast))?
        };
        let mut excess = -Expr::one();
        for (targets, volume) in groups {
            excess = excess + &targets.formula * &volume.inverse(view, &k)?
                - volume.deduction(view, &k)?;
        }
        let gained = match multiple(length) {
            Some(_) => length * &excess + &fast,
            None => Expr::max_of([Expr::zero(), length.clone()]).unwrap_or_default() * excess,
        };
        bounds.push(gained - terminals);
    }
    Expr::max_of(bounds)
        .ok_or_else(|| Refusal::new(Cause::Formula, "no length of a phase is given"))
}
