//! The scenarios of the COSMA paper (C-25) as a table of predicted volumes: words that the busiest rank sends or
//! receives, for our plan and for the usual decompositions, as multiples of the bound (C-13).
//!
//! `cargo run --release -p redblue-dist --example scenarios [-- SCENARIO]`, a few minutes for all of them.

use redblue_dist::baseline::baselines;
use redblue_dist::bound::equal_work;
use redblue_dist::plan::{PlanError, Problem, search};
use redblue_dist::shape::Shape;

/// Name and sizes; the last two are matrices of the random-phase approximation for 64 and 128 molecules of water.
const SCENARIOS: [(&str, Shape); 6] = [
    (
        "square",
        Shape {
            m: 16384,
            n: 16384,
            k: 16384,
        },
    ),
    (
        "large k",
        Shape {
            m: 1024,
            n: 1024,
            k: 1 << 20,
        },
    ),
    (
        "large m",
        Shape {
            m: 1 << 20,
            n: 1024,
            k: 1024,
        },
    ),
    (
        "flat",
        Shape {
            m: 65536,
            n: 65536,
            k: 1024,
        },
    ),
    (
        "water 64",
        Shape {
            m: 136 * 64,
            n: 136 * 64,
            k: 228 * 64 * 64,
        },
    ),
    (
        "water 128",
        Shape {
            m: 136 * 128,
            n: 136 * 128,
            k: 228 * 128 * 128,
        },
    ),
];

/// Powers of two, one more, primes, and a whole machine.
const RANKS: [u64; 8] = [64, 65, 509, 512, 2048, 4099, 9217, 18_432];

/// Characters of a plan that is printed.
const LONGEST: usize = 60;

/// Memory of a rank: unlimited, twice its share of the data ("limited memory"), or twice its share times ∛p ("extra
/// memory"), with how it is written.
fn memories(shape: Shape, ranks: u64) -> [(&'static str, Option<u128>); 3] {
    let share = |times: u64| Some(u128::from(times) * shape.words() / u128::from(ranks));
    let root = (1..).take_while(|root| root * root * root <= ranks).last();
    [
        ("–", None),
        ("2×", share(2)),
        ("2·∛p×", share(2 * root.unwrap_or(1))),
    ]
}

fn main() -> Result<(), PlanError> {
    println!(
        "| scenario | p | memory | bound | plan | 1D | 2D | 2.5D | recursive | grid or tree |"
    );
    println!("|---|--:|---|--:|--:|--:|--:|--:|--:|---|");
    let wanted = std::env::args().nth(1);
    let scenarios = SCENARIOS
        .into_iter()
        .filter(|(name, _)| wanted.as_deref().is_none_or(|wanted| wanted == *name));
    for (name, shape) in scenarios {
        for ranks in RANKS {
            for (limit, memory) in memories(shape, ranks) {
                let (plan, summary) = search(&Problem {
                    shape,
                    ranks,
                    memory,
                })?;
                let others = baselines(shape, ranks, memory)?;
                let bound = equal_work(shape, ranks).per_rank();
                let times = |volume: u128| format!("{:.2}", volume as f64 / bound.max(1) as f64);
                let volumes = [
                    summary.volume,
                    others.one_d.volume,
                    others.two_d.volume,
                    others.two_and_half_d.volume,
                    others.recursive.volume,
                ];
                let volumes = volumes.map(times).join(" | ");
                let text = match plan.to_string() {
                    text if text.len() > LONGEST => "an uneven tree".to_owned(),
                    text => format!("`{text}`"),
                };
                println!("| {name} | {ranks} | {limit} | {bound} | {volumes} | {text} |");
            }
        }
    }
    Ok(())
}
