//! Matrices over a prime field of which any d rows are independent.
//!
//! Row i is `(1, α_i, …, α_i^{d-1})` with distinct α_i. Any d rows have determinant `Π_{i<j} (α_j − α_i) ≠ 0`.
//! It takes N distinct elements, so q ≥ N suffices.

/// The field of integers modulo a prime below 2³².
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PrimeField(u64);

impl PrimeField {
    /// The field with q elements, if q is a prime below 2³².
    pub fn new(q: u64) -> Option<PrimeField> {
        let prime = (2..1 << 32).contains(&q)
            && (2..)
                .take_while(|d| d * d <= q)
                .all(|d| !q.is_multiple_of(d));
        prime.then_some(PrimeField(q))
    }

    /// The number of elements.
    pub fn order(self) -> u64 {
        self.0
    }

    /// `x + y·z`.
    pub fn multiply_add(self, x: u64, y: u64, z: u64) -> u64 {
        (x % self.0 + (y % self.0) * (z % self.0) % self.0) % self.0
    }

    fn power(self, base: u64, exponent: u64) -> u64 {
        (0..u64::BITS).rev().fold(1, |value, bit| {
            let square = self.multiply_add(0, value, value);
            match exponent >> bit & 1 {
                0 => square,
                _ => self.multiply_add(0, square, base),
            }
        })
    }

    /// The scalar product of two vectors.
    pub fn dot(self, x: &[u64], y: &[u64]) -> u64 {
        x.iter()
            .zip(y)
            .fold(0, |sum, (&x, &y)| self.multiply_add(sum, x, y))
    }

    /// The rank of the matrix with these rows.
    pub fn rank(self, mut rows: Vec<Vec<u64>>) -> usize {
        let columns = rows.iter().map(Vec::len).min().unwrap_or(0);
        let mut rank = 0;
        for column in 0..columns {
            let Some(pivot) =
                (rank..rows.len()).find(|&row| !rows[row][column].is_multiple_of(self.0))
            else {
                continue;
            };
            rows.swap(rank, pivot);
            // Fermat: the inverse of x is x^(q-2).
            let inverse = self.power(rows[rank][column], self.0 - 2);
            let (above, below) = rows.split_at_mut(rank + 1);
            let pivot = &above[rank];
            for row in below {
                let factor = self.multiply_add(0, row[column], inverse);
                for (entry, &value) in row.iter_mut().zip(pivot) {
                    *entry = self.multiply_add(*entry, self.0 - factor, value);
                }
            }
            rank += 1;
        }
        rank
    }

    /// `rows` rows of `columns` elements, any `columns` of them independent; none if the field is too small.
    pub fn vandermonde(self, rows: usize, columns: usize) -> Option<Vec<Vec<u64>>> {
        let points = u64::try_from(rows).ok().filter(|&rows| rows <= self.0)?;
        let row = |point| {
            std::iter::successors(Some(1), |&power| Some(self.multiply_add(0, power, point)))
                .take(columns)
                .collect()
        };
        Some((0..points).map(row).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::super::compression::subsets;
    use super::*;

    #[test]
    fn any_d_rows_are_independent() {
        for (rows, columns, q) in [(4, 2, 5), (6, 3, 7), (10, 4, 11), (10, 4, 13), (5, 3, 5)] {
            let field = PrimeField::new(q).unwrap();
            let matrix = field.vandermonde(rows, columns).unwrap();
            for chosen in subsets(rows, columns) {
                let minor = chosen.iter().map(|&row| matrix[row].clone()).collect();
                assert_eq!(field.rank(minor), columns, "rows {chosen:?} over F_{q}");
            }
        }
    }

    #[test]
    fn too_small_fields_are_refused() {
        assert_eq!(PrimeField::new(5).unwrap().vandermonde(6, 2), None);
        assert!(
            [0, 1, 4, 91, 1 << 40]
                .iter()
                .all(|&q| PrimeField::new(q).is_none())
        );
    }

    #[test]
    fn rank_of_dependent_rows() {
        let field = PrimeField::new(7).unwrap();
        assert_eq!(
            field.rank(vec![vec![1, 2, 3], vec![3, 6, 2], vec![0, 0, 5]]),
            2
        );
        assert_eq!(field.rank(vec![]), 0);
    }
}
