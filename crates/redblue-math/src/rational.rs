//! Exact rational numbers: the scalar of everything in this project.
//!
//! [`Rational`] is `num-rational`'s big rational; this file adds the few operations that bounds need and that
//! the library leaves out: literals, integer rounding, the content of a list, and directed conversion to `f64`.
//! The conversion is for display only. No decision in this crate looks at a float.

use num_bigint::BigInt;
use num_integer::Integer as _;
use num_rational::BigRational;
use num_traits::{FromPrimitive as _, One as _, Signed as _, ToPrimitive as _, Zero as _};

/// An exact rational number of any size.
pub type Rational = BigRational;

/// The rational number `n`.
pub fn int(n: impl Into<BigInt>) -> Rational {
    Rational::from_integer(n.into())
}

/// The literal `n/d`.
///
/// # Panics
/// When `d` is zero, as the division operator does. Use it with denominators that are written in the source.
pub fn ratio(n: i64, d: i64) -> Rational {
    Rational::new(n.into(), d.into())
}

/// The largest integer that is not above `x`.
pub fn floor(x: &Rational) -> BigInt {
    x.numer().div_floor(x.denom())
}

/// The smallest integer that is not below `x`.
pub fn ceil(x: &Rational) -> BigInt {
    -(-x.numer()).div_floor(x.denom())
}

/// The integer `n` with `x - n` in `(-1/2, 1/2]`.
pub fn nearest(x: &Rational) -> BigInt {
    ceil(&(x - ratio(1, 2)))
}

/// `x` as a small signed integer, when it is one.
pub fn to_i64(x: &Rational) -> Option<i64> {
    x.is_integer().then(|| x.numer().to_i64()).flatten()
}

/// `x + y`.
pub(crate) fn sum(x: &Rational, y: &Rational) -> Rational {
    if x.is_integer() && y.is_integer() {
        return int(x.numer() + y.numer());
    }
    // With b = b'g and d = d'g, a/b + c/d is (a*d' + c*b')/(b'*d'*g), and only g can have divisors in common with the numerator.
    let common = gcd(x.denom(), y.denom());
    let (b, d) = (x.denom() / &common, y.denom() / &common);
    let (numerator, rest) = without_common_divisor(&(x.numer() * &d + y.numer() * &b), &common);
    Rational::new_raw(numerator, b * d * rest)
}

/// `x * y`.
pub fn product(x: &Rational, y: &Rational) -> Rational {
    if x.is_integer() && y.is_integer() {
        return int(x.numer() * y.numer());
    }
    let (a, d) = without_common_divisor(x.numer(), y.denom());
    let (c, b) = without_common_divisor(y.numer(), x.denom());
    Rational::new_raw(a * c, b * d)
}

/// `x / y`.
///
/// # Panics
/// When `y` is zero, as the division operator does.
pub fn quotient(x: &Rational, y: &Rational) -> Rational {
    product(x, &y.recip())
}

/// `numerator / 2^places`.
pub(crate) fn dyadic(numerator: BigInt, places: u64) -> Rational {
    let twos = numerator.trailing_zeros().unwrap_or(places).min(places);
    Rational::new_raw(numerator >> twos, BigInt::one() << (places - twos))
}

/// Two integers, of which the second is positive, divided by their greatest common divisor.
fn without_common_divisor(x: &BigInt, y: &BigInt) -> (BigInt, BigInt) {
    let common = gcd(x, y);
    if common.is_one() {
        (x.clone(), y.clone())
    } else {
        (x / &common, y / &common)
    }
}

/// The greatest common divisor of an integer and a positive one. Most are short, or powers of two under the numerators of roots:
/// the general algorithm takes a step for every bit.
fn gcd(x: &BigInt, y: &BigInt) -> BigInt {
    if y.is_one() {
        return BigInt::one();
    }
    if let (Some(x), Some(y)) = (x.magnitude().to_u64(), y.magnitude().to_u64()) {
        return x.gcd(&y).into();
    }
    let twos = y.trailing_zeros().unwrap_or(0);
    if y.bits() == twos + 1 {
        return BigInt::one() << x.trailing_zeros().unwrap_or(twos).min(twos);
    }
    x.gcd(y)
}

/// The positive generator of the group spanned by `values`: gcd of numerators over lcm of denominators.
/// One when all values are zero, so that dividing by it is always possible.
pub fn content<'a>(values: impl IntoIterator<Item = &'a Rational>) -> Rational {
    let (mut numerator, mut denominator) = (BigInt::zero(), BigInt::one());
    for value in values {
        numerator = numerator.gcd(value.numer());
        if !value.is_zero() {
            denominator = denominator.lcm(value.denom());
        }
    }
    if numerator.is_zero() {
        Rational::one()
    } else {
        Rational::new(numerator, denominator)
    }
}

/// The largest `f64` that is not above `x`, for display.
pub fn f64_below(x: &Rational) -> f64 {
    let mut guess = approximate(x);
    while exceeds(guess, x) {
        guess = guess.next_down();
    }
    guess
}

/// The smallest `f64` that is not below `x`, for display.
pub fn f64_above(x: &Rational) -> f64 {
    -f64_below(&-x)
}

/// The float nearest to `x`; beyond the range of floats, one from which a step down reaches the right one.
fn approximate(x: &Rational) -> f64 {
    let magnitude = x.numer().bits() as i64 - x.denom().bits() as i64;
    if magnitude > 1100 {
        return if x.is_positive() {
            f64::INFINITY
        } else {
            f64::MIN
        };
    }
    if magnitude < -1100 {
        return 0.0;
    }
    x.to_f64().unwrap_or(0.0)
}

/// Whether the float lies strictly above the exact value.
fn exceeds(float: f64, x: &Rational) -> bool {
    if float.is_infinite() {
        return float > 0.0;
    }
    Rational::from_f64(float).is_none_or(|exact| exact > *x)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounding_to_integers() {
        for (n, d, down, up, near) in [
            (7, 2, 3, 4, 3),
            (-7, 2, -4, -3, -4),
            (4, 2, 2, 2, 2),
            (-1, 3, -1, 0, 0),
            (5, 3, 1, 2, 2),
        ] {
            let x = ratio(n, d);
            assert_eq!(
                (floor(&x), ceil(&x), nearest(&x)),
                (down.into(), up.into(), near.into()),
                "{x}"
            );
        }
    }

    #[test]
    fn arithmetic_is_that_of_the_library() {
        let odd = int(3).pow(50) / int(7).pow(30);
        let dyadic = int(5).pow(40) / int(2).pow(97);
        let mut values = vec![odd.recip(), odd, dyadic.recip(), dyadic];
        for numerator in -6..=6 {
            values.extend((1..=6).map(|denominator| ratio(numerator, denominator)));
        }
        for (x, y) in values
            .iter()
            .flat_map(|x| values.iter().map(move |y| (x, y)))
        {
            let check = |own: Rational, library: Rational| {
                assert_eq!(own.into_raw(), library.into_raw(), "{x} {y}");
            };
            check(sum(x, y), x + y);
            check(product(x, y), x * y);
            if !y.is_zero() {
                check(quotient(x, y), x / y);
            }
        }
        for (numerator, places) in [(12, 3), (12, 2), (12, 1), (-5, 2), (0, 7), (3, 0)] {
            let expected = int(numerator) / int(1 << places);
            let own = super::dyadic(numerator.into(), places);
            assert_eq!(own.into_raw(), expected.into_raw());
        }
    }

    #[test]
    fn content_divides_every_value() {
        assert_eq!(content(&[ratio(4, 3), ratio(6, 5)]), ratio(2, 15));
        assert_eq!(content(&[ratio(-4, 1), ratio(0, 1)]), ratio(4, 1));
        assert_eq!(content(&[]), ratio(1, 1));
    }

    #[test]
    fn floats_are_rounded_in_the_stated_direction() {
        for x in [
            ratio(1, 3),
            ratio(-1, 3),
            ratio(1, 10),
            ratio(5, 1),
            int(i64::MAX),
            ratio(0, 1),
            ratio(1, 3).pow(40),
        ] {
            let (below, above) = (f64_below(&x), f64_above(&x));
            assert!(
                Rational::from_f64(below).unwrap() <= x && x <= Rational::from_f64(above).unwrap(),
                "{x}"
            );
            assert!(
                above == below || above == below.next_up(),
                "{x}: {below} {above}"
            );
        }
        let huge = int(10).pow(400);
        assert_eq!(
            (f64_below(&huge), f64_above(&huge)),
            (f64::MAX, f64::INFINITY)
        );
        let tiny = huge.recip();
        assert_eq!(
            (f64_below(&tiny), f64_above(&tiny)),
            (0.0, f64::from_bits(1))
        );
        assert_eq!(
            (f64_below(&-&tiny), f64_above(&-&tiny)),
            (-f64::from_bits(1), 0.0)
        );
        for digits in 300..330 {
            let subnormal = int(7) / int(10).pow(digits);
            let ends = [f64_below(&subnormal), f64_above(&subnormal)];
            let [below, above] = ends.map(|end| Rational::from_f64(end).unwrap());
            assert!(below <= subnormal && subnormal <= above, "{digits} digits");
        }
        assert_eq!(
            (f64_below(&-&huge), f64_above(&-huge)),
            (f64::NEG_INFINITY, f64::MIN)
        );
    }
}
