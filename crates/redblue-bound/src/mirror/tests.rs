//! Mirrored operands: what is claimed, attacked and refused.

use redblue_cert::LowerBound;
use redblue_math::{Expr, Regime};
use redblue_program::c::{self, CInput};

use crate::trial::{LOADS, analysis, attack, kernel, leading, refused, value};

fn source(text: &str) -> redblue_program::Program {
    let name = "test.c";
    let reading = c::read(&CInput { name, text }, &Default::default(), &|_| None);
    assert!(!reading.has_errors(), "{}", reading.render());
    reading.program.unwrap()
}

#[test]
fn the_constants_of_symm() {
    let expected = ["2*M^2*N/sqrt(S)", "sqrt(2)*M^2*N/sqrt(S)"].map(|term| {
        let term: Expr = term.parse().unwrap();
        term.to_string()
    });
    assert_eq!(leading("symm", "mirror", LOADS), expected);
}

/// From the right, with separate results; and in two nests that add to the same results.
#[test]
fn other_spellings_of_symmetric_products() {
    let right = "C[i][j] += B[i][k] * A[j][k]; D[i][k] += B[i][j] * A[j][k];";
    let right = format!("for (int j = 0; j < N; j++) for (int k = 0; k < j; k++) {{ {right} }}");
    let nests =
        "for (int j = 0; j < N; j++) for (int k = j + 1; k < N; k++) C[i][j] += A[k][j] * B[i][k];
        for (int j = 0; j < N; j++) for (int k = 0; k < j; k++) C[i][j] += A[j][k] * B[i][k];";
    for body in [right.as_str(), nests] {
        let text = format!(
            "void f(int M, int N, double A[N][N], double B[M][N], double C[M][N], double D[M][N]) {{
                for (int i = 0; i < M; i++) {{ {body} }}
            }}"
        );
        let found = analysis(&source(&text), "mirror", LOADS);
        let term: Expr = "2*M*N^2/sqrt(S)".parse().unwrap();
        let leading = |bound: &LowerBound| bound.loads().leading(&Regime::large_sizes()).unwrap();
        assert_eq!(
            found.bounds.first().map(leading),
            Some(term),
            "{body} {:?}",
            found.tried
        );
    }
}

#[test]
fn others_have_no_mirror_image() {
    for name in ["gemm", "trmm", "syrk", "syr2k", "2mm", "gesummv"] {
        let found = analysis(&kernel(name), "mirror", LOADS);
        assert!(found.bounds.is_empty(), "{name}: {:?}", found.tried);
    }
}

#[test]
fn no_schedule_does_better() {
    // Far targets are few at sizes that can be played; the other form bites there.
    let attacked = attack(
        "symm",
        "mirror",
        LOADS,
        &[
            &[("M", 6), ("N", 5)],
            &[("M", 9), ("N", 4)],
            &[("M", 12), ("N", 3)],
            &[("M", 16), ("N", 2)],
        ],
        &[6, 7, 8, 10, 12, 16, 24, 32],
    );
    assert!(attacked >= 10, "{attacked}");
}

#[test]
fn near_targets_are_taken_off() {
    // K ≥ 65 words, so targets within ⌊√(8·65)⌋ = 22 of the diagonal are near: with M = 20 all of them.
    let found = analysis(&kernel("symm"), "mirror", LOADS);
    let sizes = [("M", 20), ("N", 500), ("S", 64)];
    let ordered = &found.bounds[0];
    assert_eq!(ordered.at(&sizes.into_iter().collect()).unwrap(), 0.into());
    assert!(value(&found, &sizes) > 0);
}

#[test]
fn changed_certificates_are_refused() {
    let certificate = analysis(&kernel("symm"), "mirror", LOADS).certificate;
    refused(&certificate, "\"formula\":\"", "\"formula\":\"1 + ");
    refused(&certificate, "\"lengths\":[\"2*S\"]", "\"lengths\":[\"S\"]");
    // Labels (o, c), (t, c), (o, t).
    refused(
        &certificate,
        "\"projection\":[[1,0,0],[0,0,1]]",
        "\"projection\":[[1,0,0],[0,1,0]]",
    );
    // The shared operand in one orientation only: no mirror image.
    refused(
        &certificate,
        "\"projection\":[[0,1,0],[1,0,0]]",
        "\"projection\":[[1,0,0],[0,1,0]]",
    );
    // The first sheet's formula is that of the ordered form.
    refused(&certificate, "\"ordered\":true", "\"ordered\":false");
    // A sheet without its first chains is not the group's targets.
    refused(
        &certificate,
        "{\"targets\":[\"[M, N] -> { ",
        "{\"targets\":[\"[M, N] -> { : 1 = 0; ",
    );
}
