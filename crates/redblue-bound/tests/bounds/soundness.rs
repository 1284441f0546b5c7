//! Every bound of every catalogue kernel against legal plays: never above any of them (T-4).
//!
//! Always: every kernel at one of its small sizes, in one of the four models, a few memories. With `REDBLUE_SOAK=1`: every
//! model, at the kernel's small sizes and at adversarial ones (all equal, one of them 1 or 2, one large, M = N + 1, and empty ones),
//! with memories around every array size, every product of sizes, and their roots. `REDBLUE_KERNEL=name` runs one.

use std::time::Duration;

use crate::arena::{Field, MODELS};
use redblue_bound::analysis::{Analysis, Options, analyse};
use redblue_cert::Model;
use redblue_program::catalogue::{self, Entry};
use redblue_program::{Program, Sizes};
use redblue_testkit::sums::free_sums;
use redblue_testkit::{Arena, sizes};

/// Largest graph that is played on.
const VERTICES: usize = 4_000;

/// The kernels of the catalogue, or the one that is asked for.
fn kernels() -> impl Iterator<Item = (usize, &'static Entry)> {
    let only = std::env::var("REDBLUE_KERNEL").ok();
    let wanted = move |entry: &Entry| only.as_deref().is_none_or(|name| name == entry.name);
    let all = catalogue::catalogue().iter().enumerate();
    all.filter(move |(_, entry)| wanted(entry))
}

fn analysis(program: &Program, model: Model, seconds: u64) -> Analysis {
    let options = Options {
        model,
        time_limit: Some(Duration::from_secs(seconds)),
        ..Options::default()
    };
    analyse(program, &options).unwrap_or_else(|error| panic!("{}: {error}", program.name))
}

/// Attacks all bounds at some sizes; says how many claims were attacked.
fn attack(
    name: &str,
    analysis: &Analysis,
    arena: &Arena,
    sizes: &Sizes,
    capacities: usize,
) -> usize {
    let field = Field {
        name,
        arena,
        sizes,
        capacities,
    };
    let attacked = field.attack(&analysis.bounds);
    attacked.unwrap_or_else(|violation| panic!("{violation}"))
}

#[test]
fn no_play_beats_a_bound_of_any_kernel() {
    // On a busy machine the time may be up before anything is found for some.
    let mut attacked = 0;
    for (position, entry) in kernels() {
        let program = entry.read(&Default::default()).program.expect("a program");
        let model = MODELS[position % MODELS.len()];
        let analysis = analysis(&program, model, 1);
        let free = free_sums(&program).expect("sums");
        let arenas = entry.small.iter().filter_map(|sizes| {
            let arena = Arena::of_program(&program, sizes, &free, VERTICES).ok()?;
            Some((arena.graph().len(), sizes, arena))
        });
        let smallest = arenas.min_by_key(|(vertices, ..)| *vertices);
        let (_, sizes, arena) = smallest.expect("a small graph");
        attacked += attack(entry.name, &analysis, &arena, sizes, 4);
    }
    assert!(attacked > 0);
}

/// Kernels of every kind that are quick to analyse.
const QUICK: &[&str] = &[
    "matmul",
    "gemm",
    "trmm",
    "syrk",
    "doitgen",
    "lu",
    "cholesky",
    "jacobi-1d",
    "floyd-warshall",
    "ab-cad-dcb",
];

/// With no time limit that matters, so that none of these is passed over on a busy machine.
#[test]
fn no_play_beats_a_bound_of_a_few_kernels_in_any_model() {
    for (_, entry) in kernels().filter(|(_, entry)| QUICK.contains(&entry.name)) {
        let program = entry.read(&Default::default()).program.expect("a program");
        let free = free_sums(&program).expect("sums");
        for model in MODELS {
            let analysis = analysis(&program, model, 3_600);
            let attacked = entry.small.iter().filter_map(|sizes| {
                let arena = Arena::of_program(&program, sizes, &free, VERTICES).ok()?;
                Some(attack(entry.name, &analysis, &arena, sizes, 10))
            });
            assert!(attacked.sum::<usize>() > 0, "{} {model:?}", entry.name);
        }
    }
}

/// Hours.
#[test]
fn no_play_beats_a_bound_of_any_kernel_at_hundreds_of_sizes() {
    if std::env::var_os("REDBLUE_SOAK").is_none_or(|value| value != "1") {
        println!("skipped: set REDBLUE_SOAK=1");
        return;
    }
    for (_, entry) in kernels() {
        let program = entry.read(&Default::default()).program.expect("a program");
        let free = free_sums(&program).expect("sums");
        let mut arenas: Vec<(Sizes, Arena)> = entry
            .small
            .iter()
            .filter_map(|sizes| {
                let arena = Arena::of_program(&program, sizes, &free, VERTICES).ok()?;
                Some((sizes.clone(), arena))
            })
            .collect();
        arenas.extend(sizes::adversarial(&program, &free, 1_000, 24));
        for model in MODELS {
            let analysis = analysis(&program, model, 120);
            let attacked: usize = arenas
                .iter()
                .map(|(sizes, arena)| attack(entry.name, &analysis, arena, sizes, 16))
                .sum();
            println!("{} {model:?}: {attacked} claims", entry.name);
            assert!(attacked > 100, "{}: {attacked}", entry.name);
        }
    }
}
