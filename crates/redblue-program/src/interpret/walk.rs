//! All instances of a program at fixed sizes, in execution order, with the cells they touch.
//!
//! ```text
//! Program, sizes ──► Walk ──► Step { statement, point, reads, write }, Step, Step, …
//! ```
//!
//! The interpreter, the last-writer oracle and anything else that replays a program observe the same walk.
//! It computes no values.

use std::ops::ControlFlow;

use redblue_poly::scan::LoopNest;

use super::address::Address;
use super::memory::{Cell, Layout};
use crate::error::{ProgramError, Result};
use crate::program::{Access, ArrayId, Program, Sizes, StatementId};

/// A program ready to be replayed.
#[derive(Clone, Debug)]
pub struct Walk<'p> {
    program: &'p Program,
    layout: Layout,
    /// Per statement: the write, then the reads.
    accesses: Vec<Vec<(ArrayId, Address)>>,
    nest: LoopNest,
}

/// One executed instance.
#[derive(Clone, Copy, Debug)]
pub struct Step<'a> {
    /// The statement.
    pub statement: StatementId,
    /// The values of its loops, outermost first.
    pub point: &'a [i64],
    /// The cells its operands read, in order.
    pub reads: &'a [Cell],
    /// The cell it writes.
    pub write: Cell,
}

impl<'p> Walk<'p> {
    /// Prepares a program at these sizes (the source's defaults where none are given).
    pub fn new(program: &'p Program, sizes: &Sizes) -> Result<Walk<'p>> {
        let values = program.size_values(sizes)?;
        let layout = Layout::of(program, sizes)?;
        let compile = |access: &Access| -> Result<(ArrayId, Address)> {
            Ok((access.array, Address::compile(&access.map, &values)?))
        };
        let accesses = program.statements.iter().map(|statement| {
            let all = [&statement.write].into_iter().chain(&statement.reads);
            all.map(compile).collect::<Result<Vec<_>>>()
        });
        let accesses = accesses.collect::<Result<_>>()?;
        Ok(Walk {
            program,
            layout,
            accesses,
            nest: program.scan(sizes)?,
        })
    }

    /// Where the cells are.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Shows every instance to `see`, in execution order, until it returns an error.
    pub fn run(&self, mut see: impl FnMut(Step<'_>) -> Result<()>) -> Result<()> {
        let mut outcome = Ok(());
        let mut cells: Vec<Cell> = Vec::new();
        let mut subscripts = Vec::new();
        let _ = self.nest.for_each(|statement, point| {
            cells.clear();
            for (array, address) in &self.accesses[statement] {
                let inside = address.locate(point, &mut subscripts);
                let offset = self.layout.offset(*array, &subscripts).filter(|_| inside);
                match offset {
                    Some(offset) => cells.push(Cell {
                        array: *array,
                        offset,
                    }),
                    None => {
                        outcome = Err(self.outside(statement, point, *array, &subscripts));
                        return ControlFlow::Break(());
                    }
                }
            }
            let statement = StatementId(statement);
            outcome = see(Step {
                statement,
                point,
                reads: &cells[1..],
                write: cells[0],
            });
            if outcome.is_ok() {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            }
        });
        outcome
    }

    fn outside(
        &self,
        statement: usize,
        point: &[i64],
        array: ArrayId,
        cell: &[i64],
    ) -> ProgramError {
        ProgramError::OutOfBounds {
            statement: self.program.statements[statement].name.clone(),
            point: point.to_vec(),
            array: self.program.array(array).name.clone(),
            cell: cell.to_vec(),
        }
    }
}
