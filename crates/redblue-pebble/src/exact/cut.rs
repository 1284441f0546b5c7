//! The cheapest set of loads that determines the unfinished outputs: a minimum vertex cut on masks.
//!
//! Red values block every path from an input to an output. A value that can be loaded, an input or
//! one that was computed, cuts a path at the price of its load: 1 if slow memory has it, else 2.
//! All other values cannot be cut. By max-flow min-cut the cheapest cut is the largest number of
//! paths such that no more of them visit a value than its price; augmenting paths find it in the
//! graph of the loadable values, each split into an entrance and an exit.

use super::board::{Board, State};
use super::mask::Mask;
use crate::cdag::Vertex;

/// The least price of loads after which no path from an input reaches `targets`.
pub(super) fn cheapest_cut<M: Mask>(
    board: &Board<M>,
    order: &[Vertex],
    state: State<M>,
    targets: M,
) -> usize {
    let red = state.red;
    let loadable = (state.computed | board.inputs).minus(red);
    let mut flow = Flow {
        next: [M::default(); MOST],
        arrives: M::default(),
        cheap: state.saved | board.inputs,
        feeders: [[NOBODY; 2]; MOST],
        entered: M::default(),
        left: M::default(),
    };
    for &v in order.iter().rev().filter(|&&v| !red.has(v)) {
        for w in board.succs[v].minus(red).members() {
            if loadable.has(w) {
                flow.next[v] = flow.next[v].with(w);
                continue;
            }
            flow.next[v] = flow.next[v] | flow.next[w];
            if targets.has(w) || flow.arrives.has(w) {
                flow.arrives = flow.arrives.with(v);
            }
        }
    }
    let sources = loadable & board.inputs;
    let found = sources.members().filter(|&source| {
        flow.entered = M::bit(source);
        flow.left = M::bit(source);
        flow.leave(source)
    });
    found.count()
}

const MOST: usize = 128;

/// Marks a place for a feeder that is free.
const NOBODY: u8 = u8::MAX;

/// A flow in the graph of loadable values.
struct Flow<M> {
    /// Loadable values reached from each vertex without passing another one or a red one.
    next: [M; MOST],
    /// Vertices from which a target is reached that way.
    arrives: M,
    /// Values of price 1; the others have price 2.
    cheap: M,
    /// Where the paths through each value come from: one place per path that the price allows.
    feeders: [[u8; 2]; MOST],
    /// Entrances and exits seen in the current search for a residual path.
    entered: M,
    left: M,
}

impl<M: Mask> Flow<M> {
    /// Finds a residual path from the exit of `v` to a target and turns it into flow.
    fn leave(&mut self, v: Vertex) -> bool {
        if self.arrives.has(v) {
            return true;
        }
        for w in self.next[v].members() {
            if self.entered.has(w) {
                continue;
            }
            self.entered = self.entered.with(w);
            if let Some(place) = self.enter(w) {
                self.feeders[w][place] = v as u8;
                return true;
            }
        }
        // Undo a path through v, whose feeder then sends its unit elsewhere.
        if self.entered.has(v) {
            return false;
        }
        self.entered = self.entered.with(v);
        let place = self.push_back(v);
        if let Some(place) = place {
            self.feeders[v][place] = NOBODY;
        }
        place.is_some()
    }

    /// Finds a residual path from the entrance of `w`; returns the place for its new feeder.
    fn enter(&mut self, w: Vertex) -> Option<usize> {
        let places = if self.cheap.has(w) { 1 } else { 2 };
        let free = (0..places).find(|&place| self.feeders[w][place] == NOBODY);
        if free.is_some() && !self.left.has(w) {
            self.left = self.left.with(w);
            if self.leave(w) {
                return free;
            }
        }
        self.push_back(w)
    }

    /// Finds another way for a path that now enters `w`; returns the place it leaves free.
    fn push_back(&mut self, w: Vertex) -> Option<usize> {
        (0..2).find(|&place| {
            let feeder = usize::from(self.feeders[w][place]);
            if feeder == usize::from(NOBODY) || self.left.has(feeder) {
                return false;
            }
            self.left = self.left.with(feeder);
            self.leave(feeder)
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::cdag::Cdag;
    use crate::game::Game;
    use crate::testing::{cases, small_graph};

    /// The same by trying all sets of loads.
    fn cheapest_by_enumeration(graph: &Cdag, board: &Board<u32>, state: State<u32>) -> usize {
        let loadable = (state.computed | board.inputs).minus(state.red);
        let sets = (0..1u32 << graph.len()).filter(|set| set.within(loadable));
        let cuts = sets.filter(|&set| {
            let mut reached = 0u32;
            for &v in graph.order() {
                let entered = !(board.preds[v] & reached).is_empty() || board.inputs.has(v);
                if entered && !(set | state.red).has(v) {
                    reached = reached.with(v);
                }
            }
            (reached & board.outputs.minus(state.computed)).is_empty()
        });
        let prices = cuts.map(|set| set.len() + set.minus(state.saved | board.inputs).len());
        prices.min().expect("loading all inputs cuts everything")
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(cases(400, 10_000)))]

        #[test]
        fn cuts_are_cheapest(
            graph in small_graph(10),
            reds: u32,
            depth in 0usize..11,
            saves: u32,
        ) {
            let board: Board<u32> = Board::new(&graph, &Game::red_blue(), 4);
            let made = graph.order().iter().copied().take(depth);
            let computed = u32::collect(made).minus(board.inputs);
            let state = State {
                red: reds & (reds >> 7) & (computed | board.inputs),
                computed,
                saved: saves & computed,
            };
            let targets = board.outputs.minus(computed);
            let cut = cheapest_cut(&board, graph.order(), state, targets);
            prop_assert_eq!(cut, cheapest_by_enumeration(&graph, &board, state));
        }
    }
}
