//! The six loop orders of the matrix product under LRU with lines: theory L-7, exactly.

#![allow(clippy::unwrap_used)]

use redblue_sim::synthetic::{LoopOrder, Matmul};
use redblue_sim::{Grain, Trace, lru, run};

const I: usize = 0;
const J: usize = 1;
const K: usize = 2;

/// Misses of A, B and C by the formulas of L-7.
fn formula(order: LoopOrder, [m, n, k]: [u64; 3], line: u64) -> [u64; 3] {
    let all = m * n * k;
    match order {
        [I, J, K] => [all / line, all, m * n / line],
        [J, I, K] => [all / line, all, m * n],
        [I, K, J] => [m * k / line, all / line, all / line],
        [K, I, J] => [m * k, all / line, all / line],
        [J, K, I] => [all, n * k, all],
        [K, J, I] => [all, n * k / line, all],
        _ => unreachable!("not a permutation"),
    }
}

fn simulate(order: LoopOrder, [m, n, k]: [u32; 3], line: u32, lines: u64) -> [u64; 3] {
    let product = Matmul {
        m,
        n,
        k,
        order,
        tile: None,
        grain: Grain::Line { words: line },
    };
    let trace = product.trace().unwrap();
    let one = run(lru::OneSize::new(trace.shape(), lines).unwrap(), &trace);
    let all = run(lru::Distances::new(trace.shape()), &trace);
    assert_eq!(one, all.traffic(lines));
    let arrays = one.by_array(trace.shape());
    [arrays[0].loads, arrays[1].loads, arrays[2].loads]
}

const ORDERS: [LoopOrder; 6] = [
    [I, J, K],
    [J, I, K],
    [I, K, J],
    [K, I, J],
    [J, K, I],
    [K, J, I],
];

#[test]
fn match_the_formulas() {
    // The sizes of L-7 and two more within its regime (U-16): rows aligned, few lines.
    for (sizes, line, lines) in [
        ([24, 32, 40], 4, 5),
        ([64, 48, 56], 8, 3),
        ([40, 64, 96], 2, 12),
    ] {
        for order in ORDERS {
            assert_eq!(
                simulate(order, sizes, line, lines),
                formula(order, sizes.map(u64::from), u64::from(line)),
                "{order:?} {sizes:?} line {line} lines {lines}"
            );
        }
    }
}

#[test]
fn match_the_published_totals() {
    let totals = ORDERS.map(|order| simulate(order, [24, 32, 40], 4, 5).iter().sum::<u64>());
    assert_eq!(totals, [38592, 39168, 15600, 16320, 62720, 61760]);
}
