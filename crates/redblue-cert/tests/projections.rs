//! The classical bounds of matrix products, and every way to spoil their certificates.

#![allow(clippy::unwrap_used)]

mod common;

use common::*;
use redblue_cert::certificate::*;
use redblue_cert::{Cause, Model, Sums, check};
use redblue_math::{Assignment, Expr};
use redblue_program::build::{Assignment as Statement, ProgramBuilder};
use redblue_program::{ElementType, Expression, Program, Role};

fn sizes(m: i64, n: i64, k: i64, fast: i64) -> Assignment {
    let sizes = Assignment::new().with("M", m).with("N", n).with("K", k);
    sizes.with("S", fast)
}

#[test]
fn accumulating_products_hold_with_recomputation() {
    let bounds = checked(&matmul_certificate(false)).unwrap();
    let strongest = Model {
        recompute: true,
        ..LOADS
    };
    assert_eq!(bounds[0].model(), strongest);
    // T-2: exact optima of the 2x2x2 product with C as an input; from S = 7 on the bound meets it.
    for (fast, optimum) in [(4, 17), (5, 14), (6, 13), (7, 12), (8, 12), (10, 12)] {
        let value = bounds[0].at(&sizes(2, 2, 2, fast)).unwrap();
        assert!(value <= optimum.into(), "{value} at S = {fast}");
        if fast >= 7 {
            assert_eq!(value, optimum.into(), "S = {fast}");
        }
    }
    // where one phase suffices nothing is claimed.
    assert!(bounds[0].at(&sizes(1, 1, 1, 100)).unwrap() <= 3.into());
}

#[test]
fn products_from_zero_pay_for_creations() {
    let bounds = checked(&matmul_certificate(true)).unwrap();
    assert_eq!(bounds[0].model(), LOADS);
    let formula: Expr = "2*M*N*K/sqrt(S) - S - M*N".parse().unwrap();
    assert_eq!(*bounds[0].loads(), formula);
    for (fast, optimum) in [(4, 12), (5, 10), (6, 9), (7, 8), (8, 8)] {
        let value = bounds[0].at(&sizes(2, 2, 2, fast)).unwrap();
        assert!(value <= optimum.into(), "{value} at S = {fast}");
    }
    // C-4: legal schedules below the published 2mnk/√S + mn.
    assert!(bounds[0].at(&sizes(10, 10, 1, 4)).unwrap() <= 60.into());
    assert!(bounds[0].at(&sizes(1000, 1000, 10, 112)).unwrap() <= 1_010_000.into());
}

#[test]
fn compulsory_traffic_counts_inputs_and_results() {
    for (from_zero, loads) in [(true, "M*K + K*N"), (false, "M*K + K*N + M*N")] {
        let mut certificate = certificate(&matmul(from_zero));
        certificate
            .claims
            .push(claim(LOADS, "0", Proof::Compulsory));
        let bounds = checked(&certificate).unwrap();
        let value = bounds[0].at(&sizes(3, 5, 7, 10)).unwrap();
        let expected: Expr = loads.parse().unwrap();
        assert_eq!(value, expected.eval_floor(&sizes(3, 5, 7, 10)).unwrap());
        // An empty product needs nothing: K·N words of B are no input if M = 0.
        assert_eq!(bounds[0].at(&sizes(0, 5, 7, 10)).unwrap(), 0.into());
        assert_eq!(
            bounds[0].conditions(),
            Vec::<String>::new(),
            "{}",
            bounds[0].loads()
        );
    }
}

#[test]
fn changed_claims_are_refused() {
    let good = matmul_certificate(true);
    checked(&good).unwrap();
    refuses(&good, Cause::Formula, |c| c.claims[0].formula += " + 1");
    refuses(&good, Cause::Formula, |c| {
        c.claims[0].formula = "2*M*N*K/sqrt(S) - S".into()
    });
    refuses(&good, Cause::Formula, |c| {
        phases(c).lengths = texts(&["3*S"])
    });
    refuses(&good, Cause::Formula, |c| {
        phases(c).lengths = texts(&["S/2"])
    });
    refuses(&good, Cause::Formula, |c| phases(c).lengths.clear());
    refuses(&good, Cause::Format, |c| c.claims[0].formula.clear());
    refuses(&good, Cause::Program, |c| c.claims[0].formula = "Q".into());
    refuses(&good, Cause::Format, |c| c.schema_version = 2);
    for free in [true, false] {
        // U-4, U-5: the chain has an order, and creations are counted once.
        refuses(&good, Cause::Model, |c| {
            c.claims[0].model = Model {
                recompute: !free,
                sums: if free { Sums::Free } else { Sums::Fixed },
                ..LOADS
            }
        });
    }
}

#[test]
fn changed_capacities_are_refused() {
    let good = matmul_certificate(true);
    let exponents = |c: &mut Certificate, list: &[&str]| {
        phases(c).groups[0].capacity = Capacity::BrascampLieb {
            exponents: texts(list),
            extents: Vec::new(),
        }
    };
    refuses(&good, Cause::Capacity, |c| {
        exponents(c, &["1/2", "1/2", "1/3"])
    });
    refuses(&good, Cause::Capacity, |c| exponents(c, &["1", "1"]));
    refuses(&good, Cause::Capacity, |c| exponents(c, &["2", "0", "0"]));
    refuses(&good, Cause::Formula, |c| {
        exponents(c, &["1", "1/2", "1/2"])
    });
    refuses(&good, Cause::Format, |c| exponents(c, &["1/2", "1/2", "N"]));
    refuses(&good, Cause::Sharing, |c| {
        phases(c).groups[0].families[0].weight = "2".into()
    });
    refuses(&good, Cause::Capacity, |c| {
        phases(c).groups[0].families[0].weight = "-1".into()
    });
    refuses(&good, Cause::Formula, |c| {
        phases(c).groups[0].families[0].weight = "1/2".into()
    });
    refuses(&good, Cause::Sharing, |c| {
        let twin = phases(c).groups[0].clone();
        phases(c).groups.push(twin);
    });
    let row = |row: [i64; 3], upper: &str| Extent {
        row: row.into(),
        lower: "0".into(),
        upper: upper.into(),
        exponent: "1".into(),
    };
    for (extent, cause) in [
        (row([0, 0, 1], "K - 2"), Cause::Capacity),
        (row([0, 0, 1], "K*K"), Cause::Format),
    ] {
        refuses(&good, cause, |c| {
            phases(c).groups[0].capacity = Capacity::BrascampLieb {
                exponents: texts(&["1/2", "1/2", "1/2"]),
                extents: vec![extent],
            }
        });
    }
}

#[test]
fn changed_paths_are_refused() {
    let good = matmul_certificate(true);
    let family = |c: &mut Certificate, at: usize, change: fn(&mut Family)| {
        change(&mut phases(c).groups[0].families[at])
    };
    refuses(&good, Cause::Path, |c| {
        family(c, 0, |f| f.projection[1] = vec![0, 1, 0])
    });
    refuses(&good, Cause::Path, |c| {
        family(c, 0, |f| f.edges[0] = Edge(vec![3]))
    });
    refuses(&good, Cause::Dependence, |c| {
        family(c, 0, |f| f.edges[0] = Edge(vec![99]))
    });
    refuses(&good, Cause::Dependence, |c| {
        family(c, 0, |f| f.edges[0] = Edge(vec![0, 1]))
    });
    refuses(&good, Cause::Path, |c| family(c, 0, |f| f.inputs.clear()));
    refuses(&good, Cause::Path, |c| {
        family(c, 0, |f| f.inputs.push("{ A[i, k] -> [k, i] }".into()))
    });
    refuses(&good, Cause::Program, |c| {
        family(c, 0, |f| f.inputs[0] = "{ D[i, k] -> [i, k] }".into())
    });
    refuses(&good, Cause::Path, |c| {
        family(c, 2, |f| f.terminals.clear())
    });
    refuses(&good, Cause::Path, |c| family(c, 2, |f| f.members.clear()));
    refuses(&good, Cause::Program, |c| {
        family(c, 2, |f| f.terminals[0] = "{ S0[i, j] }".into())
    });
    refuses(&good, Cause::Formula, |c| {
        family(c, 2, |f| {
            f.terminals.push(f.members[0].replace(" -> [i, j]", ""))
        })
    });
    let targets = |c: &mut Certificate, text: &str| {
        phases(c).groups[0].targets = vec![format!("[M, N, K] -> {{ {text} }}")]
    };
    let inside = "0 <= i < M and 0 <= j < N";
    refuses(&good, Cause::Program, |c| {
        targets(
            c,
            &format!("S1[i, j, k] -> [i, j, k] : {inside} and 0 <= k <= K"),
        )
    });
    refuses(&good, Cause::Path, |c| {
        targets(
            c,
            &format!("S1[i, j, k] -> [i, j, 0] : {inside} and 0 <= k < K"),
        )
    });
    refuses(&good, Cause::Program, |c| {
        targets(c, &format!("S0[i, j] -> [i, j, 0] : {inside}"))
    });
    refuses(&good, Cause::Formula, |c| {
        targets(
            c,
            &format!("S1[i, j, k] -> [i, j, k] : {inside} and 1 <= k < K"),
        )
    });
}

#[test]
fn changed_dependences_are_refused() {
    let good = matmul_certificate(true);
    for at in 0..good.dependences.len() {
        refuses(&good, Cause::Dependence, |c| c.dependences[at].operand = 7);
        refuses(&good, Cause::Dependence, |c| {
            c.dependences[at].operand = (c.dependences[at].operand + 1) % 3
        });
    }
    let relation = |c: &mut Certificate, writer: Option<&str>, text: &str| {
        c.dependences[1].writer = writer.map(String::from);
        let inside = "0 <= i < M and 0 <= j < N and 0 <= k < K";
        c.dependences[1].relation =
            format!("[M, N, K] -> {{ S1[i, j, k] -> {text} and {inside} }}");
    };
    assert_eq!(good.dependences[1].reader, "S1");
    refuses(&good, Cause::Dependence, |c| {
        relation(c, Some("S1"), "S1[i, j, k - 2] : k > 1")
    });
    refuses(&good, Cause::Dependence, |c| {
        relation(c, Some("S1"), "S1[i, j, k + 1] : k < K - 1")
    });
    refuses(&good, Cause::Dependence, |c| {
        relation(c, Some("S1"), "S1[i, j - 1, k - 1] : k > 0 and j > 0")
    });
    refuses(&good, Cause::Dependence, |c| {
        relation(c, Some("S0"), "S0[i, j] : k > 0")
    });
    refuses(&good, Cause::Dependence, |c| {
        relation(c, Some("S1"), "S1[i, j, l] : 0 <= l < k")
    });
    refuses(&good, Cause::Dependence, |c| {
        relation(c, None, "C[i, j] : k = 0")
    });
    refuses(&good, Cause::Program, |c| {
        relation(c, Some("S9"), "S9[i, j] : k = 0")
    });
}

#[test]
fn dead_instances_are_no_targets() {
    // The second loop overwrites what the first computed, except for its first half.
    let mut builder = ProgramBuilder::new("dead", &["N"]);
    builder.array("x", &["N"], ElementType::F64, Role::Parameter);
    builder.array("y", &["2*N"], ElementType::F64, Role::Parameter);
    for (name, range) in [("S0", "0 <= i < 2*N"), ("S1", "N <= i < 2*N")] {
        builder.statement(Statement {
            name,
            iterators: "i",
            condition: range,
            time: if name == "S0" { "0, i" } else { "1, i" },
            write: "y[i]",
            reads: &["x[i]"],
            value: Expression::Read(0) * Expression::Read(0),
        });
    }
    let program = builder.build().unwrap();
    let mut certificate = certificate(&program);
    assert_eq!(checked(&certificate).unwrap_err().cause, Cause::Liveness);
    certificate.live[0].instances = "[N] -> { S0[i] : 0 <= i < N }".into();
    certificate
        .claims
        .push(claim(LOADS, "0", Proof::Compulsory));
    assert_eq!(checked(&certificate).unwrap()[0].loads().to_string(), "2*N");
    certificate.live.pop();
    assert_eq!(checked(&certificate).unwrap()[0].loads().to_string(), "N");
}

#[test]
fn certificates_belong_to_their_program() {
    let (from_zero, accumulating) = (matmul(true), matmul(false));
    check(&matmul_certificate(true), Some(&from_zero)).unwrap();
    check(&matmul_certificate(false), Some(&accumulating)).unwrap();
    check(&matmul_certificate(true), Some(&accumulating)).unwrap_err();
    check(&matmul_certificate(false), Some(&from_zero)).unwrap_err();
    check(&matmul_certificate(true), Some(&kernel("gemm"))).unwrap_err();
    // A larger result is needed, or a smaller one: the program that was given decides.
    let mut unused = matmul(true);
    unused.arrays[2].output = false;
    let refusal = check(&matmul_certificate(true), Some(&unused)).unwrap_err();
    assert_eq!(refusal.cause, Cause::Liveness);
}

/// `C += A·A`: one array, two accesses.
fn square() -> Program {
    let mut builder = ProgramBuilder::new("square", &["N"]);
    for name in ["A", "C"] {
        builder.array(name, &["N", "N"], ElementType::F64, Role::Parameter);
    }
    builder.statement(Statement {
        name: "S1",
        iterators: "i, j, k",
        condition: "0 <= i, j, k < N",
        time: "i, j, k",
        write: "C[i, j]",
        reads: &["C[i, j]", "A[i, k]", "A[k, j]"],
        value: Expression::Read(0) + Expression::Read(1) * Expression::Read(2),
    });
    builder.build().unwrap()
}

#[test]
fn one_array_read_twice_is_one_array() {
    let mut certificate = certificate(&square());
    let inside = "0 <= i, j, k < N";
    let mut families = Vec::new();
    let (i, j, k) = ([1, 0, 0], [0, 1, 0], [0, 0, 1]);
    for (rows, operand) in [([i, k], 1), ([k, j], 2)] {
        families.push(Family {
            projection: rows.iter().map(|row| row.to_vec()).collect(),
            weight: "1/2".into(),
            members: Vec::new(),
            inputs: texts(&["{ A[a, b] -> [a, b] }"]),
            edges: vec![edge(&certificate, "S1", operand, "A")],
            terminals: Vec::new(),
        });
    }
    families.push(Family {
        projection: vec![i.to_vec(), j.to_vec()],
        weight: "1".into(),
        members: vec![format!("[N] -> {{ S1[i, j, k] -> [i, j] : {inside} }}")],
        inputs: texts(&["{ C[i, j] -> [i, j] }"]),
        edges: vec![
            edge(&certificate, "S1", 0, "S1"),
            edge(&certificate, "S1", 0, "C"),
        ],
        terminals: Vec::new(),
    });
    let group = Group {
        private: Vec::new(),
        targets: vec![format!("[N] -> {{ S1[i, j, k] -> [i, j, k] : {inside} }}")],
        families,
        capacity: Capacity::BrascampLieb {
            exponents: texts(&["1/2", "1/2", "1/2"]),
            extents: Vec::new(),
        },
    };
    let proof = Proof::Phases(Phases {
        groups: vec![group],
        lengths: texts(&["2*S"]),
    });
    certificate.claims.push(claim(LOADS, "0", proof));
    // Half the word each: N³/√S instead of 2·N³/√S.
    let certificate = with_formula(certificate).unwrap();
    assert_eq!(certificate.claims[0].formula, "N^3/sqrt(S) - S");
    checked(&certificate).unwrap();
    // U-3.
    refuses(&certificate, Cause::Sharing, |c| {
        phases(c).groups[0].families[0].weight = "1".into()
    });
}

#[test]
fn small_dimensions_enter_as_extents() {
    // C += A·B with exponents for a short k: |E| ≤ |φ_ij|·L_k, U = K·L_k is linear, a compulsory bound.
    let mut certificate = matmul_certificate(false);
    phases(&mut certificate).groups[0].capacity = Capacity::BrascampLieb {
        exponents: texts(&["0", "0", "1"]),
        extents: vec![Extent {
            row: vec![0, 0, 1],
            lower: "0".into(),
            upper: "K - 1".into(),
            exponent: "1".into(),
        }],
    };
    phases(&mut certificate).groups[0]
        .families
        .iter_mut()
        .for_each(|f| f.weight = "1".into());
    let certificate = with_formula(certificate).unwrap();
    // V = M·N·K and U(3S) = 3·S·K; K may be 0, so its length counts as at least 1.
    let bound = &checked(&certificate).unwrap()[0];
    let value = bound.at(&sizes(100, 100, 2, 50)).unwrap();
    assert!(value <= 10_400.into() && value >= 9_000.into(), "{value}");
}

#[test]
fn operands_of_summands_are_needed_in_any_order() {
    // A alone, with all columns of B for each word: M·N·K products, N of them per word. No chain, no order.
    let mut certificate = matmul_certificate(true);
    let group = &mut phases(&mut certificate).groups[0];
    group.families.truncate(1);
    group.capacity = Capacity::BrascampLieb {
        exponents: texts(&["1"]),
        extents: vec![Extent {
            row: vec![0, 1, 0],
            lower: "0".into(),
            upper: "N - 1".into(),
            exponent: "1".into(),
        }],
    };
    certificate.claims[0].model = Model {
        recompute: true,
        sums: Sums::Free,
        ..LOADS
    };
    let certificate = with_formula(certificate).unwrap();
    let bound = &checked(&certificate).unwrap()[0];
    let value = bound.at(&sizes(10, 20, 30, 5)).unwrap();
    assert!(value <= 900.into() && value > 250.into(), "{value}");
}
