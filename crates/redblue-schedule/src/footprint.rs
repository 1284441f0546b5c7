//! How many cells of an array one subtree of an order touches.

use num_integer::Integer;
use num_traits::ToPrimitive;
use redblue_poly::{Map, Set};

use crate::error::Result;
use crate::order::Row;
use crate::site::{Reference, Site};

/// At most so many cells belong to one subtree, given subtree → cells: the product of the largest extents, or all cells
/// there are. Cells are at multiples of their strides from each other, see [`strides`].
pub(crate) fn footprint(touched: &[Map], strides: &[u64]) -> Result<u128> {
    let Some(first) = touched.first() else {
        return Ok(0);
    };
    assert_eq!(first.n_out(), strides.len());
    let mut used = false;
    for map in touched {
        used |= !map.is_empty()?;
    }
    let mut extents = u128::from(used);
    for (at, stride) in strides.iter().enumerate() {
        let side = side(first, &touched[1..], at)?;
        let within = side.reverse()?.apply_range(&side)?.deltas()?;
        extents = extents.saturating_mul(values(&within, *stride)?);
    }
    if first.n_in() == 0 {
        let mut cells = first.range()?;
        for map in &touched[1..] {
            cells = cells.union(&map.range()?)?;
        }
        if let Ok(cells) = cells.count_points() {
            return Ok(extents.min(crate::site::to_u128(&cells)));
        }
    }
    Ok(extents)
}

/// Subtree → values of one coordinate of the cells.
pub(crate) fn side(first: &Map, others: &[Map], at: usize) -> Result<Map> {
    let one = |map: &Map| {
        map.project_out_out(at + 1, map.n_out() - at - 1)?
            .project_out_out(0, at)
    };
    let mut side = one(first)?;
    for map in others {
        side = side.union(&one(map)?)?;
    }
    Ok(side)
}

/// How many values have at most these distances, which are multiples of a stride.
pub(crate) fn values(distances: &Set, stride: u64) -> Result<u128> {
    if distances.is_empty()? {
        return Ok(0);
    }
    let greatest = distances.greatest(0)?.and_then(|value| value.to_u128());
    Ok(greatest.map_or(u128::MAX, |value| value / u128::from(stride) + 1))
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
