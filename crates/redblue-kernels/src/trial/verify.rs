//! Whether a distributed result is right, without a second product of the same cost.
//!
//! **Residual.** With a random vector x, `C·x` must be `A·(B·x)`: three matrix-vector products, each rank with its own
//! words. Elements are random in [-1, 1), so with unit round-off ε both sides differ by a sum of rounding errors that
//! grows like `ε·√(kn)·(√k + √n)`: `k` roundings in each of the `n` words of C that meet in one row, and `n` roundings in
//! each of the `k` words of B·x that do. The residual is the largest difference of a row divided by that. Around
//! 0.1 for a correct product; one wrong word of C of ordinary size gives far more, unless k·n is near ε⁻¹.
//!
//! **Reference.** Small products are also compared word by word with three loops in double precision. Rounding
//! explains at most `ε·(k + 4)·Σ|a||b|` up to a small factor, so here no luck is involved.

use num_complex::Complex;
use redblue_dist::comm::{Comm, CommError, Phase, collective};
use redblue_dist::plan::RankPlan;
use redblue_dist::{Matrix, Shape};

use super::element;
use crate::matmul::scatter::for_each_own;
use crate::scalar::Scalar;

/// Residuals up to here are rounding.
pub const RESIDUAL: f64 = 4.0;
/// Differences from the reference up to here, in multiples of the bound on one rounding per operation, are rounding.
pub const DIFFERENCE: f64 = 4.0;
/// Products of at most so many operations are compared with the reference.
const SMALL: u128 = 1 << 24;

/// What a verification found. Not a number if the result has such.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Verdict {
    /// The residual with a random vector.
    pub residual: f64,
    /// The largest difference from the reference, for small products.
    pub difference: Option<f64>,
}

impl Verdict {
    /// Whether the differences are rounding.
    pub fn holds(&self) -> bool {
        self.residual <= RESIDUAL
            && self
                .difference
                .is_none_or(|difference| difference <= DIFFERENCE)
    }
}

/// Verifies `C = A·B`, given a rank's own words of the three matrices. Collective.
pub(super) fn verify<T: Scalar, C: Comm>(
    comm: &C,
    part: &RankPlan,
    shape: Shape,
    seed: u64,
    [a, b, c]: [&[T]; 3],
) -> Result<Verdict, CommError> {
    // Control: these are no words of the product.
    let add = |mine: &mut [Complex<f64>], theirs: &[Complex<f64>]| {
        mine.iter_mut()
            .zip(theirs)
            .for_each(|(mine, theirs)| *mine += theirs);
    };
    let tag = Phase::Control.into();
    let x: Vec<Complex<f64>> = (0..shape.n)
        .map(|row| element::<T>(!seed, Matrix::B, row, 0).widen())
        .collect();
    let mut image = times(part, Matrix::B, b, &x, shape.k);
    collective::all_reduce(comm, &mut image, add, tag)?;
    let mut rows = times(part, Matrix::A, a, &image, shape.m);
    let results = times(part, Matrix::C, c, &x, shape.m);
    rows.iter_mut()
        .zip(&results)
        .for_each(|(row, result)| *row -= result);
    collective::all_reduce(comm, &mut rows, add, tag)?;
    let (n, k) = ((shape.n.max(1)) as f64, (shape.k.max(1)) as f64);
    let scale = T::epsilon() * (k * n).sqrt() * (k.sqrt() + n.sqrt());
    let residual = largest(rows.iter().map(|row| row.norm())) / scale;
    let difference = (shape.work() <= SMALL).then(|| difference(part, shape.k, seed, c));
    let difference = match difference {
        Some(mine) => {
            // The bits of numbers that are not negative are in the order of the numbers, and NaN is above all.
            let mut bits = [mine.abs().to_bits()];
            let greater = |mine: &mut [u64], theirs: &[u64]| mine[0] = mine[0].max(theirs[0]);
            collective::all_reduce(comm, &mut bits, greater, tag)?;
            Some(f64::from_bits(bits[0]))
        }
        None => None,
    };
    Ok(Verdict {
        residual,
        difference,
    })
}

/// A rank's own words of a matrix times a vector, with zeros where it owns nothing.
fn times<T: Scalar>(
    part: &RankPlan,
    matrix: Matrix,
    words: &[T],
    vector: &[Complex<f64>],
    rows: u64,
) -> Vec<Complex<f64>> {
    let mut sums = vec![Complex::default(); rows as usize];
    let mut words = words.iter();
    for_each_own(part, matrix, |row, col| {
        if let Some(word) = words.next() {
            sums[row as usize] += word.widen() * vector[col as usize];
        }
    });
    sums
}

/// The largest difference of a rank's own words of `C` from three loops.
fn difference<T: Scalar>(part: &RankPlan, k: u64, seed: u64, c: &[T]) -> f64 {
    let mut words = c.iter();
    let mut differences = Vec::new();
    for_each_own(part, Matrix::C, |row, col| {
        let (mut sum, mut size) = (Complex::default(), 0.0);
        for t in 0..k {
            let a = element::<T>(seed, Matrix::A, row, t).widen();
            let b = element::<T>(seed, Matrix::B, t, col).widen();
            sum += a * b;
            size += a.norm() * b.norm();
        }
        let word = words.next().map_or(Complex::default(), |word| word.widen());
        let error = (word - sum).norm();
        let bound = T::epsilon() * (k + 4) as f64 * size;
        differences.push(if error == 0.0 { 0.0 } else { error / bound });
    });
    largest(differences)
}

/// The largest number; not a number if one of them is not.
fn largest(numbers: impl IntoIterator<Item = f64>) -> f64 {
    numbers.into_iter().fold(0.0, |largest, number| {
        if number.is_nan() || number > largest {
            number
        } else {
            largest
        }
    })
}

#[cfg(test)]
mod tests {
    use redblue_dist::comm::threads;
    use redblue_dist::plan::{Plan, Schedule, Tree};

    use super::*;
    use crate::matmul::scatter::own_words;

    /// Verifies a product of three loops whose word (3, 5) was changed.
    fn changed<T: Scalar>(shape: Shape, change: impl Fn(T) -> T + Sync) -> Verdict {
        let plan = Plan::new(shape, 4, Tree::grid([2, 1, 2]), Schedule::WHOLE).unwrap();
        let verdicts = threads::run(4, |comm| {
            let part = plan.rank(comm.rank() as u64);
            let words = |matrix| {
                own_words(&part, matrix, |i, j| {
                    if matrix != Matrix::C {
                        return element::<T>(1, matrix, i, j);
                    }
                    let sum = (0..shape.k).fold(T::ZERO, |sum, t| {
                        let (a, b) = (
                            element::<T>(1, Matrix::A, i, t),
                            element(1, Matrix::B, t, j),
                        );
                        sum.plus(a.times(b))
                    });
                    if (i, j) == (3, 5) { change(sum) } else { sum }
                })
            };
            let [a, b, c] = Matrix::ALL.map(words);
            verify(comm, &part, shape, 1, [&a, &b, &c])
        });
        let verdicts = verdicts.expect("ranks that only verify");
        assert!(
            verdicts
                .iter()
                .all(|verdict| verdict.holds() == verdicts[0].holds())
        );
        verdicts[0]
    }

    fn check<T: Scalar>() {
        let small = Shape::new(20, 30, 40);
        for shape in [small, Shape::new(9, 2000, 1), Shape::new(2000, 9, 1)] {
            let right = changed::<T>(shape, |word| word);
            assert!(right.holds(), "{shape}: {right:?}");
            for wrong in [T::from_real(0.5), T::from_real(f64::NAN)] {
                let verdict = changed::<T>(shape, |word| word.plus(wrong));
                assert!(!verdict.holds(), "{shape} {wrong:?}: {verdict:?}");
            }
        }
        // The reference sees what the residual does not.
        let slight = changed::<T>(small, |word| word.plus(T::from_real(8192.0 * T::epsilon())));
        assert!(!slight.holds(), "{slight:?}");
    }

    #[test]
    fn large_products_are_judged_by_the_residual() {
        let shape = Shape::new(8, 2100, 1000);
        let right = changed::<f64>(shape, |word| word);
        assert!(right.holds() && right.difference.is_none(), "{right:?}");
        let wrong = changed::<f32>(shape, |word| word + 0.5);
        assert!(!wrong.holds(), "{wrong:?}");
    }

    #[test]
    fn wrong_words_are_found() {
        check::<f64>();
        check::<f32>();
        check::<Complex<f64>>();
        check::<Complex<f32>>();
    }
}
