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
mod rivals;
mod search;
mod symmetry;
mod table;
mod watch;

pub use watch::{Progress, Stopwatch, Watch};

use std::time::Duration;

use crate::bound;
use crate::cdag::Cdag;
use crate::error::Error;
use crate::game::{Game, Move};
use crate::heuristic::{OrderSearch, search_order_until};
use crate::referee::{Score, judge};
use again::Again;
use beam::beam;
use board::Rules;
use mask::Mask;
use once::Once;
use search::{Budget, Report, Verdict, search};
use symmetry::Symmetry;
use watch::Timer;

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

/// Most vertices an exact player takes.
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
    solve_watched(graph, game, capacity, limits, &mut Stopwatch::start())
}

/// The same as [`solve`], with progress shown to `watch` and the time limit read from its clock.
///
/// # Errors
/// [`Error::CapacityTooSmall`] if there is no play at all.
pub fn solve_watched(
    graph: &Cdag,
    game: &Game,
    capacity: usize,
    limits: &Limits,
    watch: &mut dyn Watch,
) -> Result<Outcome, Error> {
    game.check_capacity(graph, capacity)?;
    let mut question = Question {
        graph,
        game,
        capacity,
        limits,
        timer: Timer::new(watch, limits.time),
    };
    match graph.len() {
        0..=32 => question.answer::<u32>(),
        33..=64 => question.answer::<u64>(),
        65..=MOST_VERTICES => question.answer::<u128>(),
        _ => question.answer_roughly(),
    }
}

/// Beam widths before the search, for its ceiling, and after it was cut, for a better play.
const BEFORE: usize = 32;
const AFTER: [usize; 3] = [128, 512, 2048];

/// Shares of the time limit, in percent, after which each phase ends.
const ORDER_SEARCH: u32 = 10;
const SEARCH: u32 = 80;
const POLISH: u32 = 100;

/// What was asked, and the time it may take.
struct Question<'a> {
    graph: &'a Cdag,
    game: &'a Game,
    capacity: usize,
    limits: &'a Limits,
    timer: Timer<'a>,
}

impl Question<'_> {
    fn answer<M: Mask>(&mut self) -> Result<Outcome, Error> {
        let play = self.searched_order()?;
        let mut best = self.judged(play)?;
        // A play without recomputation is also one with it.
        let plain = Game {
            recompute: false,
            ..*self.game
        };
        let once: Once<M> = Once::new(self.graph, &plain, self.capacity);
        let symmetry = Symmetry::new(self.graph);
        let improve = |question: &mut Self, best: &mut (Vec<Move>, Score), width| {
            let ceiling = best.1.io();
            let late = &mut || question.timer.is_over(POLISH);
            if let Some(play) = beam(&once, &symmetry, width, ceiling, late) {
                *best = question.judged(play)?;
            }
            Ok::<(), Error>(())
        };
        improve(self, &mut best, BEFORE)?;
        let report = match self.game.recompute {
            true => self.search_with_recomputation(&symmetry, best.1.io()),
            false => self.search(&once, &symmetry, best.1.io()),
        };
        let (lower_bound, stop) = match report.verdict {
            Verdict::Optimal(play) => {
                best = self.judged(play)?;
                (best.1.io(), Stop::Optimal)
            }
            Verdict::NothingCheaper => (best.1.io(), Stop::Optimal),
            Verdict::Stopped { lower_bound, stop } => {
                // Polishing should not cost more than the search did.
                let states = report.states;
                let affordable = |&width: &usize| (width * self.graph.len()) as u64 <= states;
                for width in AFTER.into_iter().filter(affordable) {
                    improve(self, &mut best, width)?;
                }
                (lower_bound, stop)
            }
        };
        Ok(outcome(best, lower_bound, stop, report.states))
    }

    fn search_with_recomputation<M: Mask>(
        &mut self,
        symmetry: &Symmetry<M>,
        ceiling: u64,
    ) -> Report {
        let rules: Again<M> = Again::new(self.graph, self.game, self.capacity);
        let mut report = self.search(&rules, symmetry, ceiling);
        if let Verdict::Optimal(play) = report.verdict {
            report.verdict = Verdict::Optimal(rules.store_in_time(play));
        }
        report
    }

    fn search<M: Mask, R: Rules<M>>(
        &mut self,
        rules: &R,
        symmetry: &Symmetry<M>,
        ceiling: u64,
    ) -> Report {
        let Limits { states, memory, .. } = *self.limits;
        let budget = Budget {
            states,
            memory,
            timer: &mut self.timer,
            percent: SEARCH,
        };
        search(rules, symmetry, budget, ceiling)
    }

    fn answer_roughly(&mut self) -> Result<Outcome, Error> {
        let play = self.searched_order()?;
        let best = self.judged(play)?;
        let late = &mut || self.timer.is_over(POLISH);
        let (_, lower_bound) = bound::best_until(self.graph, self.game, self.capacity, late);
        Ok(outcome(best, lower_bound, Stop::TooLarge, 0))
    }

    /// The play of an order search that looks at about as many values whatever the graph.
    fn searched_order(&mut self) -> Result<Vec<Move>, Error> {
        const LOOKS: u64 = 4_000_000;
        let size = (self.graph.len() + self.graph.edge_count() + 1) as u64;
        let defaults = OrderSearch::default();
        let limits = OrderSearch {
            trials: defaults.trials.min(LOOKS / size),
            ..defaults
        };
        let late = &mut || self.timer.is_over(ORDER_SEARCH);
        search_order_until(self.graph, self.game, self.capacity, &limits, late)
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
        let mut watch = Stopwatch::start();
        let mut question = Question {
            graph,
            game,
            capacity,
            limits: &limits,
            timer: Timer::new(&mut watch, None),
        };
        let once: Once<u32> = Once::new(graph, game, capacity);
        let symmetry = Symmetry::new(graph);
        let report = match game.recompute {
            true => question.search_with_recomputation(&symmetry, u64::MAX),
            false => question.search(&once, &symmetry, u64::MAX),
        };
        match report.verdict {
            Verdict::Optimal(play) => {
                judge(graph, game, capacity, &play).map_err(|illegal| illegal.to_string())
            }
            _ => Err("the search found nothing".to_string()),
        }
    }

    /// Two copies of a graph and a value that reads the last value of both: symmetric by construction.
    fn twins(graph: &Cdag) -> Cdag {
        let n = graph.len();
        let both = |list: &[usize]| -> Vec<usize> {
            list.iter()
                .copied()
                .chain(list.iter().map(|v| n + v))
                .collect()
        };
        let mut edges: Vec<_> = graph.edges().collect();
        edges.extend(graph.edges().map(|(u, v)| (n + u, n + v)));
        edges.extend([(n - 1, 2 * n), (2 * n - 1, 2 * n)]);
        let inputs = both(graph.inputs());
        let outputs = [both(graph.outputs()), vec![2 * n]].concat();
        Cdag::from_parts(2 * n + 1, &edges, Some(&inputs), Some(&outputs)).expect("a legal graph")
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(cases(40, 1_000)))]

        #[test]
        fn symmetry_loses_no_optimum(graph in small_graph(cases(3, 4) as usize), capacity in 2usize..6) {
            let graph = twins(&graph);
            for game in all_games() {
                if let Some(optimum) = brute_force(&graph, &game, capacity) {
                    let found = search_alone(&graph, &game, capacity).map(|score| score.io());
                    prop_assert_eq!(found, Ok(optimum), "{:?}", game);
                }
            }
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
