//! A graph and the rules of a game, compiled to bit masks, and the vocabulary of the search.
//!
//! A [`State`] is three masks: which values are in fast memory, which were computed, which slow
//! memory has. A [`Step`] is a macro move: evict some values, load the missing operands of one
//! vertex, compute it. Steps are enough,
//! because in an optimal play a value need not be loaded before the computation that reads it, nor
//! evicted before its pebble is needed (theory T-1).

use std::ops::ControlFlow;

use super::mask::Mask;
use crate::cdag::{Cdag, Vertex};
use crate::game::{Game, Move};

/// A position of the game.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct State<M> {
    /// Values in fast memory.
    pub(super) red: M,
    /// Values computed so far. The rules may leave out some that do not matter any more.
    pub(super) computed: M,
    /// Values in slow memory, likewise.
    pub(super) saved: M,
}

/// One macro move: `save` and `evict`, load what is missing, compute `vertex`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Step<M> {
    pub(super) vertex: Vertex,
    /// Values that lose their pebble before the computation.
    pub(super) evict: M,
    /// Evicted values (or the sliding operand) that are stored first.
    pub(super) save: M,
    /// The operand whose pebble slides onto the result.
    pub(super) slide: Option<Vertex>,
    /// Whether the result is stored at once.
    pub(super) deliver: bool,
}

/// What a search needs to know about a game.
pub(super) trait Rules<M: Mask> {
    fn board(&self) -> &Board<M>;

    fn start(&self) -> State<M>;

    fn is_finished(&self, state: State<M>) -> bool;

    /// A lower bound on the cost of finishing; dropping by at most the cost of a step.
    fn estimate(&self, state: State<M>) -> u32;

    /// Whether states with the same computed values are worth comparing by [`Rules::handicap`].
    const COMPARABLE: bool = false;

    /// If cost plus estimate of `better` is lower than that of `worse`, a state with the same
    /// computed values, by at least this much, then some play through `better` is at least as cheap
    /// as every play through `worse`.
    fn handicap(&self, _better: State<M>, _worse: State<M>) -> u32 {
        u32::MAX
    }

    /// Whether `known` says yes to a state, given with a head start in cost, that makes this one
    /// superfluous: some play through the other is then at least as cheap.
    fn has_rival(&self, _state: State<M>, _known: impl FnMut(State<M>, u32) -> bool) -> bool {
        false
    }

    /// A step that some optimal continuation begins with, if the rules can name one.
    fn forced(&self, state: State<M>) -> Option<Step<M>>;

    /// Shows the steps that raise cost plus estimate by `rise`, of all steps of which some optimal
    /// continuation begins with one; returns whether there are steps with a larger rise. Rules that
    /// cannot tell the rise of a step in advance show all of them at rise 0.
    ///
    /// A state can have more steps than memory could hold, or a lifetime list: so they are shown one
    /// by one, with nothing in the place of those that an exchange argument excludes, and `visit`
    /// can break off at any of them.
    fn choices(
        &self,
        state: State<M>,
        rise: u32,
        visit: &mut impl FnMut(Option<Step<M>>) -> ControlFlow<()>,
    ) -> ControlFlow<(), bool>;

    fn apply(&self, state: State<M>, step: Step<M>) -> (State<M>, u32);

    /// Takes forced steps until there is none, showing each to `seen` with the state before and
    /// after; returns the state reached and the cost.
    fn settle(
        &self,
        mut state: State<M>,
        mut seen: impl FnMut(State<M>, Step<M>, State<M>),
    ) -> (State<M>, u32) {
        let mut total = 0;
        while let Some(step) = self.forced(state) {
            let (next, cost) = self.apply(state, step);
            seen(state, step, next);
            state = next;
            total += cost;
        }
        (state, total)
    }
}

/// The compiled graph.
#[derive(Debug, Clone)]
pub(super) struct Board<M> {
    pub(super) game: Game,
    pub(super) capacity: usize,
    pub(super) n: usize,
    pub(super) preds: Vec<M>,
    /// Successors that the game has to compute.
    pub(super) succs: Vec<M>,
    pub(super) inputs: M,
    /// Outputs that are not inputs.
    pub(super) outputs: M,
    /// Vertices to be computed.
    pub(super) wanted: M,
}

impl<M: Mask> Board<M> {
    pub(super) fn new(graph: &Cdag, game: &Game, capacity: usize) -> Board<M> {
        let flags = game.must_compute(graph);
        let set = |list: &[Vertex]| M::collect(list.iter().copied());
        let wanted = M::collect((0..graph.len()).filter(|&v| flags[v]));
        let inputs = set(graph.inputs());
        Board {
            game: *game,
            capacity,
            n: graph.len(),
            preds: (0..graph.len()).map(|v| set(graph.preds(v))).collect(),
            succs: (0..graph.len())
                .map(|v| set(graph.succs(v)) & wanted)
                .collect(),
            inputs,
            outputs: set(graph.outputs()).minus(inputs),
            wanted,
        }
    }

    /// How many values besides the operands must leave for `vertex` to be computed.
    pub(super) fn excess(&self, red: M, vertex: Vertex) -> usize {
        ((red | self.preds[vertex]).len() + 1).saturating_sub(self.capacity)
    }

    /// The ways to make room for `vertex`: how many values besides its operands to evict, and which
    /// operand slides. Sliding an operand that dies anyway is never worse than anything else.
    pub(super) fn rooms(
        &self,
        red: M,
        vertex: Vertex,
        dying: M,
    ) -> impl Iterator<Item = (usize, Option<Vertex>)> {
        let excess = self.excess(red, vertex);
        let sliding = match (self.game.slide && excess > 0, dying.is_empty()) {
            (false, _) => M::default(),
            (true, true) => self.preds[vertex],
            (true, false) => M::bit(dying.first()),
        };
        let plain = sliding.is_empty() || dying.is_empty();
        let each = sliding.members().map(move |u| (excess - 1, Some(u)));
        plain.then_some((excess, None)).into_iter().chain(each)
    }

    /// The moves of a step, from `before` to `after`.
    pub(super) fn moves(
        &self,
        before: State<M>,
        step: Step<M>,
        after: State<M>,
        play: &mut Vec<Move>,
    ) {
        let operands = self.preds[step.vertex];
        let sliding = M::collect(step.slide.into_iter());
        play.extend(step.save.members().map(Move::Store));
        play.extend(step.evict.members().map(Move::Delete));
        play.extend(operands.minus(before.red).members().map(Move::Load));
        play.push(match step.slide {
            Some(from) => Move::Slide {
                from,
                to: step.vertex,
            },
            None => Move::Compute(step.vertex),
        });
        play.extend(step.deliver.then_some(Move::Store(step.vertex)));
        let held = (before.red.minus(step.evict) | operands)
            .minus(sliding)
            .with(step.vertex);
        play.extend(held.minus(after.red).members().map(Move::Delete));
    }
}

/// Calls `visit` with every subset of `set` that has `size` members, until it breaks off.
pub(super) fn subsets<M: Mask>(
    set: M,
    size: usize,
    visit: &mut impl FnMut(M) -> ControlFlow<()>,
) -> ControlFlow<()> {
    fn go<M: Mask>(
        rest: M,
        chosen: M,
        size: usize,
        visit: &mut impl FnMut(M) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        if size == 0 {
            return visit(chosen);
        }
        if rest.len() < size {
            return ControlFlow::Continue(());
        }
        let first = rest.first();
        let rest = rest.minus(M::bit(first));
        go(rest, chosen.with(first), size - 1, visit)?;
        go(rest, chosen, size, visit)
    }
    go(set, M::default(), size, visit)
}
