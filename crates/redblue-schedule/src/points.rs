//! Counting points of sets at fixed sizes: a product where dimensions have nothing to do with each other.
//!
//! The pairs of subtrees and cells of a product of many small tiles have a dozen dimensions, two or three of which are
//! tied together at a time. Counted as a whole they would pass the limits of the count; factor by factor they are easy.

use std::collections::BTreeMap;

use num_bigint::BigInt;
use num_traits::Zero;
use redblue_poly::{BasicSet, Set};

use crate::error::Result;

/// The number of points of a set without parameters; nothing if that is too hard.
pub(crate) fn points(set: &Set) -> Result<Option<BigInt>> {
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
                match counted(&part)? {
                    Some(number) => product *= number,
                    None => return Ok(None),
                }
            }
            return Ok(Some(product));
        }
    }
    counted(set)
}

fn counted(set: &Set) -> Result<Option<BigInt>> {
    Ok(match set.count() {
        Ok(count) => Some(count.evaluate(&BTreeMap::new())?),
        Err(_) => None,
    })
}

/// Dimensions in groups that no constraint connects. The set is the product of its shadows on them.
fn independent(set: &BasicSet, count: usize) -> Result<Vec<Vec<usize>>> {
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
        assert_eq!(points(&set).unwrap(), Some(BigInt::from(70)));
        let none = "{ [i, j] : 0 <= i < 10 and 1 <= j < 1 }";
        let set = Set::parse(&context, none).unwrap();
        assert_eq!(points(&set).unwrap(), Some(BigInt::from(0)));
        let tied = "{ [i, j] : 0 <= i <= j < 4 }";
        let set = Set::parse(&context, tied).unwrap();
        assert_eq!(points(&set).unwrap(), Some(BigInt::from(10)));
    }
}
