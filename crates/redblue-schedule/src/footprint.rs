//! How many cells of an array one subtree of an order touches.

use num_integer::Integer;
use num_traits::ToPrimitive;
use redblue_poly::Map;

use crate::error::Result;
use crate::order::Row;
use crate::site::{Reference, Site};

/// At most so many cells belong to one subtree, given subtree → cells: the product of the largest extents, or all cells
/// there are. Cells are at multiples of their strides from each other, see [`strides`].
pub(crate) fn footprint(touched: &[Map], strides: &[u64]) -> Result<u128> {
    let mut touched = touched.iter();
    let Some(first) = touched.next() else {
        return Ok(0);
    };
    let touched = touched.try_fold(first.clone(), |all, more| all.union(more))?;
    if touched.is_empty()? {
        return Ok(0);
    }
    debug_assert_eq!(touched.n_out(), strides.len());
    let within = touched.reverse()?.apply_range(&touched)?.deltas()?;
    let mut extents: u128 = 1;
    for (at, stride) in (0..within.n_dim()).zip(strides) {
        let greatest = within.dim_max(at)?.as_constant()?;
        let Some(greatest) = greatest.and_then(|value| value.to_u128()) else {
            return Ok(u128::MAX);
        };
        extents = extents.saturating_mul(greatest / u128::from(*stride) + 1);
    }
    if touched.n_in() == 0
        && let Ok(cells) = touched.range()?.count_points()
    {
        return Ok(extents.min(crate::site::to_u128(&cells)));
    }
    Ok(extents)
}

/// By subscript, a number that divides the distance of any two cells of some references, which are of one array.
pub(crate) fn strides(site: &Site<'_>, references: &[Reference]) -> Result<Vec<u64>> {
    let Some(first) = references.first() else {
        return Ok(Vec::new());
    };
    let mut all = Vec::with_capacity(references.len());
    for reference in references {
        match site.subscripts(*reference)? {
            Some(rows) => all.push(rows),
            None => return Ok(vec![1; site.cells(*first).n_out()]),
        }
    }
    Ok(common_strides(&all))
}

/// By subscript, a number that divides all differences of values of these lists of functions.
pub(crate) fn common_strides<R: AsRef<[Row]>>(all: &[R]) -> Vec<u64> {
    let Some(first) = all.first().map(AsRef::as_ref) else {
        return Vec::new();
    };
    let stride = |at: usize| {
        let mut stride: i64 = 0;
        for row in all.iter().filter_map(|rows| rows.as_ref().get(at)) {
            stride = row.dims.iter().fold(stride, |known, c| known.gcd(c));
            stride = stride.gcd(&(row.constant - first[at].constant));
            for (one, other) in row.params.iter().zip(&first[at].params) {
                stride = stride.gcd(&(one - other));
            }
        }
        stride.unsigned_abs().max(1)
    };
    (0..first.len()).map(stride).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(dims: &[i64], constant: i64) -> Row {
        Row {
            dims: dims.to_vec(),
            params: vec![1],
            constant,
        }
    }

    #[test]
    fn strides_divide_all_distances() {
        let even = [row(&[2, 0], 0), row(&[0, 3], 1)];
        let odd = [row(&[2, 0], 1), row(&[0, 6], 4)];
        assert_eq!(common_strides(&[&even]), [2, 3]);
        assert_eq!(common_strides(&[&even, &odd]), [1, 3]);
        // One value has no distances.
        assert_eq!(common_strides(&[&[row(&[0, 0], 7)]]), [1]);
    }
}
