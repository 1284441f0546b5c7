//! Coordinates that do not depend on how loops and arrays count.
//!
//! ```text
//! S reads X[i, k]      T reads X[5 − a, c + 2]      one frame:  i = 5 − a,  k = c + 2
//! ```
//!
//! A loop may run forwards or backwards, from anywhere, and stand anywhere among the loops of its nest; an array may be stored in as
//! many ways. All of that is a signed permutation and a shift of the coordinates of a node or an input. Here each gets *one*: coordinates that are
//! read as one another get the same orientation and the same zero ([`links`]), time goes forward, the widest range of coordinates that belong together
//! starts at zero, and the order of coordinates, nodes and inputs follows the parts they play ([`colours`]), that of operands what they read ([`operands`]). So no method
//! can tell two spellings apart, unless two parts play the same role; then either may come first.
//!
//! Any frame is sound: certificates are written in the coordinates of the program, by [`Node::instances`](super::Node::instances) and
//! [`Input::places`](super::Input::places).

mod colours;
mod links;
mod operands;

use num_bigint::BigInt;
use redblue_math::rational::int;
use redblue_math::{Matrix, Rational};
use redblue_poly::{Map, PwAff, Set};

use self::colours::Colours;
use super::{Arrow, Graph, Piece, Source};
use crate::error::Result;
use crate::{label, reference};

/// A constant and a factor for every size.
type Offset = Vec<Rational>;

/// The new number of a coordinate x: `sign·x + shift`.
#[derive(Clone, Debug)]
struct Numbering {
    sign: i64,
    shift: Offset,
}

/// The least and the greatest value of a coordinate at large sizes, where they are affine.
#[derive(Clone, Debug)]
struct Range {
    low: Offset,
    high: Offset,
    /// Their distance at the sizes of the scene.
    width: Rational,
}

/// The graph as nodes and inputs with numbered coordinates.
struct Scene<'g> {
    graph: &'g Graph,
    /// The first coordinate of every vertex, and the number of coordinates at the end.
    first: Vec<usize>,
    /// The ranges of coordinates.
    ranges: Vec<Option<Range>>,
    /// Large sizes.
    sizes: Vec<BigInt>,
}

impl<'g> Scene<'g> {
    fn of(graph: &'g Graph) -> Result<Scene<'g>> {
        let points = reference::points(graph)?;
        let distinct = |point: &&reference::Point| {
            let mut values: Vec<&BigInt> = point.sizes.values().collect();
            values.sort();
            values.windows(2).all(|pair| pair[0] != pair[1])
        };
        let point = points.iter().find(distinct).or(points.first());
        let sizes = point.map(|point| {
            let sizes = graph.params.iter();
            sizes.map(|name| point.sizes[name].clone()).collect()
        });
        let mut scene = Scene {
            graph,
            first: vec![0],
            ranges: Vec::new(),
            sizes: sizes.unwrap_or_default(),
        };
        for vertex in 0..graph.nodes.len() + graph.inputs.len() {
            let set = scene.set(vertex);
            scene.first.push(scene.first[vertex] + set.n_dim());
            for dim in 0..set.n_dim() {
                let range = match point {
                    Some(_) => scene.range(set, dim)?,
                    None => None,
                };
                scene.ranges.push(range);
            }
        }
        Ok(scene)
    }

    /// Nodes first, then inputs.
    fn vertices(&self) -> usize {
        self.first.len() - 1
    }

    fn vertex(&self, source: Source) -> usize {
        match source {
            Source::Node(node) => node,
            Source::Input(input) => self.graph.nodes.len() + input,
        }
    }

    fn set(&self, vertex: usize) -> &'g Set {
        let nodes = &self.graph.nodes;
        match nodes.get(vertex) {
            Some(node) => &node.domain,
            None => &self.graph.inputs[vertex - nodes.len()].cells,
        }
    }

    /// The coordinates of a vertex.
    fn coordinates(&self, vertex: usize) -> std::ops::Range<usize> {
        self.first[vertex]..self.first[vertex + 1]
    }

    fn count(&self) -> usize {
        self.ranges.len()
    }

    /// The value at the sizes of the scene.
    fn value(&self, offset: &Offset) -> Rational {
        let sizes = offset[1..].iter().zip(&self.sizes);
        sizes.fold(offset[0].clone(), |sum, (factor, size)| {
            sum + factor * int(size.clone())
        })
    }

    fn range(&self, set: &Set, dim: usize) -> Result<Option<Range>> {
        let low = self.end(&set.dim_min(dim)?)?;
        let high = self.end(&set.dim_max(dim)?)?;
        Ok(low.zip(high).map(|(low, high)| Range {
            width: self.value(&high) - self.value(&low),
            low,
            high,
        }))
    }

    fn end(&self, end: &PwAff) -> Result<Option<Offset>> {
        for (domain, affine) in end.pieces()? {
            if affine.is_plain() && domain.contains(&self.sizes, &[])? {
                let linear = &affine.numerator;
                let entries = std::iter::once(&linear.constant).chain(&linear.params);
                return Ok(Some(entries.map(|entry| int(entry.clone())).collect()));
            }
        }
        Ok(None)
    }
}

/// The coordinates of a vertex in terms of its old ones.
struct Frame {
    /// Square, in homogeneous coordinates.
    matrix: Matrix,
    inverse: Matrix,
    /// From old to new elements.
    map: Map,
}

impl Frame {
    fn of(set: &Set, numberings: &[&Numbering], order: &[usize], name: &str) -> Result<Frame> {
        let (dims, columns) = (set.n_dim(), set.n_dim() + 1 + set.n_param());
        let mut rows = Vec::new();
        for &at in order {
            let mut row = vec![int(0); dims];
            row[at] = int(numberings[at].sign);
            row.extend(numberings[at].shift.iter().cloned());
            rows.push(row);
        }
        let map = label::to_map(&Matrix::new(columns, rows.clone())?, &set.space()?)?;
        rows.extend_from_slice(&Matrix::identity(columns).rows()[dims..]);
        let matrix = Matrix::new(columns, rows)?;
        // A signed permutation has an inverse.
        let inverse = matrix.inverse()?;
        Ok(Frame {
            inverse: inverse.unwrap_or_else(|| Matrix::identity(columns)),
            matrix,
            map: map.set_out_tuple(name)?,
        })
    }
}

impl Graph {
    /// The same graph in coordinates and in an order that do not depend on the spelling of the program.
    pub(super) fn framed(self) -> Result<Graph> {
        let scene = Scene::of(&self)?;
        let colours = Colours::of(&scene)?;
        let numberings = links::numberings(&scene, &colours)?;
        let nodes = self.nodes.len();
        let by_colour = |vertices: std::ops::Range<usize>| {
            let mut order: Vec<usize> = vertices.collect();
            order.sort_by_key(|&vertex| (colours.vertices[vertex], vertex));
            order
        };
        let node_order = by_colour(0..nodes);
        let input_order = by_colour(nodes..scene.vertices());
        let mut frames = Vec::new();
        for vertex in 0..scene.vertices() {
            let coordinates = scene.coordinates(vertex);
            let own: Vec<&Numbering> = numberings[coordinates.clone()].iter().collect();
            let mut order: Vec<usize> = (0..own.len()).collect();
            let first = coordinates.start;
            order.sort_by_key(|&at| {
                let colour = colours.of_oriented(first + at, own[at].sign);
                (colours.moving[first + at], colour, at)
            });
            let name = match self.inputs.get(vertex.wrapping_sub(nodes)) {
                Some(input) => input.name.clone(),
                None => format!("op{}", place(&node_order, vertex)),
            };
            frames.push(Frame::of(scene.set(vertex), &own, &order, &name)?);
        }
        let mut framed = Graph {
            nodes: Vec::new(),
            inputs: Vec::new(),
            arrows: Vec::new(),
            ..self.clone()
        };
        for (at, &old) in node_order.iter().enumerate() {
            let (mut node, map) = (self.nodes[old].clone(), &frames[old].map);
            node.name = format!("op{at}");
            node.domain = node.domain.apply(map)?;
            node.live = node.live.apply(map)?;
            node.results = node.results.apply(map)?;
            node.instances = node.instances.apply_domain(map)?;
            framed.nodes.push(node);
        }
        for &old in &input_order {
            let (mut input, map) = (self.inputs[old - nodes].clone(), &frames[old].map);
            input.cells = input.cells.apply(map)?;
            input.places = input.places.apply_domain(map)?;
            framed.inputs.push(input);
        }
        for arrow in &self.arrows {
            let frames = [&frames[arrow.reader], &frames[scene.vertex(arrow.source)]];
            let mut arrow = reframed(arrow, frames)?;
            arrow.reader = place(&node_order, arrow.reader);
            arrow.source = match arrow.source {
                Source::Node(node) => Source::Node(place(&node_order, node)),
                Source::Input(input) => Source::Input(place(&input_order, nodes + input)),
            };
            framed.arrows.push(arrow);
        }
        framed.arrows = operands::numbered(framed.arrows)?;
        Ok(framed)
    }
}

fn place(order: &[usize], vertex: usize) -> usize {
    order.iter().position(|&old| old == vertex).unwrap_or(0)
}

/// An arrow between the new coordinates of its reader and its source.
fn reframed(arrow: &Arrow, [reader, source]: [&Frame; 2]) -> Result<Arrow> {
    let mut arrow = arrow.clone();
    let relation = arrow.relation.apply_domain(&reader.map)?;
    arrow.relation = relation.apply_range(&source.map)?;
    for piece in &mut arrow.pieces {
        let hull = reader.matrix.product(&piece.hull)?.transpose();
        *piece = Piece {
            domain: piece.domain.apply(&reader.map)?,
            step: source
                .matrix
                .product(&piece.step)?
                .product(&reader.inverse)?,
            hull: hull.echelon().matrix.transpose(),
        };
    }
    arrow.pieces.sort_by(|one, other| {
        let key = |piece: &Piece| std::cmp::Reverse(piece.hull.columns());
        (key(one), &one.step, &one.hull).cmp(&(key(other), &other.step, &other.hull))
    });
    Ok(arrow)
}

#[cfg(test)]
mod tests;
