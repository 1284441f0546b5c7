//! Polynomials as products, for writing: content, powers of symbols, linear factors, and what is left. A rounded expression counts as a symbol.
//!
//! ```text
//! M·N² − N³/3 − M·N + N/3   →   1/3 · N · (N − 1) · (3·M − N − 1)
//! ```
//!
//! A linear factor is guessed from its zeros where all symbols but one have small values, and kept if it divides
//! exactly, so a wrong guess costs time and nothing else. Factors with large coefficients, and
//! irreducible ones of higher degree, are not looked for.

use super::{Atom, Expr, Monomial};
use crate::rational::{self, Rational, int, ratio};
use num_traits::{Signed as _, ToPrimitive as _, Zero as _};
use std::collections::BTreeSet;

/// Polynomials with more terms are left alone.
const MOST_TERMS: usize = 80;
/// Polynomials in more symbols are left alone.
const MOST_SYMBOLS: usize = 5;
/// The largest absolute value and the largest denominator of a zero that is looked for.
const LARGEST_ZERO: i128 = 96;
const LARGEST_DENOMINATOR: i128 = 4;
/// Most combinations of zeros that are tried.
const MOST_GUESSES: usize = 400;
/// Values of the other symbols.
const PLACES: [i128; MOST_SYMBOLS] = [7, 11, 13, 17, 19];

/// `scale · powers · Π factor^multiplicity`.
pub(super) struct Product {
    pub(super) scale: Rational,
    pub(super) powers: Monomial,
    pub(super) factors: Vec<(Expr, u32)>,
}

/// The factors of a polynomial in symbols: a sum of products of natural powers of symbols, not zero.
pub(super) fn factor(polynomial: &Expr) -> Product {
    let powers = polynomial.common_powers(|_| true);
    let content = rational::content(polynomial.terms().map(|(_, value)| value));
    let inverse = Expr::term(powers.inverse(), content.recip());
    let mut rest = polynomial.distribute(&inverse);
    let mut product = Product {
        scale: content,
        powers,
        factors: Vec::new(),
    };
    while let Some((linear, quotient)) = linear_factor(&rest) {
        product.push(linear);
        rest = quotient;
    }
    match rest.as_constant() {
        Some(value) => product.scale *= value,
        None => product.push(rest),
    }
    product.balance();
    product
}

impl Product {
    /// Adds a factor whose first symbol has a positive sign.
    fn push(&mut self, factor: Expr) {
        let negative = factor
            .lex_leading()
            .is_some_and(|(_, value)| value.is_negative());
        let factor = if negative {
            self.scale = -&self.scale;
            -factor
        } else {
            factor
        };
        match self.factors.iter_mut().find(|(known, _)| *known == factor) {
            Some((_, multiplicity)) => *multiplicity += 1,
            None => self.factors.push((factor, 1)),
        }
    }

    /// Turns a difference of sizes around rather than having a minus sign in front, and two of them, or a square, that have more minus signs than plus.
    fn balance(&mut self) {
        let turnable = |(factor, multiplicity): &&mut (Expr, u32)| {
            let signs = |negative: bool| {
                let sizes = factor.terms().filter(|(monomial, _)| !monomial.is_one());
                let mut values = sizes.map(|(_, value)| value.is_negative());
                values.any(|sign| sign == negative)
            };
            multiplicity % 2 == 1 && signs(true) && signs(false)
        };
        if self.scale.is_negative()
            && let Some((factor, _)) = self.factors.iter_mut().find(turnable)
        {
            *factor = -&*factor;
            self.scale = -&self.scale;
        }
        let mostly_negative = |(factor, _): &&mut (Expr, u32)| {
            let signs = factor.terms().map(|(_, value)| value.is_negative());
            signs.filter(|negative| *negative).count() * 2 > factor.terms().len()
        };
        let turned = self.factors.iter_mut().filter(mostly_negative);
        let (squares, mut others): (Vec<_>, Vec<_>) =
            turned.partition(|(_, multiplicity)| multiplicity % 2 == 0);
        others.truncate(others.len() / 2 * 2);
        for (factor, _) in squares.into_iter().chain(others) {
            *factor = -&*factor;
        }
    }
}

/// A linear factor and the quotient by it; none if the polynomial is itself linear.
fn linear_factor(polynomial: &Expr) -> Option<(Expr, Expr)> {
    let symbols: BTreeSet<Atom> = polynomial
        .terms()
        .flat_map(|(monomial, _)| monomial.atoms().cloned())
        .collect();
    let symbols: Vec<Atom> = symbols.into_iter().collect();
    let linear = |(monomial, _): (&Monomial, _)| {
        monomial.factors().map(|(_, e)| e).sum::<Rational>() <= int(1)
    };
    if polynomial.terms().len() > MOST_TERMS
        || symbols.len() > MOST_SYMBOLS
        || polynomial.terms().all(linear)
    {
        return None;
    }
    (0..symbols.len()).find_map(|at| {
        guesses(polynomial, &symbols, at)?
            .into_iter()
            .find_map(|guess| {
                let quotient = polynomial.exact_quotient(&guess)?;
                Some((guess, quotient))
            })
    })
}

/// Linear polynomials with the symbol at `at` whose zeros fit.
fn guesses(polynomial: &Expr, symbols: &[Atom], at: usize) -> Option<Vec<Expr>> {
    let mut places: Vec<i128> = PLACES[..symbols.len()].to_vec();
    let mut slopes: Vec<(Vec<Rational>, Rational)> = zeros(polynomial, symbols, at, &places)?
        .into_iter()
        .map(|zero| (Vec::new(), zero))
        .collect();
    for other in 0..symbols.len() {
        places[other] += 1;
        let beyond = match other == at {
            true => vec![Rational::zero()],
            false => zeros(polynomial, symbols, at, &places)?,
        };
        places[other] -= 1;
        let longer = slopes.iter().flat_map(|(list, zero)| {
            beyond.iter().map(move |next| {
                let slope = if other == at { int(-1) } else { next - zero };
                let list: Vec<Rational> = list.iter().cloned().chain([slope]).collect();
                (list, zero.clone())
            })
        });
        slopes = longer.take(MOST_GUESSES).collect();
    }
    let guess = |(list, zero): (Vec<Rational>, Rational)| -> Expr {
        // x − zero − Σ slope·(y − place), all signs turned around.
        let mut line = Expr::constant(zero);
        for ((symbol, slope), place) in symbols.iter().zip(&list).zip(PLACES) {
            line += Expr::atom(symbol.clone()).scale(slope);
            if *slope != int(-1) || symbols[at] != *symbol {
                line -= &Expr::constant(slope * int(place));
            }
        }
        let content = rational::content(line.terms().map(|(_, value)| value));
        line.scale(&content.recip())
    };
    Some(slopes.into_iter().map(guess).collect())
}

/// The small zeros in one symbol where the others have the given values; none if everything is zero or too large.
fn zeros(polynomial: &Expr, symbols: &[Atom], at: usize, places: &[i128]) -> Option<Vec<Rational>> {
    let scale = rational::content(polynomial.terms().map(|(_, value)| value)).recip();
    let mut coefficients: Vec<i128> = Vec::new();
    for (monomial, value) in polynomial.terms() {
        let mut value = (value * &scale).to_integer().to_i128()?;
        let mut degree = 0;
        for (index, (symbol, place)) in symbols.iter().zip(places).enumerate() {
            let power = monomial.exponent(symbol).to_integer().to_u32()?;
            if index == at {
                degree = power as usize;
            } else {
                value = value.checked_mul(place.checked_pow(power)?)?;
            }
        }
        if coefficients.len() <= degree {
            coefficients.resize(degree + 1, 0);
        }
        coefficients[degree] = coefficients[degree].checked_add(value)?;
    }
    if coefficients.iter().all(|value| *value == 0) {
        return None;
    }
    // The numerator of a zero divides the last coefficient and its denominator the first one.
    let last = coefficients.iter().find(|value| **value != 0);
    let first = coefficients.iter().rfind(|value| **value != 0);
    let divides =
        |divisor: i128, value: Option<&i128>| value.is_some_and(|value| value % divisor == 0);
    let mut found: Vec<Rational> = Vec::new();
    for denominator in (1..=LARGEST_DENOMINATOR).filter(|by| divides(*by, first)) {
        for numerator in -LARGEST_ZERO * denominator..=LARGEST_ZERO * denominator {
            if numerator != 0 && !divides(numerator, last) {
                continue;
            }
            if value_at(&coefficients, numerator, denominator) == Some(0) {
                let zero = ratio(numerator.to_i64()?, denominator.to_i64()?);
                if !found.contains(&zero) {
                    found.push(zero);
                }
            }
        }
    }
    Some(found)
}

/// `denominator^degree` times the value at a fraction, unless it is too large.
fn value_at(coefficients: &[i128], numerator: i128, denominator: i128) -> Option<i128> {
    let (mut sum, mut power) = (0i128, 1i128);
    for value in coefficients.iter().rev() {
        sum = sum
            .checked_mul(numerator)?
            .checked_add(value.checked_mul(power)?)?;
        power = power.checked_mul(denominator)?;
    }
    Some(sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The factors as text, and that their product is the polynomial.
    fn check(polynomial: &str, expected: &str) {
        let polynomial: Expr = polynomial.parse().unwrap();
        let Product {
            scale,
            powers,
            factors,
        } = factor(&polynomial);
        let mut product = Expr::term(powers.clone(), scale.clone());
        for (factor, multiplicity) in &factors {
            product *= &factor.powi(i64::from(*multiplicity)).unwrap();
        }
        assert_eq!(product, polynomial);
        let mut list: Vec<String> = factors
            .iter()
            .map(|(factor, times)| format!("({factor})^{times}"))
            .collect();
        list.sort();
        let text = format!("{} {}", Expr::term(powers, scale), list.join(" "));
        assert_eq!(text.trim(), expected, "{polynomial}");
    }

    #[test]
    fn linear_factors_are_found() {
        check("M*N^2 - N^3/3 - M*N + N/3", "N/3 (3*M - N - 1)^1 (N - 1)^1");
        check("N^2/2 - 3*N/2 + 1", "1/2 (N - 1)^1 (N - 2)^1");
        check("(M - N + 1)^2", "1 (M - N + 1)^2");
        check("(N - M)*K", "K (N - M)^1");
        check("-(N - 1)*(N - 2)*S", "-S (N - 1)^1 (N - 2)^1");
        check(
            "(2*A + 3*B - 5)*(A - B)*(C + 1)",
            "1 (2*A + 3*B - 5)^1 (A - B)^1 (C + 1)^1",
        );
        check("(N - 2)^3", "1 (N - 2)^3");
        check("4*N^2 - 6", "2 (2*N^2 - 3)^1");
        check("(N^2 + 1)*(M - 1)", "1 (M - 1)^1 (N^2 + 1)^1");
        check("A*B + A*C + B*C", "1 (A*B + A*C + B*C)^1");
    }

    #[test]
    fn large_polynomials_are_left_alone() {
        let sum = (0..7)
            .map(|at| Expr::symbol(format!("x{at}").as_str()))
            .sum::<Expr>();
        let square = &sum * &sum;
        let product = factor(&square);
        assert_eq!(product.factors, [(square, 1)]);
        let huge: Expr = "(N - 123456789)*(N - 987654321)".parse().unwrap();
        assert_eq!(factor(&huge).factors, [(huge, 1)]);
        assert_eq!(factor(&Expr::one()).scale, int(1));
    }
}
