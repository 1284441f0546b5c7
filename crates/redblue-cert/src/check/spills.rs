//! Values that wait for hubs and whose operands many hubs share; the theorem is at [`Spills`].
//!
//! ```text
//! side before   users ──► … ──► c(t) ──► … ──► witness        users need labelled words, at least W of them
//! side after    witness ──► … ──► c(t) ──► … ──► users        all of these in one connected bundle
//! ```
//!
//! A bundle crosses a cut of the play, at which few words are resident, or all its users are computed between two cuts,
//! where few hubs share each word.

use std::collections::BTreeMap;

use num_bigint::BigInt;
use redblue_math::rational::{ceil, int};
use redblue_math::{Assignment, Expr, Matrix, Rational, Symbol};
use redblue_poly::{UnionMap, UnionSet};

use super::count::Number;
use super::family::{linear, linear_map};
use super::fused::{self, Required};
use super::graph::{Graph, Targets};
use super::reach::{self, Direction};
use super::view::{FAST, View};
use crate::certificate::{Side, Spills, Waiting};
use crate::refusal::{Cause, Refusal, Result, demand};

/// In how many steps the number of hubs of a part is tried between a half and all of the labels.
const STEPS: i64 = 16;

/// Verified kinds of bundles.
#[derive(Clone, Debug)]
pub(crate) struct Spilled {
    /// Inputs that are loaded besides.
    inputs: Number,
    kinds: Vec<Kind>,
}

/// Bundles of one kind.
#[derive(Clone, Debug)]
struct Kind {
    /// The number of bundles.
    bundles: Number,
    /// The number of hubs that have any.
    hubs: Number,
    /// Terminals at which paths to labelled words end.
    terminals: Number,
    /// W, at least 1.
    words: Expr,
    /// Whether links are stored besides the results.
    stored: bool,
}

impl Spilled {
    /// Verifies all kinds, given the inputs that must be loaded and the results that must be stored.
    pub(super) fn verify(
        graph: &Graph,
        inputs: &UnionSet,
        results: &UnionSet,
        claim: &Spills,
    ) -> Result<Spilled> {
        let mut used = UnionSet::empty(graph.view.isl())?;
        let mut kinds = Vec::new();
        for (at, waiting) in claim.kinds.iter().enumerate() {
            let place = |refusal: Refusal| refusal.within(format!("kind {at}"));
            kinds.push(Kind::verify(graph, results, waiting, &mut used).map_err(place)?);
        }
        demand(!kinds.is_empty(), Cause::Capacity, || {
            "there are no bundles".into()
        })?;
        Ok(Spilled {
            inputs: others(&graph.view, inputs, &used)?,
            kinds,
        })
    }

    /// All numbers in the formulas.
    pub(crate) fn numbers(&self) -> impl Iterator<Item = &Number> {
        let own = self
            .kinds
            .iter()
            .flat_map(|kind| [&kind.bundles, &kind.hubs, &kind.terminals]);
        [&self.inputs].into_iter().chain(own)
    }

    /// `inputs + Σ_kinds (V − S·V_t/W − |Z|)`.
    pub(crate) fn formula(&self) -> Result<Expr> {
        let start = self.inputs.formula.clone();
        self.kinds
            .iter()
            .try_fold(start, |sum, kind| Ok(sum + kind.loads()?))
    }

    /// What loads and stores have together, beyond the formula of loads and the results.
    pub(crate) fn beyond(&self) -> Result<Expr> {
        let more = |kind: &Kind| -> Result<Expr> { Ok(kind.total()? - kind.loads()?) };
        self.kinds
            .iter()
            .try_fold(Expr::zero(), |sum, kind| Ok(sum + more(kind)?))
    }

    /// Loads at given sizes; with stores besides the results, if these are asked for.
    pub(crate) fn at(
        &self,
        fast: &BigInt,
        sizes: &Assignment,
        values: &BTreeMap<String, BigInt>,
        stores: bool,
    ) -> Result<BigInt> {
        let mut sum = self.inputs.count.evaluate(values)?;
        for kind in &self.kinds {
            sum += kind.at(fast, sizes, values, stores && kind.stored)?;
        }
        Ok(sum)
    }
}

impl Kind {
    fn verify(
        graph: &Graph,
        results: &UnionSet,
        claim: &Waiting,
        used: &mut UnionSet,
    ) -> Result<Kind> {
        let view = &graph.view;
        let targets = Targets::verify(graph, &claim.centres)?;
        let vertices = fused::vertices(graph, &targets, &claim.before, &claim.after)?;
        let links = vertices.links.range()?;
        take(used, &links)?;
        let mut needs: Vec<Required> = Vec::new();
        for (at, need) in claim.needs.iter().enumerate() {
            let place = |refusal: Refusal| refusal.within(format!("need {at}"));
            let required = fused::requirement(graph, &targets, &vertices, need).map_err(place)?;
            take(used, &required.paths.exits).map_err(place)?;
            needs.push(required);
        }
        let index = linear(targets.dimension, &claim.index)?;
        let words = labels(&targets, &needs, &index)?;
        verify_hubs(graph, &targets, &vertices.all, &needs, claim)?;
        let mut terminals = UnionSet::empty(view.isl())?;
        for need in &needs {
            terminals = terminals.union(&need.paths.terminals)?;
        }
        let points = targets.embedding.range()?;
        let index = linear_map(graph, targets.dimension, &claim.index)?.to_union()?;
        Ok(Kind {
            bundles: Number::of(view, &points)?,
            hubs: Number::of(view, &points.apply(&index)?)?,
            terminals: Number::of(view, &terminals)?,
            words,
            stored: links.is_disjoint(results)?,
        })
    }

    /// `V − S·V_t/W − |Z|`: parts of W hubs, one more than cuts.
    fn loads(&self) -> Result<Expr> {
        let kept = (fast_memory() * &self.hubs.formula).div(&self.words)?;
        Ok(&self.bundles.formula - kept - &self.terminals.formula)
    }

    /// The same with stores: 2·W/(W + 1) is at most W/⌈W/2⌉, and W/⌈W/2⌉² at most 4/W.
    fn total(&self) -> Result<Expr> {
        if !self.stored {
            return self.loads();
        }
        let twice = |expr: &Expr| expr + expr;
        let value = twice(&self.words).div(&(&self.words + Expr::one()))?;
        let kept = twice(&twice(&(fast_memory() * &self.hubs.formula))).div(&self.words)?;
        Ok(&self.bundles.formula * value - kept - &self.terminals.formula)
    }

    /// The best of some numbers of hubs per part.
    fn at(
        &self,
        fast: &BigInt,
        sizes: &Assignment,
        values: &BTreeMap<String, BigInt>,
        stores: bool,
    ) -> Result<BigInt> {
        let bundles = int(self.bundles.count.evaluate(values)?);
        let hubs = self.hubs.count.evaluate(values)?;
        let terminals = int(self.terminals.count.evaluate(values)?);
        let words = self.words.eval_floor(sizes)?;
        let most = int(if stores { 2 } else { 1 });
        let mut parts: Vec<BigInt> = (STEPS / 2..=STEPS)
            .flat_map(|part| {
                let few: BigInt = &words * part / STEPS;
                [few.clone(), few + 1]
            })
            .collect();
        parts.push(hubs.clone());
        let mut best = int(0);
        for hubs_of_part in parts.into_iter().filter(|w| *w >= BigInt::from(1)) {
            let share = Rational::new(words.clone(), hubs_of_part.clone()).min(most.clone());
            let cuts: BigInt = ceil(&Rational::new(hubs.clone(), hubs_of_part)) - 1;
            let resident = int(fast * cuts.max(BigInt::from(0))) * share.clone().max(int(1));
            best = best.max(&share * &bundles - resident - &terminals);
        }
        Ok(ceil(&best))
    }
}

/// W, if all needs tell the same part of the point and the index of the hub tells the rest.
fn labels(targets: &Targets, needs: &[Required], index: &Matrix) -> Result<Expr> {
    let Some(first) = needs.first() else {
        return Err(Refusal::new(Cause::Capacity, "users need nothing"));
    };
    let mut words = Expr::zero();
    for need in needs {
        demand(need.projection == first.projection, Cause::Capacity, || {
            "needs have different projections".into()
        })?;
        demand(need.words.always, Cause::Capacity, || {
            "a bundle has no user".into()
        })?;
        words += &need.words.words;
    }
    let both = [first.projection.rows(), index.rows()].concat();
    let told = Matrix::new(targets.dimension, both)?.rank() == targets.dimension;
    demand(told, Cause::Capacity, || {
        "labels and hub do not determine the point".into()
    })?;
    Ok(words)
}

/// That the hub of every bundle lies between its users and a witness.
fn verify_hubs(
    graph: &Graph,
    targets: &Targets,
    bundles: &UnionMap,
    needs: &[Required],
    claim: &Waiting,
) -> Result<()> {
    let length = claim.index.len();
    let hubs = graph.view.vertex_labels(&claim.hubs, length)?;
    demand(hubs.is_injective()?, Cause::Path, || {
        "two hubs have one index".into()
    })?;
    let into = reach::verify(graph, &claim.into, &hubs, length, Direction::Onto)?;
    let out_of = reach::verify(graph, &claim.out_of, &hubs, length, Direction::From)?;
    let (users, witnesses) = match claim.side {
        Side::Before => (into.union(&hubs)?, out_of.subtract(&hubs)?),
        Side::After => (out_of.subtract(&hubs)?, into.union(&hubs)?),
    };
    let index = linear_map(graph, targets.dimension, &claim.index)?.to_union()?;
    for need in needs {
        let own = need.points.apply_range(&index)?;
        demand(own.is_subset(&users)?, Cause::Path, || {
            "a user is not shown to lie on its side of the hub".into()
        })?;
    }
    let crossing = bundles.apply_range(&index)?.intersect(&witnesses)?;
    let witnessed = bundles.intersect_domain(&crossing.domain()?)?.range()?;
    demand(
        targets.embedding.range()?.is_subset(&witnessed)?,
        Cause::Path,
        || "a bundle has no vertex on the other side of its hub".into(),
    )
}

/// Adds words to those that are counted already, from which they must differ.
fn take(used: &mut UnionSet, words: &UnionSet) -> Result<()> {
    demand(words.is_disjoint(used)?, Cause::Sharing, || {
        "words are counted twice".into()
    })?;
    *used = used.union(words)?;
    Ok(())
}

/// The inputs that are no labelled words; those of an array only where there is a formula for them.
fn others(view: &View, inputs: &UnionSet, used: &UnionSet) -> Result<Number> {
    let mut others = UnionSet::empty(view.isl())?;
    for cells in inputs.subtract(used)?.sets()? {
        let cells = cells.to_union()?;
        if let Ok(number) = Number::of(view, &cells)
            && number.condition.is_none()
        {
            others = others.union(&cells)?;
        }
    }
    Number::of(view, &others)
}

fn fast_memory() -> Expr {
    Expr::symbol(Symbol::from(FAST))
}
