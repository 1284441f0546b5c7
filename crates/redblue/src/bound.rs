//! Lower bounds of a program, in the forms people ask for.
//!
//! ```text
//! Program ── redblue_bound::analyse ──► checked bounds ──► full, leading, simplified, regimes; value at sizes
//! ```
//!
//! A program usually has several bounds, each the best one for some sizes. [`Bounds::full`] is the largest of those that are
//! best somewhere: a sound bound for all sizes. Leaving one out would only weaken it.

use std::collections::BTreeSet;

use num_bigint::BigInt;
use num_traits::Signed as _;
use redblue_bound::analysis::{Analysis, Options, analyse};
use redblue_cert::{LowerBound, Model, combine_at};
use redblue_math::Regime;
use redblue_math::{Assignment, Expr};
use redblue_poly::Set;
use redblue_program::Program;

use crate::Refusal;
use crate::sizes::Point;

/// Sizes at which bounds are compared: larger than all memories below, and between them.
const LARGE: [i64; 2] = [1 << 22, 1 << 12];
/// A size that is small against the memory.
const SMALL: i64 = 16;
/// Fast memories at which bounds are compared.
const FAST: [i64; 5] = [1 << 10, 1 << 6, 1 << 13, 1 << 16, 1 << 20];
/// A bound that is better by less than one part in this many is noise.
const NOISE: i64 = 32;

/// The bounds of one program in one model.
#[derive(Debug)]
pub struct Bounds {
    /// What was found, with certificate and trials.
    pub analysis: Analysis,
    /// The model of all formulas here.
    pub model: Model,
    /// Traffic that no memory size avoids.
    pub inputs: Expr,
    /// The best bound for all positive sizes within [`Bounds::conditions`] and every S ≥ 1.
    pub full: Expr,
    /// Its dominant terms for 1 ≪ S ≪ every size.
    pub leading: Expr,
    /// The same with all sizes equal to N.
    pub simplified: Expr,
    /// Positions of the bounds that are the best ones somewhere: the compulsory one, then those for large sizes first.
    pub best: Vec<usize>,
    /// Position of the best one for 1 ≪ S ≪ every size.
    pub large: Option<usize>,
    /// Sizes for which `full` and what is derived from it hold, beyond the program's assumptions.
    pub conditions: Vec<Set>,
}

impl Bounds {
    /// Analyses a program. Bounds whose formulas do not hold at the given sizes, if these are complete, are left out of
    /// the formulas.
    ///
    /// # Errors
    /// When the program is too hard to analyse exactly.
    pub fn of(program: &Program, options: &Options, sizes: &Point) -> Result<Bounds, Refusal> {
        let gave_up = |error: &dyn std::error::Error| Refusal::gave_up("no lower bound", error);
        let model = options.model;
        let analysis = analyse(program, options).map_err(|error| gave_up(&error))?;
        let (best, large) = best(program, &analysis.bounds, model, &assignment(sizes));
        let conditions = conditions(&analysis.bounds, &best);
        let formula = |at: &usize| analysis.bounds[*at].formula(model);
        let full = Expr::max_of(best.iter().filter_map(formula)).unwrap_or_default();
        let compulsory = analysis
            .bounds
            .iter()
            .find(|bound| bound.method() == "compulsory");
        let inputs = compulsory
            .and_then(|bound| bound.formula(model))
            .unwrap_or_default();
        // A formula that divides by a difference of sizes has no value where they are equal: then it stays as it is.
        let leading = |formula: &Expr| formula.leading(&Regime::large_sizes());
        let leading = leading(&full)
            .ok()
            .filter(|leading| !leading.has_extremum())
            .or_else(|| leading(&formula(&large?)?).ok())
            .unwrap_or_else(|| full.clone());
        let simplified = leading.simplified().unwrap_or_else(|_| leading.clone());
        Ok(Bounds {
            analysis,
            model,
            inputs,
            full,
            leading,
            simplified,
            best,
            large,
            conditions,
        })
    }

    /// Words that no schedule avoids at the given sizes, `S` among them: at least the value of the formula, because phases
    /// have their best length and nothing is rounded before the end. `None` if a size is missing.
    pub fn at(&self, sizes: &Point) -> Option<BigInt> {
        combine_at(&self.analysis.bounds, self.model, &assignment(sizes))
            .ok()
            .flatten()
    }
}

/// Sizes for evaluating formulas.
pub(crate) fn assignment(sizes: &Point) -> Assignment {
    sizes
        .iter()
        .map(|(name, value)| (name.as_str(), *value))
        .collect()
}

/// The bounds that `full` is made of, and the one for 1 ≪ S ≪ every size: that one, compulsory traffic, and every bound that
/// is larger than those already taken at some point where its formula holds, by more than a little. At the given sizes they must hold as well.
fn best(
    program: &Program,
    bounds: &[LowerBound],
    model: Model,
    given: &Assignment,
) -> (Vec<usize>, Option<usize>) {
    let formulas: Vec<Option<Expr>> = bounds
        .iter()
        .map(|bound| {
            bound
                .formula(model)
                .filter(|_| bound.applies_at(given).unwrap_or(true))
        })
        .collect();
    // Compulsory traffic, cheap to state, is what is left for small sizes.
    let compulsory = bounds
        .iter()
        .position(|bound| bound.method() == "compulsory");
    let mut found: Vec<usize> = compulsory
        .filter(|at| formulas[*at].is_some())
        .into_iter()
        .collect();
    let mut large = None;
    for sizes in points(program) {
        let value = |(at, formula): (usize, &Option<Expr>)| {
            let formula = formula
                .as_ref()
                .filter(|_| bounds[at].applies_at(&sizes).unwrap_or(false))?;
            formula.eval_floor(&sizes).ok()
        };
        let values: Vec<Option<BigInt>> = formulas.iter().enumerate().map(value).collect();
        // The first of equals: simple methods come first.
        let largest = (0..values.len()).rev().max_by_key(|at| &values[*at]);
        let Some((at, value)) = largest.and_then(|at| Some((at, values[at].as_ref()?))) else {
            continue;
        };
        let taken = found.iter().filter_map(|at| values[*at].as_ref()).max();
        // What is best by terms of lower order only would make a longer formula and hardly a better one.
        let worth = taken.is_none_or(|taken| *value > taken + taken.abs() / NOISE);
        let first = large.is_none();
        large.get_or_insert(at);
        if (first || worth) && !found.contains(&at) {
            found.push(at);
        }
    }
    (found, large)
}

/// The conditions of some bounds, each once.
fn conditions(bounds: &[LowerBound], best: &[usize]) -> Vec<Set> {
    let mut found: Vec<Set> = Vec::new();
    for condition in best.iter().flat_map(|at| bounds[*at].condition_sets()) {
        if !found
            .iter()
            .any(|known| known.is_subset(condition).unwrap_or(false))
        {
            found.retain(|known| !condition.is_subset(known).unwrap_or(false));
            found.push(condition.clone());
        }
    }
    found
}

/// All sizes large, then one or two of them small, with several fast memories each.
fn points(program: &Program) -> Vec<Assignment> {
    let names: Vec<&str> = program
        .params
        .iter()
        .map(|param| param.name.as_str())
        .collect();
    let mut small: Vec<BTreeSet<usize>> = vec![BTreeSet::new()];
    small.extend((0..names.len()).map(|at| BTreeSet::from([at])));
    small.extend((0..names.len()).flat_map(|a| (0..a).map(move |b| BTreeSet::from([a, b]))));
    let mut points = Vec::new();
    for (large, small) in LARGE
        .iter()
        .flat_map(|large| small.iter().map(move |small| (*large, small)))
    {
        let size = |at: usize| if small.contains(&at) { SMALL } else { large };
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
