//! Matrix compression: how many different values can B entries of Q·Kᵀ have together (A-11, A-16)?
//!
//! Alice knows Q and K, both N×d over F_q; from one message Bob must tell B entries of the product. Fix K so that
//! any d of its rows are independent. Then the entries of row i that are asked for take q^{min(their number, d)}
//! values as row i of Q varies, rows vary independently, and the same holds for columns:
//!
//! ```text
//! message ≥ max(r_R, r_C) words,      r_R = Σ_i min(|row i|, d),      r_C = Σ_j min(|column j|, d)
//! ```
//!
//! And `max(r_R, r_C) ≥ min(d·√(B/2), B/4)`: if the rows with at most d entries hold B/4 of the entries, r_R alone
//! is that large, likewise for columns; otherwise more than B/2 entries lie in rows *and* columns with more than d
//! entries each, so there are at least √(B/2) such rows or such columns, each worth d.

use std::collections::{BTreeMap, BTreeSet};

/// Positions in the product.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Entries(BTreeSet<(usize, usize)>);

impl Entries {
    /// The positions, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (usize, usize)> + '_ {
        self.0.iter().copied()
    }

    /// The rows that have an entry.
    pub fn rows(&self) -> BTreeSet<usize> {
        self.iter().map(|(row, _)| row).collect()
    }

    /// The columns that have an entry.
    pub fn columns(&self) -> BTreeSet<usize> {
        self.iter().map(|(_, column)| column).collect()
    }

    /// max(r_R, r_C) with `depth` = d: no message that is shorter will do for every Q and K.
    pub fn least_message(&self, depth: usize) -> usize {
        let capped = |index: &mut dyn Iterator<Item = usize>| -> usize {
            let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
            index.for_each(|i| *counts.entry(i).or_default() += 1);
            counts.into_values().map(|count| count.min(depth)).sum()
        };
        let rows = capped(&mut self.iter().map(|(row, _)| row));
        rows.max(capped(&mut self.iter().map(|(_, column)| column)))
    }
}

impl FromIterator<(usize, usize)> for Entries {
    fn from_iter<I: IntoIterator<Item = (usize, usize)>>(positions: I) -> Self {
        Entries(positions.into_iter().collect())
    }
}

/// All subsets of `{0, …, n-1}` with `size` elements, in lexicographic order.
#[cfg(test)]
pub(super) fn subsets(n: usize, size: usize) -> impl Iterator<Item = Vec<usize>> {
    std::iter::successors(
        (size <= n).then(|| (0..size).collect()),
        move |last: &Vec<usize>| {
            let place = (0..size).rev().find(|&i| last[i] < n - size + i)?;
            let mut next = last.clone();
            next[place] += 1;
            (place + 1..size).for_each(|i| next[i] = next[i - 1] + 1);
            Some(next)
        },
    )
}

#[cfg(test)]
mod tests {
    use super::super::vandermonde::PrimeField;
    use super::*;

    /// All vectors over F_q of a length.
    fn vectors(q: u64, length: usize) -> impl Iterator<Item = Vec<u64>> {
        let count = (0..length).fold(1, |count, _| count * q);
        (0..count).map(move |mut code| {
            let digit = |_| {
                let digit = code % q;
                code /= q;
                digit
            };
            (0..length).map(digit).collect()
        })
    }

    /// For each B, the least number of different value vectors that B entries have over all Q and K.
    fn fewest_values(n: usize, d: usize, q: u64) -> Vec<usize> {
        let field = PrimeField::new(q).unwrap();
        let mut seen = vec![BTreeSet::new(); 1 << (n * n)];
        for both in vectors(q, 2 * n * d) {
            let (query, key) = both.split_at(n * d);
            let entry = |at: usize| field.dot(&query[at / n * d..][..d], &key[at % n * d..][..d]);
            let product: Vec<u64> = (0..n * n).map(entry).collect();
            for (mask, values) in seen.iter_mut().enumerate() {
                let chosen = (0..n * n).filter(|at| mask >> at & 1 == 1);
                values.insert(chosen.fold(0, |code, at| code * q + product[at]));
            }
        }
        let fewest = |size| {
            let masks = seen.iter().enumerate();
            let of_size = masks.filter(|(mask, _)| mask.count_ones() as usize == size);
            of_size.map(|(_, values)| values.len()).min().unwrap()
        };
        (1..=n * n).map(fewest).collect()
    }

    #[test]
    fn brute_force_agrees() {
        let expected: [(usize, usize, u64, &[usize]); 3] = [
            (2, 1, 3, &[3, 9, 23, 33]),
            (2, 2, 3, &[3, 9, 27, 81]),
            (3, 1, 5, &[5, 25, 109, 145, 629, 745, 3149, 3649, 3845]),
        ];
        for (n, d, q, fewest) in expected {
            assert_eq!(fewest_values(n, d, q), fewest, "N = {n}, d = {d}, q = {q}");
            for (b, &values) in (1..).zip(fewest) {
                // log_q(values) ≥ min(d√(B/2), B/4) and ≥ √B, with the powers taken in floating point.
                let words = (values as f64).ln() / (q as f64).ln();
                let b = f64::from(b);
                assert!(
                    words >= (d as f64 * (b / 2.0).sqrt()).min(b / 4.0),
                    "B = {b}"
                );
                assert!(words >= b.sqrt(), "B = {b}");
            }
        }
    }

    #[test]
    fn counting_is_below_the_brute_force() {
        // Every set of entries of a 3×3 product with d = 1: at least q^{max(r_R, r_C)} values.
        let field = PrimeField::new(5).unwrap();
        for mask in 1usize..512 {
            let entries: Entries = (0..9)
                .filter(|at| mask >> at & 1 == 1)
                .map(|at| (at / 3, at % 3))
                .collect();
            let mut values = BTreeSet::new();
            for both in vectors(5, 6) {
                values.insert(entries.iter().fold(0, |code, (i, j)| {
                    code * 5 + field.dot(&both[i..=i], &both[3 + j..=3 + j])
                }));
            }
            assert!(
                values.len() >= 5usize.pow(entries.least_message(1) as u32),
                "{entries:?}"
            );
        }
    }

    #[test]
    fn message_is_as_long_as_claimed() {
        // 16·max² ≥ min(8·d²·B, B²) for every set of entries of a 4×4 product.
        for mask in 1usize..1 << 16 {
            let entries: Entries = (0..16)
                .filter(|at| mask >> at & 1 == 1)
                .map(|at| (at / 4, at % 4))
                .collect();
            let b = entries.iter().len();
            for depth in 1..4 {
                let message = entries.least_message(depth);
                assert!(
                    16 * message * message >= (8 * depth * depth * b).min(b * b),
                    "{entries:?}, d = {depth}"
                );
            }
        }
    }

    #[test]
    fn subsets_are_complete() {
        assert_eq!(subsets(5, 2).count(), 10);
        assert_eq!(subsets(4, 4).collect::<Vec<_>>(), [[0, 1, 2, 3]]);
        assert_eq!((subsets(3, 0).count(), subsets(2, 3).count()), (1, 0));
    }
}
