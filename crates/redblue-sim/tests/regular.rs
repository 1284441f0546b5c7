//! Skipping what repeats gives the counts of plain simulation, and the published ones of a large gemm.

#![allow(clippy::unwrap_used)]

use std::cell::Cell;

use proptest::prelude::*;
use proptest::test_runner::{RngAlgorithm, TestRng, TestRunner};
use redblue_sim::nest::{Expr, Form, Nest, NestArray, Node};
use redblue_sim::{Grain, Reference, Trace, lru, regular, run};

fn constant(value: i64) -> Expr {
    linear(value, &[])
}

fn linear(constant: i64, terms: &[(usize, i64)]) -> Expr {
    Expr::Linear(Form {
        constant,
        terms: terms.to_vec(),
    })
}

fn count_to(iterator: usize, trips: i64, body: Vec<Node>) -> Node {
    Node::Loop {
        iterator,
        first: constant(0),
        last: constant(trips - 1),
        step: 1,
        body,
    }
}

fn touch(reference: u32, constant: i64, terms: &[(usize, i64)]) -> Node {
    Node::Touch {
        reference,
        word: linear(constant, terms),
    }
}

fn array(name: &str, words: u64, output: bool) -> NestArray {
    NestArray {
        name: name.into(),
        words,
        output,
    }
}

fn reference(array: u32, write: bool) -> Reference {
    Reference {
        array,
        write,
        text: format!("array {array}"),
    }
}

/// C = beta C + A B in i-k-j order, each row of C scaled before its products are added.
fn gemm(n: i64, words: u32) -> Nest {
    let (i, k, j) = (0, 1, 2);
    let scale = vec![
        touch(2, 0, &[(i, n), (j, 1)]),
        touch(3, 0, &[(i, n), (j, 1)]),
    ];
    let update = vec![
        touch(2, 0, &[(i, n), (j, 1)]),
        touch(0, 0, &[(i, n), (k, 1)]),
        touch(1, 0, &[(k, n), (j, 1)]),
        touch(3, 0, &[(i, n), (j, 1)]),
    ];
    let row = vec![
        count_to(j, n, scale),
        count_to(k, n, vec![count_to(j, n, update)]),
    ];
    let size = (n * n) as u64;
    let grain = match words {
        1 => Grain::Word,
        words => Grain::Line { words },
    };
    Nest::new(
        grain,
        vec![
            array("A", size, false),
            array("B", size, false),
            array("C", size, true),
        ],
        vec![
            reference(0, false),
            reference(1, false),
            reference(2, false),
            reference(2, true),
        ],
        &[count_to(i, n, row)],
    )
    .unwrap()
}

fn check(nest: &Nest, size: u64) -> u64 {
    let plain = run(lru::OneSize::new(nest.shape(), size).unwrap(), nest);
    let skipped = regular::lru(nest, size).unwrap();
    assert_eq!(skipped.traffic, plain, "S = {size}");
    assert!(skipped.simulated <= plain.accesses());
    skipped.simulated
}

#[test]
fn gemm_equals_plain_simulation() {
    for (n, words) in [(16, 4), (24, 4), (30, 4), (33, 8), (20, 1)] {
        let nest = gemm(n, words);
        for size in [1, 2, 3, 7, 20, 60, 200, 1000, 5000] {
            check(&nest, size);
        }
    }
}

#[test]
fn gemm_is_mostly_skipped() {
    let nest = gemm(128, 16);
    let accesses = 4 * 128 * 128 * 128 + 2 * 128 * 128;
    assert!(check(&nest, 64) < accesses / 20);
    assert!(check(&nest, 512) < accesses / 20);
}

/// Fast memory that is never full, or not for long, repeats in the part that is worked on.
#[test]
fn large_memories_do_not_stop_the_skipping() {
    let nest = gemm(96, 8);
    let accesses = 4 * 96 * 96 * 96 + 2 * 96 * 96;
    for size in [1152, 1200, 1500, 2000, 3000, 3455, 3456, 10_000] {
        assert!(check(&nest, size) < accesses / 10, "S = {size}");
    }
}

/// Lower triangle of C = A Aᵀ, row by row: early rows are too short to repeat, and must not spoil the later ones.
#[test]
fn short_runs_do_not_stop_the_skipping_of_longer_ones() {
    let (i, k, j, n, m) = (0, 1, 2, 160, 120);
    let update = vec![
        touch(1, 0, &[(i, n), (j, 1)]),
        touch(0, 0, &[(i, m), (k, 1)]),
        touch(0, 0, &[(j, m), (k, 1)]),
        touch(2, 0, &[(i, n), (j, 1)]),
    ];
    let row = Node::Loop {
        iterator: j,
        first: constant(0),
        last: linear(0, &[(i, 1)]),
        step: 1,
        body: update,
    };
    let nest = Nest::new(
        Grain::Word,
        vec![
            array("A", (n * m) as u64, false),
            array("C", (n * n) as u64, true),
        ],
        vec![reference(0, false), reference(1, false), reference(1, true)],
        &[count_to(i, n, vec![count_to(k, m, vec![row])])],
    )
    .unwrap();
    let accesses = (4 * m * n * (n + 1) / 2) as u64;
    for size in [64, 200, 400] {
        assert!(check(&nest, size) < accesses / 3, "S = {size}");
    }
}

/// `A[t % 2]` and `A[(t + 1) % 2]`, written with a remainder and with a floor, repeat every two steps.
#[test]
fn double_buffers_repeat() {
    let (t, i) = (0, 1);
    let (plane, steps) = (64, 200);
    let parity = |ahead: i64| Expr::Modulo(Box::new(linear(ahead, &[(t, 1)])), 2);
    let half = |ahead: i64| Expr::FloorDiv(Box::new(linear(ahead, &[(t, 1)])), 2);
    let by_remainder = |ahead| Expr::Scaled(plane, Box::new(parity(ahead)));
    let by_floor = |ahead| {
        let whole = linear(ahead * plane, &[(t, plane)]);
        Expr::Sum(vec![whole, Expr::Scaled(-2 * plane, Box::new(half(ahead)))])
    };
    let forms: [&dyn Fn(i64) -> Expr; 2] = [&by_remainder, &by_floor];
    for form in forms {
        let at = |reference, ahead, offset| Node::Touch {
            reference,
            // Starts far enough inside the array for interval arithmetic.
            word: Expr::Sum(vec![form(ahead), linear(offset + plane * steps, &[(i, 1)])]),
        };
        let body = vec![at(0, 0, 0), at(0, 0, 1), at(0, 0, 2), at(1, 1, 1)];
        let nest = Nest::new(
            Grain::Line { words: 4 },
            vec![array("A", (3 * plane * steps) as u64, true)],
            vec![reference(0, false), reference(0, true)],
            &[count_to(t, steps, vec![count_to(i, plane - 2, body)])],
        );
        let nest = nest.unwrap();
        for size in [2, 5, 20, 100] {
            assert!(check(&nest, size) < 20_000, "S = {size}");
        }
    }
}

/// 1024³ floats, 64-byte lines, 32 KiB and 512 KiB: figures published for an analytical tool.
#[test]
fn gemm_1024_gives_the_published_counts() {
    let nest = gemm(1024, 16);
    for lines in [512, 8192] {
        let found = regular::lru(&nest, lines).unwrap();
        let total = found.traffic.total();
        assert_eq!(total.accesses, 4_297_064_448);
        assert_eq!(total.compulsory, 196_608);
        assert_eq!(total.capacity(), 67_043_328);
        assert!(found.simulated < 10_000_000, "{}", found.simulated);
    }
}

/// One random loop nest: shapes of bodies, strides, offsets and inner bounds all vary. In a `uniform` one,
/// all touches of an array have the same strides.
#[derive(Clone, Debug)]
struct Plan {
    words: u32,
    trips: [i64; 3],
    triangular: bool,
    uniform: bool,
    touches: Vec<(u32, i64, [i64; 3], usize)>,
    reverse: bool,
}

fn any_plan() -> impl Strategy<Value = Plan> {
    let stride = prop_oneof![3 => 0..2i64, 2 => 2..9i64, 1 => Just(16i64), 1 => -8..0i64];
    let touch = (
        0..4u32,
        0..20i64,
        [stride.clone(), stride.clone(), stride],
        0..4usize,
    );
    (
        prop_oneof![Just(1u32), Just(2), Just(4), Just(3)],
        [1..40i64, 1..25i64, 1..25i64],
        prop::bool::weighted(0.25),
        prop::bool::weighted(0.8),
        prop::collection::vec(touch, 1..6),
        any::<bool>(),
    )
        .prop_map(
            |(words, trips, triangular, uniform, touches, reverse)| Plan {
                words,
                trips,
                triangular,
                uniform,
                touches,
                reverse,
            },
        )
}

fn build(plan: &Plan) -> Nest {
    // References 0 and 1 read, 2 and 3 write; arrays 0 and 1 have one of each.
    let at = |place: usize| -> Vec<Node> {
        let here = plan.touches.iter().filter(|t| t.3 == place);
        here.map(|&(reference, offset, own, place)| {
            let alike = plan.touches.iter().find(|t| t.0 % 2 == reference % 2);
            let strides = match alike {
                Some(first) if plan.uniform => first.2,
                _ => own,
            };
            let depth = [1, 3, 2, 1][place];
            let terms: Vec<(usize, i64)> = (0..depth)
                .map(|d| (d, strides[d]))
                .filter(|t| t.1 != 0)
                .collect();
            // Arrays walked backwards start far enough from their beginning.
            let back = terms.iter().map(|&(d, c)| c.min(0) * [40, 40, 25][d]);
            touch(reference, offset - back.sum::<i64>(), &terms)
        })
        .collect()
    };
    let innermost = count_to(2, plan.trips[2], at(1));
    let last = if plan.triangular {
        linear(0, &[(0, 1)])
    } else {
        constant(plan.trips[1] - 1)
    };
    let mut inner = at(2);
    inner.insert(if plan.reverse { inner.len() } else { 0 }, innermost);
    let middle = Node::Loop {
        iterator: 1,
        first: constant(0),
        last,
        step: 1,
        body: inner,
    };
    let mut outer = at(0);
    outer.push(middle);
    outer.extend(at(3));
    let size = 20 + 16 * (40 + 40 + 25);
    let grain = match plan.words {
        1 => Grain::Word,
        words => Grain::Line { words },
    };
    Nest::new(
        grain,
        vec![array("A", size, true), array("B", size, false)],
        vec![
            reference(0, false),
            reference(1, false),
            reference(0, true),
            reference(1, true),
        ],
        &[
            count_to(0, plan.trips[0], outer.clone()),
            // Once more, so that a nest also starts with what another one left behind.
            count_to(0, plan.trips[0], outer),
        ],
    )
    .unwrap()
}

#[test]
fn random_nests_equal_plain_simulation() {
    // `make soak` asks for many more.
    let cases = if std::env::var_os("REDBLUE_SOAK").is_some() {
        30_000
    } else {
        300
    };
    let mut runner = TestRunner::new_with_rng(
        ProptestConfig {
            failure_persistence: None,
            ..ProptestConfig::with_cases(cases)
        },
        TestRng::deterministic_rng(RngAlgorithm::ChaCha),
    );
    let (all, simulated) = (Cell::new(0), Cell::new(0));
    let sizes = prop_oneof![1..20u64, 20..200u64, 200..2000u64];
    let outcome = runner.run(&(any_plan(), sizes), |(plan, size)| {
        let nest = build(&plan);
        for size in [size, 4] {
            simulated.set(simulated.get() + check(&nest, size));
            all.set(all.get() + regular::lru(&nest, size).unwrap().traffic.accesses());
        }
        Ok(())
    });
    outcome.unwrap();
    // The test would be empty if little were ever skipped.
    let (simulated, all) = (simulated.get(), all.get());
    assert!(simulated < all / 4 * 3, "{simulated} of {all}");
}
