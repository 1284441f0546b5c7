//! Random programs and changed kernels: their bounds, in every model, against legal plays and exact optima.
//!
//! Nobody has looked at these programs, so nobody has made the proofs fit them. A few dozen run always, thousands with
//! `REDBLUE_SOAK=1`; `REDBLUE_SEEDS=100..200` runs a range of them, `REDBLUE_KERNEL=name` changes one kernel only.

use std::time::Duration;

use crate::arena::{Field, MODELS};
use redblue_bound::analysis::{Options, analyse};
use redblue_cert::Model;
use redblue_program::Program;
use redblue_program::c::{self, CInput};
use redblue_program::catalogue::{Entry, Source, catalogue};
use redblue_testkit::programs;
use redblue_testkit::sizes;
use redblue_testkit::sums::free_sums;

/// Longest search for bounds of one program.
const LIMIT: Duration = Duration::from_secs(10);

/// The program, if the front end understands all of it.
fn understood(text: &str) -> Option<Program> {
    let input = CInput {
        name: "random.c",
        text,
    };
    let reading = c::read(&input, &Default::default(), &|_| None);
    let whole = !reading.has_errors();
    reading
        .program
        .filter(|program| whole && program.omitted.is_empty())
}

/// Attacks the bounds of a program in one model; says how many claims were attacked.
fn attack(name: &str, text: &str, model: Model, vertices: usize, most: usize) -> usize {
    let Some(program) = understood(text) else {
        return 0;
    };
    let options = Options {
        model,
        time_limit: Some(LIMIT),
        ..Options::default()
    };
    // Set arithmetic may give up, which is no bound and no harm.
    let Ok(analysis) = analyse(&program, &options) else {
        return 0;
    };
    let Ok(free) = free_sums(&program) else {
        return 0;
    };
    let mut attacked = 0;
    for (sizes, arena) in sizes::adversarial(&program, &free, vertices, most) {
        let field = Field {
            name,
            arena: &arena,
            sizes: &sizes,
            capacities: 6,
        };
        match field.attack(&analysis.bounds) {
            Ok(stakes) => attacked += stakes,
            Err(violation) => panic!("{violation}\n{model:?}\n{text}"),
        }
    }
    attacked
}

/// The seeds asked for, or a few.
fn seeds(few: u64, many: u64) -> std::ops::Range<u64> {
    if let Ok(range) = std::env::var("REDBLUE_SEEDS")
        && let Some((from, to)) = range.split_once("..")
    {
        return from.parse().expect("a number")..to.parse().expect("a number");
    }
    match std::env::var_os("REDBLUE_SOAK").is_some_and(|value| value == "1") {
        true => 0..many,
        false => 0..few,
    }
}

#[test]
fn no_play_beats_a_bound_of_a_random_program() {
    let mut attacked = 0;
    let seeds = seeds(24, 4000);
    let many = seeds.clone().count();
    for seed in seeds {
        let model = MODELS[seed as usize % MODELS.len()];
        let text = programs::random(seed);
        attacked += attack(&format!("seed {seed}"), &text, model, 300, 4);
    }
    println!("{attacked} claims attacked");
    assert!(attacked > 10 * many, "{attacked}");
}

#[test]
fn no_play_beats_a_bound_of_a_changed_kernel() {
    let only = std::env::var("REDBLUE_KERNEL").ok();
    let wanted = |entry: &&Entry| only.as_deref().is_none_or(|name| name == entry.name);
    let kernels: Vec<(&str, &str)> = catalogue()
        .iter()
        .filter(wanted)
        .filter_map(|entry| match entry.source {
            Source::C(text) => Some((entry.name, text)),
            Source::Einsum(_) => None,
        })
        .collect();
    let mut attacked = 0;
    for seed in seeds(12, 4000) {
        let (name, text) = kernels[(seed as usize * 7) % kernels.len()];
        let model = MODELS[(seed as usize / 3) % MODELS.len()];
        let text = programs::mutant(text, seed);
        attacked += attack(&format!("{name} {seed}"), &text, model, 500, 4);
    }
    println!("{attacked} claims attacked");
    assert!(attacked > 0);
}
