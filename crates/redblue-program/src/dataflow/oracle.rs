//! Last writers at fixed sizes, told twice: by executing the program, and by its [`Dataflow`].
//!
//! Execution remembers who wrote each cell last; nothing of the symbolic analysis is used. Both tellings have
//! the same type, so a test compares them with `==` and [`LastWriters::difference`] names the first
//! disagreement.

use std::collections::BTreeMap;

use redblue_poly::Map;

use super::{Dataflow, Operand};
use crate::error::{ProgramError, Result};
use crate::interpret::{Cell, Walk};
use crate::program::{ArrayId, Program, Role, Sizes, StatementId};

/// An instance of a statement.
pub type Instance = (StatementId, Vec<i64>);

/// Where one operand of one instance gets its value.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Origin {
    /// From this instance.
    Written(Instance),
    /// From the program's input: this cell.
    Input(Vec<i64>),
    /// From nowhere: this cell of a local array was never written.
    Undefined(Vec<i64>),
}

/// Every read and every final cell with its last writer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LastWriters {
    /// By reading instance and operand.
    pub reads: BTreeMap<(Instance, usize), Origin>,
    /// By output array and cell.
    pub finals: BTreeMap<(ArrayId, Vec<i64>), Instance>,
}

impl LastWriters {
    /// Executes the program and watches who writes what.
    pub fn by_execution(program: &Program, sizes: &Sizes) -> Result<LastWriters> {
        let walk = Walk::new(program, sizes)?;
        let mut writers: BTreeMap<Cell, Instance> = BTreeMap::new();
        let mut result = LastWriters::default();
        walk.run(|step| {
            let instance = (step.statement, step.point.to_vec());
            for (position, cell) in step.reads.iter().enumerate() {
                let origin = match writers.get(cell) {
                    Some(writer) => Origin::Written(writer.clone()),
                    None => unwritten(program, cell.array, walk.layout().subscripts(*cell)),
                };
                result.reads.insert((instance.clone(), position), origin);
            }
            writers.insert(step.write, instance);
            Ok(())
        })?;
        for (cell, writer) in writers {
            if program.array(cell.array).output {
                let subscripts = walk.layout().subscripts(cell);
                result.finals.insert((cell.array, subscripts), writer);
            }
        }
        Ok(result)
    }

    /// Instantiates the symbolic flow. Two origins of one read are an error.
    pub fn by_dataflow(
        program: &Program,
        dataflow: &Dataflow,
        sizes: &Sizes,
    ) -> Result<LastWriters> {
        let values = program.size_values(sizes)?;
        let pairs = |map: &Map| pairs(&program.map_at(map, &values)?);
        let mut result = LastWriters::default();
        for (reader, operands) in dataflow.statements() {
            for (position, operand) in operands.iter().enumerate() {
                for (origin, point) in origins(operand, &pairs)? {
                    let key = ((reader, point), position);
                    if let Some(other) = result.reads.insert(key.clone(), origin) {
                        return Err(ambiguous(&format!("{key:?} also reads {other:?}")));
                    }
                }
            }
        }
        for output in &dataflow.outputs {
            for (writer, map) in &output.writers {
                for (point, cell) in pairs(map)? {
                    let key = (output.array, cell);
                    if let Some(other) = result.finals.insert(key.clone(), (*writer, point)) {
                        return Err(ambiguous(&format!("{key:?} is also written by {other:?}")));
                    }
                }
            }
        }
        Ok(result)
    }

    /// The first thing the two disagree on, in words.
    pub fn difference(&self, other: &LastWriters) -> Option<String> {
        first_difference(&self.reads, &other.reads)
            .or_else(|| first_difference(&self.finals, &other.finals))
    }
}

fn unwritten(program: &Program, array: ArrayId, cell: Vec<i64>) -> Origin {
    match program.array(array).role {
        Role::Local => Origin::Undefined(cell),
        Role::Parameter | Role::Global => Origin::Input(cell),
    }
}

/// A pair of points.
type Pair = (Vec<i64>, Vec<i64>);

/// All origins of an operand with the reading points.
fn origins(
    operand: &Operand,
    pairs: &dyn Fn(&Map) -> Result<Vec<Pair>>,
) -> Result<Vec<(Origin, Vec<i64>)>> {
    let mut found = Vec::new();
    for (producer, map) in &operand.producers {
        for (from, to) in pairs(map)? {
            found.push((Origin::Written((*producer, from)), to));
        }
    }
    if let Some(map) = &operand.input {
        found.extend(
            pairs(map)?
                .into_iter()
                .map(|(to, cell)| (Origin::Input(cell), to)),
        );
    }
    if let Some(map) = &operand.undefined {
        found.extend(
            pairs(map)?
                .into_iter()
                .map(|(to, cell)| (Origin::Undefined(cell), to)),
        );
    }
    Ok(found)
}

/// All pairs of a bounded map without parameters.
fn pairs(map: &Map) -> Result<Vec<Pair>> {
    let points = map.wrap()?.flatten()?.points()?;
    let split = |mut point: Vec<i64>| {
        let to = point.split_off(map.n_in());
        (point, to)
    };
    Ok(points.into_iter().map(split).collect())
}

fn first_difference<K: Ord + std::fmt::Debug, V: PartialEq + std::fmt::Debug>(
    a: &BTreeMap<K, V>,
    b: &BTreeMap<K, V>,
) -> Option<String> {
    let key = a
        .keys()
        .chain(b.keys())
        .find(|key| a.get(key) != b.get(key))?;
    Some(format!(
        "{key:?}: {:?} against {:?}",
        a.get(key),
        b.get(key)
    ))
}

fn ambiguous(what: &str) -> ProgramError {
    ProgramError::Invalid(format!("the dataflow is ambiguous: {what}"))
}
