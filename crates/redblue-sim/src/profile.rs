//! The traffic of a trace for every size of the fast memory at once.
//!
//! LRU and OPT are *stack algorithms* (Mattson et al. 1970): what a memory of S cells holds is contained in
//! what a memory of S+1 cells holds. So every access has one number, its *distance*, and hits exactly if
//! the distance is at most S. Loads at size S are the accesses with a larger distance.
//!
//! Stores follow from the same numbers. A written value is stored at size S exactly if its cell left fast
//! memory before the value was overwritten, that is, if the largest distance met since the write exceeds S;
//! so each write adds one number to a second histogram.
//!
//! ```text
//! loads(S)       = first accesses + #{ accesses : distance > S }
//! write_backs(S) = #{ writes : largest distance until overwritten or the end > S }
//! flushes(S)     = #{ last writes that must reach memory : that distance <= S }
//! ```

use crate::trace::{Access, Grain, Shape};
use crate::traffic::{ReferenceTraffic, Traffic};

/// The distance of the first access to a cell.
pub(crate) const COLD: u32 = u32::MAX;

/// How many recorded numbers exceed a size, for every size.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Curve {
    exceeding: Vec<u64>,
}

impl Curve {
    /// How many recorded numbers are larger than `size`.
    pub fn above(&self, size: u64) -> u64 {
        usize::try_from(size)
            .ok()
            .and_then(|s| self.exceeding.get(s).copied())
            .unwrap_or(0)
    }

    /// How many numbers were recorded that are at least 1.
    pub fn recorded(&self) -> u64 {
        self.above(0)
    }

    /// The largest recorded number, or 0.
    pub fn largest(&self) -> u64 {
        self.exceeding.len() as u64
    }

    fn from_counts(mut counts: Vec<u64>) -> Curve {
        // In place: entry s becomes the sum of the entries after it.
        let mut after = 0;
        for count in counts.iter_mut().rev() {
            after += std::mem::replace(count, after);
        }
        counts.pop();
        Curve { exceeding: counts }
    }
}

/// The curves of one reference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReferenceProfile {
    /// Number of accesses.
    pub accesses: u64,
    /// Accesses to cells that were never accessed before.
    pub first: u64,
    /// Distances of the other accesses.
    pub reuse: Curve,
    /// Whether a miss loads the cell; not so for writes of single words.
    pub miss_loads: bool,
    /// For every write, the size from which on its value is not stored by an eviction.
    pub write_backs: Curve,
    /// For every last write that must reach memory, the size from which on it is still there at the end.
    pub flushes: Curve,
    final_writes: u64,
}

/// The curves of a whole trace under one replacement policy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Profile {
    /// The unit of all sizes and counts.
    pub grain: Grain,
    /// One entry for each of [`Shape::references`].
    pub references: Vec<ReferenceProfile>,
}

impl Profile {
    /// The traffic at one size.
    pub fn traffic(&self, size: u64) -> Traffic {
        let references = self.references.iter().map(|r| {
            let misses = if r.miss_loads { r.reuse.above(size) } else { 0 };
            let compulsory = if r.miss_loads { r.first } else { 0 };
            ReferenceTraffic {
                accesses: r.accesses,
                loads: compulsory + misses,
                compulsory,
                conflict: 0,
                write_backs: r.write_backs.above(size),
                flushes: r.final_writes - r.flushes.above(size),
            }
        });
        Traffic {
            grain: self.grain,
            size,
            references: references.collect(),
        }
    }

    /// The least size beyond which nothing changes any more.
    pub fn largest_useful_size(&self) -> u64 {
        let curves = self
            .references
            .iter()
            .flat_map(|r| [&r.reuse, &r.write_backs, &r.flushes]);
        curves.map(Curve::largest).max().unwrap_or(0).max(1)
    }
}

/// A histogram that grows to the largest number it meets.
#[derive(Clone, Debug, Default)]
struct Histogram {
    counts: Vec<u64>,
}

impl Histogram {
    #[inline]
    fn add(&mut self, value: u32) {
        let index = value as usize;
        match self.counts.get_mut(index) {
            Some(count) => *count += 1,
            None => self.grow(index),
        }
    }

    #[cold]
    fn grow(&mut self, index: usize) {
        self.counts.resize(index + 1, 0);
        self.counts[index] = 1;
    }
}

/// Turns the distances an engine finds into a [`Profile`].
pub(crate) struct Ledger {
    grain: Grain,
    references: Vec<Page>,
    values: Vec<Value>,
    must_reach_memory: Vec<bool>,
}

struct Page {
    write: bool,
    /// Whether anything writes the array; otherwise its values need no following.
    written: bool,
    miss_loads: bool,
    first: u64,
    reuse: Histogram,
    write_backs: Histogram,
    flushes: Histogram,
    final_writes: u64,
}

/// What happened to the value a cell holds since it was written.
#[derive(Clone, Copy, Default)]
struct Value {
    /// The largest distance met since the write.
    worst: u32,
    /// The reference that wrote it, plus one; 0 if it is the value from before the trace.
    writer: u32,
}

impl Ledger {
    pub(crate) fn new(shape: &Shape) -> Ledger {
        let mut written = vec![false; shape.arrays().len()];
        for reference in shape.references() {
            written[reference.array as usize] |= reference.write;
        }
        let pages = shape
            .references()
            .iter()
            .zip(shape.miss_loads())
            .map(|(r, miss_loads)| Page {
                write: r.write,
                written: written[r.array as usize],
                miss_loads,
                first: 0,
                reuse: Histogram::default(),
                write_backs: Histogram::default(),
                flushes: Histogram::default(),
                final_writes: 0,
            });
        Ledger {
            grain: shape.grain(),
            references: pages.collect(),
            values: vec![Value::default(); shape.cells() as usize],
            must_reach_memory: shape.must_reach_memory().collect(),
        }
    }

    /// Books one access: it hits in memories of at least `distance` cells, never if it is [`COLD`].
    #[inline]
    pub(crate) fn record(&mut self, access: Access, distance: u32) {
        let page = &mut self.references[access.reference as usize];
        if distance == COLD {
            page.first += 1;
        } else {
            page.reuse.add(distance);
        }
        if !page.written {
            return;
        }
        let value = &mut self.values[access.cell as usize];
        value.worst = value.worst.max(distance);
        if page.write {
            let overwritten = std::mem::replace(
                value,
                Value {
                    worst: 0,
                    writer: access.reference + 1,
                },
            );
            if overwritten.writer != 0 {
                self.references[overwritten.writer as usize - 1]
                    .write_backs
                    .add(overwritten.worst);
            }
        }
    }

    /// Settles the last values. `end_distance` is the least size at which a cell is still in fast memory
    /// after the last access.
    pub(crate) fn finish(mut self, end_distance: impl Fn(u32) -> u32) -> Profile {
        for (cell, value) in self.values.iter().enumerate() {
            if value.writer == 0 {
                continue;
            }
            let page = &mut self.references[value.writer as usize - 1];
            let kept_from = value.worst.max(end_distance(cell as u32));
            page.write_backs.add(kept_from);
            if self.must_reach_memory[cell] {
                page.flushes.add(kept_from);
                page.final_writes += 1;
            }
        }
        let references = self.references.into_iter().map(|page| ReferenceProfile {
            accesses: page.first + page.reuse.counts.iter().sum::<u64>(),
            first: page.first,
            reuse: Curve::from_counts(page.reuse.counts),
            miss_loads: page.miss_loads,
            write_backs: Curve::from_counts(page.write_backs.counts),
            flushes: Curve::from_counts(page.flushes.counts),
            final_writes: page.final_writes,
        });
        Profile {
            grain: self.grain,
            references: references.collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curves_count_what_is_larger() {
        let mut histogram = Histogram::default();
        [3, 1, 3, 0].iter().for_each(|&v| histogram.add(v));
        let curve = Curve::from_counts(histogram.counts);
        let above: Vec<u64> = (0..5).map(|s| curve.above(s)).collect();
        assert_eq!(above, [3, 2, 2, 0, 0]);
        assert_eq!(curve.largest(), 3);
    }

    #[test]
    fn an_empty_curve_is_zero_everywhere() {
        let curve = Curve::from_counts(Vec::new());
        assert_eq!((curve.above(0), curve.largest()), (0, 0));
    }
}
