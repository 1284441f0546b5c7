//! How close plans come to the bound, for every number of ranks, and what they cost under memory limits.

use std::time::Instant;

use proptest::prelude::*;
use proptest::test_runner::{RngAlgorithm, TestRng, TestRunner};
use redblue_dist::bound::{equal_work, limited_memory};
use redblue_dist::plan::{
    MOST_RANKS, Plan, PlanError, Problem, Schedule, Stop, Summary, Tree, search, search_until,
};
use redblue_dist::{Matrix, Shape};
use redblue_math::random::Random;

const SHAPES: [Shape; 5] = [
    Shape {
        m: 1024,
        n: 1024,
        k: 1024,
    },
    Shape {
        m: 2048,
        n: 2048,
        k: 2048,
    },
    Shape {
        m: 256,
        n: 256,
        k: 65536,
    },
    Shape {
        m: 65536,
        n: 256,
        k: 256,
    },
    Shape {
        m: 4096,
        n: 4096,
        k: 256,
    },
];

fn found(shape: Shape, ranks: u64, memory: Option<u128>) -> (Plan, Summary) {
    search(&Problem {
        shape,
        ranks,
        memory,
    })
    .expect("a plan")
}

fn grids(shape: Shape, ranks: u64) -> impl Iterator<Item = ([u64; 3], Shape)> {
    (1..=ranks.min(shape.m)).flat_map(move |pm| {
        (1..=(ranks / pm).min(shape.n)).flat_map(move |pn| {
            (1..=(ranks / pm / pn).min(shape.k)).map(move |pk| {
                let brick = Shape::new(
                    shape.m.div_ceil(pm),
                    shape.n.div_ceil(pn),
                    shape.k.div_ceil(pk),
                );
                ([pm, pn, pk], brick)
            })
        })
    })
}

/// Grids that give no rank more than 3 % more work: a single rank would move nothing.
fn even_grids(shape: Shape, ranks: u64) -> impl Iterator<Item = ([u64; 3], Shape)> {
    grids(shape, ranks)
        .filter(move |(_, brick)| brick.work() * u128::from(ranks) * 100 <= 103 * shape.work())
}

/// Ten thousand times the volume of a grid (C-15): its fractions are rounded down, far below a percent.
fn volume_scaled(brick: Shape, grid: [u64; 3]) -> u128 {
    let moved = |matrix: Matrix| {
        let users = u128::from(grid[matrix.missing().index()]);
        10_000 * brick.face(matrix) * (users - 1) / users
    };
    Matrix::ALL.into_iter().map(moved).sum()
}

/// Percent of the bound that the plan of this many ranks may move.
fn allowed(shape: Shape, ranks: u64) -> u128 {
    let bound = equal_work(shape, ranks).total;
    let near = |(grid, brick): ([u64; 3], Shape)| {
        volume_scaled(brick, grid) * u128::from(ranks) <= 10_500 * bound
    };
    if even_grids(shape, ranks).any(near) {
        return 110;
    }
    match ranks {
        2 => 129,
        3 => 152,
        4..=7 => 130,
        8..=33 => 120,
        _ => 108,
    }
}

fn check(shape: Shape, ranks: u64) {
    let (plan, summary) = found(shape, ranks, None);
    let bound = equal_work(shape, ranks);
    let allowed = allowed(shape, ranks);
    let context = format!(
        "{plan} for {shape} on {ranks}: {} of {}",
        summary.volume * u128::from(ranks),
        bound.total
    );
    assert!(
        summary.volume * u128::from(ranks) * 100 <= allowed * bound.total,
        "above {allowed} %: {context}"
    );
    assert!(
        summary.volume >= bound.per_rank() || summary.work * u128::from(ranks) > shape.work(),
        "below: {context}"
    );
    assert!(
        summary.volume >= summary.bound.per_rank(),
        "below the bound of its own work: {context}"
    );
    assert!(
        summary.work * u128::from(ranks) * 100 <= 103 * shape.work(),
        "more work: {context}"
    );
}

#[test]
fn every_rank_count_on_the_five_shapes() {
    for shape in SHAPES {
        for ranks in 2..=64 {
            check(shape, ranks);
        }
    }
}

#[test]
fn ragged_shapes() {
    let config = ProptestConfig {
        cases: 96,
        failure_persistence: None,
        ..ProptestConfig::default()
    };
    let mut runner =
        TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    let shapes = (2u64..=64).prop_flat_map(|ranks| {
        (
            Just(ranks),
            [
                16 * ranks..64 * ranks,
                16 * ranks..64 * ranks,
                16 * ranks..200 * ranks,
            ],
        )
    });
    runner
        .run(&shapes, |(ranks, [m, n, k])| {
            check(Shape::new(m, n, k), ranks);
            Ok(())
        })
        .unwrap();
}

/// T-7: no grid of any number of ranks moves less than the bound.
#[test]
fn no_grid_beats_the_bound() {
    for shape in SHAPES
        .into_iter()
        .chain([Shape::new(960, 480, 240), Shape::new(97, 89, 83)])
    {
        for ranks in 1..=64 {
            for (grid, brick) in
                grids(shape, ranks).filter(|(grid, _)| grid.iter().product::<u64>() == ranks)
            {
                let bound = equal_work(shape, ranks).total;
                // Rounded down three times, one part in ten thousand of a word each.
                assert!(
                    (volume_scaled(brick, grid) + 3) * u128::from(ranks) >= 10_000 * bound,
                    "{grid:?} {shape}"
                );
            }
        }
    }
}

/// C-13: the grids that attain the bound exactly, counted rank by rank.
#[test]
fn grids_that_attain_the_bound() {
    let long = Shape::new(9600, 2400, 600);
    let cases = [
        (long, [3, 1, 1], 960_000),
        (long, [12, 3, 1], 760_000),
        (Shape::new(1000, 1000, 1000), [4, 4, 4], 140_625),
    ];
    for (shape, grid, volume) in cases {
        let tree = Tree::grid(grid);
        let plan = Plan::new(shape, tree.ranks(), tree, Schedule::WHOLE).unwrap();
        let summary = plan.summary();
        assert_eq!(
            (summary.volume, summary.bound.per_rank()),
            (volume, volume),
            "{grid:?}"
        );
        assert_eq!(found(shape, plan.ranks(), None).1.volume, volume);
    }
    // 210 937.5 words cannot be moved by every rank: one half more or less.
    let tree = Tree::grid([32, 8, 2]);
    assert_eq!(
        Plan::new(long, 512, tree, Schedule::WHOLE)
            .unwrap()
            .summary()
            .bound
            .total,
        108_000_000
    );
}

/// The table of published volumes: megabytes received by the busiest rank, of the best of COSMA, ScaLAPACK and CTF.
#[test]
fn never_more_than_published_programs() {
    let table = [
        (Shape::new(1024, 1024, 1024), 4, 4.19),
        (Shape::new(1024, 1024, 1024), 7, 6.72),
        (Shape::new(1024, 1024, 1024), 8, 3.15),
        (Shape::new(1024, 1024, 1024), 13, 6.72),
        (Shape::new(1024, 1024, 1024), 16, 2.62),
        (Shape::new(2048, 2048, 2048), 7, 28.80),
        (Shape::new(2048, 2048, 2048), 13, 30.23),
        (Shape::new(256, 256, 65536), 8, 0.46),
        (Shape::new(256, 256, 65536), 13, 0.49),
        (Shape::new(4096, 4096, 256), 7, 7.21),
        (Shape::new(4096, 4096, 256), 13, 7.77),
        (Shape::new(65536, 256, 256), 4, 0.394),
    ];
    for (shape, ranks, megabytes) in table {
        let volume = found(shape, ranks, None).1.volume as f64 * 8e-6;
        // The table has two decimals.
        assert!(volume <= megabytes + 0.005, "{shape} on {ranks}: {volume}");
    }
}

/// The least volume of a grid that streams panels against resident partial sums in so many words (C-15, C-17), own
/// data included, one outer product at a time and without double buffering.
fn least_grid(shape: Shape, ranks: u64, memory: u128) -> Option<u128> {
    let fits = |grid: [u64; 3], brick: Shape| {
        let own = |matrix: Matrix| brick.face(matrix) / u128::from(grid[matrix.missing().index()]);
        let panels = u128::from(brick.m) + u128::from(brick.n);
        own(Matrix::A) + own(Matrix::B) + brick.face(Matrix::C) + panels <= memory
    };
    let volumes = even_grids(shape, ranks)
        .filter(|&(grid, brick)| fits(grid, brick))
        .map(|(grid, brick)| volume_scaled(brick, grid));
    volumes.min().map(|volume| volume / 10_000)
}

/// A plan within a memory of so many tenths of a rank's own data, against the best grid that fits it.
fn check_limited(shape: Shape, ranks: u64, tenths: u128) {
    let memory = shape.words() * tenths / 10 / u128::from(ranks);
    let (plan, summary) = found(shape, ranks, Some(memory));
    let context = format!("{plan} for {shape} on {ranks} with {memory} words");
    assert!(
        summary.memory.total() <= memory,
        "{context}: {:?}",
        summary.memory
    );
    assert!(
        summary.volume >= limited_memory(shape, ranks, memory),
        "{context}"
    );
    if let Some(least) = least_grid(shape, ranks, memory) {
        assert!(
            summary.volume * 100 <= 115 * least,
            "{context}: {} against {least}",
            summary.volume
        );
    }
}

#[test]
fn limited_memory_costs_little_more_than_the_best_grid() {
    let shapes = SHAPES
        .into_iter()
        .chain([Shape::new(1000, 700, 1900), Shape::new(517, 2049, 333)]);
    for shape in shapes {
        for ranks in [4, 8, 12, 16, 30, 48, 64] {
            for tenths in [13, 15, 20, 30, 60] {
                check_limited(shape, ranks, tenths);
            }
        }
    }
}

#[test]
fn limited_memory_on_random_shapes() {
    let cases = match std::env::var_os("REDBLUE_SOAK") {
        Some(_) => 1000,
        None => 80,
    };
    let mut random = Random::new(11);
    for _ in 0..cases {
        let ranks = 2 + random.below(63) as u64;
        let mut length = |most: usize| 16 * ranks + random.below(most * ranks as usize) as u64;
        let shape = Shape::new(length(48), length(48), length(184));
        check_limited(shape, ranks, 13 + random.below(48) as u128);
    }
}

#[test]
fn too_little_memory_is_an_error_that_says_how_much() {
    let shape = Shape::new(100, 100, 100);
    let error = search(&Problem {
        shape,
        ranks: 4,
        memory: Some(100),
    })
    .unwrap_err();
    let text = error.to_string();
    assert!(
        text.contains("the limit is 100") && text.contains("words are missing"),
        "{text}"
    );
}

#[test]
fn more_ranks_than_products() {
    for (shape, ranks) in [
        (Shape::new(2, 2, 2), 9),
        (Shape::new(1, 1, 1), 1000),
        (Shape::new(3, 1, 2), 7),
        (Shape::new(0, 5, 5), 3),
    ] {
        let (plan, summary) = found(shape, ranks, None);
        assert_eq!(u128::from(summary.busy), shape.work(), "{plan}");
        assert!(summary.work <= 1);
    }
}

#[test]
fn many_ranks() {
    for (shape, ranks) in [
        (Shape::new(16384, 16384, 16384), 18_432),
        (Shape::new(100_000, 100_000, 100_000), 1_000_003),
    ] {
        let (plan, summary) = found(shape, ranks, None);
        let bound = equal_work(shape, ranks);
        assert!(
            summary.volume * u128::from(ranks) * 100 <= 103 * bound.total,
            "{plan}"
        );
        // A plan for a million ranks is summed up from a few of them.
        assert!(plan.classes().len() <= 10_000, "{}", plan.classes().len());
    }
}

/// The most ranks there can be, with sizes that divide by nothing, and with next to nothing to do.
#[test]
fn the_most_ranks() {
    for ([m, n, k], percent) in [
        ([1_000_003, 999_983, 1_000_033], Some(103)),
        ([5, 5, 5], None),
        ([0, 7, 9], None),
    ] {
        let shape = Shape::new(m, n, k);
        let (plan, summary) = found(shape, MOST_RANKS, None);
        let bound = equal_work(shape, MOST_RANKS);
        assert!(summary.busy <= MOST_RANKS && u128::from(summary.busy) <= shape.work());
        if let Some(percent) = percent {
            let volume = summary.volume * u128::from(MOST_RANKS);
            assert!(
                volume * 100 <= percent * bound.total,
                "{plan}: {}",
                summary.volume
            );
            assert!(summary.volume >= summary.bound.per_rank(), "{plan}");
        }
    }
    let problem = Problem {
        shape: Shape::new(100, 100, 100),
        ranks: MOST_RANKS + 1,
        memory: None,
    };
    assert!(matches!(search(&problem), Err(PlanError::TooLarge { .. })));
}

/// A search whose time is over before it begins still finds a valid plan that fits, and says that it was cut.
#[test]
fn a_deadline_leaves_a_valid_plan() {
    let now = Some(Instant::now());
    for (shape, ranks) in [
        (Shape::new(1024, 1024, 1024), 13),
        (Shape::new(4096, 4096, 256), 509),
        (Shape::new(16384, 16384, 16384), 18_433),
        (Shape::new(100_000, 100_000, 100_000), 1_000_003),
        (Shape::new(1, 1, 1_000_000_007), 100_003),
    ] {
        for tenths in [None, Some(20)] {
            let memory = tenths.map(|tenths| shape.words() * tenths / 10 / u128::from(ranks) + 9);
            let problem = Problem {
                shape,
                ranks,
                memory,
            };
            let cut = search_until(&problem, now).expect("a plan");
            assert_eq!(cut.stop, Stop::TimeLimit, "{} for {shape}", cut.plan);
            assert_eq!(cut.summary, cut.plan.summary());
            assert!(memory.is_none_or(|memory| cut.summary.memory.total() <= memory));
        }
    }
}
