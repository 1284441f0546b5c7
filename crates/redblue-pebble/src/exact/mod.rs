//! Exact players: the least traffic of a game on a graph of at most 128 vertices (theory T-1).
//!
//! ```text
//!   order search, beam ──► a play, whose cost is the ceiling
//!   Rules (once: no recomputation, again: with it) ──► A* over canonical states ──► Outcome
//! ```
//!
//! On a limit the answer is the best play known and a lower bound that is proven; optimality is
//! claimed only when the search ended. The play of every [`Outcome`] has passed the referee.

mod again;
mod beam;
mod board;
mod cut;
mod mask;
mod once;
mod search;
mod symmetry;
mod table;

use std::time::{Duration, Instant};

use crate::bound;
use crate::cdag::Cdag;
use crate::error::Error;
use crate::game::{Game, Move};
use crate::heuristic::{OrderSearch, search_order};
use crate::referee::{Score, judge};
use again::Again;
use beam::beam;
use mask::Mask;
use once::Once;
use search::{Budget, Report, Verdict, search};
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
    /// The graph has more vertices than an exact player takes.
    TooLarge,
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
/// A graph above [`MOST_VERTICES`] gets a heuristic play and the best bound of
/// [`bound`](crate::bound); that is optimal only if the two happen to meet.
///
/// # Errors
/// [`Error::CapacityTooSmall`] if there is no play at all.
pub fn solve(
    graph: &Cdag,
    game: &Game,
    capacity: usize,
    limits: &Limits,
) -> Result<Outcome, Error> {
    game.check_capacity(graph, capacity)?;
    let question = Question {
        graph,
        game,
        capacity,
        limits,
        started: Instant::now(),
    };
    match again::bits(graph, game) {
        0..=32 => question.answer::<u32>(),
        33..=64 => question.answer::<u64>(),
        65..=MOST_VERTICES => question.answer::<u128>(),
        _ => question.answer_roughly(),
    }
}

/// Beam widths before the search, for its ceiling, and after it was cut, for a better play.
const BEFORE: usize = 32;
const AFTER: [usize; 3] = [128, 512, 2048];

/// What was asked, and since when.
struct Question<'a> {
    graph: &'a Cdag,
    game: &'a Game,
    capacity: usize,
    limits: &'a Limits,
    started: Instant,
}

impl Question<'_> {
    fn answer<M: Mask>(&self) -> Result<Outcome, Error> {
        let mut best = self.judged(self.searched_order()?)?;
        // A play without recomputation is also one with it.
        let plain = Game {
            recompute: false,
            ..*self.game
        };
        let once: Once<M> = Once::new(self.graph, &plain, self.capacity);
        let symmetry = Symmetry::new(self.graph, &(0..self.graph.len()).collect::<Vec<_>>());
        let improve = |best: &mut (Vec<Move>, Score), width| -> Result<(), Error> {
            let ceiling = best.1.io();
            if let Some(play) = beam(&once, &symmetry, width, ceiling, self.deadline(100)) {
                *best = self.judged(play)?;
            }
            Ok(())
        };
        improve(&mut best, BEFORE)?;
        let report = match self.game.recompute {
            true => self.search_with_recomputation::<M>(best.1.io()),
            false => search(&once, &symmetry, &self.budget(), best.1.io()),
        };
        let (lower_bound, stop) = match report.verdict {
            Verdict::Optimal(play) => {
                best = self.judged(play)?;
                (best.1.io(), Stop::Optimal)
            }
            Verdict::NothingCheaper => (best.1.io(), Stop::Optimal),
            Verdict::Stopped { lower_bound, stop } => {
                // Polishing should not cost more than the search was allowed to.
                let affordable =
                    |&width: &usize| (width * self.graph.len()) as u64 <= self.limits.states;
                for width in AFTER.into_iter().filter(affordable) {
                    improve(&mut best, width)?;
                }
                (lower_bound, stop)
            }
        };
        Ok(outcome(best, lower_bound, stop, report.states))
    }

    fn search_with_recomputation<M: Mask>(&self, ceiling: u64) -> Report {
        let rules: Again<M> = Again::new(self.graph, self.game, self.capacity);
        let symmetry = Symmetry::new(self.graph, rules.done_bits());
        search(&rules, &symmetry, &self.budget(), ceiling)
    }

    fn answer_roughly(&self) -> Result<Outcome, Error> {
        let best = self.judged(self.searched_order()?)?;
        let (_, lower_bound) = bound::best(self.graph, self.game, self.capacity);
        Ok(outcome(best, lower_bound, Stop::TooLarge, 0))
    }

    /// The play of an order search that looks at about as many values whatever the graph.
    fn searched_order(&self) -> Result<Vec<Move>, Error> {
        const LOOKS: u64 = 4_000_000;
        let size = (self.graph.len() + self.graph.edge_count() + 1) as u64;
        let defaults = OrderSearch::default();
        let limits = OrderSearch {
            trials: defaults.trials.min(LOOKS / size),
            time: self.limits.time.map(|time| time / 10),
            ..defaults
        };
        search_order(self.graph, self.game, self.capacity, &limits)
    }

    fn budget(&self) -> Budget {
        let Limits { states, memory, .. } = *self.limits;
        Budget {
            deadline: self.deadline(80),
            states,
            memory,
        }
    }

    /// The moment when this share of the time limit is used up.
    fn deadline(&self, percent: u32) -> Option<Instant> {
        self.limits
            .time
            .map(|time| self.started + time / 100 * percent)
    }

    /// The play with its score. A player's own play being refused would be a defect of the player;
    /// it is reported, never hidden.
    fn judged(&self, play: Vec<Move>) -> Result<(Vec<Move>, Score), Error> {
        let verdict = judge(self.graph, self.game, self.capacity, &play);
        verdict
            .map(|score| (play, score))
            .map_err(Error::PlayRefused)
    }
}

fn outcome(best: (Vec<Move>, Score), lower_bound: u64, stop: Stop, states: u64) -> Outcome {
    let (play, score) = best;
    let stop = if score.io() == lower_bound {
        Stop::Optimal
    } else {
        stop
    };
    Outcome {
        play,
        score,
        lower_bound,
        stop,
        states,
    }
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
        let question = Question {
            graph,
            game,
            capacity,
            limits: &limits,
            started: Instant::now(),
        };
        let once: Once<u32> = Once::new(graph, game, capacity);
        let symmetry = Symmetry::new(graph, &(0..graph.len()).collect::<Vec<_>>());
        let report = match game.recompute {
            true => question.search_with_recomputation::<u32>(u64::MAX),
            false => search(&once, &symmetry, &question.budget(), u64::MAX),
        };
        match report.verdict {
            Verdict::Optimal(play) => {
                judge(graph, game, capacity, &play).map_err(|illegal| illegal.to_string())
            }
            _ => Err("the search found nothing".to_string()),
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(cases(150, 4_000)))]

        #[test]
        fn pruning_loses_no_optimum(graph in small_graph(cases(7, 9) as usize), capacity in 1usize..6) {
            for game in all_games() {
                if let Some(optimum) = brute_force(&graph, &game, capacity) {
                    let found = search_alone(&graph, &game, capacity).map(|score| score.io());
                    prop_assert_eq!(found, Ok(optimum), "{:?}", game);
                }
            }
        }
    }
}
