//! Shared by the tests: random graphs and all games.

use proptest::prelude::*;
use redblue_pebble::{Cdag, Game};

/// The named games and two unnamed ones, strict and sliding.
pub(crate) fn all_games() -> Vec<Game> {
    let free = Game {
        final_stores: false,
        ..Game::red_blue_white()
    };
    let recomputing_loads = Game {
        recompute: true,
        ..Game::red_white()
    };
    let named = Game::NAMED.into_iter().map(|(_, game)| game);
    named
        .chain([free, recomputing_loads])
        .flat_map(|game| [game, game.sliding()])
        .collect()
}

/// How many random graphs to try: `few`, or `many` with `REDBLUE_SOAK=1`.
pub(crate) fn cases(few: u32, many: u32) -> u32 {
    match std::env::var_os("REDBLUE_SOAK").is_some_and(|value| value == "1") {
        true => many,
        false => few,
    }
}

/// Random graphs with at most `most` vertices and three operands each. Some sources are computed
/// from nothing and some outputs have readers.
pub(crate) fn small_graph(most: usize) -> impl Strategy<Value = Cdag> {
    (2..=most)
        .prop_flat_map(|n| {
            let rows = prop::collection::vec(prop::collection::vec(0..100u32, n), n);
            let flags = prop::collection::vec(0..100u32, n);
            (Just(n), rows, flags.clone(), flags)
        })
        .prop_map(|(n, rows, sources, outputs)| {
            let mut edges = Vec::new();
            for (v, row) in rows.iter().enumerate() {
                let operands = (0..v).rev().filter(|&u| row[u] < 45).take(3);
                edges.extend(operands.map(|u| (u, v)));
            }
            let has =
                |v: usize, end: fn(&(usize, usize)) -> usize| edges.iter().any(|e| end(e) == v);
            let inputs: Vec<usize> = (0..n)
                .filter(|&v| !has(v, |e| e.1) && sources[v] < 90)
                .collect();
            let outputs: Vec<usize> = (0..n)
                .filter(|&v| !has(v, |e| e.0) || outputs[v] < 15)
                .collect();
            Cdag::from_parts(n, &edges, Some(&inputs), Some(&outputs)).expect("a legal graph")
        })
}
