//! The canonical form of every catalogue kernel, and of random programs, computes the same as the program.

#![allow(clippy::unwrap_used)]

mod support;

use proptest::prelude::*;
use redblue_program::build::{Assignment, ProgramBuilder};
use redblue_program::canonical::{Canonical, Origin};
use redblue_program::catalogue::catalogue;
use redblue_program::dataflow::oracle::LastWriters;
use redblue_program::reading::ReadOptions;
use redblue_program::{Dataflow, ElementType, Expression, Program, Role, Sizes};
use support::check;

fn canonical(program: &Program) -> Canonical {
    Canonical::of(program, &Dataflow::of(program).unwrap()).unwrap()
}

#[test]
fn the_canonical_form_of_every_kernel_computes_it() {
    let mut checked = 0;
    for entry in catalogue() {
        let program = entry.read(&ReadOptions::default()).program.unwrap();
        let volume = |sizes: &&Sizes| sizes.values().product::<i64>();
        if let Some(sizes) = entry.small.iter().min_by_key(volume) {
            println!("{} at {sizes:?}", entry.name);
            let canonical = canonical(&program);
            assert!(canonical.live_is_exact(), "{canonical}");
            check(&program, &canonical, sizes);
            checked += 1;
        }
    }
    assert!(checked >= 30, "only {checked} kernels have small sizes");
}

/// The comparison must notice a sum that starts from one instead of zero.
#[test]
#[should_panic(expected = "instead of")]
fn a_wrong_constant_is_noticed() {
    let entry = redblue_program::catalogue::find("matvec").unwrap();
    let program = entry.read(&ReadOptions::default()).program.unwrap();
    let mut wrong = canonical(&program);
    for source in wrong
        .operations
        .iter_mut()
        .flat_map(|o| &mut o.operands)
        .flat_map(|o| &mut o.sources)
    {
        if let Origin::Constant(value) = &mut source.origin {
            *value = Expression::Integer(1);
        }
    }
    check(&program, &wrong, &entry.small[0]);
}

/// One random statement: how deep, when, and what it accesses; numbers pick from the lists below.
#[derive(Clone, Debug)]
struct Random {
    deep: bool,
    triangular: bool,
    phase: usize,
    downwards: bool,
    write: usize,
    reads: Vec<usize>,
    value: usize,
}

/// Cells with subscripts that collide in many ways; extents are generous.
const SHALLOW: [&str; 9] = [
    "A[i]",
    "A[i + 1]",
    "A[2]",
    "A[N - 1 - i]",
    "B[i]",
    "B[2 i]",
    "t[i]",
    "t[i + 1]",
    "s",
];
const DEEP: [&str; 9] = [
    "A[i]",
    "A[j]",
    "A[i + j]",
    "C[i, j]",
    "C[i + 1, j]",
    "C[j, i]",
    "B[2 i + j]",
    "t[j]",
    "s",
];

fn statement() -> impl Strategy<Value = Random> {
    let reads = proptest::collection::vec(0..9usize, 0..4);
    let shape = (any::<bool>(), any::<bool>(), 0..3usize, any::<bool>());
    (shape, 0..9usize, reads, 0..4usize).prop_map(
        |((deep, triangular, phase, downwards), write, reads, value)| Random {
            deep,
            triangular,
            phase,
            downwards,
            write,
            reads,
            value,
        },
    )
}

/// Statements of one phase share their outer loop; within an iteration they run in textual order.
fn random_program(statements: &[Random]) -> Program {
    let mut builder = ProgramBuilder::new("random", &["N"]);
    for (name, dims, role) in [
        ("A", 1, Role::Parameter),
        ("B", 1, Role::Parameter),
        ("C", 2, Role::Parameter),
    ] {
        builder.array(name, &["3 N + 4"; 2][..dims], ElementType::F64, role);
    }
    builder.array("t", &["3 N + 4"], ElementType::F64, Role::Local);
    builder.array("s", &[], ElementType::F64, Role::Local);
    for (position, random) in statements.iter().enumerate() {
        let cells = if random.deep { DEEP } else { SHALLOW };
        let (iterators, condition) = match (random.deep, random.triangular) {
            (false, _) => ("i", "0 <= i < N"),
            (true, false) => ("i, j", "0 <= i < N and 0 <= j < N"),
            (true, true) => ("i, j", "0 <= j <= i < N"),
        };
        // All statements of a phase run in one direction, given by the phase.
        let outer = if random.phase == 1 { "-i" } else { "i" };
        let inner = match (random.deep, random.downwards) {
            (false, _) => "0",
            (true, false) => "j",
            (true, true) => "-j",
        };
        let time = format!("{}, {outer}, {position}, {inner}", random.phase);
        let reads: Vec<&str> = random.reads.iter().map(|&read| cells[read]).collect();
        let sum = (0..reads.len()).map(Expression::Read).reduce(|a, b| a + b);
        let value = match (sum, random.value) {
            (None, 0) => Expression::Iterator(0) + Expression::Parameter("N".into()),
            (None, _) => Expression::Real("0.5".into()),
            (Some(sum), 0) => Expression::Real("0.5".into()) * sum,
            (Some(sum), 1) => sum - Expression::Iterator(0),
            (Some(sum), _) => sum,
        };
        builder.statement(Assignment {
            name: &format!("S{position}"),
            iterators,
            condition,
            time: &time,
            write: cells[random.write],
            reads: &reads,
            value,
        });
    }
    builder.build().unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn random_programs(statements in proptest::collection::vec(statement(), 1..5), n in 1..5i64) {
        let program = random_program(&statements);
        program.validate().unwrap();
        let sizes: Sizes = [("N".to_string(), n)].into();
        let flow = Dataflow::of(&program).unwrap();
        let executed = LastWriters::by_execution(&program, &sizes).unwrap();
        let symbolic = LastWriters::by_dataflow(&program, &flow, &sizes).unwrap();
        prop_assert_eq!(executed.difference(&symbolic), None);
        check(&program, &Canonical::of(&program, &flow).unwrap(), &sizes);
    }
}

/// Live instances that depend on parity: isl merged their disjuncts into too large a set.
#[test]
fn liveness_by_parity() {
    let last = Random {
        deep: false,
        triangular: false,
        phase: 2,
        downwards: false,
        write: 5,
        reads: vec![4],
        value: 0,
    };
    let first = Random {
        deep: true,
        phase: 1,
        write: 6,
        reads: vec![6],
        ..last.clone()
    };
    let program = random_program(&[last, first]);
    let canonical = canonical(&program);
    for n in 1..6 {
        check(&program, &canonical, &[("N".to_string(), n)].into());
    }
}
