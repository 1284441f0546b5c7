//! OPT for one size in one pass, without looking ahead: see the [module](super) for why this is exact.

use crate::error::SimError;
use crate::opt::renumber::{NEVER, Renumbering, slots};
use crate::opt::tokens::TokenSet;
use crate::tally::Tally;
use crate::trace::{Access, Grain, Shape, Simulator};
use crate::traffic::Traffic;

/// The simulator for one size under OPT.
pub struct OneSize {
    tokens: TokenSet,
    placed: u64,
    /// One less than the size: what the accessed cell itself leaves free.
    room: u64,
    slots: usize,
    now: usize,
    last_slot: Vec<u32>,
    /// Whether writes need the old content of their cell: so with lines.
    writes_reuse: bool,
    is_write: Vec<bool>,
    tally: Tally,
}

impl OneSize {
    /// Ready for a trace of this shape, with a fast memory of `size` cells.
    pub fn new(shape: &Shape, size: u64) -> Result<OneSize, SimError> {
        let room = size.checked_sub(1).ok_or(SimError::NoRoom)?;
        let slots = slots(shape.cells());
        Ok(OneSize {
            tokens: TokenSet::new(slots),
            placed: 0,
            room,
            slots,
            now: 0,
            last_slot: vec![NEVER; shape.cells() as usize],
            writes_reuse: matches!(shape.grain(), Grain::Line { .. }),
            is_write: shape.references().iter().map(|r| r.write).collect(),
            tally: Tally::new(shape, size),
        })
    }

    #[inline]
    fn access(&mut self, access: Access) {
        let last = self.last_slot[access.cell as usize];
        if last != NEVER && last as usize + 1 == self.now {
            // The same cell again: nothing is kept meanwhile, so both accesses can share the slot.
            self.tally.hit(access);
            return;
        }
        if self.now == self.slots {
            self.renumber();
        }
        let now = self.now;
        self.now += 1;
        let last = std::mem::replace(&mut self.last_slot[access.cell as usize], now as u32);
        let hit = if !self.writes_reuse && self.is_write[access.reference as usize] {
            true
        } else if last == NEVER {
            false
        } else {
            self.keep(last as usize, now)
        };
        if hit {
            self.tally.hit(access);
        } else {
            self.tally.miss(access, last == NEVER);
        }
    }

    /// Keeps the cell accessed at `last` until `now` if there is room all the time between.
    #[inline]
    fn keep(&mut self, last: usize, now: usize) -> bool {
        match self.tokens.last_until(last) {
            Some(token) => self.tokens.remove(token),
            None if self.placed < self.room => self.placed += 1,
            None => return false,
        }
        self.tokens.insert(now - 1);
        true
    }

    #[cold]
    fn renumber(&mut self) {
        let tokens = self.tokens.drain();
        let new = Renumbering::new(self.slots, &self.last_slot, &tokens);
        for last in &mut self.last_slot {
            *last = new.slot(*last);
        }
        for token in tokens {
            self.tokens.insert(new.slot(token) as usize);
        }
        self.now = new.next();
    }
}

impl Simulator for OneSize {
    type Outcome = Traffic;

    fn feed(&mut self, block: &[Access]) {
        for &access in block {
            self.access(access);
        }
    }

    fn finish(self) -> Traffic {
        self.tally.finish(|_| true)
    }
}
