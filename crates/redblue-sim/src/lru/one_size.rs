//! LRU for one size: the cells in [`Recency`] order, with the traffic counted.

use crate::error::SimError;
use crate::lru::recency::{Met, Recency};
use crate::tally::Tally;
use crate::trace::{Access, Shape, Simulator};
use crate::traffic::Traffic;

/// The simulator for one size under LRU.
pub struct OneSize {
    memory: Recency,
    tally: Tally,
}

impl OneSize {
    /// Ready for a trace of this shape, with a fast memory of `size` cells.
    pub fn new(shape: &Shape, size: u64) -> Result<OneSize, SimError> {
        if size == 0 {
            return Err(SimError::NoRoom);
        }
        Ok(OneSize {
            memory: Recency::new(shape.cells(), size),
            tally: Tally::new(shape, size),
        })
    }
}

impl Simulator for OneSize {
    type Outcome = Traffic;

    fn feed(&mut self, block: &[Access]) {
        for &access in block {
            match self.memory.touch(access.cell, |_| {}) {
                Met::Hit => self.tally.hit(access),
                met => self.tally.miss(access, met == Met::New),
            }
        }
    }

    fn finish(self) -> Traffic {
        let memory = self.memory;
        self.tally.finish(|cell| memory.contains(cell))
    }
}
