//! The parts that nodes, inputs and their coordinates play, as numbers: equal parts have equal colours.
//!
//! Colours are refined round by round: a vertex by the colours of its coordinates and its neighbours, a coordinate by those it is read
//! from and those that read it. A coordinate has two colours, one for either orientation. Nothing in a colour depends on
//! names, on the order of anything, on where counting starts, or on its direction.

use std::collections::BTreeSet;

use num_traits::ToPrimitive;
use redblue_math::rational::int;

use super::Scene;
use crate::error::Result;
use crate::graph::{Arrow, Source};

/// Most rounds of refinement.
const ROUNDS: usize = 6;

/// The colours of a scene.
pub(super) struct Colours {
    /// By vertex.
    pub(super) vertices: Vec<usize>,
    /// By arrow.
    pub(super) arrows: Vec<usize>,
    /// By coordinate, along it and against it.
    coordinates: Vec<[usize; 2]>,
    /// Whether values of a node are read at other values of the coordinate.
    pub(super) moving: Vec<bool>,
}

/// What a colour is made of.
type Feature = Vec<i64>;

/// An inequality or equation between several coordinates of a vertex.
struct Shape {
    equality: bool,
    factors: Vec<(usize, i64)>,
}

impl Colours {
    pub(super) fn of(scene: &Scene<'_>) -> Result<Colours> {
        let mut shapes = Vec::new();
        for vertex in 0..scene.vertices() {
            shapes.extend(shapes_of(scene, vertex)?);
        }
        let mut colours = Colours::first(scene);
        for _ in 0..ROUNDS {
            let before = colours.variety();
            colours.refine(scene, &shapes);
            if colours.variety() == before {
                break;
            }
        }
        Ok(colours)
    }

    /// The colour of a coordinate whose sign is changed or not.
    pub(super) fn of_oriented(&self, coordinate: usize, sign: i64) -> usize {
        self.coordinates[coordinate][usize::from(sign < 0)]
    }

    /// The colour of a coordinate whatever its orientation.
    pub(super) fn of_coordinate(&self, coordinate: usize) -> [usize; 2] {
        let mut both = self.coordinates[coordinate];
        both.sort();
        both
    }

    fn variety(&self) -> usize {
        let coordinates: BTreeSet<_> = self.coordinates.iter().flatten().collect();
        let vertices: BTreeSet<_> = self.vertices.iter().collect();
        let arrows: BTreeSet<_> = self.arrows.iter().collect();
        coordinates.len() + vertices.len() + arrows.len()
    }

    /// Nodes far from results first, then inputs; by their dimensions and how far these extend.
    fn first(scene: &Scene<'_>) -> Colours {
        let distance = distances(scene);
        let nodes = distance.len();
        let vertex = |at: usize| -> Feature {
            let dims = scene.coordinates(at).len() as i64;
            match distance.get(at) {
                Some(distance) => vec![0, -(*distance as i64), dims],
                None => vec![1, 0, dims],
            }
        };
        let vertices = ranked(&(0..scene.vertices()).map(vertex).collect::<Vec<_>>());
        let mut moving = vec![false; scene.count()];
        for arrow in &scene.graph.arrows {
            if arrow.source != Source::Node(arrow.reader) {
                continue;
            }
            for (at, coordinate) in scene.coordinates(arrow.reader).enumerate() {
                let still = |row: &[_]| {
                    let mut entries = row.iter().enumerate();
                    entries.all(|(column, entry)| *entry == int(i64::from(column == at)))
                };
                moving[coordinate] |= arrow.pieces.iter().any(|p| !still(&p.step.rows()[at]));
            }
        }
        let widths: Vec<_> = scene
            .ranges
            .iter()
            .map(|r| r.as_ref().map(|r| &r.width))
            .collect();
        let widths = ranked(&widths);
        let mut features = Vec::new();
        for (vertex, &colour) in vertices.iter().enumerate() {
            for coordinate in scene.coordinates(vertex) {
                features.push((
                    nodes <= vertex,
                    colour,
                    widths[coordinate],
                    moving[coordinate],
                ));
            }
        }
        let coordinates = ranked(&features).into_iter().map(|colour| [colour; 2]);
        Colours {
            vertices,
            arrows: vec![0; scene.graph.arrows.len()],
            coordinates: coordinates.collect(),
            moving,
        }
    }

    fn refine(&mut self, scene: &Scene<'_>, shapes: &[Shape]) {
        let mut arrows = Vec::new();
        for (arrow, &old) in scene.graph.arrows.iter().zip(&self.arrows) {
            let ends = [arrow.reader, scene.vertex(arrow.source)];
            let mut pieces: Vec<Feature> = Vec::new();
            for piece in &arrow.pieces {
                pieces.push(vec![piece.hull.columns() as i64]);
            }
            pieces.sort();
            let ends = ends.map(|vertex| self.vertices[vertex]);
            arrows.push((old, arrow.accumulates, ends, pieces));
        }
        self.arrows = ranked(&arrows);
        let mut features: Vec<[Vec<Feature>; 2]> = vec![Default::default(); scene.count()];
        for (arrow, &colour) in scene.graph.arrows.iter().zip(&self.arrows) {
            self.reading(scene, arrow, colour as i64, &mut features);
        }
        for shape in shapes {
            self.shape(shape, &mut features);
        }
        let mut oriented = Vec::new();
        for (both, old) in features.into_iter().zip(&self.coordinates) {
            for (mut features, old) in both.into_iter().zip(old) {
                features.sort();
                oriented.push((*old, features));
            }
        }
        let ranks = ranked(&oriented);
        self.coordinates = ranks.chunks(2).map(|pair| [pair[0], pair[1]]).collect();
        let mut vertices = Vec::new();
        for (vertex, &old) in self.vertices.iter().enumerate() {
            let own = scene.coordinates(vertex);
            let mut own: Vec<[usize; 2]> = own.map(|at| self.of_coordinate(at)).collect();
            own.sort();
            let mut ends: Vec<(bool, usize)> = Vec::new();
            for (arrow, &colour) in scene.graph.arrows.iter().zip(&self.arrows) {
                if arrow.reader == vertex {
                    ends.push((false, colour));
                }
                if scene.vertex(arrow.source) == vertex {
                    ends.push((true, colour));
                }
            }
            ends.sort();
            vertices.push((old, own, ends));
        }
        self.vertices = ranked(&vertices);
    }

    /// What an arrow says about the coordinates of its reader and its source.
    fn reading(
        &self,
        scene: &Scene<'_>,
        arrow: &Arrow,
        colour: i64,
        features: &mut [[Vec<Feature>; 2]],
    ) {
        let readers = scene.coordinates(arrow.reader);
        let sources = scene.coordinates(scene.vertex(arrow.source));
        for piece in &arrow.pieces {
            let size = piece.hull.columns() as i64;
            for (source, row) in sources.clone().zip(piece.step.rows()) {
                let used: Vec<(usize, i64)> = readers
                    .clone()
                    .zip(row)
                    .map(|(reader, factor)| (reader, factor.to_i64().unwrap_or(i64::MAX)))
                    .filter(|(_, factor)| *factor != 0)
                    .collect();
                for (at, sign) in [(0, 1), (1, -1)] {
                    let mut read: Vec<[i64; 2]> = Vec::new();
                    for &(reader, factor) in &used {
                        let other = self.of_oriented(reader, sign * factor.signum());
                        read.push([factor.saturating_abs(), other as i64]);
                    }
                    read.sort();
                    let head = [0, colour, size];
                    let feature = head.into_iter().chain(read.into_iter().flatten());
                    features[source][at].push(feature.collect());
                    for &(reader, factor) in &used {
                        let other = self.of_oriented(source, sign * factor.signum());
                        let (other, size_of) = (other as i64, factor.saturating_abs());
                        let mut feature = vec![1, colour, size, used.len() as i64, size_of, other];
                        if reader == source && factor == 1 {
                            let moves = row[readers.len()..].iter().map(|entry| {
                                sign.saturating_mul(entry.to_i64().unwrap_or(i64::MAX))
                            });
                            feature.extend(moves);
                        }
                        features[reader][at].push(feature);
                    }
                }
            }
        }
    }

    /// What the shape of a vertex says about its coordinates.
    fn shape(&self, shape: &Shape, features: &mut [[Vec<Feature>; 2]]) {
        for &(coordinate, own) in &shape.factors {
            for (at, sign) in [(0, 1), (1, -1)] {
                // An equation has no direction: its own factor is made positive.
                let turn = if shape.equality {
                    sign * own.signum()
                } else {
                    1
                };
                let mut others: Vec<[i64; 2]> = Vec::new();
                for &(other, factor) in shape.factors.iter().filter(|(o, _)| *o != coordinate) {
                    let colour = self.of_oriented(other, turn * factor.signum());
                    others.push([factor.saturating_abs(), colour as i64]);
                }
                others.sort();
                let head = [2, i64::from(shape.equality), turn * sign * own];
                let feature = head.into_iter().chain(others.into_iter().flatten());
                features[coordinate][at].push(feature.collect());
            }
        }
    }
}

/// The constraints of a vertex between two coordinates or more.
fn shapes_of(scene: &Scene<'_>, vertex: usize) -> Result<Vec<Shape>> {
    let mut shapes = Vec::new();
    let first = scene.coordinates(vertex).start;
    for basic in scene.set(vertex).simplify()?.basic_sets()? {
        for constraint in basic.constraints()? {
            let linear = &constraint.linear;
            let factors = linear.dims.iter().enumerate();
            let factors = factors.map(|(at, factor)| (first + at, factor.to_i64().unwrap_or(0)));
            let factors: Vec<(usize, i64)> = factors.filter(|(_, factor)| *factor != 0).collect();
            if factors.len() > 1 {
                shapes.push(Shape {
                    equality: constraint.equality,
                    factors,
                });
            }
        }
    }
    Ok(shapes)
}

/// The least number of arrows from a result to every node.
fn distances(scene: &Scene<'_>) -> Vec<usize> {
    let graph = scene.graph;
    let is_result = |set: &redblue_poly::Set| !set.is_empty().unwrap_or(false);
    let results = graph.nodes.iter().map(|node| is_result(&node.results));
    let mut distance: Vec<usize> = results.map(|is| if is { 0 } else { usize::MAX }).collect();
    for far in 0..graph.nodes.len() {
        for arrow in &graph.arrows {
            if let Source::Node(source) = arrow.source
                && distance[arrow.reader] == far
                && distance[source] > far + 1
            {
                distance[source] = far + 1;
            }
        }
    }
    distance
}

/// The position of every item among all different items.
fn ranked<T: Ord>(items: &[T]) -> Vec<usize> {
    let sorted: BTreeSet<&T> = items.iter().collect();
    let sorted: Vec<&T> = sorted.into_iter().collect();
    items
        .iter()
        .map(|item| sorted.binary_search(&item).unwrap_or(0))
        .collect()
}
