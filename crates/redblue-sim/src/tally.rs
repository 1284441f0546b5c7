//! Counting the traffic of one simulation from its hits and misses.
//!
//! A store is booked when it is certain, which is later than the eviction itself: a dirty cell that misses
//! must have been evicted, so its value was stored; at the end the simulator says which cells are still
//! there. Simulators therefore never report evictions.
//!
//! OPT on words stores less: a value that is overwritten before it is read again is dead, and a dead value
//! is dropped without a store. Its simulator reports such a write as a hit, and every cell as still there at
//! the end, so that unread values of arrays that are not live-out cost nothing.

use crate::trace::{Access, Grain, Shape};
use crate::traffic::{ReferenceTraffic, Traffic};

/// Counts per reference and the writer of each dirty cell.
pub(crate) struct Tally {
    grain: Grain,
    size: u64,
    counts: Vec<Count>,
    /// The reference that wrote the cell's dirty value, plus one; 0 for a clean cell.
    writer: Vec<u32>,
    must_reach_memory: Vec<bool>,
}

#[derive(Clone, Copy)]
struct Count {
    traffic: ReferenceTraffic,
    write: bool,
    miss_loads: bool,
}

impl Tally {
    pub(crate) fn new(shape: &Shape, size: u64) -> Tally {
        let counts = shape
            .references()
            .iter()
            .zip(shape.miss_loads())
            .map(|(r, miss_loads)| Count {
                traffic: ReferenceTraffic::default(),
                write: r.write,
                miss_loads,
            });
        Tally {
            grain: shape.grain(),
            size,
            counts: counts.collect(),
            writer: vec![0; shape.cells() as usize],
            must_reach_memory: shape.must_reach_memory().collect(),
        }
    }

    /// The cell was in fast memory.
    #[inline]
    pub(crate) fn hit(&mut self, access: Access) {
        let count = &mut self.counts[access.reference as usize];
        count.traffic.accesses += 1;
        if count.write {
            self.writer[access.cell as usize] = access.reference + 1;
        }
    }

    /// The cell was not in fast memory; `first` if it was never accessed before.
    #[inline]
    pub(crate) fn miss(&mut self, access: Access, first: bool) {
        let count = &mut self.counts[access.reference as usize];
        count.traffic.accesses += 1;
        count.traffic.loads += u64::from(count.miss_loads);
        count.traffic.compulsory += u64::from(count.miss_loads && first);
        let new_writer = if count.write { access.reference + 1 } else { 0 };
        let writer = std::mem::replace(&mut self.writer[access.cell as usize], new_writer);
        if writer != 0 {
            self.counts[writer as usize - 1].traffic.write_backs += 1;
        }
    }

    /// Books the stores of the cells that are dirty at the end.
    pub(crate) fn finish(mut self, still_there: impl Fn(u32) -> bool) -> Traffic {
        for (cell, &writer) in self.writer.iter().enumerate() {
            if writer == 0 {
                continue;
            }
            let traffic = &mut self.counts[writer as usize - 1].traffic;
            if !still_there(cell as u32) {
                traffic.write_backs += 1;
            } else if self.must_reach_memory[cell] {
                traffic.flushes += 1;
            }
        }
        Traffic {
            grain: self.grain,
            size: self.size,
            references: self.counts.iter().map(|c| c.traffic).collect(),
        }
    }
}
