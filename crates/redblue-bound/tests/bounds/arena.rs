//! Bounds in the arena: every claim of a program at some sizes, in every model it holds in, against legal plays.

use std::cell::RefCell;
use std::collections::BTreeMap;

use redblue_cert::{Counted, LowerBound, Model, Sums};
use redblue_math::Assignment;
use redblue_program::Sizes;
use redblue_testkit::{Arena, Count, Effort, Stake, Verdict, capacities};

/// The models that change what a proof may use. What is counted does not: every bound says both.
pub(crate) const MODELS: [Model; 4] = [
    model(false, Sums::Fixed),
    model(true, Sums::Fixed),
    model(false, Sums::Free),
    model(true, Sums::Free),
];

const fn model(recompute: bool, sums: Sums) -> Model {
    Model {
        count: Counted::Loads,
        recompute,
        sums,
    }
}

/// The game of a model.
fn game(model: Model) -> redblue_testkit::Model {
    redblue_testkit::Model {
        count: match model.count {
            Counted::Loads => Count::Loads,
            Counted::Total => Count::Total,
        },
        recompute: model.recompute,
        sums: match model.sums {
            Sums::Fixed => redblue_testkit::Sums::Fixed,
            Sums::Free => redblue_testkit::Sums::Free,
        },
        ..redblue_testkit::Model::LOADS
    }
}

/// The least traffic seen so far, by sizes, memory and model.
pub(crate) type Seen = RefCell<BTreeMap<String, u64>>;

/// A program at some sizes.
pub(crate) struct Field<'a> {
    /// What it is called in messages.
    pub(crate) name: &'a str,
    pub(crate) arena: &'a Arena,
    pub(crate) sizes: &'a Sizes,
    /// How many memories are tried.
    pub(crate) capacities: usize,
}

impl Field<'_> {
    /// Attacks bounds; says how many claims were attacked, or which one is false.
    ///
    /// For each model in which some bounds hold, the largest value is attacked, both as evaluated exactly and as the
    /// formula says, counting loads and counting all transfers.
    pub(crate) fn attack(&self, bounds: &[LowerBound]) -> Result<usize, String> {
        let all = capacities::adversarial(self.arena, &redblue_testkit::Model::LOADS.game());
        let step = all.len().div_ceil(self.capacities).max(1);
        let mut stakes = Vec::new();
        let mut owners = Vec::new();
        for &capacity in all.iter().step_by(step) {
            for strict in MODELS {
                for count in [Counted::Loads, Counted::Total] {
                    let model = Model { count, ..strict };
                    // What holds in a stronger model is attacked there, where plays may do more.
                    let own = bounds.iter().filter(|bound| {
                        Model {
                            count,
                            ..bound.model()
                        } == model
                    });
                    let best = own
                        .filter_map(|bound| Some((self.value(bound, model, capacity)?, bound)))
                        .max_by_key(|(value, _)| *value);
                    if let Some((value, bound)) = best {
                        let model = game(model);
                        stakes.push(Stake {
                            capacity,
                            model,
                            value,
                        });
                        owners.push(bound);
                    }
                }
            }
        }
        let verdicts = self.arena.attack(&stakes, &Effort::QUICK);
        let verdicts = verdicts.map_err(|error| format!("{}: {error}", self.name))?;
        for ((stake, bound), verdict) in stakes.iter().zip(owners).zip(verdicts) {
            if let Verdict::Broken { io, by, .. } = verdict {
                return Err(format!(
                    "{} {:?} S={} {:?}: {} claims {} ({}), {by:?} needs {io}",
                    self.name,
                    self.sizes,
                    stake.capacity,
                    stake.model,
                    bound.method(),
                    stake.value,
                    bound.loads(),
                ));
            }
        }
        Ok(stakes.len())
    }

    /// What a bound says at several memories, in its own model and with stores, and the most that others say there.
    pub(crate) fn stakes(&self, bound: &LowerBound, others: &[LowerBound]) -> Vec<(Stake, u64)> {
        let all = capacities::adversarial(self.arena, &redblue_testkit::Model::LOADS.game());
        let step = all.len().div_ceil(self.capacities).max(1);
        let mut found = Vec::new();
        for &capacity in all.iter().step_by(step) {
            for count in [Counted::Loads, Counted::Total] {
                let model = Model {
                    count,
                    ..bound.model()
                };
                let Some(value) = self.value(bound, model, capacity) else {
                    continue;
                };
                let others = others.iter();
                let most = others.filter_map(|other| self.value(other, model, capacity));
                let stake = Stake {
                    capacity,
                    model: game(model),
                    value,
                };
                found.push((stake, most.max().unwrap_or(0)));
            }
        }
        found
    }

    /// The least traffic seen in the game of a stake.
    pub(crate) fn least(&self, stake: &Stake, seen: &Seen) -> u64 {
        let key = format!("{:?} {} {:?}", self.sizes, stake.capacity, stake.model);
        let known = seen.borrow().get(&key).copied();
        let best = known.unwrap_or_else(|| {
            let open = Stake { value: 0, ..*stake };
            let verdicts = self.arena.attack(&[open], &Effort::QUICK);
            match verdicts.expect("playable").as_slice() {
                [Verdict::Survived { best, .. }] => *best,
                other => panic!("{other:?}"),
            }
        });
        seen.borrow_mut().insert(key, best);
        best
    }

    /// What a bound says in a model: exactly, or by its formula if that says more.
    fn value(&self, bound: &LowerBound, model: Model, capacity: usize) -> Option<u64> {
        let mut at = Assignment::new().with("S", capacity as i64);
        for (name, value) in self.sizes {
            at.set(name.as_str(), *value);
        }
        let exact = bound.value(model, &at).ok().flatten()?;
        let positive = self.sizes.values().all(|&size| size > 0);
        let applies = positive && bound.applies_at(&at).unwrap_or(false);
        let formula = bound.formula(model).filter(|_| applies);
        let formula = formula.and_then(|formula| formula.eval_floor(&at).ok());
        let value = formula.map_or(exact.clone(), |formula| formula.max(exact));
        u64::try_from(value).ok()
    }
}
