//! Small exact linear algebra on coefficient vectors.

use num_rational::Ratio;
use num_traits::Zero;

type Q = Ratio<i64>;

/// Coefficients `x` with `Σ x_i · rows_i = target`, if there are any. Rows that depend on earlier ones get zero.
pub(crate) fn express(rows: &[&[i64]], target: &[i64]) -> Option<Vec<Q>> {
    // Each reduced row remembers which combination of the given rows it is.
    let mut reduced: Vec<(usize, Vec<Q>, Vec<Q>)> = Vec::new();
    for (at, row) in rows.iter().enumerate() {
        let mut value: Vec<Q> = row.iter().map(|c| Q::from(*c)).collect();
        let mut origin = vec![Q::zero(); rows.len()];
        origin[at] = Q::from(1);
        eliminate(&reduced, &mut value, &mut origin);
        if let Some(pivot) = value.iter().position(|c| !c.is_zero()) {
            reduced.push((pivot, value, origin));
        }
    }
    let mut value: Vec<Q> = target.iter().map(|c| Q::from(*c)).collect();
    let mut origin = vec![Q::zero(); rows.len()];
    eliminate(&reduced, &mut value, &mut origin);
    if value.iter().any(|c| !c.is_zero()) {
        return None;
    }
    Some(origin.into_iter().map(|c| -c).collect())
}

fn eliminate(reduced: &[(usize, Vec<Q>, Vec<Q>)], value: &mut [Q], origin: &mut [Q]) {
    for (pivot, row, from) in reduced {
        let factor = value[*pivot] / row[*pivot];
        if factor.is_zero() {
            continue;
        }
        for (x, y) in value.iter_mut().zip(row) {
            *x -= factor * y;
        }
        for (x, y) in origin.iter_mut().zip(from) {
            *x -= factor * y;
        }
    }
}

/// Whether a vector is a combination of rows.
pub(crate) fn spans(rows: &[&[i64]], target: &[i64]) -> bool {
    express(rows, target).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn combinations() {
        let rows: [&[i64]; 3] = [&[1, 1, 0], &[2, 2, 0], &[0, 1, 1]];
        let found = express(&rows, &[2, 3, 1]).unwrap();
        assert_eq!(found, [Q::from(2), Q::from(0), Q::from(1)]);
        assert!(!spans(&rows, &[1, 0, 0]));
        assert!(spans(&[], &[0, 0]));
        assert_eq!(express(&[&[2, 0]], &[1, 0]).unwrap(), [Q::new(1, 2)]);
    }
}
