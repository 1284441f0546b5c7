//! Opposite recurrences: what is claimed, attacked and refused.

use redblue_cert::Proof;
use redblue_cert::certificate::{Crossing, Lines};
use redblue_math::Expr;

use crate::trial::{
    LOADS, analysis, attack, attack_program, kernel, leading, refused, source, value,
};

#[test]
fn rows_and_columns_of_deriche() {
    let term: Expr = "5*H*W".parse().unwrap();
    assert_eq!(leading("deriche", "crossing", LOADS), [term.to_string()]);
    // Of a row of H pixels 2·H − 2 words wait; 300 inputs and alpha are loaded besides.
    let found = analysis(&kernel("deriche"), "crossing", LOADS);
    let rows = 12 * (2 * 25 - 2 - 40);
    assert_eq!(
        value(&found, &[("W", 12), ("H", 25), ("S", 40)]),
        301 + rows
    );
}

#[test]
fn recurrences_in_one_direction_do_not_cross() {
    for name in ["trisolv", "durbin", "jacobi-1d", "seidel-2d", "gemm"] {
        let found = analysis(&kernel(name), "crossing", LOADS);
        assert!(found.bounds.is_empty(), "{name}: {:?}", found.tried);
    }
}

#[test]
fn no_schedule_does_better() {
    let attacked = attack(
        "deriche",
        "crossing",
        LOADS,
        &[
            &[("W", 3), ("H", 16)],
            &[("W", 14), ("H", 2)],
            &[("W", 10), ("H", 10)],
        ],
        &[8, 9, 10, 12, 14, 16, 20, 24],
    );
    assert!(attacked >= 12, "{attacked}");
}

/// One recurrence needs all of the other one: the two meet at the end of the line, and every position has a value that waits there.
#[test]
fn recurrences_that_meet_at_the_end_of_the_line() {
    let program = source(
        "void f(int T, int N, double X[T][N], double F[T][N], double B[T][N], double Y[T][N]) {
#pragma scop
for (int t = 0; t < T; t++) {
  for (int i = 1; i < N - 1; i++) F[t][i] = 3.0 * F[t][i - 1] + X[t][i];
  for (int i = N - 2; i > 0; i--) B[t][i] = B[t][i + 1] * F[t][i];
  for (int i = 1; i < N - 1; i++) Y[t][i] = F[t][i] - B[t][i];
}
#pragma endscop
}",
    );
    let sizes: [&[_]; 2] = [&[("T", 3), ("N", 16)], &[("T", 2), ("N", 25)]];
    let memories = [4, 5, 6, 8, 10, 14];
    let attacked = attack_program(&program, "crossing", LOADS, &sizes, &memories);
    assert!(attacked >= 8, "{attacked}");
    // F[0], B[N - 1] and X[1] to X[N - 2] of every line are loaded, and of N − 2 positions all but S are loaded again.
    let found = analysis(&program, "crossing", LOADS);
    let (t, n, fast) = (3, 40, 10);
    let least = t * (n + n - 2 - fast);
    let best = value(&found, &[("T", t), ("N", n), ("S", fast)]);
    assert!(best >= least, "{best} < {least}");
}

#[test]
fn changed_certificates_are_refused() {
    let certificate = analysis(&kernel("deriche"), "crossing", LOADS).certificate;
    refused(&certificate, "\"formula\":\"", "\"formula\":\"1 + ");
    refused(&certificate, "\"offset\":-1", "\"offset\":0");
    refused(&certificate, "\"offset\":-1", "\"offset\":-2");
    type Change = (&'static str, fn(&mut Crossing));
    let changes: [Change; 6] = [
        ("no steps", |crossing| crossing.lines[0].edges.clear()),
        ("one step", |crossing| {
            crossing.lines[1].edges.pop();
        }),
        ("nothing meets", |crossing| {
            crossing.lines[0].meeting.clear()
        }),
        ("counted twice", |crossing| {
            crossing.lines.push(crossing.lines[0].clone());
        }),
        ("read twice", |crossing| {
            let again = crossing.lines[0].reads[0].clone();
            crossing.lines[0].reads.push(again);
        }),
        ("other way round", |crossing| {
            let Lines {
                forward, backward, ..
            } = &mut crossing.lines[0];
            std::mem::swap(forward, backward);
        }),
    ];
    for (what, change) in changes {
        let mut changed = certificate.clone();
        let Proof::Crossing(crossing) = &mut changed.claims[0].proof else {
            panic!("another proof")
        };
        change(crossing);
        assert!(redblue_cert::check(&changed, None).is_err(), "{what}");
    }
}
