//! The dataflow of small programs with every kind of flow equals the last writers of their execution.

#![allow(clippy::unwrap_used)]

use redblue_program::build::{Assignment, ProgramBuilder};
use redblue_program::dataflow::oracle::LastWriters;
use redblue_program::dataflow::{Dataflow, Operator};
use redblue_program::{ElementType, Expression, Program, Role, Sizes, StatementId};

fn read(position: usize) -> Expression {
    Expression::Read(position)
}

fn zero() -> Expression {
    Expression::Real("0.0".to_string())
}

/// A program over double arrays: `*name` marks a local array.
fn program(
    name: &str,
    params: &[&str],
    arrays: &[(&str, &[&str])],
    statements: Vec<Assignment<'_>>,
) -> Program {
    let mut builder = ProgramBuilder::new(name, params);
    for (array, extents) in arrays {
        let (array, role) = match array.strip_prefix('*') {
            Some(local) => (local, Role::Local),
            None => (*array, Role::Parameter),
        };
        builder.array(array, extents, ElementType::F64, role);
    }
    for statement in statements {
        builder.statement(statement);
    }
    let program = builder.build().unwrap();
    program.validate().unwrap();
    program
}

fn matmul() -> Program {
    program(
        "matmul",
        &["M", "N", "K"],
        &[("A", &["M", "K"]), ("B", &["K", "N"]), ("C", &["M", "N"])],
        vec![
            Assignment {
                name: "S0",
                iterators: "i, j",
                condition: "0 <= i < M and 0 <= j < N",
                time: "i, j, 0",
                write: "C[i, j]",
                reads: &[],
                value: zero(),
            },
            Assignment {
                name: "S1",
                iterators: "i, j, k",
                condition: "0 <= i < M and 0 <= j < N and 0 <= k < K",
                time: "i, j, 1, k",
                write: "C[i, j]",
                reads: &["C[i, j]", "A[i, k]", "B[k, j]"],
                value: read(0) + read(1) * read(2),
            },
        ],
    )
}

/// In place: a cell read in this sweep was written in this sweep or the one before.
fn seidel() -> Program {
    program(
        "seidel",
        &["T", "N"],
        &[("A", &["N"])],
        vec![Assignment {
            name: "S0",
            iterators: "t, i",
            condition: "0 <= t < T and 1 <= i < N - 1",
            time: "t, i",
            write: "A[i]",
            reads: &["A[i - 1]", "A[i]", "A[i + 1]"],
            value: read(0) + read(1) + read(2),
        }],
    )
}

/// A triangular solve: the diagonal is divided by, and the sum runs over a prefix.
fn trisolv() -> Program {
    program(
        "trisolv",
        &["N"],
        &[("L", &["N", "N"]), ("b", &["N"]), ("x", &["N"])],
        vec![
            Assignment {
                name: "S0",
                iterators: "i",
                condition: "0 <= i < N",
                time: "i, 0",
                write: "x[i]",
                reads: &["b[i]"],
                value: read(0),
            },
            Assignment {
                name: "S1",
                iterators: "i, j",
                condition: "0 <= j < i < N",
                time: "i, 1, j",
                write: "x[i]",
                reads: &["x[i]", "L[i, j]", "x[j]"],
                value: read(0) - read(1) * read(2),
            },
            Assignment {
                name: "S2",
                iterators: "i",
                condition: "0 <= i < N",
                time: "i, 2",
                write: "x[i]",
                reads: &["x[i]", "L[i, i]"],
                value: read(0) / read(1),
            },
        ],
    )
}

/// A scalar that is overwritten, a local array of which a part is never written, a descending stride.
fn temporaries() -> Program {
    program(
        "temporaries",
        &["N"],
        &[
            ("A", &["2 * N"]),
            ("*t", &["2 * N"]),
            ("*s", &[]),
            ("y", &[]),
        ],
        vec![
            Assignment {
                name: "S0",
                iterators: "i",
                condition: "0 <= i < 2 N and i mod 2 = 0",
                time: "0, -i, 0",
                write: "t[i]",
                reads: &["A[i]"],
                value: read(0),
            },
            Assignment {
                name: "S1",
                iterators: "i",
                condition: "0 <= i < 2 N and i mod 2 = 0",
                time: "0, -i, 1",
                write: "s",
                reads: &["t[i]"],
                value: read(0),
            },
            Assignment {
                name: "S2",
                iterators: "i",
                condition: "0 <= i < 2 N",
                time: "1, i, 0",
                write: "y",
                reads: &["y", "t[i]", "s"],
                value: read(0) + read(1) * read(2),
            },
        ],
    )
}

/// Tiled by four with a ragged edge, so that the relations need floors.
fn tiled_copy() -> Program {
    program(
        "tiled-copy",
        &["N"],
        &[("A", &["N"]), ("B", &["N"])],
        vec![
            Assignment {
                name: "S0",
                iterators: "ii, i",
                condition: "0 <= ii < N and ii mod 4 = 0 and ii <= i < N and i < ii + 4",
                time: "0, ii, i",
                write: "B[i]",
                reads: &["A[i]"],
                value: read(0),
            },
            Assignment {
                name: "S1",
                iterators: "i",
                condition: "1 <= i < N",
                time: "1, i",
                write: "B[i]",
                reads: &["B[i - 1]", "B[floor(i/2)]"],
                value: read(0) + read(1),
            },
        ],
    )
}

/// The flow at every combination of sizes equals execution, and the oracle is not vacuous.
#[track_caller]
fn check(program: &Program, sizes: &[&[i64]]) {
    let dataflow = Dataflow::of(program).unwrap();
    for values in sizes {
        let names = program.params.iter().map(|param| param.name.clone());
        let at: Sizes = names.zip(values.iter().copied()).collect();
        let executed = LastWriters::by_execution(program, &at).unwrap();
        let symbolic = LastWriters::by_dataflow(program, &dataflow, &at).unwrap();
        assert_eq!(
            executed.difference(&symbolic),
            None,
            "{} at {at:?}",
            program.name
        );
        assert_eq!(executed, symbolic);
        assert!(!executed.reads.is_empty() && !executed.finals.is_empty());
    }
}

#[test]
fn flow_equals_the_last_writers_of_execution() {
    check(&matmul(), &[&[3, 4, 5], &[2, 2, 1], &[1, 1, 1]]);
    check(&seidel(), &[&[1, 3], &[4, 6], &[3, 9]]);
    check(&trisolv(), &[&[1], &[2], &[6]]);
    check(&temporaries(), &[&[1], &[2], &[5]]);
    check(&tiled_copy(), &[&[1], &[4], &[9], &[11]]);
}

/// The oracle must notice a program whose flow is another one.
#[test]
fn the_oracle_rejects_the_flow_of_another_program() {
    let program = seidel();
    let mut jacobi = program.clone();
    jacobi.statements[0].schedule = jacobi.statements[0].reads[0]
        .map
        .domain()
        .and_then(|domain| domain.identity())
        .and_then(|map| map.drop_out_tuple())
        .unwrap();
    // Same order, so the same flow…
    let sizes: Sizes = [("T".to_string(), 3), ("N".to_string(), 6)].into();
    let flow =
        |p: &Program| LastWriters::by_dataflow(p, &Dataflow::of(p).unwrap(), &sizes).unwrap();
    assert_eq!(flow(&program), flow(&jacobi));
    // …but a shifted operand is another program.
    jacobi.statements[0].reads[0].map = jacobi.statements[0].reads[1].map.clone();
    let executed = LastWriters::by_execution(&program, &sizes).unwrap();
    assert!(executed.difference(&flow(&jacobi)).is_some());
}

#[test]
fn sizes_outside_the_assumptions_and_missing_sizes_are_errors() {
    let program = matmul();
    assert!(LastWriters::by_execution(&program, &Sizes::new()).is_err());
}

#[test]
fn reductions_are_recorded() {
    let flow = Dataflow::of(&matmul()).unwrap();
    assert!(flow.reduction(StatementId(0)).is_none());
    let sum = flow.reduction(StatementId(1)).unwrap();
    assert_eq!(
        (sum.operator, &sum.operands[..], &sum.dims[..]),
        (Operator::Add, &[0][..], &[2][..])
    );
    assert!(sum.independent && sum.private);

    // The sum of a triangular solve uses values of the *other* statement, so it is independent too.
    let flow = Dataflow::of(&trisolv()).unwrap();
    let sum = flow.reduction(StatementId(1)).unwrap();
    assert_eq!((sum.operator, &sum.dims[..]), (Operator::Add, &[1][..]));
    assert!(sum.independent && sum.private);
    assert!(flow.reduction(StatementId(2)).is_none());

    // Syntactically a sum, but the terms are the statement's own values.
    let flow = Dataflow::of(&seidel()).unwrap();
    let sum = flow.reduction(StatementId(0)).unwrap();
    assert!(!sum.independent && !sum.private);
}

#[test]
fn reads_of_unwritten_locals_are_not_inputs() {
    let program = temporaries();
    let flow = Dataflow::of(&program).unwrap();
    let names = |cells: Vec<(redblue_program::ArrayId, _)>| -> Vec<String> {
        cells
            .iter()
            .map(|(id, _): &(_, redblue_poly::Set)| program.array(*id).name.clone())
            .collect()
    };
    assert_eq!(names(flow.inputs().unwrap()), ["A", "y"]);
    assert_eq!(names(flow.undefined().unwrap()), ["t"]);
}
