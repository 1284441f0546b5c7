//! Two spellings of one computation have one graph.

use redblue_math::Matrix;
use redblue_math::rational::int;
use redblue_poly::Set;

use crate::graph::{Graph, Source};
use crate::trial::source;

fn graph(declared: &str, loops: &str) -> Graph {
    let text = format!("void f({declared}) {{\n#pragma scop\n{loops}\n#pragma endscop\n}}");
    Graph::of(&source(&text)).unwrap()
}

/// What is read from where, whatever the order of operands.
fn arrows(graph: &Graph) -> Vec<(usize, Source, Vec<Matrix>)> {
    let arrows = graph.arrows.iter().map(|arrow| {
        let steps = arrow.pieces.iter().map(|piece| piece.step.clone());
        (arrow.reader, arrow.source, steps.collect())
    });
    let mut arrows: Vec<_> = arrows.collect();
    arrows.sort();
    arrows
}

#[track_caller]
fn check(declared: &str, plain: &str, spellings: &[&str]) {
    let plain = graph(declared, plain);
    for spelling in spellings {
        let other = graph(declared, spelling);
        let sets = |graph: &Graph| -> Vec<Set> {
            let nodes = graph.nodes.iter().map(|node| node.domain.clone());
            let cells = graph.inputs.iter().map(|input| &input.cells);
            let cells = cells.map(|cells| cells.set_tuple_name("cells").unwrap());
            nodes.chain(cells).collect()
        };
        let (one, two) = (sets(&plain), sets(&other));
        assert_eq!(one.len(), two.len(), "{spelling}");
        for (one, two) in one.iter().zip(&two) {
            let two = Set::parse(one.context(), &two.to_string()).unwrap();
            assert!(one.is_equal(&two).unwrap(), "{spelling}: {one} and {two}");
        }
        assert_eq!(arrows(&plain), arrows(&other), "{spelling}");
    }
}

#[test]
fn loops_in_any_order_and_direction() {
    check(
        "int N, int M, int L, double A[N][L], double B[L][M], double C[N][M]",
        "for (int i = 0; i < N; i++) for (int j = 0; j < M; j++) for (int k = 0; k < L; k++)
           C[i][j] += A[i][k] * B[k][j];",
        &[
            "for (int k = 0; k < L; k++) for (int j = 3; j < M + 3; j++) for (int i = 0; i < N; i++)
               C[N - 1 - i][j - 3] += B[k][j - 3] * A[N - 1 - i][k];",
            "for (int k = 1 - L; k <= 0; k++) for (int i = N; i < 2 * N; i++) for (int j = 0; j < M; j++)
               C[i - N][M - 1 - j] += A[i - N][L - 1 + k] * B[L - 1 + k][M - 1 - j];",
        ],
    );
}

#[test]
fn arrays_stored_in_any_way() {
    check(
        "int N, double L[N][N], double b[N], double x[N]",
        "for (int i = 0; i < N; i++) {
           x[i] = 2.0 * b[i];
           for (int j = 0; j < i; j++) x[i] -= L[i][j] * x[j];
         }",
        &[
            "for (int i = 0; i < N; i++) {
               x[i] = 2.0 * b[i];
               for (int j = 0; j < i; j++) x[i] -= L[j][i] * x[j];
             }",
            "for (int i = 0; i < N; i++) {
               x[N - 1 - i] = 2.0 * b[i];
               for (int j = 0; j < i; j++) x[N - 1 - i] -= x[N - 1 - j] * L[N - 1 - i][j];
             }",
        ],
    );
}

#[test]
fn steps_between_two_arrays() {
    check(
        "int T, int N, double A[N], double B[N]",
        "for (int t = 0; t < T; t++) {
           for (int i = 1; i < N; i++) B[i] = A[i - 1] + 3.0 * A[i];
           for (int i = 1; i < N; i++) A[i] = B[i - 1] * B[i];
         }",
        &["for (int t = 5; t < T + 5; t++) {
             for (int i = 1; i < N; i++) B[i] = 3.0 * A[i] + A[i - 1];
             for (int i = 0; i < N - 1; i++) A[N - 1 - i] = B[N - 2 - i] * B[N - 1 - i];
           }"],
    );
}

/// What the frame of a vertex is for: columns of one matrix have one number, wherever they are read.
#[test]
fn what_is_read_as_one_another_has_one_number() {
    let graph = graph(
        "int N, double A[N][N]",
        "for (int k = 0; k < N; k++) for (int j = 0; j < N - 1 - k; j++) for (int i = 0; i < N; i++)
           A[i][N - 1 - j] -= A[i][k] * A[i][N - 1 - j];",
    );
    let dims = graph.nodes[0].domain.n_dim();
    let columns = dims + 1 + graph.params.len();
    for (.., steps) in arrows(&graph) {
        for step in steps {
            for row in &step.rows()[..step.rows().len() + dims - columns] {
                // Nothing is turned round, and nothing is a size away.
                let plain = row[..dims].iter().all(|entry| *entry >= int(0));
                let near = row[dims + 1..].iter().all(|entry| *entry == int(0));
                assert!(plain && near, "{row:?}");
            }
        }
    }
}
