//! Cache hierarchies against the naive simulator, and their special cases against full associativity.

#![allow(clippy::unwrap_used)]

mod common;

use std::collections::BTreeSet;

use proptest::prelude::*;
use redblue_sim::hierarchy::{Caches, Level, LevelTraffic, Replacement, WritePolicy};
use redblue_sim::machine::{Cache, CacheKind, CpuSet, Machine};
use redblue_sim::synthetic::{Matmul, Synthetic};
use redblue_sim::{Grain, Recorded, Trace, lru, naive, run};

const LINE: Grain = Grain::Line { words: 8 };

fn simulate(trace: &dyn Trace, levels: &[Level]) -> Vec<LevelTraffic> {
    run(Caches::new(trace.shape(), levels).unwrap(), trace)
}

fn check_against_naive(trace: &Recorded, levels: &[Level]) {
    let fast: Vec<(u64, u64)> = simulate(trace, levels)
        .iter()
        .map(|l| (l.traffic.loads(), l.traffic.stores()))
        .collect();
    assert_eq!(fast, naive::caches(trace, levels), "{levels:?}");
}

fn any_level() -> impl Strategy<Value = Level> {
    let replacement = prop_oneof![
        Just(Replacement::Lru),
        Just(Replacement::Fifo),
        (0..9u64).prop_map(|seed| Replacement::Random { seed }),
    ];
    let write = (any::<bool>(), any::<bool>());
    // Mostly small ones; now and then with more sets or ways than there are cells.
    let number = || prop_oneof![4 => 1..5u32, 1 => 5..40u32];
    (number(), number(), replacement, write, any::<bool>()).prop_map(
        |(sets, ways, replacement, (allocate, back), inclusive)| Level {
            replacement,
            write: WritePolicy {
                allocate: allocate || inclusive,
                back,
            },
            inclusive,
            ..Level::new("L", sets, ways)
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn equal_naive(
        trace in common::any_trace(12, 200),
        levels in prop::collection::vec(any_level(), 1..=3),
    ) {
        check_against_naive(&trace, &levels);
    }

    #[test]
    fn one_set_of_all_lines_is_fully_associative(
        trace in common::any_trace(12, 200),
        size in 1..20u32,
    ) {
        let one = simulate(&trace, &[Level::new("L", 1, size)]);
        let lru = run(lru::OneSize::new(trace.shape(), u64::from(size)).unwrap(), &trace);
        prop_assert_eq!(one[0].traffic.total().conflict, 0);
        prop_assert_eq!(&one[0].traffic, &lru);
    }
}

#[test]
fn causes_of_misses_add_up() {
    let trace = Recorded::of(&Synthetic::zipf(LINE, 500, 30_000, 5).unwrap());
    let touched: BTreeSet<u32> = trace.accesses().iter().map(|a| a.cell).collect();
    let levels = [Level::new("L1", 8, 4), Level::new("L2", 16, 8)];
    for level in simulate(&trace, &levels) {
        let total = level.traffic.total();
        assert!(total.conflict > 0 && total.capacity() > 0);
        assert_eq!(
            total.compulsory,
            touched.len() as u64,
            "{}",
            level.level.name
        );
    }
}

/// Lines a power of two apart share a set: the classical conflict.
#[test]
fn conflicts_are_told_from_capacity() {
    let product = Matmul {
        m: 64,
        n: 64,
        k: 64,
        order: [0, 1, 2],
        tile: None,
        grain: LINE,
    };
    let trace = product.trace().unwrap();
    let direct = &simulate(&trace, &[Level::new("L1", 128, 1)])[0].traffic;
    let full = run(lru::OneSize::new(trace.shape(), 128).unwrap(), &trace);
    let total = direct.total();
    assert!(total.conflict > total.capacity());
    assert!(direct.loads() > full.loads());
}

#[test]
fn an_inclusive_level_invalidates_the_nearer_ones() {
    let trace = Synthetic::zipf(LINE, 200, 20_000, 6).unwrap();
    let nearer = Level::new("L1", 1, 32);
    let loads = |inclusive| {
        let outer = Level {
            inclusive,
            ..Level::new("L2", 32, 1)
        };
        simulate(&trace, &[nearer.clone(), outer])[0]
            .traffic
            .loads()
    };
    assert!(loads(true) > loads(false));
}

#[test]
fn a_machine_is_a_hierarchy() {
    let cache = |level, bytes: u64, sets, ways| Cache {
        level,
        kind: if level == 1 {
            CacheKind::Data
        } else {
            CacheKind::Unified
        },
        bytes,
        line_bytes: Some(64),
        ways,
        sets,
        cpus: CpuSet::from_list("0-1").unwrap(),
    };
    let machine = Machine {
        model: None,
        simd: Vec::new(),
        vector_bits: None,
        pus: CpuSet::from_list("0-1").unwrap(),
        offline: CpuSet::default(),
        packages: Vec::new(),
        cores: Vec::new(),
        numa: Vec::new(),
        memory_bytes: None,
        page_bytes: None,
        unknown: Vec::new(),
        caches: vec![
            cache(1, 32 << 10, Some(64), Some(8)),
            cache(2, 1 << 20, None, Some(16)),
            cache(3, 32 << 20, None, None),
        ],
    };
    let levels = Level::of_machine(&machine);
    let found: Vec<(&str, u32, u32)> = levels
        .iter()
        .map(|l| (l.name.as_str(), l.sets, l.ways))
        .collect();
    let expected = [("L1d", 64, 8), ("L2", 1024, 16), ("L3", 1, 1 << 19)];
    assert_eq!(found, expected);
}

#[test]
fn impossible_hierarchies_are_refused() {
    let trace = Synthetic::sequential(3, 1).unwrap();
    for levels in [
        vec![],
        vec![Level::new("L1", 0, 4)],
        vec![Level::new("L1", 4, 0)],
    ] {
        assert!(Caches::new(trace.shape(), &levels).is_err());
    }
}
