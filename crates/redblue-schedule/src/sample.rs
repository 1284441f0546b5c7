//! Dependences of a small run, for guessing what is then proved exactly.
//!
//! The program is walked at small sizes; per cell, the last writer and the readers since then give the pairs that
//! all other dependences follow from (being forward is transitive). A guess that fails here fails everywhere; one
//! that holds here still has to be proved with [`crate::dependence`].

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use num_bigint::BigInt;
use redblue_poly::Set;
use redblue_program::interpret::{Cell, Walk};
use redblue_program::{Program, ProgramError, Sizes, StatementId};

use crate::error::{Result, ScheduleError};
use crate::order::{Family, Row, dot};

/// Instances of the walk; more are not needed to see a pattern.
const STEPS: usize = 60_000;
/// Pairs kept per two statements.
const PAIRS: usize = 4_000;

type Points = BTreeSet<(Vec<i64>, Vec<i64>)>;

/// What one small run showed.
pub(crate) struct Sample {
    /// Values of the parameters, in their order.
    pub(crate) sizes: Vec<i64>,
    pairs: BTreeMap<(StatementId, StatementId), Points>,
    /// Those of them in which a value goes from the first to the second.
    flows: BTreeMap<(StatementId, StatementId), Points>,
    least: RefCell<BTreeMap<Linear, Option<i64>>>,
    /// By statements and linear parts of their functions.
    spreads: RefCell<BTreeMap<Parts, i64>>,
}

/// Two statements with the linear parts of their functions.
type Parts = ((StatementId, StatementId), Vec<i64>, Vec<i64>);

/// Two statements with the linear parts of their functions, and functions of both that must be equal.
type Linear = (
    (StatementId, StatementId),
    Vec<i64>,
    Vec<i64>,
    Vec<(Row, Row)>,
);

impl Sample {
    /// Walks the program at small sizes; the sums of some statements are free, which only leaves pairs out.
    pub(crate) fn of(program: &Program, free: &[StatementId]) -> Result<Sample> {
        Sample::first(program, |sizes| Sample::at(program, free, sizes))
    }

    /// What is made of the first small sizes at which the program does not leave its arrays.
    pub(crate) fn first<T>(
        program: &Program,
        mut make: impl FnMut(Vec<i64>) -> Result<T>,
    ) -> Result<T> {
        for sizes in small_sizes(program)? {
            match make(sizes) {
                Err(ScheduleError::Program(ProgramError::OutOfBounds { .. })) => {}
                made => return made,
            }
        }
        make(sizes_within(&program.sizes_inside()?, least(program))?)
    }

    /// Walks the program at these sizes.
    pub(crate) fn at(program: &Program, free: &[StatementId], sizes: Vec<i64>) -> Result<Sample> {
        let named: Sizes = program
            .params
            .iter()
            .map(|param| param.name.clone())
            .zip(sizes.iter().copied())
            .collect();
        let mut pairs: BTreeMap<(StatementId, StatementId), Points> = BTreeMap::new();
        let mut flows: BTreeMap<(StatementId, StatementId), Points> = BTreeMap::new();
        let mut cells: BTreeMap<Cell, History> = BTreeMap::new();
        let mut steps = 0;
        let walk = Walk::new(program, &named)?;
        let ended = walk.run(|step| {
            steps += 1;
            if steps > STEPS {
                return Err(ProgramError::Undefined("more steps".to_owned()));
            }
            let now = (step.statement, step.point.to_vec());
            let keep = |to: &mut BTreeMap<_, Points>, from: &(StatementId, Vec<i64>)| {
                let points = to.entry((from.0, now.0)).or_default();
                if points.len() < PAIRS {
                    points.insert((from.1.clone(), now.1.clone()));
                }
            };
            let is_free = free.contains(&now.0);
            let mut add = |from: &(StatementId, Vec<i64>)| keep(&mut pairs, from);
            for cell in step.reads {
                let link = is_free && *cell == step.write;
                let history = cells.entry(*cell).or_default();
                if let Some(writer) = &history.writer {
                    if !link || writer.0 != now.0 {
                        add(writer);
                    }
                    keep(&mut flows, writer);
                }
                if !link {
                    history.readers.push(now.clone());
                }
            }
            let history = cells.entry(step.write).or_default();
            let earlier = history.writer.iter();
            earlier
                .filter(|writer| !is_free || writer.0 != now.0)
                .for_each(&mut add);
            history
                .readers
                .iter()
                .filter(|reader| **reader != now)
                .for_each(&mut add);
            history.readers.clear();
            history.writer = Some(now);
            Ok(())
        });
        match ended {
            Ok(()) | Err(ProgramError::Undefined(_)) => Ok(Sample {
                sizes,
                pairs,
                flows,
                least: RefCell::default(),
                spreads: RefCell::default(),
            }),
            Err(error) => Err(error.into()),
        }
    }

    /// Whether two functions have the same value wherever a value goes from one statement to the other.
    pub(crate) fn flow_stays(
        &self,
        (from, source): (StatementId, &Row),
        (to, target): (StatementId, &Row),
    ) -> bool {
        let mut points = self.flows.get(&(from, to)).into_iter().flatten();
        points.all(|(s, t)| target.at(t, &self.sizes) == source.at(s, &self.sizes))
    }

    /// How much the distance of two functions varies where values go from one statement to the other.
    pub(crate) fn flow_spread(
        &self,
        (from, source): (StatementId, &Row),
        (to, target): (StatementId, &Row),
    ) -> i64 {
        let Some(points) = self.flows.get(&(from, to)) else {
            return 0;
        };
        // Constants and sizes are the same for all pairs.
        let key = ((from, to), source.dims.clone(), target.dims.clone());
        let spread = || {
            let gaps = points
                .iter()
                .map(|(s, t)| dot(&target.dims, t) - dot(&source.dims, s));
            let range = gaps.fold(None, |range, gap| match range {
                None => Some((gap, gap)),
                Some((low, high)) => Some((gap.min(low), gap.max(high))),
            });
            range.map_or(0, |(low, high)| high - low)
        };
        *self.spreads.borrow_mut().entry(key).or_insert_with(spread)
    }

    /// The least `φ(t) - φ(s)` between two statements whose functions are given, where some families are equal; nothing if
    /// there is no such pair. Constants and sizes are the same for all pairs, so it is looked for once per linear part.
    pub(crate) fn least_gap(
        &self,
        (from, source): (StatementId, &Row),
        (to, target): (StatementId, &Row),
        equal: &[&Family],
    ) -> Option<i64> {
        let points = self.pairs.get(&(from, to))?;
        let level = equal
            .iter()
            .filter_map(|f| Some((f.row(from)?, f.row(to)?)));
        let level: Vec<(Row, Row)> = level.map(|(s, t)| (s.clone(), t.clone())).collect();
        let key = ((from, to), source.dims.clone(), target.dims.clone(), level);
        let known = self.least.borrow().get(&key).copied();
        let linear = known.unwrap_or_else(|| {
            let gap = |(source, target): &(Row, Row), (s, t): &(Vec<i64>, Vec<i64>)| {
                target.at(t, &self.sizes) - source.at(s, &self.sizes)
            };
            let level = |pair: &&(Vec<i64>, Vec<i64>)| key.3.iter().all(|f| gap(f, pair) == 0);
            let gaps = points.iter().filter(level);
            let least = gaps
                .map(|(s, t)| dot(&target.dims, t) - dot(&source.dims, s))
                .min();
            self.least.borrow_mut().insert(key, least);
            least
        })?;
        let fixed = |row: &Row| row.constant + dot(&row.params, &self.sizes);
        Some(linear + fixed(target) - fixed(source))
    }

    /// A family that grows wherever a function falls between instances of one statement, and is the first such one.
    pub(crate) fn carrier(
        &self,
        (id, row): (StatementId, &Row),
        families: &[&Family],
    ) -> Option<usize> {
        let points: Vec<_> = self.pairs.get(&(id, id)).into_iter().flatten().collect();
        let gap = |row: &Row, (s, t): &(Vec<i64>, Vec<i64>)| {
            row.at(t, &self.sizes) - row.at(s, &self.sizes)
        };
        families.iter().position(|family| {
            family.row(id).is_some_and(|other| {
                let mut falls = points.iter().filter(|pair| gap(row, pair) < 0);
                falls.all(|pair| gap(other, pair) > 0)
            })
        })
    }
}

#[derive(Default)]
struct History {
    writer: Option<(StatementId, Vec<i64>)>,
    readers: Vec<(StatementId, Vec<i64>)>,
}

/// Small values within the assumptions, large enough that a size is not mistaken for a constant; several, the best first.
fn small_sizes(program: &Program) -> Result<Vec<Vec<i64>>> {
    let count = program.params.len();
    let least = least(program);
    let values: Vec<i64> = (0..count).map(|at| least + 4 * (at as i64 % 3)).collect();
    let rising: Vec<i64> = (0..count).map(|at| least + at as i64).collect();
    let falling: Vec<i64> = rising.iter().rev().copied().collect();
    let equal = vec![least; count];
    let turned: Vec<i64> = values.iter().rev().copied().collect();
    let mut found: Vec<Vec<i64>> = Vec::new();
    for values in [values, turned, rising, falling, equal] {
        let point: Vec<BigInt> = values.iter().copied().map(BigInt::from).collect();
        if !found.contains(&values) && program.context.contains(&point, &[])? {
            found.push(values);
        }
    }
    if found.is_empty() {
        found.push(sizes_within(&program.context, least)?);
    }
    Ok(found)
}

/// A value that is not mistaken for a constant, and still leaves few instances.
fn least(program: &Program) -> i64 {
    let deepest = program.statements.iter().map(|s| s.iterators.len()).max();
    match deepest {
        Some(0..=3) => 6,
        Some(4) => 5,
        _ => 4,
    }
}

/// Some values of a set of parameters, at least so large if there are such.
fn sizes_within(all: &Set, least: i64) -> Result<Vec<i64>> {
    let names = all.param_names();
    let large: Vec<String> = names.iter().map(|n| format!("{n} >= {least}")).collect();
    let text = format!("[{}] -> {{ : {} }}", names.join(", "), large.join(" and "));
    let large = Set::parse(all.context(), &text)?;
    let point = match all.intersect(&large)?.sample_point()? {
        Some(point) => Some(point),
        None => all.sample_point()?,
    };
    let small = |value: &BigInt| i64::try_from(value).unwrap_or(least);
    Ok(point.map_or(vec![least; names.len()], |(params, _)| {
        params.iter().map(small).collect()
    }))
}
