//! `deps`: who computes the values each operand reads.

use std::fmt::Write;

use redblue_poly::{Map, PolyError};
use redblue_program::dataflow::{LiveOut, Operand, Reduction};
use redblue_program::{Dataflow, Program, SourceMap, Statement, StatementId};
use schemars::JsonSchema;
use serde::Serialize;

use super::SCHEMA_VERSION;
use super::ir::{cells, heading, signature};
use super::program::ProgramView;
use super::relation::{cell_set, condition, images};
use super::table::columns;
use crate::sizes::Point;

/// The dependences as a document; relations are in isl notation.
#[derive(Debug, Serialize, JsonSchema)]
pub struct DepsDocument {
    schema: &'static str,
    schema_version: u32,
    program: ProgramView,
    dependences: Vec<DependenceView>,
    inputs: Vec<CellsView>,
    undefined: Vec<CellsView>,
    live_out: Vec<LiveOutView>,
    reductions: Vec<ReductionView>,
}

/// The flow into one operand.
#[derive(Debug, Serialize, JsonSchema)]
struct DependenceView {
    statement: String,
    operand: usize,
    array: String,
    /// Producer instance → consumer instance.
    producers: Vec<ProducerView>,
    /// Consumer instance → cell of an input.
    input: Option<String>,
    /// Consumer instance → cell that nobody wrote.
    undefined: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct ProducerView {
    statement: String,
    map: String,
}

#[derive(Debug, Serialize, JsonSchema)]
struct CellsView {
    array: String,
    cells: String,
}

#[derive(Debug, Serialize, JsonSchema)]
struct LiveOutView {
    array: String,
    /// Last writer instance → cell.
    writers: Vec<ProducerView>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct ReductionView {
    statement: String,
    operator: String,
    operands: Vec<usize>,
    over: Vec<String>,
    chain: String,
    independent: bool,
    private: bool,
}

impl DepsDocument {
    /// The document of a program and its flow.
    ///
    /// # Errors
    /// When an exact computation exceeds its budget.
    pub fn of(
        program: &Program,
        dataflow: &Dataflow,
        sources: &SourceMap,
        sizes: &Point,
    ) -> Result<DepsDocument, crate::program::ProgramError> {
        let cells_of = |(array, cells): (_, redblue_poly::Set)| CellsView {
            array: program.array(array).name.clone(),
            cells: cells.to_string(),
        };
        let mut dependences = Vec::new();
        let mut reductions = Vec::new();
        for (id, operands) in dataflow.statements() {
            let statement = program.statement(id);
            for (position, operand) in operands.iter().enumerate() {
                dependences.push(DependenceView::of(program, statement, position, operand));
            }
            reductions.extend(
                dataflow
                    .reduction(id)
                    .map(|r| ReductionView::of(statement, r)),
            );
        }
        Ok(DepsDocument {
            schema: "redblue.deps",
            schema_version: SCHEMA_VERSION,
            program: ProgramView::of(program, sources, sizes)?,
            dependences,
            inputs: dataflow.inputs()?.into_iter().map(cells_of).collect(),
            undefined: dataflow.undefined()?.into_iter().map(cells_of).collect(),
            live_out: dataflow
                .outputs
                .iter()
                .map(|out| LiveOutView::of(program, out))
                .collect(),
            reductions,
        })
    }
}

fn producers(program: &Program, maps: &[(StatementId, Map)]) -> Vec<ProducerView> {
    let view = |(id, map): &(StatementId, Map)| ProducerView {
        statement: program.statement(*id).name.clone(),
        map: map.to_string(),
    };
    maps.iter().map(view).collect()
}

impl DependenceView {
    fn of(
        program: &Program,
        statement: &Statement,
        position: usize,
        operand: &Operand,
    ) -> DependenceView {
        DependenceView {
            statement: statement.name.clone(),
            operand: position,
            array: program.array(operand.array).name.clone(),
            producers: producers(program, &operand.producers),
            input: operand.input.as_ref().map(Map::to_string),
            undefined: operand.undefined.as_ref().map(Map::to_string),
        }
    }
}

impl LiveOutView {
    fn of(program: &Program, out: &LiveOut) -> LiveOutView {
        LiveOutView {
            array: program.array(out.array).name.clone(),
            writers: producers(program, &out.writers),
        }
    }
}

impl ReductionView {
    fn of(statement: &Statement, reduction: &Reduction) -> ReductionView {
        ReductionView {
            statement: statement.name.clone(),
            operator: reduction.operator.to_string(),
            operands: reduction.operands.clone(),
            over: over(statement, reduction),
            chain: reduction.chain.to_string(),
            independent: reduction.independent,
            private: reduction.private,
        }
    }
}

/// Names of the loops a reduction runs over.
fn over(statement: &Statement, reduction: &Reduction) -> Vec<String> {
    reduction
        .dims
        .iter()
        .filter_map(|dim| statement.iterators.get(*dim).cloned())
        .collect()
}

/// The dependences as text.
///
/// # Errors
/// When an exact computation exceeds its budget.
pub fn text(
    program: &Program,
    dataflow: &Dataflow,
) -> Result<String, crate::program::ProgramError> {
    let mut out = heading(program);
    for (id, operands) in dataflow.statements() {
        let statement = program.statement(id);
        let _ = writeln!(out, "\n{}  {}", signature(statement), statement.text);
        let mut rows = Vec::new();
        for (access, operand) in statement.reads.iter().zip(operands) {
            rows.extend(operand_rows(
                program,
                statement,
                cells(access, statement)?,
                operand,
            )?);
        }
        match rows[..] {
            [] => out.push_str("    reads nothing\n"),
            _ => out.push_str(&columns("    ", &rows, &[])),
        }
        if let Some(reduction) = dataflow.reduction(id) {
            let _ = writeln!(
                out,
                "    reduction: {}",
                reduction_text(statement, reduction)
            );
        }
    }
    let list = |title: &str, sets: Vec<(_, redblue_poly::Set)>| {
        let mut lines = String::new();
        for (_, cells) in sets {
            let _ = writeln!(lines, "  {}", cell_set(&cells));
        }
        if lines.is_empty() {
            lines
        } else {
            format!("\n{title}\n{lines}")
        }
    };
    out.push_str(&list("Inputs", dataflow.inputs()?));
    out.push_str(&list(
        "Read before any write (indeterminate in C)",
        dataflow.undefined()?,
    ));
    out.push_str("\nLive out\n");
    out.push_str(&columns("  ", &live_out_rows(program, dataflow)?, &[]));
    Ok(out)
}

/// One line per producer of an operand; only the first repeats which operand it is.
fn operand_rows(
    program: &Program,
    statement: &Statement,
    operand_text: String,
    operand: &Operand,
) -> Result<Vec<Vec<String>>, PolyError> {
    let mut rows = Vec::new();
    for (id, map) in &operand.producers {
        // Seen from the consumer, whose loop variables the reader knows.
        let producer = map.reverse()?.set_out_tuple(&program.statement(*id).name)?;
        for image in images(&producer, &statement.domain, &statement.iterators)? {
            rows.push(vec![format!("from {}", image.cell), when(image.when)]);
        }
    }
    for (map, what) in [(&operand.input, "input"), (&operand.undefined, "undefined")] {
        if let Some(map) = map {
            let where_read = map.domain()?.coalesce()?.gist(&statement.domain)?;
            rows.push(vec![what.to_string(), when(condition(&where_read))]);
        }
    }
    for (index, row) in rows.iter_mut().enumerate() {
        row.insert(
            0,
            if index == 0 {
                operand_text.clone()
            } else {
                String::new()
            },
        );
    }
    Ok(rows)
}

fn live_out_rows(program: &Program, dataflow: &Dataflow) -> Result<Vec<Vec<String>>, PolyError> {
    let mut rows = Vec::new();
    for out in &dataflow.outputs {
        for (id, map) in &out.writers {
            let statement = program.statement(*id);
            for image in images(map, &statement.domain, &statement.iterators)? {
                rows.push(vec![
                    image.cell,
                    format!("by {}", signature(statement)),
                    when(image.when),
                ]);
            }
        }
    }
    if rows.is_empty() {
        rows.push(vec!["nothing: no output is written".to_string()]);
    }
    Ok(rows)
}

fn reduction_text(statement: &Statement, reduction: &Reduction) -> String {
    let over = over(statement, reduction).join(", ");
    let freedom = if reduction.independent && reduction.private {
        "its terms may be combined in any order"
    } else {
        "partial results are used elsewhere"
    };
    format!("{} over {over}, {freedom}", reduction.operator)
}

fn when(condition: Option<String>) -> String {
    condition.map_or(String::new(), |condition| format!("when {condition}"))
}
