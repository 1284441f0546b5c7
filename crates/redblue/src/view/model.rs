//! The model a number was counted in; every document with numbers states it.

use redblue_pebble::Game;
use serde::Serialize;

/// What is counted, and what is allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Model {
    count: &'static str,
    recompute: bool,
    sums: &'static str,
    slide: bool,
    ranks: u32,
}

impl Model {
    /// Simulations: loads and stores of the program's own operations, cells updated in place.
    pub const SIMULATION: Model = Model {
        count: "total",
        recompute: false,
        sums: "fixed",
        slide: true,
        ranks: 1,
    };

    /// A pebble game.
    pub fn of_game(game: &Game) -> Model {
        Model {
            count: if game.automatic_stores {
                "loads"
            } else {
                "total"
            },
            recompute: game.recompute,
            slide: game.slide,
            ..Model::SIMULATION
        }
    }

    /// Whether stores are free.
    pub(super) fn is_loads_only(&self) -> bool {
        self.count == "loads"
    }
}
