//! Set-associative caches behind each other, as real machines have them.
//!
//! ```text
//! trace ──► L1 ──fetch, write──► L2 ──fetch, write──► … ──► memory
//!            ◄─────line────────   ◄─────line────────
//! ```
//!
//! A read that misses fetches the line from the next level. A write to a *write-back* level marks the line
//! dirty and moves on when the line is evicted; to a *write-through* level it moves on at once. A write that
//! misses brings the line in only with *write-allocate*. When an *inclusive* level evicts a line, the levels
//! nearer to the processor give theirs up as well.
//!
//! The cell number stands for the address: cell c is in set c mod sets. Arrays follow each other, each
//! starting on a line, as a linker would place them. All levels have the line of the trace. With
//! [`Grain::Word`](crate::Grain::Word) a line is a word, which a write fills completely and thus never
//! fetches.
//!
//! Not modelled: prefetching, victim caches and physical page placement.

mod cache;
mod simulate;

pub use simulate::Caches;

use crate::error::SimError;
use crate::machine::Machine;
use crate::traffic::Traffic;

/// Which line of a full set goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Replacement {
    /// The least recently used one.
    Lru,
    /// The one that came first.
    Fifo,
    /// A random one; the seed belongs into every report.
    Random {
        /// Start of the random sequence.
        seed: u64,
    },
}

/// What happens to a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WritePolicy {
    /// Whether a write miss brings the line in.
    pub allocate: bool,
    /// Whether dirty lines stay until evicted; otherwise every write moves on at once.
    pub back: bool,
}

impl WritePolicy {
    /// Write-allocate and write-back: what today's caches do.
    pub const USUAL: WritePolicy = WritePolicy {
        allocate: true,
        back: true,
    };
}

/// What nearly all machines have.
const USUAL_LINE_BYTES: u64 = 64;

/// One cache.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Level {
    /// Its name, for reports: `L1d`, `L2`.
    pub name: String,
    /// Number of sets, 1 for a fully associative cache.
    pub sets: u32,
    /// Lines per set.
    pub ways: u32,
    /// Which line goes.
    pub replacement: Replacement,
    /// What happens to a write.
    pub write: WritePolicy,
    /// Whether it holds every line of the levels nearer to the processor; this needs write-allocate.
    pub inclusive: bool,
}

impl Level {
    /// An LRU, write-allocate, write-back, non-inclusive cache.
    pub fn new(name: &str, sets: u32, ways: u32) -> Level {
        Level {
            name: name.into(),
            sets,
            ways,
            replacement: Replacement::Lru,
            write: WritePolicy::USUAL,
            inclusive: false,
        }
    }

    /// Size in lines.
    pub fn lines(&self) -> u64 {
        u64::from(self.sets) * u64::from(self.ways)
    }

    /// The data caches of a machine as its first processor sees them, nearest first: the default hierarchy.
    ///
    /// A cache whose sets or ways the system does not tell is taken as fully associative. All are taken as
    /// LRU, write-allocate, write-back and non-inclusive, which no system tells either.
    pub fn of_machine(machine: &Machine) -> Vec<Level> {
        let caches = (1..).map_while(|level| machine.data_cache(level));
        let level = |cache: &crate::machine::Cache| {
            let lines = cache.bytes / cache.line_bytes.unwrap_or(USUAL_LINE_BYTES).max(1);
            let (sets, ways) = match (cache.sets, cache.ways) {
                (Some(sets), Some(ways)) => (sets, ways),
                (None, Some(ways)) if ways > 0 => (lines / ways, ways),
                _ => (1, lines),
            };
            let small = |number: u64| u32::try_from(number).unwrap_or(u32::MAX);
            Level::new(&cache.name(), small(sets), small(ways))
        };
        caches.map(level).collect()
    }

    fn check(&self) -> Result<(), SimError> {
        if self.lines() == 0 {
            return Err(SimError::NoRoom);
        }
        if self.inclusive && !self.write.allocate {
            return Err(SimError::InclusiveWithoutAllocate {
                level: self.name.clone(),
            });
        }
        Ok(())
    }
}

/// What one level moved: its loads come from the next level and its stores go there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LevelTraffic {
    /// The level.
    pub level: Level,
    /// Its traffic. `accesses` are the fetches and writes that reached the level.
    pub traffic: Traffic,
}
