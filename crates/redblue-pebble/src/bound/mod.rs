//! Lower bounds for explicit graphs, one method per file (theory X-6).
//!
//! Every function takes a graph, a game and a capacity and returns a number of words that no play
//! of that game undercuts, in the game's own accounting; zero where the method says nothing. They
//! are independent of the exact players and of the symbolic engines, and cheap enough for graphs
//! that no player can solve. The numbers are not certificates.

mod compulsory;
mod hong_kung;
mod spectral;
mod wavefront;

pub use compulsory::compulsory;
pub use hong_kung::hong_kung;
pub use spectral::spectral;
pub use wavefront::wavefront;

use crate::cdag::Cdag;
use crate::game::Game;

/// A method for bounding the cost of every play from below.
pub type Method = fn(&Cdag, &Game, usize) -> u64;

/// All methods by name.
pub const METHODS: [(&str, Method); 4] = [
    ("compulsory", |graph, game, _| {
        compulsory(graph, game).total()
    }),
    ("wavefront", wavefront),
    ("hong-kung", hong_kung),
    ("spectral", spectral),
];

/// The best bound of all methods and the name of the first that attains it.
pub fn best(graph: &Cdag, game: &Game, capacity: usize) -> (&'static str, u64) {
    best_until(graph, game, capacity, &mut || false)
}

/// The same, with no further method tried once it is `late`.
pub(crate) fn best_until(
    graph: &Cdag,
    game: &Game,
    capacity: usize,
    late: &mut dyn FnMut() -> bool,
) -> (&'static str, u64) {
    let mut best = ("compulsory", 0);
    for (index, (name, method)) in METHODS.into_iter().enumerate() {
        if index > 0 && late() {
            break;
        }
        let bound = method(graph, game, capacity);
        if bound > best.1 {
            best = (name, bound);
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate;

    #[test]
    fn any_capacity_is_fine() {
        let graph = generate::diamond(4, 4).expect("fine");
        for (name, method) in METHODS {
            for game in crate::testing::all_games() {
                let everything = method(&graph, &game, graph.len());
                assert_eq!(method(&graph, &game, usize::MAX), everything, "{name}");
            }
        }
    }
}
