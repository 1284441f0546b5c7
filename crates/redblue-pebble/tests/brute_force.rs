//! The exact player against an exhaustive one that knows nothing but the rules.

mod common;
#[path = "common/exhaustive.rs"]
mod exhaustive;

use common::{all_games, cases, small_graph};
use exhaustive::brute_force;
use proptest::prelude::*;
use redblue_pebble::exact::{Limits, Stop, solve};
use redblue_pebble::{Error, generate};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases(60, 3000)))]

    #[test]
    fn the_exact_player_finds_the_optimum(graph in small_graph(7), capacity in 1usize..6) {
        for game in all_games() {
            let expect = brute_force(&graph, &game, capacity);
            match solve(&graph, &game, capacity, &Limits::default()) {
                Ok(outcome) => {
                    prop_assert_eq!(Some(outcome.score.io()), expect, "{:?}", game);
                    prop_assert_eq!(outcome.stop, Stop::Optimal);
                }
                Err(Error::CapacityTooSmall { .. }) => prop_assert_eq!(expect, None, "{:?}", game),
                Err(error) => return Err(TestCaseError::fail(error.to_string())),
            }
        }
    }
}

#[test]
fn the_oracle_knows_hand_counted_games() {
    let pyramid = generate::pyramid(2).expect("fine");
    let game = redblue_pebble::Game::red_blue();
    // Three loads and one store.
    assert_eq!(brute_force(&pyramid, &game, 4), Some(4));
    // With three pebbles the first middle value is stored and loaded again, or, if sliding, stays.
    assert_eq!(brute_force(&pyramid, &game, 3), Some(6));
    assert_eq!(brute_force(&pyramid, &game.sliding(), 3), Some(4));
    assert_eq!(brute_force(&pyramid, &game, 2), None);
}
