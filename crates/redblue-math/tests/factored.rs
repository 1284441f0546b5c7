//! Formulas as people write them: shorter, and still the same.

#![allow(clippy::unwrap_used)]

use redblue_math::{Assignment, Expr};

/// The factored text, which reads back as an expression with the same values.
fn check(formula: &str, expected: &str) {
    let expr: Expr = formula.parse().unwrap();
    let text = expr.factored();
    assert_eq!(text, expected);
    let back: Expr = text.parse().unwrap();
    for seed in 1..60i64 {
        let names = ["K", "M", "N", "S", "T"].into_iter().zip([3, 7, 5, 2, 11]);
        let sizes = names.map(|(name, step)| (name, 1 + seed * step % 53));
        let sizes: Assignment = sizes.collect();
        let scaled = |expr: &Expr| (expr * Expr::from(1_000_000)).eval_floor(&sizes).unwrap();
        assert_eq!(scaled(&back), scaled(&expr), "{text} at {sizes:?}");
    }
}

#[test]
fn polynomials_over_a_common_frame_are_products() {
    check(
        "M*N^2/sqrt(S) - N^3/(3*sqrt(S)) - M*N/sqrt(S) + N/(3*sqrt(S))",
        "N*(3*M - N - 1)*(N - 1)/(3*sqrt(S))",
    );
    check("N^2/2 - N/2", "N*(N - 1)/2");
    check("M*N^2/2 - N^3/6", "N^2*(3*M - N)/6");
    check("N^2 - 1", "N^2 - 1");
    check("N*M + N*K + M*K + 2", "K*M + K*N + M*N + 2");
    check("(M*N + 1)/sqrt(S)", "(M*N + 1)/sqrt(S)");
    check("-(N - 1)/2", "-(N - 1)/2");
    check("1/((M - N + 1)^2 + S^2)", "1/((M - N + 1)^2 + S^2)");
    // Differences that all look backwards are turned around, two at a time.
    check("T*(M - K + 1)*(N - K + 1)", "T*(M - K + 1)*(N - K + 1)");
    check("T*(M - K + 1)^2*S", "S*T*(M - K + 1)^2");
    check("0", "0");
}

#[test]
fn powers_of_the_fast_memory_are_collected() {
    check(
        "M*N^2 - N^2*S/2 + 3*N*S/2 - S",
        "M*N^2 - S*(N - 1)*(N - 2)/2",
    );
    check("2*N^2 - N*S + 8*N + 2", "2*N^2 - N*S + 8*N + 2");
    // A part without factors is written term by term.
    check("2*M*N - M*S + 1", "2*M*N - M*S + 1");
    check("M*N + 1 - K*S - T*S", "M*N - S*(K + T) + 1");
}

#[test]
fn extrema_stand_around_complete_formulas() {
    check(
        "2*N^3/sqrt(S) + min(N^3/sqrt(S) - S, S) - 2*S",
        "min(3*N^3/sqrt(S) - 3*S, 2*N^3/sqrt(S) - S)",
    );
    check(
        "N*max(N, 2*N - S) + 8*N + 2",
        "max(N^2 + 8*N + 2, 2*N^2 - N*S + 8*N + 2)",
    );
    // A width that several terms share stays, the extremum of the whole moves out.
    check(
        "N*max(M - 1, 2)/12 - M*max(M - 1, 2)/12 - S - S*max(-1, N - M)",
        "min(max(M - 1, 2)*(N - M)/12, max(M - 1, 2)*(N - M)/12 + S*(M - N - 1))",
    );
    // What is rounded counts as a symbol.
    check(
        "N*floor(M/2)^2 - N*floor(M/2)",
        "N*floor(M/2)*(floor(M/2) - 1)",
    );
    check("T*max(0, N - 2)^2 + N", "T*max(0, N - 2)^2 + N");
    check("max(N, M) + max(N, K)", "max(K, N) + max(M, N)");
}

#[test]
fn latex_is_the_same() {
    let expr: Expr = "N^2/2 - N/2 + min(2*N, S)".parse().unwrap();
    assert_eq!(
        expr.factored_latex(),
        r"\min\left(\frac{N \, \left(N + 3\right)}{2}, \frac{N \, \left(N - 1\right)}{2} + S\right)"
    );
}

#[test]
fn comparisons_leave_out_what_is_common() {
    let check = |left: &str, right: &str, expected: &str| {
        let (left, right): (Expr, Expr) = (left.parse().unwrap(), right.parse().unwrap());
        assert_eq!(left.at_least(&right).as_deref(), Some(expected));
    };
    check("M*N", "M^2*N/sqrt(S)", "S >= M^2");
    check("N^3/S + N", "N^2/sqrt(S) + N", "N^2 >= S");
    check("2*N*sqrt(Y)/sqrt(S)", "9*N*Y/(4*S)", "64*S >= 81*Y");
    check("N*sqrt(S)/2 + N", "N^2/6", "3*sqrt(S) + 6 >= N");
    let rough = |left: &str, right: &str| {
        let (left, right): (Expr, Expr) = (left.parse().unwrap(), right.parse().unwrap());
        left.roughly_at_least(&right)
    };
    let (words, wave) = ("2*N^2 + N - 4", "N^3/2 - N^2*S - N^2 + 3*N*S + 5*N/2");
    assert_eq!(rough(words, wave).as_deref(), Some("2*S >= N"));
    assert_eq!(rough("M*N + 2*N + M", "N^2 + 1").as_deref(), Some("M >= N"));
    assert_eq!(rough("N", "N^2").as_deref(), None);
    let max: Expr = "max(N, S)".parse().unwrap();
    assert_eq!(max.at_least(&Expr::one()), None);
}

#[test]
fn alternatives_are_the_items_of_the_outer_maximum() {
    let expr: Expr = "M + max(N, S, 2*K - N)".parse().unwrap();
    let mut texts: Vec<String> = expr.alternatives().iter().map(Expr::to_string).collect();
    texts.sort();
    assert_eq!(texts, ["2*K + M - N", "M + N", "M + S"]);
    for single in ["min(N, S)", "N + max(0, M - 2)", "N^2"] {
        let expr: Expr = single.parse().unwrap();
        assert_eq!(expr.alternatives(), [expr]);
    }
}
