//! Shares out who is spared: of the ranks on a route the last one need not pass words on (of partial sums, the first
//! receives none), and choosing it is all the freedom there is. The busiest rank of all is relieved as far as possible.
//!
//! ```text
//! busiest ─► a bundle it is on ─► a rank spared there ─► a bundle that one is on ─► … ─► a less busy rank
//! ```
//!
//! Along such a chain each rank hands what it is spared to the one before. If no chain leads to a rank that is less
//! busy by two words, the ranks that chains lead to are all as busy as the busiest, up to one word, and only they can
//! be spared in its place: the largest load is least.
//!
//! Not here: which words these are ([`super::routes`]).

use std::collections::VecDeque;

/// Exchanges for each rank and bundle, at most: more than are ever needed on grids, and no loop without an end.
const EXCHANGES: usize = 8;

/// Words of one holder that all of a group use: they travel together, but may be divided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Bundle {
    /// What is spared: sending (0) or receiving (1).
    pub(super) way: usize,
    /// The ranks other than the holder, in the order of travel of inputs.
    pub(super) others: Vec<usize>,
    /// How many words.
    pub(super) words: u128,
    /// Of how many words each of the others is spared; all together.
    pub(super) spared: Vec<u128>,
}

/// Minimises the larger of the words that the busiest rank sends and receives. `loads` are these words per rank, as the
/// bundles are spared now and afterwards.
pub(super) fn balance(loads: &mut [[u128; 2]], bundles: &mut [Bundle]) {
    // No rank can be spared of more than all it is on, so this much is moved anyway.
    let mut least = loads.to_vec();
    for bundle in bundles.iter() {
        for (&rank, spared) in bundle.others.iter().zip(&bundle.spared) {
            least[rank][bundle.way] -= bundle.words - spared;
        }
    }
    let floor = least.iter().flatten().copied().max().unwrap_or(0);
    let mut places = vec![[const { Vec::new() }; 2]; loads.len()];
    for (number, bundle) in bundles.iter().enumerate() {
        for (place, &rank) in bundle.others.iter().enumerate() {
            places[rank][bundle.way].push((number, place));
        }
    }
    for way in 0..2 {
        for _ in 0..EXCHANGES * (loads.len() + bundles.len()) {
            let search = Search {
                loads,
                bundles,
                places: &places,
                way,
            };
            let Some((chain, words)) = search.relief(floor) else {
                break;
            };
            for Link {
                bundle,
                gains,
                loses,
            } in chain
            {
                let Bundle { others, spared, .. } = &mut bundles[bundle];
                spared[gains] += words;
                spared[loses] -= words;
                loads[others[gains]][way] -= words;
                loads[others[loses]][way] += words;
            }
        }
    }
}

/// Two ranks of a bundle: one is spared instead of the other.
#[derive(Clone, Copy)]
struct Link {
    bundle: usize,
    gains: usize,
    loses: usize,
}

struct Search<'a> {
    loads: &'a [[u128; 2]],
    bundles: &'a [Bundle],
    /// Per rank and way: bundles, and its place in them.
    places: &'a [[Vec<(usize, usize)>; 2]],
    way: usize,
}

impl Search<'_> {
    /// The chain from the busiest rank to the least busy one that there is, and the words to exchange along it.
    fn relief(&self, floor: u128) -> Option<(Vec<Link>, u128)> {
        let load = |rank: usize| self.loads[rank][self.way];
        let busiest = (0..self.loads.len()).rev().max_by_key(|&rank| load(rank))?;
        if load(busiest) <= floor {
            return None;
        }
        let links = self.reached_from(busiest);
        let reached = (0..self.loads.len()).filter(|&rank| links[rank].is_some());
        let idlest = reached.min_by_key(|&rank| load(rank))?;
        let mut words = load(busiest).saturating_sub(load(idlest)) / 2;
        let (mut chain, mut rank) = (Vec::new(), idlest);
        while let Some(link) = links[rank].filter(|_| rank != busiest) {
            let bundle = &self.bundles[link.bundle];
            words = words.min(bundle.spared[link.loses]);
            rank = bundle.others[link.gains];
            chain.push(link);
        }
        (words > 0).then_some((chain, words))
    }

    /// For every rank that a chain leads to: its last link.
    fn reached_from(&self, start: usize) -> Vec<Option<Link>> {
        let mut links = vec![None; self.loads.len()];
        let mut seen = vec![false; self.bundles.len()];
        let mut queue = VecDeque::from([start]);
        while let Some(rank) = queue.pop_front() {
            for &(number, gains) in &self.places[rank][self.way] {
                if std::mem::replace(&mut seen[number], true) {
                    continue;
                }
                let bundle = &self.bundles[number];
                for (loses, &other) in bundle.others.iter().enumerate() {
                    if bundle.spared[loses] > 0 && other != start && links[other].is_none() {
                        links[other] = Some(Link {
                            bundle: number,
                            gains,
                            loses,
                        });
                        queue.push_back(other);
                    }
                }
            }
        }
        links
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bundle(others: &[usize], words: u128) -> Bundle {
        let mut spared = vec![0; others.len()];
        spared[others.len() - 1] = words;
        Bundle {
            way: 0,
            others: others.to_vec(),
            words,
            spared,
        }
    }

    /// All ways to spare, tried one after another.
    fn least(loads: &[u128], bundles: &[Bundle]) -> u128 {
        let Some((bundle, rest)) = bundles.split_first() else {
            return loads.iter().copied().max().unwrap_or(0);
        };
        let mut best = u128::MAX;
        for first in 0..=bundle.words {
            for second in 0..=bundle.words - first {
                let spared = [first, second, bundle.words - first - second];
                if spared[bundle.others.len()..].iter().any(|&words| words > 0) {
                    continue;
                }
                let mut loads = loads.to_vec();
                for (&rank, words) in bundle.others.iter().zip(spared) {
                    loads[rank] += bundle.words - words;
                }
                best = best.min(least(&loads, rest));
            }
        }
        best
    }

    #[test]
    fn no_way_to_spare_is_better() {
        let mut seed = 1_u64;
        let mut draw = |below: u64| {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1);
            (seed >> 33) % below
        };
        for _ in 0..200 {
            let ranks = 4;
            let fixed: Vec<u128> = (0..ranks).map(|_| draw(9).into()).collect();
            let mut bundles: Vec<Bundle> = (0..3)
                .map(|_| {
                    let skipped = draw(ranks) as usize;
                    let mut others: Vec<usize> = (0..4).filter(|&rank| rank != skipped).collect();
                    others.truncate(1 + draw(3) as usize);
                    bundle(&others, u128::from(1 + draw(6)))
                })
                .collect();
            let mut loads: Vec<[u128; 2]> = fixed.iter().map(|&load| [load, 0]).collect();
            for bundle in &bundles {
                for (&rank, spared) in bundle.others.iter().zip(&bundle.spared) {
                    loads[rank][0] += bundle.words - spared;
                }
            }
            let expected = least(&fixed, &bundles);
            balance(&mut loads, &mut bundles);
            let most = loads.iter().map(|load| load[0]).max();
            assert_eq!(most, Some(expected), "{fixed:?} {bundles:?}");
            for bundle in &bundles {
                assert_eq!(bundle.spared.iter().sum::<u128>(), bundle.words);
            }
        }
    }
}
