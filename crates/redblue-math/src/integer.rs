//! Integer roots and factorisation into primes, the two number-theoretic tools behind radicals in normal form.

use num_bigint::BigUint;
use num_traits::{One as _, ToPrimitive as _, Zero as _};

/// Trial division stops here; a cofactor without divisors below it is kept whole.
const TRIAL_LIMIT: u64 = 1 << 16;
/// The most bits of a cofactor that is tried for perfect powers, a root for each possible exponent.
const MAX_BITS: u64 = 1 << 11;

/// The `k`-th root of `n`, when it is an integer.
pub fn exact_root(n: &BigUint, k: u32) -> Option<BigUint> {
    let root = n.nth_root(k);
    (root.pow(k) == *n).then_some(root)
}

/// `n = Π base^exponent` with distinct bases in increasing order; the empty product for 0 and 1.
///
/// All bases below `2^32` are prime. A larger base is a cofactor without small divisors that is not a perfect
/// power (a huge one may be); it may be composite, which costs uniqueness of radicals of such numbers but never correctness.
pub fn factor(n: &BigUint) -> Vec<(BigUint, u32)> {
    let mut factors = Vec::new();
    if n.is_zero() {
        return factors;
    }
    let mut rest = n.clone();
    if let Some(twos) = rest.trailing_zeros().filter(|&twos| twos > 0) {
        rest >>= twos;
        factors.push((BigUint::from(2u32), u32::try_from(twos).unwrap_or(u32::MAX)));
    }
    let mut divisor = 3u64;
    while divisor < TRIAL_LIMIT {
        if let Some(small) = rest.to_u64() {
            factor_small(small, divisor, &mut factors, &mut rest);
            break;
        }
        let mut exponent = 0;
        while (&rest % divisor).is_zero() {
            rest /= divisor;
            exponent += 1;
        }
        if exponent > 0 {
            factors.push((divisor.into(), exponent));
        }
        divisor += 2;
    }
    if !rest.is_one() {
        factors.push(perfect_power(rest));
    }
    factors.sort();
    factors
}

/// Continues the trial division in machine words from `divisor` on and leaves the cofactor in `rest`.
fn factor_small(
    mut n: u64,
    mut divisor: u64,
    factors: &mut Vec<(BigUint, u32)>,
    rest: &mut BigUint,
) {
    while divisor < TRIAL_LIMIT && divisor * divisor <= n {
        let mut exponent = 0;
        while n.is_multiple_of(divisor) {
            n /= divisor;
            exponent += 1;
        }
        if exponent > 0 {
            factors.push((divisor.into(), exponent));
        }
        divisor += 2;
    }
    *rest = n.into();
}

/// Writes a cofactor as the highest perfect power that it is; a huge one is kept as it stands.
fn perfect_power(n: BigUint) -> (BigUint, u32) {
    // All prime factors are at least TRIAL_LIMIT = 2^16, or `n` is itself a small prime.
    let highest = if n.bits() > MAX_BITS {
        0
    } else {
        n.bits() / 16
    };
    (2..=highest as u32)
        .rev()
        .find_map(|k| exact_root(&n, k).map(|root| (root, k)))
        .unwrap_or((n, 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factors_multiply_back_and_are_prime() {
        for n in (0u64..2000).chain([
            65537 * 65537,
            65537u64.pow(3),
            u64::MAX,
            1 << 63,
            4_294_967_291 * 3,
        ]) {
            let factors = factor(&n.into());
            let product: BigUint = factors
                .iter()
                .map(|(base, exponent)| base.pow(*exponent))
                .product();
            assert_eq!(product, BigUint::from(n.max(1)));
            assert!(factors.windows(2).all(|pair| pair[0].0 < pair[1].0));
            for base in factors
                .iter()
                .filter_map(|(base, _)| base.to_u64())
                .filter(|&base| base < 2000)
            {
                assert!(
                    (2..base).all(|divisor| base % divisor != 0),
                    "{base} of {n}"
                );
            }
        }
        assert_eq!(factor(&65537u64.pow(3).into()), [(65537u32.into(), 3)]);
    }

    #[test]
    fn exact_roots_only() {
        assert_eq!(exact_root(&64u32.into(), 3), Some(4u32.into()));
        assert_eq!(exact_root(&63u32.into(), 3), None);
    }
}
