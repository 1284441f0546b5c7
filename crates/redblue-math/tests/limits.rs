//! Formulas built to run away: each is answered at once, with a value or an error.

#![allow(clippy::unwrap_used)]

use redblue_math::{Assignment, Expr, MathError, Regime};

/// Wraps `inner` once for every number below `depth`.
fn nest(depth: usize, inner: &str, wrap: impl Fn(usize, String) -> String) -> String {
    (0..depth).fold(inner.into(), |text, level| wrap(level, text))
}

#[test]
fn deep_nesting_takes_time_proportional_to_its_size() {
    let extrema = nest(60, "z", |level, inner| {
        let name = if level % 2 == 0 { "max" } else { "min" };
        format!("{name}(a{level}, b{level}*{inner} - c{level})")
    });
    let roots = nest(50, "z", |_, inner| format!("sqrt({inner}/2 + N)"));
    let floors = nest(50, "z", |_, inner| format!("floor(({inner} + N)/2)"));
    let logarithms = nest(50, "z", |_, inner| format!("log2({inner} + N)"));
    for text in [extrema, roots, floors, logarithms] {
        let expr: Expr = text.parse().unwrap();
        assert_eq!(expr.to_string().parse::<Expr>().unwrap(), expr);
        expr.leading(&Regime::large_sizes()).unwrap();
        let _ = (
            expr.latex(),
            expr.dominates(&Expr::one(), &Regime::uniform()),
        );
    }
}

#[test]
fn what_would_be_too_large_is_refused() {
    let continued_fraction = nest(60, "z", |level, inner| format!("a{level} + 1/({inner})"));
    for text in [
        continued_fraction.as_str(),
        "(a + b)^5000",
        "(a + b + c + d)^50",
        "3^100000",
        "(a + b)^(100001/2)",
    ] {
        let error = text.parse::<Expr>().unwrap_err().to_string();
        assert!(error.starts_with("the result is too large"), "{error}");
    }
    let high_root: Expr = "N^(1/5000)".parse().unwrap();
    assert_eq!(
        high_root.eval_floor(&Assignment::new().with("N", 10)),
        Err(MathError::TooLarge)
    );
}

#[test]
fn huge_constants_stay_exact() {
    // Thousands of digits without small factors, one of them a square that is not recognised as one.
    for text in ["3^20000 + 2", "((3^5000 + 2)^2)^2"] {
        let number: Expr = text.parse().unwrap();
        let root = number.sqrt().unwrap();
        assert_eq!(&root * &root, number);
    }
    // A common factor too large to be raised to a power is still a common factor.
    let huge = "2^30000*2^30000*2^30000";
    let least: Expr = format!("min({huge}*M, {huge}*N)").parse().unwrap();
    assert_eq!(least, format!("{huge}*min(M, N)").parse().unwrap());
}
