//! Lower bounds of a program, in the forms people ask for.
//!
//! ```text
//! Program ── redblue_bound::analyse ──► checked bounds ──► full, leading, simplified, regimes; value at sizes
//! ```
//!
//! A program usually has several bounds, each the best one for some sizes. [`Bounds::full`] is the largest of those that are
//! best somewhere: a sound bound for all sizes. Leaving one out would only weaken it.

mod assumed;
mod choice;

use num_bigint::BigInt;
use redblue_bound::analysis::{Analysis, Options, analyse};
use redblue_cert::{LowerBound, Model, combine_at};
use redblue_math::Regime;
use redblue_math::{Assignment, Expr};
use redblue_poly::Set;
use redblue_program::Program;

use crate::Refusal;
use crate::sizes::Point;
use assumed::Assumed;
pub(crate) use choice::contest;
use choice::{Candidate, Effort, choose};

/// The method whose bound no memory size avoids.
const COMPULSORY: &str = "compulsory";

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
    /// The formula of each bound that holds in the model, as it reads within the program's assumptions and [`Bounds::conditions`]; of those in
    /// [`Bounds::best`], what is largest somewhere.
    pub formulas: Vec<Option<Expr>>,
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
        let mut methods = analysis.bounds.iter().map(LowerBound::method);
        let compulsory = methods.position(|method| method == COMPULSORY);
        let given = assignment(sizes);
        let candidates = candidates(program, &analysis.bounds, model, &given);
        let effort = effort(&analysis);
        let (chosen, large) = choose(
            program,
            &analysis.bounds,
            &candidates,
            compulsory,
            &given,
            effort,
        );
        let large = large.map(|at| candidates[at].bound);
        let mut best: Vec<usize> = Vec::new();
        for candidate in chosen.iter().map(|&at| &candidates[at]) {
            if !best.contains(&candidate.bound) {
                best.push(candidate.bound);
            }
        }
        let conditions = conditions(&analysis.bounds, &best);
        let assumed = Assumed::of(&program.context, conditions.iter());
        let written = |bound: usize| {
            let is_best = best.contains(&bound);
            let own = (0..candidates.len())
                .filter(|at| candidates[*at].bound == bound && (!is_best || chosen.contains(at)))
                .map(|at| &candidates[at].formula);
            Expr::max_of(own.map(|formula| match is_best {
                true => assumed.simplify(formula),
                false => formula.clone(),
            }))
        };
        let formulas: Vec<Option<Expr>> = (0..analysis.bounds.len()).map(written).collect();
        let formula = |at: usize| formulas[at].clone();
        let full = Expr::max_of(best.iter().filter_map(|at| formula(*at))).unwrap_or_default();
        let inputs = compulsory.and_then(formula).unwrap_or_default();
        // A formula that divides by a difference of sizes has no value where they are equal: then it stays as it is.
        let leading = |formula: &Expr| formula.leading(&Regime::large_sizes());
        let leading = leading(&full)
            .ok()
            .filter(|leading| !leading.has_extremum())
            .or_else(|| leading(&formula(large?)?).ok())
            .unwrap_or_else(|| full.clone());
        let simplified = leading.simplified().unwrap_or_else(|_| leading.clone());
        Ok(Bounds {
            analysis,
            model,
            inputs,
            full,
            leading,
            simplified,
            formulas,
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

/// How much formulas may still be compared after an analysis.
pub(crate) fn effort(analysis: &Analysis) -> Effort {
    match analysis.cut {
        true => Effort::Hurried,
        false => Effort::Whole,
    }
}

/// Sizes for evaluating formulas.
pub(crate) fn assignment(sizes: &Point) -> Assignment {
    sizes
        .iter()
        .map(|(name, value)| (name.as_str(), *value))
        .collect()
}

/// The formulas of all bounds that hold in the model, and at the given sizes if these are complete, as they read within the program's
/// assumptions and their own conditions.
fn candidates(
    program: &Program,
    bounds: &[LowerBound],
    model: Model,
    given: &Assignment,
) -> Vec<Candidate> {
    let mut found = Vec::new();
    for (at, bound) in bounds.iter().enumerate() {
        let assumed = Assumed::of(&program.context, bound.condition_sets().iter());
        let formula = bound
            .formula(model)
            .filter(|_| bound.applies_at(given).unwrap_or(true))
            .map(|formula| assumed.simplify(&formula));
        let items = formula
            .into_iter()
            .flat_map(|formula| formula.alternatives());
        found.extend(items.map(|formula| Candidate { bound: at, formula }));
    }
    found
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
