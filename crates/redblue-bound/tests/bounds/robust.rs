//! Spelling does not matter: rewritten kernels get the bound of the plain one.

use crate::common::{LOADS, at, best, bounds, source};
use redblue_cert::Counted;

const PLAIN: &str = "void f(int N, double A[N][N], double B[N][N], double C[N][N]) {
#pragma scop
for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) for (int k = 0; k < N; k++)
  C[i][j] += A[i][k] * B[k][j];
#pragma endscop
}";

const REWRITTEN: &[(&str, &str)] = &[
    (
        "renamed and permuted",
        "void g(int N, double X[N][N], double Y[N][N], double Z[N][N]) {
#pragma scop
for (int q = 0; q < N; q++) for (int r = 0; r < N; r++) for (int p = 0; p < N; p++)
  Z[p][r] = Z[p][r] + Y[q][r] * X[p][q];
#pragma endscop
}",
    ),
    (
        "scalar accumulator",
        "void f(int N, double A[N][N], double B[N][N], double C[N][N]) {
double acc;
#pragma scop
for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) {
  acc = C[i][j];
  for (int k = 0; k < N; k++) acc += A[i][k] * B[k][j];
  C[i][j] = acc;
}
#pragma endscop
}",
    ),
    (
        "tiled",
        "void f(int N, double A[N][N], double B[N][N], double C[N][N]) {
#pragma scop
for (int kk = 0; kk < N; kk += 32)
for (int i = 0; i < N; i++) for (int j = 0; j < N; j++)
for (int k = kk; k < (kk + 32 < N ? kk + 32 : N); k++)
  C[i][j] += A[i][k] * B[k][j];
#pragma endscop
}",
    ),
    (
        "flat indices",
        "void f(int N, double *A, double *B, double *C) {
#pragma scop
for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) for (int k = 0; k < N; k++)
  C[i*N+j] += A[i*N+k] * B[k*N+j];
#pragma endscop
}",
    ),
    (
        "a dead statement",
        "void f(int N, double A[N][N], double B[N][N], double C[N][N]) {
double t[N][N];
#pragma scop
for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) for (int k = 0; k < N; k++) {
  t[i][j] = A[i][k] + B[i][j];
  C[i][j] += A[i][k] * B[k][j];
}
#pragma endscop
}",
    ),
    (
        "an unrelated statement",
        "void f(int N, double A[N][N], double B[N][N], double C[N][N], double x[N], double y[N]) {
#pragma scop
for (int i = 0; i < N; i++) y[i] = 2.0 * x[i];
for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) for (int k = 0; k < N; k++)
  C[i][j] += A[i][k] * B[k][j];
#pragma endscop
}",
    ),
];

#[test]
fn rewritten_products_get_the_same_bound() {
    let point = at(&[("N", 1000)], 4096);
    let plain = best(&bounds(&source(PLAIN), LOADS), &point, Counted::Loads);
    assert!(plain > 31_000_000.into());
    for (how, text) in REWRITTEN {
        let value = best(&bounds(&source(text), LOADS), &point, Counted::Loads);
        assert!(value >= plain, "{how}: {value} < {plain}");
    }
}

#[test]
fn floors_in_loop_bounds() {
    let text = PLAIN.replace("i < N", "i < N/4");
    let point = at(&[("N", 4000)], 4096);
    let value = best(&bounds(&source(&text), LOADS), &point, Counted::Loads);
    // 2·(N/4)·N·N/√S − S.
    assert!(value > 499_990_000.into(), "{value}");
}
