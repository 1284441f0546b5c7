//! The states met so far: a flat list of nodes, and open-addressing tables of indices into it.

use super::board::State;
use super::mask::Mask;

/// A state with the best cost known for it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Node<M> {
    pub(super) state: State<M>,
    /// Index of the node it was reached from; its own for the start.
    pub(super) parent: u32,
    /// Cost of reaching it.
    pub(super) cost: u16,
    /// Estimate of the cost from here to the end.
    pub(super) estimate: u16,
    /// Steps with a smaller rise have been taken already.
    pub(super) rise: u16,
}

impl<M> Node<M> {
    /// Cost plus estimate.
    pub(super) fn total(&self) -> u16 {
        self.cost + self.estimate
    }
}

/// All nodes, findable by state and listed by computed values.
pub(super) struct Table<M> {
    nodes: Vec<Node<M>>,
    /// Index of the next node with the same computed values, or its own for the last, for listed nodes.
    next: Vec<u32>,
    /// Index of a node plus one, or 0 for a free slot; the length is a power of two.
    slots: Vec<u32>,
    /// The first and the last node of each set of computed values, plus one, in the same way.
    chains: Vec<(u32, u32)>,
    n_chains: usize,
}

impl<M: Mask> Table<M> {
    pub(super) fn new() -> Table<M> {
        Table {
            nodes: Vec::new(),
            next: Vec::new(),
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
    pub(super) fn insert(
        &mut self,
        state: State<M>,
        parent: Option<u32>,
        cost: u16,
        estimate: u16,
    ) -> u32 {
        if (self.nodes.len() + 1) * 4 > self.slots.len() * 3 {
            self.grow_slots();
        }
        let slot = self.slot(state);
        let index = self.nodes.len() as u32;
        let parent = parent.unwrap_or(index);
        self.nodes.push(Node {
            state,
            parent,
            cost,
            estimate,
            rise: 0,
        });
        self.slots[slot] = index + 1;
        index
    }

    /// Listed nodes with these computed values, oldest first.
    pub(super) fn listed(&self, computed: M) -> impl Iterator<Item = Node<M>> + '_ {
        let first = self.chains[self.chain(computed)].0.checked_sub(1);
        std::iter::successors(first, |&index| {
            let next = self.next[index as usize];
            (next != index).then_some(next)
        })
        .map(|index| self.nodes[index as usize])
    }

    /// Lists the newest node under its computed values. Either all nodes are listed or none.
    pub(super) fn list(&mut self, index: u32) {
        self.next.push(index);
        if (self.n_chains + 1) * 4 > self.chains.len() * 3 {
            self.grow_chains();
        }
        let chain = self.chain(self.node(index).state.computed);
        match self.chains[chain] {
            (0, _) => {
                self.chains[chain] = (index + 1, index + 1);
                self.n_chains += 1;
            }
            (first, last) => {
                self.next[last as usize - 1] = index;
                self.chains[chain] = (first, index + 1);
            }
        }
    }

    /// Bytes held, counting what growing the list or the tables would add for a moment.
    pub(super) fn bytes(&self) -> usize {
        let nodes = self.nodes.capacity() * size_of::<Node<M>>() + self.next.capacity() * 4;
        let tables = self.slots.len() * 4 + self.chains.len() * 8;
        nodes + nodes / 2 + tables * 2
    }

    /// The slot that holds the state, or the free one where it belongs.
    fn slot(&self, state: State<M>) -> usize {
        let last = self.slots.len() - 1;
        let mut slot = hash([state.red, state.computed, state.saved]) as usize & last;
        loop {
            match self.slots[slot] {
                0 => return slot,
                filled if self.nodes[filled as usize - 1].state == state => return slot,
                _ => slot = (slot + 1) & last,
            }
        }
    }

    fn chain(&self, computed: M) -> usize {
        let last = self.chains.len() - 1;
        let mut slot = hash([computed]) as usize & last;
        loop {
            match self.chains[slot].0 {
                0 => return slot,
                filled if self.nodes[filled as usize - 1].state.computed == computed => {
                    return slot;
                }
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

    fn grow_chains(&mut self) {
        let larger = vec![(0, 0); self.chains.len() * 2];
        let chains = std::mem::replace(&mut self.chains, larger);
        for (first, last) in chains.into_iter().filter(|&(first, _)| first > 0) {
            let chain = self.chain(self.node(first - 1).state.computed);
            self.chains[chain] = (first, last);
        }
    }
}

fn hash<M: Mask, const N: usize>(words: [M; N]) -> u64 {
    words.into_iter().fold(0, |hash: u64, word| {
        let mixed = (hash ^ word.folded()).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        mixed ^ (mixed >> 32)
    })
}
