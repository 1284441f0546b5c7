//! Counting points of sets at fixed sizes: a product where dimensions have nothing to do with each other.
//!
//! The pairs of subtrees and cells of a product of many small tiles have a dozen dimensions, two or three of which are
//! tied together at a time. Counted as a whole they would pass the limits of the count; factor by factor they are easy.

use num_bigint::BigInt;
use num_traits::Zero;
use redblue_poly::{BasicSet, PolyError, Set};

use crate::error::Result;
use crate::walk::walked;

/// Steps of isl that one count may take: a few tenths of a second.
const STEPS: u64 = 50_000;

/// The number of points of a set without parameters; nothing if that is too hard. A walk takes at most so many steps, which
/// are used up.
pub(crate) fn points(set: &Set, steps: &mut u64) -> Result<Option<BigInt>> {
    match points_by_walk(set, steps)? {
        Some(number) => Ok(Some(number)),
        None => attempt(set, || exact(set)),
    }
}

/// The same by a walk only.
pub(crate) fn points_by_walk(set: &Set, steps: &mut u64) -> Result<Option<BigInt>> {
    Ok(attempt(set, || walked(set, steps))?.flatten())
}

/// A way to count; nothing if it fails or takes too many steps of isl.
fn attempt<T>(set: &Set, way: impl FnOnce() -> redblue_poly::Result<T>) -> Result<Option<T>> {
    match set.context().limited(STEPS, way) {
        Err(PolyError::Interrupted) => Err(PolyError::Interrupted.into()),
        found => Ok(found.ok().flatten()),
    }
}

/// The number of points of a convex set without floors around the set; nothing if that is too hard.
pub(crate) fn points_around(set: &Set, steps: &mut u64) -> Result<Option<BigInt>> {
    match set.context().limited(STEPS, || set.simple_superset()) {
        Ok(Some(hull)) => points(&hull, steps),
        _ => Ok(None),
    }
}

fn exact(set: &Set) -> redblue_poly::Result<BigInt> {
    let whole = set.coalesce()?;
    if let [one] = &whole.basic_sets()?[..] {
        let groups = independent(one, set.n_dim())?;
        if groups.len() > 1 {
            let mut product = BigInt::from(1);
            for group in groups {
                let mut part = whole.clone();
                for at in (0..set.n_dim()).rev().filter(|at| !group.contains(at)) {
                    part = part.project_out(at, 1)?;
                }
                product *= part.count_points()?;
            }
            return Ok(product);
        }
    }
    whole.count_points()
}

/// Dimensions in groups that no constraint connects. The set is the product of its shadows on them.
fn independent(set: &BasicSet, count: usize) -> redblue_poly::Result<Vec<Vec<usize>>> {
    if !set.floors()?.is_empty() {
        return Ok(vec![(0..count).collect()]);
    }
    let mut groups: Vec<Vec<usize>> = (0..count).map(|at| vec![at]).collect();
    for constraint in set.constraints()? {
        let used = |at: &usize| !constraint.linear.dims[*at].is_zero();
        let (tied, others): (Vec<_>, Vec<_>) =
            groups.into_iter().partition(|group| group.iter().any(used));
        groups = others;
        if !tied.is_empty() {
            groups.push(tied.concat());
        }
    }
    Ok(groups)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use redblue_poly::Context;

    #[test]
    fn products_are_counted_by_factors() {
        let context = Context::new().unwrap();
        let tiles = "{ [p, q, i, j] : 0 <= i < 10 and 0 <= j < 7 and 4p <= i < 4p + 4 and 3q <= j < 3q + 3 }";
        let set = Set::parse(&context, tiles).unwrap();
        assert_eq!(points(&set, &mut 100_000).unwrap(), Some(BigInt::from(70)));
        let none = "{ [i, j] : 0 <= i < 10 and 1 <= j < 1 }";
        let set = Set::parse(&context, none).unwrap();
        assert_eq!(points(&set, &mut 100_000).unwrap(), Some(BigInt::from(0)));
        let tied = "{ [i, j] : 0 <= i <= j < 4 }";
        let set = Set::parse(&context, tied).unwrap();
        assert_eq!(points(&set, &mut 100_000).unwrap(), Some(BigInt::from(10)));
    }
}
