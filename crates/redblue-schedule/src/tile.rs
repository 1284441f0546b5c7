//! From a program to its tiling: other storage, joint loops, and what is said of the plans found.

use std::collections::BTreeMap;
use std::time::Instant;

use num_bigint::BigInt;
use num_traits::ToPrimitive;
use redblue_cert::{Counted, Sums};
use redblue_math::Expr;
use redblue_program::Program;

use crate::components::{Plans, Solved, in_own_order, plans};
use crate::dependence::{Dependences, free_sums};
use crate::error::{Result, ScheduleError};
use crate::flat::{Flat, Groups};
use crate::formula::with_formulas;
use crate::order::Order;
use crate::plan::Plan;
use crate::sample::Sample;
use crate::shape::Shape;
use crate::site::Reference;
use crate::storage::{Stored, storages_until};
use crate::tiling::{Alternative, Options, Resident, Scope, Stop, Tiling, Together, Traffic};

/// The best order found for a program and its largest memory, with its proven traffic.
///
/// Local arrays and scalars that may have a cell per iteration are tried in both ways, see [`crate::expand`], and so
/// are outputs that serve as scratch space, see [`crate::release`], and arrays that are overwritten after they were read, see
/// [`crate::retain`]. Loops that work modulo a small number are also tried with a copy of their statements per remainder, see
/// [`crate::unfold`].
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
    let begun = Instant::now();
    let storages = storages_until(program, options.end(begun))?;
    let choice = choose(&storages, &options.since(begun))?;
    tilings(&storages, options, choice)
}

/// The plans of the best order of a program and the storage that they are for: numbers only, which may come from
/// another thread.
pub(crate) struct Choice {
    /// What is minimised: the product of what the levels move.
    score: BigInt,
    /// Position of the storage.
    pub(crate) storage: usize,
    /// Whether the order found frees sums: one that keeps them is an answer to both questions, and at times the better one.
    sums: Sums,
    solved: Solved,
}

/// Chooses the best order with one of these storages.
pub(crate) fn choose(storages: &[Stored], options: &Options) -> Result<Choice> {
    if let Some(Stored { program, .. }) = storages.first() {
        program.check_cells(&program.size_values(&options.sizes)?)?;
    }
    let end = options.end(Instant::now());
    let best = least(storages, options, end)?;
    let free = options.model.sums == Sums::Free;
    let late = free && best.is_some() && end.is_some_and(|end| Instant::now() > end);
    let kept = match free && !late {
        true => {
            let mut kept = options.clone();
            kept.model.sums = Sums::Fixed;
            kept.work /= 2;
            least(storages, &kept, end)?
        }
        false => None,
    };
    let both: Vec<Choice> = best.into_iter().chain(kept).collect();
    let cut = late || both.iter().any(|choice| choice.solved.1);
    let best = both
        .into_iter()
        .min_by(|one, other| one.score.cmp(&other.score));
    let mut best = best.ok_or(ScheduleError::NoFastMemory)?;
    best.solved.1 = cut;
    Ok(best)
}

/// The best order with one of these storages, if sums are as the options say. Time until the end is for all of them together.
fn least(storages: &[Stored], options: &Options, end: Option<Instant>) -> Result<Option<Choice>> {
    let mut best: Option<Choice> = None;
    let mut options = options.clone();
    // More cells allow more orders; with fewer, which are preferred, only what promises as little is looked at.
    for (at, stored) in storages.iter().enumerate().rev() {
        options.time_limit = end.map(|end| end.saturating_duration_since(Instant::now()));
        if let Some(best) = &mut best
            && options.time_limit.is_some_and(|left| left.is_zero())
        {
            best.solved.1 = true;
            break;
        }
        let known = best.as_ref().map(|best| &best.score);
        let known = known.filter(|_| options.fast.len() == 1);
        let values = stored.program.size_values(&options.sizes)?;
        // What cannot be done with other storage is done without.
        let solved = match solved(stored, &options, &values, known) {
            Err(_) if at > 0 => None,
            solved => solved?,
        };
        let Some(solved) = solved else {
            continue;
        };
        let stores_count = options.model.count == Counted::Total;
        let score = match score(&solved.0, &stored.program, stores_count) {
            None if at > 0 => continue,
            score => score.ok_or(ScheduleError::NoFastMemory)?,
        };
        if best.as_ref().is_none_or(|best| score <= best.score) {
            best = Some(Choice {
                score,
                storage: at,
                sums: options.model.sums,
                solved,
            });
        }
    }
    Ok(best)
}

/// The product of what the levels move; nothing if a component has no plan, or a statement no component.
fn score(levels: &[Plans], program: &Program, stores_count: bool) -> Option<BigInt> {
    let moved = |plans: &Plans| -> Option<BigInt> {
        let best: Option<Vec<&Plan>> = plans.iter().map(|list| list.first()).collect();
        let best = best?;
        let planned = best.iter().map(|plan| plan.component.statements.len());
        let complete = planned.sum::<usize>() == program.statements.len();
        complete.then(|| best.iter().map(|plan| plan.cost(stores_count)).sum())
    };
    levels.iter().map(moved).product()
}

/// What is chosen, with formulas unless time was over: a tiling for every level.
pub(crate) fn tilings(
    storages: &[Stored],
    options: &Options,
    choice: Choice,
) -> Result<Vec<Tiling>> {
    let (mut stored, other) = (&storages[choice.storage], choice.storage > 0);
    let cut = choice.solved.1;
    let levels = match finished(stored, options, choice) {
        // What cannot be done with other storage is done without.
        Err(_) if other => {
            stored = &storages[0];
            let choice = choose(&storages[..1], &options.in_haste())?;
            finished(stored, options, choice)
        }
        levels => levels,
    };
    // Formulas are no part of the best answer so far.
    let mut levels: Vec<Tiling> = match cut {
        true => levels?.into_iter().map(|(tiling, _)| tiling).collect(),
        false => with_formulas(stored, levels?)?,
    };
    levels
        .iter_mut()
        .for_each(|level| level.model = options.model);
    Ok(levels)
}

/// A tiling with the plans of its components.
pub(crate) type Finished = (Tiling, Vec<Plan>);

/// What is chosen, level by level; the model says whether sums are free.
pub(crate) fn finished(
    stored: &Stored,
    options: &Options,
    choice: Choice,
) -> Result<Vec<Finished>> {
    let values = stored.program.size_values(&options.sizes)?;
    let mut options = options.clone();
    options.model.sums = choice.sums;
    let (levels, cut) = choice.solved;
    let levels = levels.into_iter().zip(&options.fast);
    let finished = levels.map(|(plans, words)| {
        let (mut tiling, plans) = finish(&stored.program, &values, &options, *words, plans, cut)?;
        tiling.is_original &= choice.storage == 0;
        Ok((tiling, plans))
    });
    finished.collect()
}

/// Plans by level and component for storage as it is.
pub(crate) fn solved(
    stored: &Stored,
    options: &Options,
    values: &[i64],
    known: Option<&BigInt>,
) -> Result<Option<Solved>> {
    let Stored { program, flow } = stored;
    let words = *options.fast.first().ok_or(ScheduleError::NoFastMemory)?;
    check_words(program, words)?;
    let shape = Shape::of(program)?;
    if let Some(groups) = Groups::of(program, &shape, values)?
        && let Some(solved) = plans_by_groups(stored, &shape, options, values, &groups)?
    {
        return Ok(Some(solved));
    }
    let free = free_sums(program, flow, options.model.sums)?;
    plans(stored, options, Sample::of(program, &free)?, known)
}

/// Plans by way of the program with joint loops; nothing if none is legal for all sizes.
fn plans_by_groups(
    stored: &Stored,
    shape: &Shape,
    options: &Options,
    values: &[i64],
    groups: &Groups,
) -> Result<Option<Solved>> {
    let Stored { program, flow } = stored;
    let free = free_sums(program, flow, options.model.sums)?;
    let dependences = Dependences::of(program, flow, &free)?;
    let joint = |groups: &Groups| -> Result<Option<Solved>> {
        let sample = Sample::first(program, |sizes| {
            let small = groups.flat(program, shape, &sizes)?;
            let sample = small.map(|small| Sample::at(&small.program, &free, sizes));
            sample.transpose()
        });
        let (Some(flat), Some(sample)) = (groups.flat(program, shape, values)?, sample?) else {
            return Ok(None);
        };
        if !flat.is_legal(program, &dependences)? {
            return Ok(None);
        }
        let stored = Stored::new(flat.program.clone())?;
        let Some((found, cut)) = plans(&stored, options, sample, None)? else {
            return Ok(None);
        };
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
                together: measure.together.map(|(with, words)| Together {
                    with,
                    words: words.to_u64().unwrap_or(u64::MAX),
                }),
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
    let order = Order {
        components: plans.iter().map(|plan| plan.component.clone()).collect(),
    };
    let statements = order.components.iter().map(|c| c.statements.as_slice());
    let is_original = plans.iter().all(|plan| plan.original)
        && in_own_order(program, &Shape::of(program)?, statements);
    let reordered = match is_original {
        true => program.clone(),
        false => order.apply(program)?,
    };
    let formula = Expr::integer(match options.model.count {
        Counted::Loads => traffic.loads.clone(),
        Counted::Total => traffic.total(),
    });
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
