//! A convex set that grows and shrinks one vertex at a time.
//!
//! Every computed vertex is before, inside or after the region, and no edge leads backwards:
//!
//! ```text
//! before ──► inside ──► after        a path between two members never leaves the inside: it is convex
//! ```
//!
//! Conversely, the ancestors of a convex set can stand before it and the rest after it, so every convex set is
//! a region. Moving a vertex across one border keeps the rule if its neighbours on that side allow it, which is
//! a look at its edges; the sizes of the in-set and of the targets are kept up to date on the way.

use redblue_pebble::{Cdag, Vertex};

/// Where a vertex is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Side {
    /// Computed earlier, as inputs always are.
    Before,
    /// In the region.
    Inside,
    /// Computed later.
    After,
}

/// A convex set of computed vertices.
#[derive(Debug, Clone)]
pub(super) struct Region<'a> {
    graph: &'a Cdag,
    is_target: &'a [bool],
    side: Vec<Side>,
    /// How many members read each vertex.
    readers: Vec<u32>,
    members: Vec<Vertex>,
    /// Where in `members` a member is.
    place: Vec<usize>,
    /// Vertices outside that a member reads.
    pub(super) in_set: u64,
    /// Targets inside.
    pub(super) targets: u64,
}

impl<'a> Region<'a> {
    /// The region of a convex set; its ancestors stand before it, all else after.
    pub(super) fn new(graph: &'a Cdag, is_target: &'a [bool], set: &[Vertex]) -> Region<'a> {
        let mut side = vec![Side::After; graph.len()];
        set.iter().for_each(|&v| side[v] = Side::Inside);
        for &v in graph.order().iter().rev() {
            let leads_inside = graph.succs(v).iter().any(|&w| side[w] != Side::After);
            if side[v] == Side::After && (leads_inside || graph.is_input(v)) {
                side[v] = Side::Before;
            }
        }
        let mut region = Region {
            graph,
            is_target,
            side,
            readers: vec![0; graph.len()],
            members: Vec::new(),
            place: vec![0; graph.len()],
            in_set: 0,
            targets: 0,
        };
        for &v in set {
            region.side[v] = Side::After;
        }
        for &v in set {
            region.enter(v);
        }
        region
    }

    /// The members, in no particular order.
    pub(super) fn members(&self) -> &[Vertex] {
        &self.members
    }

    /// Moves a vertex across a border, if its neighbours allow it, and says where it was; `across` chooses
    /// where there is a choice.
    pub(super) fn shift(&mut self, v: Vertex, across: bool) -> Option<Side> {
        if self.graph.is_input(v) {
            return None;
        }
        let was = self.side[v];
        let before = |list: &[Vertex]| list.iter().all(|&u| self.side[u] == Side::Before);
        let after = |list: &[Vertex]| list.iter().all(|&w| self.side[w] == Side::After);
        let none_after = |list: &[Vertex]| list.iter().all(|&u| self.side[u] != Side::After);
        let none_before = |list: &[Vertex]| list.iter().all(|&w| self.side[w] != Side::Before);
        let (preds, succs) = (self.graph.preds(v), self.graph.succs(v));
        match was {
            Side::Inside if across && before(preds) => self.leave(v, Side::Before),
            Side::Inside if after(succs) => self.leave(v, Side::After),
            // Standing on the other side changes nothing now, but lets others in.
            Side::After if across && before(preds) => self.side[v] = Side::Before,
            Side::Before if across && after(succs) => self.side[v] = Side::After,
            Side::After if none_after(preds) => self.enter(v),
            Side::Before if none_before(succs) => self.enter(v),
            _ => return None,
        }
        Some(was)
    }

    /// Undoes the latest move, of a vertex that was there before.
    pub(super) fn put_back(&mut self, v: Vertex, was: Side) {
        match (self.side[v], was) {
            (Side::Inside, _) => self.leave(v, was),
            (_, Side::Inside) => self.enter(v),
            _ => self.side[v] = was,
        }
    }

    fn enter(&mut self, v: Vertex) {
        self.in_set -= u64::from(self.readers[v] > 0);
        for &u in self.graph.preds(v) {
            self.readers[u] += 1;
            self.in_set += u64::from(self.readers[u] == 1 && self.side[u] != Side::Inside);
        }
        self.side[v] = Side::Inside;
        self.place[v] = self.members.len();
        self.members.push(v);
        self.targets += u64::from(self.is_target[v]);
    }

    fn leave(&mut self, v: Vertex, to: Side) {
        self.side[v] = to;
        for &u in self.graph.preds(v) {
            self.readers[u] -= 1;
            self.in_set -= u64::from(self.readers[u] == 0 && self.side[u] != Side::Inside);
        }
        self.in_set += u64::from(self.readers[v] > 0);
        let place = self.place[v];
        self.members.swap_remove(place);
        if let Some(&moved) = self.members.get(place) {
            self.place[moved] = place;
        }
        self.targets -= u64::from(self.is_target[v]);
    }
}
