//! A set of slots with insertion, removal and "the last member at or before": bits with summaries.
//!
//! There is a bit per slot, and above it summaries: a bit per word of the level below that says whether the
//! word is non-zero. A search looks at one word per level upwards until it finds a candidate and goes
//! straight down.

const WORD: usize = 64;

/// A set of slots below a fixed bound.
pub(crate) struct TokenSet {
    bits: Vec<u64>,
    summaries: Vec<Vec<u64>>,
}

impl TokenSet {
    /// Empty, for slots below `slots`.
    pub(crate) fn new(slots: usize) -> TokenSet {
        let words = slots.max(1).div_ceil(WORD);
        let mut summaries = Vec::new();
        let mut entries = words;
        while entries > 1 || summaries.is_empty() {
            entries = entries.div_ceil(WORD);
            summaries.push(vec![0; entries]);
        }
        TokenSet {
            bits: vec![0; words],
            summaries,
        }
    }

    /// Removes and returns all members, in order.
    pub(crate) fn drain(&mut self) -> Vec<u32> {
        let mut members = Vec::new();
        for (index, word) in self.bits.iter().enumerate() {
            let mut rest = *word;
            while rest != 0 {
                members.push((index * WORD) as u32 + rest.trailing_zeros());
                rest &= rest - 1;
            }
        }
        self.bits.fill(0);
        self.summaries.iter_mut().for_each(|level| level.fill(0));
        members
    }

    /// Adds a slot.
    #[inline]
    pub(crate) fn insert(&mut self, slot: usize) {
        let word = &mut self.bits[slot / WORD];
        let before = *word;
        *word |= 1 << (slot % WORD);
        if before == 0 {
            self.note_non_empty(slot / WORD);
        }
    }

    fn note_non_empty(&mut self, word: usize) {
        let mut index = word;
        for level in &mut self.summaries {
            let word = &mut level[index / WORD];
            let before = *word;
            *word |= 1 << (index % WORD);
            if before != 0 {
                return;
            }
            index /= WORD;
        }
    }

    /// Removes a slot.
    #[inline]
    pub(crate) fn remove(&mut self, slot: usize) {
        let word = &mut self.bits[slot / WORD];
        *word &= !(1 << (slot % WORD));
        if *word == 0 {
            self.note_empty(slot / WORD);
        }
    }

    fn note_empty(&mut self, word: usize) {
        let mut index = word;
        for level in &mut self.summaries {
            let word = &mut level[index / WORD];
            *word &= !(1 << (index % WORD));
            if *word != 0 {
                return;
            }
            index /= WORD;
        }
    }

    /// The last member at or before `slot`.
    #[inline]
    pub(crate) fn last_until(&self, slot: usize) -> Option<usize> {
        let word = self.bits[slot / WORD] & (u64::MAX >> (WORD - 1 - slot % WORD));
        if word != 0 {
            return Some(slot / WORD * WORD + last_bit(word));
        }
        let word = self.last_word_before(slot / WORD)?;
        Some(word * WORD + last_bit(self.bits[word]))
    }

    /// The last word before a word that is not zero.
    fn last_word_before(&self, word: usize) -> Option<usize> {
        let mut index = word;
        for (height, level) in self.summaries.iter().enumerate() {
            let before = level[index / WORD] & ((1 << (index % WORD)) - 1);
            if before != 0 {
                let mut found = index / WORD * WORD + last_bit(before);
                for level in self.summaries[..height].iter().rev() {
                    found = found * WORD + last_bit(level[found]);
                }
                return Some(found);
            }
            index /= WORD;
        }
        None
    }
}

/// The highest bit of a non-zero word.
#[inline]
fn last_bit(word: u64) -> usize {
    WORD - 1 - word.leading_zeros() as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use redblue_math::random::Random;
    use std::collections::BTreeSet;

    #[test]
    fn behaves_like_an_ordered_set() {
        for slots in [1, 64, 65, 5000, 300_000] {
            let mut tokens = TokenSet::new(slots);
            let mut model = BTreeSet::new();
            let mut random = Random::new(slots as u64);
            for _ in 0..3000 {
                let slot = random.below(slots);
                match random.below(3) {
                    0 => {
                        tokens.insert(slot);
                        model.insert(slot);
                    }
                    1 => {
                        tokens.remove(slot);
                        model.remove(&slot);
                    }
                    _ => {
                        let expected = model.range(..=slot).next_back().copied();
                        assert_eq!(tokens.last_until(slot), expected);
                    }
                }
            }
            let members: Vec<u32> = model.iter().map(|&slot| slot as u32).collect();
            assert_eq!(tokens.drain(), members);
            assert_eq!(tokens.last_until(slots - 1), None);
        }
    }
}
