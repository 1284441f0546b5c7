//! Output arrays that are used again and again: their values move to a local array, and the last ones are copied back.
//!
//! ```text
//! for i { for j s[j] = …; for j B[i][j] = s[j]; }
//!   ──►  for i { for j s_2[i][j] = …; for j B[i][j] = s_2[i][j]; }   for j s[j] = s_2[N - 1][j];
//! ```
//!
//! An array of the caller cannot have more cells, so an output that is overwritten in every iteration of a loop holds
//! these iterations in their order. Where none of its values crosses the loop and none comes from the caller, a local
//! array with a cell per iteration (see [`crate::expand`]) takes its place. The cells that the caller sees at the end
//! are those of the exact last writers, which the dataflow tells: one statement per last writer copies them.
//!
//! Why it is right: the values and flow dependences between the old statements stay, the copies run last, and each reads
//! the value that the old program left in the cell it writes. The copies are statements like others, so their words are
//! counted.

use redblue_poly::{Map, PwAff};
use redblue_program::{ArrayId, Dataflow, Program, Role, Statement, StatementId};

use crate::copies::{Copied, When, has_extents, iterator_names, same};
use crate::error::Result;
use crate::expand::{add_dimensions, dimensions, touches};
use crate::webs::rename;

/// The program with such arrays released, if it has any.
pub(crate) fn release(program: &Program, flow: &Dataflow) -> Result<Option<Program>> {
    let mut released = program.clone();
    let mut any = false;
    for id in (0..program.arrays.len()).map(ArrayId) {
        if is_overwritten(program, flow, id) {
            any |= release_array(program, flow, id, &mut released)?;
        }
    }
    Ok(any.then_some(released))
}

/// Whether the caller gives nothing in an array that it owns and that is written.
fn is_overwritten(program: &Program, flow: &Dataflow, id: ArrayId) -> bool {
    let mut operands = flow.statements().flat_map(|(_, operands)| operands);
    program.array(id).role != Role::Local
        && has_extents(program.array(id))
        && program.statements.iter().any(|s| s.write.array == id)
        && operands.all(|o| o.array != id || (o.input.is_none() && o.undefined.is_none()))
}

/// Gives the values of one array their own cells; says whether that was possible and of any use.
fn release_array(
    program: &Program,
    flow: &Dataflow,
    id: ArrayId,
    released: &mut Program,
) -> Result<bool> {
    let added = dimensions(program, flow, id)?;
    if added.is_empty() {
        return Ok(false);
    }
    let mut after = released.clone();
    let touching: Vec<StatementId> = program
        .statement_ids()
        .filter(|statement| touches(program.statement(*statement), id))
        .collect();
    let new = rename(&mut after, id, 2, &touching)?;
    after.arrays[new.0].role = Role::Local;
    after.arrays[new.0].output = false;
    add_dimensions(&mut after, new, &added)?;
    let positions: Vec<usize> = added.iter().map(|(position, _)| *position).collect();
    let outputs = flow.outputs.iter().filter(|output| output.array == id);
    for (writer, cells) in outputs.flat_map(|output| &output.writers) {
        let Some(copy) = copy(program, &after, (id, new), *writer, cells, &positions)? else {
            return Ok(false);
        };
        after.statements.push(copy);
    }
    *released = after;
    Ok(true)
}

/// The statement that copies what one statement wrote last, after all others.
fn copy(
    program: &Program,
    after: &Program,
    (old, new): (ArrayId, ArrayId),
    writer: StatementId,
    cells: &Map,
    positions: &[usize],
) -> Result<Option<Statement>> {
    let array = program.array(old);
    let writer = program.statement(writer);
    let cells = cells.intersect_params(&program.context)?;
    let domain = cells.range()?.coalesce()?;
    let same = same(&domain, array)?;
    let space = writer.domain.space()?;
    let counters: Vec<PwAff> = positions
        .iter()
        .map(|position| PwAff::dim(&space, *position))
        .collect::<std::result::Result<_, _>>()?;
    let place = cells
        .reverse()?
        .apply_range(&Map::from_pw_affs(&space, "", &counters)?)?
        .flat_range_product(&same.drop_out_tuple()?)?
        .coalesce()?
        .set_out_tuple(&after.array(new).name)?;
    if place.affine_pieces()?.len() != 1 {
        return Ok(None);
    }
    let copied = Copied {
        cells: domain,
        from: (new, place),
        to: (old, same),
        iterators: iterator_names(program, array, writer)?,
    };
    copied.statement(after, When::Last)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::copies::assert_same_results;
    use redblue_program::catalogue;

    fn kernel(name: &str) -> Program {
        let entry = catalogue::find(name).unwrap();
        entry.read(&Default::default()).program.unwrap()
    }

    /// All arrays of the caller are what they were, and there is a copy for the one that was released.
    #[test]
    fn the_caller_sees_the_same() {
        let program = kernel("doitgen");
        let released = release(&program, &Dataflow::of(&program).unwrap());
        let released = released.unwrap().unwrap();
        released.validate().unwrap();
        assert_eq!(released.statements.len(), program.statements.len() + 1);
        let private = released.array(released.array_named("sum_2").unwrap());
        assert_eq!(private.extents.len(), 3);
        for sizes in &catalogue::find("doitgen").unwrap().small {
            assert_same_results(&program, &released, sizes);
        }
    }

    #[test]
    fn arrays_whose_values_matter_stay() {
        for name in ["gemm", "lu", "jacobi-1d", "seidel-2d", "gramschmidt"] {
            let program = kernel(name);
            let flow = Dataflow::of(&program).unwrap();
            assert!(release(&program, &flow).unwrap().is_none(), "{name}");
        }
    }
}
