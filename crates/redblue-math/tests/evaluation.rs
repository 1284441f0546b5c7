//! Exact values, directed rounding, growth and dominance on formulas of the theory.

#![allow(clippy::unwrap_used)]

use num_bigint::BigInt;
use redblue_math::{Assignment, Expr, Interval, MathError, Regime, rational::ratio};
use std::cmp::Ordering;

fn expr(text: &str) -> Expr {
    text.parse().unwrap()
}

fn sizes(pairs: &[(&str, i64)]) -> Assignment {
    pairs.iter().copied().collect()
}

#[test]
fn floors_and_ceilings_of_bounds() {
    for (text, values, floor, ceil) in [
        (
            "2*N^3/sqrt(S) - S",
            [("N", 1000), ("S", 4096)],
            31_245_904,
            31_245_904,
        ),
        ("2*N^3/sqrt(S)", [("N", 100), ("S", 1000)], 63_245, 63_246),
        ("N*sqrt(S)*sqrt(S)", [("N", 3), ("S", 7)], 21, 21),
        ("sqrt(N)*sqrt(S)", [("N", 2), ("S", 8)], 4, 4),
        ("log2(N) + 0*S", [("N", 1000), ("S", 1)], 9, 10),
        ("log2(N)/log2(S)", [("N", 8), ("S", 4)], 1, 2),
        ("S - sqrt(N)", [("N", 2), ("S", 0)], -2, -1),
        ("max(N^2, S)/min(N, S)", [("N", 5), ("S", 7)], 5, 5),
    ] {
        let at = sizes(&values);
        assert_eq!(
            expr(text).eval_floor(&at).unwrap(),
            BigInt::from(floor),
            "{text}"
        );
        assert_eq!(
            expr(text).eval_ceil(&at).unwrap(),
            BigInt::from(ceil),
            "{text}"
        );
    }
}

#[test]
fn a_hidden_integer_rounds_to_the_safe_side() {
    // Normal form sees through these quotients and differences.
    for (text, n, k, value) in [
        ("log2(N)/log2(K)", 9, 3, 2),
        ("log2(N)/log2(K)", 6, 6, 1),
        ("sqrt(sqrt(N) + 1 - sqrt(K))", 2, 2, 1),
    ] {
        assert_eq!(
            expr(text).at(&sizes(&[("N", n), ("K", k)])).unwrap(),
            Expr::integer(value),
            "{text}"
        );
    }
    // But not through nested roots, and no precision shows that the value is exactly one.
    let nested = expr("sqrt(3 + 2*sqrt(N)) - sqrt(N)"); // = 1 for N = 2
    assert!(nested.eval_floor(&sizes(&[("N", 2)])).unwrap() <= 1.into());
    assert!(nested.eval_ceil(&sizes(&[("N", 2)])).unwrap() >= 1.into());
    assert_eq!(
        nested.compare_at(&Expr::one(), &sizes(&[("N", 2)])),
        Ok(None)
    );
}

#[test]
fn errors_of_evaluation() {
    let at = sizes(&[("N", 3), ("S", -1)]);
    for (text, error) in [
        ("M", MathError::Unassigned("M".into())),
        ("S", MathError::NegativeSymbol("S".into())),
        ("1/(N - 3)", MathError::DivisionByZero),
        ("sqrt(N - 4)", MathError::RootOfNegative),
        ("log2(N - 3)", MathError::LogOfNonPositive),
        ("N^(1/1000000000000)", MathError::TooLarge),
    ] {
        assert_eq!(expr(text).eval(&at, 64), Err(error), "{text}");
    }
}

#[test]
fn logarithms_are_enclosed_and_tight() {
    for n in 1i64..200 {
        let interval = expr("log2(N)").eval(&sizes(&[("N", n)]), 60).unwrap();
        if n.count_ones() == 1 {
            assert_eq!(
                interval,
                Interval::point(ratio(n.trailing_zeros().into(), 1))
            );
        }
        // 2^(a/b) <= n <= 2^(c/d), as integers, for the enclosure cut to a few bits.
        let coarse = expr("log2(N)").eval(&sizes(&[("N", n)]), 5).unwrap();
        let power = |end: &redblue_math::Rational| {
            (end * ratio(1 << 9, 1))
                .to_integer()
                .to_string()
                .parse::<u32>()
                .unwrap()
        };
        let (low, high) = (power(coarse.lower()), power(coarse.upper()));
        let scaled = BigInt::from(n).pow(1 << 9);
        assert!(
            BigInt::from(1) << low <= scaled && scaled <= BigInt::from(1) << high,
            "{n}"
        );
        assert!(coarse.contains(interval.lower()) || coarse.contains(interval.upper()));
    }
}

#[test]
fn comparison_under_sizes() {
    for (left, right, n, s, order) in [
        ("N^2/sqrt(S)", "N", 10, 100, Ordering::Equal),
        ("sqrt(2)*N", "sqrt(2*N^2 + 1)", 1000, 1, Ordering::Less),
        ("sqrt(N) + sqrt(S)", "sqrt(N + S)", 2, 3, Ordering::Greater),
        ("N^(1/3)*N^(2/3)", "N", 7, 1, Ordering::Equal),
        ("log2(N)", "sqrt(N)", 8, 1, Ordering::Greater),
    ] {
        assert_eq!(
            expr(left)
                .compare_at(&expr(right), &sizes(&[("N", n), ("S", s)]))
                .unwrap(),
            Some(order),
            "{left} {right}"
        );
    }
}

#[test]
fn leading_terms() {
    let regime = Regime::large_sizes();
    for (text, leading, simplified) in [
        (
            "2*NI*NJ*NK/sqrt(S) - S + NI*NJ",
            "2*NI*NJ*NK/sqrt(S)",
            "2*N^3/sqrt(S)",
        ),
        ("N*(N - 1)*(N - 2)/6", "N^3/6", "N^3/6"),
        (
            "2*A*B*C/(sqrt(S + 1) - 1) + B*C",
            "2*A*B*C/sqrt(S)",
            "2*N^3/sqrt(S)",
        ),
        (
            "max(M*N, 2*M*N*K/sqrt(S) - S, S)",
            "2*K*M*N/sqrt(S)",
            "2*N^3/sqrt(S)",
        ),
        ("min(M*N, N*S)", "N*S", "N*S"),
        ("max(-N^3, S)", "S", "S"),
        ("min(-N^3, S)", "-N^3", "-N^3"),
        ("max(M, N)", "max(M, N)", "N"),
        ("floor((N + 3)/4) + 7", "N/4", "N/4"),
        ("M*N*max(0, S - N) + N", "N", "N"),
        ("max(M, S) - M + S", "S", "S"),
        ("S - max(2/3, S) + 1", "1", "1"),
        ("max(N*max(0, S - N)^2, S)", "S", "S"),
        ("min(N, M - K)", "min(N, M - K)", "0"),
        ("N*log2(N) + N", "N*log2(N)", "N*log2(N)"),
        ("M^2*N*(N - 1)/(8*(S + M))", "M*N^2/8", "N^3/8"),
        (
            "sqrt(N^2 + 1) - N",
            "sqrt(N^2 + 1) - N",
            "sqrt(N^2 + 1) - N",
        ),
        ("0", "0", "0"),
    ] {
        let found = expr(text).leading(&regime).unwrap();
        assert_eq!(found, expr(leading), "{text}");
        assert_eq!(found.simplified().unwrap(), expr(simplified), "{text}");
    }
    let large_memory = Regime::uniform().with_weight("S", [ratio(3, 1)]);
    assert_eq!(
        expr("M^2*N^2/(8*(S + M))").leading(&large_memory).unwrap(),
        expr("M^2*N^2/(8*S)")
    );
}

#[test]
fn dominance_is_a_proof_or_nothing() {
    let regime = Regime::large_sizes();
    for (left, right, expected) in [
        ("N^3/sqrt(S)", "1000*N^2", Some(true)),
        ("N^2", "N^3/S", Some(false)),
        ("N^2", "N^2 - S", Some(true)),
        ("M*N", "N^2", None),
        ("1/(M - N)", "0", None),
        ("max(N, S)", "S", Some(true)),
        ("max(N, M)", "N", None),
        ("min(N^2, M - K)", "0", None),
        ("N*max(0, S - N)", "1", None),
        ("2*N + 2*M", "N + M", Some(true)),
        ("N", "N", Some(true)),
        ("S", "log2(N)", Some(true)),
    ] {
        assert_eq!(
            expr(left).dominates(&expr(right), &regime),
            expected,
            "{left} {right}"
        );
    }
}

#[test]
fn polynomial_views() {
    let cubic = expr("3*N^2*M + N^2 - N*sqrt(S) + 7");
    let coefficients = cubic.coefficients(&"N".into()).unwrap();
    assert_eq!(
        coefficients.into_iter().collect::<Vec<_>>(),
        [(0, expr("7")), (1, expr("-sqrt(S)")), (2, expr("3*M + 1"))]
    );
    assert_eq!(
        (
            cubic.degree(&"N".into()),
            cubic.degree(&"K".into()),
            cubic.degree(&"S".into())
        ),
        (Some(2), Some(0), None)
    );
    for (text, derivative) in [
        ("N^3/3 + N*S", Some("N^2 + S")),
        ("sqrt(N)", Some("1/(2*sqrt(N))")),
        ("1/(N + S)", Some("-1/(N + S)^2")),
        ("floor(N/2)", None),
        ("floor(S/2)*N", Some("floor(S/2)")),
    ] {
        assert_eq!(
            expr(text).derivative(&"N".into()),
            derivative.map(expr),
            "{text}"
        );
    }
}
