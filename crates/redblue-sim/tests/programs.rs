//! Traces of programs: the same cells in the same order as the interpreter touches, for the whole catalogue.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;

use redblue_poly::UnionMap;
use redblue_program::c::{self, CInput};
use redblue_program::catalogue::catalogue;
use redblue_program::interpret::{Cell, Walk};
use redblue_program::reading::ReadOptions;
use redblue_program::{Program, Sizes};
use redblue_sim::nest::Nest;
use redblue_sim::{Grain, Recorded, SimError, Trace, lru, regular, run};

const LINE: Grain = Grain::Line { words: 4 };

fn read(text: &str) -> Program {
    let input = CInput {
        name: "test.c",
        text,
    };
    let reading = c::read(&input, &ReadOptions::default(), &|_| None);
    assert!(!reading.has_errors(), "{}", reading.render());
    reading.program.unwrap()
}

/// The cells the interpreter touches, array after array as the trace numbers them.
fn touched(program: &Program, sizes: &Sizes, nest: &Nest) -> Vec<(u32, bool)> {
    let mut cells = Vec::new();
    let number = |cell: &Cell| nest.shape().first_cell(cell.array.0) + cell.offset as u32;
    let walk = Walk::new(program, sizes).unwrap();
    walk.run(|step| {
        cells.extend(step.reads.iter().map(|cell| (number(cell), false)));
        cells.push((number(&step.write), true));
        Ok(())
    })
    .unwrap();
    cells
}

fn check(program: &Program, sizes: &Sizes) {
    let nest = Nest::of_program(program, sizes, None, Grain::Word).unwrap();
    let trace = Recorded::of(&nest);
    let shape = nest.shape();
    let found: Vec<(u32, bool)> = trace
        .accesses()
        .iter()
        .map(|a| (a.cell, shape.references()[a.reference as usize].write))
        .collect();
    assert_eq!(found, touched(program, sizes, &nest), "{}", program.name);
    for access in trace.accesses() {
        let array = shape.references()[access.reference as usize].array as usize;
        let first = shape.first_cell(array);
        assert!((first..first + shape.arrays()[array].cells).contains(&access.cell));
    }
}

/// Skipping what repeats changes nothing.
fn check_regular(program: &Program, sizes: &Sizes) {
    for grain in [Grain::Word, LINE] {
        let nest = Nest::of_program(program, sizes, None, grain).unwrap();
        for size in [3, 30] {
            let plain = run(lru::OneSize::new(nest.shape(), size).unwrap(), &nest);
            let skipped = regular::lru(&nest, size).unwrap();
            assert_eq!(skipped.traffic, plain, "{} S = {size}", program.name);
        }
    }
}

#[test]
fn the_catalogue_touches_what_the_interpreter_touches() {
    let mut checked = 0;
    for entry in catalogue() {
        let Some(program) = entry.read(&ReadOptions::default()).program else {
            continue;
        };
        let uniform: Sizes = program.params.iter().map(|p| (p.name.clone(), 6)).collect();
        // Kernels with more rows than columns and the like get descending sizes.
        let descending = program.params.iter().enumerate();
        let descending: Sizes = descending
            .map(|(at, p)| (p.name.clone(), (9 - at as i64).max(3)))
            .collect();
        let mut fitting = [descending, uniform].into_iter();
        if let Some(sizes) = fitting.find(|sizes| program.size_values(sizes).is_ok()) {
            check(&program, &sizes);
            check_regular(&program, &sizes);
            checked += 1;
        }
    }
    assert_eq!(checked, catalogue().len());
}

fn sizes(values: &[(&str, i64)]) -> Sizes {
    values
        .iter()
        .map(|&(n, v)| (n.into(), v))
        .collect::<BTreeMap<_, _>>()
}

const PRODUCT: &str = "
void product(int m, int n, int l, double A[m][l], double B[l][n], double C[m][n]) {
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < l; k++)
                C[i][j] += A[i][k] * B[k][j];
}";

/// The totals of theory L-7, by reordering one program.
#[test]
fn loop_orders_are_schedules() {
    let program = read(PRODUCT);
    let sizes = sizes(&[("m", 24), ("n", 32), ("l", 40)]);
    let totals = [
        "i, j, k", "j, i, k", "i, k, j", "k, i, j", "j, k, i", "k, j, i",
    ]
    .map(|order| {
        let text = format!("{{ S0[i, j, k] -> [{order}] }}");
        let order = UnionMap::parse(program.context.context(), &text).unwrap();
        let nest = Nest::of_program(&program, &sizes, Some(&order), LINE).unwrap();
        let plain = run(lru::OneSize::new(nest.shape(), 5).unwrap(), &nest);
        assert_eq!(regular::lru(&nest, 5).unwrap().traffic, plain);
        plain.loads()
    });
    assert_eq!(totals, [38592, 39168, 15600, 16320, 62720, 61760]);
}

#[test]
fn a_tiled_order_has_the_same_accesses() {
    let program = read(PRODUCT);
    let sizes = sizes(&[("m", 7), ("n", 8), ("l", 9)]);
    let text = "{ S0[i, j, k] -> [floor(i/4), floor(j/3), floor(k/2), i, j, k] }";
    let order = UnionMap::parse(program.context.context(), text).unwrap();
    let tiled = Nest::of_program(&program, &sizes, Some(&order), Grain::Word).unwrap();
    let original = Nest::of_program(&program, &sizes, None, Grain::Word).unwrap();
    let sorted = |nest: &Nest| {
        let mut accesses: Vec<(u32, u32)> = Recorded::of(nest)
            .accesses()
            .iter()
            .map(|a| (a.cell, a.reference))
            .collect();
        accesses.sort_unstable();
        accesses
    };
    assert_eq!(sorted(&tiled), sorted(&original));
    let loads = |nest: &Nest| run(lru::OneSize::new(nest.shape(), 24).unwrap(), nest).loads();
    assert!(loads(&tiled) < loads(&original));
}

#[test]
fn an_order_must_cover_all_instances() {
    let program = read(PRODUCT);
    let order =
        UnionMap::parse(program.context.context(), "{ S0[i, j, k] -> [i] : i < 2 }").unwrap();
    let sizes = sizes(&[("m", 4), ("n", 4), ("l", 4)]);
    let nest = Nest::of_program(&program, &sizes, Some(&order), Grain::Word);
    assert!(matches!(nest, Err(SimError::IncompleteOrder)));
}

#[test]
fn references_are_named_as_in_the_source() {
    let program = read(PRODUCT);
    let sizes = sizes(&[("m", 2), ("n", 2), ("l", 2)]);
    let nest = Nest::of_program(&program, &sizes, None, Grain::Word).unwrap();
    let names: Vec<&str> = nest
        .shape()
        .references()
        .iter()
        .map(|r| r.text.as_str())
        .collect();
    assert_eq!(
        names,
        ["S0: C[i, j]", "S0: A[i, k]", "S0: B[k, j]", "S0: C[i, j]"]
    );
}

/// The published figures of a 1024³ float gemm, 64-byte lines, from its C source.
#[test]
fn gemm_1024_from_source() {
    let program = read(
        "void gemm(int n, float A[n][n], float B[n][n], float C[n][n]) {
            for (int i = 0; i < n; i++) {
                for (int j = 0; j < n; j++)
                    C[i][j] *= 1.2f;
                for (int k = 0; k < n; k++)
                    for (int j = 0; j < n; j++)
                        C[i][j] += 1.5f * A[i][k] * B[k][j];
            }
        }",
    );
    let grain = Grain::Line { words: 16 };
    let nest = Nest::of_program(&program, &sizes(&[("n", 1024)]), None, grain).unwrap();
    for lines in [512, 8192] {
        let total = regular::lru(&nest, lines).unwrap().traffic.total();
        assert_eq!(total.accesses, 4_297_064_448);
        assert_eq!((total.compulsory, total.capacity()), (196_608, 67_043_328));
    }
}
