//! Which coordinates are one another: those that are read as such, plus or minus something fixed.
//!
//! Links are joined to a forest, the strongest ones first: functions on whole domains of many dimensions, on which many arrows agree. Along
//! the trees coordinates get one orientation, and one zero. Where a node reads several neighbours of a place (stencils), the middle one
//! is the place itself.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use num_traits::{Signed, Zero};
use redblue_math::rational::int;
use redblue_math::{Matrix, Rational};

use super::{Colours, Numbering, Offset, Scene};
use crate::error::Result;
use crate::graph::Source;

/// Most arrows of a circuit that tells the direction of time.
const LONGEST: usize = 3;
/// Most circuits that are followed.
const MOST_STEPS: usize = 4000;

/// `x = sign·y + offset`.
#[derive(Clone, Debug)]
struct Link {
    sign: i64,
    offset: Offset,
    strength: Strength,
}

/// Whether a function is defined on a whole domain, and the dimension of that.
type Strength = (bool, usize);

/// The number of every coordinate.
pub(super) fn numberings(scene: &Scene<'_>, colours: &Colours) -> Result<Vec<Numbering>> {
    let forest = forest(scene, colours);
    let none = vec![int(0); scene.graph.params.len() + 1];
    let mut numberings: Vec<Numbering> = (0..scene.count())
        .map(|_| Numbering {
            sign: 1,
            shift: none.clone(),
        })
        .collect();
    let votes = votes(scene)?;
    for tree in trees(scene.count(), &forest) {
        for &(at, from) in &tree {
            if let Some((other, pair)) = from {
                numberings[at].sign = pair.sign * numberings[other].sign;
            }
        }
        let members: Vec<usize> = tree.iter().map(|(at, _)| *at).collect();
        if is_backwards(&members, &numberings, &votes, colours) {
            for &at in &members {
                numberings[at].sign = -numberings[at].sign;
            }
        }
        for &(at, from) in &tree {
            if let Some((other, pair)) = from {
                let sign = int(numberings[pair.ends.0].sign);
                let offset = pair.middle(&sign);
                let back = if pair.ends.0 == at { int(-1) } else { int(1) };
                let base = &numberings[other].shift;
                let moved = base.iter().zip(&offset).map(|(base, o)| base + &back * o);
                numberings[at].shift = moved.collect();
            }
        }
        let zero = zero(scene, &members, &numberings);
        for &at in &members {
            for (entry, zero) in numberings[at].shift.iter_mut().zip(zero.iter().flatten()) {
                *entry -= zero;
            }
        }
    }
    Ok(numberings)
}

/// Two coordinates that are linked, with the orientation that most links have.
#[derive(Clone, Debug)]
struct Pair {
    ends: (usize, usize),
    sign: i64,
    /// The strongest links of that orientation.
    links: Vec<Link>,
}

impl Pair {
    fn of(ends: (usize, usize), links: Vec<Link>) -> Pair {
        let strength = |sign: i64| {
            let same = || links.iter().filter(|link| link.sign == sign);
            let best = same().map(|link| link.strength).max();
            let count = same().filter(|link| Some(link.strength) == best).count();
            (best, count)
        };
        let sign = if strength(-1) > strength(1) { -1 } else { 1 };
        let best = strength(sign).0;
        let kept = links.into_iter();
        let kept = kept.filter(|link| link.sign == sign && Some(link.strength) == best);
        Pair {
            ends,
            sign,
            links: kept.collect(),
        }
    }

    /// `sign·x − sign'·y` for the middle link, where `sign` is the orientation of x.
    fn middle(&self, sign: &Rational) -> Offset {
        let turned = self.links.iter().map(|link| {
            let offset = link.offset.iter().map(|entry| sign * entry);
            // Sizes weigh more than constants.
            let mut key: Offset = offset.collect();
            key.rotate_left(1);
            key
        });
        let mut all: Vec<Offset> = turned.collect();
        all.sort();
        let mut middle = all.swap_remove((all.len() - 1) / 2);
        middle.rotate_right(1);
        middle
    }
}

/// All links of pairs of coordinates, and a forest of them.
fn forest(scene: &Scene<'_>, colours: &Colours) -> Vec<Pair> {
    let mut pairs: BTreeMap<(usize, usize), Vec<Link>> = BTreeMap::new();
    for arrow in &scene.graph.arrows {
        let readers = scene.coordinates(arrow.reader);
        let sources = scene.coordinates(scene.vertex(arrow.source));
        for piece in &arrow.pieces {
            for (source, row) in sources.clone().zip(piece.step.rows()) {
                let Some((at, sign)) = single(row, readers.len()) else {
                    continue;
                };
                let reader = readers.start + at;
                if reader == source {
                    continue;
                }
                let mut link = Link {
                    sign,
                    offset: row[readers.len()..].to_vec(),
                    strength: (piece.is_full(), piece.hull.columns()),
                };
                let key = |at: usize| (colours.of_coordinate(at), at);
                let mut ends = (source, reader);
                if key(reader) < key(source) {
                    // y = sign·x − sign·offset.
                    for entry in &mut link.offset {
                        *entry *= int(-sign);
                    }
                    ends = (reader, source);
                }
                pairs.entry(ends).or_default().push(link);
            }
        }
    }
    let pairs = pairs.into_iter().map(|(ends, links)| Pair::of(ends, links));
    let mut pairs: Vec<Pair> = pairs.collect();
    pairs.sort_by_cached_key(|pair| {
        let strength = pair.links.first().map(|link| link.strength);
        let (one, other) = pair.ends;
        let colours = [colours.of_coordinate(one), colours.of_coordinate(other)];
        let first = pair.links.first().map(|link| &link.offset);
        // One that reads a single place lies there; one that reads several lies somewhere among them.
        let clear = pair.links.iter().all(|link| Some(&link.offset) == first);
        let strength = (strength, clear, pair.links.len());
        (Reverse(strength), colours, pair.ends)
    });
    let mut tree: Vec<usize> = (0..scene.count()).collect();
    pairs.retain(|pair| {
        let (one, other) = (tree[pair.ends.0], tree[pair.ends.1]);
        for entry in tree.iter_mut().filter(|entry| **entry == one) {
            *entry = other;
        }
        one != other
    });
    pairs
}

/// Coordinates, each after the one it hangs on and with the pair by which it does.
type Tree<'p> = Vec<(usize, Option<(usize, &'p Pair)>)>;

/// The trees of a forest.
fn trees(count: usize, forest: &[Pair]) -> Vec<Tree<'_>> {
    let mut seen = vec![false; count];
    let mut trees = Vec::new();
    for root in 0..count {
        if seen[root] {
            continue;
        }
        seen[root] = true;
        let mut tree: Tree = vec![(root, None)];
        let mut next = 0;
        while let Some(&(at, _)) = tree.get(next) {
            next += 1;
            for pair in forest {
                let other = match pair.ends {
                    (one, other) if one == at => other,
                    (other, one) if one == at => other,
                    _ => continue,
                };
                if !seen[other] {
                    seen[other] = true;
                    tree.push((other, Some((at, pair))));
                }
            }
        }
        trees.push(tree);
    }
    trees
}

/// The one coordinate that a function depends on, if it is that coordinate or its negative plus something fixed.
fn single(row: &[Rational], dims: usize) -> Option<(usize, i64)> {
    let mut used = (0..dims).filter(|&at| !row[at].is_zero());
    let at = used.next()?;
    let sign = if row[at].is_negative() { -1 } else { 1 };
    (row[at] == int(sign) && used.next().is_none()).then_some((at, sign))
}

/// How often values are read from smaller rather than from larger values of a coordinate: around circuits of whole domains, and by the
/// node itself anywhere.
fn votes(scene: &Scene<'_>) -> Result<[Vec<i64>; 2]> {
    let graph = scene.graph;
    let mut votes = [vec![0; scene.count()], vec![0; scene.count()]];
    for node in 0..graph.nodes.len() {
        let dims = scene.coordinates(node).len();
        let size = dims + 1 + graph.params.len();
        let mut paths = vec![(node, 0, Matrix::identity(size))];
        let mut steps = 0;
        while let Some((reader, length, so_far)) = paths.pop() {
            for (_, arrow) in graph.arrows_of(reader) {
                let Source::Node(source) = arrow.source else {
                    continue;
                };
                for piece in &arrow.pieces {
                    steps += 1;
                    if steps > MOST_STEPS || !piece.is_full() && (length > 0 || source != node) {
                        continue;
                    }
                    let there = piece.step.product(&so_far)?;
                    if source != node {
                        if length + 1 < LONGEST {
                            paths.push((source, length + 1, there));
                        }
                        continue;
                    }
                    let rows = scene.coordinates(node).zip(there.rows()).enumerate();
                    for (at, (coordinate, row)) in rows {
                        if single(row, dims) == Some((at, 1)) {
                            let by = scene.value(&row[dims..].to_vec());
                            let sign = i64::from(by.is_negative()) - i64::from(by.is_positive());
                            votes[usize::from(!piece.is_full())][coordinate] += sign;
                        }
                    }
                }
            }
        }
    }
    Ok(votes)
}

/// Whether coordinates go against time; where there is none, against the colours.
fn is_backwards(
    members: &[usize],
    numberings: &[Numbering],
    votes: &[Vec<i64>; 2],
    colours: &Colours,
) -> bool {
    for votes in votes {
        let vote = |&at: &usize| numberings[at].sign * votes[at];
        let sum: i64 = members.iter().map(vote).sum();
        if sum != 0 {
            return sum < 0;
        }
    }
    let sorted = |turn: i64| {
        let colour = |&at: &usize| colours.of_oriented(at, turn * numberings[at].sign);
        let mut all: Vec<usize> = members.iter().map(colour).collect();
        all.sort();
        all
    };
    sorted(-1) < sorted(1)
}

/// The number at which the widest coordinates begin.
fn zero(scene: &Scene<'_>, members: &[usize], numberings: &[Numbering]) -> Option<Offset> {
    let mut starts: Vec<(Reverse<Rational>, Rational, Offset)> = Vec::new();
    for &at in members {
        let Some(range) = &scene.ranges[at] else {
            continue;
        };
        let numbering = &numberings[at];
        let end = if numbering.sign < 0 {
            &range.high
        } else {
            &range.low
        };
        let start = end.iter().zip(&numbering.shift);
        let start: Offset = start.map(|(x, d)| int(numbering.sign) * x + d).collect();
        starts.push((Reverse(range.width.clone()), scene.value(&start), start));
    }
    starts.into_iter().min().map(|(_, _, start)| start)
}
