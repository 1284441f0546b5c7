//! OPT for all sizes in one pass: see the [module](super) and [`Staircase`] for why this is exact.

use crate::opt::renumber::{NEVER, Renumbering, slots};
use crate::opt::staircase::{NONE, Staircase};
use crate::profile::{COLD, Ledger, Profile};
use crate::trace::{Access, Grain, Shape, Simulator};

/// The distance of a write that needs nothing of what its cell held.
const NO_REUSE: u32 = 0;

/// The simulator for all sizes under OPT.
pub struct Distances {
    tokens: Staircase,
    placed: u32,
    slots: usize,
    now: usize,
    last_slot: Vec<u32>,
    writes_reuse: bool,
    is_write: Vec<bool>,
    ledger: Ledger,
}

impl Distances {
    /// Ready for a trace of this shape.
    pub fn new(shape: &Shape) -> Distances {
        let slots = slots(shape.cells());
        Distances {
            tokens: Staircase::new(slots),
            placed: 0,
            slots,
            now: 0,
            last_slot: vec![NEVER; shape.cells() as usize],
            writes_reuse: matches!(shape.grain(), Grain::Line { .. }),
            is_write: shape.references().iter().map(|r| r.write).collect(),
            ledger: Ledger::new(shape),
        }
    }

    #[inline]
    fn access(&mut self, access: Access) {
        if self.now == self.slots {
            self.renumber();
        }
        let now = self.now;
        self.now += 1;
        let last = std::mem::replace(&mut self.last_slot[access.cell as usize], now as u32);
        let distance = if last == NEVER {
            COLD
        } else if !self.writes_reuse && self.is_write[access.reference as usize] {
            NO_REUSE
        } else {
            self.keep(last as usize, now)
        };
        self.ledger.record(access, distance);
    }

    /// The least size that keeps the cell accessed at `last` until `now`; keeps it at all these sizes.
    #[inline]
    fn keep(&mut self, last: usize, now: usize) -> u32 {
        if last + 1 == now {
            return 1;
        }
        let mut rank = self.tokens.rotate_until(last);
        if rank == NONE {
            self.placed += 1;
            rank = self.placed;
        }
        self.tokens.place(now - 1, rank);
        rank + 1
    }

    #[cold]
    fn renumber(&mut self) {
        let (tokens, ranks) = self.tokens.drain();
        let new = Renumbering::new(self.slots, &self.last_slot, &tokens);
        for last in &mut self.last_slot {
            *last = new.slot(*last);
        }
        for (token, rank) in tokens.into_iter().zip(ranks) {
            self.tokens.place(new.slot(token) as usize, rank);
        }
        self.now = new.next();
    }
}

impl Simulator for Distances {
    type Outcome = Profile;

    fn feed(&mut self, block: &[Access]) {
        for &access in block {
            self.access(access);
        }
    }

    fn finish(self) -> Profile {
        self.ledger.finish(|_| 0)
    }
}
