//! The einsum front end: numpy's notation for sums of products.
//!
//! ```text
//! "ik,kj->ij" ──parse──► Notation (labels of operands and output) ──lower──► Program
//! ```
//!
//! Explicit and implicit outputs, repeated labels in an operand (diagonals, traces), scalars and any number
//! of operands are read as numpy reads them. The sizes of the program are called like the labels, so
//! `-D i=64` sets one. Ellipses are refused, because no array is there to tell what they stand for.
//!
//! ```
//! use redblue_program::{einsum, reading::ReadOptions};
//!
//! let product = einsum::read("ik,kj->ij", &ReadOptions::default()).program.expect("a program");
//! let sizes: Vec<&str> = product.params.iter().map(|size| size.name.as_str()).collect();
//! assert_eq!(sizes, ["i", "k", "j"]);
//! assert_eq!(product.statements[1].text, "Out[i][j] += A[i][k] * B[k][j];");
//! ```

pub(crate) mod codes;
mod lower;
mod notation;
mod parse;

use crate::assume;
use crate::build::ProgramBuilder;
use crate::diagnostic::codes::{EMPTY_ASSUMPTIONS, RESERVED_SIZE, UNKNOWN_OUTPUT, UNKNOWN_SIZE};
use crate::diagnostic::{Diagnostic, SourceMap};
use crate::error::ProgramError;
use crate::program::{ElementType, Program};
use crate::reading::{ReadOptions, Reading};
use crate::suggest::did_you_mean;

use lower::{OUTPUT, lower};
use notation::Notation;
use parse::parse;

/// Name of the text in diagnostics.
const FILE: &str = "einsum";

/// Reads an einsum; all its problems are among the diagnostics.
pub fn read(text: &str, options: &ReadOptions) -> Reading {
    let mut sources = SourceMap::new();
    let file = sources.add(FILE, text);
    let mut diagnostics = Vec::new();
    let notation = parse(text, file, &mut diagnostics);
    reserved_labels(&notation, &mut diagnostics);
    if diagnostics.is_empty() {
        unknown_names(&notation, options, &mut diagnostics);
    }
    diagnostics.sort_by_key(|problem| problem.span);
    let program = match diagnostics.iter().any(Diagnostic::is_error) {
        true => None,
        false => program(&notation, options, &mut sources, &mut diagnostics),
    };
    Reading {
        program,
        diagnostics,
        sources,
    }
}

fn program(
    notation: &Notation,
    options: &ReadOptions,
    sources: &mut SourceMap,
    problems: &mut Vec<Diagnostic>,
) -> Option<Program> {
    let mut builder = lower(notation, options.dtype.unwrap_or(ElementType::F64));
    if let Some(names) = &options.outputs {
        builder.outputs(&names.iter().map(String::as_str).collect::<Vec<_>>());
    }
    let sizes = notation.sizes();
    let sizes: Vec<&str> = sizes.iter().map(String::as_str).collect();
    let (conditions, refused) = assume::read(&options.assumptions, &sizes, sources);
    if !refused.is_empty() {
        problems.extend(refused);
        return None;
    }
    for condition in &conditions {
        builder.assume(condition);
    }
    match finished(&builder, notation, options) {
        Ok(Some(program)) => Some(program),
        Ok(None) => {
            let message = "no sizes satisfy all assumptions";
            problems.push(Diagnostic::error(&EMPTY_ASSUMPTIONS, message));
            None
        }
        Err(error) => {
            let message = "this einsum is beyond the set arithmetic";
            problems.push(Diagnostic::error(&codes::TOO_LARGE, message).note(error.to_string()));
            None
        }
    }
}

/// The program with the places of its operands; none if the assumptions leave no sizes.
fn finished(
    builder: &ProgramBuilder,
    notation: &Notation,
    options: &ReadOptions,
) -> Result<Option<Program>, ProgramError> {
    let mut program = builder.build()?;
    if program.context.is_empty()? {
        return Ok(None);
    }
    program.assumptions = options.assumptions.clone();
    // The last operands of the last statement are the einsum's; before them may be the target of the sum.
    if let Some(statement) = program.statements.last_mut() {
        let reads = statement.reads.iter_mut().rev();
        for (read, operand) in reads.zip(notation.operands.iter().rev()) {
            read.span = operand.span;
        }
    }
    Ok(Some(program))
}

/// Labels that would be sizes called `S` or `p`.
fn reserved_labels(notation: &Notation, problems: &mut Vec<Diagnostic>) {
    for reserved in ['S', 'p'] {
        let mut labels = notation.operands.iter().flat_map(|operand| &operand.labels);
        if let Some(label) = labels.find(|label| label.letter == reserved) {
            let message = format!("label `{reserved}` is reserved");
            let problem = Diagnostic::error(&RESERVED_SIZE, message).at(label.span);
            let note = "labels are also sizes, and in formulas S is the fast memory and p the number of processors";
            problems.push(problem.note(note).hint("use another letter"));
        }
    }
}

/// Sizes and outputs that the einsum does not have.
fn unknown_names(notation: &Notation, options: &ReadOptions, problems: &mut Vec<Diagnostic>) {
    let sizes = notation.sizes();
    for name in options.defines.keys().filter(|name| !sizes.contains(name)) {
        let message = format!("`{name}` is not a label of `{}`", notation.text());
        let hint = did_you_mean(name, sizes.iter().map(String::as_str))
            .unwrap_or_else(|| format!("its labels are {}", sizes.join(", ")));
        problems.push(Diagnostic::error(&UNKNOWN_SIZE, message).hint(hint));
    }
    for name in options
        .outputs
        .iter()
        .flatten()
        .filter(|name| name.as_str() != OUTPUT)
    {
        let message = format!("`{name}` is not written by an einsum");
        let hint = format!("its only output is `{OUTPUT}`");
        problems.push(Diagnostic::error(&UNKNOWN_OUTPUT, message).hint(hint));
    }
}
