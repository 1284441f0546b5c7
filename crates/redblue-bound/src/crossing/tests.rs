//! Opposite recurrences: what is claimed, attacked and refused.

use redblue_cert::Proof;
use redblue_cert::certificate::{Crossing, Lines};
use redblue_math::Expr;

use crate::trial::{LOADS, analysis, attack, kernel, leading, refused, value};

#[test]
fn rows_and_columns_of_deriche() {
    let term: Expr = "5*H*W".parse().unwrap();
    assert_eq!(leading("deriche", "crossing", LOADS), [term.to_string()]);
    // Of a row of H pixels 2·H − 2 words wait; 300 inputs and alpha are loaded besides.
    let found = analysis(&kernel("deriche"), "crossing", LOADS);
    let rows = 12 * (2 * 25 - 2 - 40);
    assert_eq!(
        value(&found, &[("W", 12), ("H", 25), ("S", 40)]),
        301 + rows
    );
}

#[test]
fn recurrences_in_one_direction_do_not_cross() {
    for name in ["trisolv", "durbin", "jacobi-1d", "seidel-2d", "gemm"] {
        let found = analysis(&kernel(name), "crossing", LOADS);
        assert!(found.bounds.is_empty(), "{name}: {:?}", found.tried);
    }
}

#[test]
fn no_schedule_does_better() {
    let attacked = attack(
        "deriche",
        "crossing",
        LOADS,
        &[
            &[("W", 3), ("H", 16)],
            &[("W", 14), ("H", 2)],
            &[("W", 10), ("H", 10)],
        ],
        &[8, 9, 10, 12, 14, 16, 20, 24],
    );
    assert!(attacked >= 12, "{attacked}");
    // One recurrence of adi needs all of the other one: the two meet at the end of the line.
    let attacked = attack(
        "adi",
        "crossing",
        LOADS,
        &[&[("N", 7), ("TSTEPS", 2)], &[("N", 12), ("TSTEPS", 1)]],
        &[6, 7, 8, 10, 14],
    );
    assert!(attacked >= 4, "{attacked}");
}

#[test]
fn changed_certificates_are_refused() {
    let certificate = analysis(&kernel("deriche"), "crossing", LOADS).certificate;
    refused(&certificate, "\"formula\":\"", "\"formula\":\"1 + ");
    refused(&certificate, "\"offset\":-1", "\"offset\":0");
    refused(&certificate, "\"offset\":-1", "\"offset\":-2");
    type Change = (&'static str, fn(&mut Crossing));
    let changes: [Change; 6] = [
        ("no steps", |crossing| crossing.lines[0].edges.clear()),
        ("one step", |crossing| {
            crossing.lines[1].edges.pop();
        }),
        ("nothing meets", |crossing| {
            crossing.lines[0].meeting.clear()
        }),
        ("counted twice", |crossing| {
            crossing.lines.push(crossing.lines[0].clone());
        }),
        ("read twice", |crossing| {
            let again = crossing.lines[0].reads[0].clone();
            crossing.lines[0].reads.push(again);
        }),
        ("other way round", |crossing| {
            let Lines {
                forward, backward, ..
            } = &mut crossing.lines[0];
            std::mem::swap(forward, backward);
        }),
    ];
    for (what, change) in changes {
        let mut changed = certificate.clone();
        let Proof::Crossing(crossing) = &mut changed.claims[0].proof else {
            panic!("another proof")
        };
        change(crossing);
        assert!(redblue_cert::check(&changed, None).is_err(), "{what}");
    }
}
