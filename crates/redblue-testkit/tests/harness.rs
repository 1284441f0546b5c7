//! The harness itself is tested: it accepts what is known to be true and breaks what is known to be false.

use std::collections::BTreeMap;

use redblue_pebble::program::{Origin, ProgramGraph};
use redblue_pebble::{Cdag, Game};
use redblue_program::reading::ReadOptions;
use redblue_program::{Program, Sizes, catalogue};
use redblue_testkit::convex::attack_capacity;
use redblue_testkit::orders::{Coordinates, Timetable, keys, random_order};
use redblue_testkit::{Attack, Claim, Effort, Verdict, attack, attack_graph, capacities};

fn kernel(name: &str) -> Program {
    let entry = catalogue::find(name).expect("in the catalogue");
    entry.read(&ReadOptions::default()).program.expect("reads")
}

fn sizes(list: &[(&str, i64)]) -> Sizes {
    list.iter()
        .map(|&(name, value)| (name.to_string(), value))
        .collect::<BTreeMap<_, _>>()
}

/// Claims `value` for a kernel and returns the least traffic that the attack saw, or what broke the claim.
fn check(
    name: &str,
    at: &[(&str, i64)],
    game: Game,
    capacity: usize,
    value: u64,
) -> Result<u64, u64> {
    let (program, sizes) = (kernel(name), sizes(at));
    let claim = Claim {
        program: &program,
        sizes: &sizes,
        capacity,
        game,
        value,
    };
    match attack(&claim, &Effort::default()).expect("can be attacked") {
        Verdict::Survived { best, .. } => Ok(best),
        Verdict::Broken { io, .. } => Err(io),
    }
}

#[test]
fn exact_optima_of_small_products_survive_and_one_more_does_not() {
    // Theory T-2, matmul 2×2×2: RBW and RW for S = 4..8, from the C source.
    let cube = [("M", 2), ("N", 2), ("K", 2)];
    for (capacity, total, loads) in [(4, 17, 12), (5, 14, 10), (6, 13, 9), (7, 12, 8), (8, 12, 8)] {
        for (game, optimum) in [(Game::red_blue_white(), total), (Game::red_white(), loads)] {
            assert_eq!(check("matmul", &cube, game, capacity, optimum), Ok(optimum));
            assert_eq!(
                check("matmul", &cube, game, capacity, optimum + 1),
                Err(optimum)
            );
        }
    }
}

#[test]
fn the_published_theorem_that_is_false_is_broken() {
    // Theory C-4: 2mnk/√S + mn is claimed for C = A·B; the outer product 10×1×10 with S = 4 refutes it.
    let outer = [("M", 10), ("N", 10), ("K", 1)];
    let broken = check("matmul", &outer, Game::red_blue_white(), 4, 200);
    assert!(broken.is_err_and(|io| io <= 160), "{broken:?}");
    // A-stationary play of the same item: 60×10×60 with S = 112 moves 7 800 words, 10 403 are claimed.
    let flat = [("M", 60), ("N", 60), ("K", 10)];
    assert!(
        check(
            "matmul",
            &flat,
            Game::red_blue_white().sliding(),
            112,
            10_403
        )
        .is_err()
    );
}

#[test]
fn a_naive_closed_form_where_everything_fits_is_broken() {
    // Theory R-1: 1×1×1 with S = 100; a phase bound read without its condition claims 100, the truth is 3.
    let one = [("M", 1), ("N", 1), ("K", 1)];
    assert_eq!(
        check("matmul", &one, Game::red_blue_white(), 100, 100),
        Err(3)
    );
    assert_eq!(check("matmul", &one, Game::red_blue_white(), 100, 3), Ok(3));
}

#[test]
fn left_looking_orders_are_found_for_gram_schmidt() {
    // Theory H-18: the best loads that hand-written right- and left-looking orders reach on 12×8. The
    // generated orders must come within a twentieth, so that a bound above that would be noticed.
    for (capacity, known) in [(24, 466), (48, 178), (96, 98)] {
        let at = [("M", 12), ("N", 8)];
        let claim = check(
            "mgs",
            &at,
            Game::red_white(),
            capacity,
            known + known / 20 + 1,
        );
        assert!(
            claim.is_err(),
            "S = {capacity}: no order comes near {known}, best {claim:?}"
        );
    }
}

#[test]
fn orders_are_legal() {
    let program = kernel("cholesky");
    let all = ProgramGraph::of(&program, &sizes(&[("N", 6)]), 10_000).expect("small");
    let (graph, timetable) = (&all.graph, Timetable::of(&program, &all));
    let mut orders: Vec<Vec<usize>> = (0..6).map(|seed| random_order(graph, seed)).collect();
    for coordinates in [Coordinates::Loops, Coordinates::Cells] {
        let keys = keys(coordinates, timetable.dimensions(coordinates), &[1, 2]);
        orders.extend(keys.iter().map(|key| timetable.order(graph, key)));
    }
    for order in orders {
        let mut place = vec![usize::MAX; graph.len()];
        order.iter().enumerate().for_each(|(at, &v)| place[v] = at);
        assert_eq!(order.len(), graph.len() - graph.inputs().len());
        for (u, v) in graph.edges().filter(|&(u, _)| !graph.is_input(u)) {
            assert!(place[u] < place[v], "{u} before {v}");
        }
    }
}

#[test]
fn graphs_of_one_computation_in_several_spellings_are_equal() {
    let graph = |name: &str| {
        let sizes = sizes(&[("M", 3), ("N", 2), ("K", 4)]);
        ProgramGraph::of(&kernel(name), &sizes, 1_000)
            .expect("small")
            .graph
    };
    let degrees = |graph: &Cdag| {
        let mut list: Vec<_> = (0..graph.len())
            .map(|v| (graph.preds(v).len(), graph.succs(v).len()))
            .collect();
        list.sort_unstable();
        list
    };
    let (plain, tiled) = (graph("matmul"), graph("matmul-tiled"));
    // 12 + 8 inputs and 24 fused multiply-adds; the first of each chain starts from the constant zero.
    assert_eq!(
        (plain.len(), plain.inputs().len(), plain.outputs().len()),
        (44, 20, 6)
    );
    assert_eq!(degrees(&plain), degrees(&tiled));
}

#[test]
fn phase_capacities_are_attacked_directly() {
    // Theory H-11 for MGS with X = the updates: U(K) = K²/W + 2K with W = M. An eighth of it is too little.
    let (rows, columns) = (6, 6);
    let program = kernel("mgs");
    let graph =
        ProgramGraph::of(&program, &sizes(&[("M", rows), ("N", columns)]), 10_000).expect("small");
    let update = program
        .statements
        .iter()
        .rposition(|s| s.iterators.len() == 3)
        .expect("an update");
    let is_target = |v: usize| matches!(&graph.origins[v], Origin::Instance(s, _) if s.0 == update);
    let width = u64::try_from(rows).expect("positive");
    let timetable = Timetable::of(&program, &graph);
    let mut weak_broken = false;
    for key in keys(
        Coordinates::Loops,
        timetable.dimensions(Coordinates::Loops),
        &[1, 2, i64::MAX],
    ) {
        let order = timetable.order(&graph.graph, &key);
        let right = |k: u64, x: u64| x * width <= k * k + 2 * k * width;
        let weak = |k: u64, x: u64| 8 * x * width <= k * k + 2 * k * width;
        let attack = |holds: &dyn Fn(u64, u64) -> bool| {
            attack_capacity(&graph.graph, &order, is_target, holds, 3, 400)
        };
        assert_eq!(attack(&right), None, "{key:?}");
        weak_broken |= attack(&weak).is_some();
    }
    assert!(weak_broken, "the attack is too weak to see a factor of 8");
}

#[test]
fn explicit_graphs_can_be_attacked_too() {
    // Theory T-2: pyramid of height 4 with S = 4 costs 10 (RBW).
    let graph = redblue_pebble::generate::pyramid(4).expect("small");
    let verdict = |value| {
        attack_graph(&graph, Game::red_blue_white(), 4, value, &Effort::default())
            .expect("playable")
    };
    assert!(matches!(
        verdict(10),
        Verdict::Survived {
            best: 10,
            by: Attack::Optimum,
            ..
        }
    ));
    assert!(matches!(verdict(11), Verdict::Broken { io: 10, .. }));
    let list = capacities::adversarial(&graph, &Game::red_blue_white());
    assert!(
        list.windows(2).all(|pair| pair[0] < pair[1]) && list[0] == 3,
        "{list:?}"
    );
}
