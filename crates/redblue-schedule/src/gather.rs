//! Gathering: local arrays of which no two cells have the same subscripts become one.
//!
//! ```text
//! low[i][j] for j < i,  high[i][j] for j >= i        ──►  low[i][j] for both
//! ```
//!
//! Subscripts tell whose cell it is, so nothing but names changes. What stays in fast memory is bounded array by array: a tile
//! of two halves needs room for a tile of each if they have two names, and for one tile if they have one.

use redblue_poly::Set;
use redblue_program::error::Result;
use redblue_program::{ArrayId, Program};

use crate::expand::{accesses, is_private, one_past_last};

/// The program with such arrays gathered into the first of them.
pub(crate) fn gather(program: Program) -> Result<Program> {
    let mut program = program;
    let mut one = 0;
    while one < program.arrays.len() {
        let mut other = one + 1;
        while other < program.arrays.len() {
            match gathered(&program, ArrayId(one), ArrayId(other))? {
                Some(fewer) => program = fewer,
                None => other += 1,
            }
        }
        one += 1;
    }
    Ok(program)
}

/// The program with the second array's cells in the first one, if they may be.
fn gathered(program: &Program, one: ArrayId, other: ArrayId) -> Result<Option<Program>> {
    let [first, second] = [one, other].map(|id| program.array(id));
    let alike = first.element == second.element && first.extents.len() == second.extents.len();
    if !alike || first.extents.is_empty() || !is_private(first) || !is_private(second) {
        return Ok(None);
    }
    let (Some(own), Some(more)) = (cells(program, one)?, cells(program, other)?) else {
        return Ok(None);
    };
    if !own.intersect(&more)?.is_empty()? {
        return Ok(None);
    }
    let all = own.union(&more)?;
    let count = all.n_dim();
    let mut extents = Vec::new();
    for at in 0..count {
        let values = all.project_out(at + 1, count - at - 1)?;
        let values = values.project_out(0, at)?;
        let Some(extent) = one_past_last(program, values)? else {
            return Ok(None);
        };
        extents.push(Some(extent));
    }
    let mut fewer = program.clone();
    fewer.arrays[one.0].extents = extents;
    fewer.arrays.remove(other.0);
    for statement in &mut fewer.statements {
        for access in statement.reads.iter_mut().chain([&mut statement.write]) {
            if access.array == other {
                access.array = one;
                access.map = access.map.set_out_tuple(&program.array(one).name)?;
            } else if access.array > other {
                access.array.0 -= 1;
            }
        }
    }
    Ok(Some(fewer))
}

/// The cells of an array that are touched, without its name; nothing if there are none.
fn cells(program: &Program, id: ArrayId) -> Result<Option<Set>> {
    let mut cells: Option<Set> = None;
    for statement in &program.statements {
        let domain = statement.domain.intersect_params(&program.context)?;
        for access in accesses(statement).filter(|access| access.array == id) {
            let here = access.map.intersect_domain(&domain)?.drop_out_tuple()?;
            let here = here.range()?;
            cells = Some(match cells {
                Some(others) => others.union(&here)?,
                None => here,
            });
        }
    }
    Ok(cells)
}

#[cfg(test)]
mod tests {
    use redblue_program::c::{self, CInput};
    use redblue_program::reading::ReadOptions;

    use crate::expand::expand;

    /// A sum below the diagonal and one above it, each with a scalar of its own.
    const HALVES: &str = "void f(int N, double A[N][N], double B[N][N]) {
    double low; LATER high;
#pragma scop
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < i; j++) {
            low = 0;
            for (int k = 0; k < N; k++)
                low += A[i][k] * A[k][j];
            B[i][j] = low;
        }
        for (int j = FROM; j < N; j++) {
            high = 0;
            for (int k = 0; k < N; k++)
                high += A[k][i] * A[j][k];
            B[i][j] = high;
        }
    }
#pragma endscop
}";

    /// The local arrays after expansion, with their extents.
    #[track_caller]
    fn check(from: &str, element: &str, expected: &[(&str, &[&str])]) {
        let text = HALVES.replace("FROM", from).replace("LATER", element);
        let input = CInput {
            name: "halves.c",
            text: &text,
        };
        let reading = c::read(&input, &ReadOptions::default(), &|_| None);
        let program = reading.program.unwrap();
        let expanded = expand(&program).unwrap();
        expanded.validate().unwrap();
        let locals = expanded.arrays.iter().filter(|array| !array.output);
        let locals: Vec<(&str, Vec<&str>)> = locals
            .filter(|array| array.name != "A")
            .map(|array| {
                let extents = array.extents.iter().flatten().map(String::as_str);
                (array.name.as_str(), extents.collect())
            })
            .collect();
        let expected: Vec<(&str, Vec<&str>)> =
            expected.iter().map(|(n, e)| (*n, e.to_vec())).collect();
        assert_eq!(locals, expected);
    }

    #[test]
    fn halves_of_one_square_are_one_array() {
        check("i", "double", &[("low", &["N", "N"])]);
        check("i + 1", "double", &[("low", &["N", "N"])]);
    }

    #[test]
    fn common_cells_and_other_types_stay_apart() {
        check(
            "i - 1",
            "double",
            &[("low", &["N", "N - 1"]), ("high", &["N", "N"])],
        );
        check(
            "i",
            "float",
            &[("low", &["N", "N - 1"]), ("high", &["N", "N"])],
        );
    }
}
