//! Greedy orders: always the ready vertex that looks cheapest with what fast memory holds.
//!
//! Fast memory is modelled by an LRU cache; what Belady's rule makes of the finished order is
//! another matter. The catch of a greedy order is that it starts more than it can keep:
//! [`Greed::Tile`] stops growing the set of values that wait for readers at a limit, and so finds
//! blocks by itself (for a product of matrices, rank-1 updates of a block of C). Which model is best
//! differs from graph to graph, so the search over orders tries [many](greedy_orders).

use std::collections::BTreeSet;

use crate::cdag::{Cdag, Vertex};
use crate::game::Game;

/// What a greedy order looks at first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Greed {
    /// As few operands as possible that are not in fast memory.
    FewestLoads,
    /// The same plus the growth of what must be kept: operands read for the last time make room.
    LeastGrowth,
    /// The fewest loads among the vertices that let no more than this many computed values wait for
    /// readers; where every vertex does, the least growth first.
    Tile {
        /// The limit.
        waiting: usize,
    },
}

/// The order that always takes the greediest ready vertex. Ties go to loads that other ready
/// vertices profit from (if tiling), then to last reads, then to the most recent operand.
pub fn greedy_order(graph: &Cdag, game: &Game, capacity: usize, greed: Greed) -> Vec<Vertex> {
    Walk::new(graph, game, Lru::new(graph.len(), capacity, false)).order(greed)
}

/// Greedy orders of all tastes: smaller caches than the real one, caches that do not notice when a
/// value is dead, tiles of several sizes.
pub(super) fn greedy_orders<'a>(
    graph: &'a Cdag,
    game: &'a Game,
    capacity: usize,
) -> impl Iterator<Item = Vec<Vertex>> + 'a {
    // Shares of the capacity, in percent.
    const LOADS: [usize; 4] = [100, 88, 50, 25];
    const GROWTH: [usize; 3] = [100, 75, 25];
    const TILES: [usize; 5] = [40, 50, 60, 75, 85];
    let capacity = capacity.min(graph.len());
    let part = |percent: usize| capacity * percent / 100;
    let careful = LOADS.map(|percent| (part(percent), false, Greed::FewestLoads));
    let sloppy = LOADS.map(|percent| (part(percent), true, Greed::FewestLoads));
    let growth = GROWTH.map(|percent| (part(percent), false, Greed::LeastGrowth));
    let tiles = TILES.map(|percent| {
        let waiting = part(percent);
        (capacity, false, Greed::Tile { waiting })
    });
    let tastes = careful.into_iter().chain(sloppy).chain(growth).chain(tiles);
    tastes.map(move |(capacity, keeps_dead, greed)| {
        Walk::new(graph, game, Lru::new(graph.len(), capacity, keeps_dead)).order(greed)
    })
}

/// Looking at a bounded window of ready vertices keeps large graphs affordable.
const WINDOW: usize = 64;

/// Looking at a few readers of a value tells enough about who profits from its load.
const READERS: usize = 32;

/// A computation on its way.
struct Walk<'a> {
    graph: &'a Cdag,
    wanted: Vec<bool>,
    /// How many operands of each vertex are still to be computed.
    missing: Vec<usize>,
    /// How many readers of each vertex are still to be computed.
    unread: Vec<usize>,
    computed: Vec<bool>,
    /// Vertices whose operands are all computed.
    ready: Vec<Vertex>,
    /// Computed values with readers to come.
    waiting: usize,
    cache: Lru,
}

/// Smaller is greedier: growth above the limit, loads, those who profit, last reads, recency.
type Key = (usize, usize, usize, usize, u64, Vertex);

impl<'a> Walk<'a> {
    fn new(graph: &'a Cdag, game: &Game, cache: Lru) -> Walk<'a> {
        let wanted = game.must_compute(graph);
        let count = |list: &[Vertex]| list.iter().filter(|&&v| wanted[v]).count();
        let missing: Vec<usize> = (0..graph.len()).map(|v| count(graph.preds(v))).collect();
        let unread = (0..graph.len()).map(|v| count(graph.succs(v))).collect();
        let order = graph.order().iter().copied();
        let ready = order.filter(|&v| wanted[v] && missing[v] == 0).collect();
        Walk {
            graph,
            computed: vec![false; graph.len()],
            wanted,
            missing,
            unread,
            ready,
            waiting: 0,
            cache,
        }
    }

    fn order(mut self, greed: Greed) -> Vec<Vertex> {
        let mut order = Vec::new();
        while !self.ready.is_empty() {
            let from = self.ready.len().saturating_sub(WINDOW);
            let best = (from..self.ready.len())
                .min_by_key(|&at| self.key(self.ready[at], greed))
                .unwrap_or(from);
            let v = self.ready.swap_remove(best);
            self.compute(v);
            order.push(v);
        }
        order
    }

    fn key(&self, v: Vertex, greed: Greed) -> Key {
        let operands = self.graph.preds(v);
        let loads = operands.iter().filter(|&&u| !self.cache.holds(u)).count();
        let last = operands.iter().filter(|&&u| self.unread[u] == 1).count();
        let newest = operands.iter().map(|&u| self.cache.touched[u]).max();
        let (excess, burden, profiting) = match greed {
            Greed::FewestLoads => (0, loads, 0),
            Greed::LeastGrowth => (0, loads + 2 - last.min(2), 0),
            Greed::Tile { waiting } => {
                let freed = |u: &&Vertex| self.unread[**u] == 1 && !self.graph.is_input(**u);
                let freed = operands.iter().filter(freed).count();
                let after = self.waiting + usize::from(self.unread[v] > 0) - freed;
                let excess = if after > self.waiting {
                    after.saturating_sub(waiting)
                } else {
                    0
                };
                (excess, loads, self.profiting(v))
            }
        };
        let recency = u64::MAX - newest.unwrap_or(0);
        (
            excess,
            burden,
            usize::MAX - profiting,
            usize::MAX - last,
            recency,
            v,
        )
    }

    /// How many other ready vertices could be computed at once after the loads of `v`.
    fn profiting(&self, v: Vertex) -> usize {
        let operands = self.graph.preds(v);
        let held = |u: &Vertex| self.cache.holds(*u) || operands.contains(u);
        let profits = |w: &&Vertex| {
            let open = self.wanted[**w] && self.missing[**w] == 0 && !self.computed[**w];
            open && **w != v && self.graph.preds(**w).iter().all(held)
        };
        let loads = operands.iter().filter(|&&u| !self.cache.holds(u));
        loads
            .map(|&u| {
                self.graph
                    .succs(u)
                    .iter()
                    .take(READERS)
                    .filter(profits)
                    .count()
            })
            .sum()
    }

    fn compute(&mut self, v: Vertex) {
        self.computed[v] = true;
        for &u in self.graph.preds(v) {
            self.unread[u] -= 1;
            self.cache.touch(u);
            if self.unread[u] == 0 {
                self.cache.bury(u);
                self.waiting -= usize::from(!self.graph.is_input(u));
            }
        }
        self.cache.touch(v);
        match self.unread[v] {
            0 => self.cache.bury(v),
            _ => self.waiting += 1,
        }
        for &w in self.graph.succs(v).iter().filter(|&&w| self.wanted[w]) {
            self.missing[w] -= 1;
            if self.missing[w] == 0 {
                self.ready.push(w);
            }
        }
    }
}

/// A cache of the values touched last.
struct Lru {
    /// When each value was touched last, 0 for never.
    touched: Vec<u64>,
    held: BTreeSet<(u64, Vertex)>,
    clock: u64,
    capacity: usize,
    /// Whether values without readers stay until they are evicted.
    keeps_dead: bool,
}

impl Lru {
    fn new(values: usize, capacity: usize, keeps_dead: bool) -> Lru {
        Lru {
            touched: vec![0; values],
            held: BTreeSet::new(),
            clock: 0,
            capacity,
            keeps_dead,
        }
    }

    fn holds(&self, v: Vertex) -> bool {
        self.held.contains(&(self.touched[v], v))
    }

    fn touch(&mut self, v: Vertex) {
        self.held.remove(&(self.touched[v], v));
        self.clock += 1;
        self.touched[v] = self.clock;
        self.held.insert((self.clock, v));
        if self.held.len() > self.capacity {
            self.held.pop_first();
        }
    }

    /// Takes note that nothing will read `v` any more.
    fn bury(&mut self, v: Vertex) {
        if !self.keeps_dead {
            self.held.remove(&(self.touched[v], v));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::{self, Product};
    use crate::heuristic::Replay;

    /// For C = A B in blocks of 4 by 4, each of the 4 blocks takes 8 steps of 8 loads, and the
    /// 64 results are stored: 320 words, if everything is held that should be (theory C-7).
    #[test]
    fn tiles_come_close_to_blocks_of_c() {
        let graph = generate::matmul(8, 8, 8, Product::Fused).expect("fine");
        let game = Game::red_blue_white();
        let io = |greed| {
            let order = greedy_order(&graph, &game, 24, greed);
            let replay = Replay::new(&graph, &game, &order).expect("legal");
            replay.traffic(24, u64::MAX).expect("no limit")
        };
        let blocked = 4 * 8 * 8 + 64;
        let tiled = io(Greed::Tile { waiting: 12 });
        assert!(tiled <= blocked * 5 / 4, "{tiled}");
        assert!(io(Greed::FewestLoads) > blocked * 5 / 4);
    }
}
