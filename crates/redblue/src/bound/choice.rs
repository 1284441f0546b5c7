//! Which of many formulas are worth writing.
//!
//! A program has several bounds and some of them are maxima of several formulas. Their maximum is a bound; one that leaves
//! some of them out is weaker and may be much shorter. Formulas are compared at sample points: one is taken if it is the largest somewhere, by
//! more than a little.

use std::collections::BTreeSet;

use num_bigint::BigInt;
use num_traits::Signed as _;
use redblue_cert::LowerBound;
use redblue_math::{Assignment, Expr};
use redblue_poly::Set;
use redblue_program::Program;

/// Sizes at which formulas are compared: larger than all memories below, and between them.
const LARGE: [i64; 2] = [1 << 22, 1 << 12];
/// A size that is small against the memory.
const SMALL: i64 = 16;
/// Fast memories at which formulas are compared.
const FAST: [i64; 5] = [1 << 10, 1 << 6, 1 << 13, 1 << 16, 1 << 20];
/// A formula that is better by less than one part in this many is noise.
const NOISE: i64 = 32;

/// A formula with more letters than this is for machines,
const LONG: usize = 240;
/// and worth writing only if it is this many times larger than all others somewhere.
const MUCH: i64 = 4;
/// Leading terms that exceed the whole by more than one part in this many do not lead.
const CLEARLY: i64 = 8;

/// A formula, and the position of the bound it belongs to.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    pub(super) bound: usize,
    pub(super) formula: Expr,
}

/// Positions of the candidates worth writing: those of the bound `first`, the largest one for 1 ≪ S ≪ every size, and every other one
/// that is larger than those already taken at some point, by more than a little. At the point `given` the largest is taken in any case.
///
/// Returns also which one is the largest for 1 ≪ S ≪ every size.
pub(super) fn choose(
    program: &Program,
    bounds: &[LowerBound],
    candidates: &[Candidate],
    first: Option<usize>,
    given: &Assignment,
    effort: Effort,
) -> (Vec<usize>, Option<usize>) {
    let own = |at: &usize| Some(candidates[*at].bound) == first;
    let mut found: Vec<usize> = (0..candidates.len()).filter(own).collect();
    let mut large = None;
    let points = points(program, effort);
    let long: Vec<bool> = candidates
        .iter()
        .map(|candidate| candidate.formula.factored().len() > LONG)
        .collect();
    for (position, sizes) in points.iter().chain([given]).enumerate() {
        let applies: Vec<bool> = bounds
            .iter()
            .map(|bound| bound.applies_at(sizes).unwrap_or(false))
            .collect();
        let value = |candidate: &Candidate| {
            let formula = Some(&candidate.formula).filter(|_| applies[candidate.bound])?;
            formula.eval_floor(sizes).ok()
        };
        let values: Vec<Option<BigInt>> = candidates.iter().map(value).collect();
        // The first of equals: simple methods come first.
        let is_given = position == points.len();
        let best_of = |all: bool| {
            let offered = (0..values.len()).filter(|&at| all || !long[at]);
            let largest = offered.rev().max_by_key(|at| &values[*at])?;
            Some((largest, values[largest].as_ref()?))
        };
        let readable = best_of(false).filter(|(_, short)| {
            let much = best_of(true).is_some_and(|(_, any)| *any > short.abs() * MUCH);
            !is_given && !much
        });
        let Some((at, value)) = readable.or_else(|| best_of(true)) else {
            continue;
        };
        let taken = found.iter().filter_map(|at| values[*at].as_ref()).max();
        // What is best by terms of lower order only would make a longer formula and hardly a better one.
        let noise = if is_given {
            BigInt::default()
        } else {
            taken.map(|taken| taken.abs() / NOISE).unwrap_or_default()
        };
        let worth = taken.is_none_or(|taken| *value > taken + noise);
        let first = large.is_none() && !is_given;
        if first {
            large = Some(at);
        }
        if (first || worth) && !found.contains(&at) {
            found.push(at);
        }
    }
    (found, large)
}

/// Leading terms that stand for a bound where they are larger than others.
pub(crate) struct Contest {
    /// Whether they are larger anywhere.
    pub(crate) wins: bool,
    /// Whether they say clearly more than is proved at one of those places: then they do not lead there.
    pub(crate) overstates: bool,
}

/// Compares leading terms with those of the bound for large sizes, and with all that is proved.
pub(crate) fn contest(
    program: &Program,
    leading: &Expr,
    other: &Expr,
    proved: &Expr,
    effort: Effort,
) -> Contest {
    let mut contest = Contest {
        wins: false,
        overstates: false,
    };
    for sizes in points(program, effort) {
        let value = |expr: &Expr| expr.eval_floor(&sizes).ok();
        let (Some(leading), Some(other), Some(proved)) =
            (value(leading), value(other), value(proved))
        else {
            continue;
        };
        if leading > other {
            contest.wins = true;
            contest.overstates |= leading > &proved + proved.abs() / CLEARLY;
        }
    }
    contest
}

/// At how many points formulas are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effort {
    /// One or two sizes are small.
    Whole,
    /// The time is over: one size is small.
    Hurried,
}

/// All sizes large, then one or two of them small, with several fast memories each.
fn points(program: &Program, effort: Effort) -> Vec<Assignment> {
    let names: Vec<&str> = program
        .params
        .iter()
        .map(|param| param.name.as_str())
        .collect();
    let mut small: Vec<BTreeSet<usize>> = vec![BTreeSet::new()];
    small.extend((0..names.len()).map(|at| BTreeSet::from([at])));
    if effort == Effort::Whole {
        small.extend((0..names.len()).flat_map(|a| (0..a).map(move |b| BTreeSet::from([a, b]))));
    }
    let shape = shape(program);
    let mut points = Vec::new();
    for (large, small) in LARGE
        .iter()
        .flat_map(|large| small.iter().map(move |small| (*large, small)))
    {
        let size = |at: usize| match small.contains(&at) {
            true => SMALL,
            false => large / EVEN * shape[at],
        };
        let values: Vec<BigInt> = (0..names.len()).map(|at| BigInt::from(size(at))).collect();
        if !program.context.contains(&values, &[]).unwrap_or(false) {
            continue;
        }
        for fast in FAST {
            let sizes = names.iter().copied().zip(values.iter().cloned());
            points.push(sizes.chain([("S", BigInt::from(fast))]).collect());
        }
    }
    points
}

/// The part of a large size in [`shape`] that all have if nothing is against it.
const EVEN: i64 = 4;

/// How large sizes are in proportion: equal, or one of them larger or smaller if most statements have instances only then, such as those of
/// loops up to `W - R`.
fn shape(program: &Program) -> Vec<i64> {
    let even = vec![EVEN; program.params.len()];
    let mut shapes = vec![even.clone()];
    for at in 0..even.len() {
        for other in [EVEN * EVEN, 1] {
            let mut shape = even.clone();
            shape[at] = other;
            shapes.push(shape);
        }
    }
    let domains = program.statements.iter().map(|s| s.domain.params());
    let domains: Vec<Set> = domains.filter_map(Result::ok).collect();
    let there = |shape: &Vec<i64>| {
        let size = |part: &i64| BigInt::from(LARGE[0] / EVEN * part);
        let values: Vec<BigInt> = shape.iter().map(size).collect();
        let holds = |set: &Set| set.contains(&values, &[]).unwrap_or(false);
        let within = holds(&program.context);
        (
            within,
            domains.iter().filter(|domain| holds(domain)).count(),
        )
    };
    // The first of equals.
    let best = shapes.into_iter().rev().max_by_key(there);
    best.unwrap_or(even)
}
