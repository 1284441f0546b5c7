//!

use crate::arena::{Field, MODELS};
use crate::common::{LOADS, at, best, bounds, kernel, source};
use redblue_bound::analysis::Analysis;
use redblue_cert::{Cause, Checker, Claim, Counted, Model, Proof};
use redblue_program::Program;
use redblue_testkit::Arena;
use redblue_testkit::sums::free_sums;

/// C += A·B.
pub(crate) const PRODUCT: &str =
    "void f(int M, int N, int K, double A[M][K], double B[K][N], double C[M][N]) {
for (int i = 0; i < M; i++) for (int j = 0; j < N; j++) for (int k = 0; k < K; k++)
  C[i][j] += A[i][k] * B[k][j];
}";

/// Attacks the bounds of a program in every model at some sizes.
pub(crate) fn attack(program: &Program, sizes: &[&[(&str, i64)]]) {
    let free = free_sums(program).expect("sums");
    for model in MODELS {
        let analysis = bounds(program, model);
        for sizes in sizes {
            let sizes = sizes.iter().map(|(name, value)| (name.to_string(), *value));
            let sizes = sizes.collect();
            let arena = Arena::of_program(program, &sizes, &free, 4_000).expect("small");
            let field = Field {
                name: &program.name,
                arena: &arena,
                sizes: &sizes,
                capacities: 12,
            };
            field
                .attack(&analysis.bounds)
                .expect("nothing beats a bound");
        }
    }
}

/// The groups of all phase arguments of one method, put into one argument: `None` if there are fewer than two.
pub(crate) fn joined(analysis: &Analysis, wanted: impl Fn(&str) -> bool) -> Option<Claim> {
    let mut joint: Option<Claim> = None;
    let mut parts = 0;
    for claim in &analysis.certificate.claims {
        let Proof::Phases(phases) = &claim.proof else {
            continue;
        };
        let [group] = phases.groups.as_slice() else {
            continue;
        };
        if !group.targets.iter().all(|text| wanted(text)) {
            continue;
        }
        parts += 1;
        match &mut joint {
            None => joint = Some(claim.clone()),
            Some(Claim {
                proof: Proof::Phases(all),
                ..
            }) => all.groups.push(group.clone()),
            Some(_) => {}
        }
    }
    joint.filter(|_| parts > 1)
}

#[test]
fn r01_one_phase_is_enough() {
    // 1×1×1: a naive reading of a closed form claims S, the truth is 3.
    let analysis = bounds(&source(PRODUCT), LOADS);
    for fast in [4, 5, 10, 64, 100, 1000] {
        let point = at(&[("M", 1), ("N", 1), ("K", 1)], fast);
        assert_eq!(
            best(&analysis, &point, Counted::Loads),
            3.into(),
            "S = {fast}"
        );
        for bound in &analysis.bounds {
            let formula = bound.loads().eval_floor(&point).expect("a value");
            assert!(formula <= 3.into(), "S = {fast}: {}", bound.loads());
        }
    }
}

#[test]
fn r02_small_games_with_recomputation() {
    // T-2, matmul 2×2×2 with C as input, red-blue: the optimum with recomputation, S = 4 to 10.
    let model = Model {
        count: Counted::Total,
        recompute: true,
        ..LOADS
    };
    let analysis = bounds(&source(PRODUCT), model);
    for (fast, optimum) in (4..).zip([24, 18, 17, 16, 16, 16, 16]) {
        let point = at(&[("M", 2), ("N", 2), ("K", 2)], fast);
        let value = best(&analysis, &point, Counted::Total);
        assert!(value <= optimum.into(), "S = {fast}: {value} > {optimum}");
    }
}

#[test]
fn r03_words_behind_other_values() {
    // The second product reads T, and T is made from the A that the first one reads: the same words.
    let program = source(
        "void f(int N, double A[N][N], double B[N][N], double E[N][N], double C[N][N], double D[N][N]) {
double T[N][N];
for (int i = 0; i < N; i++) for (int k = 0; k < N; k++) T[i][k] = 2.0 * A[i][k];
for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) for (int k = 0; k < N; k++)
  C[i][j] += A[i][k] * B[k][j];
for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) for (int k = 0; k < N; k++)
  D[i][j] += T[i][k] * E[k][j];
}",
    );
    // With recomputation T is no end of a path, so both must be traced back to A.
    let recompute = Model {
        recompute: true,
        ..LOADS
    };
    let analysis = bounds(&program, recompute);
    for claim in &analysis.certificate.claims {
        if let Proof::Phases(phases) = &claim.proof {
            assert_eq!(phases.groups.len(), 1, "{}", claim.formula);
        }
    }
    let joint = joined(&analysis, |_| true).expect("a bound for each product");
    let checker = Checker::of(&analysis.certificate, None).expect("holds");
    let refusal = checker.check(&joint).expect_err("the words are shared");
    assert_eq!(refusal.cause, Cause::Sharing, "{refusal}");
}

#[test]
fn r04_parts_of_a_program() {
    // b_i = f(a), c_i = g(b_i): the second loop alone needs 100 loads, the program 1.
    let program = source(
        "void f(int N, double a[1], double c[N]) {
double b[N];
for (int i = 0; i < N; i++) b[i] = 2.0 * a[0] + i;
for (int i = 0; i < N; i++) c[i] = 3.0 * b[i];
}",
    );
    for model in MODELS {
        let analysis = bounds(&program, model);
        for fast in [2, 3, 10] {
            let value = best(&analysis, &at(&[("N", 100)], fast), Counted::Loads);
            assert_eq!(value, 1.into(), "{model:?}, S = {fast}");
        }
    }
}

#[test]
fn r05_results_are_stored() {
    // C-5's totals are about games that end with all results stored; total = loads + m·n, also with recomputation.
    let recompute = Model {
        recompute: true,
        ..LOADS
    };
    for model in [LOADS, recompute] {
        let analysis = bounds(&kernel("matmul"), model);
        // A-stationary: 2 010 000 words with stores (C-4); 1 010 000 of them are not stores of results.
        let point = at(&[("M", 1000), ("N", 1000), ("K", 10)], 112);
        let total = best(&analysis, &point, Counted::Total);
        let loads = best(&analysis, &point, Counted::Loads);
        assert!(
            total <= 2_010_000.into() && loads <= 1_010_000.into(),
            "{total} {loads}"
        );
        assert_eq!(total - loads, 1_000_000.into());
    }
}

#[test]
fn r06_elements_created_on_the_way() {
    // V2Q: for i < j the element is created inside, 7×6 has 30 labels (i, j) for 27 words; wherever targets have
    // i < j, the paths of their labels must end in terminals, which are counted.
    let analysis = bounds(&kernel("org2r"), LOADS);
    let checker = Checker::of(&analysis.certificate, None).expect("holds");
    let mut spoilt = 0;
    for claim in &analysis.certificate.claims {
        let mut mutant = claim.clone();
        let Proof::Phases(phases) = &mut mutant.proof else {
            continue;
        };
        let families = phases
            .groups
            .iter_mut()
            .flat_map(|group| &mut group.families);
        let families = families.filter(|family| !family.terminals.is_empty());
        if families.map(|family| family.terminals.clear()).count() > 0 {
            spoilt += 1;
            assert!(checker.check(&mutant).is_err(), "{}", claim.formula);
        }
    }
    assert!(spoilt > 0);
    attack_hubs("org2r", &[("M", 7), ("N", 6)]);
}

/// Attacks the bounds of a kernel on loads.
fn attack_hubs(name: &str, sizes: &[(&str, i64)]) {
    let program = kernel(name);
    let analysis = bounds(&program, LOADS);
    let sizes = sizes.iter().map(|(name, value)| (name.to_string(), *value));
    let sizes = sizes.collect();
    let arena = Arena::of_program(&program, &sizes, &[], 4_000).expect("small");
    let field = Field {
        name,
        arena: &arena,
        sizes: &sizes,
        capacities: 12,
    };
    field
        .attack(&analysis.bounds)
        .expect("nothing beats a bound");
}

#[test]
fn r07_sliding_windows() {
    // Windows of W rows that move by one row per tick: all rows together are more than W.
    let program = source(
        "void f(int T, int N, int W, double A[T + W][N], double R[T][N]) {
double Q[T + W][T];
for (int k = 0; k < T; k++) {
  for (int i = k; i < k + W; i++) Q[i][k] = 2.0 * A[i][0];
  for (int j = 1; j < N; j++) {
    R[k][j] = 0.0;
    for (int i = k; i < k + W; i++) R[k][j] += Q[i][k] * A[i][j];
    for (int i = k; i < k + W; i++) A[i][j] -= Q[i][k] * R[k][j];
  }
}
}",
    );
    attack(
        &program,
        &[
            &[("T", 5), ("N", 4), ("W", 3)],
            &[("T", 8), ("N", 3), ("W", 2)],
        ],
    );
}

#[test]
fn r10_operands_that_are_computed() {
    // D-12 needs read arrays to be inputs: here A is made from one word, and with recomputation it is free.
    let program = source(
        "void f(int N, double a[1], double B[N][N], double C[N][N]) {
double A[N][N];
for (int i = 0; i < N; i++) for (int k = 0; k < N; k++) A[i][k] = a[0] + i + k;
for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) for (int k = 0; k < N; k++)
  C[i][j] += A[i][k] * B[k][j];
}",
    );
    attack(&program, &[&[("N", 3)], &[("N", 5)]]);
}

#[test]
fn r11_words_read_for_several_rows() {
    // X-2 needs accesses that are injective in (y, r): windows of one vector overlap.
    let program = source(
        "void f(int N, int D, double q[N + D], double k[N + D], double s[N][N]) {
for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) {
  s[i][j] = 0.0;
  for (int r = 0; r < D; r++) s[i][j] += q[i + r] * k[j + r];
}
}",
    );
    attack(&program, &[&[("N", 5), ("D", 3)], &[("N", 6), ("D", 5)]]);
}
