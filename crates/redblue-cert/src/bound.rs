//! Lower bounds: what is left of a claim when its proof has been checked.

use std::collections::BTreeMap;

use num_bigint::BigInt;
use redblue_math::rational::{ceil, int};
use redblue_math::{Assignment, Expr, Symbol};
use redblue_poly::{Count, Set};

use crate::check::capacity::VolumeAt;
use crate::check::count::Number;
use crate::check::crossing::Crossings;
use crate::check::phases::Argument;
use crate::check::spills::Spilled;
use crate::check::view::FAST;
use crate::check::wavefront::Waves;
use crate::model::{Counted, Model, Sums};
use crate::refusal::{Cause, Refusal, Result};

/// A proved lower bound on data movement. Only the checker makes one.
#[derive(Clone, Debug)]
pub struct LowerBound {
    method: String,
    model: Model,
    loads: Expr,
    stores: Number,
    /// What traffic has at least beyond these loads and the stores of results.
    others: Expr,
    conditions: Vec<Set>,
    exact: Exact,
}

/// How the bound is evaluated at given sizes, better than by its formula.
#[derive(Clone, Debug)]
pub(crate) enum Exact {
    /// A number of loads, counted exactly.
    Counted(Count),
    /// Paths across hubs, counted exactly.
    Waves(Box<Waves>),
    /// Bundles that wait for hubs, with the best parts of a play.
    Spilled(Box<Spilled>),
    /// Words of lines, counted exactly.
    Crossings(Box<Crossings>),
    /// The best phase length at these sizes.
    Phases(Box<Argument>),
}

impl LowerBound {
    pub(crate) fn compulsory(method: &str, model: Model, loads: &Number, stores: &Number) -> Self {
        LowerBound {
            method: method.to_owned(),
            model,
            loads: loads.formula.clone(),
            stores: stores.clone(),
            others: Expr::zero(),
            conditions: [loads, stores]
                .into_iter()
                .filter_map(|n| n.condition.clone())
                .collect(),
            exact: Exact::Counted(loads.count.clone()),
        }
    }

    pub(crate) fn phases(method: &str, argument: Argument, stores: &Number) -> Self {
        let numbers = argument.groups.iter().map(|(targets, _)| targets);
        let numbers = numbers.chain([&argument.terminals, stores]);
        let conditions = numbers
            .filter_map(|number| number.condition.clone())
            .collect();
        LowerBound {
            method: method.to_owned(),
            model: argument.model,
            loads: argument.formula.clone(),
            stores: stores.clone(),
            others: Expr::zero(),
            conditions,
            exact: Exact::Phases(Box::new(argument)),
        }
    }

    pub(crate) fn waves(method: &str, waves: &Waves, stores: &Number) -> Self {
        LowerBound {
            method: method.to_owned(),
            model: Model {
                count: Counted::Loads,
                recompute: false,
                sums: Sums::Fixed,
            },
            loads: waves.formula(),
            stores: stores.clone(),
            others: waves.stores(),
            conditions: waves
                .numbers()
                .chain([stores])
                .filter_map(|n| n.condition.clone())
                .collect(),
            exact: Exact::Waves(Box::new(waves.clone())),
        }
    }

    pub(crate) fn spilled(method: &str, spilled: &Spilled, stores: &Number) -> Result<Self> {
        let mut conditions: Vec<Set> = Vec::new();
        for number in spilled.numbers().chain([stores]) {
            if let Some(condition) = &number.condition
                && !conditions
                    .iter()
                    .any(|known| known.is_equal(condition) == Ok(true))
            {
                conditions.push(condition.clone());
            }
        }
        Ok(LowerBound {
            method: method.to_owned(),
            model: Model {
                count: Counted::Loads,
                recompute: false,
                sums: Sums::Fixed,
            },
            loads: spilled.formula()?,
            stores: stores.clone(),
            others: spilled.beyond()?,
            conditions,
            exact: Exact::Spilled(Box::new(spilled.clone())),
        })
    }

    pub(crate) fn crossings(method: &str, crossings: &Crossings, stores: &Number) -> Self {
        LowerBound {
            method: method.to_owned(),
            model: Model {
                count: Counted::Loads,
                recompute: false,
                sums: Sums::Fixed,
            },
            loads: crossings.formula(),
            stores: stores.clone(),
            others: Expr::zero(),
            conditions: crossings
                .numbers()
                .chain([stores])
                .filter_map(|n| n.condition.clone())
                .collect(),
            exact: Exact::Crossings(Box::new(crossings.clone())),
        }
    }

    /// The method that found it.
    pub fn method(&self) -> &str {
        &self.method
    }

    /// The strongest model it holds in; it counts loads.
    pub fn model(&self) -> Model {
        self.model
    }

    /// No schedule has fewer loads, for all positive sizes within [`LowerBound::conditions`] and every S ≥ 1.
    pub fn loads(&self) -> &Expr {
        &self.loads
    }

    /// What is stored at least, besides the loads: results, and what is loaded again after it was computed. Where loads can take the place of
    /// stores, loads and these together are what is proved.
    pub fn stores(&self) -> Expr {
        &self.stores.formula + &self.others
    }

    /// The bound in a model, if it holds there: loads, or loads and stores.
    pub fn formula(&self, model: Model) -> Option<Expr> {
        let holds = self.model.implies(model);
        holds.then(|| match model.count {
            Counted::Loads => self.loads.clone(),
            Counted::Total => &self.loads + self.stores(),
        })
    }

    /// Conditions under which the formulas are right, beyond the program's assumptions and positive sizes; usually none.
    pub fn conditions(&self) -> Vec<String> {
        self.conditions.iter().map(Set::to_string).collect()
    }

    /// The same as parameter sets.
    pub fn condition_sets(&self) -> &[Set] {
        &self.conditions
    }

    /// Whether the formulas are right at the given sizes, as far as their conditions go.
    pub fn applies_at(&self, sizes: &Assignment) -> Result<bool> {
        for condition in &self.conditions {
            let names = condition.param_names().into_iter();
            let values = names.map(|name| sizes.get(&Symbol::from(name.as_str())).cloned());
            let values = values.collect::<std::result::Result<Vec<BigInt>, _>>()?;
            if !condition.contains(&values, &[])? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The bound in a model at given sizes (and `S`), if it holds there: loads, or loads and stores.
    pub fn value(&self, model: Model, sizes: &Assignment) -> Result<Option<BigInt>> {
        if !self.model.implies(model) {
            return Ok(None);
        }
        let loads = self.at(sizes)?;
        Ok(Some(match model.count {
            Counted::Loads => loads,
            Counted::Total => loads + self.stores_at(sizes)?,
        }))
    }

    /// Stores that no schedule avoids at the given sizes (and `S`).
    fn stores_at(&self, sizes: &Assignment) -> Result<BigInt> {
        let values = by_name(sizes);
        let results = self.stores.count.evaluate(&values)?;
        match &self.exact {
            Exact::Waves(waves) if !is_degenerate(&values) => {
                let fast = sizes.get(&Symbol::from(FAST))?;
                Ok(results + waves.stores_at(fast, &values)?)
            }
            Exact::Spilled(spilled) if !is_degenerate(&values) => {
                let fast = sizes.get(&Symbol::from(FAST))?;
                let at = |stores| spilled.at(fast, sizes, &values, stores);
                Ok(results + at(true)? - at(false)?)
            }
            _ => Ok(results),
        }
    }

    /// Loads that no schedule avoids at the given sizes (and `S`), as a whole number.
    ///
    /// Phases are evaluated by G-6 in its exact form, `T·(h − 1) + S + 1 − |Z|` with h = ⌈Σ V/U⌉ ≥ 2, at the
    /// best of these T: the claimed ones, 1 to 32, multiples of S/8 up to 8·S, and those near the optimum of each capacity.
    /// U is rounded up and V/U down, so every one of them is sound. With x ≤ 1 one phase may suffice, and it has (S + T)·x events.
    pub fn at(&self, sizes: &Assignment) -> Result<BigInt> {
        let fast = sizes.get(&Symbol::from(FAST))?.clone();
        if fast < BigInt::from(1) {
            return Err(Refusal::new(Cause::Formula, "S is not positive"));
        }
        let values = by_name(sizes);
        let exact = match &self.exact {
            Exact::Counted(count) => return Ok(count.evaluate(&values)?),
            // Formulas are for positive sizes, and otherwise there is little to do.
            _ if is_degenerate(&values) => BigInt::from(0),
            Exact::Waves(waves) => waves.at(&fast, &values)?,
            Exact::Spilled(spilled) => spilled.at(&fast, sizes, &values, false)?,
            Exact::Crossings(crossings) => crossings.at(&fast, &values)?,
            Exact::Phases(argument) => best_phases(argument, &fast, sizes, &values)?,
        };
        Ok(exact.max(BigInt::from(0)))
    }
}

fn is_degenerate(values: &BTreeMap<String, BigInt>) -> bool {
    values.values().any(|value| *value < BigInt::from(1))
}

fn by_name(sizes: &Assignment) -> BTreeMap<String, BigInt> {
    let pair = |(name, value): (&Symbol, &BigInt)| (name.name().to_owned(), value.clone());
    sizes.iter().map(pair).collect()
}

/// The best bound in a model at given sizes.
pub fn combine_at(
    bounds: &[LowerBound],
    model: Model,
    sizes: &Assignment,
) -> Result<Option<BigInt>> {
    let values = bounds.iter().map(|bound| bound.value(model, sizes));
    Ok(values
        .collect::<Result<Vec<_>>>()?
        .into_iter()
        .flatten()
        .max())
}

/// The best bound in a model at all sizes: the largest of the formulas that hold there without further conditions.
pub fn combine(bounds: &[LowerBound], model: Model) -> Option<Expr> {
    let unconditional = bounds.iter().filter(|bound| bound.conditions.is_empty());
    let formulas: Vec<Expr> = unconditional
        .filter_map(|bound| bound.formula(model))
        .collect();
    Expr::max_of(formulas)
}

fn best_phases(
    argument: &Argument,
    fast: &BigInt,
    sizes: &Assignment,
    values: &BTreeMap<String, BigInt>,
) -> Result<BigInt> {
    let mut volumes: Vec<(BigInt, VolumeAt)> = Vec::new();
    let mut lengths: Vec<BigInt> = (1..=32).map(BigInt::from).collect();
    lengths.extend((1..=64).map(|eighths| fast * eighths / 8));
    for (targets, volume) in &argument.groups {
        volumes.push((targets.count.evaluate(values)?, volume.at(sizes, values)?));
        lengths.extend(volume.lengths(fast, sizes)?);
    }
    for length in &argument.lengths {
        lengths.push(length.eval_floor(sizes)?);
    }
    lengths.retain(|length| *length >= BigInt::from(1));
    lengths.sort();
    lengths.dedup();
    let terminals = argument.terminals.count.evaluate(values)?;
    let mut best = BigInt::from(0);
    for length in lengths {
        let k = fast + &length;
        let mut phases = int(0);
        for (targets, volume) in &volumes {
            phases += volume.phases(targets, &k)?;
        }
        let events = if phases <= int(1) {
            ceil(&(int(k) * phases))
        } else {
            &length * (ceil(&phases) - 1) + fast + 1
        };
        best = best.max(events - &terminals);
    }
    Ok(best)
}
