//! One computation in many spellings has one canonical form; different computations have different ones.

#![allow(clippy::unwrap_used)]

use redblue_program::build::{Assignment, ProgramBuilder};
use redblue_program::canonical::{Canonical, Origin, ParamMatch, equivalent};
use redblue_program::dataflow::Operator;
use redblue_program::{Dataflow, ElementType, Expression, Program, Role};

fn read(position: usize) -> Expression {
    Expression::Read(position)
}

fn zero() -> Expression {
    Expression::Integer(0)
}

fn fma() -> Expression {
    read(0) + read(1) * read(2)
}

/// `A[i,k] * B[k,j]` over `M × N × K`, ready for statements; `locals` are declared inside.
fn product(name: &str, locals: &[(&str, &[&str])]) -> ProgramBuilder {
    let mut builder = ProgramBuilder::new(name, &["M", "N", "K"]);
    let double = ElementType::F64;
    builder.array("A", &["M", "K"], double, Role::Parameter);
    builder.array("B", &["K", "N"], double, Role::Parameter);
    builder.array("C", &["M", "N"], double, Role::Parameter);
    for (local, extents) in locals {
        builder.array(local, extents, double, Role::Local);
    }
    builder
}

const PLANE: &str = "0 <= i < M and 0 <= j < N";
const SPACE: &str = "0 <= i < M and 0 <= j < N and 0 <= k < K";

fn init() -> Assignment<'static> {
    Assignment {
        name: "S0",
        iterators: "i, j",
        condition: PLANE,
        time: "0, i, j",
        write: "C[i, j]",
        reads: &[],
        value: zero(),
    }
}

fn update<'a>(iterators: &'a str, time: &'a str) -> Assignment<'a> {
    Assignment {
        name: "S1",
        iterators,
        condition: SPACE,
        time,
        write: "C[i, j]",
        reads: &["C[i, j]", "A[i, k]", "B[k, j]"],
        value: fma(),
    }
}

fn plain() -> Program {
    let mut builder = product("ijk", &[]);
    builder
        .statement(init())
        .statement(update("i, j, k", "1, i, j, k"));
    builder.build().unwrap()
}

fn in_order(order: &str) -> Program {
    let mut builder = product(order, &[]);
    builder
        .statement(init())
        .statement(update(order, &format!("1, {order}")));
    builder.build().unwrap()
}

/// Tiles of `size` with ragged edges, tile loops outside.
fn tiled(size: usize) -> Program {
    let mut builder = product("tiled", &[]);
    let tile = |outer: &str, inner: &str| {
        format!("{outer} mod {size} = 0 and {outer} <= {inner} < {outer} + {size}")
    };
    let tiles = [tile("ii", "i"), tile("jj", "j"), tile("kk", "k")].join(" and ");
    let condition = format!("{SPACE} and {tiles}");
    let iterators = "ii, jj, kk, i, j, k";
    let time = format!("1, {iterators}");
    builder.statement(init()).statement(Assignment {
        condition: &condition,
        ..update(iterators, &time)
    });
    builder.build().unwrap()
}

/// Tiles of `size` with ragged edges; loops within a tile start at zero.
fn counted_within_tiles(size: usize) -> Program {
    let mut builder = product("within", &[]);
    let point = |tile: &str, within: &str| format!("{size}{tile} + {within}");
    let [i, j, k] = [point("ii", "i"), point("jj", "j"), point("kk", "k")];
    let inside = |within: &str| format!("0 <= {within} < {size}");
    let tiles = [inside("i"), inside("j"), inside("k")].join(" and ");
    let condition = format!("0 <= {i} < M and 0 <= {j} < N and 0 <= {k} < K and {tiles}");
    let iterators = "ii, jj, kk, i, j, k";
    let time = format!("1, {iterators}");
    let [c, a, b] =
        [(&i, &j), (&i, &k), (&k, &j)].map(|(row, column)| format!("[{row}, {column}]"));
    let (c, a, b) = (format!("C{c}"), format!("A{a}"), format!("B{b}"));
    builder.statement(init()).statement(Assignment {
        condition: &condition,
        write: &c,
        reads: &[&c, &a, &b],
        ..update(iterators, &time)
    });
    builder.build().unwrap()
}

fn scalar_accumulator() -> Program {
    let mut builder = product("accumulator", &[("s", &[])]);
    builder.statement(Assignment {
        time: "i, j, 0",
        write: "s",
        ..init()
    });
    builder.statement(Assignment {
        time: "i, j, 1, k",
        write: "s",
        reads: &["A[i, k]", "B[k, j]", "s"],
        // Another order of the operands, and `b * a`.
        value: read(1) * read(0) + read(2),
        ..update("i, j, k", "")
    });
    builder.statement(Assignment {
        name: "S2",
        time: "i, j, 2",
        reads: &["s"],
        value: read(0),
        ..init()
    });
    builder.build().unwrap()
}

/// The partial sum is copied out of the array and back around every multiplication.
fn copies_around_every_step() -> Program {
    let mut builder = product("copies", &[("t", &[])]);
    builder.statement(Assignment {
        value: Expression::Real("0.0".into()),
        ..init()
    });
    let copy = |name, time, write, reads| Assignment {
        name,
        time,
        write,
        reads,
        value: read(0),
        ..update("i, j, k", "")
    };
    builder.statement(copy("S1", "1, i, j, k, 0", "t", &["C[i, j]"]));
    builder.statement(Assignment {
        name: "S2",
        write: "t",
        reads: &["t", "A[i, k]", "B[k, j]"],
        ..update("i, j, k", "1, i, j, k, 1")
    });
    builder.statement(copy("S3", "1, i, j, k, 2", "C[i, j]", &["t"]));
    builder.build().unwrap()
}

fn dead_statements() -> Program {
    let mut builder = product("dead", &[("d", &[]), ("e", &["M"])]);
    builder
        .statement(init())
        .statement(update("i, j, k", "1, i, j, k, 0"));
    // A sum nobody reads, a value that is overwritten before anybody reads it.
    builder.statement(Assignment {
        name: "S2",
        write: "d",
        reads: &["d", "A[i, k]"],
        value: read(0) + read(1),
        ..update("i, j, k", "1, i, j, k, 1")
    });
    builder.statement(Assignment {
        name: "S3",
        time: "-1, i, j",
        value: Expression::Integer(7),
        ..init()
    });
    builder.build().unwrap()
}

/// The whole product is computed twice; only the second one counts.
fn computed_twice() -> Program {
    let mut builder = product("twice", &[]);
    let twice = |condition: &str| format!("0 <= t < 2 and {condition}");
    let (plane, space) = (twice(PLANE), twice(SPACE));
    builder.statement(Assignment {
        iterators: "t, i, j",
        condition: &plane,
        time: "t, 0, i, j",
        ..init()
    });
    builder.statement(Assignment {
        condition: &space,
        ..update("t, i, j, k", "t, 1, i, j, k")
    });
    builder.build().unwrap()
}

fn canonical(program: &Program) -> Canonical {
    program.validate().unwrap();
    let dataflow = Dataflow::of(program).unwrap();
    let canonical = Canonical::of(program, &dataflow).unwrap();
    assert!(canonical.live_is_exact(), "{}:\n{canonical}", program.name);
    canonical
}

#[track_caller]
fn assert_equivalent(a: &Canonical, b: &Canonical, what: &str) {
    let same = equivalent(a, b, ParamMatch::ByName).unwrap();
    assert!(same, "{what}:\n{a}\n{b}");
    assert!(
        equivalent(b, a, ParamMatch::ByName).unwrap(),
        "{what} backwards"
    );
}

#[test]
fn one_matrix_product_in_many_spellings() {
    let reference = canonical(&plain());
    for order in [
        "i, j, k", "i, k, j", "j, i, k", "j, k, i", "k, i, j", "k, j, i",
    ] {
        assert_equivalent(&reference, &canonical(&in_order(order)), order);
    }
    for size in [4, 32] {
        assert_equivalent(&reference, &canonical(&tiled(size)), "tiled");
        let within = canonical(&counted_within_tiles(size));
        assert_equivalent(&reference, &within, "counted within tiles");
    }
    for program in [
        scalar_accumulator(),
        copies_around_every_step(),
        dead_statements(),
        computed_twice(),
    ] {
        assert_equivalent(&reference, &canonical(&program), &program.name);
    }
}

#[test]
fn the_canonical_product_says_what_it_is() {
    let canonical = canonical(&plain());
    let expect = "\
sizes [M, N, K] -> {  :  }
in0 [M, N, K] -> { in0[i0, i1] : N > 0 and 0 <= i0 < M and 0 <= i1 < K }
in1 [M, N, K] -> { in1[i0, i1] : M > 0 and 0 <= i0 < K and 0 <= i1 < N }
op0 = $0 + ($1 * $2) (double)
  for [M, N, K] -> { op0[c0, c1, c2] : 0 <= c0 < M and 0 <= c1 < N and 0 <= c2 < K }
  +-chain through $0 along c2, in any order
  $0 from op0: [M, N, K] -> { op0[c0, c1, c2] -> op0[c0' = c0, c1' = c1, c2' = 1 + c2] : 0 <= c0 < M and 0 <= c1 < N and 0 <= c2 <= -2 + K }
  $0 from constant 0: [M, N, K] -> { [] -> op0[c0, c1, c2 = 0] : K > 0 and 0 <= c0 < M and 0 <= c1 < N }
  $1 from in0: [M, N, K] -> { in0[i0, i1] -> op0[c0 = i0, c1, c2 = i1] : 0 <= i0 < M and 0 <= i1 < K and 0 <= c1 < N }
  $2 from in1: [M, N, K] -> { in1[i0, i1] -> op0[c0, c1 = i1, c2 = i0] : 0 <= i0 < K and 0 <= i1 < N and 0 <= c0 < M }
  out0 from op0: [M, N, K] -> { op0[c0, c1, c2 = -1 + K] -> out0[c0, c1] : K > 0 and 0 <= c0 < M and 0 <= c1 < N }
  out0 from constant 0: [M, N, K] -> { [] -> out0[o0, o1] : K <= 0 and 0 <= o0 < M and 0 <= o1 < N }
";
    assert_eq!(canonical.to_string(), expect);
}

/// `change` makes another computation out of the product.
#[track_caller]
fn check_different(change: impl FnOnce(&mut Program)) {
    let mut other = plain();
    change(&mut other);
    let (a, b) = (canonical(&plain()), canonical(&other));
    for params in [ParamMatch::ByName, ParamMatch::Any] {
        assert!(!equivalent(&a, &b, params).unwrap(), "{a}\n{b}");
    }
}

#[test]
fn other_computations_are_other() {
    check_different(|p| p.statements[1].value = read(0) - read(1) * read(2));
    check_different(|p| p.statements[1].value = read(0) + read(1) / read(2));
    check_different(|p| p.statements[0].value = Expression::Integer(1));
    // C = C + A·B reads C.
    check_different(|p| drop(p.statements.remove(0)));
    // The square of A in place of A·B.
    check_different(|p| p.statements[1].reads[2] = p.statements[1].reads[1].clone());
    check_different(|p| p.arrays[2].element = ElementType::F32);
}

#[test]
fn parameters_can_be_matched_by_position_or_freely() {
    let reference = canonical(&plain());
    let renamed = |params: &[&str; 3]| {
        let mut builder = ProgramBuilder::new("renamed", params);
        let [m, n, k] = ["m", "n", "k"];
        for (name, extents) in [("X", [m, k]), ("Y", [k, n]), ("Z", [m, n])] {
            builder.array(name, &extents, ElementType::F64, Role::Parameter);
        }
        let plane = "0 <= i < m and 0 <= j < n";
        let space = "0 <= i < m and 0 <= j < n and 0 <= k_ < k";
        builder.statement(Assignment {
            condition: plane,
            write: "Z[i, j]",
            ..init()
        });
        builder.statement(Assignment {
            condition: space,
            write: "Z[i, j]",
            reads: &["Y[k_, j]", "X[i, k_]", "Z[i, j]"],
            value: read(2) + read(0) * read(1),
            ..update("k_, j, i", "1, j, k_, i")
        });
        canonical(&builder.build().unwrap())
    };
    let (same_order, other_order) = (renamed(&["m", "n", "k"]), renamed(&["k", "m", "n"]));
    let same = |b: &Canonical, params| equivalent(&reference, b, params).unwrap();
    assert!(same(&same_order, ParamMatch::ByPosition));
    assert!(!same(&other_order, ParamMatch::ByPosition));
    assert!(same(&other_order, ParamMatch::Any));
    assert!(!same(&same_order, ParamMatch::ByName));
}

#[test]
fn a_sum_from_zero_is_a_free_chain_that_starts_with_a_constant() {
    let canonical = canonical(&scalar_accumulator());
    let [operation] = canonical.operations.as_slice() else {
        panic!("{canonical}")
    };
    let chain = operation.reduction.as_ref().unwrap();
    assert_eq!((chain.operator, &chain.dims[..]), (Operator::Add, &[2][..]));
    assert!(chain.independent && chain.private);
    let starts: Vec<_> = operation.operands[chain.operand].constants().collect();
    let [(value, relation)] = starts.as_slice() else {
        panic!("{canonical}")
    };
    assert_eq!(value.to_string(), "0");
    assert_eq!(relation.n_in(), 0);
    let first = operation.domain.fix_dim(2, 0).unwrap();
    assert!(relation.range().unwrap().is_equal(&first).unwrap());
    // For K = 0 the product is the constant itself.
    let origins: Vec<_> = canonical.outputs[0]
        .sources
        .iter()
        .map(|s| s.origin.clone())
        .collect();
    assert!(
        origins
            .iter()
            .any(|origin| matches!(origin, Origin::Constant(_))),
        "{canonical}"
    );
}

/// Values that end up in outputs or feed themselves are kept.
#[test]
fn copies_of_inputs_and_copies_along_chains() {
    let mut builder = ProgramBuilder::new("copies", &["N"]);
    for (name, role) in [
        ("A", Role::Parameter),
        ("B", Role::Parameter),
        ("x", Role::Parameter),
    ] {
        builder.array(name, &["N"], ElementType::F64, role);
    }
    let line = "0 <= i < N";
    let copy = |name, condition, time, write, reads| Assignment {
        name,
        iterators: "i",
        condition,
        time,
        write,
        reads,
        value: read(0),
    };
    builder.statement(copy("S0", line, "0, i", "B[i]", &["A[i]"]));
    builder.statement(copy("S1", "1 <= i < N", "1, i", "x[i]", &["x[i - 1]"]));
    let canonical = canonical(&builder.build().unwrap());
    // B is A; the chain of copies stays one operation.
    let origins: Vec<_> = canonical.outputs[0]
        .sources
        .iter()
        .map(|s| s.origin.clone())
        .collect();
    assert!(matches!(origins[..], [Origin::Input(_)]), "{canonical}");
    assert_eq!(canonical.operations.len(), 1, "{canonical}");
}
