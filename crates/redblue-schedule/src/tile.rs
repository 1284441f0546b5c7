//! From a program to its tiling: components, the search in each, and the best way to join them.

use std::collections::BTreeMap;
use std::time::Instant;

use num_bigint::BigInt;
use num_traits::ToPrimitive;
use redblue_cert::Counted;
use redblue_math::Expr;
use redblue_program::{Array, ArrayId, Dataflow, Program, StatementId};

use crate::dependence::{Dependences, free_sums};
use crate::error::{Result, ScheduleError};
use crate::estimate::Estimator;
use crate::expand::expand;
use crate::family::Finder;
use crate::flat::{Flat, Groups};
use crate::formula::with_formulas;
use crate::nested;
use crate::order::{Family, Order};
use crate::partition::{Partition, Reach};
use crate::plan::Plan;
use crate::release::release;
use crate::sample::Sample;
use crate::search::{Found, Search};
use crate::shape::{Shape, own_times};
use crate::site::{Reference, Site};
use crate::tiling::{Alternative, Options, Resident, Scope, Stop, Tiling, Traffic};

/// The best order found for a program and its largest memory, with its proven traffic.
///
/// Local arrays and scalars that may have a cell per iteration are tried in both ways, see [`crate::expand`], and so
/// are outputs that serve as scratch space, see [`crate::release`].
pub fn tile(program: &Program, options: &Options) -> Result<Tiling> {
    let largest = Options {
        fast: options.fast.last().copied().into_iter().collect(),
        ..options.clone()
    };
    let mut levels = tile_nested(program, &largest)?;
    levels.pop().ok_or(ScheduleError::NoFastMemory)
}

/// The best nested order found for a program, see [`crate::nested`]: for every memory, nearest first, the same order with what stays there and
/// what moves between it and the next one.
pub fn tile_nested(program: &Program, options: &Options) -> Result<Vec<Tiling>> {
    let (program, levels) = finished(program, options)?;
    with_formulas(&program, levels)
}

/// The best levels with their plans, and the program with the storage that they are for.
pub(crate) fn finished(program: &Program, options: &Options) -> Result<(Program, Vec<Finished>)> {
    let mut best: Option<(BigInt, Program, Vec<Finished>)> = None;
    for program in storages(program)? {
        let levels = tile_as_is(&program, options)?;
        let score: BigInt = levels.iter().map(|(tiling, _)| tiling.cost()).product();
        if best.as_ref().is_none_or(|(least, ..)| score < *least) {
            best = Some((score, program, levels));
        }
    }
    let best = best.map(|(_, program, levels)| (program, levels));
    best.ok_or(ScheduleError::NoFastMemory)
}

/// A tiling with the plans of its components.
pub(crate) type Finished = (Tiling, Vec<Plan>);

/// The program, first as it is, and with other storage where that makes a difference.
pub(crate) fn storages(program: &Program) -> Result<Vec<Program>> {
    let mut all = vec![program.clone()];
    let expanded = expand(program)?;
    let same = |(one, other): (&Array, &Array)| one.extents.len() == other.extents.len();
    if program.arrays.len() != expanded.arrays.len()
        || !program.arrays.iter().zip(&expanded.arrays).all(same)
    {
        all.push(expanded);
    }
    if let Some(released) = release(program)? {
        all.push(expand(&released)?);
    }
    Ok(all)
}

/// The best order that keeps all storage as it is, at every level.
fn tile_as_is(program: &Program, options: &Options) -> Result<Vec<Finished>> {
    let (values, (levels, cut)) = solved(program, options)?;
    let levels = levels.into_iter().zip(&options.fast);
    levels
        .map(|(plans, words)| finish(program, &values, options, *words, plans, cut))
        .collect()
}

/// The sizes, and plans by level and component for storage as it is.
pub(crate) fn solved(program: &Program, options: &Options) -> Result<(Vec<i64>, Solved)> {
    let words = *options.fast.first().ok_or(ScheduleError::NoFastMemory)?;
    let values = program.size_values(&options.sizes)?;
    check_words(program, words)?;
    let shape = Shape::of(program)?;
    let joint = match Groups::of(program, &shape, &values)? {
        Some(groups) => plans_by_groups(program, &shape, options, &values, &groups)?,
        None => None,
    };
    let solved = match joint {
        Some(solved) => solved,
        None => {
            let free = free_sums(program, &Dataflow::of(program)?, options.model.sums)?;
            plans(program, options, Sample::of(program, &free)?)?
        }
    };
    Ok((values, solved))
}

/// Plans of all components, for each of them best first.
pub(crate) type Plans = Vec<Vec<Plan>>;

/// Plans by level, nearest first, and whether the deadline cut the search.
pub(crate) type Solved = (Vec<Plans>, bool);

/// Plans by way of the program with joint loops; nothing if none is legal for all sizes.
fn plans_by_groups(
    program: &Program,
    shape: &Shape,
    options: &Options,
    values: &[i64],
    groups: &Groups,
) -> Result<Option<Solved>> {
    let dataflow = Dataflow::of(program)?;
    let free = free_sums(program, &dataflow, options.model.sums)?;
    let dependences = Dependences::of(program, &dataflow, &free)?;
    let joint = |groups: &Groups| -> Result<Option<Solved>> {
        let small = Sample::small_sizes(program)?;
        let flat = |values: &[i64]| groups.flat(program, shape, values);
        let (Some(flat), Some(small)) = (flat(values)?, flat(&small)?) else {
            return Ok(None);
        };
        if !flat.is_legal(program, &dependences)? {
            return Ok(None);
        }
        let options = Options {
            sizes: Default::default(),
            ..options.clone()
        };
        let (found, cut) = plans(&flat.program, &options, Sample::of(&small.program, &free)?)?;
        let levels = found
            .iter()
            .map(|plans| legal_plans(program, &dependences, &flat, plans));
        let levels: Option<Vec<Plans>> = levels.collect::<Result<_>>()?;
        Ok(levels.map(|levels| (levels, cut)))
    };
    if let Some(solved) = joint(groups)? {
        return Ok(Some(solved));
    }
    match groups.forward(program, shape, values, &dependences)? {
        Some(fewer) => joint(&fewer),
        None => Ok(None),
    }
}

/// Plans of a program with joint loops in the old ones, if the best are legal for all sizes; the others are only told of.
fn legal_plans(
    program: &Program,
    dependences: &Dependences,
    flat: &Flat,
    found: &[Vec<Plan>],
) -> Result<Option<Plans>> {
    let mut kept: Vec<Vec<Plan>> = Vec::new();
    for list in found {
        let mut legal = Vec::new();
        for plan in list {
            let plan = flat.plan_back(program, plan);
            let known = !legal.is_empty();
            if known || crate::flat::legal(program, dependences, &plan.component.dims)? {
                legal.push(plan);
            }
        }
        kept.push(legal);
    }
    let firsts: Option<Vec<&Plan>> = kept.iter().map(|list| list.first()).collect();
    let Some(firsts) = firsts else {
        return Ok(None);
    };
    let back = firsts.iter().enumerate().any(|(number, plan)| {
        let earlier = firsts[..number]
            .iter()
            .flat_map(|p| &p.component.statements);
        let mut earlier = earlier.map(|to| (to, &plan.component.statements));
        earlier.any(|(to, from)| from.iter().any(|from| dependences.between(*from, *to)))
    });
    Ok((!back).then_some(kept))
}

/// The best plans of each level and component, best first, and whether the deadline cut the search.
fn plans(program: &Program, options: &Options, sample: Sample) -> Result<Solved> {
    let words = *options.fast.last().ok_or(ScheduleError::NoFastMemory)?;
    let deadline = options.time_limit.map(|limit| Instant::now() + limit);
    let dataflow = Dataflow::of(program)?;
    let free = free_sums(program, &dataflow, options.model.sums)?;
    let site = Site::new(program, &dataflow, &options.sizes, !free.is_empty())?;
    let shape = Shape::of(program)?;
    let dependences = Dependences::of(program, &dataflow, &free)?;
    let stores_count = options.model.count == Counted::Total;
    let estimator = Estimator {
        site: &site,
        shape: &shape,
        sample: &sample,
        stores_count,
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
        known: BTreeMap::new(),
        cut: false,
    };
    let all: Vec<StatementId> = program.statement_ids().collect();
    let nests = nests(program, &shape);
    let reach = Reach::of(all.len(), &dependences);
    let strands = reach.strands();
    let mut chosen = searches.merged(&reach, nests.clone())?;
    let mut others = Vec::new();
    if strands != nests {
        others.push(searches.merged(&reach, strands)?);
    }
    if site.cells_in_all()? <= words.into() {
        others.push(vec![all]);
    }
    for other in others {
        if searches.cost(&other)? < searches.cost(&chosen)? {
            chosen = other;
        }
    }
    let levels = match options.fast.as_slice() {
        [_] => vec![searches.plans(&chosen)?],
        levels => searches.nested(&chosen, levels)?,
    };
    Ok((levels, searches.cut))
}

/// Components are joined only if one part in so many of all words is at stake.
const WORTH: u32 = 200;

/// Joint components are counted only if the best estimate is below so many hundredths of what the parts cost.
const HOPEFUL: u32 = 110;

/// Steps for counting the chosen plans again.
const RECOUNT: u64 = 8_000_000;

/// Joint components that are searched, from each partition.
const TRIES: usize = 16;

/// Searches that were made, by statements.
struct Searches<'p> {
    program: &'p Program,
    site: &'p Site<'p>,
    shape: &'p Shape,
    estimator: &'p Estimator<'p>,
    finder: &'p Finder<'p>,
    words: u64,
    deadline: Option<Instant>,
    known: BTreeMap<Vec<StatementId>, Found>,
    /// Whether the deadline cut one.
    cut: bool,
}

impl Searches<'_> {
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
            for (_, one, other) in pairs {
                let (joint, parts) = reach.joined(&partition, one, other);
                if !self.known.contains_key(&joint) {
                    if tries == 0 {
                        continue;
                    }
                    tries -= 1;
                    let most = self.promised(&partition, &joint)? * u128::from(HOPEFUL) / 100;
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

    /// What the parts of a joint component cost, or what estimates promise for them if that is more.
    fn promised(&mut self, partition: &[Vec<StatementId>], joint: &[StatementId]) -> Result<u128> {
        let stores_count = self.estimator.stores_count;
        let mut total: u128 = 0;
        for part in partition.iter().filter(|part| joint.contains(&part[0])) {
            let found = self.of(part)?;
            let plan = found.plans.first();
            let exact = plan.and_then(|plan| plan.cost(stores_count).to_u128());
            total = total.saturating_add(exact.unwrap_or(u128::MAX).max(found.promise));
        }
        Ok(total.min(u128::MAX / u128::from(HOPEFUL)))
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

/// Neighbouring statements that one outermost loop contains.
fn nests(program: &Program, shape: &Shape) -> Vec<Vec<StatementId>> {
    let mut nests: Vec<(i64, Vec<StatementId>)> = Vec::new();
    for id in program.statement_ids() {
        let first = shape.times[id.0].as_ref().and_then(|rows| rows.first());
        let Some(row) = first.filter(|row| row.dims.iter().chain(&row.params).all(|c| *c == 0))
        else {
            return vec![program.statement_ids().collect()];
        };
        match nests.iter_mut().find(|(number, _)| *number == row.constant) {
            Some((_, list)) => list.push(id),
            None => nests.push((row.constant, vec![id])),
        }
    }
    nests.sort();
    nests.into_iter().map(|(_, list)| list).collect()
}

/// Refuses memories that cannot hold the operands of an instance.
fn check_words(program: &Program, words: u64) -> Result<()> {
    for statement in &program.statements {
        let needed = statement.operands_by_cell()?.len().max(1) as u64;
        if needed > words {
            return Err(ScheduleError::TooFewWords {
                statement: statement.name.clone(),
                needed,
                words,
            });
        }
    }
    Ok(())
}

fn finish(
    program: &Program,
    values: &[i64],
    options: &Options,
    words: u64,
    chosen: Vec<Vec<Plan>>,
    cut: bool,
) -> Result<Finished> {
    let mut alternatives = Vec::new();
    let mut plans = Vec::new();
    for (number, list) in chosen.into_iter().enumerate() {
        let mut list = list.into_iter();
        let Some(best) = list.next() else {
            return Err(ScheduleError::NoFastMemory);
        };
        plans.push(best);
        alternatives.extend(list.map(|plan| Alternative {
            component: number,
            dims: plan.component.dims.iter().map(|dim| dim.name()).collect(),
            total: &plan.loads + &plan.stores,
        }));
    }
    let mut traffic = Traffic::default();
    let mut per_array: BTreeMap<_, (BigInt, BigInt)> = BTreeMap::new();
    let mut resident = Vec::new();
    let mut fast_words = 0;
    for (number, plan) in plans.iter().enumerate() {
        fast_words = fast_words.max(plan.words);
        for (class, measure) in &plan.classes {
            let entry = per_array.entry(class.array).or_default();
            entry.0 += &measure.loads;
            entry.1 += &measure.stores;
            traffic.loads += &measure.loads;
            traffic.stores += &measure.stores;
            resident.push(Resident {
                component: number,
                array: class.array,
                references: class
                    .references
                    .iter()
                    .map(|reference| spelled(program, *reference))
                    .collect(),
                depth: class.depth,
                words: measure.words.to_u64().unwrap_or(u64::MAX),
                loads: measure.loads.clone(),
                stores: measure.stores.clone(),
            });
        }
    }
    let moved = |(_, (loads, stores)): &(_, (BigInt, BigInt))| {
        *loads != BigInt::default() || *stores != BigInt::default()
    };
    traffic.per_array = per_array
        .into_iter()
        .filter(moved)
        .map(|(array, (loads, stores))| (array, loads, stores))
        .collect();
    let is_original = plans.iter().all(|plan| plan.original);
    let order = Order {
        components: plans.iter().map(|plan| plan.component.clone()).collect(),
    };
    let reordered = match is_original {
        true => program.clone(),
        false => order.apply(program)?,
    };
    let formula = Expr::integer(traffic.total());
    let names = program.params.iter().map(|param| param.name.clone());
    let tiling = Tiling {
        program: reordered,
        order,
        sizes: names.zip(values.iter().copied()).collect(),
        model: options.model,
        fast: words,
        fast_words: fast_words.to_u64().unwrap_or(u64::MAX),
        resident,
        traffic,
        formula,
        scope: Scope::TheseSizes,
        is_original,
        stopped: if cut { Stop::TimeLimit } else { Stop::Complete },
        alternatives,
    };
    Ok((tiling, plans))
}

/// `S1: A[i, k]`.
fn spelled(program: &Program, reference: Reference) -> String {
    let statement = program.statement(reference.statement);
    let access = match reference.operand {
        Some(position) => &statement.reads[position],
        None => &statement.write,
    };
    let text = access.map.to_string();
    let cell = text
        .split("->")
        .last()
        .map(|cell| cell.trim_end_matches([' ', '}']))
        .map(|cell| cell.split(" : ").next().unwrap_or(cell).trim())
        .unwrap_or_default();
    let cell = cell.trim_end_matches("[]");
    let verb = if reference.operand.is_none() { "=" } else { "" };
    format!("{}: {cell}{verb}", statement.name)
}
