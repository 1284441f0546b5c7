//! Keys: permuted and tiled coordinates by which the computations of a program are sorted.
//!
//! A key permutes the coordinates of all computations, divides each by a tile length and sorts by tiles
//! first. The coordinates are the loop values, matched by name, or the subscripts of the cell that is
//! written: with loops one gets permuted and tiled nests, with cells the orders that finish one block of an
//! array after the other. A [`KeySpace`] numbers all keys over some tile lengths, so that deep nests can be
//! sampled without listing millions of them.

use std::collections::BTreeSet;

use redblue_pebble::Random;

/// What a [`Key`] sorts by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Coordinates {
    /// Loop values, outermost first.
    Loops,
    /// Subscripts of the written cell.
    Cells,
}

/// How computations are sorted.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key {
    /// What is sorted by.
    pub coordinates: Coordinates,
    /// The coordinates in their new order.
    pub permutation: Vec<usize>,
    /// Tile length of each coordinate; 1 does not tile.
    pub tiles: Vec<i64>,
    /// Whether outputs pull their operands (lazy) or computations run as soon as they can (eager).
    pub lazy: bool,
}

impl Key {
    /// What is compared, most significant first: a coordinate and the length it is divided by. Tiles come in
    /// the new order; inside a tile, loops in the new order and cells in program order.
    pub fn components(&self) -> impl Iterator<Item = (usize, i64)> + '_ {
        let inside: &[usize] = match self.coordinates {
            Coordinates::Loops => &self.permutation,
            Coordinates::Cells => &[],
        };
        let tiles = self.permutation.iter().map(|&d| (d, self.tiles[d].max(1)));
        tiles.chain(inside.iter().map(|&d| (d, 1)))
    }

    /// A key that differs in one or two tile lengths, up to `longest`, and sometimes in two places of the
    /// permutation.
    pub fn neighbour(&self, longest: i64, random: &mut Random) -> Key {
        let mut key = self.clone();
        let dimensions = self.permutation.len();
        if random.chance(15) {
            let places = [random.below(dimensions), random.below(dimensions)];
            if dimensions > 0 {
                key.permutation.swap(places[0], places[1]);
            }
        }
        for _ in 0..1 + random.below(2) {
            let Some(length) = key.tiles.get_mut(random.below(dimensions)) else {
                break;
            };
            let old = (*length).clamp(1, longest.max(1));
            let new = match random.below(6) {
                0 => 1,
                1 => longest,
                2 => old * 2,
                3 => old / 2,
                4 => old + 1,
                _ => old - 1,
            };
            *length = new.clamp(1, longest.max(1));
        }
        key
    }
}

/// All keys of a kind over some tile lengths, numbered.
#[derive(Debug, Clone)]
pub struct KeySpace {
    /// What the keys sort by.
    pub coordinates: Coordinates,
    /// How many coordinates there are.
    pub dimensions: usize,
    /// The tile lengths; the first one should be 1.
    pub lengths: Vec<i64>,
}

impl KeySpace {
    /// How many keys there are.
    pub fn count(&self) -> u64 {
        let tilings = (0..self.dimensions).fold(1u64, |product, _| {
            product.saturating_mul(self.lengths.len() as u64)
        });
        self.untiled().saturating_mul(tilings)
    }

    /// How many keys there are for one choice of tile lengths: permutations, eager and lazy.
    fn untiled(&self) -> u64 {
        (1..=self.dimensions as u64).fold(2, u64::saturating_mul)
    }

    /// Key number `index`. Those with all tile lengths the first one come first.
    pub fn key(&self, index: u64) -> Key {
        let mut rest = index;
        let mut digit = |base: u64| {
            let digit = rest % base;
            rest /= base;
            digit as usize
        };
        let lazy = digit(2) == 1;
        let mut left: Vec<usize> = (0..self.dimensions).collect();
        let mut permutation = Vec::with_capacity(self.dimensions);
        while !left.is_empty() {
            permutation.push(left.remove(digit(left.len() as u64)));
        }
        let lengths = self.lengths.len() as u64;
        let tiles = (0..self.dimensions).map(|_| match lengths {
            0 => 1,
            _ => self.lengths[digit(lengths)],
        });
        Key {
            coordinates: self.coordinates,
            tiles: tiles.collect(),
            permutation,
            lazy,
        }
    }

    /// At most `most` keys: all of them, or permutations without tiles, strips of the outermost coordinate,
    /// and a random choice of the rest, about as many of each.
    pub fn sample(&self, most: usize) -> Vec<Key> {
        let count = self.count();
        if count <= most as u64 {
            return (0..count).map(|index| self.key(index)).collect();
        }
        let mut random = Random::new(count);
        let mut number =
            |below: u64| random.below(usize::try_from(below).unwrap_or(usize::MAX)) as u64;
        let (share, untiled) = (most / 3, self.untiled());
        let mut keys = BTreeSet::new();
        match untiled <= share as u64 {
            true => keys.extend((0..untiled).map(|index| self.key(index))),
            false => keys.extend((0..share).map(|_| self.key(number(untiled)))),
        }
        for _ in 0..share {
            let mut key = self.key(number(untiled));
            if let (Some(&outermost), false) = (key.permutation.first(), self.lengths.is_empty()) {
                key.tiles[outermost] = self.lengths[number(self.lengths.len() as u64) as usize];
            }
            keys.insert(key);
        }
        // Some were met twice; not insisting ends the loop in every case.
        for _ in 0..most {
            if keys.len() < most {
                keys.insert(self.key(number(count)));
            }
        }
        keys.into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_keys_are_a_bijection() {
        let space = KeySpace {
            coordinates: Coordinates::Loops,
            dimensions: 3,
            lengths: vec![1, 4],
        };
        let keys: BTreeSet<Key> = (0..space.count()).map(|index| space.key(index)).collect();
        assert_eq!(keys.len(), 2 * 6 * 8);
        assert!((0..12).all(|index| space.key(index).tiles == [1, 1, 1]));
    }

    #[test]
    fn samples_are_small_even_of_deep_nests() {
        let space = |dimensions| KeySpace {
            coordinates: Coordinates::Cells,
            dimensions,
            lengths: vec![1, 2, 4, 8, i64::MAX],
        };
        assert_eq!(space(0).sample(10).len(), 2);
        assert_eq!(space(1).sample(10).len(), 10);
        for dimensions in [3, 7, 30] {
            let sample = space(dimensions).sample(60);
            assert!((40..=60).contains(&sample.len()), "{}", sample.len());
        }
    }
}
