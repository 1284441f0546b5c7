//! Every bound of every catalogue kernel against legal plays at small sizes: never above any of them.

use crate::common::{LOADS, bounds};
use redblue_cert::{LowerBound, Model, Sums};
use redblue_math::Assignment;
use redblue_program::catalogue::{self, Entry};
use redblue_program::{Program, Sizes};
use redblue_testkit::sums::free_sums;
use redblue_testkit::{Arena, Effort, Stake, Verdict, capacities};

/// Memory sizes per kernel and size.
const CAPACITIES: usize = 10;

fn game(model: Model) -> redblue_testkit::Model {
    redblue_testkit::Model {
        recompute: model.recompute,
        sums: match model.sums {
            Sums::Fixed => redblue_testkit::Sums::Fixed,
            Sums::Free => redblue_testkit::Sums::Free,
        },
        ..redblue_testkit::Model::LOADS
    }
}

/// Attacks bounds on loads at one size; says how many claims were attacked.
fn attack(name: &str, program: &Program, bounds: &[LowerBound], sizes: &Sizes) -> usize {
    let free = free_sums(program).expect("sums");
    let Ok(arena) = Arena::of_program(program, sizes, &free, Effort::QUICK.vertices) else {
        return 0;
    };
    let all = capacities::adversarial(&arena, &redblue_testkit::Model::LOADS.game());
    let step = all.len().div_ceil(CAPACITIES).max(1);
    let mut stakes = Vec::new();
    let mut owners = Vec::new();
    for bound in bounds {
        for &capacity in all.iter().step_by(step) {
            let mut at = Assignment::new().with("S", capacity as i64);
            for (name, value) in sizes {
                at.set(name.as_str(), *value);
            }
            // Outside its own conditions a bound says nothing.
            let Ok(value) = bound.at(&at) else { continue };
            stakes.push(Stake {
                capacity,
                model: game(bound.model()),
                value: u64::try_from(value).expect("fits"),
            });
            owners.push(bound);
        }
    }
    let verdicts = arena.attack(&stakes, &Effort::QUICK).expect("playable");
    for ((stake, bound), verdict) in stakes.iter().zip(owners).zip(verdicts) {
        if let Verdict::Broken { io, by, .. } = verdict {
            panic!(
                "{name} {sizes:?} S={}: {} claims {} ({}), {by:?} needs {io}",
                stake.capacity,
                bound.method(),
                stake.value,
                bound.loads(),
            );
        }
    }
    stakes.len()
}

fn check(entry: &Entry, model: Model) -> usize {
    let program = entry.read(&Default::default()).program.expect("a program");
    let analysis = bounds(&program, model);
    let attacked = entry
        .small
        .iter()
        .map(|sizes| attack(entry.name, &program, &analysis.bounds, sizes));
    attacked.sum()
}

/// Attacks the bounds of all kernels, or of the one that is asked for.
fn check_all(model: Model, wanted: impl Fn(&str) -> bool) {
    let only = std::env::var("REDBLUE_KERNEL").ok();
    let mut attacked = 0;
    for entry in catalogue::catalogue()
        .iter()
        .filter(|entry| wanted(entry.name))
    {
        if only.as_ref().is_none_or(|name| name == entry.name) {
            attacked += check(entry, model);
        }
    }
    assert!(attacked > 0 || only.is_some());
}

/// A quarter of an hour, so only with the other long attacks.
#[test]
fn no_play_beats_a_bound() {
    if std::env::var_os("REDBLUE_SOAK").is_none_or(|value| value != "1") {
        println!("skipped: set REDBLUE_SOAK=1");
        return;
    }
    check_all(LOADS, |_| true);
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

#[test]
fn no_play_beats_a_bound_of_a_few_kernels() {
    check_all(LOADS, |name| QUICK.contains(&name));
}

#[test]
fn no_play_with_recomputation_beats_a_bound_that_allows_it() {
    let model = Model {
        recompute: true,
        ..LOADS
    };
    check_all(model, |name| QUICK.contains(&name));
}

#[test]
fn no_order_of_sums_beats_a_bound_that_allows_all() {
    let model = Model {
        sums: Sums::Free,
        ..LOADS
    };
    check_all(model, |name| QUICK.contains(&name));
}
