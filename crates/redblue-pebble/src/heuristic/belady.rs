//! Belady's rule on a fixed order of computations (theory T-3).
//!
//! For each computation in turn: load the missing operands, make room for the result, drop what is
//! never used again. Room is made by evicting the value whose next use is farthest, never an
//! operand of the current computation. Loads are optimal for the order; loads plus stores need not
//! be (theory U-18), because evicting a value that was never saved costs a store.

use std::collections::BinaryHeap;

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
    Replay::new(graph, game, order)?.play(capacity)
}

/// An order of computations, with the next use of every value it touches: Belady's rule for any capacity.
#[derive(Debug, Clone)]
pub struct Replay<'a> {
    graph: &'a Cdag,
    game: &'a Game,
    order: &'a [Vertex],
    /// Position of the first use of each vertex.
    first_use: Vec<u32>,
    /// For each operand of each computation in turn, the position of its next use after that.
    use_after: Vec<u32>,
}

/// Position of a use that never comes.
const NEVER: u32 = u32::MAX;

impl<'a> Replay<'a> {
    /// Prepares an order, which lists each vertex that the game must compute, once, after its operands.
    ///
    /// # Errors
    /// [`Error::BadOrder`].
    pub fn new(graph: &'a Cdag, game: &'a Game, order: &'a [Vertex]) -> Result<Replay<'a>, Error> {
        check_order(graph, game, order)?;
        Ok(Replay::trusted(graph, game, order))
    }

    /// As [`Replay::new`] for an order known to be legal.
    pub(super) fn trusted(graph: &'a Cdag, game: &'a Game, order: &'a [Vertex]) -> Replay<'a> {
        let mut first_use = vec![NEVER; graph.len()];
        let mut use_after = Vec::with_capacity(graph.edge_count());
        for (now, &v) in order.iter().enumerate().rev() {
            for &u in graph.preds(v).iter().rev() {
                use_after.push(std::mem::replace(&mut first_use[u], now as u32));
            }
        }
        use_after.reverse();
        Replay {
            graph,
            game,
            order,
            first_use,
            use_after,
        }
    }

    /// The play with so many red pebbles.
    ///
    /// # Errors
    /// [`Error::CapacityTooSmall`].
    pub fn play(&self, capacity: usize) -> Result<Vec<Move>, Error> {
        self.game.check_capacity(self.graph, capacity)?;
        let mut play = Vec::new();
        self.run(capacity, |step| {
            play.push(step);
            true
        });
        Ok(play)
    }

    /// Loads plus stores of that play, or nothing once they are more than `most`. The caller has checked that
    /// the capacity [suffices](Game::check_capacity).
    pub fn traffic(&self, capacity: usize, most: u64) -> Option<u64> {
        let mut io = 0;
        self.run(capacity, |step| {
            io += u64::from(matches!(step, Move::Load(_) | Move::Store(_)));
            io <= most
        });
        (io <= most).then_some(io)
    }

    /// Plays until `emit` says that it has seen enough.
    fn run(&self, capacity: usize, emit: impl FnMut(Move) -> bool) {
        let mut memory = Memory {
            replay: self,
            capacity,
            next_use: self.first_use.clone(),
            saved: (0..self.graph.len())
                .map(|v| self.graph.is_input(v))
                .collect(),
            red: vec![false; self.graph.len()],
            red_count: 0,
            farthest: BinaryHeap::new(),
            emit,
            enough: false,
        };
        let mut use_after = self.use_after.as_slice();
        for (now, &v) in self.order.iter().enumerate() {
            let (here, rest) = use_after.split_at(self.graph.preds(v).len());
            memory.compute(now as u32, v, here);
            use_after = rest;
            if memory.enough {
                return;
            }
        }
    }
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

/// The fast memory during a play.
struct Memory<'r, E> {
    replay: &'r Replay<'r>,
    capacity: usize,
    /// Position of the next use of each vertex, the current computation included.
    next_use: Vec<u32>,
    saved: Vec<bool>,
    red: Vec<bool>,
    red_count: usize,
    /// Red values by next use: the farthest is evicted first, a saved one before an unsaved one. Entries
    /// of values that went away or were used since are stale; they are dropped when they come up.
    farthest: BinaryHeap<(u32, bool, Vertex)>,
    emit: E,
    enough: bool,
}

impl<E: FnMut(Move) -> bool> Memory<'_, E> {
    fn compute(&mut self, now: u32, v: Vertex, use_after: &[u32]) {
        let (graph, game) = (self.replay.graph, self.replay.game);
        let operands = graph.preds(v);
        for &u in operands {
            if !self.red[u] {
                self.make_room(now);
                self.emit(Move::Load(u));
                self.put(u);
            }
        }
        if self.red_count < self.capacity || !self.slide(now, v, use_after) {
            self.make_room(now);
            self.emit(Move::Compute(v));
        }
        self.put(v);
        if game.automatic_stores {
            self.saved[v] = true;
        } else if game.final_stores && graph.is_output(v) {
            self.emit(Move::Store(v));
            self.saved[v] = true;
        }
        for (&u, &after) in operands.iter().zip(use_after) {
            self.next_use[u] = after;
            self.keep_if_used(u);
        }
        self.keep_if_used(v);
    }

    fn emit(&mut self, step: Move) {
        self.enough |= !(self.emit)(step);
    }

    fn put(&mut self, v: Vertex) {
        self.red[v] = true;
        self.red_count += 1;
    }

    fn take(&mut self, v: Vertex) {
        self.red[v] = false;
        self.red_count -= 1;
    }

    /// Remembers when a red value is used next, or gives it up.
    fn keep_if_used(&mut self, v: Vertex) {
        if !self.red[v] {
            return;
        }
        match self.next_use[v] {
            NEVER => {
                self.take(v);
                self.emit(Move::Delete(v));
            }
            next => self.farthest.push((next, self.saved[v], v)),
        }
    }

    /// The red value used farthest in the future and when, unless all are operands of the computation at `now`.
    fn farthest(&mut self, now: u32) -> Option<(u32, Vertex)> {
        while let Some(&(next, _, v)) = self.farthest.peek() {
            if self.red[v] && self.next_use[v] == next {
                return (next > now).then_some((next, v));
            }
            self.farthest.pop();
        }
        None
    }

    /// Evicts the value with the farthest next use if all pebbles are in use. The operands of the
    /// computation at `now` fit, because the capacity was checked.
    fn make_room(&mut self, now: u32) {
        if self.red_count < self.capacity {
            return;
        }
        let victim = self.farthest(now);
        assert!(victim.is_some(), "operands fit");
        if let Some((_, victim)) = victim {
            self.take(victim);
            self.save(victim);
            self.emit(Move::Delete(victim));
        }
    }

    /// Computes `v` in the place of an operand, when that is allowed and at least as cheap as
    /// evicting something else: the operand used farthest in the future, best of all never.
    fn slide(&mut self, now: u32, v: Vertex, use_after: &[u32]) -> bool {
        if !self.replay.game.slide {
            return false;
        }
        let operands = self.replay.graph.preds(v).iter().zip(use_after);
        let Some((&from, &after)) = operands.max_by_key(|(_, after)| **after) else {
            return false;
        };
        if self.farthest(now).is_some_and(|(next, _)| after < next) {
            return false;
        }
        self.take(from);
        if after != NEVER {
            self.save(from);
        }
        self.emit(Move::Slide { from, to: v });
        true
    }

    fn save(&mut self, v: Vertex) {
        if !self.saved[v] {
            self.saved[v] = true;
            self.emit(Move::Store(v));
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
