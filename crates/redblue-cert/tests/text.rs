//! Programs as text, and certificates as JSON.

#![allow(clippy::unwrap_used)]

mod common;

use redblue_cert::Certificate;
use redblue_cert::text::ProgramText;
use redblue_poly::Context;
use redblue_program::build::{Assignment, ProgramBuilder};
use redblue_program::{ElementType, Expression, Program, Role, catalogue};

fn same(one: &Program, other: &Program) {
    let union = |program: &Program| {
        let mut text = Vec::new();
        for s in &program.statements {
            text.push(s.domain.clone().to_union().unwrap().identity().unwrap());
            text.push(s.schedule.to_union().unwrap());
            text.push(s.write.map.to_union().unwrap());
            text.extend(s.reads.iter().map(|r| r.map.to_union().unwrap()));
        }
        text
    };
    // Maps of different contexts cannot be compared, so the second program is read into the first one's.
    let again = ProgramText::of(other)
        .to_program(one.context.context())
        .unwrap();
    for (a, b) in union(one).iter().zip(&union(&again)) {
        assert!(a.is_equal(b).unwrap(), "{a} {b}");
    }
    for (a, b) in one.statements.iter().zip(&other.statements) {
        assert_eq!(
            (&a.name, &a.iterators, &a.value),
            (&b.name, &b.iterators, &b.value)
        );
        assert_eq!(a.write.array, b.write.array);
    }
    for (a, b) in one.arrays.iter().zip(&other.arrays) {
        assert_eq!(
            (&a.name, a.output, a.element),
            (&b.name, b.output, b.element)
        );
    }
}

#[test]
fn every_kernel_survives_the_round_trip() {
    for entry in catalogue::catalogue() {
        let program = common::kernel(entry.name);
        let text = ProgramText::of(&program);
        let json = serde_json::to_string(&text).unwrap();
        let text: ProgramText = serde_json::from_str(&json).unwrap();
        let again = text.to_program(&Context::new().unwrap()).unwrap();
        same(&program, &again);
        assert_eq!(
            ProgramText::of(&again)
                .to_program(&Context::new().unwrap())
                .unwrap()
                .name,
            program.name
        );
    }
}

#[test]
fn certificates_survive_json() {
    let certificate = common::matmul_certificate(true);
    let json = certificate.to_json().unwrap();
    assert_eq!(Certificate::from_json(&json).unwrap(), certificate);
    let odd = json.replacen("\"live\"", "\"alive\"", 1);
    assert_eq!(Certificate::from_json(&odd).unwrap_err().code(), "RB0601");
}

#[test]
fn long_sums_stay_flat() {
    let mut builder = ProgramBuilder::new("long", &["N"]);
    builder.array("x", &["N"], ElementType::F64, Role::Parameter);
    builder.array("y", &["N"], ElementType::F64, Role::Parameter);
    let sum = (1..200).fold(Expression::Read(0), |sum, k| sum + Expression::Integer(k));
    builder.statement(Assignment {
        name: "S0",
        iterators: "i",
        condition: "0 <= i < N",
        time: "i",
        write: "y[i]",
        reads: &["x[i]"],
        value: sum,
    });
    let program = builder.build().unwrap();
    let json = serde_json::to_string(&ProgramText::of(&program)).unwrap();
    let text: ProgramText = serde_json::from_str(&json).unwrap();
    same(
        &program,
        &text.to_program(&Context::new().unwrap()).unwrap(),
    );
}
