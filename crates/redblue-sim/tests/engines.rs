//! The fast simulators against the naive ones, and against each other where naive ones are too slow.

#![allow(clippy::unwrap_used)]

mod common;

use proptest::prelude::*;
use redblue_sim::synthetic::{Matmul, Synthetic};
use redblue_sim::{Grain, Profile, Recorded, SplitMix64, Trace, Traffic, lru, naive, opt, run};

const LINE: Grain = Grain::Line { words: 4 };

fn lru_profile(trace: &dyn Trace) -> Profile {
    run(lru::Distances::new(trace.shape()), trace)
}

fn opt_profile(trace: &dyn Trace) -> Profile {
    run(opt::Distances::new(trace.shape()), trace)
}

fn lru_at(trace: &dyn Trace, size: u64) -> Traffic {
    run(lru::OneSize::new(trace.shape(), size).unwrap(), trace)
}

fn opt_at(trace: &dyn Trace, size: u64) -> Traffic {
    run(opt::OneSize::new(trace.shape(), size).unwrap(), trace)
}

/// All four simulators equal the naive ones at every size, in every count of every reference.
fn check_against_naive(trace: &Recorded) {
    let (lru_all, opt_all) = (lru_profile(trace), opt_profile(trace));
    for size in 1..=u64::from(trace.shape().cells()) + 1 {
        let (lru, opt) = (naive::lru(trace, size), naive::opt(trace, size));
        assert_eq!(lru_all.traffic(size), lru, "LRU, all sizes, S = {size}");
        assert_eq!(lru_at(trace, size), lru, "LRU, S = {size}");
        assert_eq!(opt_all.traffic(size), opt, "OPT, all sizes, S = {size}");
        assert_eq!(opt_at(trace, size), opt, "OPT, S = {size}");
    }
}

/// The laws of stack algorithms, at every size.
fn check_laws(trace: &dyn Trace) {
    let (lru, opt) = (lru_profile(trace), opt_profile(trace));
    let largest = lru.largest_useful_size() + 1;
    let loads = |profile: &Profile| -> Vec<u64> {
        (1..=largest).map(|s| profile.traffic(s).loads()).collect()
    };
    let (lru_loads, opt_loads) = (loads(&lru), loads(&opt));
    for size in 0..largest as usize {
        assert!(opt_loads[size] <= lru_loads[size], "OPT <= LRU");
    }
    for pair in lru_loads.windows(2).chain(opt_loads.windows(2)) {
        assert!(pair[0] >= pair[1], "more room, no more loads");
    }
    for three in opt_loads.windows(3) {
        assert!(three[0] + three[2] >= 2 * three[1], "OPT loads are convex");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn equal_naive_on_random_traces(trace in common::any_trace(6, 80)) {
        check_against_naive(&trace);
        check_laws(&trace);
    }

    #[test]
    fn equal_naive_on_longer_random_traces(trace in common::any_trace(12, 500)) {
        // Few cells and long traces: slots are renumbered several times.
        let (lru, opt) = (lru_profile(&trace), opt_profile(&trace));
        for size in [1, 2, 3, 5, 8, 13, 21, 34] {
            prop_assert_eq!(lru.traffic(size), naive::lru(&trace, size));
            prop_assert_eq!(opt.traffic(size), naive::opt(&trace, size));
        }
    }
}

/// OPT has the fewest loads, but not the least traffic (theory U-18): with two places, it keeps the clean
/// cell that is read sooner and stores the dirty one, which LRU does not need to. Neither are its loads
/// plus stores convex in S.
#[test]
fn opt_is_not_optimal_for_loads_and_stores() {
    let mut random = SplitMix64::new(1);
    let (mut beaten, mut concave) = (false, false);
    for seed in 0..300 {
        let cells = 3 + random.below(4);
        let trace = Synthetic::uniform(LINE, cells, 30, seed).unwrap();
        let (lru, opt) = (lru_profile(&trace), opt_profile(&trace));
        let total = |profile: &Profile, size| {
            let traffic = profile.traffic(size);
            traffic.loads() + traffic.stores()
        };
        for size in 1..u64::from(cells) {
            beaten |= total(&lru, size) < total(&opt, size);
            let around = total(&opt, size) + total(&opt, size + 2);
            concave |= around < 2 * total(&opt, size + 1);
        }
    }
    assert!(beaten && concave);
}

#[test]
fn equal_naive_on_kernels() {
    for grain in [Grain::Word, LINE] {
        for order in [[0, 1, 2], [2, 1, 0], [0, 2, 1]] {
            for tile in [None, Some(2), Some(3)] {
                let product = Matmul {
                    m: 5,
                    n: 8,
                    k: 6,
                    order,
                    tile,
                    grain,
                };
                check_against_naive(&Recorded::of(&product.trace().unwrap()));
            }
        }
    }
}

/// Traces too long for the naive simulators: the four fast ones are four different algorithms.
#[test]
fn fast_simulators_agree_on_long_traces() {
    let tiled = |grain| {
        let product = Matmul {
            m: 40,
            n: 48,
            k: 44,
            order: [0, 2, 1],
            tile: Some(12),
            grain,
        };
        product.trace().unwrap()
    };
    let traces = [
        Synthetic::uniform(Grain::Word, 3000, 100_000, 1).unwrap(),
        Synthetic::zipf(LINE, 3000, 100_000, 2).unwrap(),
        Synthetic::sequential(1000, 20).unwrap(),
        tiled(Grain::Word),
        tiled(LINE),
    ];
    for trace in &traces {
        let (lru, opt) = (lru_profile(trace), opt_profile(trace));
        for size in [1, 2, 7, 50, 333, 999, 1000, 2500, 10_000] {
            assert_eq!(lru_at(trace, size), lru.traffic(size));
            assert_eq!(opt_at(trace, size), opt.traffic(size));
        }
        check_laws(trace);
    }
}

#[test]
fn cyclic_sweeps_are_the_worst_case_of_lru() {
    let trace = Synthetic::sequential(100, 10).unwrap();
    assert_eq!(lru_at(&trace, 99).loads(), 1000);
    assert_eq!(lru_at(&trace, 100).loads(), 100);
    // OPT keeps 98 cells for good in 99 places, and of the others one more over each seam it can.
    assert!(opt_at(&trace, 99).loads() < 130);
}

#[test]
fn no_room_is_refused() {
    let trace = Synthetic::sequential(3, 1).unwrap();
    assert!(lru::OneSize::new(trace.shape(), 0).is_err());
    assert!(opt::OneSize::new(trace.shape(), 0).is_err());
}
