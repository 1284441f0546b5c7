//! Belady's rule on a fixed order of computations (theory T-3).
//!
//! For each computation in turn: load the missing operands, make room for the result, drop what is
//! never used again. Room is made by evicting the value whose next use is farthest, never an
//! operand of the current computation. Loads are optimal for the order; loads plus stores need not
//! be (theory U-18), because evicting a value that was never saved costs a store.

use std::collections::BTreeSet;

use crate::cdag::{Cdag, Vertex};
use crate::error::Error;
use crate::game::{Game, Move};

/// The play that computes the vertices in `order` with `capacity` red pebbles.
///
/// `order` lists each vertex that the game must compute, once, after its operands.
///
/// # Errors
/// [`Error::CapacityTooSmall`] or [`Error::BadOrder`].
pub fn belady(
    graph: &Cdag,
    game: &Game,
    capacity: usize,
    order: &[Vertex],
) -> Result<Vec<Move>, Error> {
    game.check_capacity(graph, capacity)?;
    check_order(graph, game, order)?;
    let mut play = Vec::new();
    run(graph, game, capacity, order, &mut |step| play.push(step));
    Ok(play)
}

/// Loads plus stores of the same play, for an order known to be legal.
pub(super) fn traffic(graph: &Cdag, game: &Game, capacity: usize, order: &[Vertex]) -> u64 {
    let mut io = 0;
    run(graph, game, capacity, order, &mut |step| {
        io += u64::from(matches!(step, Move::Load(_) | Move::Store(_)));
    });
    io
}

fn check_order(graph: &Cdag, game: &Game, order: &[Vertex]) -> Result<(), Error> {
    let bad = |reason: String| Err(Error::BadOrder { reason });
    let mut missing = game.must_compute(graph);
    for &v in order {
        if v >= graph.len() || !missing[v] {
            return bad(format!(
                "vertex {v} is not to be computed, or is listed twice"
            ));
        }
        if let Some(u) = graph.preds(v).iter().find(|&&u| missing[u]) {
            return bad(format!("vertex {v} comes before its operand {u}"));
        }
        missing[v] = false;
    }
    match missing.iter().position(|&missing| missing) {
        Some(v) => bad(format!("vertex {v} is missing")),
        None => Ok(()),
    }
}

fn run(graph: &Cdag, game: &Game, capacity: usize, order: &[Vertex], emit: &mut dyn FnMut(Move)) {
    let mut cache = Cache::new(graph, game, capacity, order, emit);
    for (now, &v) in order.iter().enumerate() {
        cache.compute(now, v);
    }
}

/// Position of a use that never comes.
const NEVER: usize = usize::MAX;

struct Cache<'a> {
    graph: &'a Cdag,
    game: &'a Game,
    capacity: usize,
    /// Positions at which each vertex is read, latest first, so the next one is the last.
    uses: Vec<Vec<usize>>,
    saved: Vec<bool>,
    /// Red values by next use; the farthest is evicted first, a saved one before an unsaved one.
    red: BTreeSet<(usize, bool, Vertex)>,
    emit: &'a mut dyn FnMut(Move),
}

impl<'a> Cache<'a> {
    fn new(
        graph: &'a Cdag,
        game: &'a Game,
        capacity: usize,
        order: &[Vertex],
        emit: &'a mut dyn FnMut(Move),
    ) -> Cache<'a> {
        let mut uses = vec![Vec::new(); graph.len()];
        for (now, &v) in order.iter().enumerate().rev() {
            for &u in graph.preds(v) {
                uses[u].push(now);
            }
        }
        let saved = (0..graph.len()).map(|v| graph.is_input(v)).collect();
        Cache {
            graph,
            game,
            capacity,
            uses,
            saved,
            red: BTreeSet::new(),
            emit,
        }
    }

    fn compute(&mut self, now: usize, v: Vertex) {
        let operands = self.graph.preds(v);
        for &u in operands {
            if !self.red.contains(&self.entry(u)) {
                self.make_room(now);
                (self.emit)(Move::Load(u));
                self.red.insert(self.entry(u));
            }
        }
        if self.red.len() < self.capacity || !self.slide(now, v) {
            self.make_room(now);
            (self.emit)(Move::Compute(v));
        }
        if self.game.automatic_stores {
            self.saved[v] = true;
        } else if self.game.final_stores && self.graph.is_output(v) {
            (self.emit)(Move::Store(v));
            self.saved[v] = true;
        }
        for &u in operands {
            let was_red = self.red.remove(&self.entry(u));
            self.uses[u].pop();
            if was_red {
                self.keep_if_used(u);
            }
        }
        self.keep_if_used(v);
    }

    fn next_use(&self, v: Vertex) -> usize {
        self.uses[v].last().copied().unwrap_or(NEVER)
    }

    fn entry(&self, v: Vertex) -> (usize, bool, Vertex) {
        (self.next_use(v), self.saved[v], v)
    }

    fn keep_if_used(&mut self, v: Vertex) {
        match self.next_use(v) {
            NEVER => (self.emit)(Move::Delete(v)),
            _ => {
                self.red.insert(self.entry(v));
            }
        }
    }

    /// Evicts the value with the farthest next use if all pebbles are in use. Operands of the
    /// computation at `now` have the nearest next use of all, and the capacity was checked.
    fn make_room(&mut self, now: usize) {
        if self.red.len() < self.capacity {
            return;
        }
        if let Some(&(next, _, victim)) = self.red.last() {
            debug_assert!(next > now, "operands fit");
            self.red.pop_last();
            self.save(victim);
            (self.emit)(Move::Delete(victim));
        }
    }

    /// Computes `v` in the place of an operand, when that is allowed and at least as cheap as
    /// evicting something else: the operand used farthest in the future, best of all never.
    fn slide(&mut self, now: usize, v: Vertex) -> bool {
        if !self.game.slide {
            return false;
        }
        let after = |&u: &Vertex| {
            let uses = &self.uses[u];
            uses.len()
                .checked_sub(2)
                .map_or(NEVER, |second| uses[second])
        };
        let Some(from) = self.graph.preds(v).iter().copied().max_by_key(after) else {
            return false;
        };
        let farthest = self.red.last().map_or(now, |&(next, ..)| next);
        if farthest > now && farthest != NEVER && after(&from) < farthest {
            return false;
        }
        self.red.remove(&self.entry(from));
        if after(&from) != NEVER {
            self.save(from);
        }
        (self.emit)(Move::Slide { from, to: v });
        true
    }

    fn save(&mut self, v: Vertex) {
        if !self.saved[v] {
            self.saved[v] = true;
            (self.emit)(Move::Store(v));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate;
    use crate::referee::judge;

    /// Theory L-11: run a butterfly of the next stage as soon as its operands are ready.
    fn eager_fft_order(stages: u32) -> Vec<Vertex> {
        let graph = generate::fft(stages).expect("fine");
        let points = 1usize << stages;
        let mut done: Vec<bool> = (0..graph.len()).map(|v| v < points).collect();
        let mut order = Vec::new();
        let mut stack: Vec<(usize, usize)> = Vec::new();
        for i in (0..points).step_by(2) {
            stack.push((1, i));
            while let Some((r, i)) = stack.pop() {
                let bit = 1 << (r - 1);
                let pair = [r * points + (i & !bit), r * points + (i | bit)];
                for v in pair {
                    done[v] = true;
                    order.push(v);
                }
                let next = 1usize << r;
                for half in [i & !bit, i | bit] {
                    let (low, high) = (half & !next, half | next);
                    if r < stages as usize && done[r * points + low] && done[r * points + high] {
                        stack.push((r + 1, half));
                    }
                }
            }
        }
        order
    }

    #[test]
    fn the_fft_schedule_of_the_lecture_costs_what_it_says() {
        for (stages, total) in [(2, 14), (3, 40), (4, 104), (5, 256), (6, 608)] {
            let graph = generate::fft(stages).expect("fine");
            let game = Game::red_blue_white();
            let play = belady(&graph, &game, 3, &eager_fft_order(stages)).expect("legal");
            let score = judge(&graph, &game, 3, &play).expect("the referee agrees");
            assert_eq!(score.io(), total, "2^{stages} points");
        }
    }

    #[test]
    fn bad_orders_are_refused() {
        let graph = generate::binary_tree(4).expect("fine");
        let refuse = |order: &[Vertex]| {
            belady(&graph, &Game::red_blue_white(), 3, order)
                .expect_err("bad order")
                .to_string()
        };
        let prefix = "the order is not one of this graph: ";
        assert_eq!(refuse(&[4, 5]), format!("{prefix}vertex 6 is missing"));
        assert_eq!(
            refuse(&[4, 6, 5]),
            format!("{prefix}vertex 6 comes before its operand 5")
        );
        let twice = format!("{prefix}vertex 4 is not to be computed, or is listed twice");
        assert_eq!(refuse(&[4, 4, 5]), twice);
    }
}
