//! Private values: a product that is kept in a temporary before it is added.
#![allow(clippy::unwrap_used)]

mod common;

use common::*;
use redblue_cert::certificate::*;
use redblue_cert::{Cause, Sums};
use redblue_math::Assignment as Sizes;
use redblue_program::build::{Assignment, ProgramBuilder};
use redblue_program::{ElementType, Expression, Program, Role};

const ALL: &str = "0 <= i < M and 0 <= j < N and 0 <= k < K";

/// `t = A·B; C += t`; the temporary is a cell for every i, j, k, or one for every i, k, which all j share.
fn split(shared: bool) -> Program {
    let mut program = ProgramBuilder::new("split", &["M", "N", "K"]);
    for (name, extents) in [("A", ["M", "K"]), ("B", ["K", "N"]), ("C", ["M", "N"])] {
        program.array(name, &extents, ElementType::F64, Role::Parameter);
    }
    program.array("t", &["M", "N", "K"], ElementType::F64, Role::Local);
    let read = Expression::Read;
    let one_j = format!("{ALL} and j = 0");
    let (condition, used) = if shared {
        (one_j.as_str(), "t[i, 0, k]")
    } else {
        (ALL, "t[i, j, k]")
    };
    program.statement(Assignment {
        name: "T",
        iterators: "i, j, k",
        condition,
        time: "0, i, j, k",
        write: "t[i, j, k]",
        reads: &["A[i, k]", "B[k, j]"],
        value: read(0) * read(1),
    });
    program.statement(Assignment {
        name: "S1",
        iterators: "i, j, k",
        condition: ALL,
        time: "1, i, j, k",
        write: "C[i, j]",
        reads: &["C[i, j]", used],
        value: read(0) + read(1),
    });
    program.build().unwrap()
}

fn text(body: &str) -> String {
    format!("[M, N, K] -> {{ {body} : {ALL} }}")
}

/// The classical proof, through the temporary.
fn proof(shared: bool) -> Certificate {
    let mut certificate = certificate(&split(shared));
    let family = |projection: [[i64; 3]; 2], inputs: &[&str], edges: Vec<Edge>| Family {
        projection: projection.iter().map(|row| row.to_vec()).collect(),
        weight: "1".into(),
        members: Vec::new(),
        inputs: texts(inputs),
        edges,
        terminals: Vec::new(),
    };
    let (i, j, k) = ([1, 0, 0], [0, 1, 0], [0, 0, 1]);
    let over = edge(&certificate, "S1", 1, "T");
    let a = vec![over.clone(), edge(&certificate, "T", 0, "A")];
    let b = vec![over, edge(&certificate, "T", 1, "B")];
    let c = ["S1", "C"].map(|source| edge(&certificate, "S1", 0, source));
    let mut chain = family([i, j], &["{ C[i, j] -> [i, j] }"], c.to_vec());
    chain.members = vec![text("S1[i, j, k] -> [i, j]")];
    let group = Group {
        targets: vec![text("S1[i, j, k] -> [i, j, k]")],
        private: vec![text("T[i, j, k] -> [i, j, k]")],
        families: vec![
            family([i, k], &["{ A[i, k] -> [i, k] }"], a),
            family([k, j], &["{ B[k, j] -> [k, j] }"], b),
            chain,
        ],
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
    certificate
}

#[test]
fn the_bound_of_the_plain_product() {
    let good = with_formula(proof(false)).unwrap();
    let bound = &checked(&good).unwrap()[0];
    let plain = &checked(&matmul_certificate(false)).unwrap()[0];
    let cube = |n: i64, s: i64| {
        Sizes::new()
            .with("M", n)
            .with("N", n)
            .with("K", n)
            .with("S", s)
    };
    for memory in [9, 100, 4096] {
        assert_eq!(
            bound.at(&cube(1000, memory)).unwrap(),
            plain.at(&cube(1000, memory)).unwrap()
        );
    }
    // With K = 3S < 27 words a phase may do better with private values than with a cube.
    let tiny = [bound, plain].map(|bound| bound.at(&cube(1000, 4)).unwrap());
    assert!(tiny[0] < tiny[1]);
}

#[test]
fn what_is_not_private_is_refused() {
    let good = with_formula(proof(false)).unwrap();
    let group = |certificate: &mut Certificate, change: fn(&mut Group)| {
        change(&mut phases(certificate).groups[0]);
    };
    // Without them no edge of a target leads to A.
    refuses(&good, Cause::Path, |c| group(c, |g| g.private.clear()));
    // The value of another target.
    refuses(&good, Cause::Path, |c| {
        group(c, |g| g.private = vec![text("T[i, j, k] -> [i, j, k + 1]")]);
    });
    // One value of two targets.
    refuses(&good, Cause::Path, |c| {
        group(c, |g| g.private.push(text("T[i, j, k] -> [i, j + 1, k]")));
    });
    // A private word that is used as a word of a family as well would be counted twice.
    refuses(&good, Cause::Path, |c| {
        group(c, |g| {
            g.families[0].members = vec![text("T[i, j, k] -> [i, k]")]
        });
    });
}

#[test]
fn a_temporary_that_all_columns_share_is_not_private() {
    // t[i][k] serves all j: with t stored once, C += t streams; the product's bound would be too high.
    let relation =
        "[M, N, K] -> { T[i, 0, k] -> [i, j, k] : 0 <= i < M and 0 <= j < N and 0 <= k < K }";
    let mut shared = proof(true);
    phases(&mut shared).groups[0].private = vec![relation.into()];
    assert_eq!(checked(&shared).unwrap_err().cause, Cause::Path);
}

/// The same product with its sums in any order: products are targets that lead to them.
fn merged() -> Certificate {
    let mut certificate = proof(false);
    let over = edge(&certificate, "S1", 1, "T");
    let group = &mut phases(&mut certificate).groups[0];
    group.targets = std::mem::take(&mut group.private);
    group.families.truncate(2);
    for family in &mut group.families {
        family.edges.remove(0);
    }
    let sums = vec![text("S1[i, j, k] -> [i, j]")];
    let members = vec![text("T[i, j, k] -> [i, j]"), sums[0].clone()];
    group.capacity = Capacity::Merging(Merging {
        exponents: texts(&["1/2", "1/2"]),
        projection: vec![vec![1, 0, 0], vec![0, 1, 0]],
        exponent: "1/2".into(),
        onto: Some(Onto {
            sums,
            ways: Reach {
                members,
                edges: vec![over],
            },
        }),
    });
    certificate.claims[0].model.sums = Sums::Free;
    certificate
}

#[test]
fn sums_of_products_in_temporaries() {
    let good = with_formula(merged()).unwrap();
    let bound = &checked(&good).unwrap()[0];
    // 8/(3√3)·V/√S − 2/3·mn − S at 1000³ and S = 10⁴: 15 396 007 − 666 667 − 10 000.
    let sizes = Sizes::new().with("M", 1000).with("N", 1000).with("K", 1000);
    let value = bound.at(&sizes.with("S", 10_000)).unwrap();
    assert!(
        value >= 14_719_000.into() && value < 14_750_000.into(),
        "{value}"
    );

    let onto = |certificate: &mut Certificate, change: fn(&mut Onto)| match &mut phases(certificate)
        .groups[0]
        .capacity
    {
        Capacity::Merging(Merging {
            onto: Some(onto), ..
        }) => change(onto),
        other => panic!("{other:?}"),
    };
    refuses(&good, Cause::Model, |c| c.claims[0].model.recompute = true);
    // Products that lead to no sum, to another sum, or to two.
    refuses(&good, Cause::Path, |c| onto(c, |o| o.ways.edges.clear()));
    refuses(&good, Cause::Path, |c| {
        onto(c, |o| o.ways.members[0] = text("T[i, j, k] -> [i, j + 1]"));
    });
    refuses(&good, Cause::Path, |c| {
        onto(c, |o| o.ways.members.push(text("T[i, j, k] -> [i, k]")));
    });
    refuses(&good, Cause::Path, |c| {
        onto(c, |o| o.ways.members.truncate(1))
    });
    // Sums that go on elsewhere, or several with one label.
    refuses(&good, Cause::Path, |c| {
        onto(c, |o| {
            for text in o.sums.iter_mut().chain(&mut o.ways.members) {
                *text = text.replace("[i, j]", "[i, k]");
            }
        });
    });
    refuses(&good, Cause::Path, |c| {
        onto(c, |o| {
            for text in o.sums.iter_mut().chain(&mut o.ways.members) {
                *text = text.replace("[i, j]", "[i, 0]");
            }
        });
    });
    // A product that may come in as a word of a family is not there to leave as one of the sum.
    refuses(&good, Cause::Sharing, |c| {
        let over = edge(c, "S1", 1, "T");
        let group = &mut phases(c).groups[0];
        group.targets = vec![text("S1[i, j, k] -> [i, j, k]")];
        group.families[0].members = vec![text("T[i, j, k] -> [i, k]")];
        group.families[0].edges.push(over.clone());
        group.families[1].members = vec![text("T[i, j, k] -> [k, j]")];
        group.families[1].edges.push(over);
    });
}

#[test]
fn a_temporary_of_many_sums_leads_to_none() {
    let relation =
        "[M, N, K] -> { T[i, 0, k] -> [i, j, k] : 0 <= i < M and 0 <= j < N and 0 <= k < K }";
    let mut certificate = merged();
    let group = phases(&mut certificate).groups[0].clone();
    let mut shared = proof(true);
    shared.claims[0].model.sums = Sums::Free;
    phases(&mut shared).groups[0] = group;
    phases(&mut shared).groups[0].targets = vec![relation.into()];
    assert_eq!(checked(&shared).unwrap_err().cause, Cause::Path);
}
