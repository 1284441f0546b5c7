//! Symmetric accesses, hourglasses, complete reductions, and the traps around them.

#![allow(clippy::unwrap_used)]

mod common;

use common::*;
use redblue_cert::certificate::*;
use redblue_cert::{Cause, Model, Sums};
use redblue_math::{Assignment, Expr};
use redblue_program::build::{Assignment as Statement, ProgramBuilder};
use redblue_program::{ElementType, Expression, Program, Role};

fn family(projection: &[&[i64]], members: &[&str], inputs: &[&str], edges: Vec<Edge>) -> Family {
    Family {
        projection: projection.iter().map(|row| row.to_vec()).collect(),
        weight: "1".into(),
        members: texts(members),
        inputs: texts(inputs),
        edges,
        terminals: Vec::new(),
    }
}

fn phase_claim(group: Group, lengths: &[&str]) -> Claim {
    let proof = Proof::Phases(Phases {
        groups: vec![group],
        lengths: texts(lengths),
    });
    claim(LOADS, "0", proof)
}

fn accumulate() -> Expression {
    Expression::Read(0) + Expression::Read(1) * Expression::Read(2)
}

/// `C[i][j] += A[i][k]·A[j][k]` on `range` of j.
fn syrk(range: &str) -> Program {
    let mut builder = ProgramBuilder::new("syrk", &["N", "M"]);
    builder.array("A", &["N", "M"], ElementType::F64, Role::Parameter);
    builder.array("C", &["N", "N"], ElementType::F64, Role::Parameter);
    builder.statement(Statement {
        name: "S0",
        iterators: "i, j, k",
        condition: &format!("0 <= i < N and {range} and 0 <= k < M"),
        time: "i, j, k",
        write: "C[i, j]",
        reads: &["C[i, j]", "A[i, k]", "A[j, k]"],
        value: accumulate(),
    });
    builder.build().unwrap()
}

fn syrk_certificate(range: &str) -> Certificate {
    let mut certificate = certificate(&syrk(range));
    let inside = format!("0 <= i < N and {range} and 0 <= k < M");
    let own = |operand, source| edge(&certificate, "S0", operand, source);
    let (i, j, k): (&[i64], &[i64], &[i64]) = (&[1, 0, 0], &[0, 1, 0], &[0, 0, 1]);
    let chain = format!("[N, M] -> {{ S0[i, j, k] -> [i, j] : {inside} }}");
    let families = vec![
        family(
            &[i, j],
            &[&chain],
            &["{ C[i, j] -> [i, j] }"],
            vec![own(0, "S0"), own(0, "C")],
        ),
        family(&[i, k], &[], &["{ A[i, k] -> [i, k] }"], vec![own(1, "A")]),
        family(&[j, k], &[], &["{ A[i, k] -> [i, k] }"], vec![own(2, "A")]),
    ];
    let group = Group {
        private: Vec::new(),
        targets: vec![format!(
            "[N, M] -> {{ S0[i, j, k] -> [i, j, k] : {inside} }}"
        )],
        families,
        capacity: Capacity::Symmetric {
            i: vec![0],
            j: vec![1],
            k: vec![2],
            chain: 0,
            pairs: vec![(1, 2)],
        },
    };
    certificate.claims.push(phase_claim(group, &["2*S"]));
    certificate
}

#[test]
fn symmetric_accesses_are_worth_a_root_of_two() {
    let certificate = with_formula(syrk_certificate("0 <= j < i")).unwrap();
    let bound = &checked(&certificate).unwrap()[0];
    // X-4: V = M·N(N-1)/2, U(3S) = √2·S^{3/2}: 2·V/(√2·√S).
    let leading: Expr = "sqrt(2)*M*N^2/(2*sqrt(S))".parse().unwrap();
    let sizes = Assignment::new()
        .with("N", 10_000)
        .with("M", 10_000)
        .with("S", 100);
    let (value, expected) = (
        bound.at(&sizes).unwrap(),
        leading.eval_floor(&sizes).unwrap(),
    );
    assert!(
        value > &expected * 999 / 1000 && value <= expected,
        "{value} {expected}"
    );
    refuses(&certificate, Cause::Capacity, |c| {
        phases(c).groups[0].capacity = Capacity::Symmetric {
            i: vec![0],
            j: vec![2],
            k: vec![1],
            chain: 0,
            pairs: vec![(1, 2)],
        }
    });
    // Both sides of the diagonal, or the diagonal itself.
    for range in ["0 <= j < N", "0 <= j <= i"] {
        let refusal = with_formula(syrk_certificate(range)).unwrap_err();
        assert_eq!(refusal.cause, Cause::Capacity);
    }
}

#[test]
fn cholesky_reads_its_own_chain() {
    // X-4: L[i][k] is the value of the chain (i, k), so the chain and the pair share words.
    let mut builder = ProgramBuilder::new("cholesky", &["N"]);
    builder.array("A", &["N", "N"], ElementType::F64, Role::Parameter);
    builder.statement(Statement {
        name: "U",
        iterators: "i, j, k",
        condition: "0 <= k < j < i < N",
        time: "i, j, 0, k",
        write: "A[i, j]",
        reads: &["A[i, j]", "A[i, k]", "A[j, k]"],
        value: accumulate(),
    });
    let mut certificate = certificate(&builder.build().unwrap());
    let inside = "0 <= k < j < i < N";
    let own = |operand: usize, source: &str| edge(&certificate, "U", operand, source);
    let all = format!("[N] -> {{ U[i, j, k] -> [i, j] : {inside} }}");
    let cells = "{ A[i, j] -> [i, j] }";
    let (i, j, k): (&[i64], &[i64], &[i64]) = (&[1, 0, 0], &[0, 1, 0], &[0, 0, 1]);
    let chain = [own(0, "U"), own(0, "A")];
    let with = |first: [Edge; 2]| [first.as_slice(), chain.as_slice()].concat();
    let families = vec![
        family(&[i, j], &[&all], &[cells], chain.to_vec()),
        family(&[i, k], &[&all], &[cells], with([own(1, "U"), own(1, "A")])),
        family(&[j, k], &[&all], &[cells], with([own(2, "U"), own(2, "A")])),
    ];
    let group = Group {
        private: Vec::new(),
        targets: vec![format!("[N] -> {{ U[i, j, k] -> [i, j, k] : {inside} }}")],
        families,
        capacity: Capacity::Symmetric {
            i: vec![0],
            j: vec![1],
            k: vec![2],
            chain: 0,
            pairs: vec![(1, 2)],
        },
    };
    certificate.claims.push(phase_claim(group, &["2*S"]));
    assert_eq!(with_formula(certificate).unwrap_err().cause, Cause::Sharing);
}

/// Modified Gram-Schmidt: the columns are chains, and R[k][j] is a hub.
fn mgs_certificate() -> Certificate {
    let mut certificate = certificate(&kernel("mgs"));
    let e = |reader, operand, source| edge(&certificate, reader, operand, source);
    let inside = "0 <= k < j < N and 0 <= i < M";
    let text = |body: &str, condition: &str| format!("[M, N] -> {{ {body} : {condition} }}");
    let chain = text("S6[k, j, i] -> [i, j]", inside);
    let column = text("S3[k, i] -> [i, k]", "0 <= k < N and 0 <= i < M");
    let cells = "{ A[i, j] -> [i, j] }";
    let along = [e("S6", 0, "S6"), e("S6", 0, "A")];
    let across = [e("S6", 1, "S3"), e("S3", 0, "S6"), e("S3", 0, "A")];
    let (k, j, i): (&[i64], &[i64], &[i64]) = (&[1, 0, 0], &[0, 1, 0], &[0, 0, 1]);
    let group = Group {
        private: Vec::new(),
        targets: vec![text("S6[k, j, i] -> [k, j, i]", inside)],
        families: vec![
            family(&[i, j], &[&chain], &[cells], along.to_vec()),
            family(
                &[i, k],
                &[&chain, &column],
                &[cells],
                [&across[..], &along[..]].concat(),
            ),
        ],
        capacity: Capacity::Hourglass(Hourglass {
            time: 0,
            step: 1,
            neutral: vec![1],
            width: 2,
            least_width: "M".into(),
            sharing: Sharing::Any,
            hubs: vec![text(
                "S5[k, j, i] -> [k, j]",
                "0 <= k < j < N and 0 <= i = M - 1",
            )],
            into: Reach {
                members: vec![
                    text(
                        "S6[k, j, i] -> [k + 1, j]",
                        "0 <= k and k + 1 < j < N and 0 <= i < M",
                    ),
                    text("S5[k, j, i] -> [k, j]", inside),
                ],
                edges: vec![e("S5", 2, "S6"), e("S5", 0, "S5")],
            },
            out_of: Reach {
                members: vec![
                    text("S6[k, j, i] -> [k, j]", inside),
                    text("S5[k, j, i] -> [k, j]", "0 <= k < j < N and 0 <= i = M - 1"),
                ],
                edges: vec![e("S6", 2, "S5")],
            },
        }),
    };
    certificate
        .claims
        .push(phase_claim(group, &["S", "2*M - 1 - S"]));
    certificate
}

#[test]
fn hourglass_of_gram_schmidt() {
    let certificate = with_formula(mgs_certificate()).unwrap();
    let bound = &checked(&certificate).unwrap()[0];
    assert!(!bound.model().recompute);
    let at = |m: i64, n: i64, fast: i64| {
        bound
            .at(&Assignment::new().with("M", m).with("N", n).with("S", fast))
            .unwrap()
    };
    // T-2 and H-18: exact optima, and the best of many simulated orders.
    for (m, n, fast, best) in [
        (3, 3, 4, 35),
        (3, 3, 5, 24),
        (3, 3, 6, 18),
        (3, 3, 7, 15),
        (3, 3, 8, 12),
        (3, 3, 12, 9),
        (12, 8, 6, 1372),
        (12, 8, 12, 950),
        (12, 8, 24, 466),
        (12, 8, 48, 178),
        (12, 8, 96, 98),
        (20, 10, 6, 3760),
        (20, 10, 24, 1888),
        (20, 10, 48, 994),
        (20, 10, 96, 374),
    ] {
        assert!(
            at(m, n, fast) <= best.into(),
            "{} > {best} at {m}, {n}, {fast}",
            at(m, n, fast)
        );
    }
    // H-15: V(2W-1-S)/(2(2W-1)) minus the lower-order terms, with W = M.
    assert!(
        at(1000, 200, 256) > 8_670_000.into(),
        "{}",
        at(1000, 200, 256)
    );
}

#[test]
fn spoilt_hourglasses_are_refused() {
    let good = with_formula(mgs_certificate()).unwrap();
    let glass =
        |c: &mut Certificate, change: fn(&mut Hourglass)| match &mut phases(c).groups[0].capacity {
            Capacity::Hourglass(glass) => change(glass),
            other => panic!("{other:?}"),
        };
    refuses(&good, Cause::Capacity, |c| {
        glass(c, |g| g.least_width = "M + 1".into())
    });
    refuses(&good, Cause::Path, |c| glass(c, |g| g.step = -1));
    refuses(&good, Cause::Capacity, |c| glass(c, |g| g.step = 2));
    refuses(&good, Cause::Capacity, |c| {
        glass(c, |g| (g.time, g.width) = (2, 0))
    });
    refuses(&good, Cause::Path, |c| {
        glass(c, |g| drop(g.into.edges.pop()))
    });
    refuses(&good, Cause::Path, |c| {
        glass(c, |g| drop(g.into.members.remove(0)))
    });
    refuses(&good, Cause::Path, |c| glass(c, |g| g.out_of.edges.clear()));
    refuses(&good, Cause::Path, |c| glass(c, |g| g.hubs.clear()));
    refuses(&good, Cause::Sharing, |c| {
        glass(c, |g| g.sharing = Sharing::Disjoint)
    });
    // U-5: convexity needs that nothing is computed twice.
    refuses(&good, Cause::Model, |c| c.claims[0].model.recompute = true);
    refuses(&good, Cause::Formula, |c| {
        phases(c).lengths[1] = "2*M - S".into()
    });
    // U-8: every second tick of a column is not an hourglass of consecutive ticks.
    refuses(&good, Cause::Capacity, |c| {
        let target = &mut phases(c).groups[0].targets[0];
        *target = target.replace(" }", " and k mod 2 = 0 }");
    });
}

#[test]
fn sums_that_start_from_zero_end_no_path() {
    // U-1: R[k][j] comes from a reduction that can happen inside the phase, so (k, j) needs terminals.
    let mut certificate = mgs_certificate();
    let inside = "0 <= k < j < N and 0 <= i < M";
    let sum = format!("[M, N] -> {{ S5[k, j, i] -> [k, j] : {inside} }}");
    let edges = vec![
        edge(&certificate, "S6", 2, "S5"),
        edge(&certificate, "S5", 0, "S5"),
    ];
    let group = &mut phases(&mut certificate).groups[0];
    group
        .families
        .push(family(&[&[1, 0, 0], &[0, 1, 0]], &[&sum], &[], edges));
    // U-3: the first two share words, so that each gets one half of them.
    group.families[0].weight = "1/2".into();
    group.families[1].weight = "1/2".into();
    group.capacity = Capacity::BrascampLieb {
        exponents: texts(&["1/2", "1/2", "1/2"]),
        extents: Vec::new(),
    };
    assert_eq!(
        with_formula(certificate.clone()).unwrap_err().cause,
        Cause::Path
    );
    let terminals = vec![
        sum.replace(" -> [k, j]", "")
            .replace("0 <= i < M", "i = 0 and M > 0"),
    ];
    phases(&mut certificate).groups[0].families[2].terminals = terminals;
    let good = with_formula(certificate).unwrap();
    let bound = &checked(&good).unwrap()[0];
    let sizes = Assignment::new().with("M", 3).with("N", 3);
    for (fast, best) in [(4, 35), (5, 24), (6, 18), (7, 15), (8, 12), (12, 9)] {
        assert!(bound.at(&sizes.clone().with("S", fast)).unwrap() <= best.into());
    }
    refuses(&good, Cause::Sharing, |c| {
        phases(c).groups[0].families[0].weight = "1".into()
    });
}

/// `s = Q·Kᵀ`, the scores of attention.
fn scores_certificate() -> Certificate {
    let mut builder = ProgramBuilder::new("scores", &["N", "d"]);
    for name in ["Q", "K"] {
        builder.array(name, &["N", "d"], ElementType::F64, Role::Parameter);
    }
    builder.array("s", &["N", "N"], ElementType::F64, Role::Parameter);
    builder.statement(Statement {
        name: "S0",
        iterators: "i, j",
        condition: "0 <= i, j < N",
        time: "i, j, 0",
        write: "s[i, j]",
        reads: &[],
        value: Expression::Integer(0),
    });
    builder.statement(Statement {
        name: "S1",
        iterators: "i, j, r",
        condition: "0 <= i, j < N and 0 <= r < d",
        time: "i, j, 1, r",
        write: "s[i, j]",
        reads: &["s[i, j]", "Q[i, r]", "K[j, r]"],
        value: accumulate(),
    });
    let mut certificate = certificate(&builder.build().unwrap());
    let inside = "0 <= i, j < N and 0 <= r < d";
    let leaves = |row: [i64; 2], input: &str, operand: usize, array: &str| Leaves {
        projection: vec![row.to_vec()],
        inputs: texts(&[input]),
        edges: vec![edge(&certificate, "S1", operand, array)],
        words: "d".into(),
    };
    let group = Group {
        private: Vec::new(),
        targets: vec![
            "[N, d] -> { S1[i, j, r] -> [i, j] : 0 <= i, j < N and 0 <= r = d - 1 }".into(),
        ],
        families: Vec::new(),
        capacity: Capacity::Reduction(Reduction {
            trees: vec![format!("[N, d] -> {{ S1[i, j, r] -> [i, j] : {inside} }}")],
            links: vec![edge(&certificate, "S1", 0, "S1")],
            leaves: vec![
                leaves([1, 0], "{ Q[i, r] -> [i] }", 1, "Q"),
                leaves([0, 1], "{ K[j, r] -> [j] }", 2, "K"),
            ],
        }),
    };
    certificate
        .claims
        .push(phase_claim(group, &["S", "4*d^2 - S"]));
    certificate
}

#[test]
fn complete_reductions_hold_in_every_model() {
    let mut certificate = scores_certificate();
    let strongest = Model {
        recompute: true,
        sums: Sums::Free,
        ..LOADS
    };
    certificate.claims[0].model = strongest;
    let good = with_formula(certificate).unwrap();
    let bound = &checked(&good).unwrap()[0];
    assert_eq!(bound.model(), strongest);
    let at = |n: i64, d: i64, fast: i64| {
        bound
            .at(&Assignment::new().with("N", n).with("d", d).with("S", fast))
            .unwrap()
    };
    // A-6, first column: N²d²/S at S ≥ 2d², and N²(1 - S/4d²) - (4d² - 2S) below.
    assert!(at(1024, 64, 16384) >= 262_144.into());
    assert!(at(1024, 64, 4096) >= 778_240.into());
    refuses(&good, Cause::Path, |c| reduction(c, |r| r.links.clear()));
    refuses(&good, Cause::Capacity, |c| {
        reduction(c, |r| r.leaves[0].words = "d + 1".into())
    });
    refuses(&good, Cause::Capacity, |c| {
        reduction(c, |r| drop(r.leaves.pop()))
    });
    refuses(&good, Cause::Capacity, |c| {
        reduction(c, |r| r.leaves[1].projection = vec![vec![1, 0]])
    });
    refuses(&good, Cause::Path, |c| {
        reduction(c, |r| {
            r.leaves[0].inputs[0] = "{ Q[i, r] -> [t] : 0 <= t < 2 }".into()
        })
    });
    refuses(&good, Cause::Path, |c| {
        reduction(c, |r| {
            r.trees[0] = r.trees[0].replace("[i, j] :", "[j, i] :")
        })
    });
}

fn reduction(certificate: &mut Certificate, change: fn(&mut Reduction)) {
    match &mut phases(certificate).groups[0].capacity {
        Capacity::Reduction(reduction) => change(reduction),
        other => panic!("{other:?}"),
    }
}

#[test]
fn values_made_from_one_word_are_cheap() {
    // R-4: b_i = f(a), c_i = g(b_i): the second loop alone reads N values, the program loads one word.
    let mut builder = ProgramBuilder::new("fan", &["N"]);
    builder.array("a", &[], ElementType::F64, Role::Parameter);
    builder.array("b", &["N"], ElementType::F64, Role::Local);
    builder.array("c", &["N"], ElementType::F64, Role::Parameter);
    for (name, time, write, read) in [("S0", "0, i", "b[i]", "a"), ("S1", "1, i", "c[i]", "b[i]")] {
        builder.statement(Statement {
            name,
            iterators: "i",
            condition: "0 <= i < N",
            time,
            write,
            reads: &[read],
            value: Expression::Read(0) * Expression::Read(0),
        });
    }
    let mut certificate = certificate(&builder.build().unwrap());
    let edges = vec![
        edge(&certificate, "S1", 0, "S0"),
        edge(&certificate, "S0", 0, "a"),
    ];
    let member = "[N] -> { S0[i] -> [i] : 0 <= i < N }";
    let group = Group {
        private: Vec::new(),
        targets: texts(&["[N] -> { S1[i] -> [i] : 0 <= i < N }"]),
        families: vec![family(
            &[&[1]],
            &[member],
            &["[N] -> { a[] -> [i] : 0 <= i < N }"],
            edges,
        )],
        capacity: Capacity::BrascampLieb {
            exponents: texts(&["1"]),
            extents: Vec::new(),
        },
    };
    certificate.claims.push(phase_claim(group, &["S"]));
    assert_eq!(
        with_formula(certificate.clone()).unwrap_err().cause,
        Cause::Path
    );
    let family = &mut phases(&mut certificate).groups[0].families[0];
    family.inputs.clear();
    family.edges.pop();
    family.terminals = texts(&["[N] -> { S0[i] : 0 <= i < N }"]);
    let bound = &checked(&with_formula(certificate).unwrap()).unwrap()[0];
    for fast in [1, 10, 100] {
        let sizes = Assignment::new().with("N", 100).with("S", fast);
        assert!(bound.at(&sizes).unwrap() <= 1.into());
    }
}

#[test]
fn copies_are_stepped_over_and_cost_nothing() {
    let mut builder = ProgramBuilder::new("copied", &["N"]);
    for name in ["A", "B", "C"] {
        builder.array(name, &["N"], ElementType::F64, Role::Parameter);
    }
    for (name, time, write, read, value) in [
        ("S0", "0, i", "B[i]", "A[N - 1 - i]", Expression::Read(0)),
        (
            "S1",
            "1, i",
            "C[i]",
            "B[i]",
            Expression::Read(0) * Expression::Read(0),
        ),
    ] {
        builder.statement(Statement {
            name,
            iterators: "i",
            condition: "0 <= i < N",
            time,
            write,
            reads: &[read],
            value,
        });
    }
    let mut certificate = certificate(&builder.build().unwrap());
    let step = [
        edge(&certificate, "S1", 0, "S0").0,
        edge(&certificate, "S0", 0, "A").0,
    ]
    .concat();
    let group = Group {
        private: Vec::new(),
        targets: texts(&["[N] -> { S1[i] -> [i] : 0 <= i < N }"]),
        families: vec![family(
            &[&[1]],
            &[],
            &["[N] -> { A[i] -> [N - 1 - i] }"],
            vec![Edge(step)],
        )],
        capacity: Capacity::BrascampLieb {
            exponents: texts(&["1"]),
            extents: Vec::new(),
        },
    };
    certificate.claims.push(phase_claim(group, &["S"]));
    let mut good = with_formula(certificate).unwrap();
    good.claims.push(claim(LOADS, "N", Proof::Compulsory));
    let bounds = checked(&good).unwrap();
    // U-15: B is a copy of an input, so only C is stored.
    assert_eq!(bounds[1].stores().to_string(), "N");
    refuses(&good, Cause::Dependence, |c| {
        phases(c).groups[0].families[0].edges[0].0.truncate(1)
    });
    refuses(&good, Cause::Dependence, |c| {
        phases(c).groups[0].families[0].edges[0].0.reverse()
    });
}
