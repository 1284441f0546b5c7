//! Who computed the value each operand reads: exact, instance by instance, with symbolic sizes.
//!
//! ```text
//! Program ──► Dataflow
//!               operand:  producer instance → consumer instance   (the last write before the read)
//!                         consumer instance → cell                (read before any write: an input)
//!               live-out: last writer instance → cell
//! ```
//!
//! Every reading instance of an operand is in exactly one of its relations. Nothing is approximated and no
//! transitive closure is taken. Memory is gone from the result: two values that share a cell at different
//! times are unrelated here, which is what the graph of theory G-1 needs.

mod flow;
pub mod oracle;
pub(crate) mod reduction;

use redblue_poly::{Map, Set};

pub use self::reduction::{Operator, Reduction};
use crate::error::Result;
use crate::program::{ArrayId, Program, StatementId};

/// The value-based flow of a program.
#[derive(Clone, Debug)]
pub struct Dataflow {
    /// Per statement, per operand in the order of [`Statement::reads`](crate::Statement::reads).
    operands: Vec<Vec<Operand>>,
    /// Per statement, its reduction if it is one.
    reductions: Vec<Option<Reduction>>,
    /// For every output array that is written, in array order.
    pub outputs: Vec<LiveOut>,
}

/// Where the values of one operand come from.
#[derive(Clone, Debug)]
pub struct Operand {
    /// The array it reads.
    pub array: ArrayId,
    /// Producing statements in textual order, with producer instance → consumer instance.
    pub producers: Vec<(StatementId, Map)>,
    /// Consumer instance → cell, for cells that hold an input of the program.
    pub input: Option<Map>,
    /// Consumer instance → cell, for cells of local arrays that nobody has written: the value is
    /// indeterminate in C. It deserves a warning, and it is not a load.
    pub undefined: Option<Map>,
}

/// The final contents of an output array.
#[derive(Clone, Debug)]
pub struct LiveOut {
    /// The array.
    pub array: ArrayId,
    /// Last writers in textual order, with writer instance → cell. Cells nobody writes are absent: they
    /// need no store.
    pub writers: Vec<(StatementId, Map)>,
}

impl Dataflow {
    /// Computes the flow of a program.
    pub fn of(program: &Program) -> Result<Dataflow> {
        let (operands, outputs) = flow::solve(program)?;
        let reductions = program
            .statement_ids()
            .map(|id| Reduction::find(id, program.statement(id), &operands))
            .collect::<Result<_>>()?;
        Ok(Dataflow {
            operands,
            reductions,
            outputs,
        })
    }

    /// The operands of a statement, in the order of its reads.
    pub fn operands(&self, id: StatementId) -> &[Operand] {
        &self.operands[id.0]
    }

    /// The reduction a statement performs, if it does.
    pub fn reduction(&self, id: StatementId) -> Option<&Reduction> {
        self.reductions[id.0].as_ref()
    }

    /// All statements with the flow of their operands, in textual order.
    pub fn statements(&self) -> impl Iterator<Item = (StatementId, &[Operand])> {
        self.operands
            .iter()
            .enumerate()
            .map(|(i, operands)| (StatementId(i), operands.as_slice()))
    }

    /// The cells of each array that are read as inputs, in array order.
    pub fn inputs(&self) -> Result<Vec<(ArrayId, Set)>> {
        self.cells(|operand| operand.input.as_ref())
    }

    /// The cells of each local array that are read before any write, in array order.
    pub fn undefined(&self) -> Result<Vec<(ArrayId, Set)>> {
        self.cells(|operand| operand.undefined.as_ref())
    }

    fn cells(&self, of: impl Fn(&Operand) -> Option<&Map>) -> Result<Vec<(ArrayId, Set)>> {
        let mut found: Vec<(ArrayId, Set)> = Vec::new();
        for operand in self.operands.iter().flatten() {
            let Some(map) = of(operand) else { continue };
            let cells = map.range()?;
            match found.iter_mut().find(|(array, _)| *array == operand.array) {
                Some((_, known)) => *known = known.union(&cells)?.coalesce()?,
                None => found.push((operand.array, cells)),
            }
        }
        found.sort_by_key(|(array, _)| *array);
        Ok(found)
    }
}

impl Operand {
    /// The relation from instances of this statement, if it produces any of the values.
    pub fn from_statement(&self, id: StatementId) -> Option<&Map> {
        self.producers
            .iter()
            .find(|(producer, _)| *producer == id)
            .map(|(_, map)| map)
    }
}
