//! Vertices and extreme rays of small polyhedra, by the double description method in exact arithmetic.
//!
//! ```text
//! P = { x : a_i·x >= b_i }    becomes the cone    C = { (x, t) : a_i·x - b_i·t >= 0, t >= 0 }
//! ```
//!
//! An extreme ray of `C` with `t > 0` is a vertex of `P`, one with `t = 0` an extreme ray of `P`. The cone is cut
//! by one half-space at a time; a new ray arises between two adjacent rays on either side of the cut.
//! Dual vertices of projective loop nests (D-8, P-4) come from here, together with [`undominated`].

use crate::{
    Rational, Subspace,
    error::{MathError, Result},
    matrix::{Matrix, dot},
    rational,
};
use num_traits::{One as _, Signed as _, Zero as _};

/// The most half-spaces, so that a set of tight ones is one machine word.
const MAX_HALFSPACES: usize = 126;

/// The intersection of half-spaces `normal·x >= bound`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Polyhedron {
    dimension: usize,
    halfspaces: Vec<(Vec<Rational>, Rational)>,
}

/// The polyhedron as hull of vertices + cone of rays + span of lines; all lists sorted. No vertex means empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Generators {
    /// The vertices; when there are lines, one point of each minimal face.
    pub vertices: Vec<Vec<Rational>>,
    /// The extreme rays, with coprime integer entries.
    pub rays: Vec<Vec<Rational>>,
    /// The lines that lie in the polyhedron.
    pub lines: Subspace,
}

/// An extreme ray of the cone with the constraints that it makes tight.
struct Ray {
    vector: Vec<Rational>,
    tight: u128,
}

impl Polyhedron {
    /// The whole space.
    pub fn new(dimension: usize) -> Self {
        Polyhedron {
            dimension,
            halfspaces: Vec::new(),
        }
    }

    /// Adds the condition `normal·x >= bound`.
    pub fn require(&mut self, normal: Vec<Rational>, bound: Rational) -> Result<()> {
        if normal.len() != self.dimension {
            return Err(MathError::Dimension {
                expected: self.dimension,
                found: normal.len(),
            });
        }
        self.halfspaces.push((normal, bound));
        Ok(())
    }

    /// Adds the conditions `x_i >= 0`.
    pub fn require_nonnegative(&mut self) {
        self.halfspaces.extend(
            Matrix::identity(self.dimension)
                .rows()
                .iter()
                .map(|unit| (unit.clone(), Rational::zero())),
        );
    }

    /// Whether the point satisfies all conditions.
    pub fn contains(&self, point: &[Rational]) -> bool {
        point.len() == self.dimension
            && self
                .halfspaces
                .iter()
                .all(|(normal, bound)| dot(normal, point) >= *bound)
    }

    /// The vertices, extreme rays and lines; an error when more than `limit` rays arise on the way.
    pub fn generators(&self, limit: usize) -> Result<Generators> {
        let normals = Matrix::new(
            self.dimension,
            self.halfspaces
                .iter()
                .map(|(normal, _)| normal.clone())
                .collect(),
        )?;
        let lines = Subspace::kernel(&normals);
        let rays = extreme_rays(self.cone(&lines), self.dimension + 1, limit)?;
        let (mut vertices, mut directions) = (Vec::new(), Vec::new());
        for Ray { mut vector, .. } in rays {
            let Some(t) = vector.pop() else { continue };
            if t.is_zero() {
                let content = rational::content(&vector);
                directions.push(vector.into_iter().map(|entry| entry / &content).collect());
            } else {
                vertices.push(vector.into_iter().map(|entry| entry / &t).collect());
            }
        }
        vertices.sort();
        directions.sort();
        if vertices.is_empty() {
            directions.clear();
        }
        Ok(Generators {
            vertices,
            rays: directions,
            lines,
        })
    }

    /// The rows of the pointed cone above the polyhedron, lines cut away.
    fn cone(&self, lines: &Subspace) -> Vec<Vec<Rational>> {
        let mut rows = Vec::new();
        for line in lines.basis().rows() {
            let negative = line.iter().map(|entry| -entry).collect::<Vec<_>>();
            rows.extend([line.clone(), negative].map(|normal| lifted(&normal, &Rational::zero())));
        }
        rows.push(lifted(
            &vec![Rational::zero(); self.dimension],
            &-Rational::one(),
        ));
        rows.extend(
            self.halfspaces
                .iter()
                .map(|(normal, bound)| lifted(normal, bound)),
        );
        rows
    }
}

/// The row `(normal, -bound)` of the cone.
fn lifted(normal: &[Rational], bound: &Rational) -> Vec<Rational> {
    normal.iter().cloned().chain([-bound]).collect()
}

/// The extreme rays of the pointed cone `{ z : row·z >= 0 }`.
fn extreme_rays(rows: Vec<Vec<Rational>>, dimension: usize, limit: usize) -> Result<Vec<Ray>> {
    if rows.len() > MAX_HALFSPACES {
        return Err(MathError::Limit(MAX_HALFSPACES));
    }
    // The transposed echelon form names a largest independent set of rows: the first, simplicial cone.
    let independent = Matrix::new(dimension, rows.clone())?
        .transpose()
        .echelon()
        .pivots;
    let start = independent
        .iter()
        .map(|&index| rows[index].clone())
        .collect();
    let Some(inverse) = Matrix::new(dimension, start)?.inverse()? else {
        return Err(MathError::Dimension {
            expected: dimension,
            found: independent.len(),
        });
    };
    let all = independent
        .iter()
        .fold(0u128, |set, &index| set | 1 << index);
    let corner = |(vector, &index): (&Vec<Rational>, &usize)| Ray {
        vector: vector.clone(),
        tight: all & !(1 << index),
    };
    let mut rays: Vec<Ray> = inverse
        .transpose()
        .rows()
        .iter()
        .zip(&independent)
        .map(corner)
        .collect();
    for (index, row) in rows
        .iter()
        .enumerate()
        .filter(|(index, _)| !independent.contains(index))
    {
        rays = cut(rays, row, 1 << index, dimension);
        if rays.len() > limit {
            return Err(MathError::Limit(limit));
        }
    }
    Ok(rays)
}

/// Cuts the cone with one more half-space.
fn cut(rays: Vec<Ray>, row: &[Rational], bit: u128, dimension: usize) -> Vec<Ray> {
    let heights: Vec<Rational> = rays.iter().map(|ray| dot(row, &ray.vector)).collect();
    let mut created = Vec::new();
    for (above, high) in heights
        .iter()
        .enumerate()
        .filter(|(_, height)| height.is_positive())
    {
        for (below, low) in heights
            .iter()
            .enumerate()
            .filter(|(_, height)| height.is_negative())
        {
            let common = rays[above].tight & rays[below].tight;
            // Adjacent rays span a face of dimension two: enough common constraints, shared by no third ray.
            let adjacent = common.count_ones() as usize + 2 >= dimension
                && rays.iter().enumerate().all(|(third, ray)| {
                    third == above || third == below || ray.tight & common != common
                });
            if adjacent {
                let mix = |(x, y): (&Rational, &Rational)| y * high - x * low;
                let vector: Vec<_> = rays[above]
                    .vector
                    .iter()
                    .zip(&rays[below].vector)
                    .map(mix)
                    .collect();
                let content = rational::content(&vector);
                created.push(Ray {
                    vector: vector.into_iter().map(|entry| entry / &content).collect(),
                    tight: common | bit,
                });
            }
        }
    }
    let kept = rays
        .into_iter()
        .zip(heights)
        .filter(|(_, height)| !height.is_negative())
        .map(|(mut ray, height)| {
            if height.is_zero() {
                ray.tight |= bit;
            }
            ray
        });
    kept.chain(created).collect()
}

/// The vectors that are not above another one in every component; sorted, without repetition.
pub fn undominated(mut vectors: Vec<Vec<Rational>>) -> Vec<Vec<Rational>> {
    vectors.sort();
    vectors.dedup();
    let above = |one: &[Rational], other: &[Rational]| {
        one != other && one.iter().zip(other).all(|(x, y)| x >= y)
    };
    vectors
        .iter()
        .filter(|one| !vectors.iter().any(|other| above(one, other)))
        .cloned()
        .collect()
}
