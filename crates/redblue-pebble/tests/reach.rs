//! How far the exact players reach.

use std::time::Duration;

use redblue_pebble::exact::{Limits, Stop, solve};
use redblue_pebble::generate::{self, Product};
use redblue_pebble::referee::judge;
use redblue_pebble::{Cdag, Error, Game};

const RB: Game = Game::red_blue();
const RBW: Game = Game::red_blue_white();
const RW: Game = Game::red_white();

/// Optimality is proven for these capacities within five minutes and 8 GiB each, and more pebbles
/// never cost more.
fn check_proven(graph: Result<Cdag, Error>, game: Game, capacities: std::ops::Range<usize>) {
    let graph = graph.expect("generators build legal graphs");
    let limits = Limits {
        time: Some(Duration::from_secs(300)),
        states: u64::MAX,
        memory: 8 << 30,
    };
    let mut before = u64::MAX;
    for capacity in capacities {
        let outcome = solve(&graph, &game, capacity, &limits).expect("playable");
        assert_eq!(outcome.stop, Stop::Optimal, "S = {capacity}");
        assert_eq!(
            judge(&graph, &game, capacity, &outcome.play),
            Ok(outcome.score)
        );
        assert!(outcome.score.io() <= before, "S = {capacity}");
        before = outcome.score.io();
    }
}

#[test]
fn without_recomputation() {
    check_proven(generate::mgs(3, 3), RBW, 4..14);
    check_proven(generate::mgs(3, 3), RW, 4..14);
    check_proven(generate::fft(3), RBW, 3..12);
    check_proven(generate::fft(3), RW, 3..12);
    check_proven(generate::matmul(3, 3, 2, Product::Fused), RBW, 4..11);
    check_proven(generate::matmul(3, 3, 2, Product::Fused), RW, 4..11);
    check_proven(generate::attention(2, 2), RBW, 6..9);
}

#[test]
fn with_recomputation() {
    check_proven(generate::pyramid(5), RB, 3..7);
    check_proven(generate::diamond(4, 5), RB, 3..7);
    check_proven(generate::fft(3), RB, 3..5);
    check_proven(generate::attention(2, 1), RB, 3..6);
    check_proven(generate::matmul(3, 3, 2, Product::Fused), RB, 4..6);
    check_proven(generate::random_layers(4, 5, 2, 1), RB, 3..8);
    check_proven(generate::random_layers(5, 4, 3, 3), RB, 4..7);
    check_proven(generate::random_edges(22, 20, 2), RB, 4..8);
}

#[test]
fn with_recomputation_slowly() {
    if std::env::var_os("REDBLUE_SOAK").is_none_or(|value| value != "1") {
        println!("skipped: set REDBLUE_SOAK=1");
        return;
    }
    check_proven(generate::diamond(5, 5), RB, 3..7);
    check_proven(generate::pyramid(6), RB, 3..8);
    check_proven(generate::fft(3), RB, 3..9);
    check_proven(generate::attention(2, 1), RB, 3..9);
    check_proven(generate::matmul(3, 3, 2, Product::Fused), RB, 4..11);
    for seed in 0..10 {
        check_proven(generate::random_layers(4, 5, 2, seed), RB, 3..8);
        for percent in [10, 15, 20, 30, 50, 80] {
            check_proven(generate::random_edges(22, percent, seed), RB, 4..8);
        }
    }
}

#[test]
fn degenerate_graphs_cost_nothing_or_their_outputs() {
    let limits = Limits::default();
    let empty = Cdag::from_parts(0, &[], None, None).expect("fine");
    let loose = Cdag::from_parts(3, &[], None, None).expect("fine");
    // Three values computed from nothing, all of them outputs.
    let made = Cdag::from_parts(3, &[], Some(&[]), None).expect("fine");
    for (graph, expect) in [(empty, 0), (loose, 0), (made, 3)] {
        for game in [RB, RBW] {
            let outcome = solve(&graph, &game, 1, &limits).expect("playable");
            assert_eq!((outcome.score.io(), outcome.stop), (expect, Stop::Optimal));
        }
    }
}

#[test]
fn no_pebbles_no_number() {
    let graph = generate::mgs(2, 2).expect("fine");
    let error = solve(&graph, &RBW, 3, &Limits::default()).expect_err("too few pebbles");
    assert_eq!(
        error.to_string(),
        "no game with S = 3: vertex 10 has 3 predecessors and needs 4 red pebbles at once"
    );
}
