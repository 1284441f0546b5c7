//! A small generator of pseudo-random numbers with a printed seed (SplitMix64, public domain algorithm).
//!
//! Random replacement and random traces must give the same counts on every machine and in every version,
//! so the generator is part of the result and lives here instead of in a dependency.

/// The state of the generator.
#[derive(Clone, Debug)]
pub struct SplitMix64 {
    state: u64,
}

impl SplitMix64 {
    /// Starts the sequence of this seed.
    pub fn new(seed: u64) -> SplitMix64 {
        SplitMix64 { state: seed }
    }

    /// The next 64 random bits.
    pub fn next_u64(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `bound`, which must not be 0.
    pub fn below(&mut self, bound: u32) -> u32 {
        // The high half of a 32 × 32 bit product: no division, and a bias of at most bound / 2^32.
        (((self.next_u64() >> 32) * u64::from(bound)) >> 32) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::SplitMix64;

    #[test]
    fn follows_the_published_sequence() {
        let mut random = SplitMix64::new(1234567);
        let first: Vec<u64> = (0..3).map(|_| random.next_u64()).collect();
        assert_eq!(
            first,
            [
                6457827717110365317,
                3203168211198807973,
                9817491932198370423
            ]
        );
    }

    #[test]
    fn below_reaches_every_value_and_no_other() {
        let mut random = SplitMix64::new(7);
        let mut seen = [0; 5];
        for _ in 0..1000 {
            seen[random.below(5) as usize] += 1;
        }
        assert!(seen.iter().all(|&n| n > 100), "{seen:?}");
    }
}
