//! Dependences of a program and the paths over copies that are made of them.
//!
//! The table holds the program's own flow, reader → writer. A [`Path`] starts at a statement that computes
//! something, steps over copies, and ends at the next one that computes or at an input: that is one edge of
//! the graph (the certificate's [`Edge`]).

use redblue_cert::certificate::{Dependence, Edge};
use redblue_poly::Map;
use redblue_program::{ArrayId, Dataflow, Expression, Program, Statement, StatementId};

use crate::error::Result;

/// Most copies that one edge steps over.
const LONGEST: usize = 6;

/// Whether a statement is a vertex: it reads something and does more than pass it on.
pub(super) fn computes(statement: &Statement) -> bool {
    !statement.reads.is_empty() && !copies(statement)
}

/// Whether a statement only passes its operand on.
pub(super) fn copies(statement: &Statement) -> bool {
    statement.reads.len() == 1 && statement.value == Expression::Read(0)
}

/// Where a step or a path ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// At an instance of a statement.
    Statement(StatementId),
    /// At a cell that holds an input.
    Input(ArrayId),
}

/// One dependence.
#[derive(Clone, Debug)]
pub(super) struct Step {
    /// The reading statement.
    pub(super) reader: StatementId,
    operand: usize,
    /// Where the value comes from.
    pub(super) end: End,
    /// Reading instance → writing instance or cell.
    pub(super) relation: Map,
}

/// A step over copies, from one statement that computes to what it needs.
pub(super) struct Path {
    pub(super) operand: usize,
    pub(super) end: End,
    pub(super) relation: Map,
    pub(super) edge: Edge,
}

/// All dependences of a program, in the order of the certificate's table.
pub(super) struct Steps {
    steps: Vec<Step>,
    table: Vec<Dependence>,
    copies: Vec<bool>,
    constants: Vec<bool>,
}

impl Steps {
    pub(super) fn of(program: &Program, dataflow: &Dataflow) -> Result<Steps> {
        let mut steps = Vec::new();
        for (reader, operands) in dataflow.statements() {
            let domain = program
                .statement(reader)
                .domain
                .intersect_params(&program.context)?;
            for (operand, flow) in operands.iter().enumerate() {
                let mut add = |end, relation: Map| -> Result<()> {
                    let relation = relation.intersect_domain(&domain)?.coalesce()?;
                    if !relation.is_empty()? {
                        steps.push(Step {
                            reader,
                            operand,
                            end,
                            relation,
                        });
                    }
                    Ok(())
                };
                for (writer, map) in &flow.producers {
                    add(End::Statement(*writer), map.reverse()?)?;
                }
                if let Some(cells) = &flow.input {
                    add(End::Input(flow.array), cells.clone())?;
                }
            }
        }
        let name = |id: StatementId| program.statement(id).name.clone();
        let table = steps.iter().map(|step| Dependence {
            reader: name(step.reader),
            operand: step.operand,
            writer: match step.end {
                End::Statement(id) => Some(name(id)),
                End::Input(_) => None,
            },
            relation: step.relation.to_string(),
        });
        Ok(Steps {
            table: table.collect(),
            steps,
            copies: program.statements.iter().map(copies).collect(),
            constants: program
                .statements
                .iter()
                .map(|statement| statement.reads.is_empty())
                .collect(),
        })
    }

    /// All dependences.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Step> {
        self.steps.iter()
    }

    /// The certificate's table.
    pub(super) fn into_table(self) -> Vec<Dependence> {
        self.table
    }

    /// The edges of a statement that computes.
    pub(super) fn paths_from(&self, reader: StatementId) -> Result<Vec<Path>> {
        let mut found = Vec::new();
        for (at, step) in self.from(reader) {
            let start = Path {
                operand: step.operand,
                end: step.end,
                relation: step.relation.clone(),
                edge: Edge(vec![at]),
            };
            self.extend(start, &mut Vec::new(), &mut found)?;
        }
        Ok(found)
    }

    fn from(&self, reader: StatementId) -> impl Iterator<Item = (usize, &Step)> {
        let steps = self.steps.iter().enumerate();
        steps.filter(move |(_, step)| step.reader == reader)
    }

    /// Follows a path through the copy it has reached. A copy that feeds itself is entered once: what it passes on from
    /// itself is known only after a number of steps that depends on sizes.
    fn extend(
        &self,
        path: Path,
        passed: &mut Vec<StatementId>,
        found: &mut Vec<Path>,
    ) -> Result<()> {
        let End::Statement(id) = path.end else {
            found.push(path);
            return Ok(());
        };
        if self.constants[id.0] {
            return Ok(());
        }
        if !self.copies[id.0] {
            found.push(path);
            return Ok(());
        }
        if passed.contains(&id) || passed.len() == LONGEST {
            return Ok(());
        }
        passed.push(id);
        for (at, step) in self.from(id) {
            let relation = path.relation.apply_range(&step.relation)?;
            if relation.is_empty()? {
                continue;
            }
            let mut edge = path.edge.clone();
            edge.0.push(at);
            let longer = Path {
                operand: path.operand,
                end: step.end,
                relation,
                edge,
            };
            self.extend(longer, passed, found)?;
        }
        passed.pop();
        Ok(())
    }
}
