//! The games with recomputation: red-blue and the lecture's objective.
//!
//! Marks: values in slow memory (inputs, which always are, left out), and which outputs are done.
//! In the red-blue game an output is done when it is blue, so the same bit serves; in the
//! lecture's game "was red once" is a bit of its own, numbered after the vertices.
//!
//! A value matters while an unfinished output can be reached from it; pebbles on other values are
//! forgotten. An output is stored when it is first computed. An evicted value may be stored first
//! or just dropped, because it can be computed again.
//!
//! The estimate is the number of unfinished outputs to be stored plus a minimum vertex cut: the
//! values in slow memory now that are loaded later, with those red now, separate the inputs from
//! the unfinished outputs (a value stored later was red now or was computed later, so trace on).
//!
//! *Forced steps.* A vertex whose operands are all red and for which a pebble is free: the result
//! costs nothing that would not be paid anyway, and can be dropped again for nothing. With sliding,
//! also if no pebble is free, when the pebble comes from an operand that matters only through the
//! vertex (keep the result wherever a later play keeps that operand), or from one that dies with it
//! while the result is an output without further use.

use super::board::{Board, Rules, State, Step, subsets};
use super::cut::disjoint_paths;
use super::mask::Mask;
use crate::cdag::{Cdag, Vertex};
use crate::game::Game;

pub(super) struct Again<M> {
    board: Board<M>,
    /// Vertices in topological order.
    order: Vec<Vertex>,
    /// Outputs (as vertices) that can be reached from each vertex, itself included.
    reach: Vec<M>,
    /// The bit of each output that says it is done.
    done: Vec<usize>,
    /// Values whose mark is kept even when they do not matter any more.
    remembered: M,
}

/// Bits of state the rules need: the lecture's game has one more per output.
pub(super) fn bits(graph: &Cdag, game: &Game) -> usize {
    match game.recompute && !game.final_stores {
        true => graph.len() + graph.outputs().len(),
        false => graph.len(),
    }
}

impl<M: Mask> Again<M> {
    pub(super) fn new(graph: &Cdag, game: &Game, capacity: usize) -> Again<M> {
        let board: Board<M> = Board::new(graph, game, capacity);
        let mut reach = vec![M::default(); graph.len()];
        for &v in graph.order().iter().rev() {
            let below = graph
                .succs(v)
                .iter()
                .fold(M::default(), |below, &w| below | reach[w]);
            reach[v] = below | (board.outputs & M::bit(v));
        }
        let mut done: Vec<usize> = (0..graph.len()).collect();
        let mut remembered = board.outputs;
        if !game.final_stores {
            remembered = M::default();
            for (index, &v) in graph.outputs().iter().enumerate() {
                done[v] = graph.len() + index;
            }
        }
        let order = graph.order().to_vec();
        Again {
            board,
            order,
            reach,
            done,
            remembered,
        }
    }

    /// The bit that carries "done" for each output, for symmetries to permute.
    pub(super) fn done_bits(&self) -> &[usize] {
        &self.done
    }

    fn unfinished(&self, mark: M) -> M {
        M::collect(
            self.board
                .outputs
                .members()
                .filter(|&v| !mark.has(self.done[v])),
        )
    }

    /// Values from which an unfinished output can be reached.
    fn alive(&self, unfinished: M) -> M {
        M::collect((0..self.board.n).filter(|&v| !(self.reach[v] & unfinished).is_empty()))
    }

    fn step(&self, unfinished: M, v: Vertex, evict: M, save: M, slide: Option<Vertex>) -> Step<M> {
        let game = &self.board.game;
        let deliver = game.final_stores && !game.automatic_stores && unfinished.has(v);
        Step {
            vertex: v,
            evict,
            save,
            slide,
            deliver,
        }
    }

    /// Operands of `v` that matter to no unfinished output once `v` is computed.
    fn dying(&self, v: Vertex, unfinished: M) -> M {
        let after = unfinished.minus(M::bit(v));
        let dead = |&u: &Vertex| (self.reach[u] & after).is_empty();
        M::collect(self.board.preds[v].members().filter(dead))
    }
}

impl<M: Mask> Rules<M> for Again<M> {
    fn board(&self) -> &Board<M> {
        &self.board
    }

    fn start(&self) -> State<M> {
        State {
            red: M::default(),
            mark: M::default(),
        }
    }

    fn is_finished(&self, state: State<M>) -> bool {
        self.unfinished(state.mark).is_empty()
    }

    fn estimate(&self, state: State<M>) -> u32 {
        let unfinished = self.unfinished(state.mark);
        let board = &self.board;
        let blue = (state.mark | board.inputs).minus(state.red);
        let loads = disjoint_paths(board, &self.order, state.red, blue, unfinished);
        let stores = match board.game.final_stores && !board.game.automatic_stores {
            true => unfinished.len(),
            false => 0,
        };
        (loads + stores) as u32
    }

    // Too many states share their progress for comparing them to pay.
    const COMPARABLE: bool = false;

    fn progress(&self, state: State<M>) -> M {
        state.mark
    }

    fn handicap(&self, _better: State<M>, _worse: State<M>) -> u32 {
        u32::MAX
    }

    fn forced(&self, state: State<M>) -> Option<Step<M>> {
        let board = &self.board;
        let unfinished = self.unfinished(state.mark);
        let alive = self.alive(unfinished);
        let candidates = (alive & board.wanted).minus(state.red).members();
        for v in candidates.filter(|&v| board.preds[v].within(state.red)) {
            let excess = board.excess(state.red, v);
            if excess > usize::from(board.game.slide) {
                continue;
            }
            if excess == 0 {
                return Some(self.step(unfinished, v, M::default(), M::default(), None));
            }
            let only_through_v =
                |&u: &Vertex| (board.succs[u] & alive) == M::bit(v) && !unfinished.has(u);
            let replaced = board.preds[v].members().find(only_through_v);
            let vanishes = (self.reach[v] & unfinished.minus(M::bit(v))).is_empty();
            let dying = || self.dying(v, unfinished).members().next();
            let place = replaced.or_else(|| dying().filter(|_| vanishes));
            if place.is_some() {
                return Some(self.step(unfinished, v, M::default(), M::default(), place));
            }
        }
        None
    }

    fn choices(&self, state: State<M>, _rise: u32, steps: &mut Vec<Step<M>>) -> bool {
        let board = &self.board;
        let unfinished = self.unfinished(state.mark);
        let available = state.red | state.mark | board.inputs;
        let blue = state.mark | board.inputs;
        let candidates = (self.alive(unfinished) & board.wanted)
            .minus(state.red)
            .members();
        for v in candidates.filter(|&v| board.preds[v].within(available)) {
            let others = state.red.minus(board.preds[v]);
            let dying = self.dying(v, unfinished);
            for (count, slide) in board.rooms(state.red, v, dying) {
                let sliding = M::collect(slide.into_iter());
                subsets(others, count, &mut |evict| {
                    // A value that slow memory lacks may be stored first or not: both are tried.
                    let lost = (evict | sliding).minus(blue | dying);
                    for saved in 0..=lost.len() {
                        subsets(lost, saved, &mut |save| {
                            steps.push(self.step(unfinished, v, evict, save, slide));
                        });
                    }
                });
            }
        }
        false
    }

    fn apply(&self, state: State<M>, step: Step<M>) -> (State<M>, u32) {
        let board = &self.board;
        let v = step.vertex;
        let operands = board.preds[v];
        let sliding = M::collect(step.slide.into_iter());
        let cost = operands.minus(state.red).len() + step.save.len() + usize::from(step.deliver);
        let mut mark = state.mark | step.save;
        if board.outputs.has(v) {
            mark = mark.with(self.done[v]);
        }
        if board.game.automatic_stores {
            mark = mark.with(v);
        }
        let unfinished = self.unfinished(mark);
        let alive = self.alive(unfinished);
        let red = (state.red | operands).minus(step.evict | sliding).with(v) & alive;
        let forgotten = M::collect(0..board.n).minus(alive | self.remembered);
        let mark = mark.minus(forgotten);
        (State { red, mark }, cost as u32)
    }
}
