//! Nested memories: one order whose outer tiles fit the larger memory and whose inner tiles fit the smaller one.
//!
//! ```text
//! an order that is good for one level ─► tiles of the next level around it, in multiples of its own
//!   ─► what stays at each level is chosen for that level alone ─► every level counted exactly
//! ```
//!
//! What stays in a memory is a choice per level, so the traffic between a memory and the next one is that of the same
//! order with another number of words: each level has the proof that a single one would have. Tiles of forward families
//! around a legal order leave it legal (see [`crate::order`]). No level is as good as it would be alone; an order is the
//! better the smaller the product of the words that its levels move.

use num_bigint::BigInt;
use num_traits::One as _;

use crate::error::Result;
use crate::estimate::{Axis, Group};
use crate::form::{Estimate, Form};
use crate::plan::{Limits, Outcome, Plan};
use crate::search::Search;

/// Orders of each level around which tiles are tried.
const BASES: usize = 3;
/// Sides of tiles grow by this factor in the grid.
const STEP: u64 = 2;
/// Most combinations of sides in the grid; with more tiles than that allows the order is not tried.
const GRID: usize = 4_000;
/// Rounds in which sides are improved.
const ROUNDS: usize = 4;
/// How often the memory is said to be smaller where a level's cells do not fit.
const ATTEMPTS: usize = 6;

/// An order with sides for all its tiles.
struct Candidate {
    form: Form,
    sizes: Vec<u64>,
    monotone: usize,
    /// How many of the sides, the first ones, may change, and what each is a multiple of.
    units: Vec<u64>,
    score: BigInt,
}

/// One plan per level, nearest first, all with the same dimensions: the best nested order found. `searches` has one search per level, nearest
/// first, all of the same statements.
pub(crate) fn plans(searches: &[Search<'_>]) -> Result<(Vec<Plan>, bool)> {
    let Some(nearest) = searches.first() else {
        return Ok((Vec::new(), false));
    };
    let groups = nearest.groups();
    let stores = nearest.estimator.stores_count;
    let mut bases: Vec<Plan> = Vec::new();
    let mut cut = false;
    for search in searches {
        let found = search.run(None)?;
        cut |= found.cut;
        for plan in found.plans.into_iter().take(BASES) {
            let same = |known: &Plan| known.component.dims == plan.component.dims;
            if !bases.iter().any(same) {
                bases.push(plan);
            }
        }
    }
    let mut best: Option<(BigInt, Vec<Plan>)> = None;
    for base in bases {
        if best.is_some() && nearest.late() {
            cut = true;
            break;
        }
        let mut counted = vec![base];
        for outer in 1..searches.len() {
            let Some(inner) = counted.first() else { break };
            counted = around(&searches[..=outer], &groups, inner)?;
        }
        if counted.len() < searches.len() {
            continue;
        }
        let score: BigInt = counted.iter().map(|plan| plan.cost(stores)).product();
        if best.as_ref().is_none_or(|(least, _)| score < *least) {
            best = Some((score, counted));
        }
    }
    Ok((best.map(|(_, plans)| plans).unwrap_or_default(), cut))
}

/// A base with tiles of the last level around it, counted at all levels.
fn around(searches: &[Search<'_>], groups: &[Group], base: &Plan) -> Result<Vec<Plan>> {
    let mut best: Option<Candidate> = None;
    for tiles in searches[0].tile_lists(groups) {
        let Some(mut candidate) = candidate(searches, groups, base, &tiles)? else {
            continue;
        };
        candidate.improve(searches);
        if best
            .as_ref()
            .is_none_or(|best| candidate.score < best.score)
        {
            best = Some(candidate);
        }
    }
    let Some(best) = best else {
        return Ok(Vec::new());
    };
    let level = |search: &Search<'_>| best.counted(search);
    let levels: Option<Vec<Plan>> = searches.iter().map(level).collect::<Result<_>>()?;
    Ok(levels.unwrap_or_default())
}

/// The order with tiles of these families first, their sides the best of a grid.
fn candidate(
    searches: &[Search<'_>],
    groups: &[Group],
    base: &Plan,
    tiles: &[usize],
) -> Result<Option<Candidate>> {
    let search = &searches[0];
    let mut axes = Vec::new();
    let mut units = Vec::new();
    for (size, at) in tiles.iter().enumerate() {
        let family = search.starting_at_zero(&search.families[*at]);
        let own = base.component.dims.iter().find(|dim| dim.family == family);
        units.push(own.and_then(|dim| dim.tile).unwrap_or(1));
        axes.push(Axis {
            family,
            size: Some(size),
        });
    }
    let mut sizes = vec![0; tiles.len()];
    for dim in &base.component.dims {
        let size = dim.tile.map(|side| {
            sizes.push(side);
            sizes.len() - 1
        });
        axes.push(Axis {
            family: dim.family.clone(),
            size,
        });
    }
    let form = search.estimator.form(axes, groups, false)?;
    let mut candidate = Candidate {
        monotone: tiles.len() + base.monotone,
        form,
        sizes,
        units,
        score: BigInt::default(),
    };
    let mut best: Option<(Vec<u64>, BigInt)> = None;
    for sides in candidate.grid() {
        candidate.sizes[..tiles.len()].copy_from_slice(&sides);
        let score = candidate.scored(searches);
        if best.as_ref().is_none_or(|(_, least)| score < *least) {
            best = Some((sides, score));
        }
    }
    Ok(best.map(|(sides, score)| {
        candidate.sizes[..tiles.len()].copy_from_slice(&sides);
        candidate.score = score;
        candidate
    }))
}

impl Candidate {
    /// All combinations of sides, each a multiple of its unit and by a factor larger than the one before, or the whole extent.
    fn grid(&self) -> Vec<Vec<u64>> {
        let mut all = vec![Vec::new()];
        for (unit, extent) in self.units.iter().zip(&self.form.extents) {
            let extent = u64::try_from(*extent).unwrap_or(u64::MAX).max(1);
            let mut sides = vec![*unit];
            while let Some(last) = sides.last().filter(|last| **last < extent) {
                sides.push(last.saturating_mul(STEP));
            }
            let longer = |list: &Vec<u64>| -> Vec<Vec<u64>> {
                let next = |side: &u64| [list.as_slice(), &[*side]].concat();
                sides.iter().map(next).collect()
            };
            all = all.iter().flat_map(longer).collect();
            if all.len() > GRID {
                return Vec::new();
            }
        }
        all
    }

    /// What stays at one level, by the cheap estimate.
    fn estimate(&self, room: u128) -> Estimate {
        let found = self.form.evaluate(&self.sizes, room);
        found.unwrap_or_else(|| self.form.nothing())
    }

    fn scored(&self, searches: &[Search<'_>]) -> BigInt {
        let cost = |search: &Search<'_>| BigInt::from(self.estimate(search.words.into()).cost);
        searches
            .iter()
            .map(cost)
            .fold(BigInt::one(), |all, cost| all * cost)
    }

    /// Improves one side after the other.
    fn improve(&mut self, searches: &[Search<'_>]) {
        for _ in 0..ROUNDS {
            let before = self.score.clone();
            for at in 0..self.units.len() {
                let (unit, side) = (self.units[at], self.sizes[at]);
                let count = side / unit;
                let steps = [count / 4, count / 8, count / 16, 2, 1];
                for step in steps.into_iter().filter(|step| *step > 0) {
                    for count in [count.saturating_sub(step).max(1), count + step] {
                        let known = self.sizes[at];
                        self.sizes[at] = count * unit;
                        let score = self.scored(searches);
                        if score < self.score {
                            self.score = score;
                        } else {
                            self.sizes[at] = known;
                        }
                    }
                }
            }
            if self.score == before {
                break;
            }
        }
    }

    /// The exact count at one level. Where the estimate promised too few words, fewer are said to be there; nothing need stay at all.
    fn counted(&self, search: &Search<'_>) -> Result<Option<Plan>> {
        let limit = u128::from(search.words);
        let mut room = limit;
        let exact = |estimate: &Estimate, words: u128| {
            let limits = Limits {
                words,
                moved: None,
                stores_count: search.estimator.stores_count,
            };
            Plan::of(
                search.site,
                search.statements,
                &self.form,
                (&estimate.depths, &self.sizes),
                self.monotone,
                &limits,
            )
        };
        for _ in 0..ATTEMPTS {
            match exact(&self.estimate(room), limit)? {
                Outcome::Plan(plan) => return Ok(Some(plan)),
                Outcome::TooLarge(words) => {
                    let scaled = (room * limit).checked_div(words).unwrap_or(0);
                    room = scaled.min(room.saturating_sub(1));
                }
                Outcome::TooDear => return Ok(None),
            }
        }
        match exact(&self.form.nothing(), u128::MAX)? {
            Outcome::Plan(plan) => Ok(Some(plan)),
            _ => Ok(None),
        }
    }
}
