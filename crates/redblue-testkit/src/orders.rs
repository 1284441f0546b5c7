//! Legal orders of a program's computations, from keys on its loops or on its cells.
//!
//! Any [`Key`] gives a legal order, in two ways:
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

use crate::key::{Coordinates, Key};

/// The coordinates of a graph's vertices.
#[derive(Debug, Clone)]
pub struct Timetable {
    /// Loop values, matched by the names of the loops and zero where a statement has no such loop.
    loops: Points,
    /// Subscripts, zero where an array has fewer dimensions.
    cells: Points,
}

/// One point per vertex, all with the same number of coordinates.
#[derive(Debug, Clone)]
struct Points {
    coordinates: Vec<Vec<i64>>,
    vertices: usize,
}

impl Points {
    /// Pads the points with zeros and stores them coordinate by coordinate.
    fn new<'a>(points: impl Iterator<Item = &'a [i64]> + Clone) -> Points {
        let dimensions = points.clone().map(<[i64]>::len).max().unwrap_or(0);
        let coordinate = |d: usize| points.clone().map(move |p| p.get(d).copied().unwrap_or(0));
        Points {
            coordinates: (0..dimensions).map(|d| coordinate(d).collect()).collect(),
            vertices: points.clone().count(),
        }
    }

    /// The longest coordinate, from least to greatest value.
    fn longest(&self) -> i64 {
        let length = |values: &Vec<i64>| range(values, 1).map_or(0, |(_, length)| length);
        let longest = self.coordinates.iter().map(length).max().unwrap_or(0);
        i64::try_from(longest).unwrap_or(i64::MAX)
    }
}

/// The least tile of some values, and how many tiles there are up to the greatest.
fn range(values: &[i64], tile: i64) -> Option<(i64, u128)> {
    let low = values.iter().min()?.div_euclid(tile);
    let high = values.iter().max()?.div_euclid(tile);
    Some((low, u128::from(high.abs_diff(low)) + 1))
}

impl Timetable {
    /// Reads off the coordinates of each vertex.
    pub fn of(program: &Program, graph: &ProgramGraph) -> Timetable {
        let mut names: Vec<&str> = Vec::new();
        for name in program.statements.iter().flat_map(|s| &s.iterators) {
            if !names.contains(&name.as_str()) {
                names.push(name);
            }
        }
        let by_name = |origin: &Origin| match origin {
            Origin::Input(..) => Vec::new(),
            Origin::Instance(id, point) => {
                let own = &program.statement(*id).iterators;
                let value = |name: &&str| own.iter().position(|n| n == name).map(|at| point[at]);
                names.iter().map(|name| value(name).unwrap_or(0)).collect()
            }
        };
        let loops: Vec<Vec<i64>> = graph.origins.iter().map(by_name).collect();
        Timetable {
            loops: Points::new(loops.iter().map(Vec::as_slice)),
            cells: Points::new(graph.cells.iter().map(Vec::as_slice)),
        }
    }

    /// Number of coordinates of a kind.
    pub fn dimensions(&self, coordinates: Coordinates) -> usize {
        self.of_kind(coordinates).coordinates.len()
    }

    /// The greatest number of values of any coordinate of a kind.
    pub fn longest(&self, coordinates: Coordinates) -> i64 {
        self.of_kind(coordinates).longest()
    }

    /// The order of all computations of `graph` under `key`.
    pub fn order(&self, graph: &Cdag, key: &Key) -> Vec<Vertex> {
        let times = self.times(key);
        match key.lazy {
            true => lazy(graph, &times),
            false => eager(graph, &times),
        }
    }

    /// The components of each vertex's key as one number. Components that do not fit are left out, so that
    /// the number of the vertex decides in their place.
    fn times(&self, key: &Key) -> Vec<u128> {
        let points = self.of_kind(key.coordinates);
        let mut times = vec![0u128; points.vertices];
        let mut size = 1u128;
        for (dimension, tile) in key.components() {
            let values = &points.coordinates[dimension];
            let Some((low, count)) = range(values, tile) else {
                continue;
            };
            let Some(larger) = size.checked_mul(count) else {
                break;
            };
            size = larger;
            for (time, value) in times.iter_mut().zip(values) {
                *time = *time * count + u128::from(value.div_euclid(tile).abs_diff(low));
            }
        }
        times
    }

    fn of_kind(&self, coordinates: Coordinates) -> &Points {
        match coordinates {
            Coordinates::Loops => &self.loops,
            Coordinates::Cells => &self.cells,
        }
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

/// Outputs by time, each preceded by what it needs and is not there yet, operands by time. What no output
/// needs comes last.
pub fn lazy<T: Ord>(graph: &Cdag, times: &[T]) -> Vec<Vertex> {
    let by_time = |list: &mut Vec<Vertex>| list.sort_by_key(|&v| (&times[v], v));
    let mut targets: Vec<Vertex> = graph.outputs().to_vec();
    by_time(&mut targets);
    targets.extend(graph.order());
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
