//! Phase capacities are attacked directly (T-5).

mod common;

use common::{arena, kernel, sizes};
use redblue_math::rational::{int, ratio};
use redblue_pebble::program::{Origin, ProgramGraph};
use redblue_pebble::{Cdag, Vertex, generate};
use redblue_testkit::Arena;
use redblue_testkit::phase::{Counterexample, Form, Frontier, PhaseEffort, attack_capacity};

/// The instances of the last statement of a kernel with three loops, as flags.
fn updates(name: &str, at: &[(&str, i64)]) -> Vec<bool> {
    let program = kernel(name);
    let graph = ProgramGraph::of(&program, &sizes(at), 100_000).expect("small");
    let update = program
        .statements
        .iter()
        .rposition(|s| s.iterators.len() == 3);
    let update = update.expect("an update");
    graph
        .origins
        .iter()
        .map(|origin| matches!(origin, Origin::Instance(s, _) if s.0 == update))
        .collect()
}

/// Counts again, and checks convexity path by path.
fn check_phase(graph: &Cdag, targets: &[bool], phase: &Counterexample) {
    let inside = |v: Vertex| phase.set.contains(&v);
    let mut read: Vec<Vertex> = phase
        .set
        .iter()
        .flat_map(|&v| graph.preds(v).iter().copied())
        .filter(|&u| !inside(u))
        .collect();
    read.sort_unstable();
    read.dedup();
    assert_eq!(read.len() as u64, phase.in_set);
    let count = phase.set.iter().filter(|&&v| targets[v]).count() as u64;
    assert_eq!(count, phase.targets);
    let mut left = vec![false; graph.len()];
    for &v in graph.order() {
        left[v] = graph
            .preds(v)
            .iter()
            .any(|&u| left[u] || (inside(u) && !inside(v)));
        assert!(
            !(inside(v) && graph.preds(v).iter().any(|&u| left[u])),
            "{v}"
        );
        left[v] &= !inside(v);
    }
}

#[test]
fn a_proven_capacity_survives_and_a_fraction_of_it_does_not() {
    // Theory H-11 for MGS with X = the updates: U(K) = K²/W + 2K with W = M.
    let at = [("M", 6), ("N", 6)];
    let (arena, targets) = (arena("mgs", &at), updates("mgs", &at));
    let is_target = |v: Vertex| targets[v];
    let frontier =
        Frontier::explore(&arena, is_target, Form::Convex, &PhaseEffort::QUICK).expect("fine");
    let capacity = |k: u64| int(k * k) / int(6) + int(2 * k);
    assert_eq!(frontier.check(capacity), None);
    let broken = frontier.check(|k| capacity(k) / int(4));
    let broken = broken.expect("the attack is too weak to see a factor of 4");
    check_phase(arena.graph(), &targets, &broken);
}

#[test]
fn products_reach_the_cubes_of_loomis_and_whitney() {
    // C += alpha·A·B: a block a×b×c has in-set ac + cb + ab, and alpha: 3·4² + 1 reaches 64 (H-4b: (K/3)^(3/2)).
    let at = [("NI", 6), ("NJ", 6), ("NK", 6)];
    let (arena, targets) = (arena("gemm", &at), updates("gemm", &at));
    let effort = PhaseEffort {
        climbs: 60,
        moves_per_vertex: 60,
        ..PhaseEffort::QUICK
    };
    let frontier = Frontier::explore(&arena, |v| targets[v], Form::Convex, &effort);
    let frontier = frontier.expect("fine");
    for k in 0..=108u64 {
        let seen = frontier.most(k as usize);
        // seen ≤ (K/3)^(3/2), squared.
        assert!(27 * seen * seen <= k * k * k, "{seen} at {k}");
    }
    for (side, k) in [(2, 12), (3, 27), (4, 48), (5, 75)] {
        let (seen, cube) = (frontier.most(k + 1), side * side * side);
        assert!(seen * 10 >= cube * 9, "{seen} of {cube} at {k}");
    }
    // A capacity that is 20 % too small is noticed.
    let small = |k: u64| ratio(4, 5) * int((k as f64 / 3.0).powf(1.5).ceil() as u64);
    let broken = frontier.check(small).expect("noticed");
    check_phase(arena.graph(), &targets, &broken);
}

#[test]
fn climbing_finds_what_listing_all_sets_finds() {
    let graphs = [
        generate::fft(2).expect("small"),
        generate::pyramid(4).expect("small"),
        generate::diamond(4, 4).expect("small"),
        generate::binary_tree(8).expect("small"),
    ];
    for graph in graphs {
        let arena = Arena::of_graph(graph);
        let listed = PhaseEffort {
            orders: 0,
            random_orders: 0,
            starts: 0,
            climbs: 0,
            moves_per_vertex: 0,
            exhaustive: 16,
        };
        let climbed = PhaseEffort {
            exhaustive: 0,
            climbs: 60,
            moves_per_vertex: 100,
            ..PhaseEffort::QUICK
        };
        let explore = |effort| Frontier::explore(&arena, |_| true, Form::Convex, effort);
        let (listed, climbed) = (explore(&listed), explore(&climbed));
        let (listed, climbed) = (listed.expect("fine"), climbed.expect("fine"));
        for k in 0..=arena.graph().len() {
            assert_eq!(climbed.most(k), listed.most(k), "K = {k}");
        }
    }
}

#[test]
fn dominated_phases_hold_at_least_as_much() {
    // what K vertices dominate may be more than a convex set reads; never less.
    let at = [("M", 3), ("N", 3)];
    let (arena, targets) = (arena("mgs", &at), updates("mgs", &at));
    let explore = |form| Frontier::explore(&arena, |v| targets[v], form, &PhaseEffort::QUICK);
    let (convex, dominated) = (explore(Form::Convex), explore(Form::Dominated));
    let (convex, dominated) = (convex.expect("fine"), dominated.expect("fine"));
    for k in 0..=arena.graph().len() {
        assert!(dominated.most(k) >= convex.most(k));
    }
    // All inputs dominate everything.
    let inputs = arena.graph().inputs().len() as u64;
    let all = targets.iter().filter(|&&target| target).count() as u64;
    let too_small = attack_capacity(
        &arena,
        |v| targets[v],
        |k| int(if k >= inputs { all - 1 } else { all }),
        Form::Dominated,
        &PhaseEffort::QUICK,
    );
    assert_eq!(
        too_small.expect("fine").map(|phase| phase.targets),
        Some(all)
    );
}
