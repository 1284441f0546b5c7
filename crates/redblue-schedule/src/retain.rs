//! Arrays that are read as the caller gave them and overwritten: what was given moves to a local array first.
//!
//! ```text
//! for i { for j s[j] = … A[i][k] …; for j A[i][j] = s[j]; }
//!   ──►  for i, j A_2[i][j] = A[i][j];   for i { for j s[j] = … A_2[i][k] …; for j A[i][j] = s[j]; }
//! ```
//!
//! A cell cannot be overwritten before its last read, so results wait for reads they have nothing to do with. Where every
//! read of the array is of what the caller gave, and none of what the program writes there, the reads may go to a copy, and
//! only the copy must come before the write: it can be made where the cell is first needed, and the results go where
//! they belong at once.
//!
//! Why it is right: the copies run first and read what the caller gave, so each read finds its value in the copy. The copies
//! are statements like others, so their words are counted.

use redblue_poly::Set;
use redblue_program::{Access, ArrayId, Dataflow, Program, Role};

use crate::copies::{Copied, When, has_extents, iterator_names, same};
use crate::error::Result;
use crate::webs::another;

/// The program with such arrays retained, if it has any.
pub(crate) fn retain(program: &Program, flow: &Dataflow) -> Result<Option<Program>> {
    let mut retained = program.clone();
    let mut any = false;
    for id in (0..program.arrays.len()).map(ArrayId) {
        if let Some(given) = given(program, flow, id)? {
            any |= retain_array(program, id, given, &mut retained)?;
        }
    }
    Ok(any.then_some(retained))
}

/// The cells of an array that are read, if the caller gave all of them, and some are overwritten by others than those that
/// read them.
fn given(program: &Program, flow: &Dataflow, id: ArrayId) -> Result<Option<Set>> {
    let array = program.array(id);
    if array.role == Role::Local || !has_extents(array) {
        return Ok(None);
    }
    let mut cells: Option<Set> = None;
    let mut elsewhere = false;
    for (reader, operands) in flow.statements() {
        let statement = program.statement(reader);
        for (operand, read) in operands.iter().zip(&statement.reads) {
            if operand.array != id {
                continue;
            }
            let Some(input) = operand
                .input
                .as_ref()
                .filter(|_| operand.producers.is_empty())
            else {
                return Ok(None);
            };
            elsewhere |= !overwrites(&statement.write, read)?;
            let own = input.intersect_params(&program.context)?.range()?;
            cells = Some(match cells {
                Some(others) => others.union(&own)?,
                None => own,
            });
        }
    }
    let Some(cells) = cells.filter(|_| elsewhere) else {
        return Ok(None);
    };
    for statement in program.statements.iter().filter(|s| s.write.array == id) {
        let domain = statement.domain.intersect_params(&program.context)?;
        let written = statement.write.map.intersect_domain(&domain)?.range()?;
        if !written.intersect(&cells)?.is_empty()? {
            return Ok(Some(cells.coalesce()?));
        }
    }
    Ok(None)
}

/// Whether a write is to the cell of a read.
fn overwrites(write: &Access, read: &Access) -> Result<bool> {
    Ok(write.array == read.array && write.map.is_equal(&read.map)?)
}

/// Lets all reads of an array go to a copy; says whether that was possible.
fn retain_array(
    program: &Program,
    id: ArrayId,
    given: Set,
    retained: &mut Program,
) -> Result<bool> {
    let mut after = retained.clone();
    let new = another(&mut after, id, 2);
    after.arrays[new.0].role = Role::Local;
    after.arrays[new.0].output = false;
    let array = program.array(id);
    let Some(writer) = program.statements.iter().find(|s| s.write.array == id) else {
        return Ok(false);
    };
    let copied = Copied {
        from: (id, same(&given, array)?),
        to: (new, same(&given, after.array(new))?),
        iterators: iterator_names(program, array, writer)?,
        cells: given,
    };
    let Some(copy) = copied.statement(&after, When::First)? else {
        return Ok(false);
    };
    let name = after.array(new).name.clone();
    let reads = after.statements.iter_mut().flat_map(|s| &mut s.reads);
    for read in reads.filter(|read| read.array == id) {
        read.array = new;
        read.map = read.map.set_out_tuple(&name)?;
    }
    after.statements.push(copy);
    *retained = after;
    Ok(true)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::copies::assert_same_results;
    use redblue_program::c::{self, CInput};
    use redblue_program::catalogue;

    fn retained(program: &Program) -> Option<Program> {
        retain(program, &Dataflow::of(program).unwrap()).unwrap()
    }

    fn written(body: &str) -> Program {
        let text = format!(
            "void f(int N, double A[N][N], double B[N][N]) {{\n#pragma scop\n{body}\n#pragma endscop\n}}"
        );
        let input = CInput {
            name: "f.c",
            text: &text,
        };
        let reading = c::read(&input, &Default::default(), &|_| None);
        reading.program.unwrap()
    }

    /// The arrays of the caller end as they did.
    #[test]
    fn the_caller_sees_the_same() {
        let entry = catalogue::find("doitgen").unwrap();
        let program = entry.read(&Default::default()).program.unwrap();
        let more = retained(&program).unwrap();
        more.validate().unwrap();
        assert_eq!(more.statements.len(), program.statements.len() + 1);
        assert!(more.array_named("A_2").is_some());
        for sizes in &entry.small {
            assert_same_results(&program, &more, sizes);
        }
    }

    #[test]
    fn arrays_that_lend_nothing_stay() {
        for name in ["gemm", "lu", "trmm", "jacobi-1d", "seidel-2d", "atax"] {
            let entry = catalogue::find(name).unwrap();
            let program = entry.read(&Default::default()).program.unwrap();
            assert!(retained(&program).is_none(), "{name}");
        }
        let loops = "for (int i = 0; i < N; i++) for (int j = 0; j < N; j++)";
        let own = format!("{loops} A[i][j] = A[i][j] + B[i][j];");
        assert!(retained(&written(&own)).is_none());
        let apart = format!("{loops} if (j < i) A[i][j] = A[j][i] + B[i][j];");
        assert!(retained(&written(&apart)).is_none());
        let own_values = format!("{loops} A[i][j] = A[j][i] + B[i][j];");
        assert!(retained(&written(&own_values)).is_none());
        let moved = format!("{loops} if (j + 1 < N) A[i][j] = A[i][j + 1];");
        let program = written(&moved);
        assert!(retained(&program).is_some());
        // What is not known to end cannot be declared anew.
        let mut endless = program;
        endless.arrays[0].extents[0] = None;
        assert!(retained(&endless).is_none());
    }
}
