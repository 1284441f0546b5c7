//! Schedules against bounds: the ratios that are promised, and the order bound ≤ played ≤ proven.

#![allow(clippy::unwrap_used)]

#[path = "../examples/schedules/cases.rs"]
mod cases;

use cases::PROMISES;
use num_bigint::BigInt;
use redblue::program::catalogue::{Entry, catalogue, find};
use redblue::program::{Program, Sizes};
use redblue::tile::{Tiled, bounds};
use redblue_schedule::Options;
use redblue_sim::nest::Nest;
use redblue_sim::{Grain, Trace as _, opt, run};

fn soak() -> bool {
    std::env::var_os("REDBLUE_SOAK").is_some()
}

fn tiled(program: &Program, sizes: &Sizes, words: u64) -> Option<Tiled> {
    let options = Options {
        model: Default::default(),
        fast: vec![words],
        sizes: sizes.clone(),
        time_limit: None,
    };
    let bounds = bounds(program, &options).unwrap();
    // A memory that does not hold the operands of a statement is refused.
    Tiled::of(program, &options, &bounds).ok()
}

fn given(text: &str) -> Sizes {
    let part = |part: &str| {
        let (name, value) = part.split_once('=').unwrap();
        (name.to_owned(), value.parse().unwrap())
    };
    text.split(',').map(part).collect()
}

/// Quick for a few kernels; `REDBLUE_SOAK=1` takes all.
#[test]
fn promised_ratios_are_kept() {
    let quick = [
        "gemm",
        "doitgen",
        "abcdef-dega-gfbc",
        "abcd-dbea-ec",
        "atax",
        "trisolv",
        "lu",
    ];
    let mut wrong = Vec::new();
    for promise in PROMISES {
        if !soak() && !quick.contains(&promise.kernel) {
            continue;
        }
        let entry = find(promise.kernel).unwrap();
        let program = entry.read(&Default::default()).program.unwrap();
        let tiled = tiled(&program, &given(promise.sizes), promise.words).unwrap();
        let (moved, lower) = (tiled.tiling.cost(), tiled.lower.unwrap());
        if &moved * 100 > &lower * promise.hundredths {
            wrong.push(format!("{}: {moved} against {lower}", promise.kernel));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What is wrong with the order bound ≤ played ≤ proven, if anything is.
fn disorder(entry: &Entry, sizes: &Sizes, words: u64) -> Option<String> {
    let program = entry.read(&Default::default()).program.unwrap();
    let tiled = tiled(&program, sizes, words)?;
    let nest = Nest::of_program(&tiled.tiling.program, sizes, None, Grain::Word).unwrap();
    let traffic = run(opt::OneSize::new(nest.shape(), words).unwrap(), &nest);
    let played = BigInt::from(traffic.loads() + traffic.stores());
    let (lower, proven) = (tiled.lower.unwrap_or_default(), tiled.tiling.cost());
    (lower > played || played > proven).then(|| {
        format!(
            "{} {sizes:?} S = {words}: {lower} {played} {proven}",
            entry.name
        )
    })
}

#[test]
fn bounds_are_below_what_is_played_and_that_is_below_what_is_proven() {
    let quick = [
        "gemm",
        "atax",
        "trisolv",
        "jacobi-1d",
        "mvt",
        "lu",
        "ab-ac-cb",
    ];
    let mut wrong = Vec::new();
    for entry in catalogue() {
        if !soak() && !quick.contains(&entry.name) {
            continue;
        }
        let sizes = if soak() {
            &entry.small[..]
        } else {
            &entry.small[..1]
        };
        let memories: &[u64] = if soak() { &[6, 11, 24, 60] } else { &[11, 24] };
        for sizes in sizes {
            for words in memories {
                wrong.extend(disorder(entry, sizes, *words));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// C-7 and C-8: an a × b block of the product stays, a column piece stays, the rest is streamed.
#[test]
fn products_move_no_more_than_the_best_integer_blocks() {
    let (m, n, k) = (120, 110, 40);
    let entry = find("ab-ac-cb").unwrap();
    let program = entry.read(&Default::default()).program.unwrap();
    for (words, a, b) in [(16, 3, 4), (64, 7, 8), (100, 9, 10), (256, 15, 16)] {
        let tiled = tiled(&program, &given(&format!("a={m},b={n},c={k}")), words).unwrap();
        let blocks = |size: u64, side: u64| size.div_ceil(side);
        let most = k * (m * blocks(n, b) + n * blocks(m, a)) + m * n;
        let moved = tiled.tiling.cost();
        assert!(moved <= BigInt::from(most), "S = {words}: {moved} > {most}");
    }
}
