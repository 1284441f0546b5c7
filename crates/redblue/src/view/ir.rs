//! `ir`: a program as it was understood.

use std::fmt::Write;

use redblue_poly::PolyError;
use redblue_program::{Access, Program, SourceMap, Statement};
use schemars::JsonSchema;
use serde::Serialize;

use super::SCHEMA_VERSION;
use super::formula::Formula;
use super::instances::{Instances, context, count, total, values};
use super::program::{ProgramView, element_name, role_name};
use super::relation::{condition, images};
use super::table::columns;
use crate::sizes::Point;

/// The program as a document.
#[derive(Debug, Serialize, JsonSchema)]
pub struct IrDocument {
    schema: &'static str,
    schema_version: u32,
    program: ProgramView,
    /// With a sweep, the number of instances at each of its points.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    results: Vec<Instances>,
}

impl IrDocument {
    /// The document of a program, with the points of a sweep.
    ///
    /// # Errors
    /// When counting instances exceeds its budget.
    pub fn of(
        program: &Program,
        sources: &SourceMap,
        sizes: &Point,
        results: Vec<Instances>,
    ) -> Result<IrDocument, PolyError> {
        Ok(IrDocument {
            schema: "redblue.ir",
            schema_version: SCHEMA_VERSION,
            program: ProgramView::of(program, sources, sizes)?,
            results,
        })
    }
}

/// The program as text.
///
/// # Errors
/// When counting instances or simplifying exceeds its budget.
pub fn text(program: &Program, sources: &SourceMap, sizes: &Point) -> Result<String, PolyError> {
    let mut out = heading(program);
    let values = values(program, sizes);
    if !program.params.is_empty() {
        out.push_str("\nSizes\n");
        let rows: Vec<Vec<String>> = program
            .params
            .iter()
            .map(|param| {
                let origin = if sizes.contains_key(&param.name) {
                    ""
                } else {
                    "the source's default"
                };
                match values.get(&param.name) {
                    Some(value) => vec![param.name.clone(), value.to_string(), origin.to_string()],
                    None => vec![param.name.clone(), "symbolic".to_string()],
                }
            })
            .collect();
        out.push_str(&columns("  ", &rows, &[]));
    }
    if !program.arrays.is_empty() {
        let _ = write!(out, "\nArrays\n{}", arrays(program));
    }
    out.push_str("\nStatements\n");
    let context = context(program)?;
    let mut counts = Vec::new();
    for statement in &program.statements {
        let count = count(statement, &context)?;
        let instances = Formula::of_count(&count, &values)?;
        out.push_str(&statement_text(statement, sources, &instances)?);
        counts.push(count);
    }
    if let Some(total) = total(&counts)? {
        let total = Formula::of_count(&total, &values)?.shown();
        let _ = writeln!(out, "\nInstances in total\n  {total}");
    }
    Ok(out)
}

/// Name, sizes and assumptions: the first lines of `ir` and `deps`.
pub(super) fn heading(program: &Program) -> String {
    let params: Vec<&str> = program
        .params
        .iter()
        .map(|param| param.name.as_str())
        .collect();
    let mut out = match params[..] {
        [] => format!("{}, without sizes\n", program.name),
        [size] => format!("{}, with the size {size}\n", program.name),
        _ => format!("{}, with the sizes {}\n", program.name, params.join(", ")),
    };
    if !program.omitted.is_empty() {
        out.push_str("INCOMPLETE: statements were left out, see the messages\n");
    }
    for assumption in &program.assumptions {
        let _ = writeln!(out, "assuming {assumption}");
    }
    out
}

fn arrays(program: &Program) -> String {
    let rows: Vec<Vec<String>> = program
        .arrays
        .iter()
        .map(|array| {
            let extent =
                |extent: &Option<String>| extent.clone().unwrap_or_else(|| "?".to_string());
            let shape = match array.extents[..] {
                [] => "scalar".to_string(),
                _ => array
                    .extents
                    .iter()
                    .map(extent)
                    .collect::<Vec<_>>()
                    .join(" x "),
            };
            let output = if array.output { ", output" } else { "" };
            vec![
                array.name.clone(),
                element_name(array.element).to_string(),
                shape,
                format!("{}{output}", role_name(array.role)),
            ]
        })
        .collect();
    columns("  ", &rows, &[])
}

fn statement_text(
    statement: &Statement,
    sources: &SourceMap,
    instances: &Formula,
) -> Result<String, PolyError> {
    let cells = |access: &Access| cells(access, statement);
    let reads: Vec<String> = statement
        .reads
        .iter()
        .map(cells)
        .collect::<Result<_, _>>()?;
    let place = statement.span.map_or(String::new(), |span| {
        format!(
            "{}:{}",
            sources.name(span.file),
            sources.location(span).line
        )
    });
    let mut rows = vec![
        vec![
            "for".to_string(),
            condition(&statement.domain).unwrap_or_else(|| "once".to_string()),
        ],
        vec!["instances".to_string(), instances.shown()],
        vec!["writes".to_string(), cells(&statement.write)?],
    ];
    if !reads.is_empty() {
        rows.push(vec!["reads".to_string(), reads.join(", ")]);
    }
    let mut out = format!("  {}", signature(statement));
    let _ = write!(out, "  {}", statement.text);
    if !place.is_empty() {
        let _ = write!(out, "  ({place})");
    }
    let _ = write!(out, "\n{}", columns("      ", &rows, &[]));
    Ok(out)
}

/// `S1[i, j, k]`.
pub(super) fn signature(statement: &Statement) -> String {
    format!("{}[{}]", statement.name, statement.iterators.join(", "))
}

/// The cells of an access, as in `A[i, k]`; with several pieces, when each applies.
pub(super) fn cells(access: &Access, statement: &Statement) -> Result<String, PolyError> {
    let pieces = images(&access.map, &statement.domain, &statement.iterators)?;
    let shown: Vec<String> = pieces
        .into_iter()
        .map(|image| match image.when {
            Some(when) => format!("{} if {when}", image.cell),
            None => image.cell,
        })
        .collect();
    Ok(shown.join(" or "))
}
