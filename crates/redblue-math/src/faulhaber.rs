//! Sums of powers, the step of nested summation when integer points are counted.
//!
//! ```text
//! F_k(n) = Σ_{i=1..n} i^k        F_k(n) - F_k(n-1) = n^k  as polynomials
//! ```
//!
//! So `Σ_{i=a..b} i^k = F_k(b) - F_k(a-1)` for all integers with `a <= b + 1`, negative ones included.

use crate::{Expr, Rational, rational::int};
use num_traits::{One as _, Zero as _};

/// The coefficients of `F_k`, constant term first; `k + 2` of them.
///
/// They are solved from `F_k(n) - F_k(n-1) = n^k`, comparing powers of `n` from the highest down.
pub fn faulhaber(k: u32) -> Vec<Rational> {
    let degree = k as usize + 1;
    let binomials = pascal(degree);
    let mut coefficients = vec![Rational::zero(); degree + 1];
    // Σ_m f_m (n^m - (n-1)^m) = n^k. The power n^j on the left is Σ_{m>j} f_m C(m,j) (-1)^(m-j+1).
    for j in (0..degree).rev() {
        let target = if j == k as usize {
            Rational::one()
        } else {
            Rational::zero()
        };
        let known: Rational = (j + 2..=degree)
            .map(|m| {
                let sign = if (m - j) % 2 == 1 { 1 } else { -1 };
                &coefficients[m] * &binomials[m][j] * int(sign)
            })
            .sum();
        coefficients[j + 1] = (target - known) / int(j as u64 + 1);
    }
    coefficients
}

/// The sum of `i^k` over the integers from `first` to `last`; zero when `last = first - 1`.
pub fn power_sum(k: u32, first: &Expr, last: &Expr) -> Expr {
    let coefficients = faulhaber(k);
    let before = first - Expr::one();
    horner(&coefficients, last) - horner(&coefficients, &before)
}

fn horner(coefficients: &[Rational], at: &Expr) -> Expr {
    coefficients
        .iter()
        .rev()
        .fold(Expr::zero(), |value, coefficient| {
            value * at + Expr::constant(coefficient.clone())
        })
}

/// Rows of binomial coefficients up to the given one.
fn pascal(last: usize) -> Vec<Vec<Rational>> {
    let mut rows = vec![vec![Rational::one()]];
    for n in 1..=last {
        let previous = &rows[n - 1];
        let row = (0..=n)
            .map(|j| {
                let left = if j > 0 {
                    previous[j - 1].clone()
                } else {
                    Rational::zero()
                };
                let right = if j < n {
                    previous[j].clone()
                } else {
                    Rational::zero()
                };
                left + right
            })
            .collect();
        rows.push(row);
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Assignment, rational::ratio};

    #[test]
    fn small_cases() {
        assert_eq!(faulhaber(0), [ratio(0, 1), ratio(1, 1)]);
        assert_eq!(faulhaber(1), [ratio(0, 1), ratio(1, 2), ratio(1, 2)]);
        assert_eq!(
            faulhaber(2),
            [ratio(0, 1), ratio(1, 6), ratio(1, 2), ratio(1, 3)]
        );
    }

    #[test]
    fn equals_the_loop() {
        let (first, last) = (Expr::integer(-3), Expr::symbol("n"));
        for k in 0..9 {
            let sum = power_sum(k, &first, &last);
            for n in 0i64..12 {
                let loops: i64 = (-3..=n).map(|i| i.pow(k)).sum();
                assert_eq!(
                    sum.at(&Assignment::new().with("n", n)).unwrap(),
                    Expr::integer(loops),
                    "k={k} n={n}"
                );
            }
        }
    }
}
