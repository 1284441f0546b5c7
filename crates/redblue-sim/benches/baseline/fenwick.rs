//! LRU stack distances with a Fenwick tree over time: the textbook pass for all sizes.
//!
//! One slot per access, 1 while it is the latest of its cell; a distance is a sum over the slots since.
//! Slots are renumbered when they run out, as in the simulator it is compared with.

use redblue_sim::Access;

const NEVER: u32 = u32::MAX;

pub(crate) struct Fenwick {
    tree: Vec<u32>,
    last_slot: Vec<u32>,
    now: usize,
    live: u32,
    pub(crate) histogram: Vec<u64>,
}

impl Fenwick {
    pub(crate) fn new(cells: u32) -> Fenwick {
        Fenwick {
            tree: vec![0; 4 * cells as usize + 1],
            last_slot: vec![NEVER; cells as usize],
            now: 0,
            live: 0,
            histogram: vec![0; cells as usize + 1],
        }
    }

    pub(crate) fn feed(&mut self, block: &[Access]) {
        for access in block {
            if self.now + 1 == self.tree.len() {
                self.renumber();
            }
            let last = self.last_slot[access.cell as usize];
            if last == NEVER {
                self.histogram[0] += 1;
                self.live += 1;
            } else {
                let distance = self.live - self.before(last as usize);
                self.histogram[distance as usize] += 1;
                self.add(last as usize, u32::MAX);
            }
            self.add(self.now, 1);
            self.last_slot[access.cell as usize] = self.now as u32;
            self.now += 1;
        }
    }

    fn add(&mut self, slot: usize, amount: u32) {
        let mut node = slot + 1;
        while node < self.tree.len() {
            self.tree[node] = self.tree[node].wrapping_add(amount);
            node += node & node.wrapping_neg();
        }
    }

    fn before(&self, slot: usize) -> u32 {
        let (mut node, mut sum) = (slot, 0u32);
        while node > 0 {
            sum = sum.wrapping_add(self.tree[node]);
            node &= node - 1;
        }
        sum
    }

    fn renumber(&mut self) {
        for cell in 0..self.last_slot.len() {
            let last = self.last_slot[cell];
            if last != NEVER {
                self.last_slot[cell] = self.before(last as usize);
            }
        }
        // A node covers as many slots as its lowest set bit; the first `live` of all slots hold a one.
        for node in 1..self.tree.len() {
            let first = node - (node & node.wrapping_neg());
            let ones = (self.live as usize).clamp(first, node) - first;
            self.tree[node] = ones as u32;
        }
        self.now = self.live as usize;
    }
}
