//! Legal orders of a program's computations, from keys on its loops or on its cells.
//!
//! A [`Key`] permutes the coordinates of all computations, divides each by a tile length and sorts by tiles
//! first. The coordinates are the loop values, matched by depth, or the subscripts of the cell that is
//! written: with loops one gets permuted and tiled nests, with cells the orders that finish one block of an
//! array after the other. Any key gives a legal order, in two ways:
//!
//! * *eager*: among the computations whose operands are ready, the one with the least key comes next. On
//!   loops this is right-looking for factorisations, on blocks of columns left-looking.
//! * *lazy*: outputs come in the order of their keys, and what they need is computed just before.
//!
//! What a key means for a program does not matter for soundness: every order that comes out is legal.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use redblue_pebble::program::{Origin, ProgramGraph};
use redblue_pebble::{Cdag, Random, Vertex};
use redblue_program::Program;

/// What a [`Key`] sorts by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Coordinates {
    /// Loop values, outermost first.
    Loops,
    /// Subscripts of the written cell.
    Cells,
}

/// How computations are sorted.
#[derive(Debug, Clone, PartialEq, Eq)]
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

/// The coordinates of a graph's vertices.
#[derive(Debug, Clone)]
pub struct Timetable {
    /// Loop values, zero where a statement has fewer loops; inputs are at the origin.
    loops: Vec<Vec<i64>>,
    /// Subscripts, zero where an array has fewer dimensions.
    cells: Vec<Vec<i64>>,
}

impl Timetable {
    /// Reads off the coordinates of each vertex.
    pub fn of(program: &Program, graph: &ProgramGraph) -> Timetable {
        let depth = program
            .statements
            .iter()
            .map(|s| s.iterators.len())
            .max()
            .unwrap_or(0);
        let loops = graph.origins.iter().map(|origin| match origin {
            Origin::Input(..) => vec![0; depth],
            Origin::Instance(_, point) => padded(point, depth),
        });
        let dimensions = graph.cells.iter().map(Vec::len).max().unwrap_or(0);
        let cells = graph.cells.iter().map(|cell| padded(cell, dimensions));
        Timetable {
            loops: loops.collect(),
            cells: cells.collect(),
        }
    }

    /// Number of coordinates of a kind.
    pub fn dimensions(&self, coordinates: Coordinates) -> usize {
        self.of_kind(coordinates).first().map_or(0, Vec::len)
    }

    /// The order of all computations of `graph` under `key`.
    pub fn order(&self, graph: &Cdag, key: &Key) -> Vec<Vertex> {
        let points = self.of_kind(key.coordinates);
        let times: Vec<Vec<i64>> = points.iter().map(|point| key.time(point)).collect();
        match key.lazy {
            true => lazy(graph, &times),
            false => eager(graph, &times),
        }
    }

    fn of_kind(&self, coordinates: Coordinates) -> &[Vec<i64>] {
        match coordinates {
            Coordinates::Loops => &self.loops,
            Coordinates::Cells => &self.cells,
        }
    }
}

fn padded(point: &[i64], length: usize) -> Vec<i64> {
    let mut point = point.to_vec();
    point.resize(length, 0);
    point
}

impl Key {
    /// Tiles in the new order; inside a tile, loops in the new order, cells in program order.
    fn time(&self, point: &[i64]) -> Vec<i64> {
        let tiles = self
            .permutation
            .iter()
            .map(|&d| point[d].div_euclid(self.tiles[d].max(1)));
        let inside = match self.coordinates {
            Coordinates::Loops => self.permutation.as_slice(),
            Coordinates::Cells => &[],
        };
        tiles.chain(inside.iter().map(|&d| point[d])).collect()
    }
}

/// Among the ready computations, the least time first. Ties go to the smaller vertex.
pub fn eager<T: Ord>(graph: &Cdag, times: &[T]) -> Vec<Vertex> {
    let computed = |v: Vertex| !graph.is_input(v);
    let mut waiting: Vec<usize> = (0..graph.len())
        .map(|v| graph.preds(v).iter().filter(|&&u| computed(u)).count())
        .collect();
    let ready = |v: Vertex| Reverse((&times[v], v));
    let mut queue: BinaryHeap<_> = (0..graph.len())
        .filter(|&v| waiting[v] == 0 && computed(v))
        .map(ready)
        .collect();
    let mut order = Vec::new();
    while let Some(Reverse((_, v))) = queue.pop() {
        order.push(v);
        for &w in graph.succs(v) {
            waiting[w] -= 1;
            if waiting[w] == 0 {
                queue.push(ready(w));
            }
        }
    }
    order
}

/// Outputs by time, each preceded by what it needs and is not there yet, operands by time.
pub fn lazy<T: Ord>(graph: &Cdag, times: &[T]) -> Vec<Vertex> {
    let by_time = |list: &mut Vec<Vertex>| list.sort_by_key(|&v| (&times[v], v));
    let mut targets: Vec<Vertex> = graph.outputs().to_vec();
    by_time(&mut targets);
    let mut done: Vec<bool> = (0..graph.len()).map(|v| graph.is_input(v)).collect();
    let mut order = Vec::new();
    let mut stack: Vec<(Vertex, bool)> = Vec::new();
    for target in targets {
        stack.push((target, false));
        while let Some((v, operands_done)) = stack.pop() {
            if done[v] {
                continue;
            }
            if operands_done {
                done[v] = true;
                order.push(v);
                continue;
            }
            stack.push((v, true));
            let mut operands: Vec<Vertex> = graph
                .preds(v)
                .iter()
                .copied()
                .filter(|&u| !done[u])
                .collect();
            by_time(&mut operands);
            stack.extend(operands.into_iter().rev().map(|u| (u, false)));
        }
    }
    order
}

/// A random topological order: eager for even seeds, lazy for odd ones.
pub fn random_order(graph: &Cdag, seed: u64) -> Vec<Vertex> {
    let mut random = Random::new(seed);
    let times: Vec<u64> = (0..graph.len()).map(|_| random.next()).collect();
    match seed.is_multiple_of(2) {
        true => eager(graph, &times),
        false => lazy(graph, &times),
    }
}

/// Every permutation of the coordinates with every choice of tile lengths, eager and lazy.
pub fn keys(coordinates: Coordinates, dimensions: usize, lengths: &[i64]) -> Vec<Key> {
    let mut keys = Vec::new();
    for permutation in permutations(dimensions) {
        for tiles in choices(dimensions, lengths) {
            for lazy in [false, true] {
                let (permutation, tiles) = (permutation.clone(), tiles.clone());
                keys.push(Key {
                    coordinates,
                    permutation,
                    tiles,
                    lazy,
                });
            }
        }
    }
    keys
}

/// How many keys there are.
pub fn key_count(dimensions: usize, lengths: usize) -> usize {
    let permutations: usize = (1..=dimensions).product();
    let tilings = u32::try_from(dimensions).map_or(usize::MAX, |d| lengths.saturating_pow(d));
    permutations.saturating_mul(tilings).saturating_mul(2)
}

fn permutations(n: usize) -> Vec<Vec<usize>> {
    let Some(last) = n.checked_sub(1) else {
        return vec![Vec::new()];
    };
    let mut all = Vec::new();
    for shorter in permutations(last) {
        for place in (0..=last).rev() {
            let mut longer = shorter.clone();
            longer.insert(place, last);
            all.push(longer);
        }
    }
    all
}

fn choices(n: usize, lengths: &[i64]) -> Vec<Vec<i64>> {
    (0..n).fold(vec![Vec::new()], |all, _| {
        let extend = |tiles: Vec<i64>| {
            lengths.iter().map(move |&length| {
                let mut longer = tiles.clone();
                longer.push(length);
                longer
            })
        };
        all.into_iter().flat_map(extend).collect()
    })
}
