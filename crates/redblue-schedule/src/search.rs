//! The search for the order of one component: forms of orders, tile sizes, what stays resident.
//!
//! ```text
//! families ─► forms: which are tiled, in which order, and how the rest follows
//!   ─► sizes and depths by the cheap estimate ─► the best few counted exactly ─► the least traffic
//! ```
//!
//! Every number of steps is fixed, so the same input gives the same answer; a deadline only cuts the list of
//! candidates that are counted.

use std::time::Instant;

use num_bigint::BigInt;
use redblue_program::{ArrayId, StatementId};

use crate::candidate::{Candidate, coarse_sizes, keep_different, shorten};
use crate::choices::{permutations, subsets};
use crate::error::Result;
use crate::estimate::{Axis, Estimator, Group};
use crate::order::Family;
use crate::plan::{Limits, Outcome, Plan};
use crate::site::Site;
use crate::threads::{processors, side_by_side};

/// Candidates that are counted exactly.
const COUNTED: usize = 5;
/// Candidates with windows that are counted exactly.
const SLIDING: usize = 3;
/// Candidates whose sizes are refined.
const REFINED: usize = 12;

/// Candidates that move more than so many hundredths of the best one, or of what is known, are not counted to the end.
const WORSE: u32 = 125;

/// Candidates that promise more than so many hundredths of what the best one moves are not counted.
const HOPELESS: u32 = 300;

/// Where estimates promise too little, candidates that promise more than so many hundredths of what the best one promised are
/// not counted.
const LESS: u32 = 150;

/// Points of a grid of sizes, if several families are tiled.
const GRID: u64 = 1_000;

/// What the search of a component works with.
pub(crate) struct Search<'p> {
    pub(crate) site: &'p Site<'p>,
    pub(crate) estimator: &'p Estimator<'p>,
    pub(crate) statements: &'p [StatementId],
    pub(crate) families: &'p [Family],
    /// For each of them, those that must come before it as single functions; it is never tiled then.
    pub(crate) after: &'p [Vec<usize>],
    /// The program's own time as functions, constant ones left out.
    pub(crate) times: &'p [Family],
    pub(crate) words: u64,
    pub(crate) deadline: Option<Instant>,
}

/// What the search of a component found.
#[derive(Clone, Debug, Default)]
pub(crate) struct Found {
    /// Best first.
    pub(crate) plans: Vec<Plan>,
    /// The least cost that any estimate promised.
    pub(crate) promise: u128,
    /// The work it took.
    pub(crate) work: u64,
    /// Whether the deadline cut the search.
    pub(crate) cut: bool,
}

/// The best candidate that was counted, with its plan.
type Best<'c> = (&'c Candidate, Plan);

impl Search<'_> {
    /// The best plans found. If no estimate promises less than `most`, there are none: nothing is counted then.
    pub(crate) fn run(&self, most: Option<u128>) -> Result<Found> {
        let stores = self.estimator.stores_count;
        let before = self.site.work();
        let groups = self.groups();
        let mut cut = false;
        let mut candidates = self.candidates(&groups, true, &mut cut)?;
        candidates.retain(|candidate| candidate.form.slides());
        let mut plain = self.candidates(&groups, false, &mut cut)?;
        let promises = candidates.iter().chain(&plain).map(|c| c.estimate.cost);
        let promise = promises.min().unwrap_or(u128::MAX);
        if most.is_some_and(|most| promise >= most) {
            let plans = Vec::new();
            return Ok(Found {
                plans,
                promise,
                work: self.site.work() - before,
                cut,
            });
        }
        shorten(&mut candidates, SLIDING);
        shorten(&mut plain, COUNTED);
        // What one without a window moves tells early which ones with windows are hopeless; skewed ones tell more.
        let skewed = candidates.iter().any(Candidate::is_skewed);
        let first = plain.len().min(usize::from(!skewed));
        candidates.splice(..0, plain.drain(..first));
        candidates.extend(plain);
        let most = most.map(BigInt::from);
        let (best, mut plans) = self.all_counted(&mut candidates, most.as_ref(), &mut cut)?;
        if let Some((candidate, plan)) = best {
            plans.insert(0, self.settled(candidate, plan)?);
        }
        let costs = plans.iter().map(|plan| plan.cost(stores));
        let least = costs.chain(most).min();
        plans.extend(self.own(&groups, least)?);
        plans.sort_by_key(|plan| (plan.cost(stores), !plan.original, plan.component.dims.len()));
        Ok(Found {
            plans,
            promise,
            work: self.site.work() - before,
            cut,
        })
    }

    /// The best candidate with its plan, and the plans of the others that were counted to the end.
    fn all_counted<'c>(
        &self,
        candidates: &'c mut [Candidate],
        most: Option<&BigInt>,
        cut: &mut bool,
    ) -> Result<(Option<Best<'c>>, Vec<Plan>)> {
        let stores = self.estimator.stores_count;
        let mut plans: Vec<Plan> = Vec::new();
        let mut best: Option<Best<'_>> = None;
        // What was too hard to count.
        let mut hard: Vec<(u128, Vec<u64>)> = Vec::new();
        for candidate in candidates {
            if self.late() {
                *cut = true;
                break;
            }
            let estimate = BigInt::from(candidate.estimate.cost);
            let hopeless = most.is_some_and(|most| most * HOPELESS < &estimate * 100);
            // What promises the same with the same sides is mostly as hard to count, and no better.
            let promise = (candidate.estimate.cost, candidate.sides());
            let hard_too = hard.iter().filter(|other| **other == promise).count() > 1;
            let beaten = best
                .as_ref()
                .is_some_and(|best| self.beats(best, candidate));
            if hopeless || hard_too || beaten {
                continue;
            }
            let known = best.as_ref().map(|(_, known)| known.cost(stores));
            let least = known.into_iter().chain(most.cloned()).min();
            let most = least.map(|least| least * WORSE / 100);
            let Some(plan) = self.counted(candidate, most)? else {
                continue;
            };
            if plan.is_hard() {
                hard.push(promise);
            }
            // What stays without a window is easier to see.
            let plainer = |other: &Candidate| other.form.slides() && !candidate.form.slides();
            let better = |(other, known): &Best<'_>| {
                (known.cost(stores), plainer(other)) <= (plan.cost(stores), false)
            };
            match &best {
                Some(known) if better(known) => plans.push(plan),
                _ => plans.extend(best.replace((candidate, plan)).map(|(_, plan)| plan)),
            }
        }
        Ok((best, plans))
    }

    /// Whether a candidate need not be counted, given the best one so far with its plan.
    fn beats(&self, (best, plan): &Best<'_>, candidate: &Candidate) -> bool {
        let known = plan.cost(self.estimator.stores_count);
        let estimate = BigInt::from(candidate.estimate.cost);
        let hard = candidate.is_hard() && known <= &estimate * 4;
        let won = best.is_skewed() && !candidate.form.slides() && known < estimate;
        let far = &known * HOPELESS < &estimate * 100;
        // Where the best one moves more than was promised, so do others like it.
        let promised = BigInt::from(best.estimate.cost);
        let alike = !best.form.slides() && !candidate.form.slides();
        let missed = alike && &promised * WORSE < known * 100 && &promised * LESS < &estimate * 100;
        hard || won || far || missed
    }

    /// The most promising candidates, those that are hard to count last.
    fn candidates(
        &self,
        groups: &[Group],
        windows: bool,
        cut: &mut bool,
    ) -> Result<Vec<Candidate>> {
        let mut forms = Vec::new();
        for (axes, monotone) in self.forms(groups) {
            if self.late() {
                *cut = true;
                break;
            }
            forms.push((self.estimator.form(axes, groups, windows)?, monotone));
        }
        let words = self.words;
        let deadline = self.deadline;
        let found = side_by_side(processors(), forms, |(form, monotone)| {
            match deadline.is_some_and(|end| Instant::now() > end) {
                true => Err(()),
                false => Ok(Candidate::coarse(form, monotone, words)),
            }
        });
        *cut |= found.iter().any(|one| one.is_err());
        let mut candidates: Vec<Candidate> = found.into_iter().flatten().flatten().collect();
        candidates.sort_by_key(|c| (c.estimate.cost, c.form.axes.len()));
        keep_different(&mut candidates);
        shorten(&mut candidates, REFINED);
        let mut candidates = side_by_side(processors(), candidates, |mut candidate| {
            if deadline.is_none_or(|end| Instant::now() < end) {
                candidate.refine(words.into());
            }
            candidate
        });
        candidates.sort_by_key(|c| (c.is_hard(), c.estimate.cost, c.form.axes.len()));
        keep_different(&mut candidates);
        Ok(candidates)
    }

    /// References that move together.
    pub(crate) fn groups(&self) -> Vec<Group> {
        self.estimator.groups(self.statements, self.families)
    }

    /// The program's own order, unless it moves more than what is known; if nothing can stay, every operand is loaded
    /// where it is used.
    fn own(&self, groups: &[Group], least: Option<BigInt>) -> Result<Option<Plan>> {
        let form = self.estimator.form(own_axes(self.times), groups, false)?;
        let nothing = form.nothing();
        let estimate = form.evaluate(&[], self.words.into());
        let mut candidate = Candidate {
            estimate: estimate.unwrap_or_else(|| nothing.clone()),
            form,
            monotone: 0,
            sizes: Vec::new(),
        };
        let most = least.as_ref().map(|least| least * WORSE / 100);
        if let Some(plan) = self.counted(&mut candidate, most.clone())? {
            return Ok(Some(self.settled(&candidate, plan)?));
        }
        candidate.estimate = nothing;
        self.counted(&mut candidate, most)
    }

    /// Whether the deadline is over.
    pub(crate) fn late(&self) -> bool {
        self.deadline
            .is_some_and(|deadline| Instant::now() > deadline)
    }

    /// Exact evaluation, given up if more than `most` is moved. Where the estimate promised too few words, it is asked
    /// again for less.
    fn counted(&self, candidate: &mut Candidate, most: Option<BigInt>) -> Result<Option<Plan>> {
        let limit = u128::from(self.words);
        let mut room = limit;
        for _ in 0..8 {
            let words = match self.plan(candidate, &candidate.estimate.depths, most.clone())? {
                Outcome::Plan(plan) => return Ok(Some(plan)),
                Outcome::TooDear => return Ok(None),
                Outcome::TooLarge(words) => words,
            };
            // The estimate leaves out what is constant, or is too small by a factor.
            let excess = words.saturating_sub(limit).max(1);
            let promised = candidate.estimate.words.min(room);
            let scaled = (promised * limit).checked_div(words).unwrap_or(0);
            room = scaled
                .max(promised.saturating_sub(excess))
                .min(promised.saturating_sub(1));
            let Some((sizes, estimate)) = coarse_sizes(&candidate.form, self.words, room) else {
                return Ok(None);
            };
            candidate.sizes = sizes;
            candidate.estimate = estimate;
            candidate.refine(room);
        }
        Ok(None)
    }

    fn plan(
        &self,
        candidate: &Candidate,
        depths: &[usize],
        moved: Option<BigInt>,
    ) -> Result<Outcome> {
        let limits = Limits {
            words: self.words.into(),
            moved,
            stores_count: self.estimator.stores_count,
        };
        Plan::of(
            self.site,
            self.statements,
            &candidate.form,
            (depths, &candidate.sizes),
            candidate.monotone,
            &limits,
        )
    }

    /// The plan with other depths where that moves less. Groups of an array at one depth share cells, and where a group
    /// stays, only a part of it may move: the estimate knows nothing of both.
    fn settled(&self, candidate: &Candidate, plan: Plan) -> Result<Plan> {
        if self.late() {
            return Ok(plan);
        }
        let groups = &candidate.form.groups;
        let mut settled = (candidate.estimate.depths.clone(), plan);
        let mut arrays: Vec<ArrayId> = groups.iter().map(|group| group.array).collect();
        arrays.sort();
        arrays.dedup();
        for array in arrays {
            let own = |at: &usize| groups[*at].array == array;
            let members: Vec<usize> = (0..groups.len()).filter(own).collect();
            let mut places: Vec<usize> = members.iter().map(|at| settled.0[*at]).collect();
            places.sort_unstable();
            places.dedup();
            if places.len() < 2 {
                continue;
            }
            for place in &places {
                self.settle(candidate, &members, *place, &mut settled)?;
            }
            for (place, at) in places
                .iter()
                .flat_map(|p| members.iter().map(move |at| (p, at)))
            {
                self.settle(candidate, &[*at], *place, &mut settled)?;
            }
        }
        let deepest = candidate.form.axes.len();
        for at in 0..groups.len() {
            for place in 0..=deepest {
                if settled.0[at] > deepest && candidate.form.levels[at][place].hands_on {
                    self.settle(candidate, &[at], place, &mut settled)?;
                }
            }
        }
        Ok(settled.1)
    }

    /// Puts some groups at another depth if that moves less.
    fn settle(
        &self,
        candidate: &Candidate,
        groups: &[usize],
        place: usize,
        settled: &mut (Vec<usize>, Plan),
    ) -> Result<()> {
        let mut depths = settled.0.clone();
        groups.iter().for_each(|at| depths[*at] = place);
        if depths == settled.0 {
            return Ok(());
        }
        let most = settled.1.cost(self.estimator.stores_count) - 1;
        if let Outcome::Plan(plan) = self.plan(candidate, &depths, Some(most))? {
            *settled = (depths, plan);
        }
        Ok(())
    }

    /// Lists of families that may be tiled together, outermost first.
    pub(crate) fn tile_lists(&self, groups: &[Group]) -> Vec<Vec<usize>> {
        let count = self.families.len();
        let mut tiled: Vec<Vec<usize>> = Vec::new();
        if count <= 3 {
            for subset in subsets(count) {
                tiled.extend(permutations(&subset));
            }
            tiled.retain(|tiles| tiles.iter().all(|at| self.after[*at].is_empty()));
        } else {
            let free = |at: &usize| self.after[*at].is_empty();
            tiled.push(Vec::new());
            for group in groups {
                let support: Vec<usize> = group.support(count).into_iter().filter(free).collect();
                let grids = support.iter().map(|at| {
                    let extent = self.estimator.extent(&self.families[*at]);
                    u64::from(extent.ilog2()) / 2 + 2
                });
                if grids.product::<u64>() < GRID {
                    tiled.push(support);
                }
            }
            tiled.push((0..count).filter(free).collect());
            for one in (0..count).filter(free) {
                tiled.push(vec![one]);
                for other in (0..count).filter(free) {
                    if one != other {
                        tiled.push(vec![one, other]);
                    }
                }
            }
            tiled.sort();
            tiled.dedup();
        }
        tiled
    }

    /// The forms of orders: axes, and how many leading ones are forward families.
    fn forms(&self, groups: &[Group]) -> Vec<(Vec<Axis>, usize)> {
        let mut forms = Vec::new();
        for tiles in &self.tile_lists(groups) {
            let head: Vec<Axis> = tiles
                .iter()
                .enumerate()
                .map(|(size, at)| Axis {
                    family: self.starting_at_zero(&self.families[*at]),
                    size: Some(size),
                })
                .collect();
            for points in self.points(tiles, groups) {
                let mut axes = head.clone();
                axes.extend(points.iter().map(|at| Axis {
                    family: self.families[*at].clone(),
                    size: None,
                }));
                let free = |at: &&usize| self.after[**at].is_empty();
                let monotone = head.len() + points.iter().take_while(free).count();
                forms.push((axes, monotone));
            }
            if !tiles.is_empty() {
                let mut axes = head.clone();
                axes.extend(own_axes(self.times));
                forms.push((axes, head.len()));
            }
        }
        forms.extend(self.step_forms());
        forms
    }

    /// Orders of the single functions after the tiles.
    fn points(&self, tiles: &[usize], groups: &[Group]) -> Vec<Vec<usize>> {
        let count = self.families.len();
        let mut orders = Vec::new();
        if count <= 3 {
            orders = permutations(&(0..count).collect::<Vec<_>>());
        } else {
            let rest: Vec<usize> = (0..count).filter(|at| !tiles.contains(at)).collect();
            for turn in 0..tiles.len().clamp(1, 3) {
                let mut inner = tiles.to_vec();
                if !inner.is_empty() {
                    inner.rotate_left(turn);
                }
                orders.push([rest.clone(), inner.clone()].concat());
                inner.reverse();
                orders.push([rest.clone(), inner].concat());
            }
            // What one group moves along, then the others: it is loaded piece by piece while they stay.
            for group in groups {
                let support = group.support(count);
                let (own, others): (Vec<usize>, Vec<usize>) =
                    tiles.iter().partition(|at| support.contains(at));
                orders.push([rest.clone(), own, others].concat());
            }
            for last in &rest {
                let others: Vec<usize> = rest.iter().copied().filter(|at| at != last).collect();
                orders.push([others, tiles.to_vec(), vec![*last]].concat());
            }
            orders.sort();
            orders.dedup();
        }
        orders.retain(|order| {
            let place = |at: usize| order.iter().position(|other| *other == at);
            let waits = |at: &usize| {
                self.after[*at]
                    .iter()
                    .all(|other| place(*other) < place(*at))
            };
            order.iter().all(waits)
        });
        orders
    }

    /// The family moved so that its least value at these sizes is zero: tiles then start where the values do.
    pub(crate) fn starting_at_zero(&self, family: &Family) -> Family {
        let lows = self.statements.iter().filter_map(|id| {
            let row = family.row(*id)?;
            (self.site.size(*id) > 0).then(|| self.site.range(*id, row).0)
        });
        let low = lows.min().unwrap_or(0);
        let mut moved = family.clone();
        for row in moved.rows.iter_mut().flatten() {
            row.constant -= low;
        }
        moved
    }
}

/// Single functions as axes.
fn own_axes(times: &[Family]) -> Vec<Axis> {
    let axis = |family: &Family| Axis {
        family: family.clone(),
        size: None,
    };
    times.iter().map(axis).collect()
}
