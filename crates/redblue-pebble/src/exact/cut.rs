//! Most disjoint paths from the inputs to unfinished outputs: Menger's theorem on masks.
//!
//! Red values block every path; a path uses up the values in slow memory (blue, not red) that it
//! visits; all other values may be shared. By max-flow min-cut the result is the fewest blue values
//! whose loading, together with what is red, determines the outputs.

use super::board::Board;
use super::mask::Mask;
use crate::cdag::Vertex;

/// Number of paths from `board.inputs` to `targets` that share no member of `blue` and avoid `red`.
pub(super) fn disjoint_paths<M: Mask>(
    board: &Board<M>,
    order: &[Vertex],
    red: M,
    blue: M,
    targets: M,
) -> usize {
    let mut flow = Flow {
        next: [M::default(); MOST],
        arrives: M::default(),
        used: M::default(),
        finishing: M::default(),
        before: [SOURCE; MOST],
        entered: M::default(),
        left: M::default(),
    };
    for &v in order.iter().rev().filter(|&&v| !red.has(v)) {
        for w in board.succs[v].minus(red).members() {
            if blue.has(w) {
                flow.next[v] = flow.next[v].with(w);
                continue;
            }
            flow.next[v] = flow.next[v] | flow.next[w];
            if targets.has(w) || flow.arrives.has(w) {
                flow.arrives = flow.arrives.with(v);
            }
        }
    }
    // An input that arrives directly carries one path in some maximum flow: nothing feeds it.
    let sources = blue & board.inputs;
    let direct = sources & flow.arrives;
    let found = sources.minus(direct).members().filter(|&source| {
        flow.entered = M::bit(source);
        flow.left = M::bit(source);
        flow.leave(source)
    });
    direct.len() + found.count()
}

const MOST: usize = 128;

/// Marks a value that is fed by the source of the flow.
const SOURCE: u8 = u8::MAX;

/// A flow in the graph of blue values, each split into an entrance and an exit.
struct Flow<M> {
    /// Blue values reached from each vertex without passing another blue or red one.
    next: [M; MOST],
    /// Vertices from which a target is reached that way.
    arrives: M,
    /// Values that carry a path.
    used: M,
    /// Values whose path goes straight to a target.
    finishing: M,
    /// Which value feeds each used value.
    before: [u8; MOST],
    /// Entrances and exits seen in the current search for a residual path.
    entered: M,
    left: M,
}

impl<M: Mask> Flow<M> {
    /// Finds a residual path from the exit of `v` to the target and turns it into flow.
    fn leave(&mut self, v: usize) -> bool {
        if self.arrives.has(v) && !self.finishing.has(v) {
            self.finishing = self.finishing.with(v);
            return true;
        }
        for w in self.next[v].members() {
            let saturated = self.used.has(w) && usize::from(self.before[w]) == v;
            if saturated || self.entered.has(w) {
                continue;
            }
            self.entered = self.entered.with(w);
            if self.enter(w) {
                self.before[w] = v as u8;
                return true;
            }
        }
        // Undo the path through v and send the unit of its feeder elsewhere.
        if self.used.has(v) && !self.entered.has(v) {
            self.entered = self.entered.with(v);
            if self.push_back(v) {
                self.used = self.used.minus(M::bit(v));
                return true;
            }
        }
        false
    }

    /// The same from the entrance of `w`, which a used value leaves only by pushing back.
    fn enter(&mut self, w: usize) -> bool {
        if self.used.has(w) {
            return self.push_back(w);
        }
        if self.left.has(w) {
            return false;
        }
        self.left = self.left.with(w);
        let found = self.leave(w);
        if found {
            self.used = self.used.with(w);
        }
        found
    }

    fn push_back(&mut self, w: usize) -> bool {
        let feeder = self.before[w];
        if feeder == SOURCE || self.left.has(usize::from(feeder)) {
            return false;
        }
        self.left = self.left.with(usize::from(feeder));
        self.leave(usize::from(feeder))
    }
}
