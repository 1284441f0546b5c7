//! How many instances statements have, as formulas and at the points of a sweep.

use redblue_poly::{Count, PolyError, PwAff, Set, Space};
use redblue_program::{Program, Statement};
use schemars::JsonSchema;
use serde::Serialize;

use super::formula::Formula;
use super::table::{Align, columns};
use crate::sizes::Point;

/// The sizes that formulas are about: the assumptions, and no size is negative.
pub(super) fn context(program: &Program) -> Result<Set, PolyError> {
    let names: Vec<&str> = program
        .params
        .iter()
        .map(|param| param.name.as_str())
        .collect();
    let space = Space::params(program.context.context(), &names)?;
    let zero = PwAff::constant(&space, 0)?;
    let mut context = program.context.clone();
    for name in names {
        context = context.intersect(&PwAff::param(&space, name)?.ge_set(&zero)?)?;
    }
    Ok(context)
}

/// The number of instances of a statement.
pub(super) fn count(statement: &Statement, context: &Set) -> Result<Count, PolyError> {
    statement.domain.count_within(context)
}

/// The sum of counts; `None` if there is none.
pub(super) fn total(counts: &[Count]) -> Result<Option<Count>, PolyError> {
    let Some((first, rest)) = counts.split_first() else {
        return Ok(None);
    };
    rest.iter()
        .try_fold(first.clone(), |sum, count| sum.add(count))
        .map(Some)
}

/// The value of each parameter that has one: given, else the source's default.
pub(super) fn values(program: &Program, given: &Point) -> Point {
    let value = |name: &String, default| given.get(name).copied().or(default);
    let params = program.params.iter();
    params
        .filter_map(|param| Some((param.name.clone(), value(&param.name, param.default)?)))
        .collect()
}

/// How many instances there are at one point of a sweep: numbers, or formulas in the sizes left symbolic.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Instances {
    sizes: Point,
    statements: Vec<StatementInstances>,
    total: Formula,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
struct StatementInstances {
    statement: String,
    instances: Formula,
}

impl Instances {
    /// Counts the instances of a program at one point.
    ///
    /// # Errors
    /// When counting exceeds its budget.
    pub fn at(program: &Program, point: &Point) -> Result<Instances, PolyError> {
        let values = values(program, point);
        let fix = |set: &Set| {
            let start = Ok(set.clone());
            values
                .iter()
                .fold(start, |set, (name, value)| set?.fix_param(name, *value))
        };
        let context = fix(&context(program)?)?;
        let mut counts = Vec::new();
        let mut statements = Vec::new();
        for statement in &program.statements {
            let count = fix(&statement.domain)?.count_within(&context)?;
            let instances = Formula::of_count(&count, &values)?;
            statements.push(StatementInstances {
                statement: statement.name.clone(),
                instances,
            });
            counts.push(count);
        }
        let total = match total(&counts)? {
            Some(total) => Formula::of_count(&total, &values)?,
            None => Formula::of_integer(&redblue_math::Expr::zero(), &values),
        };
        Ok(Instances {
            sizes: point.clone(),
            statements,
            total,
        })
    }

    /// How many there are, if no size is symbolic.
    pub fn total(&self) -> Option<num_bigint::BigInt> {
        self.total.exact.as_ref()?.parse().ok()
    }
}

/// A sweep as a table: the sizes that vary, every statement, and the total.
pub fn sweep_text(sweep: &[Instances]) -> String {
    let Some(first) = sweep.first() else {
        return String::new();
    };
    let varies = |name: &&String| {
        sweep
            .iter()
            .any(|point| point.sizes.get(*name) != first.sizes.get(*name))
    };
    let varying: Vec<&String> = first.sizes.keys().filter(varies).collect();
    let mut titles: Vec<String> = varying.iter().map(|name| name.to_string()).collect();
    titles.extend(first.statements.iter().map(|entry| entry.statement.clone()));
    titles.push("total".to_string());
    let aligns = vec![Align::Right; titles.len()];
    let mut rows = vec![titles];
    rows.extend(sweep.iter().map(|point| {
        let sizes = varying
            .iter()
            .map(|name| point.sizes.get(*name).map_or(String::new(), i64::to_string));
        let counts = point.statements.iter().map(|entry| entry.instances.shown());
        sizes.chain(counts).chain([point.total.shown()]).collect()
    }));
    format!("\nInstances by size\n{}", columns("  ", &rows, &aligns))
}
