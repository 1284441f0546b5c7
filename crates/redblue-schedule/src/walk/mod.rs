//! Counting the points of a union of polyhedra at fixed sizes by walking through it.
//!
//! ```text
//! for p0 in …  for p1 in …  for c0 in …      one dimension after the other, small ones first
//!     length of the union of the intervals of c1, one per disjunct
//! ```
//!
//! Tile numbers make symbolic sums split into a case per residue, and overlapping disjuncts make them cut sets apart.
//! A walk minds neither: it takes a step per point of all dimensions but the longest, so it is fast where subtrees are
//! few, and gives up where they are not.
//!
//! Most subtrees are alike: tiles differ at the borders only. Coordinates are counted from the start of their tile
//! (`shear`), and what follows from a place in the walk depends only on what the inequalities leave for the variables to
//! come. An inequality that all their values fulfil leaves as much as any other such one, so that the inner tiles of a
//! row look the same there, and are counted once.
//!
//! Dimensions that no constraint connects with others, and whose constraints all disjuncts share, are a factor.

mod shear;
mod stage;
mod system;

use std::collections::HashMap;

use num_bigint::BigInt;
use redblue_poly::Set;
use rustc_hash::FxBuildHasher;

use self::shear::{straighten, width};
use self::stage::Stage;
use self::system::{Bounded, Row, System};

/// Counts that a walk remembers at most.
const REMEMBERED: usize = 1 << 17;

/// How often a walk looks for a count before it asks whether that pays.
const TRIES: u64 = 256;

/// The number of points of a set without parameters; nothing if that takes more steps than there are. They are used up.
pub(crate) fn walked(set: &Set, steps: &mut u64) -> redblue_poly::Result<Option<BigInt>> {
    let Some(mut systems) = systems(set)? else {
        return Ok(None);
    };
    straighten(&mut systems, set.n_dim());
    Ok(product(set.n_dim(), systems, steps))
}

/// The disjuncts that are not seen to be empty; nothing if one has no bounds or large numbers.
fn systems(set: &Set) -> redblue_poly::Result<Option<Vec<System>>> {
    let mut systems = Vec::new();
    for basic in set.basic_sets()? {
        let system = System::of(set.n_dim(), &basic.floors()?, &basic.constraints()?);
        let Some(mut system) = system else {
            return Ok(None);
        };
        match system.bounded() {
            Bounded::Yes => systems.push(system),
            Bounded::Empty => {}
            Bounded::No => return Ok(None),
        }
    }
    Ok(Some(systems))
}

/// The number of points, factor by factor.
fn product(dims: usize, systems: Vec<System>, steps: &mut u64) -> Option<BigInt> {
    let Some(first) = systems.first() else {
        return Some(BigInt::default());
    };
    let mut groups: Vec<Vec<usize>> = (0..dims).map(|at| vec![at]).collect();
    for system in &systems {
        for tied in system.ties(dims) {
            let inside = |group: &Vec<usize>| group.iter().any(|at| tied.contains(at));
            let (joined, others): (Vec<_>, Vec<_>) = groups.into_iter().partition(inside);
            groups = others;
            if !joined.is_empty() {
                groups.push(joined.concat());
            }
        }
    }
    let same = |group: &Vec<usize>| {
        let floorless = systems.len() == 1 || first.floors.is_empty();
        let rows = first.about(group);
        floorless && systems.iter().all(|system| system.about(group) == rows)
    };
    let (factors, joint): (Vec<_>, Vec<_>) = groups.into_iter().partition(same);
    let mut number = BigInt::from(1);
    for factor in factors {
        number *= counted(&systems[..1], factor, steps)?;
    }
    if !joint.is_empty() {
        number *= counted(&systems, joint.concat(), steps)?;
    }
    Some(number)
}

/// The number of points in some dimensions. Which order makes a short walk is not known before, so each gets a part of
/// the steps: short dimensions first, or those that are tied to many others, after which the rest falls apart, and of
/// those the long ones, of which most values look alike.
fn counted(systems: &[System], dims: Vec<usize>, steps: &mut u64) -> Option<BigInt> {
    let tied = |var: usize| {
        let rows = systems.iter().flat_map(|system| &system.rows);
        let rows: Vec<&Row> = rows.filter(|row| row.involves(var)).collect();
        let others = dims
            .iter()
            .filter(|other| rows.iter().any(|row| row.involves(**other)));
        others.count()
    };
    let mut short: Vec<(i64, usize)> = dims
        .iter()
        .map(|var| (width(systems, *var), *var))
        .collect();
    short.sort_unstable();
    let mut knots = short.clone();
    knots.sort_by_key(|(length, var)| std::cmp::Reverse((tied(*var), *length)));
    let orders = [(&short, 8), (&knots, 2), (&short, 1)];
    for (order, part) in orders {
        let most = *steps / part;
        let mut left = most;
        let order = order.iter().map(|(_, var)| *var).collect();
        let number = Walk::new(systems, order).count(&mut left);
        *steps -= most - left;
        if number.is_some() {
            return number;
        }
    }
    None
}

/// A walk through some dimensions of systems, the last of which is counted as intervals.
struct Walk<'s> {
    systems: Vec<Stage<'s>>,
    order: Vec<usize>,
    leaf: usize,
}

/// What is open at a place of a walk: systems, with what is left of their constants, and ranges of the next dimension.
#[derive(Clone, Default)]
struct Open {
    systems: Vec<usize>,
    /// By system, valid for those that are open.
    rests: Vec<Vec<i64>>,
    ranges: Vec<(i64, i64)>,
    outlook: Vec<i64>,
}

/// What a walk has counted before.
struct Remembered {
    /// The number of points by outlook, see [`Walk::outlook`].
    counts: HashMap<Vec<i64>, u128, FxBuildHasher>,
    /// By place, how often it was looked for, and found.
    tries: Vec<(u64, u64)>,
}

impl Remembered {
    fn new(places: usize) -> Remembered {
        Remembered {
            counts: HashMap::default(),
            tries: vec![(0, 0); places],
        }
    }

    /// Whether looking pays at a place: it does where tiles look alike, and costs where they do not.
    fn pays(&self, place: usize) -> bool {
        let (tries, found) = self.tries[place];
        place > 0 && (tries < TRIES || found >= tries / 4)
    }

    fn get(&mut self, place: usize, outlook: &[i64]) -> Option<u128> {
        let known = self.counts.get(outlook).copied();
        let (tries, found) = &mut self.tries[place];
        *tries += 1;
        *found += u64::from(known.is_some());
        known
    }
}

impl<'s> Walk<'s> {
    /// Through dimensions in their order, the last of which that no floor needs comes last.
    fn new(systems: &'s [System], mut dims: Vec<usize>) -> Walk<'s> {
        let floored = |var: &usize| {
            let mut floors = systems.iter().flat_map(|system| &system.floors);
            floors.any(|(_, numerator, _)| numerator.involves(*var))
        };
        // If all are needed, the last one is fixed, too.
        let last = dims.iter().rposition(|var| !floored(var));
        let leaf = match last {
            Some(at) => dims.remove(at),
            None => usize::MAX,
        };
        let stages = systems.iter().map(|system| Stage::new(system, &dims, leaf));
        Walk {
            systems: stages.collect(),
            order: dims,
            leaf,
        }
    }

    fn count(&self, steps: &mut u64) -> Option<BigInt> {
        let constants = self.systems.iter().map(|stage| stage.constants.clone());
        let all = Open {
            systems: (0..self.systems.len()).collect(),
            rests: constants.collect(),
            ranges: Vec::new(),
            outlook: Vec::new(),
        };
        let mut places = vec![all; self.order.len() + 1];
        let mut remembered = Remembered::new(places.len());
        let total = self.below(0, &mut places, &mut remembered, steps)?;
        Some(BigInt::from(total))
    }

    /// Points from a place in the order on, given what is open there; the places after it are written over.
    fn below(
        &self,
        place: usize,
        open: &mut [Open],
        remembered: &mut Remembered,
        steps: &mut u64,
    ) -> Option<u128> {
        let (here, after) = open.split_first_mut()?;
        let Some(left) = steps.checked_sub(here.systems.len() as u64) else {
            *steps = 0;
            return None;
        };
        *steps = left;
        let (Some(&var), Some(_)) = (self.order.get(place), after.first()) else {
            return Some(self.leaf(here));
        };
        let pays = remembered.pays(place);
        if pays {
            self.outlook(place, here);
            if let Some(known) = remembered.get(place, &here.outlook) {
                return Some(known);
            }
        }
        here.ranges.clear();
        let (mut low, mut high) = (i64::MAX, i64::MIN);
        for at in &here.systems {
            let range = self.systems[*at].range(place, var, &here.rests[*at]);
            if range.0 <= range.1 {
                low = low.min(range.0);
                high = high.max(range.1);
            }
            here.ranges.push(range);
        }
        let mut total: u128 = 0;
        let mut value = low;
        while value <= high {
            let next = &mut after[0];
            next.systems.clear();
            for (at, range) in here.systems.iter().zip(&here.ranges) {
                if range.0 <= value && value <= range.1 {
                    let rest = &here.rests[*at];
                    self.systems[*at].fix(place, value, rest, &mut next.rests[*at]);
                    next.systems.push(*at);
                }
            }
            if next.systems.is_empty() {
                // Ranges of disjuncts may be far apart, and nothing is between them.
                let later = here
                    .ranges
                    .iter()
                    .filter(|(from, to)| value < *from && from <= to);
                match later.map(|(from, _)| *from).min() {
                    Some(from) => value = from,
                    None => break,
                }
                continue;
            }
            total += self.below(place + 1, after, remembered, steps)?;
            value += 1;
        }
        if pays && remembered.counts.len() < REMEMBERED {
            remembered.counts.insert(here.outlook.clone(), total);
        }
        Some(total)
    }

    /// Writes down all that the number of points from a place on depends on.
    fn outlook(&self, place: usize, open: &mut Open) {
        open.outlook.clear();
        open.outlook.push(place as i64);
        for at in &open.systems {
            open.outlook.push(*at as i64);
            let left = open.rests[*at].iter().zip(&self.systems[*at].enough[place]);
            open.outlook
                .extend(left.map(|(rest, enough)| rest.min(enough)));
        }
    }

    /// The length of the union of the intervals that are left.
    fn leaf(&self, open: &mut Open) -> u128 {
        open.ranges.clear();
        for at in &open.systems {
            let (stage, rest) = (&self.systems[*at], &open.rests[*at]);
            if stage.apart.iter().any(|row| rest[*row] < 0) {
                continue;
            }
            if self.leaf == usize::MAX {
                return 1;
            }
            let (low, high) = stage.range(self.order.len(), self.leaf, rest);
            if low <= high {
                open.ranges.push((low, high));
            }
        }
        open.ranges.sort_unstable();
        let (mut total, mut end) = (0u128, i64::MIN);
        for &(low, high) in &open.ranges {
            let from = low.max(end.saturating_add(1));
            if from <= high {
                total += (high - from + 1) as u128;
                end = high;
            }
        }
        total
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use redblue_poly::Context;

    /// Walks through a set and lists its points.
    fn check(text: &str) {
        let set = Set::parse(&Context::new().unwrap(), text).unwrap();
        let number = walked(&set, &mut 1_000_000).unwrap();
        let points = BigInt::from(set.points().unwrap().len());
        assert_eq!(number, Some(points), "{text}");
    }

    #[test]
    fn walks_count_points() {
        check("{ [p, i] : 0 <= i < 50 and 7p <= i < 7p + 7 }");
        check("{ [p, q, i, k] : 0 <= k < i < 20 and 6p <= i < 6p + 6 and 4q <= k < 4q + 4 }");
        check("{ [i, j] : 0 <= i < 10 and 0 <= j < 7; [i, j] : 3 <= i < 14 and 5 <= j < 9 }");
        check("{ [i, j] : 0 <= i < 10 and 1 <= j < 1 }");
        check("{ [i, j] : 0 <= i < 9 and 0 <= j <= 8 and (i + 2j) mod 3 = 1 }");
        check("{ [p, c] : exists t : 0 <= t < 12 and 5p <= t < 5p + 5 and 2t <= c <= 2t + 9 }");
        check(
            "{ [p, w, c] : exists t, i : 0 <= t < 9 and 0 < i < 12 and 4p <= t < 4p + 4 and w = 2t + i and i - 1 <= c <= i + 1 }",
        );
        check(
            "{ [p, c] : exists t : 0 <= t < 12 and 5p <= t < 5p + 5 and c = 3t; [p, c] : 0 <= p < 2 and 0 <= c < 20 and c mod 2 = 0 }",
        );
        check(
            "{ [a, b, c] : 0 <= a < 5 and b = 2a and 0 <= c <= b; [a, b, c] : 0 <= a < 5 and a <= b < 4 and c = 3 }",
        );
        check("{ [i] : 0 <= i < 0 }");
        check("{ [] }");
    }

    /// A step per value between the ranges would not end.
    #[test]
    fn what_is_far_apart_is_near() {
        let context = Context::new().unwrap();
        let far = 60_000_000_000i64;
        let text = format!(
            "{{ [i, j] : {far} <= i < {far} + 3 and i <= j < {far} + 5; [i, j] : 0 <= i < 4 and 0 <= j <= i; \
             [i, j] : 2 <= i < 9 and 3 <= j < 9 }}"
        );
        let set = Set::parse(&context, &text).unwrap();
        let number = walked(&set, &mut 1_000).unwrap();
        assert_eq!(number, Some(BigInt::from(12 + 10 + 42 - 1)));
    }

    /// A small stencil or product in tiles, skewed or not, in one to three overlapping parts with neighbours.
    fn tiles(seed: u64) -> String {
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) + 1;
        let mut below = |most: u64| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state % most
        };
        let parts = (0..1 + below(3)).map(|_| {
            let (n, m, t) = (4 + below(9), 3 + below(9), 1 + below(5));
            let (a, b) = (1 + below(5), 1 + below(4));
            let (skew, shift) = (below(3), below(3) as i64 - 1);
            let triangle = ["", " and j <= i", " and i + j < 9"][below(3) as usize];
            let holes = ["", " and (i + t) mod 2 = 0", " and (c + 1) mod 3 = 0"][below(3) as usize];
            format!(
                "[t, p, q, c, d] : exists i, j : 0 <= t < {t} and 1 <= i < {n} and 0 <= j < {m}{triangle} \
                 and {a}p <= i + {skew}t < {a}p + {a} and {b}q <= j < {b}q + {b} \
                 and i + {shift} <= c <= i + 1 and d = j + {shift}{holes}"
            )
        });
        format!("{{ {} }}", parts.collect::<Vec<_>>().join("; "))
    }

    #[test]
    fn tiles_that_look_alike_are_counted_as_often_as_they_are_there() {
        let context = Context::new().unwrap();
        let mut counted = 0;
        for text in (0..200).map(tiles) {
            let set = Set::parse(&context, &text).unwrap();
            if let Some(number) = walked(&set, &mut 1_000_000).unwrap() {
                assert_eq!(number, BigInt::from(set.points().unwrap().len()), "{text}");
                counted += 1;
            }
        }
        assert!(counted > 150, "{counted}");
    }

    #[test]
    fn inner_tiles_are_counted_once() {
        let context = Context::new().unwrap();
        let text = "{ [t, p, q, i, j, k] : 0 <= t < 500 and 0 <= i < 2000 and 0 <= j < 3000 and 0 <= k < 1000 \
                    and 19p <= i + 2t < 19p + 19 and 20q <= j + t < 20q + 20 }";
        let set = Set::parse(&context, text).unwrap();
        let number = walked(&set, &mut 2_000_000).unwrap();
        assert_eq!(number, Some(BigInt::from(500u64 * 2000 * 3000 * 1000)));
    }

    #[test]
    fn long_walks_are_given_up() {
        let context = Context::new().unwrap();
        let text = "{ [i, j, k] : 0 <= i <= j <= k < 1000 }";
        let set = Set::parse(&context, text).unwrap();
        assert_eq!(walked(&set, &mut 10_000).unwrap(), None);
        let free = Set::parse(&context, "{ [i, j] : i <= j }").unwrap();
        assert_eq!(walked(&free, &mut 10_000).unwrap(), None);
        // That a is not negative follows from two constraints together, which bounds of single ones do not tell.
        let hidden = Set::parse(&context, "{ [a, c] : a < 5 and a <= c <= 2a }").unwrap();
        assert_eq!(walked(&hidden, &mut 10_000).unwrap(), None);
    }
}
