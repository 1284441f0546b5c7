//! Symmetric accesses on the catalogue: what is claimed, attacked and refused.

use crate::trial::{LOADS, analysis, attack, kernel, leading, refused, value};

#[test]
fn constants_of_the_symmetric_kernels() {
    let expected = [
        ("syrk", "sqrt(2)*M*N^2/(2*sqrt(S))"),
        ("syr2k", "sqrt(2)*M*N^2/sqrt(S)"),
        ("cholesky", "sqrt(2)*N^3/(6*sqrt(S))"),
        ("correlation", "sqrt(2)*M^2*N/(2*sqrt(S))"),
        ("covariance", "sqrt(2)*M^2*N/(2*sqrt(S))"),
    ];
    for (name, term) in expected {
        let term: redblue_math::Expr = term.parse().unwrap();
        assert_eq!(
            leading(name, "symmetry", LOADS),
            [term.to_string()],
            "{name}"
        );
    }
}

#[test]
fn others_have_no_symmetry() {
    for name in ["gemm", "trmm", "lu", "jacobi-2d", "floyd-warshall", "nbody"] {
        let found = analysis(&kernel(name), "symmetry", LOADS);
        assert!(
            found.bounds.is_empty(),
            "{name}: {:?}",
            found.certificate.claims[0].formula
        );
    }
}

#[test]
fn chain_and_rows_of_cholesky_are_not_counted_twice() {
    // 20·21/2 words suffice when everything fits; without |Z| the formula says 260.
    let found = analysis(&kernel("cholesky"), "symmetry", LOADS);
    assert!(value(&found, &[("N", 20), ("S", 215)]) <= 210);
}

#[test]
fn no_schedule_does_better() {
    let memories = [4, 5, 6, 8, 10, 12, 16, 24];
    let attacked = [
        attack(
            "syrk",
            "symmetry",
            LOADS,
            &[&[("N", 6), ("M", 5)], &[("N", 9), ("M", 9)]],
            &memories,
        ),
        attack(
            "syr2k",
            "symmetry",
            LOADS,
            &[&[("N", 6), ("M", 6)]],
            &memories,
        ),
        attack(
            "cholesky",
            "symmetry",
            LOADS,
            &[&[("N", 10)], &[("N", 14)]],
            &memories,
        ),
        attack(
            "correlation",
            "symmetry",
            LOADS,
            &[&[("N", 8), ("M", 6)]],
            &memories,
        ),
    ];
    assert!(attacked.iter().sum::<usize>() >= 20, "{attacked:?}");
}

#[test]
fn changed_certificates_are_refused() {
    let certificate = analysis(&kernel("syrk"), "symmetry", LOADS).certificate;
    refused(&certificate, "\"chain\":0", "\"chain\":1");
    refused(
        &certificate,
        "\"projection\":[[1,0,0],[0,1,0]]",
        "\"projection\":[[1,0,0],[0,0,1]]",
    );
    refused(&certificate, "\"formula\":\"", "\"formula\":\"1 + ");
    refused(&certificate, "\"lengths\":[\"2*S\"]", "\"lengths\":[\"S\"]");
    let syr2k = analysis(&kernel("syr2k"), "symmetry", LOADS).certificate;
    refused(&syr2k, "\"pairs\":[[1,2],[3,4]]", "\"pairs\":[[1,2],[1,2]]");
}
