//! The states met so far: a flat list of nodes, and open-addressing tables of indices into it.

use super::board::State;
use super::mask::Mask;

/// A state with the best cost known for it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Node<M> {
    pub(super) state: State<M>,
    /// Index of the node it was reached from; its own for the start.
    pub(super) parent: u32,
    /// Index of the next node with the same progress, or its own for the last.
    next: u32,
    /// Cost of reaching it plus estimate.
    pub(super) total: u16,
    /// Steps with a smaller rise have been taken already.
    pub(super) rise: u16,
}

/// All nodes, findable by state and listed by progress.
pub(super) struct Table<M> {
    nodes: Vec<Node<M>>,
    /// Index of a node plus one, or 0 for a free slot; the length is a power of two.
    slots: Vec<u32>,
    /// The first and the last node of each progress, plus one, in the same way.
    chains: Vec<(u32, u32)>,
    n_chains: usize,
}

impl<M: Mask> Table<M> {
    pub(super) fn new() -> Table<M> {
        Table {
            nodes: Vec::new(),
            slots: vec![0; 1 << 10],
            chains: vec![(0, 0); 1 << 10],
            n_chains: 0,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    pub(super) fn node(&self, index: u32) -> Node<M> {
        self.nodes[index as usize]
    }

    pub(super) fn node_mut(&mut self, index: u32) -> &mut Node<M> {
        &mut self.nodes[index as usize]
    }

    /// The index of the state, if it was met before.
    pub(super) fn find(&self, state: State<M>) -> Option<u32> {
        match self.slots[self.slot(state)] {
            0 => None,
            filled => Some(filled - 1),
        }
    }

    /// Adds a state that was not met before and returns its index.
    pub(super) fn insert(&mut self, state: State<M>, parent: Option<u32>, total: u16) -> u32 {
        if (self.nodes.len() + 1) * 4 > self.slots.len() * 3 {
            self.grow_slots();
        }
        let slot = self.slot(state);
        let index = self.nodes.len() as u32;
        let parent = parent.unwrap_or(index);
        self.nodes.push(Node {
            state,
            parent,
            next: index,
            total,
            rise: 0,
        });
        self.slots[slot] = index + 1;
        index
    }

    /// Nodes listed under `progress`, oldest first; `of` tells the progress of a state.
    pub(super) fn listed(
        &self,
        progress: M,
        of: impl Fn(State<M>) -> M,
    ) -> impl Iterator<Item = Node<M>> + '_ {
        let first = self.chains[self.chain(progress, of)].0.checked_sub(1);
        std::iter::successors(first, |&index| {
            let next = self.nodes[index as usize].next;
            (next != index).then_some(next)
        })
        .map(|index| self.nodes[index as usize])
    }

    /// Lists a node under its progress.
    pub(super) fn list(&mut self, index: u32, of: impl Fn(State<M>) -> M) {
        if (self.n_chains + 1) * 4 > self.chains.len() * 3 {
            self.grow_chains(&of);
        }
        let chain = self.chain(of(self.node(index).state), of);
        match self.chains[chain] {
            (0, _) => {
                self.chains[chain] = (index + 1, index + 1);
                self.n_chains += 1;
            }
            (first, last) => {
                self.nodes[last as usize - 1].next = index;
                self.chains[chain] = (first, index + 1);
            }
        }
    }

    /// Bytes held, counting what growing the list or the tables would add for a moment.
    pub(super) fn bytes(&self) -> usize {
        let nodes = self.nodes.capacity() * size_of::<Node<M>>();
        let tables = self.slots.len() * 4 + self.chains.len() * 8;
        nodes + nodes / 2 + tables * 2
    }

    /// The slot that holds the state, or the free one where it belongs.
    fn slot(&self, state: State<M>) -> usize {
        let last = self.slots.len() - 1;
        let mut slot = hash(state.red, state.mark) as usize & last;
        loop {
            match self.slots[slot] {
                0 => return slot,
                filled if self.nodes[filled as usize - 1].state == state => return slot,
                _ => slot = (slot + 1) & last,
            }
        }
    }

    fn chain(&self, progress: M, of: impl Fn(State<M>) -> M) -> usize {
        let last = self.chains.len() - 1;
        let mut slot = hash(progress, M::default()) as usize & last;
        loop {
            match self.chains[slot].0 {
                0 => return slot,
                filled if of(self.nodes[filled as usize - 1].state) == progress => return slot,
                _ => slot = (slot + 1) & last,
            }
        }
    }

    fn grow_slots(&mut self) {
        self.slots = vec![0; self.slots.len() * 2];
        for index in 0..self.nodes.len() {
            let slot = self.slot(self.nodes[index].state);
            self.slots[slot] = index as u32 + 1;
        }
    }

    fn grow_chains(&mut self, of: impl Fn(State<M>) -> M) {
        let larger = vec![(0, 0); self.chains.len() * 2];
        let chains = std::mem::replace(&mut self.chains, larger);
        for (first, last) in chains.into_iter().filter(|&(first, _)| first > 0) {
            let chain = self.chain(of(self.node(first - 1).state), &of);
            self.chains[chain] = (first, last);
        }
    }
}

fn hash<M: Mask>(first: M, second: M) -> u64 {
    let mut word = first.folded().wrapping_mul(0x9e37_79b9_7f4a_7c15);
    word = (word ^ (word >> 32)).wrapping_add(second.folded());
    word = word.wrapping_mul(0xd6e8_feb8_6659_fd93);
    word ^ (word >> 32)
}
