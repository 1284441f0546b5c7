//! The cells of an LRU memory of one size: a queue of accesses in which old entries are ignored.
//!
//! Every access appends its cell to a queue and remembers the position. An entry counts only if its cell
//! still points at it, so the oldest entry that counts is the least recently used cell; older entries of
//! cells used since are skipped. No list is relinked on a hit: a hit is one sequential write and one update
//! of the cell.
//!
//! ```text
//! accesses  a  b  a  c  b       a's first entry and b's first do not count any more,
//! queue     a  b  a  c  b       so the next victim is a
//!           ×  ×  ✓  ✓  ✓
//! ```

use std::ops::Range;

/// Positions below this one are marks.
const FIRST: u32 = 2;
/// The cell was never accessed.
const NEVER: u32 = 0;
/// The cell was accessed and evicted.
const EVICTED: u32 = 1;

/// Length of the queue in multiples of the size: each entry is looked at 1 + 1/7 times when tidying up.
const QUEUE_PER_SIZE: usize = 8;

/// The least length of the queue: shorter ones would be tidied up too often.
const LEAST_QUEUE: usize = 1 << 12;

/// What an access met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Met {
    /// The cell was in fast memory.
    Hit,
    /// It was there before but had been evicted.
    Evicted,
    /// It was never accessed before.
    New,
}

/// The cells in fast memory by time of last access.
pub(crate) struct Recency {
    size: usize,
    /// Cells in the order of their accesses. The positions before `oldest` are used up.
    queue: Vec<u32>,
    oldest: usize,
    resident: usize,
    position: Vec<u32>,
    /// Positions that were the next one when [`Recency::mark`] was called.
    marks: Vec<usize>,
}

impl Recency {
    /// Empty, for cells below `cells` of which at most `size` (not 0) are resident at a time.
    pub(crate) fn new(cells: u32, size: u64) -> Recency {
        // More room than there are cells makes no difference.
        let room = size.min(u64::from(cells).max(1)) as usize;
        let mut queue = Vec::with_capacity((QUEUE_PER_SIZE * room).max(LEAST_QUEUE));
        queue.resize(FIRST as usize, 0);
        Recency {
            size: room,
            queue,
            oldest: FIRST as usize,
            resident: 0,
            position: vec![NEVER; cells as usize],
            marks: Vec::new(),
        }
    }

    /// Whether a cell is in fast memory.
    #[inline]
    pub(crate) fn contains(&self, cell: u32) -> bool {
        self.position[cell as usize] >= FIRST
    }

    /// Makes a cell the most recently used one; if there is no room, the least recently used one is evicted
    /// and shown to `evicted`.
    #[inline]
    pub(crate) fn touch(&mut self, cell: u32, evicted: impl FnOnce(u32)) -> Met {
        let newest = self.queue.len() - 1;
        if self.position[cell as usize] as usize == newest
            && newest >= FIRST as usize
            && self.marks.last().is_none_or(|mark| *mark <= newest)
        {
            // The same cell again, as programs do when they update it. After a mark it needs a new entry,
            // which shows that it was used since; an empty queue ends in a mark of its own.
            return Met::Hit;
        }
        if self.queue.len() == self.queue.capacity() {
            self.tidy();
        }
        let now = self.queue.len() as u32;
        self.queue.push(cell);
        let last = std::mem::replace(&mut self.position[cell as usize], now);
        if last >= FIRST {
            return Met::Hit;
        }
        if self.resident < self.size {
            self.resident += 1;
        } else {
            evicted(self.evict());
        }
        if last == NEVER {
            Met::New
        } else {
            Met::Evicted
        }
    }

    /// Evicts the cell of the oldest entry that counts.
    #[inline]
    fn evict(&mut self) -> u32 {
        loop {
            let cell = self.queue[self.oldest];
            let counts = self.position[cell as usize] == self.oldest as u32;
            self.oldest += 1;
            if counts {
                self.position[cell as usize] = EVICTED;
                return cell;
            }
        }
    }

    /// How many cells are in fast memory.
    pub(crate) fn resident(&self) -> usize {
        self.resident
    }

    /// Whether there is no room left.
    pub(crate) fn is_full(&self) -> bool {
        self.resident == self.size
    }

    /// The cells in fast memory, least recently used first.
    pub(crate) fn cells(&self) -> impl Iterator<Item = u32> + '_ {
        let entries = self.queue.iter().enumerate().skip(self.oldest);
        entries
            .filter(|&(entry, &cell)| self.position[cell as usize] == entry as u32)
            .map(|(_, &cell)| cell)
    }

    /// Remembers this moment, until [`Recency::unmark`].
    pub(crate) fn mark(&mut self) {
        self.marks.push(self.queue.len());
    }

    /// Forgets the latest mark.
    pub(crate) fn unmark(&mut self) {
        self.marks.pop();
    }

    /// Whether a resident cell was used since the latest mark.
    pub(crate) fn used_since_mark(&self, cell: u32) -> bool {
        let mark = self.marks.last().copied().unwrap_or(0);
        self.position[cell as usize] as usize >= mark
    }

    /// Notes that a cell has been in fast memory; says whether that is news.
    pub(crate) fn mark_seen(&mut self, cell: u32) -> bool {
        let news = self.position[cell as usize] == NEVER;
        if news {
            self.position[cell as usize] = EVICTED;
        }
        news
    }

    /// Evicts everything, to be put back in another form. The first `same` cells, least recently used first,
    /// must be put back first and keep their relation to the marks; all others will count as used since.
    pub(crate) fn clear(&mut self, same: usize) {
        let cells: Vec<u32> = self.cells().collect();
        for mark in &mut self.marks {
            let position = |cell: &u32| self.position[*cell as usize] as usize;
            let unused = cells.partition_point(|cell| position(cell) < *mark);
            *mark = FIRST as usize + unused.min(same);
        }
        for cell in cells {
            self.position[cell as usize] = EVICTED;
        }
        self.queue.truncate(FIRST as usize);
        self.oldest = FIRST as usize;
        self.resident = 0;
    }

    /// Keeps only the entries that count. There are at most `size` of them in a queue of several times that
    /// room, so this is rare.
    #[cold]
    fn tidy(&mut self) {
        let mut kept = FIRST as usize;
        let mut from = self.oldest;
        // A mark moves to after what is kept of the entries before it.
        for mark in 0..self.marks.len() {
            let until = self.marks[mark].max(from);
            kept = self.keep(from..until, kept);
            self.marks[mark] = kept;
            from = until;
        }
        kept = self.keep(from..self.queue.len(), kept);
        self.queue.truncate(kept);
        self.oldest = FIRST as usize;
    }

    /// Moves the entries that count to `kept` and the places after it; returns the next free place.
    fn keep(&mut self, entries: Range<usize>, mut kept: usize) -> usize {
        for entry in entries {
            let cell = self.queue[entry];
            let position = &mut self.position[cell as usize];
            if *position == entry as u32 {
                *position = kept as u32;
                self.queue[kept] = cell;
                kept += 1;
            }
        }
        kept
    }
}
