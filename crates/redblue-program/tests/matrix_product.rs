//! `C = A·B` from zero, however it is written, is one computation.

#![allow(clippy::unwrap_used)]

use redblue_program::Dataflow;
use redblue_program::c::{self, CInput};
use redblue_program::canonical::{Canonical, ParamMatch, equivalent};
use redblue_program::einsum;
use redblue_program::reading::{ReadOptions, Reading};

const PLAIN: &str = "
void product(int M, int N, int K, double A[M][K], double B[K][N], double C[M][N]) {
  for (int i = 0; i < M; i++)
    for (int j = 0; j < N; j++) {
      C[i][j] = 0.0;
      for (int k = 0; k < K; k++)
        C[i][j] += A[i][k] * B[k][j];
    }
}";

/// The product with other code inside the function.
fn with_body(body: &str) -> String {
    let signature = "int M, int N, int K, double A[M][K], double B[K][N], double C[M][N]";
    format!("void product({signature}) {{\n{body}\n}}")
}

/// Zero first, then three loops in the given order around the update.
fn in_order(order: &str) -> String {
    let loops: String = order
        .chars()
        .map(|l| {
            let bound = match l {
                'i' => 'M',
                'j' => 'N',
                _ => 'K',
            };
            format!("for (int {l} = 0; {l} < {bound}; {l}++)\n")
        })
        .collect();
    with_body(&format!(
        "for (int i = 0; i < M; i++) for (int j = 0; j < N; j++) C[i][j] = 0;
         {loops} C[i][j] = C[i][j] + A[i][k] * B[k][j];"
    ))
}

const TILED: &str = "
  for (int i = 0; i < M; i++)
    for (int j = 0; j < N; j++)
      C[i][j] = 0.0;
  for (int ii = 0; ii < M; ii += 32)
    for (int kk = 0; kk < K; kk += 32)
      for (int jj = 0; jj < N; jj += 32)
        for (int i = ii; i < (ii + 32 < M ? ii + 32 : M); i++)
          for (int k = kk; k < (kk + 32 < K ? kk + 32 : K); k++)
            for (int j = jj; j < (jj + 32 < N ? jj + 32 : N); j++)
              C[i][j] += A[i][k] * B[k][j];";

const FLAT: &str = "
#define SIZE(rows, columns) ((rows) * (columns))
void product(int M, int N, int K, double *A, const double *B, double C[SIZE(M, N)]) {
  for (int i = 0; i < M; i++)
    for (int j = 0; j < N; j++) {
      C[i * N + j] = 0.0;
      for (int k = 0; k < K; k++)
        C[i * N + j] += A[i * K + k] * B[k * N + j];
    }
}";

const ACCUMULATOR: &str = "
  for (int j = 0; j < N; j++)
    for (int i = 0; i < M; i++) {
      double sum = 0.0;
      for (int k = 0; k < K; k++)
        sum += B[k][j] * A[i][k];
      C[i][j] = sum;
    }";

const DEAD: &str = "
  double unused = 1.0, never[M];
  for (int i = 0; i < M; i++) {
    never[i] = A[i][0] * unused;
    for (int j = 0; j < N; j++) {
      C[i][j] = 2.0;
      C[i][j] = 0.0;
      for (int k = 0; k < K; k++) {
        C[i][j] += A[i][k] * B[k][j];
        unused += A[i][k];
      }
    }
  }";

/// Each row of A is copied before it is used.
const PACKED: &str = "
  double row[K];
  for (int i = 0; i < M; i++) {
    for (int k = 0; k < K; k++)
      row[k] = A[i][k];
    for (int j = 0; j < N; j++)
      C[i][j] = 0.0;
    for (int k = 0; k < K; k++)
      for (int j = 0; j < N; j++)
        C[i][j] = row[k] * B[k][j] + C[i][j];
  }";

fn canonical(what: &str, reading: Reading) -> Canonical {
    assert!(!reading.has_errors(), "{what}:\n{}", reading.render());
    let program = reading.program.unwrap();
    program
        .validate()
        .unwrap_or_else(|error| panic!("{what}: {error}"));
    Canonical::of(&program, &Dataflow::of(&program).unwrap()).unwrap()
}

fn from_c(what: &str, text: &str) -> Canonical {
    let input = CInput {
        name: "product.c",
        text,
    };
    canonical(what, c::read(&input, &ReadOptions::default(), &|_| None))
}

fn from_einsum(text: &str) -> Canonical {
    canonical(text, einsum::read(text, &ReadOptions::default()))
}

#[test]
fn every_spelling_is_the_same_computation() {
    let reference = from_c("plain", PLAIN);
    let orders = ["ijk", "ikj", "jik", "jki", "kij", "kji"].map(|o| (o, in_order(o)));
    let others = [
        ("tiled", with_body(TILED)),
        ("flat", FLAT.to_string()),
        ("accumulator", with_body(ACCUMULATOR)),
        ("dead statements", with_body(DEAD)),
        ("packed row", with_body(PACKED)),
    ];
    for (what, text) in orders.into_iter().chain(others) {
        let other = from_c(what, &text);
        let same = equivalent(&reference, &other, ParamMatch::ByName).unwrap();
        assert!(same, "{what}:\n{reference}\n{other}");
    }
}

#[test]
fn the_einsum_is_the_same_computation() {
    let reference = from_c("plain", PLAIN);
    for text in ["ij,jk->ik", "ik,kj->ij", "ab,bc", "kj,ik->ij"] {
        let other = from_einsum(text);
        let same = equivalent(&reference, &other, ParamMatch::Any).unwrap();
        assert!(same, "{text}:\n{reference}\n{other}");
    }
    for text in ["ij,kj->ik", "ij,jk->ki", "ij,jk->i", "ij,jk,kl->il"] {
        let other = from_einsum(text);
        assert!(
            !equivalent(&reference, &other, ParamMatch::Any).unwrap(),
            "{text}:\n{other}"
        );
    }
}
