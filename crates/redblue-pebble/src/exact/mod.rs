//! Exact players: the least traffic of a game on a graph of at most 128 vertices (theory T-1).
//!
//! ```text
//!   order search ──► a play, its cost is the ceiling
//!   Rules (once: no recomputation, again: with) ──► A* over canonical states ──► Outcome
//! ```
//!
//! On a limit the answer is the best play known and a lower bound that is proven; optimality is
//! claimed only when the search ended. The play of every [`Outcome`] has passed the referee.

mod again;
mod board;
mod cut;
mod mask;
mod once;
mod search;
mod symmetry;
mod table;

use std::time::Duration;

use crate::cdag::Cdag;
use crate::error::Error;
use crate::game::{Game, Move};
use crate::heuristic::{OrderSearch, search_order};
use crate::referee::{Score, judge};
use mask::Mask;
use search::{Report, Verdict, search};
use symmetry::Symmetry;

/// When an exact player gives up. Without a time limit the result is the same on every machine.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Wall-clock limit, if any.
    pub time: Option<Duration>,
    /// Most states stored.
    pub states: u64,
    /// Most bytes used for them.
    pub memory: u64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            time: None,
            states: 50_000_000,
            memory: 4 << 30,
        }
    }
}

/// Why an exact player stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// The play is proven to be optimal.
    Optimal,
    /// The time limit was hit.
    TimeLimit,
    /// The limit on stored states was hit.
    StateLimit,
    /// The limit on memory was hit.
    MemoryLimit,
}

/// The best play found and how far from the optimum it can be.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// A legal play.
    pub play: Vec<Move>,
    /// Its cost, as counted by the referee.
    pub score: Score,
    /// No play costs less than this; equal to `score.io()` when the play is optimal.
    pub lower_bound: u64,
    /// Why the player stopped.
    pub stop: Stop,
    /// How many states were stored.
    pub states: u64,
}

/// Most vertices (in the lecture's game: vertices plus outputs) an exact player takes.
pub const MOST_VERTICES: usize = 128;

/// Plays `game` on `graph` with `capacity` red pebbles as cheaply as possible.
///
/// # Errors
/// [`Error::CapacityTooSmall`] if there is no play at all, [`Error::TooManyVertices`] above
/// [`MOST_VERTICES`].
pub fn solve(
    graph: &Cdag,
    game: &Game,
    capacity: usize,
    limits: &Limits,
) -> Result<Outcome, Error> {
    game.check_capacity(graph, capacity)?;
    let bits = again::bits(graph, game);
    if bits > MOST_VERTICES {
        return Err(Error::TooManyVertices {
            vertices: bits,
            limit: MOST_VERTICES,
        });
    }
    let known = search_order(graph, game, capacity, &OrderSearch::default())?;
    let ceiling = referee(graph, game, capacity, &known)?.io();
    let report = match bits {
        0..=32 => explore::<u32>(graph, game, capacity, limits, ceiling),
        33..=64 => explore::<u64>(graph, game, capacity, limits, ceiling),
        _ => explore::<u128>(graph, game, capacity, limits, ceiling),
    };
    let (play, lower_bound, stop) = match report.verdict {
        Verdict::Optimal(play) => (play, None, Stop::Optimal),
        Verdict::NothingCheaper => (known, None, Stop::Optimal),
        Verdict::Stopped { lower_bound, stop } => (known, Some(lower_bound), stop),
    };
    let score = referee(graph, game, capacity, &play)?;
    let lower_bound = lower_bound.unwrap_or(score.io());
    Ok(Outcome {
        play,
        score,
        lower_bound,
        stop,
        states: report.states,
    })
}

fn explore<M: Mask>(
    graph: &Cdag,
    game: &Game,
    capacity: usize,
    limits: &Limits,
    ceiling: u64,
) -> Report {
    if game.recompute {
        let rules: again::Again<M> = again::Again::new(graph, game, capacity);
        let symmetry = Symmetry::new(graph, rules.done_bits());
        search(&rules, &symmetry, limits, ceiling)
    } else {
        let rules: once::Once<M> = once::Once::new(graph, game, capacity);
        let own: Vec<usize> = (0..graph.len()).collect();
        let symmetry = Symmetry::new(graph, &own);
        search(&rules, &symmetry, limits, ceiling)
    }
}

/// A player's own play being refused would be a bug of the player; it is reported, never hidden.
fn referee(graph: &Cdag, game: &Game, capacity: usize, play: &[Move]) -> Result<Score, Error> {
    judge(graph, game, capacity, play).map_err(Error::PlayRefused)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::exhaustive::brute_force;
    use crate::testing::{all_games, cases, small_graph};

    /// The search alone, without a known play that would hide a state pruned by mistake.
    fn search_alone(graph: &Cdag, game: &Game, capacity: usize) -> Result<Score, String> {
        let limits = Limits::default();
        match explore::<u32>(graph, game, capacity, &limits, u64::MAX).verdict {
            Verdict::Optimal(play) => {
                judge(graph, game, capacity, &play).map_err(|illegal| illegal.to_string())
            }
            _ => Err("the search found nothing".to_string()),
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(cases(150, 20_000)))]

        #[test]
        fn pruning_loses_no_optimum(graph in small_graph(7), capacity in 1usize..6) {
            for game in all_games() {
                if let Some(optimum) = brute_force(&graph, &game, capacity) {
                    let found = search_alone(&graph, &game, capacity).map(|score| score.io());
                    prop_assert_eq!(found, Ok(optimum), "{:?}", game);
                }
            }
        }
    }
}
