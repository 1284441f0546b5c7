//! Which time slots hold the latest access of some cell, and how many such slots precede a given one.
//!
//! Bits over time, with counts of the bits before each word kept on three levels:
//!
//! ```text
//! area   65536 slots   live slots before the area           u32, one list
//! block   2048 slots   live slots before it in its area     u16, 32 per area
//! word      64 slots   live slots before it in its block    u16, 32 per block
//! ```
//!
//! A rank is three lookups and the count of one masked word. Retiring a slot lowers the counts to its right
//! on each level: a fixed number of lanes that compile to a few vector instructions, instead of the
//! logarithmic chain of dependent loads of a Fenwick tree. Slots are only ever added at the right end, so
//! adding costs nothing but setting a bit; counts of a word are written when time reaches the word.

const WORD: usize = 64;
const FAN: usize = 32;
const BLOCK: usize = WORD * FAN;
const AREA: usize = BLOCK * FAN;

/// A growing sequence of slots, each live until retired.
pub(crate) struct LiveSlots {
    words: Vec<u64>,
    before_word: Vec<[u16; FAN]>,
    before_block: Vec<[u16; FAN]>,
    before_area: Vec<u32>,
    next: usize,
    live: u32,
}

impl LiveSlots {
    /// Room for at least this many slots.
    pub(crate) fn with_room(slots: usize) -> LiveSlots {
        let areas = slots.div_ceil(AREA).max(1);
        // Small traces should not pay for a whole area, so only the outer lists are rounded up to it.
        let blocks = slots.div_ceil(BLOCK).max(1);
        LiveSlots {
            words: vec![0; blocks * FAN],
            before_word: vec![[0; FAN]; blocks],
            before_block: vec![[0; FAN]; areas],
            before_area: vec![0; areas],
            next: 0,
            live: 0,
        }
    }

    /// Whether every slot is taken.
    pub(crate) fn is_full(&self) -> bool {
        self.next == self.words.len() * WORD
    }

    /// How many slots are live.
    pub(crate) fn live(&self) -> u32 {
        self.live
    }

    /// The newest slot, if there is one.
    pub(crate) fn newest(&self) -> Option<usize> {
        self.next.checked_sub(1)
    }

    /// Takes the next slot; it must not be called when [`is_full`](Self::is_full).
    #[inline]
    pub(crate) fn push(&mut self) -> usize {
        let slot = self.next;
        if slot.is_multiple_of(WORD) {
            self.enter_word(slot / WORD);
        }
        self.words[slot / WORD] |= 1 << (slot % WORD);
        self.next += 1;
        self.live += 1;
        slot
    }

    /// Writes the counts of a word that time has just reached.
    fn enter_word(&mut self, word: usize) {
        let (block, area) = (word / FAN, word / (FAN * FAN));
        let in_block = if word.is_multiple_of(FAN) {
            let before = self.live;
            if block.is_multiple_of(FAN) {
                self.before_area[area] = before;
            }
            self.before_block[area][block % FAN] = (before - self.before_area[area]) as u16;
            0
        } else {
            self.before_word[block][word % FAN - 1] + self.words[word - 1].count_ones() as u16
        };
        self.before_word[block][word % FAN] = in_block;
        self.words[word] = 0;
    }

    /// How many live slots precede this one.
    #[inline]
    pub(crate) fn rank(&self, slot: usize) -> u32 {
        let (word, block, area) = (slot / WORD, slot / BLOCK, slot / AREA);
        let earlier = self.words[word] & ((1 << (slot % WORD)) - 1);
        earlier.count_ones()
            + u32::from(self.before_word[block][word % FAN])
            + u32::from(self.before_block[area][block % FAN])
            + self.before_area[area]
    }

    /// Retires a live slot.
    #[inline]
    pub(crate) fn retire(&mut self, slot: usize) {
        let (word, block, area) = (slot / WORD, slot / BLOCK, slot / AREA);
        self.words[word] &= !(1 << (slot % WORD));
        self.live -= 1;
        // Counts right of the newest word are rewritten on entry, so lowering them does no harm.
        lower_after(&mut self.before_word[block], word % FAN);
        let newest = self.next - 1;
        if block == newest / BLOCK {
            return;
        }
        lower_after(&mut self.before_block[area], block % FAN);
        for count in &mut self.before_area[area + 1..=newest / AREA] {
            *count -= 1;
        }
    }

    /// Starts over with this many live slots and nothing else.
    pub(crate) fn reset(&mut self, live: u32) {
        self.next = 0;
        self.live = 0;
        for _ in 0..live {
            self.push();
        }
    }
}

/// Subtracts one from all lanes right of `lane`. Written as whole values so that it compiles to a few vector
/// subtractions instead of 32 single ones.
#[inline]
fn lower_after(counts: &mut [u16; FAN], lane: usize) {
    let (before, after) = (*counts, AFTER[lane]);
    *counts = std::array::from_fn(|i| before[i].wrapping_sub(after[i]));
}

/// For every lane, a one in each lane right of it.
static AFTER: [[u16; FAN]; FAN] = {
    let mut table = [[0; FAN]; FAN];
    let mut lane = 0;
    while lane < FAN {
        let mut right = lane + 1;
        while right < FAN {
            table[lane][right] = 1;
            right += 1;
        }
        lane += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use super::*;
    use redblue_math::random::Random;

    /// Random retirements over several areas, checked against counting in a vector of flags.
    #[test]
    fn ranks_equal_counting() {
        let mut slots = LiveSlots::with_room(3 * AREA);
        let mut flags: Vec<bool> = Vec::new();
        let mut random = Random::new(1);
        while flags.len() < 2 * AREA + 5000 {
            assert_eq!(slots.push(), flags.len());
            flags.push(true);
            let victim = random.below(flags.len());
            if flags[victim] && random.below(3) > 0 {
                slots.retire(victim);
                flags[victim] = false;
            }
        }
        let mut before = 0;
        for (slot, &live) in flags.iter().enumerate() {
            if live {
                assert_eq!(slots.rank(slot), before);
                before += 1;
            }
        }
        assert_eq!(slots.live(), before);
    }
}
