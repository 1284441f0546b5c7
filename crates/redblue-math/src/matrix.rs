//! Dense matrices of exact rationals, by Gauss-Jordan elimination.
//!
//! Small and plain on purpose: the matrices of this project (accesses, projections, constraints) have at most a
//! few dozen rows, and exactness is what matters.

use crate::{
    Rational,
    error::{MathError, Result},
};
use num_traits::{One as _, Zero as _};

/// A matrix stored row by row.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Matrix {
    columns: usize,
    rows: Vec<Vec<Rational>>,
}

/// The reduced row echelon form of a matrix.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Echelon {
    /// The rows that are not zero, each with leading one, pivots cleared above and below.
    pub matrix: Matrix,
    /// The pivot column of each row, increasing.
    pub pivots: Vec<usize>,
    /// The determinant of the eliminated square matrix; zero when it is not square or not regular.
    determinant: Rational,
}

impl Matrix {
    /// A matrix with the given rows, all of length `columns`.
    pub fn new(columns: usize, rows: Vec<Vec<Rational>>) -> Result<Self> {
        match rows.iter().find(|row| row.len() != columns) {
            Some(row) => Err(MathError::Dimension {
                expected: columns,
                found: row.len(),
            }),
            None => Ok(Matrix { columns, rows }),
        }
    }

    /// A matrix of integers.
    pub fn from_integers<const C: usize>(rows: &[[i64; C]]) -> Self {
        let rows = rows
            .iter()
            .map(|row| {
                row.iter()
                    .map(|&entry| crate::rational::int(entry))
                    .collect()
            })
            .collect();
        Matrix { columns: C, rows }
    }

    /// The identity.
    pub fn identity(size: usize) -> Self {
        let unit = |i: usize, j: usize| {
            if i == j {
                Rational::one()
            } else {
                Rational::zero()
            }
        };
        Matrix {
            columns: size,
            rows: (0..size)
                .map(|i| (0..size).map(|j| unit(i, j)).collect())
                .collect(),
        }
    }

    /// The rows.
    pub fn rows(&self) -> &[Vec<Rational>] {
        &self.rows
    }

    /// The number of columns.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// The matrix with rows and columns exchanged.
    #[must_use]
    pub fn transpose(&self) -> Matrix {
        let column = |j: usize| self.rows.iter().map(|row| row[j].clone()).collect();
        Matrix {
            columns: self.rows.len(),
            rows: (0..self.columns).map(column).collect(),
        }
    }

    /// The image of a vector.
    pub fn apply(&self, vector: &[Rational]) -> Result<Vec<Rational>> {
        self.check(self.columns, vector.len())?;
        Ok(self.rows.iter().map(|row| dot(row, vector)).collect())
    }

    /// The matrix product.
    pub fn product(&self, other: &Matrix) -> Result<Matrix> {
        self.check(self.columns, other.rows.len())?;
        let transposed = other.transpose();
        let rows = self.rows.iter().map(|row| {
            transposed
                .rows
                .iter()
                .map(|column| dot(row, column))
                .collect()
        });
        Ok(Matrix {
            columns: other.columns,
            rows: rows.collect(),
        })
    }

    /// The reduced row echelon form.
    pub fn echelon(&self) -> Echelon {
        let mut rows = self.rows.clone();
        let mut pivots = Vec::new();
        let mut determinant = Rational::one();
        for column in 0..self.columns {
            let done = pivots.len();
            let Some(found) = (done..rows.len()).find(|&row| !rows[row][column].is_zero()) else {
                continue;
            };
            if found != done {
                rows.swap(done, found);
                determinant = -determinant;
            }
            let pivot = rows[done][column].clone();
            rows[done].iter_mut().for_each(|entry| *entry /= &pivot);
            determinant *= pivot;
            let pivot_row = rows[done].clone();
            for (index, row) in rows.iter_mut().enumerate() {
                if index != done && !row[column].is_zero() {
                    let factor = row[column].clone();
                    row.iter_mut()
                        .zip(&pivot_row)
                        .for_each(|(entry, above)| *entry -= &factor * above);
                }
            }
            pivots.push(column);
        }
        if pivots.len() != self.columns || self.rows.len() != self.columns {
            determinant = Rational::zero();
        }
        rows.truncate(pivots.len());
        Echelon {
            matrix: Matrix {
                columns: self.columns,
                rows,
            },
            pivots,
            determinant,
        }
    }

    /// The dimension of the row space.
    pub fn rank(&self) -> usize {
        self.echelon().pivots.len()
    }

    /// The determinant of a square matrix.
    pub fn determinant(&self) -> Result<Rational> {
        self.check(self.columns, self.rows.len())?;
        Ok(self.echelon().determinant)
    }

    /// One solution of `self * x = right`; `None` when there is none.
    pub fn solve(&self, right: &[Rational]) -> Result<Option<Vec<Rational>>> {
        self.check(self.rows.len(), right.len())?;
        let augmented = self
            .rows
            .iter()
            .zip(right)
            .map(|(row, value)| row.iter().cloned().chain([value.clone()]).collect());
        let echelon = Matrix {
            columns: self.columns + 1,
            rows: augmented.collect(),
        }
        .echelon();
        if echelon.pivots.last() == Some(&self.columns) {
            return Ok(None);
        }
        let mut solution = vec![Rational::zero(); self.columns];
        for (row, &pivot) in echelon.matrix.rows.iter().zip(&echelon.pivots) {
            solution[pivot] = row[self.columns].clone();
        }
        Ok(Some(solution))
    }

    /// The inverse of a square matrix; `None` when it is singular.
    pub fn inverse(&self) -> Result<Option<Matrix>> {
        let size = self.columns;
        self.check(size, self.rows.len())?;
        let identity = Matrix::identity(size);
        let augmented = self
            .rows
            .iter()
            .zip(identity.rows)
            .map(|(row, unit)| row.iter().cloned().chain(unit).collect());
        let echelon = Matrix {
            columns: 2 * size,
            rows: augmented.collect(),
        }
        .echelon();
        if echelon.pivots.iter().copied().ne(0..size) {
            return Ok(None);
        }
        let rows = echelon
            .matrix
            .rows
            .into_iter()
            .map(|mut row| row.split_off(size))
            .collect();
        Ok(Some(Matrix {
            columns: size,
            rows,
        }))
    }

    /// A basis of the vectors that the matrix maps to zero, one row each.
    pub fn kernel(&self) -> Matrix {
        let Echelon { matrix, pivots, .. } = self.echelon();
        let free = (0..self.columns).filter(|column| !pivots.contains(column));
        let vector = |column: usize| {
            let mut vector = vec![Rational::zero(); self.columns];
            vector[column] = Rational::one();
            for (row, &pivot) in matrix.rows.iter().zip(&pivots) {
                vector[pivot] = -&row[column];
            }
            vector
        };
        Matrix {
            columns: self.columns,
            rows: free.map(vector).collect(),
        }
    }

    fn check(&self, expected: usize, found: usize) -> Result<()> {
        if expected == found {
            Ok(())
        } else {
            Err(MathError::Dimension { expected, found })
        }
    }
}

/// The inner product of two vectors of equal length.
pub(crate) fn dot(left: &[Rational], right: &[Rational]) -> Rational {
    // Most entries are zero or one, and rational arithmetic reduces fractions.
    let mut sum: Option<Rational> = None;
    for (x, y) in left.iter().zip(right) {
        if x.is_zero() || y.is_zero() {
            continue;
        }
        let product = match (x.is_one(), y.is_one()) {
            (true, _) => y.clone(),
            (_, true) => x.clone(),
            _ => x * y,
        };
        sum = Some(match sum {
            Some(sum) => sum + product,
            None => product,
        });
    }
    sum.unwrap_or_default()
}
