//! Searching for an order of computations that Belady's rule plays cheaply.
//!
//! [`search_order`] starts from the best of a few constructed orders (the textbook order, a
//! depth-first order, greedy orders) and then improves it by exchanging neighbouring blocks where
//! operands allow it. It is seeded, stops at its limits, and is deterministic unless a time limit
//! cuts it.

use std::time::{Duration, Instant};

use super::belady::{belady, traffic};
use crate::cdag::{Cdag, Vertex};
use crate::error::Error;
use crate::game::{Game, Move};
use crate::random::Random;

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
    game.check_capacity(graph, capacity)?;
    let wanted = game.must_compute(graph);
    let textbook = graph
        .order()
        .iter()
        .copied()
        .filter(|&v| wanted[v])
        .collect();
    let candidates = [
        textbook,
        depth_first_order(graph, game),
        greedy_order(graph, game, capacity, Greed::FewestLoads),
        greedy_order(graph, game, capacity, Greed::LeastGrowth),
    ];
    let cost = |order: &[Vertex]| traffic(graph, game, capacity, order);
    let best = candidates
        .into_iter()
        .map(|order| (cost(&order), order))
        .min_by_key(|c| c.0);
    let Some((io, order)) = best else {
        return Ok(Vec::new());
    };
    let mut climb = Climb {
        graph,
        io,
        order,
        random: Random::new(limits.seed),
    };
    let deadline = limits.time.map(|time| Instant::now() + time);
    for _ in 0..limits.trials {
        if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            break;
        }
        climb.try_one(cost);
    }
    belady(graph, game, capacity, &climb.order)
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
    fn try_one(&mut self, cost: impl Fn(&[Vertex]) -> u64) {
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
        let io = cost(&self.order);
        match io <= self.io {
            true => self.io = io,
            false => self.order[range].rotate_right(first),
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

/// What a greedy order looks at first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Greed {
    /// As few operands as possible that are not in fast memory.
    FewestLoads,
    /// The same plus the growth of what must be kept: operands read for the last time make room.
    LeastGrowth,
}

/// The order that always takes the greediest ready vertex, with a recency-managed cache of
/// `capacity` values for fast memory; ties go to last reads, then to the most recent operand.
pub fn greedy_order(graph: &Cdag, game: &Game, capacity: usize, greed: Greed) -> Vec<Vertex> {
    let wanted = game.must_compute(graph);
    let count = |list: &[Vertex]| list.iter().filter(|&&v| wanted[v]).count();
    let mut waiting: Vec<usize> = (0..graph.len()).map(|v| count(graph.preds(v))).collect();
    let mut unread: Vec<usize> = (0..graph.len()).map(|v| count(graph.succs(v))).collect();
    let mut ready: Vec<Vertex> = graph
        .order()
        .iter()
        .copied()
        .filter(|&v| wanted[v] && waiting[v] == 0)
        .collect();
    let mut cache = Recency {
        touched: vec![0; graph.len()],
        clock: 0,
        capacity,
    };
    let mut order = Vec::new();
    // Looking at a bounded window of ready vertices keeps large graphs affordable.
    const WINDOW: usize = 64;
    while !ready.is_empty() {
        let from = ready.len().saturating_sub(WINDOW);
        let key = |&v: &Vertex| {
            let operands = graph.preds(v);
            let missing = operands.iter().filter(|&&u| !cache.holds(u)).count();
            let last = operands.iter().filter(|&&u| unread[u] == 1).count();
            let newest = operands
                .iter()
                .map(|&u| cache.touched[u])
                .max()
                .unwrap_or(0);
            let burden = match greed {
                Greed::FewestLoads => missing,
                Greed::LeastGrowth => missing + 2 - last.min(2),
            };
            (burden, usize::MAX - last, u64::MAX - newest, v)
        };
        let best = (from..ready.len())
            .min_by_key(|&i| key(&ready[i]))
            .unwrap_or(from);
        let v = ready.swap_remove(best);
        for &u in graph.preds(v) {
            cache.touch(u);
            unread[u] -= 1;
        }
        cache.touch(v);
        order.push(v);
        for &w in graph.succs(v).iter().filter(|&&w| wanted[w]) {
            waiting[w] -= 1;
            if waiting[w] == 0 {
                ready.push(w);
            }
        }
    }
    order
}

/// An approximate LRU cache: a value is held if it was among the last `capacity` touches.
struct Recency {
    touched: Vec<u64>,
    clock: u64,
    capacity: usize,
}

impl Recency {
    fn touch(&mut self, v: Vertex) {
        self.clock += 1;
        self.touched[v] = self.clock;
    }

    fn holds(&self, v: Vertex) -> bool {
        self.touched[v] > 0 && self.clock - self.touched[v] < self.capacity as u64
    }
}
