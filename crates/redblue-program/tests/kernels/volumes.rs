//! How many operations the decisive statements have, as the theory counts them (H-12 for the orthogonal
//! reductions): a kernel with another loop bound would be another problem.

use std::collections::BTreeMap;

use num_bigint::BigInt;
use redblue_program::catalogue::find;

use crate::program;

/// The statement whose text starts so has `volume(sizes)` instances, for a range of sizes M >= N.
fn check(kernel: &str, statement: &str, volume: impl Fn(i64, i64) -> i64) {
    let program = program(find(kernel).expect("a kernel"));
    let statement = program
        .statements
        .iter()
        .find(|s| s.text.starts_with(statement));
    let count = statement.expect(kernel).domain.count().expect(kernel);
    for (m, n) in [(1, 1), (5, 3), (7, 7), (100, 40), (1200, 1000)] {
        let sizes = program.params.iter().map(|size| match size.name.as_str() {
            "M" => ("M".to_string(), BigInt::from(m)),
            name => (name.to_string(), BigInt::from(n)),
        });
        let counted = count
            .evaluate(&sizes.collect::<BTreeMap<_, _>>())
            .expect(kernel);
        assert_eq!(counted, BigInt::from(volume(m, n)), "{kernel} at {m}, {n}");
    }
}

#[test]
fn volumes_are_those_of_the_theory() {
    let reflectors = |m: i64, n: i64| n * (n - 1) * (3 * m - n - 1) / 6;
    check("mgs", "A[i][j] -= Q[i][k]", |m, n| m * n * (n - 1) / 2);
    check("geqr2", "A[i][j] -= A[i][k]", reflectors);
    check("org2r", "A[i][j] -= A[i][k]", reflectors);
    check("gebd2", "A[i][j] -= A[i][k]", reflectors);
    check("gehd2", "A[i][k] -= A[i][j]", |_, n| {
        n * (n - 1) * (n - 2) / 3
    });
    check("gemm", "C[i][j] +=", |_, n| n.pow(3));
    check("syrk", "C[i][j] +=", |m, n| m * n * (n + 1) / 2);
    check("trmm", "B[i][j] +=", |m, n| n * m * (m - 1) / 2);
    check("cholesky", "A[i][j] -=", |_, n| n * (n - 1) * (n - 2) / 6);
    check(
        "nussinov",
        "table[i][j] = MAX(table[i][j], table[i][k]",
        |_, n| n * (n - 1) * (n - 2) / 6,
    );
    check("attention", "P[i][j] += Q[i][d]", |m, n| n * m * n);
    check("abc-bda-dc", "Out[a][b][c] +=", |_, n| n.pow(4));
}
