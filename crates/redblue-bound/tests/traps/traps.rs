//! U-1 to U-20.

use crate::arena::MODELS;
use crate::common::{LOADS, at, best, bounds, kernel, source};
use crate::corrections::{PRODUCT, attack, joined};
use redblue_bound::Graph;
use redblue_bound::analysis::METHODS;
use redblue_cert::certificate::Capacity;
use redblue_cert::{Cause, Checker, Counted, Model, Proof};

/// The best bounds of a kernel are at most the optima.
fn at_most(
    program: &redblue_program::Program,
    model: Model,
    sizes: &[(&str, i64)],
    optima: &[(i64, i64)],
) {
    let analysis = bounds(program, model);
    for &(fast, optimum) in optima {
        let value = best(&analysis, &at(sizes, fast), model.count);
        assert!(
            value <= optimum.into(),
            "{} {sizes:?} S = {fast}: {value} > {optimum}",
            program.name
        );
    }
}

const TOTAL: Model = Model::DEFAULT;

#[test]
fn u01_sources_are_subtracted() {
    // cholesky with N = 20, S = 215 needs 210 loads; without the sources the formula says 260.
    at_most(&kernel("cholesky"), LOADS, &[("N", 20)], &[(215, 210)]);
}

#[test]
fn u02_the_last_phase() {
    // G-7: 3 inputs, one vertex, T = 100: T·⌊V/U⌋ is 100.
    let program = source("void f(double x[3], double y[1]) { y[0] = x[0] * x[1] * x[2]; }");
    at_most(&program, LOADS, &[], &[(4, 3), (50, 3), (100, 3)]);
    // C-2, Lemma 4: one vertex with two inputs, S = 10: claims 11.
    let program = source("void f(double x[2], double y[1]) { y[0] = x[0] * x[1]; }");
    at_most(&program, TOTAL, &[], &[(3, 3), (10, 3)]);
    // Phases of more than S loads: S is not what the last one is worth.
    at_most(
        &source(PRODUCT),
        LOADS,
        &[("M", 2), ("N", 2), ("K", 2)],
        &[(4, 17), (5, 14), (6, 13), (7, 12), (20, 12)],
    );
}

#[test]
fn u04_products_from_zero() {
    // C-4: legal plays below 2mnk/√S + mn, and exact optima of T-2.
    let matmul = kernel("matmul");
    for (m, n, k, plays) in [
        (10, 10, 1, vec![(4, 160)]),
        (3, 3, 1, vec![(3, 19), (4, 17), (5, 15)]),
        (60, 60, 10, vec![(112, 7_800)]),
        (1000, 1000, 10, vec![(112, 2_010_000)]),
        (2, 2, 2, vec![(4, 17), (5, 14), (6, 13), (7, 12)]),
    ] {
        at_most(&matmul, TOTAL, &[("M", m), ("N", n), ("K", k)], &plays);
    }
}

#[test]
fn u05_diamonds_are_cheaper_with_recomputation() {
    // T-2: 4×4 diamond with one input and one output.
    let program = source(
        "void f(int N, double x[1], double y[1]) {
double D[N][N];
D[0][0] = x[0];
for (int j = 1; j < N; j++) D[0][j] = sqrt(D[0][j-1]);
for (int i = 1; i < N; i++) {
  D[i][0] = sqrt(D[i-1][0]);
  for (int j = 1; j < N; j++) D[i][j] = D[i-1][j] + D[i][j-1];
}
y[0] = D[N-1][N-1];
}",
    );
    let recompute = Model {
        recompute: true,
        ..TOTAL
    };
    at_most(&program, recompute, &[("N", 4)], &[(3, 11), (4, 4), (5, 2)]);
    at_most(&program, TOTAL, &[("N", 4)], &[(3, 14), (4, 6), (5, 2)]);
    at_most(&program, LOADS, &[("N", 4)], &[(3, 7), (4, 3), (5, 1)]);
    // What rests on computing once says so.
    for name in ["mgs", "atax", "attention"] {
        for bound in bounds(&kernel(name), LOADS).bounds {
            let once = matches!(
                bound.method(),
                "hourglass" | "wavefront" | "fused" | "any-order"
            );
            assert!(
                !once || !bound.model().recompute,
                "{name}: {}",
                bound.method()
            );
        }
    }
}

#[test]
fn u07_everything_fits() {
    // D-11: each input once, each result once, and not S.
    let analysis = bounds(&kernel("matmul"), TOTAL);
    for fast in [301, 1_000, 1_000_000] {
        let point = at(&[("M", 10), ("N", 10), ("K", 10)], fast);
        assert_eq!(best(&analysis, &point, Counted::Total), 300.into());
    }
}

#[test]
fn u08_widths_are_the_least() {
    // The width of a slice is M for Gram-Schmidt (not 2M), and at least M − N + 1 for Householder (not M − 1).
    for (name, wrong) in [("mgs", ["2*M", "M + 1"]), ("geqr2", ["M - 1", "M"])] {
        let analysis = bounds(&kernel(name), LOADS);
        let checker = Checker::of(&analysis.certificate, None).expect("holds");
        let mut found = 0;
        for claim in &analysis.certificate.claims {
            let mut mutant = claim.clone();
            let Proof::Phases(phases) = &mut mutant.proof else {
                continue;
            };
            let Some(Capacity::Hourglass(pattern)) =
                phases.groups.first().map(|group| group.capacity.clone())
            else {
                continue;
            };
            for width in wrong {
                if pattern.least_width == width {
                    continue;
                }
                let mut pattern = pattern.clone();
                pattern.least_width = width.into();
                let mut mutant = claim.clone();
                if let Proof::Phases(phases) = &mut mutant.proof {
                    phases.groups[0].capacity = Capacity::Hourglass(pattern);
                }
                assert!(checker.check(&mutant).is_err(), "{name}: {width}");
                found += 1;
            }
        }
        assert!(found > 0, "{name} has no hourglass");
    }
}

#[test]
fn u09_exact_volumes() {
    // T-2: Gram-Schmidt so small that N(N−1) is far from N²; S = 4, 5, …
    let mgs = kernel("mgs");
    for (m, n, optima) in [
        (2, 2, vec![7, 5, 4, 4]),
        (3, 2, vec![15, 10, 8, 7, 6]),
        (3, 3, vec![35, 24, 18, 15, 12]),
    ] {
        let optima: Vec<(i64, i64)> = (4..).zip(optima).collect();
        at_most(&mgs, LOADS, &[("M", m), ("N", n)], &optima);
    }
}

#[test]
fn u10_square_matrices() {
    // M = N: the least width is 1, and memories are larger than it.
    let program = kernel("geqr2");
    let analysis = bounds(&program, LOADS);
    for fast in 3..40 {
        for size in 1..6 {
            let point = at(&[("M", size), ("N", size)], fast);
            for bound in &analysis.bounds {
                // M·N words go in, and S = 40 holds all of 5×5.
                let value = bound.at(&point).expect("a value");
                assert!(
                    fast < 36 || value <= (size * size).into(),
                    "{size} {fast}: {value}"
                );
            }
        }
    }
}

#[test]
fn u11_statements_that_share_an_array() {
    // two products with one A, n = 20, S = 64: 440 loads, and a naive sum says 760.
    let bicg = kernel("bicg");
    at_most(&bicg, LOADS, &[("M", 20), ("N", 20)], &[(64, 440)]);
    let program = source(
        "void f(int N, double A[N][N], double B[N][N], double E[N][N], double C[N][N], double D[N][N]) {
for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) for (int k = 0; k < N; k++) {
  C[i][j] += A[i][k] * B[k][j];
  D[i][j] += A[i][k] * E[k][j];
}
}",
    );
    let analysis = bounds(&program, LOADS);
    let joint = joined(&analysis, |_| true).expect("a bound for each product");
    let checker = Checker::of(&analysis.certificate, None).expect("holds");
    let refusal = checker.check(&joint).expect_err("both read A");
    assert_eq!(refusal.cause, Cause::Sharing, "{refusal}");
}

#[test]
fn u12_sliding() {
    // T-2, matmul 2×2×2 with sliding: one pebble less than in the strict game, S = 3, 4, …
    let optima = [(3, 17), (4, 14), (5, 13), (6, 12), (7, 12)];
    at_most(
        &kernel("matmul"),
        TOTAL,
        &[("M", 2), ("N", 2), ("K", 2)],
        &optima,
    );
}

#[test]
fn u14_exact_powers() {
    // 3×3×3 and K = S + T = 27: U = (27/3)^{3/2} = 27 = V, one phase. Rounded down it would be two, and 28 loads claimed
    // where 27 are enough: B, a row of C and a row of A are 15 words.
    let analysis = bounds(&source(PRODUCT), LOADS);
    for fast in [24, 25, 26] {
        let point = at(&[("M", 3), ("N", 3), ("K", 3)], fast);
        assert_eq!(
            best(&analysis, &point, Counted::Loads),
            27.into(),
            "S = {fast}"
        );
    }
}

#[test]
fn u15_unused_inputs_and_copies() {
    // D is never read, the old contents of y neither, and B is a copy: neither loaded nor stored.
    let program = source(
        "void f(int N, double x[N], double y[N], double A[N], double B[N], double D[N]) {
double dead[N];
for (int i = 0; i < N; i++) { y[i] = 2.0 * x[i]; B[i] = A[i]; dead[i] = 2.0 * D[i]; }
}",
    );
    for model in MODELS {
        let analysis = bounds(&program, model);
        let point = at(&[("N", 50)], 8);
        assert_eq!(best(&analysis, &point, Counted::Loads), 50.into());
        assert_eq!(best(&analysis, &point, Counted::Total), 100.into());
    }
}

#[test]
fn u17_finite_fields_are_reported_only() {
    // for oblivious algorithms, q > N, and in bits if q = 2; never among the bounds.
    let program = kernel("attention");
    let graph = Graph::of(&program).expect("a graph");
    let reported = redblue_bound::field::bound::reported(&graph).expect("products");
    assert!(!reported.is_empty());
    for formula in &reported {
        assert!(formula.assumptions.contains(&"oblivious algorithms"));
        let binary = formula.assumptions.contains(&"q = 2");
        assert_eq!(binary, formula.unit == "bits");
        assert!(binary || formula.assumptions.contains(&"q > N"));
        assert!(METHODS.iter().all(|method| method.name != formula.method));
    }
}

#[test]
fn u04_sums_in_any_order() {
    // Running sums need not exist: with free sums a product has no chain.
    let matmul = kernel("matmul");
    attack(
        &matmul,
        &[
            &[("M", 3), ("N", 3), ("K", 3)],
            &[("M", 2), ("N", 2), ("K", 7)],
        ],
    );
}
