//! The rules: one configurable game that covers the variants of theory G-2 and G-3.
//!
//! A [`Game`] says what is allowed and what costs; a [`Move`] is one step of a play; a play is a
//! list of moves that the [referee](crate::referee) judges. Two memories are modelled: at most `S`
//! values carry a red pebble (fast), any number a blue one (slow).
//!
//! | game | recompute | what costs 1 | start | end |
//! |---|---|---|---|---|
//! | [`Game::red_blue`] | yes | load, store | inputs blue | outputs blue |
//! | [`Game::lecture`] | yes | load, store | inputs blue | each output was red once |
//! | [`Game::red_white`] | no | load | inputs saved | every vertex computed |
//! | [`Game::red_blue_white`] | no | load, store | inputs blue | outputs blue, every vertex computed |

use serde::{Deserialize, Serialize};

use crate::cdag::{Cdag, Vertex};
use crate::error::Error;

/// The rules of a pebble game on a [`Cdag`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Game {
    /// A value may be computed more than once, or not at all if no output needs it. Otherwise every
    /// vertex is computed exactly once.
    pub recompute: bool,
    /// Every value is saved when it is computed, free of charge, and there are no store moves.
    pub automatic_stores: bool,
    /// Outputs must be in slow memory at the end.
    pub final_stores: bool,
    /// A computation may reuse the pebble of one operand (in-place update, theory G-3).
    pub slide: bool,
}

impl Game {
    /// Hong and Kung's game: recomputation allowed, loads and stores cost 1.
    pub const fn red_blue() -> Game {
        Game {
            recompute: true,
            automatic_stores: false,
            final_stores: true,
            slide: false,
        }
    }

    /// The lecture's objective: as [`red_blue`](Game::red_blue), final stores not required.
    pub const fn lecture() -> Game {
        Game {
            final_stores: false,
            ..Game::red_blue()
        }
    }

    /// Loads only, without recomputation: every computed value stays available in slow memory.
    pub const fn red_white() -> Game {
        Game {
            recompute: false,
            automatic_stores: true,
            final_stores: true,
            slide: false,
        }
    }

    /// Loads and stores, without recomputation.
    pub const fn red_blue_white() -> Game {
        Game {
            recompute: false,
            ..Game::red_blue()
        }
    }

    /// The same rules with sliding.
    pub const fn sliding(self) -> Game {
        Game {
            slide: true,
            ..self
        }
    }

    /// The four named games of theory G-2, with the names the command line uses.
    pub const NAMED: [(&'static str, Game); 4] = [
        ("red-blue-white", Game::red_blue_white()),
        ("red-blue", Game::red_blue()),
        ("red-white", Game::red_white()),
        ("lecture", Game::lecture()),
    ];

    /// The game with this name, strict.
    pub fn from_name(name: &str) -> Option<Game> {
        Game::NAMED
            .iter()
            .find(|(known, _)| *known == name)
            .map(|&(_, game)| game)
    }

    /// The name of these rules, sliding left aside, if they have one.
    pub fn name(&self) -> Option<&'static str> {
        let strict = Game {
            slide: false,
            ..*self
        };
        Game::NAMED
            .iter()
            .find(|(_, known)| *known == strict)
            .map(|&(name, _)| name)
    }

    /// Red pebbles needed to compute a value with this many operands.
    pub fn pebbles_for(&self, operands: usize) -> usize {
        match self.slide {
            true => operands.max(1),
            false => operands + 1,
        }
    }

    /// The vertices a play has to compute at least once, as flags.
    pub fn must_compute(&self, graph: &Cdag) -> Vec<bool> {
        let mut wanted = match self.recompute {
            true => graph.needed_for_outputs(),
            false => vec![true; graph.len()],
        };
        for &v in graph.inputs() {
            wanted[v] = false;
        }
        wanted
    }

    /// Checks that `capacity` red pebbles suffice for some play.
    ///
    /// # Errors
    /// [`Error::CapacityTooSmall`] with the vertex of largest in-degree (theory U-13).
    pub fn check_capacity(&self, graph: &Cdag, capacity: usize) -> Result<(), Error> {
        let wanted = self.must_compute(graph);
        let greediest = (0..graph.len())
            .filter(|&v| wanted[v])
            .map(|v| (graph.preds(v).len(), v))
            .max_by_key(|&(operands, v)| (operands, std::cmp::Reverse(v)));
        match greediest {
            Some((predecessors, vertex)) if self.pebbles_for(predecessors) > capacity => {
                let needed = self.pebbles_for(predecessors);
                Err(Error::CapacityTooSmall {
                    capacity,
                    vertex,
                    predecessors,
                    needed,
                })
            }
            _ => Ok(()),
        }
    }
}

/// One step of a play.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Move {
    /// Put a red pebble on a value that is in slow memory.
    Load(Vertex),
    /// Put a blue pebble on a value that is in fast memory.
    Store(Vertex),
    /// Put a red pebble on a value whose operands are all red.
    Compute(Vertex),
    /// Remove a red pebble.
    Delete(Vertex),
    /// Compute `to` by moving the red pebble of its operand `from` onto it.
    Slide {
        /// The operand that loses its pebble.
        from: Vertex,
        /// The value computed.
        to: Vertex,
    },
}

impl Move {
    /// The same move on other vertices.
    pub fn map(self, to: impl Fn(Vertex) -> Vertex) -> Move {
        match self {
            Move::Load(v) => Move::Load(to(v)),
            Move::Store(v) => Move::Store(to(v)),
            Move::Compute(v) => Move::Compute(to(v)),
            Move::Delete(v) => Move::Delete(to(v)),
            Move::Slide { from, to: result } => Move::Slide {
                from: to(from),
                to: to(result),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_a_bijection() {
        for (name, game) in Game::NAMED {
            assert_eq!(Game::from_name(name), Some(game));
            assert_eq!(game.sliding().name(), Some(name));
        }
        assert_eq!(Game::from_name("blue-red"), None);
    }

    #[test]
    fn too_few_pebbles_are_explained() {
        let graph = Cdag::from_parts(3, &[(0, 2), (1, 2)], None, None).expect("fine");
        let error = Game::red_blue()
            .check_capacity(&graph, 2)
            .expect_err("needs 3");
        assert_eq!(
            error.to_string(),
            "no game with S = 2: vertex 2 has 2 predecessors and needs 3 red pebbles at once"
        );
        assert!(Game::red_blue().sliding().check_capacity(&graph, 2).is_ok());
    }
}
