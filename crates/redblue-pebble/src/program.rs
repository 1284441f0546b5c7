//! The graph of a program at fixed sizes.
//!
//! ```text
//! Program, sizes ──► walk in program order ──► values, not cells ──► Cdag of what the outputs need
//! ```
//!
//! The walk follows values: an assignment that only copies gives its target the value of its source, and a
//! value computed from constants alone is a constant, which costs nothing. What is left are the
//! computations of the canonical dataflow, so a kernel with a scalar accumulator or a dead statement has the
//! same graph as the plain one. Vertices are numbered in program order: inputs where they are first read,
//! then the instances that read them.

use std::collections::BTreeMap;

use redblue_program::interpret::{Cell, Step, Walk};
use redblue_program::{ArrayId, Expression, Program, ProgramError, Role, Sizes, StatementId};

use crate::cdag::{Cdag, Vertex};
use crate::error::Error;

/// A program as a graph, and what each vertex stands for.
#[derive(Debug, Clone)]
pub struct ProgramGraph {
    /// The graph, with readable labels.
    pub graph: Cdag,
    /// What each vertex stands for.
    pub origins: Vec<Origin>,
    /// The cell that each vertex is first written to, or read from if it is an input: its subscripts.
    pub cells: Vec<Vec<i64>>,
}

/// What a vertex of a [`ProgramGraph`] stands for.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Origin {
    /// The initial value of a cell.
    Input(ArrayId, Vec<i64>),
    /// The value computed by an instance of a statement.
    Instance(StatementId, Vec<i64>),
}

/// Why a program has no graph at these sizes.
#[derive(Debug, thiserror::Error)]
pub enum ProgramGraphError {
    /// The program cannot be run at these sizes.
    #[error(transparent)]
    Program(#[from] ProgramError),
    /// The graph is refused.
    #[error(transparent)]
    Graph(#[from] Error),
    /// There are more vertices than the caller wants to handle.
    #[error("the graph of {program} has more than {limit} vertices at these sizes")]
    TooLarge {
        /// Name of the program.
        program: String,
        /// The most vertices allowed.
        limit: usize,
    },
}

impl ProgramGraph {
    /// The graph of `program` at `sizes`, refused above `limit` vertices.
    ///
    /// # Errors
    /// Sizes that are missing or outside the program's assumptions, or too large a graph.
    pub fn of(
        program: &Program,
        sizes: &Sizes,
        limit: usize,
    ) -> Result<ProgramGraph, ProgramGraphError> {
        let walk = Walk::new(program, sizes)?;
        let mut values = Values::new(program);
        let mut too_large = false;
        let walked = walk.run(|step| {
            values.execute(step, &walk);
            too_large = values.origins.len() > limit;
            match too_large {
                true => Err(ProgramError::Invalid("stopped".to_string())),
                false => Ok(()),
            }
        });
        if too_large {
            return Err(ProgramGraphError::TooLarge {
                program: program.name.clone(),
                limit,
            });
        }
        walked?;
        Ok(values.needed()?)
    }
}

/// The values computed so far.
struct Values<'p> {
    program: &'p Program,
    /// What each cell holds: a vertex, or a constant.
    cells: BTreeMap<Cell, Option<Vertex>>,
    origins: Vec<Origin>,
    /// Subscripts of the cell each vertex was first in.
    homes: Vec<Vec<i64>>,
    edges: Vec<(Vertex, Vertex)>,
}

impl<'p> Values<'p> {
    fn new(program: &'p Program) -> Values<'p> {
        Values {
            program,
            cells: BTreeMap::new(),
            origins: Vec::new(),
            homes: Vec::new(),
            edges: Vec::new(),
        }
    }

    fn execute(&mut self, step: Step<'_>, walk: &Walk<'_>) {
        let mut operands: Vec<Vertex> = step
            .reads
            .iter()
            .filter_map(|cell| self.read(*cell, walk))
            .collect();
        operands.sort_unstable();
        operands.dedup();
        let copies = self.program.statement(step.statement).value == Expression::Read(0);
        let value = match operands.as_slice() {
            [] => None,
            [only] if copies => Some(*only),
            _ => {
                let origin = Origin::Instance(step.statement, step.point.to_vec());
                let vertex = self.add(origin, walk.layout().subscripts(step.write));
                self.edges
                    .extend(operands.iter().map(|&operand| (operand, vertex)));
                Some(vertex)
            }
        };
        self.cells.insert(step.write, value);
    }

    /// The value of a cell. Cells of local arrays that nobody wrote hold anything: a constant.
    fn read(&mut self, cell: Cell, walk: &Walk<'_>) -> Option<Vertex> {
        if let Some(value) = self.cells.get(&cell) {
            return *value;
        }
        let value = match self.program.array(cell.array).role {
            Role::Local => None,
            Role::Parameter | Role::Global => {
                let home = walk.layout().subscripts(cell);
                Some(self.add(Origin::Input(cell.array, home.clone()), home))
            }
        };
        self.cells.insert(cell, value);
        value
    }

    fn add(&mut self, origin: Origin, home: Vec<i64>) -> Vertex {
        self.origins.push(origin);
        self.homes.push(home);
        self.origins.len() - 1
    }

    /// The part of the graph that the outputs need.
    fn needed(self) -> Result<ProgramGraph, Error> {
        let is_input = |v: &Vertex| matches!(self.origins[*v], Origin::Input(..));
        let is_output_cell = |cell: &Cell| self.program.array(cell.array).output;
        // An output array's cell that still holds its own input was never written.
        let unwritten = |cell: &Cell, v: Vertex| match &self.origins[v] {
            Origin::Input(array, _) => *array == cell.array,
            Origin::Instance(..) => false,
        };
        let mut outputs: Vec<Vertex> = self
            .cells
            .iter()
            .filter(|(cell, _)| is_output_cell(cell))
            .filter_map(|(cell, value)| value.filter(|&v| !unwritten(cell, v)))
            .collect();
        outputs.sort_unstable();
        outputs.dedup();
        let all: Vec<Vertex> = (0..self.origins.len()).collect();
        let inputs: Vec<Vertex> = all.iter().copied().filter(is_input).collect();
        let whole = Cdag::from_parts(all.len(), &self.edges, Some(&inputs), Some(&outputs))?;
        let needed = whole.needed_for_outputs();
        let kept: Vec<Vertex> = all.into_iter().filter(|&v| needed[v]).collect();
        let place = |v: &Vertex| kept.binary_search(v).ok();
        let edges: Vec<(Vertex, Vertex)> = self
            .edges
            .iter()
            .filter_map(|(u, v)| Some((place(u)?, place(v)?)))
            .collect();
        let inputs: Vec<Vertex> = inputs.iter().filter_map(place).collect();
        let outputs: Vec<Vertex> = outputs.iter().filter_map(place).collect();
        let graph = Cdag::from_parts(kept.len(), &edges, Some(&inputs), Some(&outputs))?;
        let origins: Vec<Origin> = kept.iter().map(|&v| self.origins[v].clone()).collect();
        let labels = origins
            .iter()
            .map(|origin| label(self.program, origin))
            .collect();
        let cells = kept.iter().map(|&v| self.homes[v].clone()).collect();
        Ok(ProgramGraph {
            graph: graph.with_labels(labels)?,
            origins,
            cells,
        })
    }
}

fn label(program: &Program, origin: &Origin) -> String {
    let (name, point) = match origin {
        Origin::Input(array, cell) => (&program.array(*array).name, cell),
        Origin::Instance(statement, point) => (&program.statement(*statement).name, point),
    };
    let subscripts: Vec<String> = point.iter().map(i64::to_string).collect();
    format!("{name}[{}]", subscripts.join(","))
}
