//! A set of slots with insertion, removal and "the last member at or before": bits with summaries.
//!
//! Level 0 has a bit per slot, level k + 1 has a bit per word of level k that says whether the word is
//! non-zero. A search looks at one word per level upwards until it finds a candidate and goes straight down.

const WORD: usize = 64;

/// A set of slots below a fixed bound.
pub(crate) struct TokenSet {
    levels: Vec<Vec<u64>>,
}

impl TokenSet {
    /// Empty, for slots below `slots`.
    pub(crate) fn new(slots: usize) -> TokenSet {
        let mut levels = Vec::new();
        let mut bits = slots.max(1);
        while bits > 1 || levels.is_empty() {
            let words = bits.div_ceil(WORD);
            levels.push(vec![0; words]);
            bits = words;
        }
        TokenSet { levels }
    }

    /// Removes and returns all members, in order.
    pub(crate) fn drain(&mut self) -> Vec<u32> {
        let mut members = Vec::new();
        for (index, word) in self.levels[0].iter().enumerate() {
            let mut rest = *word;
            while rest != 0 {
                members.push((index * WORD) as u32 + rest.trailing_zeros());
                rest &= rest - 1;
            }
        }
        self.levels.iter_mut().for_each(|level| level.fill(0));
        members
    }

    /// Adds a slot.
    #[inline]
    pub(crate) fn insert(&mut self, slot: usize) {
        let mut index = slot;
        for level in &mut self.levels {
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
        let mut index = slot;
        for level in &mut self.levels {
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
        // On level 0 the slot itself may be the answer; above, only words before its own.
        let word = self.levels[0][slot / WORD] & (u64::MAX >> (WORD - 1 - slot % WORD));
        if word != 0 {
            return Some(slot / WORD * WORD + last_bit(word));
        }
        let mut index = slot / WORD;
        for height in 1..self.levels.len() {
            let word = self.levels[height][index / WORD] & ((1 << (index % WORD)) - 1);
            if word != 0 {
                let mut found = index / WORD * WORD + last_bit(word);
                for level in self.levels[..height].iter().rev() {
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
    use crate::random::SplitMix64;
    use std::collections::BTreeSet;

    #[test]
    fn behaves_like_an_ordered_set() {
        for slots in [1, 64, 65, 5000, 300_000] {
            let mut tokens = TokenSet::new(slots);
            let mut model = BTreeSet::new();
            let mut random = SplitMix64::new(slots as u64);
            for _ in 0..3000 {
                let slot = random.below(slots as u32) as usize;
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
