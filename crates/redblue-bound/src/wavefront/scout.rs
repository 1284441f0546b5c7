//! Which hubs are worth a proof: counted on the graph of small sizes.
//!
//! Every choice of hubs is tried on graphs of some hundred vertices, a larger and a smaller one: how many values are needed before and
//! after each hub, and how does that grow? The result only directs the search; proofs are made with symbolic sizes.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use num_bigint::BigInt;
use redblue_poly::{Map, Set};

use super::hubs::Hubs;
use crate::error::Result;
use crate::graph::{Graph, Source};

/// Pairs of sizes that are tried, the largest first.
const SIZES: [(i64, i64); 4] = [(7, 4), (6, 4), (5, 3), (4, 3)];
/// Most vertices of the small graph.
const VERTICES: usize = 2000;
/// Most steps of a path.
const STEPS: usize = 3;
/// How choices are compared, and how many are taken of those with the same number of indices: many hubs that few values cross, or few hubs
/// that many cross.
const RANKINGS: [Ranking; 3] = [
    Ranking::new(1, false, 4),
    Ranking::new(4, true, 1),
    Ranking::new(10, true, 1),
];
/// The same for hubs that may go well with others.
const PARTNERS: Ranking = Ranking {
    once: true,
    ..Ranking::new(1, false, 2)
};

/// A way to compare choices of hubs.
struct Ranking {
    /// The memory.
    fast: i64,
    /// Whether growth counts, too: the score is that of a size ten times larger, if it goes on growing by the same power.
    growth: bool,
    /// Whether values count once that cross several hubs, and the last links of chains come first: what they need is complete.
    once: bool,
    /// How many are taken of those with the same number of indices.
    most: usize,
}

impl Ranking {
    const fn new(fast: i64, growth: bool, most: usize) -> Ranking {
        Ranking {
            fast,
            growth,
            once: false,
            most,
        }
    }

    fn score(&self, large: &Crossings, little: &Crossings) -> i128 {
        let (large, little) = match self.once {
            true => (large.once(self.fast), little.once(self.fast)),
            false => (large.score(self.fast), little.score(self.fast)),
        };
        let (large, little) = (i128::from(large.max(0)), i128::from(little.max(1)));
        if self.growth {
            large.pow(6) / little.pow(5)
        } else {
            large
        }
    }
}

/// The graph at fixed sizes.
struct Small {
    /// What each vertex needs.
    needs: Vec<Vec<usize>>,
    /// What each vertex is needed for.
    serves: Vec<Vec<usize>>,
    /// Instances of each node with their vertices.
    nodes: Vec<Vec<(Vec<i64>, usize)>>,
}

/// The most promising choices, and others that may go well with them.
pub(super) fn best(graph: &Graph) -> Result<[Vec<Hubs>; 2]> {
    for (large, little) in SIZES {
        if let (Some(large), Some(little)) = (Small::of(graph, large)?, Small::of(graph, little)?) {
            return Ok(choose(graph, &large, &little));
        }
    }
    Ok([Vec::new(), Vec::new()])
}

fn choose(graph: &Graph, large: &Small, little: &Small) -> [Vec<Hubs>; 2] {
    let mut choices = Vec::new();
    for hubs in Hubs::all(graph) {
        let crossings = (large.crossings(&hubs), little.crossings(&hubs));
        choices.push((hubs, crossings));
    }
    let mut best = [Vec::new(), Vec::new()];
    let mut seen = BTreeSet::new();
    for ranking in RANKINGS.into_iter().chain([PARTNERS]) {
        let mut scored: Vec<(i128, &Hubs)> = choices
            .iter()
            .map(|(hubs, (large, little))| (ranking.score(large, little), hubs))
            .filter(|(score, _)| *score > 0)
            .collect();
        // Of equals the one listed first; the same hubs chosen in another way add nothing.
        let last = |hubs: &Hubs| match ranking.once {
            true => hubs.greatest(),
            false => 0,
        };
        scored.sort_by_key(|(score, hubs)| Reverse((*score, last(hubs))));
        let mut taken: BTreeMap<usize, usize> = BTreeMap::new();
        for (_, hubs) in scored {
            let taken = taken.entry(hubs.indices()).or_default();
            if *taken < ranking.most && seen.insert(large.chosen(hubs)) {
                best[usize::from(ranking.once)].push(hubs.clone());
                *taken += 1;
            }
        }
    }
    best
}

/// What crosses the hubs of one choice.
struct Crossings {
    /// How many values cross each hub.
    numbers: Vec<i64>,
    /// How many cross any.
    all: i64,
    /// Whether hubs follow each other.
    sequence: bool,
}

impl Crossings {
    /// Values that cross, less what the memory can keep: each counted once, or, if hubs follow each other, once per hub.
    fn score(&self, fast: i64) -> i64 {
        let sum: i64 = self
            .numbers
            .iter()
            .map(|number| (number - fast).max(0))
            .sum();
        let once = self.once(fast);
        if self.sequence { once.max(sum) } else { once }
    }

    /// Each counted once.
    fn once(&self, fast: i64) -> i64 {
        self.all - fast * self.numbers.len() as i64
    }
}

impl Small {
    fn of(graph: &Graph, size: i64) -> Result<Option<Small>> {
        let count = graph.params.len() as i64;
        // Different sizes if the program wants them ordered.
        let choices = [0, 1, -1].map(|slope: i64| -> Vec<BigInt> {
            (0..count)
                .map(|at| BigInt::from((size + slope * at).max(1)))
                .collect()
        });
        for values in choices {
            if graph.context.contains(&values, &[])? {
                return Small::at(graph, &values);
            }
        }
        Ok(None)
    }

    fn at(graph: &Graph, sizes: &[BigInt]) -> Result<Option<Small>> {
        let fix = |mut set: Set| -> Result<Set> {
            for (name, value) in graph.params.iter().zip(sizes) {
                if set.param_names().contains(name) {
                    set = set.fix_param(name, value.clone())?;
                }
            }
            Ok(set)
        };
        let mut vertices: BTreeMap<(Source, Vec<i64>), usize> = BTreeMap::new();
        let mut nodes = Vec::new();
        for (node, facts) in graph.nodes.iter().enumerate() {
            let mut instances = Vec::new();
            let left = VERTICES - vertices.len();
            let Some(points) = fix(facts.live.clone())?.points_within(left)? else {
                return Ok(None);
            };
            for point in points {
                let id = vertices.len();
                vertices.insert((Source::Node(node), point.clone()), id);
                instances.push((point, id));
            }
            nodes.push(instances);
        }
        let mut pairs = Vec::new();
        for arrow in &graph.arrows {
            let relation: &Map = &arrow.relation;
            let split = relation.n_in();
            for point in fix(relation.wrap()?.flatten()?)?.points()? {
                let (reader, source) = point.split_at(split);
                let Some(&reader) = vertices.get(&(Source::Node(arrow.reader), reader.to_vec()))
                else {
                    continue;
                };
                let next = vertices.len();
                let key = (arrow.source, source.to_vec());
                let source = match arrow.source {
                    Source::Input(_) => *vertices.entry(key).or_insert(next),
                    Source::Node(_) => match vertices.get(&key) {
                        Some(&source) => source,
                        None => continue,
                    },
                };
                pairs.push((reader, source));
            }
        }
        let mut small = Small {
            needs: vec![Vec::new(); vertices.len()],
            serves: vec![Vec::new(); vertices.len()],
            nodes,
        };
        for (reader, source) in pairs {
            small.needs[reader].push(source);
            small.serves[source].push(reader);
        }
        Ok(Some(small))
    }

    /// The hubs of a choice, by index.
    fn chosen(&self, hubs: &Hubs) -> Vec<usize> {
        let mut best: BTreeMap<Vec<i64>, (Vec<i64>, usize)> = BTreeMap::new();
        for (point, vertex) in &self.nodes[hubs.node] {
            let rest = hubs.rest(point);
            let index = hubs.index(point);
            if best.get(&index).is_none_or(|(least, _)| rest < *least) {
                best.insert(index, (rest, *vertex));
            }
        }
        best.into_values().map(|(_, vertex)| vertex).collect()
    }

    fn crossings(&self, hubs: &Hubs) -> Crossings {
        let chosen = self.chosen(hubs);
        let mut all = BTreeSet::new();
        let mut numbers = Vec::new();
        // Whether every hub is needed for the next one, or the other way round.
        let (mut ascending, mut descending) = (hubs.is_sequence(), hubs.is_sequence());
        let mut last: Option<(usize, Vec<bool>)> = None;
        for hub in chosen {
            let mut ready = reached(&self.needs, hub);
            if let Some((earlier, before)) = &last {
                ascending &= ready[*earlier];
                descending &= before[hub];
            }
            ready[hub] = true;
            let crossing = self.crossing(hub, &ready);
            numbers.push(crossing.len() as i64);
            all.extend(crossing);
            last = Some((hub, ready));
        }
        Crossings {
            numbers,
            all: all.len() as i64,
            sequence: ascending || descending,
        }
    }

    /// Values that are there when the hub is computed and from which disjoint short paths lead to what needs it.
    fn crossing(&self, hub: usize, ready: &[bool]) -> Vec<usize> {
        let mut paths = Paths {
            small: self,
            after: reached(&self.serves, hub),
            taken: ready.to_vec(),
            failed: vec![0; ready.len()],
        };
        let starts = (0..ready.len()).filter(|&v| ready[v]);
        starts.filter(|&v| paths.take(v, STEPS)).collect()
    }
}

/// Paths that are chosen one after the other.
struct Paths<'s> {
    small: &'s Small,
    after: Vec<bool>,
    /// Vertices that no further path may go through.
    taken: Vec<bool>,
    /// With how many steps no path was left from a vertex; later there are even fewer.
    failed: Vec<usize>,
}

impl Paths<'_> {
    /// Leads a path from a vertex to the vertices after the hub, if there is one left.
    fn take(&mut self, from: usize, steps: usize) -> bool {
        if self.small.serves[from].iter().any(|&to| self.after[to]) {
            return true;
        }
        if steps <= self.failed[from].max(1) {
            return false;
        }
        for at in 0..self.small.serves[from].len() {
            let to = self.small.serves[from][at];
            if !self.taken[to] && self.take(to, steps - 1) {
                self.taken[to] = true;
                return true;
            }
        }
        self.failed[from] = steps;
        false
    }
}

/// What can be reached from a vertex, without itself.
fn reached(next: &[Vec<usize>], from: usize) -> Vec<bool> {
    let mut seen = vec![false; next.len()];
    let mut open = vec![from];
    while let Some(vertex) = open.pop() {
        for &to in &next[vertex] {
            if !seen[to] {
                seen[to] = true;
                open.push(to);
            }
        }
    }
    seen
}
