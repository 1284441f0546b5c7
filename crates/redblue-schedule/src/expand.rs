//! Privatisation: local arrays and scalars get a dimension for every loop that none of their values crosses.
//!
//! ```text
//! for i { s = 0; for k s += A[i][k]; b[i] = s; }          s[] ──► s[i]
//! ```
//!
//! A value of a local array that is produced and consumed within one iteration of a loop may live in a cell
//! of its own per iteration. The new program computes the same values with the same flow dependences, and has
//! no anti and output dependences between those iterations, so more orders of it are legal.
//!
//! Why it is right: let φ be the loop's counter, a function on every statement that touches the array, with
//! φ(producer) = φ(consumer) for every exact flow dependence. A read of cell `x` at φ finds in `x'[φ]` what
//! its producer wrote there, because a write in between would have been in between in the original, too. The
//! equality is proved with isl on the exact dataflow; a loop for which it fails is left alone.
//!
//! Before that, a local array that is used for several unrelated things is split, see `webs`.
//!
//! Storage grows; [`crate::emit`] folds it again to what the order needs.

use num_traits::Signed;
use redblue_poly::{Map, PwAff, Set, UnionMap};
use redblue_program::error::Result;
use redblue_program::{Access, Array, ArrayId, Dataflow, Program, Role, Statement, StatementId};

use crate::webs;

/// The program with local arrays and scalars expanded along all loops for which that is legal and not idle.
pub fn expand(program: &Program) -> Result<Program> {
    let program = &webs::split(program)?;
    let locals: Vec<ArrayId> = (0..program.arrays.len())
        .map(ArrayId)
        .filter(|id| is_private(program.array(*id)))
        .collect();
    if locals.is_empty() {
        return Ok(program.clone());
    }
    let flow = Dataflow::of(program)?;
    let mut expanded = program.clone();
    for id in locals {
        let added = dimensions(program, &flow, id)?;
        if !added.is_empty() {
            add_dimensions(&mut expanded, id, &added)?;
        }
    }
    Ok(expanded)
}

/// The loops, with their extents, that no value of an array crosses and that its cells do not tell.
pub(crate) fn dimensions(
    program: &Program,
    flow: &Dataflow,
    id: ArrayId,
) -> Result<Vec<(usize, String)>> {
    let mut added = Vec::new();
    for position in 0..common_depth(program, id) {
        if let Some(extent) = extent(program, id, position)?
            && is_uncrossed(program, flow, id, position)?
            && !is_determined(program, id, position)?
        {
            added.push((position, extent));
        }
    }
    Ok(added)
}

/// Whether nobody outside the function sees the array.
pub(crate) fn is_private(array: &Array) -> bool {
    array.role == Role::Local && !array.output
}

/// Whether a statement reads or writes an array.
pub(crate) fn touches(statement: &Statement, id: ArrayId) -> bool {
    accesses(statement).any(|access| access.array == id)
}

fn accesses(statement: &Statement) -> impl Iterator<Item = &Access> {
    statement.reads.iter().chain([&statement.write])
}

/// Number of loops around every statement that touches the array.
fn common_depth(program: &Program, id: ArrayId) -> usize {
    let depths = program
        .statements
        .iter()
        .filter(|statement| touches(statement, id))
        .map(|statement| statement.iterators.len());
    depths.min().unwrap_or(0)
}

/// Whether every value of the array is consumed in the iteration of the loop that produced it.
fn is_uncrossed(program: &Program, flow: &Dataflow, id: ArrayId, position: usize) -> Result<bool> {
    for consumer in program.statement_ids() {
        for operand in flow.operands(consumer) {
            if operand.array != id {
                continue;
            }
            // A value that nobody wrote may be anything, but it must not become another anything.
            if operand.undefined.is_some() {
                return Ok(false);
            }
            for (_, map) in &operand.producers {
                let same = Map::universe(&map.space()?)?.equate(position, position)?;
                if !map.is_subset(&same)? {
                    return Ok(false);
                }
            }
        }
    }
    Ok(true)
}

/// Whether the cell tells the iteration already, so that another subscript would add nothing.
fn is_determined(program: &Program, id: ArrayId, position: usize) -> Result<bool> {
    let mut iterations = UnionMap::empty(program.context.context())?;
    for (statement, domain) in touching(program, id)? {
        let counter = PwAff::dim(&domain.space()?, position)?;
        let counter = Map::from_pw_affs(&domain.space()?, "", &[counter])?;
        for access in accesses(statement).filter(|access| access.array == id) {
            let cell = access.map.intersect_domain(&domain)?.reverse()?;
            let cell = cell.apply_range(&counter)?;
            iterations = iterations.union(&cell.to_union()?)?;
        }
    }
    Ok(iterations.is_single_valued()?)
}

/// Statements that touch the array, with the instances that exist.
fn touching(program: &Program, id: ArrayId) -> Result<Vec<(&Statement, Set)>> {
    let statements = program.statements.iter().filter(|s| touches(s, id));
    statements
        .map(|statement| {
            Ok((
                statement,
                statement.domain.intersect_params(&program.context)?,
            ))
        })
        .collect()
}

/// One more than the last value of the loop, in isl notation; `None` if that is not one expression for all
/// statements and sizes, or if the loop has negative values.
fn extent(program: &Program, id: ArrayId, position: usize) -> Result<Option<String>> {
    let mut values: Option<Set> = None;
    for (_, domain) in touching(program, id)? {
        let depth = domain.n_dim();
        let this = domain.project_out(position + 1, depth - position - 1)?;
        let this = this.project_out(0, position)?.drop_tuple_name()?;
        values = Some(match values {
            Some(others) => others.union(&this)?,
            None => this,
        });
    }
    let Some(values) = values.filter(|set| set.is_bounded().unwrap_or(false)) else {
        return Ok(None);
    };
    let zero = PwAff::constant(&values.space()?, 0)?;
    let counter = PwAff::dim(&values.space()?, 0)?;
    if !values.is_subset(&counter.ge_set(&zero)?)? {
        return Ok(None);
    }
    let last = values
        .coalesce()?
        .dim_max(0)?
        .gist_params(&program.context)?;
    let [(_, last)] = &last.pieces()?[..] else {
        return Ok(None);
    };
    if !last.is_plain() {
        return Ok(None);
    }
    let mut text = String::new();
    for (name, factor) in program.params.iter().zip(&last.numerator.params) {
        if *factor != num_bigint::BigInt::ZERO {
            text += &format!("{factor}*{} + ", name.name);
        }
    }
    let constant: num_bigint::BigInt = &last.numerator.constant + 1;
    if constant.is_negative() {
        text += &format!("({constant})");
    } else {
        text += &constant.to_string();
    }
    Ok(Some(tidy(&text)))
}

/// Extents as people write them.
fn tidy(text: &str) -> String {
    let text = match text.strip_suffix(" + 0") {
        Some(rest) => rest.to_string(),
        None => text.to_string(),
    };
    let words: Vec<&str> = text.split(' ').collect();
    let plain = words
        .iter()
        .map(|word| word.strip_prefix("1*").unwrap_or(word));
    plain.collect::<Vec<_>>().join(" ")
}

/// Puts the loops at these positions in front of all subscripts of an array.
pub(crate) fn add_dimensions(
    program: &mut Program,
    id: ArrayId,
    added: &[(usize, String)],
) -> Result<()> {
    let array = &mut program.arrays[id.0];
    let extents = added.iter().map(|(_, extent)| Some(extent.clone()));
    array.extents.splice(0..0, extents);
    let name = array.name.clone();
    for statement in 0..program.statements.len() {
        let statement = &mut program.statements[StatementId(statement).0];
        let space = statement.domain.space()?;
        for access in statement.reads.iter_mut().chain([&mut statement.write]) {
            if access.array != id {
                continue;
            }
            let counters: Vec<PwAff> = added
                .iter()
                .map(|(position, _)| PwAff::dim(&space, *position))
                .collect::<std::result::Result<_, _>>()?;
            let counters = Map::from_pw_affs(&space, "", &counters)?;
            let cell = access.map.drop_out_tuple()?;
            access.map = counters.flat_range_product(&cell)?.set_out_tuple(&name)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use redblue_program::catalogue;
    use redblue_program::interpret::{Memory, interpret};
    use redblue_program::reading::ReadOptions;

    fn kernel(name: &str) -> Program {
        let entry = catalogue::find(name).unwrap();
        entry.read(&ReadOptions::default()).program.unwrap()
    }

    #[track_caller]
    fn check(name: &str, array: &str, extents: &[&str]) {
        let expanded = expand(&kernel(name)).unwrap();
        let array = expanded.array(expanded.array_named(array).unwrap());
        let found: Vec<&str> = array.extents.iter().flatten().map(String::as_str).collect();
        assert_eq!(found, extents);
    }

    #[test]
    fn loops_that_no_value_crosses_become_dimensions() {
        check("symm", "mirrored", &["M", "N"]);
        check("attention-online", "top", &["N"]);
        check("attention-online", "sum", &["N"]);
        check("attention-online", "score", &["N", "M"]);
        check("attention-online", "weight", &["N", "M"]);
        check("gramschmidt", "nrm", &["N"]);
    }

    #[test]
    fn arrays_of_the_caller_stay() {
        let program = expand(&kernel("gemm")).unwrap();
        assert_eq!(
            program.arrays[0].extents.len(),
            kernel("gemm").arrays[0].extents.len()
        );
    }

    #[test]
    fn expanded_kernels_are_valid_and_compute_the_same() {
        for entry in catalogue::catalogue() {
            let program = entry.read(&ReadOptions::default()).program.unwrap();
            if !program.arrays.iter().any(is_private) {
                continue;
            }
            let expanded = expand(&program).unwrap();
            if entry.name.starts_with("attention") {
                expanded.validate().unwrap();
            }
            for sizes in &entry.small {
                let run = |program: &Program| {
                    let mut memory = Memory::zeroed(program, sizes).unwrap();
                    memory
                        .fill(program, |name, cell| {
                            let seed: i64 = name.bytes().map(i64::from).sum();
                            let sum: i64 = cell
                                .iter()
                                .enumerate()
                                .map(|(d, x)| (d as i64 + 3) * x)
                                .sum();
                            let heavy = if cell.len() == 2 && cell[0] == cell[1] {
                                9.0
                            } else {
                                0.0
                            };
                            1.0 + ((seed + sum) % 7) as f64 / 8.0 + heavy
                        })
                        .unwrap();
                    interpret(program, sizes, &mut memory).unwrap();
                    memory
                };
                let (before, after) = (run(&program), run(&expanded));
                for (position, array) in program.arrays.iter().enumerate() {
                    if !is_private(array) {
                        let id = ArrayId(position);
                        assert_eq!(
                            before.array(id),
                            after.array(id),
                            "{} {}",
                            entry.name,
                            array.name
                        );
                    }
                }
            }
        }
    }
}
