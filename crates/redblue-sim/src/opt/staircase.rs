//! The tokens of OPT for all sizes: each token's rank is the least size whose token set has it.
//!
//! Keeping the interval that starts at slot p, at every size that can, changes the ranks like this. Walk from
//! p to the left with an empty hand; at a token of smaller rank than the one in hand, swap. The first token
//! taken loses its place for the largest sizes, each later one takes over the sizes of the one before, and
//! what is in hand at the end is the least rank of all: the least size that can keep the interval. A new
//! token at the end of time gets that rank.
//!
//! ```text
//! ranks   2 . 5 . 3 . 7 . 4   p        taken from right to left: 4, 3, 2
//!         3 . 5 . 4 . 7 . .   p … 2    the interval is kept by all sizes that have 2 tokens or more
//! ```
//!
//! Only the minima seen from p matter, so slots are grouped with the minimum of each group on each level,
//! and groups without a smaller rank are skipped whole.

/// The rank of a slot without a token, larger than all ranks.
pub(crate) const NONE: u32 = u32::MAX;

const FAN: usize = 16;

/// Ranks by slot, with minima over groups of [`FAN`] on each level above.
pub(crate) struct Staircase {
    levels: Vec<Vec<u32>>,
}

impl Staircase {
    /// No tokens, for slots below `slots`.
    pub(crate) fn new(slots: usize) -> Staircase {
        let mut levels = Vec::new();
        let mut entries = slots.max(1);
        loop {
            // Whole groups, so that group minima need no bounds.
            entries = entries.next_multiple_of(FAN);
            levels.push(vec![NONE; entries]);
            if entries == FAN {
                return Staircase { levels };
            }
            entries /= FAN;
        }
    }

    /// Removes all tokens and returns their slots, in order, with their ranks.
    pub(crate) fn drain(&mut self) -> (Vec<u32>, Vec<u32>) {
        let ranks = self.levels[0].iter().copied().enumerate();
        let tokens = ranks
            .filter(|&(_, rank)| rank != NONE)
            .map(|(slot, rank)| (slot as u32, rank))
            .unzip();
        self.levels.iter_mut().for_each(|level| level.fill(NONE));
        tokens
    }

    /// Puts a token on a slot that has none.
    #[inline]
    pub(crate) fn place(&mut self, slot: usize, rank: u32) {
        let mut index = slot;
        for level in &mut self.levels {
            if level[index] <= rank {
                return;
            }
            level[index] = rank;
            index /= FAN;
        }
    }

    /// Shifts the ranks left of and at `slot` by one along their minima, and returns the least of them, or
    /// [`NONE`] if there is no token.
    #[inline]
    pub(crate) fn rotate_until(&mut self, slot: usize) -> u32 {
        // First the rest of the slot's own group, then, level by level, whole groups of growing size.
        let mut group = slot / FAN;
        let (mut hand, mut least) = walk(self.ranks(group), slot % FAN, NONE);
        for height in 1..self.levels.len() {
            self.levels[height][group] = least;
            let entry = group;
            group /= FAN;
            // The group's minimum before this walk; the topmost group has none written down.
            let known = match self.levels.get(height + 1) {
                Some(above) => above[group],
                None => 0,
            };
            if known < hand {
                for earlier in (group * FAN..entry).rev() {
                    if self.levels[height][earlier] < hand {
                        hand = self.rotate_group(height, earlier, hand);
                    }
                }
            }
            // Ranks only grow in a walk, so the minimum has changed only if it was the one taken.
            least = if known == hand {
                self.least(height, group)
            } else {
                known
            };
        }
        hand
    }

    /// Walks through everything below one entry of a level above the lowest.
    fn rotate_group(&mut self, height: usize, entry: usize, mut hand: u32) -> u32 {
        if height == 1 {
            let (taken, least) = walk(self.ranks(entry), FAN - 1, hand);
            self.levels[1][entry] = least;
            return taken;
        }
        for child in (entry * FAN..(entry + 1) * FAN).rev() {
            if self.levels[height - 1][child] < hand {
                hand = self.rotate_group(height - 1, child, hand);
            }
        }
        self.levels[height][entry] = self.least(height - 1, entry);
        hand
    }

    /// One group of ranks.
    #[inline]
    fn ranks(&mut self, group: usize) -> &mut [u32] {
        &mut self.levels[0][group * FAN..][..FAN]
    }

    /// The minimum over a group of one level.
    #[inline]
    fn least(&self, height: usize, group: usize) -> u32 {
        let entries = &self.levels[height][group * FAN..][..FAN];
        entries.iter().fold(NONE, |least, &rank| least.min(rank))
    }
}

/// Walks over one group of ranks from lane `from` to the left, leaving the larger and taking on the smaller.
/// Returns what is in hand at the end, and the minimum of the whole group.
///
/// Staircases are dense where they are, so this runs without a branch instead of looking for the next step.
#[inline]
fn walk(ranks: &mut [u32], from: usize, mut hand: u32) -> (u32, u32) {
    let mut least = NONE;
    for (lane, rank) in ranks.iter_mut().enumerate().rev() {
        let met = *rank;
        let walked = lane <= from;
        *rank = met.max(if walked { hand } else { 0 });
        hand = hand.min(if walked { met } else { NONE });
        least = least.min(*rank);
    }
    (hand, least)
}

#[cfg(test)]
mod tests {
    use super::*;
    use redblue_math::random::Random;

    /// The walk of the module's text over a plain vector, with its example.
    #[test]
    fn rotates_like_a_plain_walk() {
        let mut ranks = [2, NONE, 5, NONE, 3, NONE, 7, NONE, 4];
        assert_eq!(walk(&mut ranks, 8, NONE), (2, 3));
        assert_eq!(ranks, [3, NONE, 5, NONE, 4, NONE, 7, NONE, NONE]);

        let slots = 5000;
        let mut staircase = Staircase::new(slots);
        let mut plain = vec![NONE; slots];
        let mut random = Random::new(3);
        for round in 0..4000 {
            let slot = random.below(slots);
            if plain[slot] == NONE && round % 2 == 0 {
                let rank = 1 + random.below(1000) as u32;
                staircase.place(slot, rank);
                plain[slot] = rank;
            } else {
                let least = staircase.rotate_until(slot);
                assert_eq!(least, walk(&mut plain, slot, NONE).0);
            }
        }
        assert_eq!(staircase.levels[0][..slots], plain);
    }
}
