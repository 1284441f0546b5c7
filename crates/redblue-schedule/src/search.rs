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

use redblue_program::StatementId;

use crate::error::Result;
use crate::estimate::{Axis, Estimator, Group};
use crate::form::{Estimate, Form};
use crate::order::{Family, Row};
use crate::plan::Plan;
use crate::site::Site;

/// Candidates that are counted exactly.
const COUNTED: usize = 5;
/// Candidates whose sizes are refined.
const REFINED: usize = 12;

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

/// A form with sizes and what the estimate says of it.
struct Candidate {
    form: Form,
    /// How many leading axes are forward families.
    monotone: usize,
    sizes: Vec<u64>,
    estimate: Estimate,
}

impl Search<'_> {
    /// The best plans found, best first, and whether the deadline cut the search.
    pub(crate) fn run(&self) -> Result<(Vec<Plan>, bool)> {
        let stores = self.estimator.stores_count;
        let groups = self.groups();
        let mut candidates = Vec::new();
        let mut cut = false;
        for (axes, monotone) in self.forms(&groups) {
            if self.late() {
                cut = true;
                break;
            }
            let form = self.estimator.form(axes, &groups)?;
            if let Some((sizes, estimate)) = self.coarse(&form) {
                candidates.push(Candidate {
                    form,
                    monotone,
                    sizes,
                    estimate,
                });
            }
        }
        candidates.sort_by_key(|c| (c.estimate.cost, c.form.axes.len()));
        keep_different(&mut candidates);
        candidates.truncate(REFINED);
        for candidate in &mut candidates {
            self.refine(candidate);
        }
        candidates.sort_by_key(|c| (c.estimate.cost, c.form.axes.len()));
        keep_different(&mut candidates);
        let mut plans: Vec<Plan> = Vec::new();
        for candidate in candidates.iter_mut().take(COUNTED) {
            if self.late() && !plans.is_empty() {
                cut = true;
                break;
            }
            plans.extend(self.counted(candidate)?);
        }
        plans.extend(self.own(&groups)?);
        plans.sort_by_key(|plan| (plan.cost(stores), !plan.original, plan.component.dims.len()));
        Ok((plans, cut))
    }

    /// References that move together.
    pub(crate) fn groups(&self) -> Vec<Group> {
        self.estimator.groups(self.statements, self.families)
    }

    /// The program's own order; if nothing can stay, every operand is loaded where it is used.
    fn own(&self, groups: &[Group]) -> Result<Option<Plan>> {
        let form = self.estimator.form(own_axes(self.times), groups)?;
        let nothing = form.nothing();
        let estimate = form.evaluate(&[], self.words.into());
        let mut candidate = Candidate {
            estimate: estimate.unwrap_or_else(|| nothing.clone()),
            form,
            monotone: 0,
            sizes: Vec::new(),
        };
        if let Some(plan) = self.counted(&mut candidate)? {
            return Ok(Some(plan));
        }
        candidate.estimate = nothing;
        self.counted(&mut candidate)
    }

    /// Whether the deadline is over.
    pub(crate) fn late(&self) -> bool {
        self.deadline
            .is_some_and(|deadline| Instant::now() > deadline)
    }

    /// Exact evaluation. Where the estimate promised too few words, it is asked again for less.
    fn counted(&self, candidate: &mut Candidate) -> Result<Option<Plan>> {
        let limit = u128::from(self.words);
        let mut room = limit;
        for _ in 0..6 {
            let plan = Plan::of(
                self.site,
                self.statements,
                &candidate.form,
                &candidate.estimate,
                &candidate.sizes,
                candidate.monotone,
            )?;
            if plan.words <= limit {
                return Ok(Some(plan));
            }
            let excess = plan.words.saturating_sub(limit).max(1);
            let scaled = (room * limit).checked_div(plan.words).unwrap_or(0);
            room = scaled
                .max(room.saturating_sub(excess))
                .min(room.saturating_sub(1));
            let Some((sizes, estimate)) = self.coarse_within(&candidate.form, room) else {
                return Ok(None);
            };
            candidate.sizes = sizes;
            candidate.estimate = estimate;
            self.refine_within(candidate, room);
        }
        Ok(None)
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

    fn coarse(&self, form: &Form) -> Option<(Vec<u64>, Estimate)> {
        self.coarse_within(form, self.words.into())
    }

    /// The best sizes of a grid.
    fn coarse_within(&self, form: &Form, room: u128) -> Option<(Vec<u64>, Estimate)> {
        let (up, down) = match form.extents.len() {
            0 | 1 => (9, 8),
            2 => (3, 2),
            _ => (4, 1),
        };
        let grids: Vec<Vec<u64>> = form
            .extents
            .iter()
            .map(|extent| grid(*extent, self.words, up, down))
            .collect();
        let mut best: Option<(Vec<u64>, Estimate)> = None;
        let mut at = vec![0; grids.len()];
        loop {
            let sizes: Vec<u64> = at.iter().zip(&grids).map(|(at, grid)| grid[*at]).collect();
            if let Some(estimate) = form.evaluate(&sizes, room)
                && best
                    .as_ref()
                    .is_none_or(|(_, known)| estimate.cost < known.cost)
            {
                best = Some((sizes, estimate));
            }
            let Some(next) = (0..at.len()).find(|dim| at[*dim] + 1 < grids[*dim].len()) else {
                return best;
            };
            at[next] += 1;
            at[..next].fill(0);
        }
    }

    fn refine(&self, candidate: &mut Candidate) {
        self.refine_within(candidate, self.words.into());
    }

    /// Improves the sizes: one after the other, and in pairs where one grows as far as memory allows.
    fn refine_within(&self, candidate: &mut Candidate, room: u128) {
        let count = candidate.sizes.len();
        for _ in 0..3 {
            let before = candidate.estimate.cost;
            for one in 0..count {
                for value in around(candidate.sizes[one], candidate.form.extents[one]) {
                    for other in (0..count).filter(|other| *other != one) {
                        self.offer(candidate, one, value, Some(other), room);
                    }
                    self.offer(candidate, one, value, None, room);
                }
            }
            if candidate.estimate.cost == before {
                break;
            }
        }
    }

    /// Tries a value of one size, with another one as large as possible.
    fn offer(
        &self,
        candidate: &mut Candidate,
        one: usize,
        value: u64,
        other: Option<usize>,
        room: u128,
    ) {
        let mut sizes = candidate.sizes.clone();
        sizes[one] = value;
        if let Some(other) = other {
            let form = &candidate.form;
            let depths = &candidate.estimate.depths;
            let most = u64::try_from(form.extents[other])
                .unwrap_or(u64::MAX)
                .max(1);
            let (mut low, mut high) = (1, most);
            while low < high {
                let middle = low + (high - low).div_ceil(2);
                sizes[other] = middle;
                match form.words(depths, &sizes) <= room {
                    true => low = middle,
                    false => high = middle - 1,
                }
            }
            sizes[other] = low;
        }
        if let Some(estimate) = candidate.form.evaluate(&sizes, room)
            && estimate.cost < candidate.estimate.cost
        {
            candidate.sizes = sizes;
            candidate.estimate = estimate;
        }
    }
}

impl Candidate {
    /// The dimensions that decide what is moved: tiles that hold everything are none, those of side one are their
    /// function, and nothing stays within dimensions beyond the deepest.
    fn essence(&self) -> Vec<(&Family, u64)> {
        let count = self.form.axes.len();
        let deepest = self.estimate.depths.iter().filter(|depth| **depth <= count);
        let deepest = deepest.max().copied().unwrap_or(0);
        let axes = self.form.axes.iter().take(deepest);
        let dims = axes.filter_map(|axis| match axis.size {
            Some(size) if u128::from(self.sizes[size]) >= self.form.extents[size] => None,
            Some(size) => Some((&axis.family, self.sizes[size])),
            None => Some((&axis.family, 1)),
        });
        dims.collect()
    }
}

/// Leaves one of several candidates that do the same.
fn keep_different(candidates: &mut Vec<Candidate>) {
    let mut kept: Vec<Candidate> = Vec::new();
    for candidate in candidates.drain(..) {
        let same = |other: &Candidate| {
            other.estimate.cost == candidate.estimate.cost && other.essence() == candidate.essence()
        };
        if !kept.iter().any(same) {
            kept.push(candidate);
        }
    }
    *candidates = kept;
}

/// Single functions as axes.
fn own_axes(times: &[Family]) -> Vec<Axis> {
    let axis = |family: &Family| Axis {
        family: family.clone(),
        size: None,
    };
    times.iter().map(axis).collect()
}

/// The program's own time within some statements, as functions; components that never differ are left out.
pub(crate) fn own_times(
    times: &[Option<Vec<Row>>],
    statements: &[StatementId],
    iterators: impl Fn(StatementId, usize) -> String,
) -> Option<Vec<Family>> {
    let mut families = Vec::new();
    let depth = statements
        .iter()
        .filter_map(|id| times[id.0].as_ref())
        .map(Vec::len)
        .min()?;
    for component in 0..depth {
        let mut rows = vec![None; times.len()];
        let mut name = None;
        let mut different = false;
        let mut first: Option<&Row> = None;
        for id in statements {
            let row = &times[id.0].as_ref()?[component];
            let moves = row.dims.iter().position(|c| *c != 0);
            if let Some(at) = moves {
                different = true;
                name = name.or_else(|| Some(iterators(*id, at)));
            }
            different |= first.is_some_and(|known| known.constant != row.constant);
            first = first.or(Some(row));
            rows[id.0] = Some(row.clone());
        }
        if different {
            families.push(Family {
                name: name.unwrap_or_else(|| "then".to_owned()),
                rows,
            });
        }
    }
    Some(families)
}

/// Sizes from 1 to the extent or the memory, each by about a factor larger than the one before.
fn grid(extent: u128, words: u64, up: u64, down: u64) -> Vec<u64> {
    let extent = u64::try_from(extent).unwrap_or(u64::MAX);
    let most = extent.min(words);
    let mut list = vec![1];
    let mut value = 1;
    while value < most {
        value = (value * up / down).max(value + 1).min(most);
        list.push(value);
    }
    if extent > most {
        list.push(extent);
    }
    list
}

/// Values near one, all of them if they are few.
fn around(value: u64, extent: u128) -> Vec<u64> {
    let extent = u64::try_from(extent).unwrap_or(u64::MAX);
    let (low, high) = ((value / 2).max(1), (value * 2).min(extent).max(1));
    let step = ((high - low) / 64).max(1);
    let mut list: Vec<u64> = (low..=high).step_by(step as usize).collect();
    list.extend((value.saturating_sub(4).max(1))..=(value + 4).min(extent));
    // Sides that cut the extent into equal parts waste nothing at the edges.
    let parts = extent.div_ceil(value.max(1));
    for number in parts.saturating_sub(4).max(1)..=parts + 4 {
        list.push(extent.div_ceil(number));
    }
    list.push(extent);
    list.sort_unstable();
    list.dedup();
    list
}

fn subsets(count: usize) -> Vec<Vec<usize>> {
    let member = |mask: usize| (0..count).filter(move |at| mask >> at & 1 == 1).collect();
    (0..1usize << count).map(member).collect()
}

fn permutations(items: &[usize]) -> Vec<Vec<usize>> {
    if items.is_empty() {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for (at, first) in items.iter().enumerate() {
        let mut rest = items.to_vec();
        rest.remove(at);
        for tail in permutations(&rest) {
            all.push([vec![*first], tail].concat());
        }
    }
    all
}
