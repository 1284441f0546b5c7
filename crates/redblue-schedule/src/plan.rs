//! A component with its order, what stays resident and what that moves: the exact evaluation of a candidate.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use num_bigint::BigInt;
use redblue_program::StatementId;

use crate::error::Result;
use crate::form::Form;
use crate::order::{Component, Dim};
use crate::residency::{Class, End, Measure, measure, recount, words};
use crate::site::Site;
use crate::turns::{words_alone, words_by_turns};
use crate::twins::joint;

/// A component that was evaluated exactly.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub(crate) component: Component,
    pub(crate) classes: Vec<(Class, Measure)>,
    /// Words of fast memory it needs.
    pub(crate) words: u128,
    pub(crate) loads: BigInt,
    pub(crate) stores: BigInt,
    /// Whether its dimensions are those of the program's own order only.
    pub(crate) original: bool,
    /// How many leading dimensions are forward families.
    pub(crate) monotone: usize,
}

/// What is too much: the evaluation ends as soon as that is known.
pub(crate) struct Limits {
    /// Words of fast memory.
    pub(crate) words: u128,
    /// What may be moved, and whether stores count.
    pub(crate) moved: Option<BigInt>,
    pub(crate) stores_count: bool,
}

/// The end of an evaluation.
pub(crate) enum Outcome {
    Plan(Plan),
    /// It needs so many words, which are too many.
    TooLarge(u128),
    /// It moves too much.
    TooDear,
}

impl Plan {
    /// Evaluates a form of order with sizes and depths. Words are cheap to find out, so they come first.
    pub(crate) fn of(
        site: &Site<'_>,
        statements: &[StatementId],
        form: &Form,
        (depths, sizes): (&[usize], &[u64]),
        monotone: usize,
        limits: &Limits,
    ) -> Result<Outcome> {
        // Tiles that hold everything are no dimensions; depths count only those that are left.
        let mut dims: Vec<Dim> = Vec::new();
        let mut kept = vec![0];
        for axis in &form.axes {
            let tile = axis.size.map(|size| sizes[size]);
            let whole = axis
                .size
                .is_some_and(|size| u128::from(sizes[size]) >= form.extents[size]);
            if !whole {
                dims.push(Dim {
                    family: axis.family.clone(),
                    tile,
                });
            }
            kept.push(dims.len());
        }
        let mut classes: Vec<Class> = Vec::new();
        // What each of them is thought to move.
        let mut promised: Vec<u128> = Vec::new();
        for (at, (group, depth)) in form.groups.iter().zip(depths).enumerate() {
            let promise = form.at(at, *depth, sizes).1;
            let depth = kept.get(*depth).copied().unwrap_or(dims.len() + 1);
            let known = |class: &Class| class.array == group.array && class.depth == depth;
            match classes.iter().position(known) {
                Some(known) => {
                    let class = &mut classes[known];
                    class.references.extend(&group.references);
                    class.parts.push(group.references.clone());
                    promised[known] = promised[known].saturating_add(promise);
                }
                None => {
                    classes.push(Class {
                        array: group.array,
                        depth,
                        references: group.references.clone(),
                        parts: vec![group.references.clone()],
                    });
                    promised.push(promise);
                }
            }
        }
        let mut plan = Plan {
            monotone: kept[monotone],
            original: form.axes.iter().all(|axis| axis.size.is_none()) && monotone == 0,
            component: Component {
                statements: statements.to_vec(),
                dims,
            },
            classes: Vec::new(),
            words: 0,
            loads: BigInt::default(),
            stores: BigInt::default(),
        };
        let forward = |class: &Class| class.depth <= kept[monotone];
        let dims = &plan.component.dims;
        let mut alone = Vec::new();
        let mut shared = BTreeMap::new();
        let mut bundles = Vec::new();
        for bundle in form.twins.bundles(&classes) {
            let mut sum: u128 = 0;
            for class in &bundle {
                if class.depth > dims.len() {
                    alone.extend(&class.references);
                }
                sum = sum.saturating_add(words(site, dims, class, forward(class))?);
            }
            if let Some(joint) = joint(&bundle).filter(|_| sum > 1 && bundle.len() > 1) {
                let fewer = words(site, dims, &joint, forward(&joint))?;
                if fewer < sum {
                    sum = fewer;
                    let later = bundle[1..].iter().map(|class| (class.array, class.depth));
                    shared.extend(later.map(|class| (class, (joint.array, fewer))));
                }
            }
            plan.words = plan.words.saturating_add(sum);
            bundles.push((bundle, sum));
        }
        plan.words = plan.words.saturating_add(words_alone(site, &alone)?);
        if plan.words > limits.words {
            let fewer = words_by_turns(site, dims, statements, &bundles, &alone)?;
            plan.words = plan.words.min(fewer);
        }
        if plan.words > limits.words {
            return Ok(Outcome::TooLarge(plan.words));
        }
        // What is thought to move the most tells soonest that it is too much.
        let mut ranking: Vec<usize> = (0..classes.len()).collect();
        ranking.sort_by_key(|at| Reverse(promised[*at]));
        let mut measures: BTreeMap<usize, Measure> = BTreeMap::new();
        for at in ranking {
            let class = &classes[at];
            let mut measure = measure(site, &plan.component.dims, class, forward(class))?;
            measure.together = shared.get(&(class.array, class.depth)).copied();
            plan.loads += &measure.loads;
            plan.stores += &measure.stores;
            measures.insert(at, measure);
            let moved = plan.cost(limits.stores_count);
            if limits.moved.as_ref().is_some_and(|most| moved > *most) {
                return Ok(Outcome::TooDear);
            }
        }
        plan.classes = classes.into_iter().zip(measures.into_values()).collect();
        Ok(Outcome::Plan(plan))
    }

    /// Whether a set was too hard to count.
    pub(crate) fn is_hard(&self) -> bool {
        let mut ends = self.classes.iter().flat_map(|(_, measure)| &measure.ends);
        ends.any(|end| *end == End::Hard)
    }

    /// The same plan with counts that ran out of steps made exact, as far as the steps go.
    pub(crate) fn recounted(mut self, site: &Site<'_>, steps: &mut u64) -> Result<Plan> {
        let dims = &self.component.dims;
        for (class, measure) in &mut self.classes {
            let forward = class.depth <= self.monotone;
            recount(site, dims, class, forward, measure, steps)?;
        }
        self.loads = self.classes.iter().map(|(_, m)| &m.loads).sum();
        self.stores = self.classes.iter().map(|(_, m)| &m.stores).sum();
        Ok(self)
    }

    /// What is minimised.
    pub(crate) fn cost(&self, stores_count: bool) -> BigInt {
        match stores_count {
            true => &self.loads + &self.stores,
            false => self.loads.clone(),
        }
    }
}
