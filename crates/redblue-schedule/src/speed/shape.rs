//! What a loop does to the accesses of a statement: nothing, a step to the next cell, or a jump.

use num_traits::{One, Signed, Zero};
use redblue_program::error::Result;
use redblue_program::{Access, Statement};

/// The effect of one more iteration of a loop on an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stride {
    /// The same cell.
    None,
    /// The next cell.
    Unit,
    /// Another row, or anything else.
    Far,
}

/// The stride of an access along a loop.
pub(super) fn stride(access: &Access, iterator: usize) -> Result<Stride> {
    let pieces = access.map.affine_pieces()?;
    let [(_, cell)] = &pieces[..] else {
        return Ok(Stride::Far);
    };
    let mut result = Stride::None;
    for (dim, affine) in cell.iter().enumerate() {
        let Some(factor) = affine.numerator.dims.get(iterator) else {
            continue;
        };
        let in_floor = affine.floors.iter().any(|floor| {
            floor
                .numerator
                .dims
                .get(iterator)
                .is_some_and(|factor| !factor.is_zero())
        });
        if in_floor {
            return Ok(Stride::Far);
        }
        if !factor.is_zero() {
            let last = dim + 1 == cell.len();
            let unit = last && factor.abs().is_one() && result == Stride::None;
            result = if unit { Stride::Unit } else { Stride::Far };
        }
    }
    Ok(result)
}

/// How well a loop serves as the innermost one, if iterations write neighbouring cells: operands in the
/// same or the next cell count for it, jumps against it.
pub(super) fn vector_score(statement: &Statement, iterator: usize) -> Result<Option<i64>> {
    if stride(&statement.write, iterator)? != Stride::Unit {
        return Ok(None);
    }
    let mut score = 0;
    for read in &statement.reads {
        score += match stride(read, iterator)? {
            Stride::None | Stride::Unit => 1,
            Stride::Far => -2,
        };
    }
    Ok(Some(score))
}

/// Whether some access stays on its cell along the loop: what tiling can save.
pub(super) fn has_reuse(statement: &Statement, iterator: usize) -> Result<bool> {
    for access in statement.reads.iter().chain([&statement.write]) {
        let is_array = access.map.n_out() > 0;
        if is_array && stride(access, iterator)? == Stride::None {
            return Ok(true);
        }
    }
    Ok(false)
}
