//! The model a number was counted in; every document with numbers states it.

use redblue_pebble::Game;
use schemars::JsonSchema;
use serde::Serialize;

/// What is counted, and what is allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Model {
    count: &'static str,
    recompute: bool,
    sums: &'static str,
    slide: bool,
    ranks: u64,
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

    /// Words between ranks, own data excluded, partial sums added in any order.
    pub fn of_ranks(ranks: u64) -> Model {
        Model {
            count: "network",
            sums: "free",
            ranks,
            ..Model::SIMULATION
        }
    }

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

    /// A lower bound; it holds with and without updates in place.
    pub(super) fn of_bound(loads: bool, recompute: bool, free_sums: bool) -> Model {
        Model {
            count: if loads { "loads" } else { "total" },
            recompute,
            sums: if free_sums { "free" } else { "fixed" },
            ..Model::SIMULATION
        }
    }

    /// For people.
    pub(super) fn in_words(&self) -> String {
        let count = if self.is_loads_only() {
            "loads"
        } else {
            "loads and stores"
        };
        let again = if self.recompute {
            "recomputation allowed"
        } else {
            "no recomputation"
        };
        let sums = if self.sums == "free" {
            "sums in any order"
        } else {
            "sums in the program's own order"
        };
        format!("{count}, {again}, {sums}")
    }

    /// Whether stores are free.
    pub(super) fn is_loads_only(&self) -> bool {
        self.count == "loads"
    }
}
