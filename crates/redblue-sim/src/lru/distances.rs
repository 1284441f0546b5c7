//! LRU stack distances: all sizes in one pass.
//!
//! The distance of an access is the number of different cells accessed since the last access to its own
//! cell, itself included; a memory of S cells hits exactly if the distance is at most S. With one time slot
//! per access, live as long as it is the latest of its cell, the distance is the number of live slots from
//! the last access on: total minus rank, see [`LiveSlots`].
//!
//! Slots are renumbered when they run out, which keeps the structure proportional to the number of cells
//! and not to the length of the trace.

use crate::lru::live_slots::LiveSlots;
use crate::profile::{COLD, Ledger, Profile};
use crate::trace::{Access, Shape, Simulator};

/// Slots per cell: renumbering visits each cell once every `SLOTS_PER_CELL - 1` accesses per cell.
const SLOTS_PER_CELL: usize = 4;

/// A cell that was never accessed.
const NEVER: u32 = u32::MAX;

/// The simulator for all sizes under LRU.
pub struct Distances {
    slots: LiveSlots,
    last_slot: Vec<u32>,
    ledger: Ledger,
}

impl Distances {
    /// Ready for a trace of this shape.
    pub fn new(shape: &Shape) -> Distances {
        let cells = shape.cells() as usize;
        Distances {
            slots: LiveSlots::with_room(cells * SLOTS_PER_CELL),
            last_slot: vec![NEVER; cells],
            ledger: Ledger::new(shape),
        }
    }

    /// How many different cells were accessed since this one was, itself included.
    #[inline]
    fn distance(&mut self, cell: u32) -> u32 {
        let last = self.last_slot[cell as usize];
        if last != NEVER && Some(last as usize) == self.slots.newest() {
            // The same cell again: its slot may stay the newest one.
            return 1;
        }
        if self.slots.is_full() {
            self.renumber();
        }
        let last = self.last_slot[cell as usize];
        let distance = if last == NEVER {
            COLD
        } else {
            let distance = self.slots.live() - self.slots.rank(last as usize);
            self.slots.retire(last as usize);
            distance
        };
        self.last_slot[cell as usize] = self.slots.push() as u32;
        distance
    }

    /// Moves the live slots together, keeping their order.
    #[cold]
    fn renumber(&mut self) {
        for last in self.last_slot.iter_mut().filter(|last| **last != NEVER) {
            *last = self.slots.rank(*last as usize);
        }
        self.slots.reset(self.slots.live());
    }
}

impl Simulator for Distances {
    type Outcome = Profile;

    fn feed(&mut self, block: &[Access]) {
        for &access in block {
            let distance = self.distance(access.cell);
            self.ledger.record(access, distance);
        }
    }

    fn finish(self) -> Profile {
        let (slots, last_slot) = (self.slots, self.last_slot);
        self.ledger
            .finish(|cell| slots.live() - slots.rank(last_slot[cell as usize] as usize))
    }
}
