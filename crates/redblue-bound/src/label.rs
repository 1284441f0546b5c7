//! Labels: linear functions of instances that stay the same along paths of the graph.
//!
//! ```text
//! label(x) = matrix · (x, 1, sizes)        along a piece:  label_Y · step · hull = label_X · hull
//! ```
//!
//! The label of a target is given, those of the words on the way are unknown matrices. Every piece that is to
//! preserve labels is a linear equation for the label of its source, so labels are found by elimination: equations are
//! added one by one, and one that contradicts the others is left out, which means that this piece is no step of
//! the path.

use redblue_math::Matrix;
use redblue_poly::{Map, PwAff, Space};

use crate::error::Result;
use crate::graph::Piece;

/// Equations `label · columns = values` for an unknown label of a node or an input.
#[derive(Clone, Debug)]
pub(crate) struct System {
    /// Length of a homogeneous point.
    unknowns: usize,
    /// Components of the label.
    components: usize,
    /// Rows `(column of the left side | column of the right side)`, in echelon form.
    rows: Matrix,
}

impl System {
    /// No equations for labels of points with `unknowns` homogeneous coordinates.
    pub(crate) fn new(unknowns: usize, components: usize) -> Result<System> {
        let rows = Matrix::new(unknowns + components, Vec::new())?;
        Ok(System {
            unknowns,
            components,
            rows,
        })
    }

    /// Adds the equations that make `piece` carry `label` to its source; says whether that is possible.
    pub(crate) fn receive(&mut self, piece: &Piece, label: &Matrix) -> Result<bool> {
        let left = piece.step.product(&piece.hull)?;
        let right = label.product(&piece.hull)?;
        self.add(&left, &right)
    }

    /// Adds the equations that make `piece`, from the unknown's own node to itself, keep its label.
    pub(crate) fn keep(&mut self, piece: &Piece) -> Result<bool> {
        let there = piece.step.product(&piece.hull)?;
        let left = difference(&there, &piece.hull)?;
        let zeros = vec![vec![Default::default(); left.columns()]; self.components];
        self.add(&left, &Matrix::new(left.columns(), zeros)?)
    }

    /// Whether there is no equation yet.
    pub(crate) fn is_empty(&self) -> bool {
        self.rows.rows().is_empty()
    }

    fn add(&mut self, left: &Matrix, right: &Matrix) -> Result<bool> {
        let (left, right) = (left.transpose(), right.transpose());
        let mut rows = self.rows.rows().to_vec();
        for (l, r) in left.rows().iter().zip(right.rows()) {
            rows.push(l.iter().chain(r).cloned().collect());
        }
        let echelon = Matrix::new(self.unknowns + self.components, rows)?.echelon();
        if echelon.pivots.iter().any(|&pivot| pivot >= self.unknowns) {
            return Ok(false);
        }
        self.rows = echelon.matrix;
        Ok(true)
    }

    /// The label with everything that is not determined set to zero.
    pub(crate) fn solve(&self) -> Result<Matrix> {
        let mut label = vec![vec![Default::default(); self.unknowns]; self.components];
        for row in self.rows.rows() {
            let pivot = row.iter().position(|entry| *entry != Default::default());
            if let Some(pivot) = pivot.filter(|pivot| *pivot < self.unknowns) {
                for (component, line) in label.iter_mut().enumerate() {
                    line[pivot] = row[self.unknowns + component].clone();
                }
            }
        }
        Ok(Matrix::new(self.unknowns, label)?)
    }
}

fn difference(one: &Matrix, other: &Matrix) -> Result<Matrix> {
    let rows = one.rows().iter().zip(other.rows());
    let rows = rows.map(|(x, y)| x.iter().zip(y).map(|(x, y)| x - y).collect());
    Ok(Matrix::new(one.columns(), rows.collect())?)
}

/// Whether a piece carries one label to the other.
pub(crate) fn preserves(piece: &Piece, reader: &Matrix, source: &Matrix) -> Result<bool> {
    let there = source.product(&piece.step)?.product(&piece.hull)?;
    Ok(there == reader.product(&piece.hull)?)
}

/// A label with integer entries as a map from a space to an unnamed tuple.
pub(crate) fn to_map(label: &Matrix, space: &Space) -> Result<Map> {
    let (dims, params) = (space.n_dim(), space.param_names());
    let mut components = Vec::new();
    for row in label.rows() {
        let mut sum = PwAff::constant(space, row[dims].to_integer())?;
        for (at, entry) in row.iter().enumerate() {
            let factor = entry.to_integer();
            if factor == 0.into() || at == dims {
                continue;
            }
            let variable = if at < dims {
                PwAff::dim(space, at)?
            } else {
                PwAff::param(space, &params[at - dims - 1])?
            };
            sum = sum.add(&variable.scale(factor)?)?;
        }
        components.push(sum);
    }
    Ok(Map::from_pw_affs(space, "", &components)?)
}
