//! Running a program: the same arrays come out as from the compiled C.
//!
//! ```text
//! Program, sizes, Memory ──► interpret ──► Memory
//! ```
//!
//! This is an oracle and a teaching tool, not a fast executor: it walks the instances in schedule order and
//! evaluates each with C's types and rounding. Reading a cell that was never written gives what the caller
//! put there, as in C for arguments; see [`crate::dataflow`] for reads that are undefined.

mod address;
mod evaluate;
pub(crate) mod function;
mod memory;
mod value;
mod walk;

use self::evaluate::Code;
pub use self::memory::{Cell, IndexRange, Layout, Memory};
pub use self::value::Value;
pub use self::walk::{Step, Walk};
use crate::error::{ProgramError, Result};
use crate::expression::Expression;
use crate::program::{Program, Sizes};

/// Executes all instances of a program in schedule order on `memory`.
pub fn interpret(program: &Program, sizes: &Sizes, memory: &mut Memory) -> Result<()> {
    interpret_with(program, sizes, memory, |_, _| {})
}

/// Like [`interpret`], and shows each instance with the value it wrote.
pub fn interpret_with(
    program: &Program,
    sizes: &Sizes,
    memory: &mut Memory,
    mut observe: impl FnMut(Step<'_>, Value),
) -> Result<()> {
    let all = program.all_sizes(sizes)?;
    let codes: Vec<Code> = program
        .statements
        .iter()
        .map(|statement| Code::compile(&statement.value, &all))
        .collect::<Result<_>>()?;
    let walk = Walk::new(program, sizes)?;
    if walk.layout() != memory.layout() {
        return Err(ProgramError::Invalid(
            "the memory is laid out for other sizes".to_string(),
        ));
    }
    let mut operands = Vec::new();
    walk.run(|step| {
        operands.clear();
        operands.extend(step.reads.iter().map(|cell| memory.get(*cell)));
        let value = codes[step.statement.0].evaluate(&operands, step.point)?;
        let value = value.convert(program.array(step.write.array).element)?;
        memory.set(step.write, value);
        observe(step, value);
        Ok(())
    })
}

/// The value of an expression for these operands, at this iteration and these sizes.
pub fn evaluate(
    expression: &Expression,
    operands: &[Value],
    point: &[i64],
    sizes: &Sizes,
) -> Result<Value> {
    Code::compile(expression, sizes)?.evaluate(operands, point)
}
