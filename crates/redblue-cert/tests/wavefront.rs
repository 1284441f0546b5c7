//! Values that must survive hubs: a vector that is scaled by its own sum, again and again.

#![allow(clippy::unwrap_used)]

mod common;

use common::*;
use redblue_cert::certificate::*;
use redblue_cert::{Cause, Counted, Model};
use redblue_math::Assignment;
use redblue_program::build::{Assignment as Statement, ProgramBuilder};
use redblue_program::{ElementType, Expression, Role};

/// `for t: s = Σ_i x[i]; x[i] = x[i]·s`.
fn scaling(next: bool) -> Certificate {
    scaling_kept(next, false)
}

/// The same, and if they are `kept`, `y[t][i] = x[i]` makes a result of every vector.
fn scaling_kept(next: bool, kept: bool) -> Certificate {
    let mut builder = ProgramBuilder::new("scaling", &["T", "N"]);
    builder.array("x", &["N"], ElementType::F64, Role::Parameter);
    builder.array("s", &[], ElementType::F64, Role::Local);
    let mut statement = |name, iterators, condition, time, write, reads: &[&str], value| {
        builder.statement(Statement {
            name,
            iterators,
            condition,
            time,
            write,
            reads,
            value,
        });
    };
    let all = "0 <= t < T and 0 <= i < N";
    let (read, other) = (Expression::Read(0), Expression::Read(1));
    statement(
        "S0",
        "t",
        "0 <= t < T",
        "t, 0, 0",
        "s",
        &[],
        Expression::Integer(0),
    );
    statement(
        "S1",
        "t, i",
        all,
        "t, 1, i",
        "s",
        &["s", "x[i]"],
        read.clone() + other.clone(),
    );
    statement(
        "S2",
        "t, i",
        all,
        "t, 2, i",
        "x[i]",
        &["x[i]", "s"],
        read.clone() * other,
    );
    if kept {
        builder.array("y", &["T", "N"], ElementType::F64, Role::Parameter);
        builder.statement(Statement {
            name: "S3",
            iterators: "t, i",
            condition: all,
            time: "t, 3, i",
            write: "y[t, i]",
            reads: &["x[i]"],
            value: read,
        });
    }
    let mut certificate = certificate(&builder.build().unwrap());
    // Without elements there is no sum that anybody reads.
    certificate.live[0].instances = "[T, N] -> { S0[t] : 0 <= t < T and N > 0 }".into();
    let e = |reader, operand, source| edge(&certificate, reader, operand, source);
    let text = |body: &str, condition: &str| format!("[T, N] -> {{ {body} : {condition} }}");
    let last = "0 <= t < T and 0 <= i = N - 1";
    let before = Reach {
        members: vec![
            text("S2[t, i] -> [t + 1]", "0 <= t < T - 1 and 0 <= i < N"),
            text("S1[t, i] -> [t]", all),
        ],
        edges: vec![e("S1", 1, "S2"), e("S1", 1, "x"), e("S1", 0, "S1")],
    };
    let wavefront = Wavefront {
        hubs: vec![text("S1[t, i] -> [t]", last)],
        bundles: vec![Bundle {
            ends: text("[[t] -> [i]] -> S2[t, i]", all),
            steps: vec![vec![e("S2", 0, "S2"), e("S2", 0, "x")]],
        }],
        before: before.clone(),
        after: Reach {
            members: vec![text("S2[t, i] -> [t]", all), text("S1[t, i] -> [t]", last)],
            edges: vec![e("S2", 1, "S1")],
        },
        next: next.then_some(Next {
            step: vec![1],
            reach: before,
        }),
    };
    certificate
        .claims
        .push(claim(LOADS, "0", Proof::Wavefront(wavefront)));
    certificate
}

#[test]
fn a_scaled_vector_is_loaded_for_every_sum() {
    // The inputs once, and N - S words after each of T sums; if hubs are in sequence, a first load may already be one of these.
    for (next, formula) in [(false, "N*T - S*T + N"), (true, "N*T - S*T")] {
        let certificate = with_formula(scaling(next)).unwrap();
        let bound = &checked(&certificate).unwrap()[0];
        let expected: redblue_math::Expr = formula.parse().unwrap();
        assert_eq!(*bound.loads(), expected);
        // The program's own order loads N words for the sum, and again for the product all but those that stayed.
        let sizes = Assignment::new().with("T", 3).with("N", 10).with("S", 4);
        assert!(bound.at(&sizes).unwrap() <= (10 + 3 * 8).into());
    }
}

const TOTAL: Model = Model {
    count: Counted::Total,
    ..LOADS
};

/// The bound of a proof on loads and stores.
fn total(mut certificate: Certificate) -> redblue_cert::LowerBound {
    certificate.claims[0].model = TOTAL;
    let certificate = with_formula(certificate).unwrap();
    refuses(&certificate, Cause::Formula, |c| {
        c.claims[0].formula += " + 1"
    });
    checked(&certificate).unwrap().remove(0)
}

#[test]
fn what_is_loaded_again_was_stored() {
    let check = |next, kept, formula: &str| {
        let bound = total(scaling_kept(next, kept));
        let expected: redblue_math::Expr = formula.parse().unwrap();
        assert_eq!(bound.formula(TOTAL).unwrap(), expected);
        bound
    };
    // Besides the loads and the results: before the first sum there are inputs, which nobody stores; of every later vector, all but S
    // words.
    let loads = "N*T - S*T + N";
    let stores = "N + max(0, N*(T - 1) - S*(T - 1))";
    let bound = check(false, false, &format!("{loads} + {stores}"));
    let sizes = Assignment::new().with("T", 3).with("N", 10).with("S", 4);
    assert_eq!(
        bound.value(LOADS, &sizes).unwrap(),
        Some((10 + 3 * 6).into())
    );
    assert_eq!(
        bound.value(TOTAL, &sizes).unwrap(),
        Some((10 + 3 * 6 + 10 + 2 * 6).into())
    );
    let large = Assignment::new().with("T", 3).with("N", 10).with("S", 40);
    assert_eq!(bound.value(TOTAL, &large).unwrap(), Some(20.into()));
    // Results are stored once, whether or not they are loaded again.
    check(false, true, &format!("{loads} + N*T"));
    // Every sum makes new vectors, so the same holds in a sequence.
    check(true, false, &format!("N*T - S*T + {stores}"));
}

#[test]
fn spoilt_wavefronts_are_refused() {
    let waves = |c: &mut Certificate, change: fn(&mut Wavefront)| match &mut c.claims[0].proof {
        Proof::Wavefront(wavefront) => change(wavefront),
        other => panic!("{other:?}"),
    };
    for next in [false, true] {
        let good = with_formula(scaling(next)).unwrap();
        refuses(&good, Cause::Formula, |c| c.claims[0].formula += " + 1");
        refuses(&good, Cause::Model, |c| c.claims[0].model.recompute = true);
        refuses(&good, Cause::Path, |c| waves(c, |w| w.hubs.clear()));
        refuses(&good, Cause::Path, |c| waves(c, |w| w.after.edges.clear()));
        refuses(&good, Cause::Path, |c| {
            waves(c, |w| drop(w.before.members.remove(0)))
        });
        refuses(&good, Cause::Path, |c| {
            waves(c, |w| w.bundles[0].steps.clear())
        });
        refuses(&good, Cause::Path, |c| {
            waves(c, |w| drop(w.bundles[0].steps[0].pop()))
        });
        // Every element twice: two paths through one vertex.
        refuses(&good, Cause::Sharing, |c| {
            waves(c, |w| w.bundles.push(w.bundles[0].clone()))
        });
    }
    let good = with_formula(scaling(true)).unwrap();
    refuses(&good, Cause::Path, |c| {
        waves(c, |w| w.next.as_mut().unwrap().step = vec![2])
    });
    refuses(&good, Cause::Path, |c| {
        waves(c, |w| w.next.as_mut().unwrap().reach.members.clear())
    });
}
