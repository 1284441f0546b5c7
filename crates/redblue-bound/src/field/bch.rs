//! Matrices of bits of which many rows are independent: parity checks of BCH codes.
//!
//! Over F_{2^m} with primitive element α, row i holds the bits of `(α^i, α^{3i}, …, α^{(2r−1)i})`: r·m columns. If
//! at most 2r rows added up to zero, the polynomial with these exponents would vanish at α, α², …, α^{2r} (even
//! powers for free, because c(γ) = 0 implies c(γ²) = 0 over F_2), which a Vandermonde determinant excludes.

/// Primitive polynomials of degree 2 to 10, with their leading bit.
const PRIMITIVE: [u32; 9] = [
    0b111,
    0b1011,
    0b1_0011,
    0b10_0101,
    0b100_0011,
    0b1000_1001,
    0b1_0001_1101,
    0b10_0001_0001,
    0b100_0000_1001,
];

/// `count` rows of `r·m` bits, any `2r` of them independent over F_2; `m` is least with `count < 2^m`.
///
/// None if `m` is above 10 or a row does not fit 128 bits.
pub fn parity_check(count: usize, r: u32) -> Option<Vec<u128>> {
    let m = (2..=10u32).find(|&m| count < 1 << m)?;
    if u128::BITS / m < r {
        return None;
    }
    let polynomial = PRIMITIVE[m as usize - 2];
    let step = |value: u32| {
        let shifted = value << 1;
        if shifted >> m & 1 == 1 {
            shifted ^ polynomial
        } else {
            shifted
        }
    };
    let period = (1usize << m) - 1;
    let powers: Vec<u32> = std::iter::successors(Some(1), |&power| Some(step(power)))
        .take(period)
        .collect();
    let row = |i: usize| {
        (0..r).fold(0u128, |bits, odd| {
            let exponent = i * (2 * odd as usize + 1) % period;
            bits << m | u128::from(powers[exponent])
        })
    };
    Some((0..count).map(row).collect())
}

/// The rank over F_2 of rows of bits.
pub fn rank(rows: impl IntoIterator<Item = u128>) -> usize {
    let mut basis: Vec<u128> = Vec::new();
    for mut row in rows {
        for &pivot in &basis {
            // The leading bits of the basis differ, so this clears the one of `pivot`.
            row = row.min(row ^ pivot);
        }
        if row != 0 {
            basis.push(row);
            basis.sort_unstable_by(|x, y| y.cmp(x));
        }
    }
    basis.len()
}

#[cfg(test)]
mod tests {
    use super::super::compression::subsets;
    use super::*;

    /// Whether any `size` rows are independent.
    fn independent(rows: &[u128], size: usize) -> bool {
        subsets(rows.len(), size).all(|chosen| rank(chosen.iter().map(|&row| rows[row])) == size)
    }

    #[test]
    fn exact_independence() {
        let exact = [
            (7, 1, 2),
            (7, 2, 6),
            (15, 1, 2),
            (15, 2, 4),
            (15, 3, 6),
            (31, 1, 2),
            (31, 2, 4),
        ];
        for (count, r, most) in exact {
            let rows = parity_check(count, r).unwrap();
            assert!(independent(&rows, most), "{count} rows, r = {r}");
            assert!(
                most == count || !independent(&rows, most + 1),
                "{count} rows, r = {r}"
            );
        }
        assert!(independent(&parity_check(31, 3).unwrap(), 6));
    }

    #[test]
    fn some_columns_are_redundant() {
        assert_eq!(rank(parity_check(15, 3).unwrap()), 10);
        assert_eq!(rank(parity_check(15, 2).unwrap()), 8);
    }

    #[test]
    fn generators_are_primitive() {
        for m in 2..=10 {
            let rows = parity_check((1 << m) - 1, 1).unwrap();
            let distinct: std::collections::BTreeSet<u128> = rows.iter().copied().collect();
            assert_eq!(
                (distinct.len(), distinct.contains(&0)),
                (rows.len(), false),
                "degree {m}"
            );
        }
    }

    #[test]
    fn fewer_rows_of_the_next_code() {
        let rows = parity_check(10, 2).unwrap();
        assert!(independent(&rows, 4));
        assert_eq!(parity_check(2000, 1), None);
        assert_eq!(parity_check(1000, 13), None);
    }
}
