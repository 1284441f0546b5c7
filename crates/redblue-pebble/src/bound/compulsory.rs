//! Compulsory traffic (theory G-4.3, G-11, U-15).
//!
//! Statement: every input that must be read is loaded once, every output that is not an input is
//! stored once. Inputs that nothing reads and inputs that are outputs cost nothing by themselves.
//! Assumptions: none; with recomputation only inputs with a path to an output must be read.

use crate::cdag::Cdag;
use crate::game::Game;

/// Loads and stores that every play makes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Compulsory {
    /// Inputs that must be read.
    pub loads: u64,
    /// Outputs that must be stored, where stores are counted at all.
    pub stores: u64,
}

impl Compulsory {
    /// Loads plus stores.
    pub fn total(&self) -> u64 {
        self.loads + self.stores
    }
}

/// The compulsory traffic of `game` on `graph`, whatever the capacity.
pub fn compulsory(graph: &Cdag, game: &Game) -> Compulsory {
    let wanted = game.must_compute(graph);
    let read = graph
        .inputs()
        .iter()
        .filter(|&&v| graph.succs(v).iter().any(|&w| wanted[w]));
    let stored = graph.outputs().iter().filter(|&&v| !graph.is_input(v));
    let counted = game.final_stores && !game.automatic_stores;
    Compulsory {
        loads: read.count() as u64,
        stores: if counted { stored.count() as u64 } else { 0 },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unused_inputs_and_input_outputs_cost_nothing() {
        // 0 -> 1 -> 2 with 3 isolated; only 1 and 3 are outputs.
        let graph = Cdag::from_parts(4, &[(0, 1), (1, 2)], None, Some(&[1, 3])).expect("fine");
        let count = |game: Game| {
            let Compulsory { loads, stores } = compulsory(&graph, &game);
            (loads, stores)
        };
        assert_eq!(count(Game::red_blue()), (1, 1));
        assert_eq!(count(Game::red_blue_white()), (1, 1));
        assert_eq!(count(Game::red_white()), (1, 0));
        assert_eq!(count(Game::lecture()), (1, 0));
    }
}
