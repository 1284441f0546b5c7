//! The catalogue, end to end: every kernel at every small size of its header.
//!
//! Each test compares with something that does not use what it tests: arrays with compiled C, dependences
//! with the last writers of an execution, counts with enumeration.

mod compiled;
mod meaning;
mod signature;
mod volumes;

use num_bigint::BigInt;
use redblue_poly::Count;
use redblue_program::catalogue::{Entry, Source, catalogue};
use redblue_program::dataflow::oracle::LastWriters;
use redblue_program::interpret::{Cell, Memory, Value, Walk, interpret};
use redblue_program::reading::ReadOptions;
use redblue_program::{Dataflow, Program, Sizes};

use compiled::{Cells, Contents};

fn program(entry: &Entry) -> Program {
    let reading = entry.read(&ReadOptions::default());
    assert!(reading.diagnostics.is_empty(), "{}", reading.render());
    reading.program.expect("a program")
}

#[test]
fn every_kernel_is_a_valid_program_in_the_sizes_of_its_header() {
    for entry in catalogue() {
        let program = program(entry);
        program
            .validate()
            .unwrap_or_else(|error| panic!("{}: {error}", entry.name));
        assert!(program.omitted.is_empty(), "{}", entry.name);
        let mut sizes: Vec<&str> = program
            .params
            .iter()
            .map(|size| size.name.as_str())
            .collect();
        sizes.sort_unstable();
        assert_eq!(
            sizes,
            entry.sizes.keys().collect::<Vec<_>>(),
            "{}",
            entry.name
        );
    }
}

#[test]
fn the_interpreter_gives_the_arrays_of_compiled_c() {
    if !compiled::compiler_exists() {
        eprintln!("skipped: there is no C compiler `cc` to compare with");
        return;
    }
    let kernels: Vec<(&Entry, &str)> = catalogue()
        .iter()
        .filter_map(|entry| match entry.source {
            Source::C(text) => Some((entry, text)),
            Source::Einsum(_) => None,
        })
        .collect();
    for ((entry, _), runs) in kernels.iter().zip(compiled::runs(&kernels)) {
        let program = program(entry);
        for (sizes, run) in entry.small.iter().zip(runs) {
            let context = format!("{} at {sizes:?}", entry.name);
            assert_ne!(run.before, run.after, "{context} computes nothing");
            let mut memory = Memory::zeroed(&program, sizes).expect("memory");
            store(&program, &mut memory, &run.before);
            interpret(&program, sizes, &mut memory).expect(&context);
            for (array, expected) in &run.after {
                let wrong = difference(load(&program, &memory, array), expected);
                assert_eq!(wrong, None, "{context}: {array}");
            }
        }
    }
}

/// Puts data into the arrays they belong to.
fn store(program: &Program, memory: &mut Memory, cells: &Cells) {
    for (name, contents) in cells {
        let array = program.array_named(name).expect(name);
        let values: Vec<Value> = match contents {
            Contents::Integers(values) => values.iter().copied().map(Value::Integer).collect(),
            Contents::Reals(values) => values.iter().copied().map(Value::Double).collect(),
        };
        assert_eq!(
            values.len(),
            memory.layout().cells(array),
            "cells of {name}"
        );
        for (offset, value) in values.into_iter().enumerate() {
            memory.set(Cell { array, offset }, value);
        }
    }
}

fn load<'m>(program: &Program, memory: &'m Memory, name: &str) -> &'m [Value] {
    memory.array(program.array_named(name).expect(name))
}

/// What is wrong with the cells found, if anything. They must agree bit by bit, and nothing may be infinite
/// or undefined: that would compare nothing.
fn difference(found: &[Value], expected: &Contents) -> Option<String> {
    let same = match expected {
        Contents::Integers(expected) => found
            .iter()
            .map(|value| value.to_i64())
            .eq(expected.iter().copied()),
        Contents::Reals(expected) => {
            expected.iter().all(|value| value.is_finite())
                && found
                    .iter()
                    .map(|value| value.to_f64().to_bits())
                    .eq(expected.iter().map(|value| value.to_bits()))
        }
    };
    (!same).then(|| format!("{found:?} instead of {expected:?}"))
}

#[test]
fn the_comparison_rejects_what_is_wrong() {
    let reals = |values: &[f64]| Contents::Reals(values.to_vec());
    for (found, expected, same) in [
        (Value::Double(0.5), reals(&[0.5]), true),
        (Value::Double(1.0), reals(&[0.5]), false),
        (Value::Double(0.1 + 0.2), reals(&[0.3]), false),
        (Value::Double(f64::NAN), reals(&[f64::NAN]), false),
        (Value::Double(0.5), reals(&[0.5, 0.5]), false),
        (Value::Integer(2), Contents::Integers(vec![2]), true),
        (Value::Integer(2), Contents::Integers(vec![4]), false),
    ] {
        assert_eq!(difference(&[found], &expected).is_none(), same, "{found:?}");
    }
}

#[test]
fn dependences_are_those_of_an_execution() {
    for entry in catalogue() {
        let program = program(entry);
        let flow = Dataflow::of(&program).expect(entry.name);
        for sizes in &entry.small {
            let symbolic = LastWriters::by_dataflow(&program, &flow, sizes).expect(entry.name);
            let executed = LastWriters::by_execution(&program, sizes).expect(entry.name);
            assert_eq!(
                symbolic.difference(&executed),
                None,
                "{} at {sizes:?}",
                entry.name
            );
        }
        assert!(
            flow.undefined().expect(entry.name).is_empty(),
            "{} reads garbage",
            entry.name
        );
    }
}

#[test]
fn counted_domains_are_those_of_enumeration() {
    for entry in catalogue() {
        let program = program(entry);
        let counts: Vec<Count> = program
            .statements
            .iter()
            .map(|statement| statement.domain.count().expect(entry.name))
            .collect();
        for sizes in &entry.small {
            let executed = executed_instances(&program, sizes);
            let given = sizes
                .iter()
                .map(|(name, size)| (name.clone(), BigInt::from(*size)));
            let given = given.collect();
            for (position, count) in counts.iter().enumerate() {
                let counted = count.evaluate(&given).expect(entry.name);
                let statement = &program.statements[position];
                let context = format!("{} {} at {sizes:?}", entry.name, statement.name);
                assert_eq!(counted, BigInt::from(executed[position]), "{context}");
                let values = program.size_values(sizes).expect(entry.name);
                let domain = program
                    .set_at(&statement.domain, &values)
                    .expect(entry.name);
                let points = domain.points().expect(entry.name);
                assert_eq!(points.len(), executed[position], "{context}");
            }
        }
    }
}

/// How often each statement runs.
fn executed_instances(program: &Program, sizes: &Sizes) -> Vec<usize> {
    let mut executed = vec![0; program.statements.len()];
    let walk = Walk::new(program, sizes).expect("walk");
    walk.run(|step| {
        executed[step.statement.0] += 1;
        Ok(())
    })
    .expect("run");
    executed
}
