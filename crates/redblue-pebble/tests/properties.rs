//! What must hold on every graph: orderings between games, bounds below optima, plays above them,
//! and a referee that is not fooled.

mod common;

use common::{all_games, cases, small_graph};
use proptest::prelude::*;
use redblue_pebble::exact::{Limits, Outcome, solve};
use redblue_pebble::generate::{self, Product};
use redblue_pebble::heuristic::{
    Greed, OrderSearch, Replay, belady, depth_first_order, greedy_order, search_order,
};
use redblue_pebble::partition::{check_partition, phases};
use redblue_pebble::referee::judge;
use redblue_pebble::{Cdag, Game, Move, bound};

fn optimum(graph: &Cdag, game: Game, capacity: usize) -> Option<Outcome> {
    solve(graph, &game, capacity, &Limits::default()).ok()
}

/// The orderings of theory G-4 between the games, and between capacities.
fn check_orderings(graph: &Cdag, capacity: usize) {
    let io = |game, capacity| optimum(graph, game, capacity).map(|outcome| outcome.score.io());
    let [rb, rbw, rw] = [Game::red_blue(), Game::red_blue_white(), Game::red_white()];
    for slide in [false, true] {
        let with = |game: Game| Game { slide, ..game };
        let Some(q_rbw) = io(with(rbw), capacity) else {
            continue;
        };
        let q_rw = io(with(rw), capacity).expect("playable too");
        let q_rb = io(with(rb), capacity).expect("playable too");
        let stores = bound::compulsory(graph, &rbw).stores;
        assert!(q_rw + stores <= q_rbw, "1: {q_rw} + {stores} <= {q_rbw}");
        assert!(q_rb <= q_rbw, "2: {q_rb} <= {q_rbw}");
        assert!(q_rb >= bound::compulsory(graph, &rb).total(), "3");
        for game in [rb, rbw, rw, Game::lecture()] {
            let now = io(with(game), capacity).expect("playable too");
            assert!(
                io(with(game), capacity + 1).expect("playable too") <= now,
                "4"
            );
            // Sliding helps, but by no more than one pebble does.
            let sliding = io(game.sliding(), capacity).expect("playable too");
            assert!(sliding <= now, "sliding");
            assert!(
                io(game, capacity + 1).expect("playable too") <= sliding,
                "one pebble more"
            );
        }
        let lecture = io(with(Game::lecture()), capacity).expect("playable too");
        assert!(lecture <= q_rb, "final stores: {lecture} <= {q_rb}");
    }
}

/// All methods of theory X-6 stay below the optimum of the game they are asked about.
fn check_bounds(graph: &Cdag, capacity: usize) {
    for game in all_games() {
        let Some(outcome) = optimum(graph, game, capacity) else {
            continue;
        };
        for (name, method) in bound::METHODS {
            let bound = method(graph, &game, capacity);
            assert!(
                bound <= outcome.score.io(),
                "{name}: {bound}, {game:?}, {outcome:?}"
            );
        }
    }
}

/// Every heuristic play is legal and no cheaper than the optimum; Belady's loads are optimal for
/// the order, so the search over orders can only improve on its own starting points.
fn check_heuristics(graph: &Cdag, capacity: usize, seed: u64) {
    for game in all_games() {
        let Some(outcome) = optimum(graph, game, capacity) else {
            continue;
        };
        let limits = OrderSearch {
            trials: 50,
            seed,
            ..OrderSearch::default()
        };
        let searched = search_order(graph, &game, capacity, &limits).expect("playable");
        let searched = judge(graph, &game, capacity, &searched).expect("legal");
        let greedy = |greed| greedy_order(graph, &game, capacity, greed);
        let orders = [
            depth_first_order(graph, &game),
            greedy(Greed::FewestLoads),
            greedy(Greed::LeastGrowth),
        ];
        for order in orders {
            let play = belady(graph, &game, capacity, &order).expect("an order of this graph");
            let score = judge(graph, &game, capacity, &play).expect("legal");
            assert!(score.io() >= searched.io());
        }
        assert!(searched.io() >= outcome.score.io());
        let tiled = greedy(Greed::Tile {
            waiting: capacity / 2,
        });
        belady(graph, &game, capacity, &tiled).expect("an order of this graph");
    }
}

/// Belady's rule by reading on in the order: farthest next use first, then saved values, then large numbers.
fn naive_belady(graph: &Cdag, game: &Game, capacity: usize, order: &[usize]) -> Vec<Move> {
    let next_use = |u: usize, from: usize| {
        let readers = order[from..].iter();
        let position = readers.clone().position(|&v| graph.preds(v).contains(&u));
        position.map_or(usize::MAX, |position| from + position)
    };
    let mut red: Vec<usize> = Vec::new();
    let mut saved: Vec<bool> = (0..graph.len()).map(|v| graph.is_input(v)).collect();
    let mut play = Vec::new();
    for (now, &v) in order.iter().enumerate() {
        let operands = graph.preds(v);
        let victim = |red: &[usize], saved: &[bool]| {
            let others = red.iter().copied().filter(|u| !operands.contains(u));
            others.max_by_key(|&u| (next_use(u, now), saved[u], u))
        };
        let evict = |red: &mut Vec<usize>, saved: &mut [bool], play: &mut Vec<Move>| {
            let victim = victim(red, saved).expect("operands fit");
            if !std::mem::replace(&mut saved[victim], true) {
                play.push(Move::Store(victim));
            }
            play.push(Move::Delete(victim));
            red.retain(|&u| u != victim);
        };
        for &u in operands {
            if !red.contains(&u) {
                if red.len() == capacity {
                    evict(&mut red, &mut saved, &mut play);
                }
                play.push(Move::Load(u));
                red.push(u);
            }
        }
        let after = |u: usize| next_use(u, now + 1);
        let sliding = operands.iter().copied().max_by_key(|&u| after(u));
        let sliding = sliding.filter(|&from| {
            let others = victim(&red, &saved).map(|u| next_use(u, now));
            game.slide && red.len() == capacity && others.is_none_or(|next| after(from) >= next)
        });
        if let Some(from) = sliding {
            if after(from) != usize::MAX && !std::mem::replace(&mut saved[from], true) {
                play.push(Move::Store(from));
            }
            red.retain(|&u| u != from);
            play.push(Move::Slide { from, to: v });
        } else {
            if red.len() == capacity {
                evict(&mut red, &mut saved, &mut play);
            }
            play.push(Move::Compute(v));
        }
        red.push(v);
        saved[v] = game.automatic_stores;
        if game.final_stores && !game.automatic_stores && graph.is_output(v) {
            play.push(Move::Store(v));
            saved[v] = true;
        }
        let unused: Vec<usize> = red
            .iter()
            .copied()
            .filter(|&u| after(u) == usize::MAX)
            .collect();
        play.extend(unused.iter().map(|&u| Move::Delete(u)));
        red.retain(|u| !unused.contains(u));
    }
    play
}

/// On any order, the fast Belady is legal and costs what the naive one costs.
fn check_belady(graph: &Cdag, capacity: usize, priorities: &[u32]) {
    for game in all_games() {
        if game.check_capacity(graph, capacity).is_err() {
            continue;
        }
        let mut waiting = game.must_compute(graph);
        let mut order = Vec::new();
        let ready = |waiting: &[bool]| {
            let free = |v: &usize| waiting[*v] && graph.preds(*v).iter().all(|&u| !waiting[u]);
            let vertices = (0..graph.len()).filter(free);
            vertices.min_by_key(|&v| priorities[v % priorities.len()])
        };
        while let Some(v) = ready(&waiting) {
            waiting[v] = false;
            order.push(v);
        }
        let replay = Replay::new(graph, &game, &order).expect("an order of this graph");
        let play = replay.play(capacity).expect("playable");
        let naive = naive_belady(graph, &game, capacity, &order);
        let score = judge(graph, &game, capacity, &play).expect("legal");
        assert_eq!(
            judge(graph, &game, capacity, &naive),
            Ok(score),
            "{game:?} {order:?}"
        );
        assert_eq!(replay.traffic(capacity, score.io()), Some(score.io()));
        let less = score.io().checked_sub(1);
        assert_eq!(less.and_then(|less| replay.traffic(capacity, less)), None);
    }
}

/// A play without recomputation, cut after every S words, is a 2S-partition (theory G-9), and the
/// lemma's inequality holds for it.
fn check_phases(graph: &Cdag, capacity: usize) {
    let Some(outcome) = optimum(graph, Game::red_blue_white(), capacity) else {
        return;
    };
    let parts = phases(&outcome.play, capacity);
    check_partition(graph, &parts, 2 * capacity).expect("a 2S-partition");
    assert!(outcome.score.io() as usize >= capacity * (parts.len() - 1));
}

/// A play with one move dropped, doubled or exchanged with its neighbour is refused or costs at
/// least the optimum.
fn check_mutations(graph: &Cdag, capacity: usize) {
    for game in all_games() {
        let Some(outcome) = optimum(graph, game, capacity) else {
            continue;
        };
        let play = &outcome.play;
        let check = |mutant: &[Move]| {
            if let Ok(score) = judge(graph, &game, capacity, mutant) {
                assert!(score.io() >= outcome.score.io(), "{game:?}: {mutant:?}");
            }
        };
        for at in 0..play.len() {
            check(&[&play[..at], &play[at + 1..]].concat());
            check(&[&play[..=at], &play[at..]].concat());
            let mut swapped = play.clone();
            swapped.swap(at, (at + 1) % play.len());
            check(&swapped);
        }
        // One pebble fewer than the play uses is one too few.
        let refused = judge(graph, &game, outcome.score.peak.saturating_sub(1), play);
        assert!(outcome.score.peak == 0 || refused.is_err());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases(80, 2000)))]

    #[test]
    fn orderings(graph in small_graph(8), capacity in 2usize..6) {
        check_orderings(&graph, capacity);
    }

    #[test]
    fn bounds_stay_below_optima(graph in small_graph(12), capacity in 2usize..6) {
        check_bounds(&graph, capacity);
    }

    #[test]
    fn heuristics_stay_above_optima(graph in small_graph(10), capacity in 2usize..6, seed: u64) {
        check_heuristics(&graph, capacity, seed);
    }

    #[test]
    fn belady_equals_a_naive_one(
        graph in small_graph(30),
        capacity in 2usize..9,
        priorities in prop::collection::vec(any::<u32>(), 30),
    ) {
        check_belady(&graph, capacity, &priorities);
    }

    #[test]
    fn plays_induce_partitions(graph in small_graph(12), capacity in 2usize..6) {
        check_phases(&graph, capacity);
    }

    #[test]
    fn the_referee_is_not_fooled(graph in small_graph(8), capacity in 2usize..5) {
        check_mutations(&graph, capacity);
    }

    #[test]
    fn limits_never_claim_optimality(graph in small_graph(12), capacity in 3usize..5) {
        for game in all_games() {
            let limits = Limits { states: 1, ..Limits::default() };
            let Ok(cut) = solve(&graph, &game, capacity, &limits) else { continue };
            let full = optimum(&graph, game, capacity).expect("playable");
            prop_assert!(cut.lower_bound <= full.score.io());
            prop_assert!(cut.score.io() >= full.score.io());
        }
    }
}

/// The same properties on the named graphs of theory T-2 that are quick for every game.
#[test]
fn named_graphs() {
    let graphs = [
        generate::matmul(2, 2, 2, Product::Fused),
        generate::matmul(3, 3, 1, Product::Fused),
        generate::fft(2),
        generate::binary_tree(8),
        generate::pyramid(4),
        generate::mgs(2, 2),
    ];
    for graph in graphs {
        let graph = graph.expect("fine");
        for capacity in 3..7 {
            check_orderings(&graph, capacity);
            check_bounds(&graph, capacity);
            check_phases(&graph, capacity);
            check_mutations(&graph, capacity);
        }
    }
}
