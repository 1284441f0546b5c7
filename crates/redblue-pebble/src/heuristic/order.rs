//! Searching for an order of computations that Belady's rule plays cheaply.
//!
//! [`search_order`] starts from the best of a few constructed orders (the textbook order, a
//! depth-first order, greedy orders) and then improves it by exchanging neighbouring blocks where
//! operands allow it. It is seeded, stops at its limits, and is deterministic unless a time limit
//! cuts it.

use std::time::{Duration, Instant};

use super::belady::Replay;
use super::greedy::greedy_orders;
use crate::Random;
use crate::cdag::{Cdag, Vertex};
use crate::error::Error;
use crate::game::{Game, Move};

/// Limits of [`search_order`].
#[derive(Debug, Clone, Copy)]
pub struct OrderSearch {
    /// How many changed orders are tried.
    pub trials: u64,
    /// Seed of the pseudo-random choices.
    pub seed: u64,
    /// Wall-clock limit, if any.
    pub time: Option<Duration>,
}

impl Default for OrderSearch {
    fn default() -> OrderSearch {
        OrderSearch {
            trials: 2_000,
            seed: 1,
            time: None,
        }
    }
}

/// The best play found within the limits.
///
/// # Errors
/// [`Error::CapacityTooSmall`].
pub fn search_order(
    graph: &Cdag,
    game: &Game,
    capacity: usize,
    limits: &OrderSearch,
) -> Result<Vec<Move>, Error> {
    let deadline = limits.time.map(|time| Instant::now() + time);
    let late = &mut || deadline.is_some_and(|deadline| Instant::now() >= deadline);
    search_order_until(graph, game, capacity, limits, late)
}

/// The same with the trials ended by `late`, whatever clock that reads, instead of `limits.time`.
pub(crate) fn search_order_until(
    graph: &Cdag,
    game: &Game,
    capacity: usize,
    limits: &OrderSearch,
    late: &mut dyn FnMut() -> bool,
) -> Result<Vec<Move>, Error> {
    game.check_capacity(graph, capacity)?;
    let wanted = game.must_compute(graph);
    let textbook = graph
        .order()
        .iter()
        .copied()
        .filter(|&v| wanted[v])
        .collect();
    let cost = |order: &[Vertex], most| Replay::trusted(graph, game, order).traffic(capacity, most);
    let candidates = [textbook, depth_first_order(graph, game)]
        .into_iter()
        .chain(greedy_orders(graph, game, capacity));
    let mut best: Option<(u64, Vec<Vertex>)> = None;
    for order in candidates {
        let most = best
            .as_ref()
            .map_or(u64::MAX, |(io, _)| io.saturating_sub(1));
        if let Some(io) = cost(&order, most) {
            best = Some((io, order));
        }
        if late() {
            break;
        }
    }
    let Some((io, order)) = best else {
        return Ok(Vec::new());
    };
    let mut climb = Climb {
        graph,
        io,
        order,
        random: Random::new(limits.seed),
    };
    for _ in 0..limits.trials {
        if late() {
            break;
        }
        climb.try_one(cost);
    }
    Replay::trusted(graph, game, &climb.order).play(capacity)
}

struct Climb<'a> {
    graph: &'a Cdag,
    io: u64,
    order: Vec<Vertex>,
    random: Random,
}

impl Climb<'_> {
    /// Exchanges two neighbouring blocks of the order, one of them short, if that is legal, and
    /// keeps the change unless it costs more: walking along plateaus is what gets out of them.
    fn try_one(&mut self, cost: impl Fn(&[Vertex], u64) -> Option<u64>) {
        let n = self.order.len();
        let (short, long) = (1 + self.random.below(3), 1 + self.random.below(n));
        if short + long > n {
            return;
        }
        let start = self.random.below(n - short - long + 1);
        let first = if self.random.chance(50) { short } else { long };
        let range = start..start + short + long;
        let (ahead, behind) = self.order[range.clone()].split_at(first);
        let reads = |v: Vertex, u: &Vertex| self.graph.preds(v).binary_search(u).is_ok();
        if behind.iter().any(|&v| ahead.iter().any(|u| reads(v, u))) {
            return;
        }
        self.order[range.clone()].rotate_left(first);
        match cost(&self.order, self.io) {
            Some(io) => self.io = io,
            None => self.order[range].rotate_right(first),
        }
    }
}

/// The order in which a recursive evaluation of the outputs computes the values.
pub fn depth_first_order(graph: &Cdag, game: &Game) -> Vec<Vertex> {
    let wanted = game.must_compute(graph);
    let mut entered: Vec<bool> = wanted.iter().map(|wanted| !wanted).collect();
    let mut order = Vec::new();
    let roots = graph
        .outputs()
        .iter()
        .copied()
        .chain(graph.order().iter().rev().copied());
    for root in roots {
        // Each entry is a vertex and how many of its operands were visited.
        let mut stack = vec![(root, 0)];
        if std::mem::replace(&mut entered[root], true) {
            continue;
        }
        while let Some((v, visited)) = stack.last_mut() {
            match graph.preds(*v).get(*visited) {
                Some(&u) => {
                    *visited += 1;
                    if !std::mem::replace(&mut entered[u], true) {
                        stack.push((u, 0));
                    }
                }
                None => {
                    order.push(*v);
                    stack.pop();
                }
            }
        }
    }
    order
}
