//! From the statements of a program to components and their plans: which statements run together.
//!
//! ```text
//! nests, strands ─► the best plan of every part ─► the cheaper partition first: parts are joined while that saves words
//! ```
//!
//! Searches are counted in units of work that do not depend on the machine ([`Site::work`]); when they are used up,
//! nothing more is joined and the best partition so far is the answer.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use num_bigint::BigInt;
use num_traits::ToPrimitive;
use redblue_cert::Counted;
use redblue_program::{ArrayId, Program, StatementId};

use crate::dependence::{Dependences, free_sums};
use crate::error::{Result, ScheduleError};
use crate::estimate::Estimator;
use crate::family::Finder;
use crate::nested;
use crate::order::Family;
use crate::partition::{Partition, Reach};
use crate::plan::Plan;
use crate::sample::Sample;
use crate::search::{Found, Search};
use crate::shape::{Shape, own_times};
use crate::site::Site;
use crate::storage::Stored;
use crate::tiling::Options;
use crate::twins::Twins;

/// Plans of all components, for each of them best first.
pub(crate) type Plans = Vec<Vec<Plan>>;

/// Plans by level, nearest first, and whether the deadline cut the search.
pub(crate) type Solved = (Vec<Plans>, bool);

/// Components are joined only if one part in so many of all words is at stake.
const WORTH: u32 = 200;

/// Components that took less than one part in so many of all work may always be joined.
const CHEAP: u64 = 6;

/// Others are joined only if the words at stake, so many times, are as large a part of all words as their work is of all work.
const PRICE: u32 = 8;

/// Components, and other storage, are counted only if the best estimate is below so many hundredths of what is known.
const HOPEFUL: u32 = 110;

/// What starts something is joined to it early if it makes one of so many cells.
const STARTED: u128 = 16;

/// Steps for counting the chosen plans again.
const RECOUNT: u64 = 12_000_000;

/// Joint components that are searched, from each partition.
const TRIES: usize = 16;

/// The best plans of each level and component, best first, and whether the deadline cut the search. Nothing if no estimate
/// promises about as little as `known`, which other storage moves.
pub(crate) fn plans(
    stored: &Stored,
    options: &Options,
    sample: Sample,
    known: Option<&BigInt>,
) -> Result<Option<Solved>> {
    let words = *options.fast.last().ok_or(ScheduleError::NoFastMemory)?;
    let deadline = options.end(Instant::now());
    let Stored { program, flow } = stored;
    let free = free_sums(program, flow, options.model.sums)?;
    let site = Site::new(program, flow, &options.sizes, !free.is_empty())?;
    let shape = Shape::of(program)?;
    let dependences = Dependences::of(program, flow, &free)?;
    let stores_count = options.model.count == Counted::Total;
    let twins = Twins::of(&site)?;
    let estimator = Estimator {
        site: &site,
        shape: &shape,
        sample: &sample,
        stores_count,
        twins: &twins,
        equal: Default::default(),
    };
    let finder = Finder {
        program,
        shape: &shape,
        sample: &sample,
        dependences: &dependences,
    };
    let mut searches = Searches {
        program,
        site: &site,
        shape: &shape,
        estimator: &estimator,
        finder: &finder,
        words,
        deadline,
        work: options.work,
        known: BTreeMap::new(),
        cut: false,
    };
    let most = known.and_then(BigInt::to_u128).map(hopeful);
    let Some(chosen) = searches.best_partition(&dependences, most)? else {
        return Ok(None);
    };
    let levels = match options.fast.as_slice() {
        [_] => vec![searches.plans(&chosen)?],
        levels => searches.nested(&chosen, levels)?,
    };
    Ok(Some((levels, searches.cut)))
}

/// Estimates below this are worth counting where so much is known to do.
fn hopeful(known: u128) -> u128 {
    known.saturating_mul(u128::from(HOPEFUL)) / 100
}

/// Searches that were made, by statements.
struct Searches<'p> {
    program: &'p Program,
    site: &'p Site<'p>,
    shape: &'p Shape,
    estimator: &'p Estimator<'p>,
    finder: &'p Finder<'p>,
    words: u64,
    deadline: Option<Instant>,
    /// Units after which nothing more is joined.
    work: u64,
    known: BTreeMap<Vec<StatementId>, Found>,
    /// Whether the deadline cut one.
    cut: bool,
}

impl Searches<'_> {
    /// The partition that costs least, if one is promised to cost less than `most`. Of the finest ones, the one that is
    /// better before anything is joined is joined first.
    fn best_partition(
        &mut self,
        dependences: &Dependences,
        most: Option<u128>,
    ) -> Result<Option<Partition>> {
        let all: Vec<StatementId> = self.program.statement_ids().collect();
        let reach = Reach::of(all.len(), dependences);
        let mut finest = vec![nests(self.program, self.shape)];
        let strands = self.with_starts(&reach, reach.strands())?;
        if !finest.contains(&strands) {
            finest.push(strands);
        }
        if self.site.cells_in_all()? <= self.words.into() {
            finest.push(vec![all]);
        }
        let mut ranked = Vec::new();
        for partition in finest {
            if !ranked.is_empty() && self.is_late() {
                break;
            }
            ranked.push((self.first_cost(&partition, most)?, partition));
        }
        // Fine parts can still be joined in many ways, so coarser ones must be better by more than a little.
        let parts = ranked.iter().map(|(_, partition)| partition.len()).max();
        ranked.sort_by_cached_key(|(cost, partition)| match cost {
            Cost::Words(words) if Some(partition.len()) == parts => Cost::Words(words * 16),
            Cost::Words(words) => Cost::Words(words * 17),
            Cost::None => Cost::None,
        });
        let mut best: Option<(Cost, Partition)> = None;
        for (cost, partition) in ranked {
            if cost == Cost::None && (most.is_some() || best.is_some()) {
                continue;
            }
            let partition = self.merged(&reach, partition)?;
            let cost = self.cost(&partition)?;
            if best.as_ref().is_none_or(|(least, _)| cost < *least) {
                best = Some((cost, partition));
            }
        }
        Ok(best.map(|(_, partition)| partition))
    }

    /// Strands, each with the statements that only start it: to keep what is made of nothing for later is never worth a word.
    /// Those that make few words are left alone, as they make orders harder to find.
    fn with_starts(&self, reach: &Reach, mut strands: Partition) -> Result<Partition> {
        let cells = self.site.cells_in_all()?;
        for id in self.program.statement_ids() {
            if self.site.size(id).saturating_mul(STARTED) < cells {
                continue;
            }
            let mut parts = BTreeSet::new();
            for (reader, flow) in self.site.consumers(id) {
                if !flow.is_empty()? {
                    parts.extend(part_of(&strands, reader.statement));
                }
            }
            let next = parts.first().filter(|_| parts.len() == 1);
            let (Some(own), Some(&next)) = (part_of(&strands, id), next) else {
                continue;
            };
            let is_start = strands[own].len() == 1 && self.program.statement(id).reads.is_empty();
            if is_start && own != next {
                let (joint, joined) = reach.joined(&strands, own, next);
                if joint.len() == strands[next].len() + 1 {
                    strands = joined;
                }
            }
        }
        Ok(strands)
    }

    /// Whether the deadline is over, which cuts the search.
    fn is_late(&mut self) -> bool {
        let late = self.deadline.is_some_and(|end| Instant::now() > end);
        self.cut |= late;
        late
    }

    /// What a partition costs as it is; nothing as soon as its parts promise more than `most` together.
    fn first_cost(&mut self, partition: &Partition, most: Option<u128>) -> Result<Cost> {
        let Some(most) = most else {
            return self.cost(partition);
        };
        let stores_count = self.estimator.stores_count;
        let mut left = BigInt::from(most);
        for part in partition {
            let room = left.to_u128().unwrap_or(0);
            match self.below(part, Some(room))?.plans.first() {
                Some(plan) => left -= plan.cost(stores_count),
                None => return Ok(Cost::None),
            }
        }
        self.cost(partition)
    }

    /// What is found for a component.
    fn of(&mut self, statements: &[StatementId]) -> Result<&Found> {
        self.below(statements, None)
    }

    /// What is found for a component, if an estimate promises less than `most`.
    fn below(&mut self, statements: &[StatementId], most: Option<u128>) -> Result<&Found> {
        if !self.known.contains_key(statements) {
            let words = self.words;
            let found = self.with(statements, &[words], |searches| searches[0].run(most))?;
            self.cut |= found.cut;
            self.known.insert(statements.to_vec(), found);
        }
        Ok(&self.known[statements])
    }

    /// Nested plans for every component: by level and component.
    fn nested(&mut self, partition: &[Vec<StatementId>], levels: &[u64]) -> Result<Vec<Plans>> {
        let mut all: Vec<Plans> = vec![Vec::new(); levels.len()];
        for component in partition {
            let (plans, late) = self.with(component, levels, nested::plans)?;
            self.cut |= late;
            for (level, plan) in all.iter_mut().zip(plans) {
                level.push(vec![plan]);
            }
        }
        Ok(all)
    }

    /// Does something with the searches of a component for several memories.
    fn with<T>(
        &self,
        statements: &[StatementId],
        levels: &[u64],
        work: impl FnOnce(&[Search<'_>]) -> Result<T>,
    ) -> Result<T> {
        let name = |id: StatementId, at: usize| self.program.statement(id).iterators[at].clone();
        let times = own_times(&self.shape.times, statements, name).unwrap_or_default();
        let forward = self.finder.families(statements)?;
        let after: Vec<Vec<usize>> = forward.iter().map(|known| known.after.clone()).collect();
        let families: Vec<Family> = forward.into_iter().map(|known| known.family).collect();
        let search = |words: &u64| Search {
            site: self.site,
            estimator: self.estimator,
            statements,
            families: &families,
            after: &after,
            times: &times,
            words: *words,
            deadline: self.deadline,
        };
        work(&levels.iter().map(search).collect::<Vec<_>>())
    }

    /// What a partition costs with the best plan of each component; nothing where one has none.
    fn cost(&mut self, partition: &[Vec<StatementId>]) -> Result<Cost> {
        let stores_count = self.estimator.stores_count;
        let mut total = BigInt::default();
        for component in partition {
            match self.of(component)?.plans.first() {
                Some(plan) => total += plan.cost(stores_count),
                None => return Ok(Cost::None),
            }
        }
        Ok(Cost::Words(total))
    }

    /// Joins components of a partition as long as that saves words, those first that have the most to save.
    fn merged(&mut self, reach: &Reach, mut partition: Partition) -> Result<Partition> {
        let mut tries = TRIES;
        loop {
            let Cost::Words(total) = self.cost(&partition)? else {
                return Ok(partition);
            };
            let mut pairs = Vec::new();
            for one in 0..partition.len() {
                for other in one + 1..partition.len() {
                    let stake = self.at_stake(&partition[one], &partition[other])?;
                    if &stake * WORTH > total {
                        pairs.push((stake, one, other));
                    }
                }
            }
            pairs.sort_by(|a, b| (&b.0, a.1, a.2).cmp(&(&a.0, b.1, b.2)));
            let mut better = None;
            for (stake, one, other) in pairs {
                let (joint, parts) = reach.joined(&partition, one, other);
                if !self.known.contains_key(&joint) {
                    let worth = self.is_worth(&partition, &joint, &stake, &total)?;
                    if tries == 0 || !worth || self.site.work() > self.work || self.is_late() {
                        continue;
                    }
                    tries -= 1;
                    let most = hopeful(self.promised(&partition, &joint)?);
                    self.below(&joint, Some(most))?;
                }
                if self.cost(&parts)? < Cost::Words(total.clone()) {
                    better = Some(parts);
                    break;
                }
            }
            match better {
                Some(parts) => partition = parts,
                None => return Ok(partition),
            }
        }
    }

    /// Whether enough of all words is at stake for the work that a joint component takes, which is about that of its parts.
    fn is_worth(
        &mut self,
        partition: &[Vec<StatementId>],
        joint: &[StatementId],
        stake: &BigInt,
        total: &BigInt,
    ) -> Result<bool> {
        let mut work: u64 = 0;
        for part in parts_of(partition, joint) {
            work = work.saturating_add(self.of(part)?.work);
        }
        Ok(work < self.work / CHEAP || stake * PRICE * self.work >= total * work)
    }

    /// What the parts of a joint component cost, or what estimates promise for them if that is more.
    fn promised(&mut self, partition: &[Vec<StatementId>], joint: &[StatementId]) -> Result<u128> {
        let stores_count = self.estimator.stores_count;
        let mut total: u128 = 0;
        for part in parts_of(partition, joint) {
            let found = self.of(part)?;
            let plan = found.plans.first();
            let exact = plan.and_then(|plan| plan.cost(stores_count).to_u128());
            total = total.saturating_add(exact.unwrap_or(u128::MAX).max(found.promise));
        }
        Ok(total)
    }

    /// Words that two components move of arrays that both of them touch, in the one that moves less.
    fn at_stake(&mut self, one: &[StatementId], other: &[StatementId]) -> Result<BigInt> {
        let mut moved: [BTreeMap<ArrayId, BigInt>; 2] = Default::default();
        for (component, moved) in [one, other].into_iter().zip(&mut moved) {
            let plan = self.of(component)?.plans.first();
            for (class, measure) in plan.iter().flat_map(|plan| &plan.classes) {
                *moved.entry(class.array).or_default() += &measure.loads + &measure.stores;
            }
        }
        let [first, second] = &moved;
        let shared = first.iter().filter_map(|(array, words)| {
            let others = second.get(array)?;
            Some(words.min(others))
        });
        Ok(shared.sum())
    }

    /// The plans of all components; of each, what could not be counted in the search of the best one is counted now.
    fn plans(&mut self, partition: &[Vec<StatementId>]) -> Result<Plans> {
        let mut plans = Vec::new();
        let mut steps = RECOUNT;
        for component in partition {
            let mut list = self.of(component)?.plans.clone();
            if let Some(best) = list.first_mut() {
                *best = best.clone().recounted(self.site, &mut steps)?;
            }
            plans.push(list);
        }
        Ok(plans)
    }
}

/// Words, or no plan at all, which is worse than any.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Cost {
    Words(BigInt),
    None,
}

/// Where a statement is in a partition.
fn part_of(partition: &[Vec<StatementId>], id: StatementId) -> Option<usize> {
    partition.iter().position(|part| part.contains(&id))
}

/// The parts that a joint component is made of.
fn parts_of<'a>(
    partition: &'a [Vec<StatementId>],
    joint: &'a [StatementId],
) -> impl Iterator<Item = &'a Vec<StatementId>> {
    partition.iter().filter(|part| joint.contains(&part[0]))
}

/// Whether components that keep the program's own order make that order, one after the other: none has a part of a nest, and
/// no nest of one comes before a nest of an earlier one.
pub(crate) fn in_own_order<'a>(
    program: &Program,
    shape: &Shape,
    components: impl IntoIterator<Item = &'a [StatementId]>,
) -> bool {
    let nests = nests(program, shape);
    let numbers: Vec<Option<usize>> = components
        .into_iter()
        .flat_map(|statements| {
            let own = statements.iter().map(|id| part_of(&nests, *id));
            own.collect::<BTreeSet<_>>()
        })
        .collect();
    numbers.is_sorted_by(|one, next| one < next)
}

/// Neighbouring statements that one outermost loop contains.
fn nests(program: &Program, shape: &Shape) -> Vec<Vec<StatementId>> {
    let mut nests: Vec<(i64, Vec<StatementId>)> = Vec::new();
    for id in program.statement_ids() {
        let Some(number) = shape.nest(id) else {
            return vec![program.statement_ids().collect()];
        };
        match nests.iter_mut().find(|(known, _)| *known == number) {
            Some((_, list)) => list.push(id),
            None => nests.push((number, vec![id])),
        }
    }
    nests.sort();
    nests.into_iter().map(|(_, list)| list).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use redblue_program::catalogue::find;

    #[test]
    fn few_words_are_hopeful_too() {
        assert_eq!([55, 99, 200].map(hopeful), [60, 108, 220]);
        assert!(hopeful(u128::MAX) > 1 << 100);
    }

    /// The two products of 2mm are a nest each, of two statements.
    #[test]
    fn only_whole_nests_one_after_the_other_are_the_own_order() {
        let program = find("2mm").unwrap().read(&Default::default()).program;
        let program = program.unwrap();
        let shape = Shape::of(&program).unwrap();
        let is_own = |parts: &[&[usize]]| {
            let parts: Vec<Vec<StatementId>> = parts
                .iter()
                .map(|part| part.iter().copied().map(StatementId).collect())
                .collect();
            in_own_order(&program, &shape, parts.iter().map(Vec::as_slice))
        };
        assert_eq!(nests(&program, &shape).len(), 2);
        assert!(is_own(&[&[0, 1], &[2, 3]]));
        assert!(is_own(&[&[3, 0, 2, 1]]));
        assert!(!is_own(&[&[2, 3], &[0, 1]]));
        assert!(!is_own(&[&[0], &[1], &[2, 3]]));
        assert!(!is_own(&[&[0, 1, 2], &[3]]));
    }
}
