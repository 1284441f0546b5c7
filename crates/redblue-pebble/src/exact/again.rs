//! The games with recomputation: red-blue and the lecture's objective.
//!
//! *Stores in arrears.* Whether an evicted value was stored first need not be decided before the
//! value is loaded again. So the first load of a value pays for its store too ([`Again::price`] is
//! then 2), `saved` are the values paid for, and [`Again::store_in_time`] puts the stores where
//! they belong. An output that must be delivered is stored when it is first computed.
//!
//! *Alive* are the values from which an unfinished output can be reached. Everything about the
//! others is forgotten, except which outputs are done.
//!
//! *Estimate.* The unfinished outputs to be stored plus the cheapest set of values computed so far
//! (or inputs) whose loading, together with what is red, cuts every path from an input to an
//! unfinished output. The values loaded later that are computed now are such a set: follow any
//! path back from its output to the last value that is loaded or red now. The estimate is
//! consistent: with the loads of a step, a set for the state after it is one for the state before.
//!
//! *Forced steps.* A vertex whose operands are all red and for which a pebble is free: the result
//! costs nothing that would not be paid anyway, and can be dropped again for nothing. With sliding,
//! also if no pebble is free, when the pebble comes from an operand that matters only through the
//! vertex (keep the result wherever a later play keeps that operand), or from one that dies with it
//! while the result is an output without further use.

use std::ops::ControlFlow;

use super::board::{Board, Rules, State, Step, subsets};
use super::cut::cheapest_cut;
use super::mask::Mask;
use super::rivals::rivals;
use crate::cdag::{Cdag, Vertex};
use crate::game::{Game, Move};

pub(super) struct Again<M> {
    board: Board<M>,
    /// Vertices in topological order.
    order: Vec<Vertex>,
    /// The vertices from which each output can be reached, itself included; none for others.
    needs: Vec<M>,
}

impl<M: Mask> Again<M> {
    pub(super) fn new(graph: &Cdag, game: &Game, capacity: usize) -> Again<M> {
        let board: Board<M> = Board::new(graph, game, capacity);
        let mut needs = vec![M::default(); graph.len()];
        for output in board.outputs.members() {
            let mut set = M::bit(output);
            for &v in graph.order().iter().rev().filter(|&&v| v != output) {
                if graph.succs(v).iter().any(|&w| set.has(w)) {
                    set = set.with(v);
                }
            }
            needs[output] = set;
        }
        let order = graph.order().to_vec();
        Again {
            board,
            order,
            needs,
        }
    }

    /// Outputs not computed yet.
    pub(super) fn unfinished(&self, state: State<M>) -> M {
        self.board.outputs.minus(state.computed)
    }

    /// Values from which an unfinished output can be reached.
    pub(super) fn alive(&self, unfinished: M) -> M {
        let needs = unfinished.members().map(|output| self.needs[output]);
        needs.fold(M::default(), |alive, needs| alive | needs)
    }

    /// The cost of loading all of `values`: one each, and one more for a store not yet paid.
    pub(super) fn price(&self, state: State<M>, values: M) -> usize {
        values.len() + values.minus(state.saved | self.board.inputs).len()
    }

    /// Puts a store where a value that is loaded some time is first computed, unless it is stored
    /// there anyway: the search has charged it to the first load.
    pub(super) fn store_in_time(&self, play: Vec<Move>) -> Vec<Move> {
        let game = self.board.game;
        let mut missing = M::default();
        for step in &play {
            missing = match *step {
                Move::Load(v) if !game.automatic_stores => missing.with(v),
                _ => missing,
            };
        }
        missing = missing.minus(self.board.inputs);
        if game.final_stores {
            missing = missing.minus(self.board.outputs);
        }
        let mut stored = Vec::with_capacity(play.len() + missing.len());
        for step in play {
            stored.push(step);
            if let Move::Compute(v) | Move::Slide { to: v, .. } = step
                && missing.has(v)
            {
                missing = missing.minus(M::bit(v));
                stored.push(Move::Store(v));
            }
        }
        stored
    }

    fn delivers(&self) -> bool {
        self.board.game.final_stores && !self.board.game.automatic_stores
    }

    fn step(&self, unfinished: M, v: Vertex, evict: M, slide: Option<Vertex>) -> Step<M> {
        Step {
            vertex: v,
            evict,
            save: M::default(),
            slide,
            deliver: self.delivers() && unfinished.has(v),
        }
    }

    /// Operands of `v` that matter to no unfinished output once `v` is computed.
    fn dying(&self, v: Vertex, unfinished: M) -> M {
        self.board.preds[v].minus(self.alive(unfinished.minus(M::bit(v))))
    }
}

impl<M: Mask> Rules<M> for Again<M> {
    fn board(&self) -> &Board<M> {
        &self.board
    }

    fn start(&self) -> State<M> {
        State::default()
    }

    fn is_finished(&self, state: State<M>) -> bool {
        self.unfinished(state).is_empty()
    }

    fn estimate(&self, state: State<M>) -> u32 {
        let unfinished = self.unfinished(state);
        let loads = cheapest_cut(&self.board, &self.order, state, unfinished);
        let stores = if self.delivers() { unfinished.len() } else { 0 };
        (loads + stores) as u32
    }

    fn has_rival(&self, state: State<M>, known: impl FnMut(State<M>, u32) -> bool) -> bool {
        rivals(self, state, known)
    }

    fn forced(&self, state: State<M>) -> Option<Step<M>> {
        let board = &self.board;
        let unfinished = self.unfinished(state);
        let alive = self.alive(unfinished);
        let candidates = (alive & board.wanted).minus(state.red).members();
        for v in candidates.filter(|&v| board.preds[v].within(state.red)) {
            let excess = board.excess(state.red, v);
            if excess > usize::from(board.game.slide) {
                continue;
            }
            if excess == 0 {
                return Some(self.step(unfinished, v, M::default(), None));
            }
            let only_through_v =
                |&u: &Vertex| (board.succs[u] & alive) == M::bit(v) && !unfinished.has(u);
            let replaced = board.preds[v].members().find(only_through_v);
            let vanishes = !self.alive(unfinished.minus(M::bit(v))).has(v);
            let dying = || self.dying(v, unfinished).members().next();
            let place = replaced.or_else(|| dying().filter(|_| vanishes));
            if place.is_some() {
                return Some(self.step(unfinished, v, M::default(), place));
            }
        }
        None
    }

    fn choices(
        &self,
        state: State<M>,
        _rise: u32,
        visit: &mut impl FnMut(Option<Step<M>>) -> ControlFlow<()>,
    ) -> ControlFlow<(), bool> {
        let board = &self.board;
        let unfinished = self.unfinished(state);
        let available = state.computed | board.inputs;
        let candidates = (self.alive(unfinished) & board.wanted).minus(state.red);
        let ready = |v: &Vertex| board.preds[*v].within(available);
        for v in candidates.members().filter(ready) {
            let others = state.red.minus(board.preds[v]);
            let dying = self.dying(v, unfinished);
            for (count, slide) in board.rooms(state.red, v, dying) {
                subsets(others, count, &mut |evict| {
                    visit(Some(self.step(unfinished, v, evict, slide)))
                })?;
            }
        }
        ControlFlow::Continue(false)
    }

    fn apply(&self, state: State<M>, step: Step<M>) -> (State<M>, u32) {
        let board = &self.board;
        let v = step.vertex;
        let operands = board.preds[v];
        let sliding = M::collect(step.slide.into_iter());
        let loaded = operands.minus(state.red);
        let cost = self.price(state, loaded) + usize::from(step.deliver);
        let stored = step.deliver || board.game.automatic_stores;
        let saved = state.saved | loaded | if stored { M::bit(v) } else { M::default() };
        let computed = state.computed.with(v);
        let red = (state.red | operands).minus(step.evict | sliding).with(v);
        let alive = self.alive(board.outputs.minus(computed));
        let next = State {
            red: red & alive,
            computed: computed & (alive | board.outputs),
            saved: saved.minus(board.inputs) & alive,
        };
        (next, cost as u32)
    }
}
