//! Values that wait for hubs: what is claimed, attacked and refused.

use redblue_cert::certificate::{Side, Spills};
use redblue_cert::{Certificate, Proof};
use redblue_program::Program;

use crate::trial::{FREE, LOADS, analysis, attack_program, kernel, source, value};

/// A product whose rows are divided by their sums: C is made with B, which all rows share.
fn divided() -> Program {
    source(
        "void f(int N, int M, int D, double A[N][D], double B[M][D], double R[N][M]) {
double C[N][M]; double s[N];
#pragma scop
for (int i = 0; i < N; i++)
  for (int j = 0; j < M; j++) {
    C[i][j] = 0.0;
    for (int d = 0; d < D; d++) C[i][j] += A[i][d] * B[j][d];
  }
for (int i = 0; i < N; i++) {
  s[i] = 0.0;
  for (int j = 0; j < M; j++) s[i] += C[i][j];
}
for (int i = 0; i < N; i++)
  for (int j = 0; j < M; j++) R[i][j] = C[i][j] / s[i];
#pragma endscop
}",
    )
}

/// Rows are divided by their sums and multiplied by B: used after the hub.
fn multiplied() -> Program {
    source(
        "void f(int N, int M, int D, double A[N][M], double x[M], double B[M][D], double R[N][D]) {
double C[N][M]; double s[N];
#pragma scop
for (int i = 0; i < N; i++)
  for (int j = 0; j < M; j++) C[i][j] = A[i][j] * x[j];
for (int i = 0; i < N; i++) {
  s[i] = 0.0;
  for (int j = 0; j < M; j++) s[i] += C[i][j];
}
for (int i = 0; i < N; i++)
  for (int j = 0; j < M; j++) C[i][j] /= s[i];
for (int i = 0; i < N; i++)
  for (int d = 0; d < D; d++) {
    R[i][d] = 0.0;
    for (int j = 0; j < M; j++) R[i][d] += C[i][j] * B[j][d];
  }
#pragma endscop
}",
    )
}

/// The same product where B is computed, too: it is made before it is needed, which is no load.
fn made() -> Program {
    source(
        "void f(int N, int M, int D, int E, double A[N][D], double X[M][E], double Y[E][D], double R[N][M]) {
double B[M][D]; double C[N][M]; double s[N];
#pragma scop
for (int j = 0; j < M; j++)
  for (int d = 0; d < D; d++) {
    B[j][d] = 0.0;
    for (int e = 0; e < E; e++) B[j][d] += X[j][e] * Y[e][d];
  }
for (int i = 0; i < N; i++)
  for (int j = 0; j < M; j++) {
    C[i][j] = 0.0;
    for (int d = 0; d < D; d++) C[i][j] += A[i][d] * B[j][d];
  }
for (int i = 0; i < N; i++) {
  s[i] = 0.0;
  for (int j = 0; j < M; j++) s[i] += C[i][j];
}
for (int i = 0; i < N; i++)
  for (int j = 0; j < M; j++) R[i][j] = C[i][j] / s[i];
#pragma endscop
}",
    )
}

fn spills(certificate: &mut Certificate) -> &mut Spills {
    match &mut certificate.claims[0].proof {
        Proof::Spills(spills) => spills,
        other => panic!("{other:?}"),
    }
}

#[test]
fn both_sides_of_a_hub() {
    for (program, side, inputs) in [
        (divided(), Side::Before, [1, 0, 0]),
        (multiplied(), Side::After, [0, 1, 1]),
    ] {
        let mut found = analysis(&program, "spills", LOADS);
        assert_eq!(found.bounds.len(), 1, "{:?}", found.tried);
        for (n, m, d, fast) in [(1000, 300, 10, 64), (95, 40, 7, 30)] {
            let at = [("N", n), ("M", m), ("D", d), ("S", fast)];
            // W = D: a cut after every D hubs, and at each of them at most S values are resident.
            let cuts = (n + d - 1) / d - 1;
            let [nd, nm, m1] = inputs;
            let least = nd * n * d + nm * n * m + m1 * m + n * m - fast * cuts;
            assert!(value(&found, &at) >= least, "{side:?} {at:?}");
        }
        let kinds = &spills(&mut found.certificate).kinds;
        assert!(kinds.iter().all(|kind| kind.side == side), "{kinds:?}");
    }
}

#[test]
fn operands_that_are_computed() {
    let program = made();
    let found = analysis(&program, "spills", LOADS);
    let (n, m, d, e, fast) = (1000, 300, 10, 20, 64);
    let at = [("N", n), ("M", m), ("D", d), ("E", e), ("S", fast)];
    let inputs = n * d + m * e + e * d;
    let least = inputs + n * m - fast * (n / d - 1) - m * d;
    assert!(value(&found, &at) >= least, "{:?}", found.tried);
    let memories = [4, 5, 6, 7, 8, 10, 12, 16];
    let sizes: [&[(&str, i64)]; 3] = [
        &[("N", 9), ("M", 5), ("D", 2), ("E", 1)],
        &[("N", 12), ("M", 4), ("D", 2), ("E", 2)],
        &[("N", 12), ("M", 3), ("D", 4), ("E", 1)],
    ];
    let attacked = attack_program(&program, "spills", LOADS, &sizes, &memories);
    assert!(attacked >= 12, "{attacked}");
}

#[test]
fn attention_waits_for_its_hubs_however_many_rows_fit() {
    for (name, kinds) in [("attention", 2), ("attention-fused", 1)] {
        let mut found = analysis(&kernel(name), "spills", LOADS);
        assert_eq!(spills(&mut found.certificate).kinds.len(), kinds, "{name}");
        let (n, m, d, fast) = (4096, 1024, 64, 4096);
        let at = [("N", n), ("M", m), ("D", d), ("S", fast)];
        let least = kinds as i64 * (n * m - fast * (n / d - 1));
        assert!(value(&found, &at) >= least, "{name}");
    }
    // Sums that are rescaled wait for nothing, and no order of sums is nobody's own.
    for (name, model) in [("attention-online", LOADS), ("attention", FREE)] {
        assert!(analysis(&kernel(name), "spills", model).bounds.is_empty());
    }
}

#[test]
fn no_schedule_does_better() {
    let memories = [4, 5, 6, 7, 8, 10, 12, 16];
    let sizes: [&[(&str, i64)]; 5] = [
        &[("N", 3), ("M", 8), ("D", 1)],
        &[("N", 6), ("M", 5), ("D", 2)],
        &[("N", 7), ("M", 4), ("D", 3)],
        &[("N", 2), ("M", 9), ("D", 2)],
        &[("N", 9), ("M", 3), ("D", 4)],
    ];
    let mut attacked = 0;
    for program in [
        divided(),
        multiplied(),
        kernel("attention"),
        kernel("attention-fused"),
    ] {
        attacked += attack_program(&program, "spills", LOADS, &sizes, &memories);
    }
    assert!(attacked >= 100, "{attacked}");
}

/// A change that the checker must not accept.
fn check_refused(certificate: &Certificate, what: &str, change: impl Fn(&mut Spills)) {
    let mut changed = certificate.clone();
    change(spills(&mut changed));
    assert_ne!(&changed, certificate, "{what} changes nothing");
    assert!(redblue_cert::check(&changed, None).is_err(), "{what}");
}

#[test]
fn changed_certificates_are_refused() {
    for program in [divided(), multiplied()] {
        let certificate = analysis(&program, "spills", LOADS).certificate;
        assert!(redblue_cert::check(&certificate, None).is_ok());
        check_refused(&certificate, "the other side", |s| {
            s.kinds[0].side = match s.kinds[0].side {
                Side::Before => Side::After,
                Side::After => Side::Before,
            }
        });
        check_refused(&certificate, "no hubs", |s| s.kinds[0].hubs.clear());
        check_refused(&certificate, "nothing before", |s| {
            s.kinds[0].into.members.clear()
        });
        check_refused(&certificate, "nothing after", |s| {
            s.kinds[0].out_of.edges.clear()
        });
        check_refused(&certificate, "a hub for every column", |s| {
            s.kinds[0].index = vec![vec![0, 1]]
        });
        check_refused(&certificate, "labels that tell the hub", |s| {
            s.kinds[0].needs[0].projection = vec![vec![1, 0]]
        });
        check_refused(&certificate, "more words", |s| {
            s.kinds[0].needs[0].words = "D + 1".into()
        });
        check_refused(&certificate, "no words", |s| s.kinds[0].needs.clear());
        check_refused(&certificate, "words counted twice", |s| {
            let kind = s.kinds[0].clone();
            s.kinds.push(kind);
        });
        check_refused(&certificate, "no vertices after", |s| {
            s.kinds[0].after.members.clear()
        });
        check_refused(&certificate, "two values at one point", |s| {
            let kind = &mut s.kinds[0];
            kind.centres = [&kind.centres[..], &kind.hubs].concat();
        });
        let mut other = certificate.clone();
        other.claims[0].model.recompute = true;
        assert!(redblue_cert::check(&other, None).is_err());
        let mut other = certificate.clone();
        other.claims[0].model.sums = redblue_cert::Sums::Free;
        assert!(redblue_cert::check(&other, None).is_err());
        let mut other = certificate.clone();
        other.claims[0].formula += " + 1";
        assert!(redblue_cert::check(&other, None).is_err());
    }
}
