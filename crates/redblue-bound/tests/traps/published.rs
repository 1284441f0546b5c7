//! Published theorems that are wrong never appear as bounds: below each of them there is a legal play, and our bounds are below it.

use crate::common::{LOADS, at, best, bounds, kernel};
use redblue_bound::analysis::METHODS;
use redblue_cert::Counted;
use redblue_math::Expr;

#[test]
fn plays_below_published_theorems() {
    // Kernel, sizes, S, the published formula, and the words of a legal play (C-4).
    let cases = [
        (
            "matmul",
            vec![("M", 1000), ("N", 1000), ("K", 10)],
            112,
            "2*M*N*K/sqrt(S) + M*N",
            2_010_000,
            Counted::Total,
        ),
        (
            "matmul",
            vec![("M", 10), ("N", 10), ("K", 1)],
            4,
            "2*M*N*K/sqrt(S) + M*N",
            160,
            Counted::Total,
        ),
        (
            "matmul",
            vec![("M", 60), ("N", 60), ("K", 10)],
            112,
            "2*M*N*K/sqrt(S) + M*N",
            7_800,
            Counted::Total,
        ),
    ];
    for (name, sizes, fast, published, play, count) in cases {
        let point = at(&sizes, fast);
        let published: Expr = published.parse().expect("a formula");
        assert!(
            published.eval_floor(&point).expect("a value") > play.into(),
            "{name}"
        );
        let model = redblue_cert::Model { count, ..LOADS };
        let value = best(&bounds(&kernel(name), model), &point, count);
        assert!(value <= play.into(), "{name} {sizes:?}: {value} > {play}");
    }
}

/// Two accesses of one array counted as two arrays: M·N²/√S for syrk, N³/(3√S) for cholesky. Blocks of triangular shape
/// move M·N²/(√2·√S) and N³/(3√2·√S) (targets, section 1), so bounds stay below 1.01 times these at large sizes.
#[test]
fn symmetric_kernels_are_not_counted_twice() {
    for (name, attained) in [
        ("syrk", "M*N^2/sqrt(2*S)"),
        ("cholesky", "N^3/(3*sqrt(2*S))"),
        ("correlation", "M^2*N/sqrt(2*S)"),
        ("covariance", "M^2*N/sqrt(2*S)"),
    ] {
        let program = kernel(name);
        let sizes: Vec<(&str, i64)> = program
            .params
            .iter()
            .map(|p| (p.name.as_str(), 1 << 30))
            .collect();
        let point = at(&sizes, 1 << 12);
        let attained: Expr = attained.parse().expect("a formula");
        let attained = attained.eval_floor(&point).expect("a value");
        let value = best(&bounds(&program, LOADS), &point, Counted::Loads);
        assert!(value * 100 <= attained.clone() * 101, "{name}");
    }
}

/// Gram-Schmidt, Householder and the condensed forms: never above what tiled left-looking orders move (H-17), even where the printed
/// theorems are (Theorem 8 and 9 count volumes that are not there).
#[test]
fn hourglass_kernels_stay_below_tiled_orders() {
    let analysis = bounds(&kernel("mgs"), LOADS);
    for (m, n, fast) in [
        (100, 50, 400),
        (100, 50, 1000),
        (1000, 200, 8192),
        (64, 64, 4096),
    ] {
        // Reads M·N + M·B·q(q−1)/2 with B = ⌊S/M⌋ − 1 columns resident, q = ⌈N/B⌉; two words for R and its sum.
        let block = (fast - 2) / m - 1;
        let q = (n + block - 1) / block;
        let reads = m * n + m * block * q * (q - 1) / 2;
        let value = best(&analysis, &at(&[("M", m), ("N", n)], fast), Counted::Loads);
        assert!(value <= reads.into(), "{m} {n} {fast}: {value} > {reads}");
    }
}

#[test]
fn reported_formulas_are_no_methods() {
    for name in ["reported", "cosma", "theorem", "finite-field"] {
        assert!(METHODS.iter().all(|method| !method.name.contains(name)));
    }
}
