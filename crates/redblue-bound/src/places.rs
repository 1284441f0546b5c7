//! Loops that are reversed or moved: which numbers to give iterations so that two accesses look alike.
//!
//! ```text
//! one access   Σ A_i·p_i + a        another   Σ B_i·y_i + b        p_i = ±y_i + d_i makes them the same function
//! ```
//!
//! a, b and d may depend on sizes. Methods that compare two accesses (symmetry, mirror images) place targets at such
//! numbers, so it does not matter how loops count.

use redblue_math::rational::int;
use redblue_math::{Matrix, Rational};

/// The coefficients of one coordinate in all subscripts of an access.
pub(crate) type Column = Vec<Rational>;

/// ±1 and d, one entry per constant and size.
pub(crate) struct Place {
    pub(crate) sign: Rational,
    pub(crate) shift: Vec<Rational>,
}

impl Place {
    /// The number as a function of (x, 1, sizes), where `coordinate` is the one that is numbered.
    pub(crate) fn row(&self, dims: usize, coordinate: usize) -> Vec<Rational> {
        let mut row = vec![int(0); dims];
        row[coordinate] = self.sign.clone();
        row.extend(self.shift.iter().cloned());
        row
    }
}

/// One column of a homogeneous access function.
pub(crate) fn column(step: &Matrix, sources: usize, at: usize) -> Column {
    let rows = step.rows()[..sources].iter();
    rows.map(|row| row[at].clone()).collect()
}

/// How many subscripts an access function has that reads from `dims` coordinates.
pub(crate) fn sources(step: &Matrix, dims: usize) -> usize {
    step.rows().len() + dims - step.columns()
}

/// Entry by entry.
pub(crate) fn minus(one: &[Rational], other: &[Rational]) -> Column {
    one.iter().zip(other).map(|(x, y)| x - y).collect()
}

/// The places p_i for pairs (A_i, B_i), given b − a for the constant and for every size.
pub(crate) fn aligned(pairs: &[(Column, Column)], differences: &[Column]) -> Option<Vec<Place>> {
    let mut places = Vec::new();
    for (wanted, given) in pairs {
        let reversed: Column = given.iter().map(|entry| -entry).collect();
        let sign = match () {
            () if wanted == given => int(1),
            () if *wanted == reversed => int(-1),
            () => return None,
        };
        places.push(Place {
            sign,
            shift: Vec::new(),
        });
    }
    let wanted: Vec<Column> = pairs.iter().map(|(wanted, _)| wanted.clone()).collect();
    let subscripts = wanted.first()?.len();
    let system = Matrix::new(subscripts, wanted).ok()?.transpose();
    for difference in differences {
        let shifts = system.solve(difference).ok()??;
        for (place, shift) in places.iter_mut().zip(shifts) {
            shift.is_integer().then_some(())?;
            place.shift.push(shift);
        }
    }
    Some(places)
}
