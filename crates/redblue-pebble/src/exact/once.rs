//! The games without recomputation: red-white, red-blue-white.
//!
//! Every value that was computed and is not red counts as saved, so `red` without `saved` are the
//! values whose eviction costs a store (those that are not clean).
//!
//! The estimate counts each computed value that is not red but still has a reader (one load each)
//! and each output not yet computed (one store). A step that evicts nothing therefore never raises
//! `cost + estimate`, and each eviction raises it by one, or two if the value is not clean: the
//! whole optimisation is about evictions. Two exchange arguments prune them:
//!
//! * *Forced steps.* If `v` can be computed now without evicting anything and everything it adds
//!   to fast memory (itself, operands loaded and still needed) takes the pebble of an operand that
//!   dies with it, do it: wherever a later play keeps or evicts the dying operand, keep or evict
//!   the newcomer instead. A result that is not clean must replace an operand that is not clean.
//! * *Dominated victims.* If `w` is clean and everything that still reads `w` also reads `u`, then
//!   evicting `w` is no worse than evicting `u`: when `w` is needed, `u` is needed too.

use std::ops::ControlFlow;

use super::board::{Board, Rules, State, Step, subsets};
use super::mask::Mask;
use crate::cdag::{Cdag, Vertex};
use crate::game::Game;

pub(super) struct Once<M> {
    board: Board<M>,
    /// Values that are clean as soon as they are computed.
    born_clean: M,
    /// Outputs that cost a store when they are computed.
    delivered: M,
}

impl<M: Mask> Once<M> {
    pub(super) fn new(graph: &Cdag, game: &Game, capacity: usize) -> Once<M> {
        let board = Board::new(graph, game, capacity);
        let (born_clean, delivered) = match (game.automatic_stores, game.final_stores) {
            (true, _) => (board.wanted, M::default()),
            (false, true) => (board.outputs, board.outputs),
            (false, false) => (M::default(), M::default()),
        };
        Once {
            board,
            born_clean,
            delivered,
        }
    }

    /// Readers of `u` that are still to be computed.
    fn readers(&self, u: Vertex, computed: M) -> M {
        self.board.succs[u].minus(computed)
    }

    fn ready(&self, computed: M) -> impl Iterator<Item = Vertex> + '_ {
        let preds = &self.board.preds;
        self.board
            .wanted
            .minus(computed)
            .members()
            .filter(move |&v| preds[v].within(computed))
    }

    /// Operands of `v` that nothing else still reads.
    fn dying(&self, v: Vertex, computed: M) -> M {
        let alone = |&u: &Vertex| self.readers(u, computed) == M::bit(v);
        M::collect(self.board.preds[v].members().filter(alone))
    }

    fn step(&self, state: State<M>, v: Vertex, evict: M, slide: Option<Vertex>) -> Step<M> {
        let computed = state.computed;
        let dirty = state.red.minus(state.saved);
        let lost = slide.filter(|&u| self.readers(u, computed) != M::bit(v));
        let save = (evict | M::collect(lost.into_iter())) & dirty;
        Step {
            vertex: v,
            evict,
            save,
            slide,
            deliver: self.delivered.has(v),
        }
    }

    /// Which clean values are to be evicted before each red value.
    fn preferred_victims(&self, state: State<M>) -> Preferred<M> {
        let computed = state.computed;
        let pairs = state.red.members().map(|u| {
            let readers = self.readers(u, computed);
            let first = |&w: &Vertex| {
                let own = self.readers(w, computed);
                let tie = own == readers && state.saved.has(u) && w > u;
                w != u && own.within(readers) && !tie
            };
            (
                u,
                M::collect((state.red & state.saved).members().filter(first)),
            )
        });
        Preferred(pairs.filter(|(_, before)| !before.is_empty()).collect())
    }
}

/// Red values with the clean red values that must be evicted before each.
struct Preferred<M>(Vec<(Vertex, M)>);

impl<M: Mask> Preferred<M> {
    /// Whether no value of `evict` is dominated by one of `others` that stays.
    fn allow(&self, evict: M, others: M) -> bool {
        let fine = |&(u, before): &(Vertex, M)| !evict.has(u) || (before & others).within(evict);
        self.0.iter().all(fine)
    }
}

impl<M: Mask> Rules<M> for Once<M> {
    fn board(&self) -> &Board<M> {
        &self.board
    }

    fn start(&self) -> State<M> {
        // Vertices that nobody wants count as computed, so that they keep nothing alive.
        let everything = M::collect(0..self.board.n);
        State {
            red: M::default(),
            computed: everything.minus(self.board.wanted),
            saved: everything.minus(self.board.wanted),
        }
    }

    fn is_finished(&self, state: State<M>) -> bool {
        self.board.wanted.within(state.computed)
    }

    fn estimate(&self, state: State<M>) -> u32 {
        let computed = state.computed;
        let asleep = state.saved.minus(state.red).members();
        let loads = asleep
            .filter(|&u| !self.readers(u, computed).is_empty())
            .count();
        (loads + self.delivered.minus(computed).len()) as u32
    }

    const COMPARABLE: bool = true;

    /// From `better`, evict what only it has red, then follow the play of `worse`: what only that
    /// one has red is loaded when it is read, which the estimate has counted. A value that is clean
    /// in `worse` alone may cost one store more.
    fn handicap(&self, better: State<M>, worse: State<M>) -> u32 {
        let extra = better.red.minus(worse.red);
        let soiled = better.red & worse.red & worse.saved.minus(better.saved);
        (extra.len() + extra.minus(better.saved).len() + soiled.len()) as u32
    }

    fn forced(&self, state: State<M>) -> Option<Step<M>> {
        let board = &self.board;
        let computed = state.computed;
        for v in self.ready(computed) {
            let excess = board.excess(state.red, v);
            if excess > usize::from(board.game.slide) {
                continue;
            }
            let dying = self.dying(v, computed);
            if excess == 1 && dying.is_empty() {
                continue;
            }
            let places = dying & state.red;
            let stays = !board.succs[v].is_empty();
            let newcomers = board.preds[v].minus(state.red | dying).len() + usize::from(stays);
            let dirty_place = !places.minus(state.saved).is_empty();
            if newcomers <= places.len() && (!stays || self.born_clean.has(v) || dirty_place) {
                let slide = (excess == 1).then(|| dying.first());
                return Some(self.step(state, v, M::default(), slide));
            }
        }
        None
    }

    fn choices(
        &self,
        state: State<M>,
        rise: u32,
        visit: &mut impl FnMut(Option<Step<M>>) -> ControlFlow<()>,
    ) -> ControlFlow<(), bool> {
        let board = &self.board;
        let computed = state.computed;
        let rise = rise as usize;
        let preferred = self.preferred_victims(state);
        let mut more = false;
        for v in self.ready(computed) {
            let others = state.red.minus(board.preds[v]);
            let (clean, dirty) = (others & state.saved, others.minus(state.saved));
            let dying = self.dying(v, computed);
            for (count, slide) in board.rooms(state.red, v, dying) {
                // Evicting a value raises the total by one, and by one more if it is not clean.
                let lost = slide.filter(|&u| !dying.has(u));
                let unsaved = |u| state.red.has(u) && !state.saved.has(u);
                let spent = count + lost.map_or(0, |u| 1 + usize::from(unsaved(u)));
                more |= rise < spent + count.min(dirty.len());
                let Some(unclean) = rise.checked_sub(spent).filter(|&unclean| unclean <= count)
                else {
                    continue;
                };
                subsets(dirty, unclean, &mut |first| {
                    subsets(clean, count - unclean, &mut |second| {
                        let evict = first | second;
                        let allowed = preferred.allow(evict, others);
                        visit(allowed.then(|| self.step(state, v, evict, slide)))
                    })
                })?;
            }
        }
        ControlFlow::Continue(more)
    }

    fn apply(&self, state: State<M>, step: Step<M>) -> (State<M>, u32) {
        let board = &self.board;
        let v = step.vertex;
        let operands = board.preds[v];
        let sliding = M::collect(step.slide.into_iter());
        let computed = state.computed.with(v);
        let cost = operands.minus(state.red).len() + step.save.len() + usize::from(step.deliver);
        let touched = operands.with(v);
        let dead = touched
            .members()
            .filter(|&u| self.readers(u, computed).is_empty());
        let gone = M::collect(dead) | step.evict | sliding;
        let red = (state.red | touched).minus(gone);
        let saved = state.saved | gone | (self.born_clean & M::bit(v));
        let next = State {
            red,
            computed,
            saved,
        };
        (next, cost as u32)
    }
}
