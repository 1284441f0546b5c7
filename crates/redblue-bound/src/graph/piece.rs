//! Affine pieces of a relation, in homogeneous coordinates.
//!
//! ```text
//! x̂ = (x, 1, sizes)      ŷ = step · x̂      for x in the domain, whose affine hull is the column space of `hull`
//! ```
//!
//! Labels are linear in homogeneous coordinates too, so "the label does not change along this piece" is one
//! matrix equation: `label(source) · step · hull = label(reader) · hull`.

use std::collections::BTreeMap;

use num_traits::{One as _, Zero as _};
use redblue_math::rational::int;
use redblue_math::{Matrix, Rational};
use redblue_poly::{Affine, Map, Set};

use crate::error::Result;

/// A relation on part of its domain, where it is one affine function without floors.
#[derive(Clone, Debug)]
pub struct Piece {
    /// Where it holds.
    pub domain: Set,
    /// The function in homogeneous coordinates.
    pub step: Matrix,
    /// The affine hull of the domain: its columns span the homogeneous points.
    pub hull: Matrix,
}

impl Piece {
    /// The linear part: one row per coordinate of the source, one column per dimension of the reader.
    pub fn linear(&self) -> Matrix {
        let dims = self.domain.n_dim();
        let sources = self.sources();
        let rows = self.step.rows()[..sources].iter();
        let rows = rows.map(|row| row[..dims].to_vec()).collect();
        // The rows were cut to this length.
        Matrix::new(dims, rows).unwrap_or_else(|_| Matrix::identity(dims))
    }

    /// Whether the domain is not inside a hyperplane.
    pub fn is_full(&self) -> bool {
        self.hull.columns() == self.step.columns()
    }

    /// The constant displacement `reader − source` of a translation of one space.
    pub fn translation(&self) -> Option<Vec<i64>> {
        let dims = self.domain.n_dim();
        if self.linear() != Matrix::identity(dims) {
            return None;
        }
        displacement(&self.step, dims)
    }

    /// Number of coordinates of the source.
    fn sources(&self) -> usize {
        self.step.rows().len() + self.domain.n_dim() - self.step.columns()
    }
}

/// The constant displacement of a homogeneous translation.
pub(crate) fn displacement(step: &Matrix, dims: usize) -> Option<Vec<i64>> {
    let row = |row: &Vec<Rational>| {
        let sizes_absent = row[dims + 1..].iter().all(|c| c.is_zero());
        let shift = redblue_math::rational::to_i64(&-&row[dims])?;
        sizes_absent.then_some(shift)
    };
    step.rows()[..dims].iter().map(row).collect()
}

/// The pieces of a single-valued relation; parts with floors in a coordinate are left out.
pub(super) fn of(relation: &Map) -> Result<Vec<Piece>> {
    let mut parts: Vec<(Matrix, Set)> = Vec::new();
    for (domain, coordinates) in relation.affine_pieces()? {
        let Some(step) = homogeneous(&coordinates, &domain)? else {
            continue;
        };
        match parts.iter_mut().find(|(known, _)| *known == step) {
            Some((_, set)) => *set = set.union(&domain)?,
            None => parts.push((step, domain)),
        }
    }
    let mut pieces = Vec::new();
    for (step, domain) in parts {
        for (hull, domain) in by_hull(&domain.simplify()?)? {
            pieces.push(Piece {
                domain,
                step: step.clone(),
                hull,
            });
        }
    }
    Ok(pieces)
}

/// The function `(x, 1, sizes) ↦ (y, 1, sizes)`.
fn homogeneous(coordinates: &[Affine], domain: &Set) -> Result<Option<Matrix>> {
    let (dims, params) = (domain.n_dim(), domain.n_param());
    let columns = dims + 1 + params;
    let mut rows = Vec::new();
    for coordinate in coordinates {
        if !coordinate.is_plain() {
            return Ok(None);
        }
        let linear = &coordinate.numerator;
        let entries = linear
            .dims
            .iter()
            .chain([&linear.constant])
            .chain(&linear.params);
        rows.push(entries.map(|entry| int(entry.clone())).collect::<Vec<_>>());
    }
    for at in dims..columns {
        rows.push(
            (0..columns)
                .map(|c| {
                    if c == at {
                        Rational::one()
                    } else {
                        Rational::zero()
                    }
                })
                .collect(),
        );
    }
    Ok(Some(Matrix::new(columns, rows)?))
}

/// The disjuncts of a set, united where they have the same affine hull.
fn by_hull(domain: &Set) -> Result<Vec<(Matrix, Set)>> {
    let columns = domain.n_dim() + 1 + domain.n_param();
    let mut found: BTreeMap<Matrix, Set> = BTreeMap::new();
    for basic in domain.detect_equalities()?.basic_sets()? {
        let mut rows = Vec::new();
        for constraint in basic.constraints()? {
            let linear = &constraint.linear;
            if constraint.equality && linear.floors.iter().all(|c| c.is_zero()) {
                let entries = linear
                    .dims
                    .iter()
                    .chain([&linear.constant])
                    .chain(&linear.params);
                rows.push(entries.map(|entry| int(entry.clone())).collect::<Vec<_>>());
            }
        }
        let hull = Matrix::new(columns, rows)?.kernel().transpose();
        let part = basic.to_set()?;
        let part = match found.remove(&hull) {
            Some(set) => set.union(&part)?,
            None => part,
        };
        found.insert(hull, part);
    }
    Ok(found.into_iter().collect())
}
