//! A program as part of a JSON document: what `ir` and `deps` both show.

use redblue_poly::{PolyError, Set};
use redblue_program::{Access, Array, ElementType, Program, Role, SourceMap, Statement};
use schemars::JsonSchema;
use serde::Serialize;

use super::formula::Formula;
use super::instances::{context, count, values};
use crate::sizes::Point;

/// A program; sets and maps are in isl notation.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ProgramView {
    name: String,
    /// Whether every statement of the source is here.
    complete: bool,
    parameters: Vec<ParameterView>,
    assumptions: Vec<String>,
    context: String,
    arrays: Vec<ArrayView>,
    statements: Vec<StatementView>,
    omitted: Vec<OmittedView>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct ParameterView {
    name: String,
    /// The source's own value.
    default: Option<i64>,
    /// The value that is used: given with `-D`, else the default.
    value: Option<i64>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct ArrayView {
    name: String,
    extents: Vec<Option<String>>,
    element: &'static str,
    element_bytes: u64,
    role: &'static str,
    output: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
struct StatementView {
    name: String,
    text: String,
    location: Option<LocationView>,
    iterators: Vec<String>,
    domain: String,
    instances: Formula,
    schedule: String,
    write: AccessView,
    reads: Vec<AccessView>,
    /// What is computed, with `$0`, `$1`, … for the reads.
    value: String,
}

#[derive(Debug, Serialize, JsonSchema)]
struct LocationView {
    file: String,
    line: usize,
    column: usize,
}

#[derive(Debug, Serialize, JsonSchema)]
struct AccessView {
    array: String,
    map: String,
}

#[derive(Debug, Serialize, JsonSchema)]
struct OmittedView {
    code: &'static str,
    message: String,
}

impl ProgramView {
    /// The view of a program, its formulas evaluated at these sizes as far as they are known.
    ///
    /// # Errors
    /// When counting instances exceeds its budget.
    pub fn of(
        program: &Program,
        sources: &SourceMap,
        sizes: &Point,
    ) -> Result<ProgramView, PolyError> {
        let values = values(program, sizes);
        let context = context(program)?;
        let statements = program.statements.iter();
        Ok(ProgramView {
            name: program.name.clone(),
            complete: program.omitted.is_empty(),
            parameters: program
                .params
                .iter()
                .map(|param| ParameterView {
                    name: param.name.clone(),
                    default: param.default,
                    value: values.get(&param.name).copied(),
                })
                .collect(),
            assumptions: program.assumptions.clone(),
            context: program.context.to_string(),
            arrays: program.arrays.iter().map(ArrayView::of).collect(),
            statements: statements
                .map(|statement| StatementView::of(program, statement, sources, &context, &values))
                .collect::<Result<_, _>>()?,
            omitted: program
                .omitted
                .iter()
                .map(|problem| OmittedView {
                    code: problem.code,
                    message: problem.message.clone(),
                })
                .collect(),
        })
    }
}

impl ArrayView {
    fn of(array: &Array) -> ArrayView {
        ArrayView {
            name: array.name.clone(),
            extents: array.extents.clone(),
            element: element_name(array.element),
            element_bytes: array.element.bytes(),
            role: role_name(array.role),
            output: array.output,
        }
    }
}

impl StatementView {
    fn of(
        program: &Program,
        statement: &Statement,
        sources: &SourceMap,
        context: &Set,
        values: &Point,
    ) -> Result<StatementView, PolyError> {
        let access = |access: &Access| AccessView {
            array: program.array(access.array).name.clone(),
            map: access.map.to_string(),
        };
        Ok(StatementView {
            name: statement.name.clone(),
            text: statement.text.clone(),
            location: statement.span.map(|span| {
                let place = sources.location(span);
                LocationView {
                    file: sources.name(span.file).to_string(),
                    line: place.line,
                    column: place.column,
                }
            }),
            iterators: statement.iterators.clone(),
            domain: statement.domain.to_string(),
            instances: Formula::of_count(&count(statement, context)?, values)?,
            schedule: statement.schedule.to_string(),
            write: access(&statement.write),
            reads: statement.reads.iter().map(access).collect(),
            value: statement.value.to_string(),
        })
    }
}

pub(super) fn role_name(role: Role) -> &'static str {
    match role {
        Role::Parameter => "parameter",
        Role::Global => "global",
        Role::Local => "local",
    }
}

pub(super) fn element_name(element: ElementType) -> &'static str {
    match element {
        ElementType::I8 => "i8",
        ElementType::I16 => "i16",
        ElementType::I32 => "i32",
        ElementType::I64 => "i64",
        ElementType::F32 => "f32",
        ElementType::F64 => "f64",
        ElementType::C64 => "c64",
        ElementType::C128 => "c128",
    }
}
