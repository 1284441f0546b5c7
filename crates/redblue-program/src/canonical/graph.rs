//! The canonical form before any simplification: one operation per statement.

use redblue_poly::Map;

use super::{Canonical, Input, Operand, Operation, Origin, Output, Source};
use crate::dataflow::{self, Dataflow};
use crate::error::Result;
use crate::program::{ArrayId, Program, StatementId};

/// Translates a program and its flow.
pub(super) fn of(program: &Program, dataflow: &Dataflow) -> Result<Canonical> {
    let mut inputs = Vec::new();
    for (array, cells) in dataflow.inputs()? {
        inputs.push(Input {
            name: program.array(array).name.clone(),
            array,
            cells,
        });
    }
    let mut operations = Vec::new();
    for (id, operands) in dataflow.statements() {
        let operands = operands.iter().map(|operand| translate(operand, &inputs));
        operations.push(operation(program, id, operands.collect::<Result<_>>()?)?);
    }
    let outputs = dataflow
        .outputs
        .iter()
        .map(|output| Output {
            name: program.array(output.array).name.clone(),
            array: output.array,
            sources: output
                .writers
                .iter()
                .map(|(id, map)| from_statement(*id, map))
                .collect(),
        })
        .collect();
    Ok(Canonical {
        params: program
            .params
            .iter()
            .map(|param| param.name.clone())
            .collect(),
        context: program.context.clone(),
        operations,
        inputs,
        outputs,
    })
}

fn operation(program: &Program, id: StatementId, operands: Vec<Operand>) -> Result<Operation> {
    let statement = program.statement(id);
    let domain = statement.domain.intersect_params(&program.context)?;
    let element = program.array(statement.write.array).element;
    let types: Vec<_> = statement
        .reads
        .iter()
        .map(|r| program.array(r.array).element)
        .collect();
    Ok(Operation {
        name: statement.name.clone(),
        statement: id,
        live: domain.clone(),
        live_is_exact: true,
        instances: domain.identity()?,
        value: super::value::typed(&statement.value, &types, element),
        domain,
        operands,
        element,
        reduction: None,
    })
}

fn translate(operand: &dataflow::Operand, inputs: &[Input]) -> Result<Operand> {
    let mut sources: Vec<Source> = operand
        .producers
        .iter()
        .map(|(id, map)| from_statement(*id, map))
        .collect();
    if let Some(cells) = &operand.input {
        let origin = position(inputs, operand.array).map_or(Origin::Undefined, Origin::Input);
        sources.push(Source {
            origin,
            relation: cells.reverse()?,
        });
    }
    if let Some(cells) = &operand.undefined {
        sources.push(Source {
            origin: Origin::Undefined,
            relation: cells.reverse()?,
        });
    }
    Ok(Operand { sources })
}

fn from_statement(id: StatementId, map: &Map) -> Source {
    Source {
        origin: Origin::Operation(id.0),
        relation: map.clone(),
    }
}

fn position(inputs: &[Input], array: ArrayId) -> Option<usize> {
    inputs.iter().position(|input| input.array == array)
}
