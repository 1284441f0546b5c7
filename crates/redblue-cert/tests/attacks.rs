//! Certificates that look right and prove something false; each was once tried against the checker.

#![allow(clippy::unwrap_used)]

mod common;

use common::*;
use redblue_cert::certificate::*;
use redblue_cert::text::Value;
use redblue_cert::{Cause, Certificate, Counted, Model, Sums};
use redblue_math::Assignment;
use redblue_program::build::{Assignment as Statement, ProgramBuilder};
use redblue_program::{ElementType, Expression, Role, UnaryOp};

fn read(operand: usize) -> Expression {
    Expression::Read(operand)
}

fn statement<'a>(
    name: &'a str,
    (iterators, condition, time): (&'a str, &'a str, &'a str),
    write: &'a str,
    reads: &'a [&'a str],
    value: Expression,
) -> Statement<'a> {
    Statement {
        name,
        iterators,
        condition,
        time,
        write,
        reads,
        value,
    }
}

fn arrays(builder: &mut ProgramBuilder, role: Role, list: &[(&str, &[&str])]) {
    for (name, extents) in list {
        builder.array(name, extents, ElementType::F64, role);
    }
}

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

fn plain(exponents: &[&str]) -> Capacity {
    Capacity::BrascampLieb {
        exponents: texts(exponents),
        extents: Vec::new(),
    }
}

fn in_phases(groups: Vec<Group>, lengths: &[&str]) -> Proof {
    Proof::Phases(Phases {
        groups,
        lengths: texts(lengths),
    })
}

/// Demands that no formula can be proposed for the only claim, for the given reason.
#[track_caller]
fn no_bound(certificate: Certificate, cause: Cause) {
    match with_formula(certificate) {
        Ok(accepted) => panic!("accepted: {}", accepted.claims[0].formula),
        Err(refusal) => assert_eq!(refusal.cause, cause, "{refusal}"),
    }
}

/// `s[i][j] = Σ_{r < L−i} Q[i][r]·K[j]`: L−i words of Q for row i, with the roots at (sign·i, j).
fn shrinking_sums(sign: i64, words: &str) -> Certificate {
    let mut builder = ProgramBuilder::new("shrinking", &["L", "P"]);
    let list: [(&str, &[&str]); 3] = [("Q", &["L", "L"]), ("K", &["P"]), ("s", &["L", "P"])];
    arrays(&mut builder, Role::Parameter, &list);
    let (start, all) = (
        "0 <= i < L and 0 <= j < P",
        "0 <= i < L and 0 <= j < P and 0 <= r < L - i",
    );
    builder.statement(statement(
        "S0",
        ("i, j", start, "i, j, 0, 0"),
        "s[i, j]",
        &[],
        Expression::Integer(0),
    ));
    builder.statement(statement(
        "S1",
        ("i, j, r", all, "i, j, 1, r"),
        "s[i, j]",
        &["s[i, j]", "Q[i, r]", "K[j]"],
        read(0) + read(1) * read(2),
    ));
    let mut certificate = certificate(&builder.build().unwrap());
    let text = |body: &str, condition: &str| format!("[L, P] -> {{ {body} : {condition} }}");
    let body = format!("S1[i, j, r] -> [{sign}*i, j]");
    let leaves = |row: [i64; 2], input: String, operand, array, words: &str| Leaves {
        projection: vec![row.to_vec()],
        inputs: vec![input],
        edges: vec![edge(&certificate, "S1", operand, array)],
        words: words.into(),
    };
    let rows = format!("{{ Q[i, r] -> [{sign}*i] }}");
    let group = Group {
        private: Vec::new(),
        targets: vec![text(&body, &format!("{all} and r = L - i - 1"))],
        families: Vec::new(),
        capacity: Capacity::Reduction(Reduction {
            trees: vec![text(&body, all)],
            links: vec![edge(&certificate, "S1", 0, "S1")],
            leaves: vec![
                leaves([1, 0], rows, 1, "Q", words),
                leaves([0, 1], "{ K[j] -> [j] }".into(), 2, "K", "1"),
            ],
        }),
    };
    let proof = in_phases(vec![group], &["S"]);
    certificate.claims.push(claim(LOADS, "0", proof));
    certificate
}

#[test]
fn widths_at_negative_coordinates() {
    // The number of words is L - i = L + t at t = -i: no less than L only if t were not negative.
    // L = 10, P = 1000, S = 60: all 55 words of Q stay, 1055 loads; with W = L more than 1500 would be claimed.
    for sign in [1, -1] {
        no_bound(shrinking_sums(sign, "L"), Cause::Capacity);
        no_bound(shrinking_sums(sign, "2"), Cause::Capacity);
        let good = with_formula(shrinking_sums(sign, "1")).unwrap();
        let sizes = Assignment::new().with("L", 10).with("P", 1000);
        let bound = &checked(&good).unwrap()[0];
        assert!(bound.at(&sizes.with("S", 60)).unwrap() <= 1055.into());
    }
}

/// N running values `x_{k+1} = value(y_k, A[k], B[k])`, where `y_k = carry(x_k)` in a statement of its own.
fn running(carry: Expression, value: Expression) -> Certificate {
    let mut builder = ProgramBuilder::new("running", &["N", "K"]);
    let list: [(&str, &[&str]); 3] = [("A", &["N", "K"]), ("B", &["N", "K"]), ("x", &["N"])];
    arrays(&mut builder, Role::Parameter, &list);
    arrays(&mut builder, Role::Local, &[("y", &["N"])]);
    let all = "0 <= i < N and 0 <= k < K";
    let own = carry == read(0);
    if !own {
        builder.statement(statement(
            "S0",
            ("k, i", all, "k, i, 0"),
            "y[i]",
            &["x[i]"],
            carry,
        ));
    }
    let reads = [if own { "x[i]" } else { "y[i]" }, "A[i, k]", "B[i, k]"];
    builder.statement(statement(
        "S1",
        ("k, i", all, "k, i, 1"),
        "x[i]",
        &reads,
        value,
    ));
    let mut certificate = certificate(&builder.build().unwrap());
    let text = |body: &str| format!("[N, K] -> {{ {body} : {all} }}");
    let e = |reader, source| edge(&certificate, reader, 0, source);
    let (members, edges) = if own {
        (
            vec![text("S1[k, i] -> [i]")],
            vec![e("S1", "S1"), e("S1", "x")],
        )
    } else {
        (
            vec![text("S0[k, i] -> [i]"), text("S1[k, i] -> [i]")],
            vec![e("S1", "S0"), e("S0", "S1"), e("S0", "x")],
        )
    };
    let members: Vec<&str> = members.iter().map(String::as_str).collect();
    let group = Group {
        private: Vec::new(),
        targets: vec![text("S1[k, i] -> [k, i]")],
        families: vec![
            family(&[&[0, 1]], &members, &["{ x[i] -> [i] }"], edges),
            family(
                &[&[1, 0], &[0, 1]],
                &[],
                &["{ A[i, k] -> [k, i] }"],
                vec![edge(&certificate, "S1", 1, "A")],
            ),
        ],
        capacity: plain(&["0", "1"]),
    };
    let proof = in_phases(vec![group], &["S"]);
    certificate.claims.push(claim(LOADS, "0", proof));
    certificate
}

#[test]
fn running_values_are_found_wherever_they_are() {
    // In the program's own order N running values are needed for every k; in a free order each sum is finished at once.
    let negative = |value| Expression::Unary(UnaryOp::Negate, Box::new(value));
    let call =
        |name: &str, arguments: &[Expression]| Expression::Call(name.into(), arguments.to_vec());
    let largest = |a, b| call("fmax", &[a, b]);
    let product = || read(1) * read(2);
    let select = |a, b| Expression::Select(Box::new(read(1)), Box::new(a), Box::new(b));
    let mut accepted = Vec::new();
    for (carry, value) in [
        (read(0), read(0) + product()),
        (read(0), negative(product() - read(0))),
        (negative(read(0)), negative(read(0)) + product()),
        (read(0), largest(read(1), largest(read(0), product()))),
        (read(0), largest(largest(read(0), read(1)), read(2))),
        (read(0), select(read(0) + product(), read(0))),
        (read(0), select(read(0) + product(), read(2))),
        (read(0), call("fma", &[read(1), read(2), read(0)])),
        (read(0), read(2) + call("fma", &[read(1), read(2), read(0)])),
    ] {
        let mut certificate = running(carry, value.clone());
        checked(&with_formula(certificate.clone()).unwrap()).unwrap();
        certificate.claims[0].model.sums = Sums::Free;
        if with_formula(certificate).is_ok() {
            accepted.push(value);
        }
    }
    assert!(accepted.is_empty(), "{accepted:#?}");
}

/// A claim of compulsory traffic about `b[i] = f(a[i])` on a square, if its sizes are equal.
fn squares() -> Certificate {
    let mut builder = ProgramBuilder::new("squares", &["N", "M"]);
    let list: [(&str, &[&str]); 2] = [("a", &["N", "N"]), ("b", &["N", "N"])];
    arrays(&mut builder, Role::Parameter, &list);
    let both = "0 <= i, j < N and M = N";
    builder.statement(statement(
        "S0",
        ("i, j", both, "i, j"),
        "b[i, j]",
        &["a[i, j]"],
        read(0) * read(0),
    ));
    let mut certificate = certificate(&builder.build().unwrap());
    certificate
        .claims
        .push(claim(LOADS, "0", Proof::Compulsory));
    certificate
}

#[test]
fn formulas_of_one_case_state_it() {
    // N² words are loaded if M is N, and none otherwise.
    let mut certificate = squares();
    for formula in ["N^2", "M^2"] {
        certificate.claims[0].formula = formula.into();
        assert!(checked(&certificate).is_err(), "{formula}");
    }
    let good = with_formula(squares()).unwrap();
    assert!(!good.claims[0].conditions.is_empty());
    checked(&good).unwrap();
    refuses(&good, Cause::Formula, |c| c.claims[0].conditions.clear());
    // A weaker condition, one of the other case, and one that is none.
    for (cause, condition) in [
        (Cause::Formula, "[N, M] -> { : N <= M + 1 and M <= N + 1 }"),
        (Cause::Formula, "[N, M] -> { : N >= 10 and M >= 10 }"),
        (Cause::Format, "[N, M] -> { [i] : N = M }"),
    ] {
        refuses(&good, cause, |c| {
            c.claims[0].conditions = texts(&[condition])
        });
    }
}

#[test]
fn values_that_nobody_needs() {
    // Overwritten results, and reads of them.
    let mut builder = ProgramBuilder::new("dead", &["N"]);
    arrays(
        &mut builder,
        Role::Parameter,
        &[("a", &["N"]), ("b", &["N"])],
    );
    arrays(&mut builder, Role::Local, &[("c", &["N"])]);
    let all = "0 <= i < N";
    let square = read(0) * read(0);
    for (name, time, write, reads) in [
        ("S0", "0, i", "b[i]", ["a[i]"]),
        ("S1", "1, i", "c[i]", ["b[i]"]),
        ("S2", "2, i", "b[i]", ["a[0]"]),
    ] {
        builder.statement(statement(
            name,
            ("i", all, time),
            write,
            &reads,
            square.clone(),
        ));
    }
    let dead = certificate(&builder.build().unwrap());
    let mut certificate = dead.clone();
    certificate
        .claims
        .push(claim(LOADS, "N", Proof::Compulsory));
    no_bound(certificate.clone(), Cause::Liveness);
    // S1 alone, then S0 for the sake of S1.
    for kept in [1..2, 0..2] {
        certificate.live = dead.live[kept].to_vec();
        no_bound(certificate.clone(), Cause::Liveness);
    }
    certificate.live = dead.live[2..].to_vec();
    certificate.claims[0].formula = "1".into();
    let bound = &checked(&certificate).unwrap()[0];
    assert_eq!(
        bound.at(&Assignment::new().with("N", 9).with("S", 2)),
        Ok(1.into())
    );
    refuses(&certificate, Cause::Formula, |c| {
        c.claims[0].formula = "2".into()
    });
}

#[test]
fn dependences_that_do_not_hold() {
    let good = matmul_certificate(true);
    let chain = good
        .dependences
        .iter()
        .position(|d| d.reader == "S1" && d.writer.as_deref() == Some("S1"))
        .unwrap();
    let relation = |c: &mut Certificate, text: &str| c.dependences[chain].relation = text.into();
    let inside = "0 <= i < M and 0 <= j < N";
    for (cause, body, condition) in [
        // Not the last write; itself; the future; another cell; no instance; two values; outside.
        (
            Cause::Dependence,
            "S1[i, j, k] -> S1[i, j, k - 2]",
            "2 <= k < K",
        ),
        (
            Cause::Dependence,
            "S1[i, j, k] -> S1[i, j, k]",
            "0 <= k < K",
        ),
        (
            Cause::Dependence,
            "S1[i, j, k] -> S1[i, j, k + 1]",
            "0 <= k < K - 1",
        ),
        (
            Cause::Dependence,
            "S1[i, j, k] -> S1[i - 1, j, k]",
            "0 <= k < K and i > 0",
        ),
        (
            Cause::Dependence,
            "S1[i, j, k] -> S1[i, j, k - 1]",
            "0 <= k < K",
        ),
        (
            Cause::Dependence,
            "S1[i, j, k] -> S1[i, j, l]",
            "0 <= l < k < K",
        ),
        (
            Cause::Dependence,
            "S1[i, j, k] -> S1[i, j, k - 1]",
            "0 < k <= K",
        ),
    ] {
        let text = format!("[M, N, K] -> {{ {body} : {condition} and {inside} }}");
        refuses(&good, cause, |c| relation(c, &text));
    }
    // A size that the program does not have.
    let text = format!(
        "[M, N, K, Q] -> {{ S1[i, j, k] -> S1[i, j, k - 1] : 0 < k < K and k < Q and {inside} }}"
    );
    let mut changed = good.clone();
    relation(&mut changed, &text);
    assert!(checked(&changed).is_err());
    // A read that the value does not use, an operand that is not there, an input of a cell that was written.
    refuses(&good, Cause::Dependence, |c| {
        c.dependences[chain].operand = 7
    });
    refuses(&good, Cause::Dependence, |c| {
        c.dependences[chain].writer = None;
        let text = format!("[M, N, K] -> {{ S1[i, j, k] -> C[i, j] : 0 <= k < K and {inside} }}");
        relation(c, &text);
    });
}

#[test]
fn programs_without_an_order() {
    let good = matmul_certificate(true);
    for (at, schedule) in [
        // Two instances at one time, an instance without time, two times, times of another kind.
        (1, "[M, N, K] -> { S1[i, j, k] -> [1, i, j, 0] }"),
        (1, "[M, N, K] -> { S1[i, j, k] -> [1, i, j, k] : k > 0 }"),
        (
            1,
            "[M, N, K] -> { S1[i, j, k] -> [1, i, j, l] : k <= l <= k + 1 }",
        ),
        (1, "[M, N, K] -> { S1[i, j, k] -> T[1, i, j, k] }"),
        (1, "[M, N, K] -> { S1[i, j, k] -> [1, i, j] }"),
    ] {
        let mut changed = good.clone();
        changed.program.statements[at].schedule = schedule.into();
        assert!(checked(&changed).is_err(), "{schedule}");
    }
}

#[test]
fn points_and_labels_of_another_space() {
    // Pairs have as many components as tuples, but no linear map is defined on them.
    let good = matmul_certificate(false);
    refuses(&good, Cause::Path, |c| {
        let target = &mut phases(c).groups[0].targets[0];
        *target = target.replace("-> [i, j, k]", "-> [[i, j] -> [k]]");
    });
    refuses(&good, Cause::Path, |c| {
        let target = &mut phases(c).groups[0].targets[0];
        *target = target.replace("-> [i, j, k]", "-> [i, j, 0]");
    });
    refuses(&good, Cause::Program, |c| {
        let target = &mut phases(c).groups[0].targets[0];
        *target = target.replace("-> [i, j, k]", "-> P[i, j, k]");
    });
    refuses(&good, Cause::Path, |c| {
        phases(c).groups[0].families[0].inputs = texts(&["{ A[i, k] -> [[i] -> [k]] }"]);
    });
    // One word of A for a whole row, a label that forgets a coordinate, and one that mixes two.
    for inputs in ["{ A[i, k] -> [i, k'] }", "{ A[i, k] -> [i, 0] }"] {
        refuses(&good, Cause::Path, |c| {
            phases(c).groups[0].families[0].inputs = texts(&[inputs]);
        });
    }
    refuses(&good, Cause::Capacity, |c| {
        let family = &mut phases(c).groups[0].families[0];
        family.projection = vec![vec![1, 0, 1]];
        family.inputs = texts(&["{ A[i, k] -> [i + k] }"]);
    });
}

#[test]
fn groups_do_not_use_a_word_twice() {
    // The same products as two groups: one phase would be charged for half of what it computes.
    let good = matmul_certificate(false);
    refuses(&good, Cause::Sharing, |c| {
        let group = phases(c).groups[0].clone();
        phases(c).groups.push(group);
    });
    // X-1: half of the products each, but the same words of A.
    refuses(&good, Cause::Sharing, |c| {
        let groups = &mut phases(c).groups;
        groups.push(groups[0].clone());
        for (group, half) in groups.iter_mut().zip(["2*j < N", "2*j >= N"]) {
            group.targets[0] = group.targets[0].replace(" }", &format!(" and {half} }}"));
        }
    });
}

#[test]
fn extents_are_those_of_the_targets() {
    let mut certificate = matmul_certificate(false);
    let with = |lower: &str, upper: &str| Capacity::BrascampLieb {
        exponents: texts(&["1", "0", "0"]),
        extents: vec![Extent {
            row: vec![0, 1, 0],
            lower: lower.into(),
            upper: upper.into(),
            exponent: "1".into(),
        }],
    };
    phases(&mut certificate).groups[0].capacity = with("0", "N - 1");
    let good = with_formula(certificate).unwrap();
    let bound = &checked(&good).unwrap()[0];
    let sizes = Assignment::new().with("M", 3).with("N", 0).with("K", 5);
    assert_eq!(bound.at(&sizes.with("S", 4)), Ok(0.into()));
    for (lower, upper) in [("0", "N - 2"), ("1", "N - 1"), ("0", "0"), ("N", "0")] {
        refuses(&good, Cause::Capacity, |c| {
            phases(c).groups[0].capacity = with(lower, upper)
        });
    }
    for upper in ["S", "N/2", "N^2"] {
        refuses(&good, Cause::Format, |c| {
            phases(c).groups[0].capacity = with("0", upper)
        });
    }
}

#[test]
fn small_memories_and_sizes() {
    let bound = &checked(&matmul_certificate(false)).unwrap()[0];
    let at = |m: i64, n: i64, k: i64, fast: i64| {
        let sizes = Assignment::new().with("M", m).with("N", n).with("K", k);
        bound.at(&sizes.with("S", fast))
    };
    for fast in [0, -1] {
        assert!(at(2, 2, 2, fast).is_err());
    }
    for fast in 1..40 {
        assert!(at(1, 1, 1, fast).unwrap() <= 3.into(), "{fast}");
        for (m, n, k) in [(0, 5, 5), (5, 0, 5), (5, 5, 0)] {
            assert_eq!(at(m, n, k, fast), Ok(0.into()));
        }
        // One column: A once, and B and C stay or not.
        let most = 40 + 10 * 4 * 2 + 4;
        assert!(at(4, 1, 10, fast).unwrap() <= most.into(), "{fast}");
    }
    // Where everything fits, every word is loaded once: one phase does it all (R-1).
    for (m, n, k) in [(1, 1, 1), (2, 3, 1), (3, 3, 3), (1, 9, 2), (6, 5, 7)] {
        let all = m * k + k * n + m * n;
        let sizes = Assignment::new().with("M", m).with("N", n).with("K", k);
        for fast in [all + 1, 2 * all, 100 * all] {
            let value = at(m, n, k, fast).unwrap();
            assert!(value <= all.into(), "{m} {n} {k} {fast}: {value}");
            let formula = bound.loads().eval_floor(&sizes.clone().with("S", fast));
            assert!(formula.unwrap() <= all.into(), "{m} {n} {k} {fast}");
        }
    }
}

#[test]
fn endless_programs() {
    // Everything is read by somebody, and nothing is a result.
    let mut builder = ProgramBuilder::new("endless", &["N"]);
    arrays(&mut builder, Role::Parameter, &[("a", &["N"])]);
    arrays(&mut builder, Role::Local, &[("x", &["N"])]);
    builder.statement(statement(
        "S0",
        ("i", "0 <= i < N", "0, i, 0"),
        "x[i]",
        &["a[i]"],
        read(0) * read(0),
    ));
    builder.statement(statement(
        "S1",
        ("t, i", "0 <= i < N and 0 <= t < N", "1, t, i"),
        "x[i]",
        &["x[i]"],
        read(0) * read(0),
    ));
    let mut certificate = certificate(&builder.build().unwrap());
    certificate
        .claims
        .push(claim(LOADS, "0", Proof::Compulsory));
    no_bound(certificate.clone(), Cause::Liveness);
    let endless = "[N] -> { S1[t, i] : 0 <= i < N and 0 <= t }";
    certificate.program.statements[1].domain = endless.into();
    certificate.live[1].instances = endless.into();
    for dependence in &mut certificate.dependences {
        dependence.relation = dependence
            .relation
            .replace(" and t < N", "")
            .replace("t < N and ", "");
        if dependence.reader == "S1" && dependence.writer.as_deref() == Some("S1") {
            dependence.relation =
                "[N] -> { S1[t, i] -> S1[t - 1, i] : 0 <= i < N and 0 < t }".into();
        }
    }
    no_bound(certificate, Cause::Program);
}

/// The matrix product with its sums in any order.
fn merged() -> Certificate {
    let mut certificate = matmul_certificate(true);
    let group = &mut phases(&mut certificate).groups[0];
    group.families.truncate(2);
    group.capacity = Capacity::Merging(Merging {
        exponents: texts(&["1/2", "1/2"]),
        projection: vec![vec![1, 0, 0], vec![0, 1, 0]],
        exponent: "1/2".into(),
        onto: None,
    });
    certificate.claims[0].model.sums = Sums::Free;
    certificate
}

#[test]
fn sums_in_any_order_are_still_computed_once() {
    let good = with_formula(merged()).unwrap();
    let bound = &checked(&good).unwrap()[0];
    // An upper bound for every model: two blocks of one row of A and one column of B, C in between.
    for (n, fast) in [(2, 8), (4, 12), (8, 24), (16, 48)] {
        let sizes = Assignment::new().with("M", n).with("N", n).with("K", n);
        let block = (1..n).filter(|b| b * b + 2 * b <= fast).max().unwrap_or(1);
        let tiles = (n + block - 1) / block;
        let most = 2 * n * n * tiles;
        assert!(
            bound.at(&sizes.with("S", fast)).unwrap() <= most.into(),
            "{n} {fast}"
        );
    }
    let merging =
        |c: &mut Certificate, change: fn(&mut Merging)| match &mut phases(c).groups[0].capacity {
            Capacity::Merging(merging) => change(merging),
            other => panic!("{other:?}"),
        };
    refuses(&good, Cause::Model, |c| c.claims[0].model.recompute = true);
    // One sum per row would be fewer sums, the last product would end no sum, and one label has many sums.
    refuses(&good, Cause::Path, |c| {
        phases(c).groups[0].targets[0] =
            phases(c).groups[0].targets[0].replace("k < K", "k < K - 1")
    });
    refuses(&good, Cause::Path, |c| {
        merging(c, |m| m.projection = vec![vec![1, 0, 0]])
    });
    refuses(&good, Cause::Path, |c| {
        merging(c, |m| {
            m.projection = vec![vec![1, 0, 0], vec![0, 1, 0], vec![0, 0, 1]]
        })
    });
    for (own, others) in [
        ("0", ["1", "1"]),
        ("1", ["1/2", "1/2"]),
        ("1/3", ["1/2", "1/2"]),
    ] {
        refuses(&good, Cause::Capacity, |c| {
            phases(c).groups[0].capacity = Capacity::Merging(Merging {
                exponents: texts(&others),
                projection: vec![vec![1, 0, 0], vec![0, 1, 0]],
                exponent: own.into(),
                onto: None,
            })
        });
    }
    // The chain of running values is no family here.
    refuses(&good, Cause::Model, |c| {
        let chain = matmul_families(c, true).remove(2);
        phases(c).groups[0].families[1] = chain;
    });
    refuses(&good, Cause::Capacity, |c| {
        let mut other = phases(c).groups[0].clone();
        other.families.clear();
        other.targets = texts(&["[M, N, K] -> { S1[i, j, k] -> [i] : 1 = 0 }"]);
        other.capacity = Capacity::Merging(Merging {
            exponents: Vec::new(),
            projection: vec![vec![1]],
            exponent: "1/2".into(),
            onto: None,
        });
        phases(c).groups.push(other);
    });
}

#[test]
fn the_terms_of_a_maximum_are_separate() {
    // C[i][j] = max_k max(A[i][k], B[k][j]): either array can be merged alone, with S sums per word instead of √S.
    let both = |name: &str, a: Value, b: Value| Value::Call(name.into(), vec![a, b]);
    let select = |a: Value, b: Value| Value::Select(Box::new((Value::Read(1), a, b)));
    let (a, b) = (Value::Read(1), Value::Read(2));
    for terms in [both("fmax", a.clone(), b.clone()), select(a, b)] {
        for value in [
            both("fmax", Value::Read(0), terms.clone()),
            select(terms, Value::Read(0)),
        ] {
            let mut certificate = merged();
            certificate.program.statements[1].value = value;
            no_bound(certificate, Cause::Model);
        }
    }
}

/// `h[t] = x[0]²; z[t][i] = h[t]·x[i]`, with paths across h.
fn waves(change: impl FnOnce(&mut Wavefront, &Certificate)) -> Certificate {
    let mut builder = ProgramBuilder::new("waves", &["T", "N"]);
    let list: [(&str, &[&str]); 2] = [("x", &["N"]), ("z", &["T", "N"])];
    arrays(&mut builder, Role::Parameter, &list);
    arrays(&mut builder, Role::Local, &[("h", &["T"])]);
    let all = "0 <= t < T and 0 <= i < N";
    builder.statement(statement(
        "S0",
        ("t", "0 <= t < T", "t, 0, 0"),
        "h[t]",
        &["x[0]"],
        read(0) * read(0),
    ));
    builder.statement(statement(
        "S1",
        ("t, i", all, "t, 1, i"),
        "z[t, i]",
        &["h[t]", "x[i]"],
        read(0) * read(1),
    ));
    let mut certificate = certificate(&builder.build().unwrap());
    certificate.live[0].instances = "[T, N] -> { S0[t] : 0 <= t < T and N > 0 }".into();
    let e = |reader, operand, source| edge(&certificate, reader, operand, source);
    let text = |body: &str, condition: &str| format!("[T, N] -> {{ {body} : {condition} }}");
    let hub = text("S0[t] -> [t]", "0 <= t < T");
    let mut wavefront = Wavefront {
        hubs: vec![hub.clone()],
        bundles: vec![Bundle {
            ends: text("[[t] -> [i]] -> S1[t, i]", all),
            steps: vec![vec![e("S1", 1, "x")]],
        }],
        before: Reach {
            members: vec![hub.clone()],
            edges: vec![e("S0", 0, "x")],
        },
        after: Reach {
            members: vec![hub, text("S1[t, i] -> [t]", all)],
            edges: vec![e("S1", 0, "S0")],
        },
        next: None,
    };
    change(&mut wavefront, &certificate);
    certificate
        .claims
        .push(claim(LOADS, "0", Proof::Wavefront(wavefront)));
    certificate
}

#[test]
fn inputs_that_several_hubs_could_share() {
    // N words are loaded once for all t if x[i] meets every h[t] in turn: N + (nothing else).
    no_bound(waves(|_, _| {}), Cause::Sharing);
    // Nothing of hub t comes before hub t + 1, nor before itself.
    for step in [1, 0, -1] {
        let with_step = |w: &mut Wavefront, _: &Certificate| {
            w.next = Some(Next {
                step: vec![step],
                reach: w.before.clone(),
            })
        };
        no_bound(waves(with_step), Cause::Path);
    }
    // One hub alone: x[0] may be counted twice, the others only once.
    let first = |w: &mut Wavefront, _: &Certificate| {
        w.bundles[0].ends =
            "[T, N] -> { [[t] -> [i]] -> S1[t, i] : 0 = t < T and 0 <= i < N }".into()
    };
    let good = with_formula(waves(first)).unwrap();
    let bound = &checked(&good).unwrap()[0];
    for fast in 1..12 {
        let sizes = Assignment::new().with("T", 1).with("N", 8).with("S", fast);
        // x[0] and h[0], then one x[i] after the other; x[0] again if there is no room for it.
        let again = i64::from(fast < 3);
        assert!(bound.at(&sizes).unwrap() <= (8 + again).into(), "{fast}");
    }
    // The hub itself does not come after the hub, and an input cell is no hub.
    no_bound(
        waves(|w, _| w.bundles[0].ends = "[T, N] -> { [[t] -> []] -> S0[t] : 0 <= t < T }".into()),
        Cause::Path,
    );
    no_bound(waves(|w, _| w.after.members.truncate(1)), Cause::Path);
    no_bound(
        waves(|w, _| w.hubs = texts(&["{ x[i] -> [i] }"])),
        Cause::Program,
    );
}

/// `c = 2; t[i] = c·c; p[i] = p[i − 1]·c; y[j] += t[i]·x[i][j]`: no input has a part in t and p.
fn made_from_constants() -> Certificate {
    let mut builder = ProgramBuilder::new("constants", &["N"]);
    arrays(&mut builder, Role::Local, &[("c", &[])]);
    let list: [(&str, &[&str]); 4] = [
        ("t", &["N"]),
        ("p", &["N"]),
        ("x", &["N", "N"]),
        ("y", &["N"]),
    ];
    arrays(&mut builder, Role::Parameter, &list);
    let square = read(0) * read(0);
    builder.statement(statement(
        "S0",
        ("", "N > 0", "0, 0, 0"),
        "c",
        &[],
        Expression::Integer(2),
    ));
    let loops = ("i", "0 <= i < N", "1, i, 0");
    builder.statement(statement("S1", loops, "t[i]", &["c"], square.clone()));
    let loops = ("i", "i = 0 and N > 0", "2, i, 0");
    builder.statement(statement("S2", loops, "p[i]", &["c"], square));
    let loops = ("i", "0 < i < N", "3, i, 0");
    builder.statement(statement(
        "S3",
        loops,
        "p[i]",
        &["p[i - 1]", "c"],
        read(0) * read(1),
    ));
    let loops = ("i, j", "0 <= i < N and 0 <= j < N", "4, i, j");
    let sum = read(0) + read(1) * read(2);
    builder.statement(statement(
        "S4",
        loops,
        "y[j]",
        &["y[j]", "t[i]", "x[i, j]"],
        sum,
    ));
    certificate(&builder.build().unwrap())
}

#[test]
fn values_made_from_constants() {
    // Of t, p and y only y is stored; a game computes the others from nothing (G-1).
    let total = Model {
        count: Counted::Total,
        ..LOADS
    };
    for (formula, holds) in [
        ("N^2 + 2*N", true),
        ("N^2 + 3*N", false),
        ("N^2 + 2*N + 1", false),
    ] {
        let mut certificate = made_from_constants();
        certificate.claims = vec![claim(total, formula, Proof::Compulsory)];
        let checked = checked(&certificate);
        assert_eq!(checked.is_ok(), holds, "{formula}: {checked:?}");
    }
    // They are no words that a phase could run out of.
    let mut certificate = made_from_constants();
    let read_t = edge(&certificate, "S4", 1, "S1");
    let members = ["[N] -> { S1[i] -> [i] : 0 <= i < N }"];
    let mut through = family(&[&[1, 0]], &members, &[], vec![read_t]);
    through.terminals = texts(&["[N] -> { S1[i] : 0 <= i < N }"]);
    let group = Group {
        private: Vec::new(),
        targets: texts(&["[N] -> { S4[i, j] -> [i, j] : 0 <= i < N and 0 <= j < N }"]),
        families: vec![through],
        capacity: plain(&["1"]),
    };
    certificate.claims = vec![claim(LOADS, "0", in_phases(vec![group], &["S"]))];
    no_bound(certificate, Cause::Path);
}
