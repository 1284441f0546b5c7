//! The dumbest correct simulators, as oracles for the fast ones. Slow on purpose: never optimise these.
//!
//! They work from the definitions: a list in order of use for LRU, and for OPT a set from which the cell
//! used again last is evicted, found by reading on in the trace; for cache hierarchies lines with time stamps.

mod caches;

pub use caches::caches;

use crate::trace::{Access, Grain, Recorded, Shape, Trace};
use crate::traffic::{ReferenceTraffic, Traffic};

/// LRU with a list of cells, most recently used first.
pub fn lru(trace: &Recorded, size: u64) -> Traffic {
    let mut memory = Memory::new(trace.shape(), size);
    for &access in trace.accesses() {
        match memory.position(access.cell) {
            Some(position) => {
                let cell = memory.resident.remove(position);
                memory.resident.insert(0, cell);
            }
            None => {
                if memory.resident.len() as u64 == size {
                    let victim = memory.resident.len() - 1;
                    memory.evict(victim);
                }
                memory.bring(access);
            }
        }
        memory.touch(access);
    }
    memory.flush()
}

/// OPT by looking ahead: evicts the cell that is used again last.
///
/// A cell that is not used again is dropped at once, with a store if it must reach memory. On words, a cell
/// that will be written before it is read holds a dead value and is dropped without a store.
pub fn opt(trace: &Recorded, size: u64) -> Traffic {
    let shape = trace.shape();
    let accesses = trace.accesses();
    let next_use = |cell: u32, after: usize| {
        accesses[after..]
            .iter()
            .position(|a| a.cell == cell)
            .map(|p| after + p)
    };
    let is_dead = |cell: u32, now: usize| {
        let next = next_use(cell, now + 1);
        next.is_none_or(|t| {
            let write = shape.references()[accesses[t].reference as usize].write;
            shape.grain() == Grain::Word && write
        })
    };
    let mut memory = Memory::new(shape, size);
    for (now, &access) in accesses.iter().enumerate() {
        if memory.position(access.cell).is_none() {
            if memory.resident.len() as u64 == size {
                let last_used =
                    |i: &usize| next_use(memory.resident[*i].0, now + 1).unwrap_or(usize::MAX);
                let victim = (0..memory.resident.len()).max_by_key(last_used);
                victim.into_iter().for_each(|v| memory.evict(v));
            }
            memory.bring(access);
        }
        memory.touch(access);
        // Only the accessed cell can have become dead by this access.
        if let Some(position) = memory.position(access.cell)
            && is_dead(access.cell, now)
        {
            memory.drop_dead(position, next_use(access.cell, now + 1).is_none());
        }
    }
    memory.flush()
}

/// Fast memory as a list of cells, each with the reference that made it dirty.
struct Memory<'a> {
    shape: &'a Shape,
    size: u64,
    resident: Vec<(u32, Option<u32>)>,
    seen: Vec<bool>,
    must_reach_memory: Vec<bool>,
    references: Vec<ReferenceTraffic>,
}

impl<'a> Memory<'a> {
    fn new(shape: &'a Shape, size: u64) -> Memory<'a> {
        Memory {
            shape,
            size,
            resident: Vec::new(),
            seen: vec![false; shape.cells() as usize],
            must_reach_memory: shape.must_reach_memory().collect(),
            references: vec![ReferenceTraffic::default(); shape.references().len()],
        }
    }

    fn position(&self, cell: u32) -> Option<usize> {
        self.resident.iter().position(|r| r.0 == cell)
    }

    fn bring(&mut self, access: Access) {
        let reference = &self.shape.references()[access.reference as usize];
        if !reference.write || self.shape.grain() != Grain::Word {
            let traffic = &mut self.references[access.reference as usize];
            traffic.loads += 1;
            traffic.compulsory += u64::from(!self.seen[access.cell as usize]);
        }
        self.resident.insert(0, (access.cell, None));
    }

    fn touch(&mut self, access: Access) {
        self.references[access.reference as usize].accesses += 1;
        self.seen[access.cell as usize] = true;
        if self.shape.references()[access.reference as usize].write {
            let cell = self.resident.iter_mut().find(|r| r.0 == access.cell);
            cell.into_iter().for_each(|c| c.1 = Some(access.reference));
        }
    }

    fn evict(&mut self, position: usize) {
        if let (_, Some(writer)) = self.resident.remove(position) {
            self.references[writer as usize].write_backs += 1;
        }
    }

    fn drop_dead(&mut self, position: usize, is_final: bool) {
        let (cell, writer) = self.resident.remove(position);
        if let Some(writer) = writer
            && is_final
            && self.must_reach_memory[cell as usize]
        {
            self.references[writer as usize].flushes += 1;
        }
    }

    fn flush(mut self) -> Traffic {
        for (cell, writer) in std::mem::take(&mut self.resident) {
            if let Some(writer) = writer
                && self.must_reach_memory[cell as usize]
            {
                self.references[writer as usize].flushes += 1;
            }
        }
        Traffic {
            grain: self.shape.grain(),
            size: self.size,
            references: self.references,
        }
    }
}
