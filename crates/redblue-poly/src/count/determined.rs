//! Dimensions that the others determine do not change the number of points.
//!
//! In `{ [ii, i] : ii = 32·floor(i/32), 0 <= i < n }`, the tile loop adds nothing: the projection that
//! forgets `ii` is injective, so the set has as many points as `{ [i] : 0 <= i < n }`.

use crate::error::{PolyError, Result};
use crate::set::Set;

use super::polynomial::is_unit;

/// A set with the same number of points for all parameters, without dimensions that others determine.
pub(crate) fn without_determined(set: &Set) -> Result<Set> {
    let mut set = set.clone();
    while let Some(smaller) = smaller(&set)? {
        set = smaller;
    }
    Ok(set)
}

/// The set without the dimension whose removal leaves the simplest projection.
fn smaller(set: &Set) -> Result<Option<Set>> {
    let (floors, plain) = shape(set)?;
    if plain {
        return Ok(None);
    }
    let mut best: Option<(usize, Set)> = None;
    for dim in 0..set.n_dim() {
        if !is_determined(set, dim)? {
            continue;
        }
        let projected = set.project_out(dim, 1)?.coalesce()?;
        let (cost, _) = shape(&projected)?;
        // A projection with more floors would only hide an equality that can be solved.
        if cost <= floors && best.as_ref().is_none_or(|(known, _)| cost < *known) {
            best = Some((cost, projected));
        }
    }
    Ok(best.map(|(_, set)| set))
}

/// The number of floors, and whether the set is so plain that no dimension can be determined: neither
/// floors nor equalities, and every dimension has coefficients of size one.
fn shape(set: &Set) -> Result<(usize, bool)> {
    let (mut floors, mut plain) = (0, true);
    for basic in set.basic_sets()? {
        floors += basic.floors()?.len();
        plain &= basic.constraints()?.iter().all(|constraint| {
            let dims = constraint.linear.dims.iter();
            let involved = dims.filter(|c| **c != Default::default());
            let units = involved.clone().all(is_unit);
            units && !(constraint.equality && involved.count() > 0)
        });
    }
    Ok((floors, plain && floors == 0))
}

fn is_determined(set: &Set, dim: usize) -> Result<bool> {
    let forget = set.identity()?.project_out_out(dim, 1)?;
    match forget.is_injective() {
        // The set can be counted without this simplification.
        Err(PolyError::Budget { .. }) => Ok(false),
        answer => answer,
    }
}
