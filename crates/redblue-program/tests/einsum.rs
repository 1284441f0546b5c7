//! The einsum front end from the outside: programs, values, diagnostics, and that no text makes it panic.

use std::collections::BTreeMap;

use proptest::prelude::*;
use redblue_program::dataflow::oracle::LastWriters;
use redblue_program::interpret::{Memory, interpret};
use redblue_program::reading::ReadOptions;
use redblue_program::{Dataflow, ElementType, Program, Sizes, einsum};

fn program(text: &str) -> Program {
    let reading = einsum::read(text, &ReadOptions::default());
    assert!(reading.diagnostics.is_empty(), "{}", reading.render());
    let program = reading.program.expect("a program");
    program.validate().expect("a valid program");
    program
}

/// Statements and arrays, one per line.
fn check_program(text: &str, expected: &[&str]) {
    let program = program(text);
    let mut found: Vec<String> = program.statements.iter().map(|s| s.text.clone()).collect();
    found.push(
        program
            .arrays
            .iter()
            .map(|a| a.name.as_str())
            .collect::<Vec<_>>()
            .join(" "),
    );
    found.push(
        program
            .params
            .iter()
            .map(|p| p.name.as_str())
            .collect::<Vec<_>>()
            .join(" "),
    );
    assert_eq!(found, expected, "{text}");
    let outputs: Vec<&str> = program
        .arrays
        .iter()
        .filter(|a| a.output)
        .map(|a| a.name.as_str())
        .collect();
    assert_eq!(outputs, ["Out"], "{text}");
}

#[test]
fn programs() {
    let product = [
        "Out[i][j] = 0.0;",
        "Out[i][j] += A[i][k] * B[k][j];",
        "A B Out",
        "i k j",
    ];
    check_program("ik,kj->ij", &product);
    check_program(" i k, k j", &product);
    check_program("ij->ji", &["Out[j][i] = A[i][j];", "A Out", "i j"]);
    check_program("ii->i", &["Out[i] = A[i][i];", "A Out", "i"]);
    check_program("ii", &["Out = 0.0;", "Out += A[i][i];", "A Out", "i"]);
    check_program(",i->i", &["Out[i] = A * B[i];", "A B Out", "i"]);
    check_program("->", &["Out = A;", "A Out", ""]);
    // Operands are not called like labels.
    check_program(
        "AC,CB->AB",
        &[
            "Out[A][B] = 0.0;",
            "Out[A][B] += D[A][C] * E[C][B];",
            "D E Out",
            "A C B",
        ],
    );
    check_program(
        "ij,jk,kl->il",
        &[
            "Out[i][l] = 0.0;",
            "Out[i][l] += A[i][j] * B[j][k] * C[k][l];",
            "A B C Out",
            "i j k l",
        ],
    );
}

#[test]
fn the_element_type_is_the_callers() {
    let options = ReadOptions {
        dtype: Some(ElementType::C64),
        ..ReadOptions::default()
    };
    let program = einsum::read("ij->ji", &options).program.expect("a program");
    assert!(
        program
            .arrays
            .iter()
            .all(|array| array.element == ElementType::C64)
    );
}

#[test]
fn assumptions_restrict_the_sizes() {
    let options = ReadOptions {
        assumptions: vec!["i >= k && k > 2".to_string()],
        ..ReadOptions::default()
    };
    let program = einsum::read("ik,kj->ij", &options)
        .program
        .expect("a program");
    assert_eq!(program.assumptions, options.assumptions);
    let sizes = |i, k| Sizes::from([("i".into(), i), ("k".into(), k), ("j".into(), 1)]);
    assert!(program.size_values(&sizes(3, 3)).is_ok());
    assert!(program.size_values(&sizes(3, 4)).is_err());
    assert!(program.size_values(&sizes(3, 2)).is_err());
}

/// The dumbest einsum: all values of all labels, every product added to its cell.
fn by_enumeration(operands: &[&str], output: &str, sizes: &Sizes) -> BTreeMap<Vec<i64>, f64> {
    let labels: Vec<&String> = sizes.keys().collect();
    let mut points = vec![BTreeMap::new()];
    for label in labels {
        points = points
            .iter()
            .flat_map(|point| (0..sizes[label]).map(move |value| (point, value)))
            .map(|(point, value)| {
                let mut longer: BTreeMap<char, i64> = point.clone();
                longer.extend(label.chars().map(|letter| (letter, value)));
                longer
            })
            .collect();
    }
    let mut cells = BTreeMap::new();
    for point in points {
        let cell = |word: &str| {
            word.chars()
                .map(|letter| point[&letter])
                .collect::<Vec<i64>>()
        };
        let product: f64 = operands
            .iter()
            .enumerate()
            .map(|(n, word)| datum(n, &cell(word)))
            .product();
        *cells.entry(cell(output)).or_insert(0.0) += product;
    }
    cells
}

/// Small whole numbers, so that sums are exact in any order.
fn datum(operand: usize, cell: &[i64]) -> f64 {
    let mixed = cell
        .iter()
        .fold(operand as i64 + 2, |sum, subscript| 3 * sum + subscript);
    (mixed % 7 - 3) as f64
}

fn check_values(text: &str, sizes: &[(&str, i64)]) {
    let program = program(text);
    let sizes: Sizes = sizes
        .iter()
        .map(|(name, value)| (name.to_string(), *value))
        .collect();
    let names: Vec<String> = program
        .arrays
        .iter()
        .map(|array| array.name.clone())
        .collect();
    let mut memory = Memory::zeroed(&program, &sizes).expect("memory");
    let position = |name: &str| names.iter().position(|n| n == name).expect("array");
    memory
        .fill(&program, |name, cell| datum(position(name), cell))
        .expect("data");
    interpret(&program, &sizes, &mut memory).expect("values");

    let (operands, output) = program.name.split_once("->").expect("explicit");
    let expected = by_enumeration(&operands.split(',').collect::<Vec<_>>(), output, &sizes);
    let array = program.array_named("Out").expect("output");
    for (cell, value) in &expected {
        let offset = memory.layout().offset(array, cell).expect("inside");
        assert_eq!(
            memory.array(array)[offset].to_f64(),
            *value,
            "{text} {cell:?}"
        );
    }
    assert_eq!(memory.array(array).len(), expected.len(), "{text}");

    let flow = Dataflow::of(&program).expect("dataflow");
    let symbolic = LastWriters::by_dataflow(&program, &flow, &sizes).expect("instances");
    let executed = LastWriters::by_execution(&program, &sizes).expect("run");
    assert_eq!(symbolic.difference(&executed), None, "{text}");
}

#[test]
fn values_are_those_of_enumeration() {
    check_values("ik,kj->ij", &[("i", 3), ("j", 4), ("k", 5)]);
    check_values("ik,kj->ji", &[("i", 3), ("j", 4), ("k", 1)]);
    check_values("ij", &[("i", 2), ("j", 3)]);
    check_values("ii->i", &[("i", 4)]);
    check_values("ii", &[("i", 4)]);
    check_values("iji->j", &[("i", 3), ("j", 2)]);
    check_values("ij,ij->", &[("i", 3), ("j", 2)]);
    check_values("i,j->ij", &[("i", 3), ("j", 2)]);
    check_values("ij,jk,kl->il", &[("i", 2), ("j", 3), ("k", 2), ("l", 3)]);
    check_values(",ij,->j", &[("i", 3), ("j", 2)]);
    check_values("->", &[]);
    check_values("Ba,aB->B", &[("B", 3), ("a", 2)]);
}

/// Every diagnostic of the front end as users see it; read the snapshot when it changes.
#[test]
fn diagnostics() {
    let plain = ReadOptions::default();
    let sized = ReadOptions {
        defines: BTreeMap::from([
            ("i".to_string(), 4),
            ("I".to_string(), 4),
            ("x".to_string(), 4),
        ]),
        ..ReadOptions::default()
    };
    let outputs = ReadOptions {
        outputs: Some(vec!["A".to_string()]),
        ..ReadOptions::default()
    };
    let assume = |condition: &[&str]| ReadOptions {
        assumptions: condition.iter().map(|text| text.to_string()).collect(),
        ..ReadOptions::default()
    };
    let (strange, contradictory) = (assume(&["i >= n", "i +"]), assume(&["i > 3", "i < 3"]));
    let mut shown = String::new();
    for (text, options) in [
        ("...ij,...jk->...ik", &plain),
        ("i..j", &plain),
        ("i1j,j2k->ik", &plain),
        ("'ij,jk->ik'", &plain),
        ("[i,j],[j,k]->[i,k]", &plain),
        ("ij*jk->ik", &plain),
        ("ij;jk->ik", &plain),
        ("αβ,βγ->αγ", &plain),
        ("i_1,j->ij", &plain),
        ("ik,kj->ijl", &plain),
        ("ij->jii", &plain),
        ("ik,kj->ij->ji", &plain),
        ("ik,kj=>ij", &plain),
        ("ik,kj- >ij", &plain),
        ("ik,kj→ij", &plain),
        ("ij->i,j", &plain),
        ("pS,Sj->pj", &plain),
        ("ik,kj->ij", &sized),
        ("ik,kj->ij", &outputs),
        ("ik,kj->ij", &strange),
        ("ik,kj->ij", &contradictory),
    ] {
        let reading = einsum::read(text, options);
        assert!(reading.program.is_none() && reading.has_errors(), "{text}");
        shown += &format!("# {text}\n{}\n", reading.render());
    }
    insta::assert_snapshot!(shown);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn any_text_is_read_or_refused(text in "\\PC{0,40}") {
        let reading = einsum::read(&text, &ReadOptions::default());
        prop_assert_eq!(reading.program.is_some(), !reading.has_errors());
        reading.render();
    }

    #[test]
    fn any_notation_is_read_or_refused(text in "[a-dS, ]{0,12}(->|-|>|\\.\\.\\.)?[a-d ,>]{0,5}") {
        let reading = einsum::read(&text, &ReadOptions::default());
        prop_assert_eq!(reading.program.is_some(), !reading.has_errors());
        reading.render();
        if let Some(program) = reading.program {
            program.validate().expect("a valid program");
        }
    }
}
