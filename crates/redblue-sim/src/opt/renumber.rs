//! Renumbering time: slots that no one refers to any more are dropped, the rest moves together.

/// The mark of a cell that was never accessed.
pub(super) const NEVER: u32 = u32::MAX;

/// Slots per cell. After renumbering at most two per cell are in use, its last access and a token, so
/// renumbering is amortised over at least four accesses per cell.
const SLOTS_PER_CELL: usize = 6;

const WORD: usize = 64;

/// How many slots the simulators of a trace with this many cells work with.
pub(super) fn slots(cells: u32) -> usize {
    SLOTS_PER_CELL * (cells as usize).max(64)
}

/// The slots that stay, and their new numbers in the old order.
///
/// The newest access is the last one of its cell and stays, so "immediately before now" means the same
/// before and after.
pub(super) struct Renumbering {
    kept: Vec<u64>,
    kept_before: Vec<u32>,
}

impl Renumbering {
    /// Keeps the last accesses of cells, and the slots of tokens.
    pub(super) fn new(slots: usize, last_slot: &[u32], tokens: &[u32]) -> Renumbering {
        let mut kept = vec![0; slots.div_ceil(WORD)];
        for &slot in last_slot.iter().chain(tokens) {
            if slot != NEVER {
                kept[slot as usize / WORD] |= 1 << (slot as usize % WORD);
            }
        }
        let mut before = 0;
        let mut count = |word: &u64| {
            before += word.count_ones();
            before - word.count_ones()
        };
        let kept_before = kept.iter().map(&mut count).collect();
        Renumbering { kept, kept_before }
    }

    /// The new number of a kept slot; [`NEVER`] stays what it is.
    #[inline]
    pub(super) fn slot(&self, old: u32) -> u32 {
        if old == NEVER {
            return NEVER;
        }
        let (word, bit) = (old as usize / WORD, old as usize % WORD);
        self.kept_before[word] + (self.kept[word] & ((1 << bit) - 1)).count_ones()
    }

    /// The first unused slot.
    pub(super) fn next(&self) -> usize {
        match (self.kept.last(), self.kept_before.last()) {
            (Some(word), Some(before)) => (before + word.count_ones()) as usize,
            _ => 0,
        }
    }
}
