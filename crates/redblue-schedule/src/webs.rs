//! Renaming: a local array that is used for unrelated things becomes one array per thing.
//!
//! ```text
//! for i { w = …; for k w -= …; A[i] = w; }   for i { w = b[i]; … }        the second w becomes w_2
//! ```
//!
//! Two statements that touch a local array belong to one *web* if a value goes through it from one to the other.
//! Between webs nothing but storage is shared, so each may have its own: the values and the flow dependences stay,
//! and there are fewer anti and output dependences. A read of a value that nobody wrote keeps the array as it is.

use redblue_program::error::Result;
use redblue_program::{ArrayId, Dataflow, Program, StatementId};

use crate::expand::{is_private, touches};

/// The program with one array per web.
pub(crate) fn split(program: &Program) -> Result<Program> {
    let mut renamed = program.clone();
    let shared: Vec<ArrayId> = (0..program.arrays.len())
        .map(ArrayId)
        .filter(|id| is_private(program.array(*id)))
        .collect();
    if shared.is_empty() {
        return Ok(renamed);
    }
    let flow = Dataflow::of(program)?;
    for id in shared {
        let Some(webs) = webs(program, &flow, id) else {
            continue;
        };
        for (number, web) in webs.iter().enumerate().skip(1) {
            rename(&mut renamed, id, number + 1, web)?;
        }
    }
    Ok(renamed)
}

/// The statements that touch an array, in sets that its values connect.
fn webs(program: &Program, flow: &Dataflow, id: ArrayId) -> Option<Vec<Vec<StatementId>>> {
    let mut webs: Vec<Vec<StatementId>> = program
        .statement_ids()
        .filter(|statement| touches(program.statement(*statement), id))
        .map(|statement| vec![statement])
        .collect();
    for (reader, operands) in flow.statements() {
        for operand in operands.iter().filter(|operand| operand.array == id) {
            if operand.undefined.is_some() {
                return None;
            }
            for (writer, _) in &operand.producers {
                let with =
                    |statement: StatementId| move |web: &Vec<StatementId>| web.contains(&statement);
                let (one, other) = (
                    webs.iter().position(with(reader))?,
                    webs.iter().position(with(*writer))?,
                );
                if one != other {
                    let joined = webs.remove(one.max(other));
                    webs[one.min(other)].extend(joined);
                }
            }
        }
    }
    Some(webs)
}

/// Gives some statements an array of their own.
pub(crate) fn rename(
    program: &mut Program,
    id: ArrayId,
    number: usize,
    web: &[StatementId],
) -> Result<ArrayId> {
    let new = another(program, id, number);
    let name = program.array(new).name.clone();
    for statement in web {
        let statement = &mut program.statements[statement.0];
        for access in statement.reads.iter_mut().chain([&mut statement.write]) {
            if access.array == id {
                access.array = new;
                access.map = access.map.set_out_tuple(&name)?;
            }
        }
    }
    Ok(new)
}

/// One more array like another one.
pub(crate) fn another(program: &mut Program, id: ArrayId, number: usize) -> ArrayId {
    let mut array = program.array(id).clone();
    let taken = |name: &str| {
        program.array_named(name).is_some()
            || program.params.iter().any(|param| param.name == name)
            || program
                .statements
                .iter()
                .any(|statement| statement.iterators.iter().any(|loop_| loop_ == name))
    };
    let mut name = format!("{}_{number}", array.name);
    while taken(&name) {
        name.push('_');
    }
    array.name = name;
    program.arrays.push(array);
    ArrayId(program.arrays.len() - 1)
}
