//! Intervals of rationals: how irrational numbers are handled without floating point.
//!
//! Every operation encloses: if `x` lies in the operand then the result's value lies in the result. Ring
//! operations are exact at both ends; roots and logarithms round outwards to a given number of bits.

use crate::{
    error::{MathError, Result},
    integer::exact_root,
    rational::{self, Rational, int},
};
use num_bigint::{BigInt, BigUint};
use num_traits::{One as _, Signed as _, ToPrimitive as _, Zero as _};
use std::ops::{Add, Mul};

/// The most bits that an integer built on the way to a root may have.
const MAX_BITS: u64 = 1 << 24;

/// The highest root that is taken: Newton's method needs about as many steps as the degree.
const MAX_DEGREE: u32 = 128;

/// A closed interval with rational ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Interval {
    lower: Rational,
    upper: Rational,
}

impl Interval {
    /// The interval that holds one number.
    pub fn point(value: Rational) -> Self {
        Interval {
            lower: value.clone(),
            upper: value,
        }
    }

    /// The interval between two numbers given in any order.
    pub fn between(one: Rational, other: Rational) -> Self {
        if one <= other {
            Interval {
                lower: one,
                upper: other,
            }
        } else {
            Interval {
                lower: other,
                upper: one,
            }
        }
    }

    /// The lower end.
    pub fn lower(&self) -> &Rational {
        &self.lower
    }

    /// The upper end.
    pub fn upper(&self) -> &Rational {
        &self.upper
    }

    /// The number itself, when the interval holds only one.
    pub fn as_point(&self) -> Option<&Rational> {
        (self.lower == self.upper).then_some(&self.lower)
    }

    /// Whether `value` lies in the interval.
    pub fn contains(&self, value: &Rational) -> bool {
        self.lower <= *value && *value <= self.upper
    }

    /// The ends as floats, rounded outwards; for display.
    pub fn to_f64(&self) -> (f64, f64) {
        (
            rational::f64_below(&self.lower),
            rational::f64_above(&self.upper),
        )
    }

    /// The image under a monotone function of the ends.
    fn map(&self, f: impl Fn(&Rational) -> Rational) -> Interval {
        Interval::between(f(&self.lower), f(&self.upper))
    }

    /// The interval of floors.
    pub fn floor(&self) -> Interval {
        self.map(|end| int(rational::floor(end)))
    }

    /// The interval of ceilings.
    pub fn ceil(&self) -> Interval {
        self.map(|end| int(rational::ceil(end)))
    }

    /// The interval of minima with a member of `other`.
    pub fn min(self, other: Interval) -> Interval {
        Interval {
            lower: self.lower.min(other.lower),
            upper: self.upper.min(other.upper),
        }
    }

    /// The interval of maxima with a member of `other`.
    pub fn max(self, other: Interval) -> Interval {
        Interval {
            lower: self.lower.max(other.lower),
            upper: self.upper.max(other.upper),
        }
    }

    /// The interval of reciprocals.
    pub fn recip(&self) -> Result<Interval> {
        match (
            self.lower.is_positive() || self.upper.is_negative(),
            self.as_point(),
        ) {
            (true, _) => Ok(self.map(Rational::recip)),
            (false, Some(_)) => Err(MathError::DivisionByZero),
            (false, None) => Err(MathError::Undecided),
        }
    }

    /// The interval of powers, with roots to `bits` significant bits.
    pub fn pow(&self, exponent: &Rational, bits: u32) -> Result<Interval> {
        if exponent.is_negative() {
            return self.pow(&-exponent, bits)?.recip();
        }
        if exponent.is_integer() {
            return self.integer_power(exponent);
        }
        if self.upper.is_negative() {
            return Err(MathError::RootOfNegative);
        }
        // The value under a root is nonnegative wherever it has a value, whatever the enclosure says.
        let lower = self.lower.clone().max(Rational::zero());
        let (low, high) = (
            root(&lower, exponent, bits)?,
            root(&self.upper, exponent, bits)?,
        );
        Ok(Interval {
            lower: low.lower,
            upper: high.upper,
        })
    }

    fn integer_power(&self, exponent: &Rational) -> Result<Interval> {
        let exponent = exponent.to_i32().ok_or(MathError::TooLarge)?;
        let size = [&self.lower, &self.upper].map(|end| end.numer().bits().max(end.denom().bits()));
        if size[0]
            .max(size[1])
            .saturating_mul(u64::from(exponent.unsigned_abs()))
            > MAX_BITS
        {
            return Err(MathError::TooLarge);
        }
        let power = self.map(|end| end.pow(exponent));
        let crosses_zero = self.lower.is_negative() && self.upper.is_positive();
        if crosses_zero && exponent % 2 == 0 {
            return Ok(Interval {
                lower: Rational::zero(),
                upper: power.upper,
            });
        }
        Ok(power)
    }

    /// The interval of logarithms to base two, to `bits` bits after the point.
    pub fn log2(&self, bits: u32) -> Result<Interval> {
        if !self.upper.is_positive() {
            return Err(MathError::LogOfNonPositive);
        }
        if !self.lower.is_positive() {
            return Err(MathError::Undecided);
        }
        Ok(Interval {
            lower: log2(&self.lower, bits).lower,
            upper: log2(&self.upper, bits).upper,
        })
    }
}

impl Add for Interval {
    type Output = Interval;
    fn add(self, other: Interval) -> Interval {
        Interval {
            lower: rational::sum(&self.lower, &other.lower),
            upper: rational::sum(&self.upper, &other.upper),
        }
    }
}

impl Mul for Interval {
    type Output = Interval;
    fn mul(self, other: Interval) -> Interval {
        let product = rational::product;
        if let (Some(one), Some(another)) = (self.as_point(), other.as_point()) {
            return Interval::point(product(one, another));
        }
        let lower = product(&self.lower, &other.lower);
        let upper = product(&self.upper, &other.upper);
        if !self.lower.is_negative() && !other.lower.is_negative() {
            return Interval { lower, upper };
        }
        let mixed = [
            product(&self.lower, &other.upper),
            product(&self.upper, &other.lower),
        ];
        mixed
            .into_iter()
            .fold(Interval::between(lower, upper), |hull, end| Interval {
                lower: hull.lower.min(end.clone()),
                upper: hull.upper.max(end),
            })
    }
}

/// `x^exponent` for `x >= 0` and a positive exponent, exact when the value is rational.
fn root(x: &Rational, exponent: &Rational, bits: u32) -> Result<Interval> {
    let power = exponent.numer().to_u32().ok_or(MathError::TooLarge)?;
    let degree = exponent
        .denom()
        .to_u32()
        .filter(|&degree| degree <= MAX_DEGREE);
    let degree = degree.ok_or(MathError::TooLarge)?;
    let size = x
        .numer()
        .bits()
        .max(x.denom().bits())
        .saturating_mul(u64::from(power));
    // Enough binary places that the root has `bits` significant ones even when it is far below one.
    let small = x
        .denom()
        .bits()
        .saturating_sub(x.numer().bits())
        .saturating_add(1)
        * u64::from(power)
        / u64::from(degree);
    let places = u64::from(bits) + small + 1;
    if size.saturating_add(places.saturating_mul(u64::from(degree))) > MAX_BITS {
        return Err(MathError::TooLarge);
    }
    let (numerator, denominator) = (
        x.numer().magnitude().pow(power),
        x.denom().magnitude().pow(power),
    );
    if let (Some(top), Some(bottom)) = (
        exact_root(&numerator, degree),
        exact_root(&denominator, degree),
    ) {
        return Ok(Interval::point(Rational::new(top.into(), bottom.into())));
    }
    let scaled = (numerator << (places * u64::from(degree))) / denominator;
    let floor = BigInt::from(scaled.nth_root(degree));
    Ok(Interval {
        lower: rational::dyadic(floor.clone(), places),
        upper: rational::dyadic(floor + 1, places),
    })
}

/// `log2(x)` for `x > 0`, by squaring: the bits of the fraction are the carries of repeated squares.
fn log2(x: &Rational, bits: u32) -> Interval {
    // 2^whole <= x < 2^(whole + 1)
    let mut whole = x.numer().bits() as i64 - x.denom().bits() as i64;
    if shifted(x, -whole) < Rational::one() {
        whole -= 1;
    }
    let mantissa = shifted(x, -whole);
    if mantissa.is_one() {
        return Interval::point(int(whole));
    }
    // Each squaring doubles the relative error, so `bits` guard bits keep the enclosure tight throughout.
    let places = 2 * u64::from(bits) + 8;
    let one = BigUint::one() << places;
    let two = &one << 1u32;
    let scaled = (mantissa.numer().magnitude() << places) / mantissa.denom().magnitude();
    let (mut low, mut high) = (scaled.clone(), scaled + 1u32);
    let mut fraction = BigInt::zero();
    let mut done = 0u32;
    while done < bits {
        let square_low = (&low * &low) >> places;
        let square_high = ((&high * &high) >> places) + 1u32;
        let carry = square_low >= two;
        if !carry && square_high >= two {
            break;
        }
        fraction = (fraction << 1u32) + BigInt::from(u8::from(carry));
        done += 1;
        (low, high) = if carry {
            (square_low >> 1u32, (square_high >> 1u32) + 1u32)
        } else {
            (square_low, square_high)
        };
    }
    let whole = BigInt::from(whole) << done;
    Interval {
        lower: rational::dyadic(&whole + &fraction, done.into()),
        upper: rational::dyadic(whole + fraction + 1, done.into()),
    }
}

/// `x * 2^places`.
fn shifted(x: &Rational, places: i64) -> Rational {
    let power = int(BigInt::one() << places.unsigned_abs());
    if places >= 0 { x * power } else { x / power }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rational::ratio;

    fn interval(lower: i64, upper: i64) -> Interval {
        Interval::between(int(lower), int(upper))
    }

    #[test]
    fn products_hold_all_products_and_their_ends() {
        let all = || (-3..=3).flat_map(|lower| (lower..=3).map(move |upper| (lower, upper)));
        for ((a, b), (c, d)) in all().flat_map(|one| all().map(move |other| (one, other))) {
            let products = (a..=b).flat_map(|x| (c..=d).map(move |y| x * y));
            let (least, most) = (products.clone().min().unwrap(), products.max().unwrap());
            let product = interval(a, b) * interval(c, d);
            assert_eq!(product, interval(least, most), "[{a}, {b}]*[{c}, {d}]");
        }
    }

    #[test]
    fn operations_across_zero() {
        assert_eq!(interval(-2, 3) * interval(-5, 1), interval(-15, 10));
        assert_eq!(interval(-2, 3).pow(&int(2), 8), Ok(interval(0, 9)));
        assert_eq!(interval(-2, 3).pow(&int(3), 8), Ok(interval(-8, 27)));
        assert_eq!(interval(-3, -2).pow(&int(2), 8), Ok(interval(4, 9)));
        assert_eq!(
            interval(2, 4).recip(),
            Ok(Interval::between(ratio(1, 4), ratio(1, 2)))
        );
        assert_eq!(interval(-1, 1).recip(), Err(MathError::Undecided));
        assert_eq!(interval(0, 0).recip(), Err(MathError::DivisionByZero));
        assert_eq!(
            interval(-3, -2).pow(&ratio(1, 2), 8),
            Err(MathError::RootOfNegative)
        );
        assert_eq!(interval(-1, 4).pow(&ratio(1, 2), 8), Ok(interval(0, 2)));
        assert_eq!(interval(-1, 4).log2(8), Err(MathError::Undecided));
    }

    #[test]
    fn roots_far_from_one_keep_their_precision() {
        for x in [int(2), ratio(2, 1 << 60), int(2).pow(201), int(3).pow(-200)] {
            let root = Interval::point(x.clone()).pow(&ratio(1, 2), 50).unwrap();
            assert!(root.lower.pow(2) <= x && x <= root.upper.pow(2));
            assert!(
                (&root.upper - &root.lower) * int(1i64 << 49) <= root.upper,
                "{x}"
            );
        }
    }
}
