//! Which loops are parallel: no two iterations touch one cell with a write among the touches.
//!
//! ```text
//! { s -> t : cell(s) = cell(t), one writes, time(s)[..d] = time(t)[..d], time(s)[d] ≠ time(t)[d] } = ∅
//! ```
//!
//! Exact, by isl, on the storage as it is after folding. The order of `s` and `t` plays no role.

use redblue_poly::{Map, PwAff};
use redblue_program::{Access, Program};

use super::Result;
use super::plan::Storage;

/// Pairs of instances that touch the same cell, per pair of statements.
pub(super) struct Conflicts {
    times: Vec<Map>,
    pairs: Vec<(usize, usize, Map)>,
}

impl Conflicts {
    /// Collects the pairs of all statements, or none if nobody will ask.
    pub(super) fn new(program: &Program, arrays: &[Storage], wanted: bool) -> Result<Conflicts> {
        let mut conflicts = Conflicts {
            times: Vec::new(),
            pairs: Vec::new(),
        };
        if !wanted {
            return Ok(conflicts);
        }
        let mut touches = Vec::new();
        for (index, statement) in program.statements.iter().enumerate() {
            let domain = statement.domain.intersect_params(&program.context)?;
            conflicts
                .times
                .push(statement.schedule.intersect_domain(&domain)?);
            let reads = statement.reads.iter().map(|access| (access, false));
            for (access, writes) in reads.chain([(&statement.write, true)]) {
                let cell = folded(access, arrays)?.intersect_domain(&domain)?;
                touches.push((index, access.array, writes, cell));
            }
        }
        for (s, array, writes, cell) in &touches {
            for (t, other, also_writes, other_cell) in &touches {
                if array == other && (*writes || *also_writes) && s <= t {
                    let map = cell.apply_range(&other_cell.reverse()?)?;
                    conflicts.pairs.push((*s, *t, map));
                }
            }
        }
        Ok(conflicts)
    }

    /// Whether the loop over this component of the time is parallel for these statements.
    pub(super) fn is_parallel(&self, dim: usize, statements: &[usize]) -> Result<bool> {
        for (s, t, map) in &self.pairs {
            if !statements.contains(s) || !statements.contains(t) {
                continue;
            }
            let depth = self.times[*s].n_out();
            let prefix = |time: &Map, length: usize| time.project_out_out(length, depth - length);
            let same = |length: usize| -> redblue_poly::Result<Map> {
                let back = prefix(&self.times[*t], length)?.reverse()?;
                prefix(&self.times[*s], length)?.apply_range(&back)
            };
            let together = map.intersect(&same(dim)?)?;
            if !together.is_subset(&same(dim + 1)?)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// The place an access touches: its cell with folded subscripts.
fn folded(access: &Access, arrays: &[Storage]) -> Result<Map> {
    let fold = &arrays[access.array.0].fold;
    if !fold.is_folded() {
        return Ok(access.map.clone());
    }
    let space = access.map.range()?.space()?;
    let mut places = Vec::new();
    for (dim, modulus) in fold.moduli.iter().enumerate() {
        let subscript = PwAff::dim(&space, dim)?;
        places.push(match modulus {
            Some(modulus) => subscript.modulo(*modulus)?,
            None => subscript,
        });
    }
    let place = Map::from_pw_affs(&space, "", &places)?;
    Ok(access.map.apply_range(&place)?)
}
