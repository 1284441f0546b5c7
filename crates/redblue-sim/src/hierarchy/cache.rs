//! The lines of one set-associative cache.
//!
//! Each set is a short list, newest first: for LRU, newest means last used, otherwise last brought in. A hit
//! or a fill rotates a part of the list, which for the few ways of a real cache is faster than any index.

use redblue_math::random::Random;

use crate::hierarchy::{Level, Replacement};

/// A line in a cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Line {
    /// The cell, or [`NO_CELL`] for a free place.
    pub(super) cell: u32,
    /// The reference that wrote it last, plus one; 0 for a clean line.
    pub(super) writer: u32,
}

const NO_CELL: u32 = u32::MAX;

const FREE: Line = Line {
    cell: NO_CELL,
    writer: 0,
};

/// One cache with its content.
pub(super) struct Cache {
    lines: Vec<Line>,
    sets: u32,
    ways: usize,
    replacement: Replacement,
    random: Random,
}

impl Cache {
    /// An empty cache for a trace of so many cells.
    ///
    /// Sets that no cell falls into and ways that no set can fill make no difference and get no room, so that
    /// a cache much larger than the trace costs nothing.
    pub(super) fn new(level: &Level, cells: u32) -> Cache {
        let seed = match level.replacement {
            Replacement::Random { seed } => seed,
            Replacement::Lru | Replacement::Fifo => 0,
        };
        let sets = level.sets.min(cells.max(1));
        let ways = level.ways.min(cells.max(1).div_ceil(sets)) as usize;
        Cache {
            lines: vec![FREE; sets as usize * ways],
            sets,
            ways,
            replacement: level.replacement,
            random: Random::new(seed),
        }
    }

    #[inline]
    fn set(&mut self, cell: u32) -> &mut [Line] {
        let first = (cell % self.sets) as usize * self.ways;
        &mut self.lines[first..first + self.ways]
    }

    /// Looks a cell up and uses it; a write says who writes.
    #[inline]
    pub(super) fn hit(&mut self, cell: u32, writer: Option<u32>) -> bool {
        let moves = self.replacement == Replacement::Lru;
        let set = self.set(cell);
        let Some(mut way) = set.iter().position(|line| line.cell == cell) else {
            return false;
        };
        if moves {
            set[..=way].rotate_right(1);
            way = 0;
        }
        if let Some(writer) = writer {
            set[way].writer = writer + 1;
        }
        true
    }

    /// Brings a line in and returns the one that had to go.
    pub(super) fn fill(&mut self, line: Line) -> Option<Line> {
        let ways = self.ways;
        let full = self.set(line.cell)[ways - 1].cell != NO_CELL;
        let place = match self.replacement {
            Replacement::Random { .. } if full => self.random.below(ways),
            _ => ways - 1,
        };
        let set = self.set(line.cell);
        let victim = set[place];
        set[..=place].rotate_right(1);
        set[0] = line;
        full.then_some(victim)
    }

    /// Gives a line up, if it is there.
    pub(super) fn remove(&mut self, cell: u32) -> Option<Line> {
        let set = self.set(cell);
        let way = set.iter().position(|line| line.cell == cell)?;
        let line = set[way];
        set[way..].rotate_left(1);
        if let Some(last) = set.last_mut() {
            *last = FREE;
        }
        Some(line)
    }

    /// Marks a line dirty without using it; says whether it is there.
    pub(super) fn mark(&mut self, cell: u32, writer: u32) -> bool {
        let found = self.set(cell).iter_mut().find(|line| line.cell == cell);
        match found {
            Some(line) => {
                line.writer = writer + 1;
                true
            }
            None => false,
        }
    }

    /// All dirty lines, with the reference that wrote them; they become clean.
    pub(super) fn clean(&mut self) -> Vec<(u32, u32)> {
        let dirty = self.lines.iter_mut().filter(|line| line.writer != 0);
        dirty
            .map(|line| (line.cell, std::mem::take(&mut line.writer) - 1))
            .collect()
    }
}
