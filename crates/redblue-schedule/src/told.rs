//! What functions of an instance tell of another one.
//!
//! `16*it + i` with `0 <= i < 16` tells `it` without being a multiple of it, as `i` tells `it` where `it <= i < it + 16`: loops over
//! tiles in a source that is tiled already. A family that the ones before it tell only makes more orders that do the same.

use redblue_poly::Map;
use redblue_program::{Program, StatementId};

use crate::error::Result;
use crate::linear::spans;
use crate::order::{Row, loop_names};

/// Whether instances of a statement with equal values of the known functions have equal values of the row, at all sizes.
pub(crate) fn tells(program: &Program, id: StatementId, known: &[&Row], row: &Row) -> Result<bool> {
    let linear: Vec<&[i64]> = known.iter().map(|known| known.dims.as_slice()).collect();
    if spans(&linear, &row.dims) {
        return Ok(true);
    }
    if known.is_empty() {
        return Ok(false);
    }
    let values = values(program, id, known)?.reverse()?;
    let told = values.apply_range(&self::values(program, id, &[row])?)?;
    Ok(told.is_single_valued()?)
}

/// Instance → values of functions.
fn values(program: &Program, id: StatementId, rows: &[&Row]) -> Result<Map> {
    let statement = program.statement(id);
    let params: Vec<String> = program.params.iter().map(|p| p.name.clone()).collect();
    let loops = loop_names("i", statement.iterators.len());
    let texts: Vec<String> = rows.iter().map(|row| row.text(&loops, &params)).collect();
    let text = format!(
        "[{}] -> {{ {}[{}] -> [{}] }}",
        params.join(", "),
        statement.name,
        loops.join(", "),
        texts.join(", ")
    );
    let map = Map::parse(program.context.context(), &text)?;
    Ok(map.intersect_domain(&statement.domain)?)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use redblue_program::catalogue::find;

    use super::*;

    #[test]
    fn points_tell_their_tiles_and_nothing_else() {
        let entry = find("matmul-tiled").unwrap();
        let program = entry.read(&Default::default()).program.unwrap();
        let id = StatementId(1);
        let loops = &program.statement(id).iterators;
        assert_eq!(*loops, ["it", "jt", "kt", "i", "j", "k"]);
        let row = |at| Row::unit(loops.len(), program.params.len(), at);
        let check = |known: &[usize], at: usize, expected: bool| {
            let known: Vec<Row> = known.iter().map(|at| row(*at)).collect();
            let known: Vec<&Row> = known.iter().collect();
            assert_eq!(tells(&program, id, &known, &row(at)).unwrap(), expected);
        };
        check(&[3], 0, true);
        check(&[4, 5, 3], 2, true);
        check(&[0], 3, false);
        check(&[4, 5], 0, false);
        check(&[], 0, false);
    }
}
