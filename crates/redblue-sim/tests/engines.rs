//! The fast simulators against the naive ones, and against each other where naive ones are too slow.

#![allow(clippy::unwrap_used)]

mod common;

use std::collections::BTreeMap;

use proptest::prelude::*;
use redblue_sim::synthetic::{Matmul, Synthetic};
use redblue_sim::{Access, Grain, Profile, Recorded, Trace, Traffic, lru, naive, opt, run};

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

/// The least number of loads, and the least number of loads plus stores, over all choices of what to evict.
fn least_traffic(trace: &Recorded, size: usize) -> (u64, u64) {
    type Memory = Vec<(u32, bool)>;
    // All that can be in memory, with the least loads and the least total that lead there.
    let mut states = BTreeMap::from([(Memory::new(), (0, 0))]);
    for access in trace.accesses() {
        let write = trace.shape().references()[access.reference as usize].write;
        let mut next: BTreeMap<Memory, (u64, u64)> = BTreeMap::new();
        for (memory, (loads, total)) in states {
            let is_there = memory.iter().any(|line| line.0 == access.cell);
            let choices: Vec<Option<usize>> = match is_there || memory.len() < size {
                true => vec![None],
                false => (0..size).map(Some).collect(),
            };
            for victim in choices {
                let mut memory = memory.clone();
                let stores = victim.is_some_and(|v| memory.remove(v).1);
                if !is_there {
                    memory.push((access.cell, false));
                }
                for line in memory.iter_mut().filter(|line| line.0 == access.cell) {
                    line.1 |= write;
                }
                memory.sort_unstable();
                let loads = loads + u64::from(!is_there);
                let total = total + u64::from(!is_there) + u64::from(stores);
                let best = next.entry(memory).or_insert((loads, total));
                *best = (best.0.min(loads), best.1.min(total));
            }
        }
        states = next;
    }
    let flushed = states.iter().map(|(memory, &(loads, total))| {
        let dirty = memory.iter().filter(|line| line.1).count() as u64;
        (loads, total + dirty)
    });
    flushed.reduce(|a, b| (a.0.min(b.0), a.1.min(b.1))).unwrap()
}

/// OPT has the fewest loads of all choices, but not the least traffic (theory U-18).
#[test]
fn opt_is_optimal_for_loads_only() {
    let mut beaten = 0;
    for seed in 0..100 {
        let trace = Recorded::of(&Synthetic::uniform(LINE, 5, 25, seed).unwrap());
        for size in 1..5 {
            let (loads, total) = least_traffic(&trace, size);
            let opt = opt_at(&trace, size as u64);
            assert_eq!(opt.loads(), loads);
            assert!(opt.loads() + opt.stores() >= total);
            beaten += usize::from(opt.loads() + opt.stores() > total);
        }
    }
    assert!(beaten > 0);
}

/// Loads plus stores of OPT are not a convex function of S, though its loads are.
#[test]
fn opt_traffic_is_not_convex() {
    let shape = Synthetic::uniform(LINE, 3, 0, 0).unwrap().shape().clone();
    let accesses = [(2, 1), (1, 0), (0, 1), (1, 1), (2, 1), (0, 0), (1, 1)];
    let accesses = accesses.map(|(cell, reference)| Access { cell, reference });
    let trace = Recorded::new(shape, accesses.to_vec()).unwrap();
    let total = |size| opt_at(&trace, size).loads() + opt_at(&trace, size).stores();
    assert_eq!([1, 2, 3].map(total), [12, 10, 6]);
}

/// Nothing at all, one cell, and cells that are only written or only read.
#[test]
fn equal_naive_on_corner_cases() {
    for grain in [Grain::Word, LINE] {
        for cells in [1, 3] {
            let trace = Synthetic::uniform(grain, cells, 0, 0).unwrap();
            let shape = trace.shape();
            for write in [false, true] {
                let references = shape.references();
                let reference = references.iter().position(|r| r.write == write).unwrap() as u32;
                for length in [0, 1, 20] {
                    let access = |at: u32| Access {
                        cell: at * at % cells,
                        reference,
                    };
                    let accesses = (0..length).map(access).collect();
                    check_against_naive(&Recorded::new(shape.clone(), accesses).unwrap());
                }
            }
        }
    }
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
