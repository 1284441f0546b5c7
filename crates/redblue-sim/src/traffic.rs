//! The traffic of one simulation: how many cells moved, why, and through which reference.
//!
//! Counts are in cells (words or lines, see [`Grain`]); [`Traffic::loaded_words`] and
//! [`Traffic::stored_words`] convert. A load is
//!
//! * *compulsory* if its cell was never accessed before,
//! * a *conflict* if a fully associative LRU memory of the same size would have had the cell,
//! * a *capacity* load otherwise.
//!
//! A store is charged to the reference that wrote the stored value last.

use crate::trace::{Grain, Shape};

/// What one reference moved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReferenceTraffic {
    /// Accesses, whether they hit or miss.
    pub accesses: u64,
    /// Cells loaded into fast memory.
    pub loads: u64,
    /// Loads of cells that were never accessed before.
    pub compulsory: u64,
    /// Loads that full associativity would have avoided.
    pub conflict: u64,
    /// Stores of evicted dirty cells.
    pub write_backs: u64,
    /// Stores of cells that were still dirty in fast memory at the end.
    pub flushes: u64,
}

impl ReferenceTraffic {
    /// Loads that are neither compulsory nor conflicts.
    pub fn capacity(&self) -> u64 {
        self.loads - self.compulsory - self.conflict
    }

    /// All stores.
    pub fn stores(&self) -> u64 {
        self.write_backs + self.flushes
    }

    fn add(&mut self, other: &ReferenceTraffic) {
        self.accesses += other.accesses;
        self.loads += other.loads;
        self.compulsory += other.compulsory;
        self.conflict += other.conflict;
        self.write_backs += other.write_backs;
        self.flushes += other.flushes;
    }
}

/// What a whole trace moved at one size of the fast memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Traffic {
    /// The unit of all counts.
    pub grain: Grain,
    /// Size of the fast memory in cells.
    pub size: u64,
    /// One entry for each of [`Shape::references`].
    pub references: Vec<ReferenceTraffic>,
}

impl Traffic {
    /// The sum over all references.
    pub fn total(&self) -> ReferenceTraffic {
        let mut sum = ReferenceTraffic::default();
        self.references.iter().for_each(|r| sum.add(r));
        sum
    }

    /// The sums over the references of each array.
    pub fn by_array(&self, shape: &Shape) -> Vec<ReferenceTraffic> {
        let mut sums = vec![ReferenceTraffic::default(); shape.arrays().len()];
        for (reference, traffic) in shape.references().iter().zip(&self.references) {
            sums[reference.array as usize].add(traffic);
        }
        sums
    }

    /// Number of accesses.
    pub fn accesses(&self) -> u64 {
        self.total().accesses
    }

    /// Cells loaded.
    pub fn loads(&self) -> u64 {
        self.total().loads
    }

    /// Cells stored.
    pub fn stores(&self) -> u64 {
        self.total().stores()
    }

    /// Words loaded: whole lines count with all their words.
    pub fn loaded_words(&self) -> u64 {
        self.loads() * self.grain.words()
    }

    /// Words stored.
    pub fn stored_words(&self) -> u64 {
        self.stores() * self.grain.words()
    }
}
