//! The computation graph: vertices are values, an edge `u -> v` says that `v` reads `u` (theory G-1).
//!
//! A [`Cdag`] is built once, checked, and never changed; players, referee, partitions and bounds
//! only read it. Vertices keep the numbers they were given, and [`Cdag::order`] is a topological
//! order of them (the identity whenever the numbering already is one).
//!
//! ```text
//!   inputs 0, 1     0   1        from_parts(3, &[(0, 2), (1, 2)], None, None)
//!                    \ /
//!   output 2          2
//! ```
//!
//! It deliberately has no weights: every value is one word.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::error::Error;

/// The number of a vertex, `0..graph.len()`.
pub type Vertex = usize;

/// A graph takes some hundred bytes per vertex: more than this would not fit in memory.
pub const MOST_VERTICES: usize = 1 << 25;

/// A directed acyclic graph of values with its inputs and outputs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cdag {
    preds: Adjacency,
    succs: Adjacency,
    order: Vec<Vertex>,
    is_input: Vec<bool>,
    is_output: Vec<bool>,
    inputs: Vec<Vertex>,
    outputs: Vec<Vertex>,
    labels: Option<Vec<String>>,
}

impl Cdag {
    /// A graph with vertices `0..vertices` and the given edges `(from, to)`.
    ///
    /// Without `inputs` the sources are meant, without `outputs` the sinks. A source that is left
    /// out of `inputs` is a value computed from nothing. An output may have successors, and an
    /// input may be an output.
    ///
    /// # Errors
    /// More than [`MOST_VERTICES`], vertices out of range, an edge listed twice, an input with predecessors, or a cycle (which
    /// the error lists).
    pub fn from_parts(
        vertices: usize,
        edges: &[(Vertex, Vertex)],
        inputs: Option<&[Vertex]>,
        outputs: Option<&[Vertex]>,
    ) -> Result<Cdag, Error> {
        if vertices > MOST_VERTICES {
            return Err(Error::TooManyVertices {
                vertices,
                limit: MOST_VERTICES,
            });
        }
        let in_range = |what, vertex| match vertex < vertices {
            true => Ok(()),
            false => Err(Error::VertexOutOfRange {
                what,
                vertex,
                vertices,
            }),
        };
        for &(from, to) in edges {
            in_range("an edge", from)?;
            in_range("an edge", to)?;
        }
        let mut sorted = edges.to_vec();
        sorted.sort_unstable();
        if let Some(pair) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(Error::DuplicateEdge {
                from: pair[0].0,
                to: pair[0].1,
            });
        }
        let succs = Adjacency::from_sorted(vertices, sorted.iter().copied());
        let mut reversed: Vec<_> = sorted.iter().map(|&(from, to)| (to, from)).collect();
        reversed.sort_unstable();
        let preds = Adjacency::from_sorted(vertices, reversed.into_iter());
        let order = topological_order(&preds, &succs)?;

        let is_input = match inputs {
            None => (0..vertices).map(|v| preds.of(v).is_empty()).collect(),
            Some(list) => membership(vertices, list, |v| in_range("the input list", v))?,
        };
        let is_output = match outputs {
            None => (0..vertices).map(|v| succs.of(v).is_empty()).collect(),
            Some(list) => membership(vertices, list, |v| in_range("the output list", v))?,
        };
        if let Some(vertex) = (0..vertices).find(|&v| is_input[v] && !preds.of(v).is_empty()) {
            return Err(Error::InputWithPredecessors { vertex });
        }
        let members = |flags: &[bool]| (0..vertices).filter(|&v| flags[v]).collect();
        let (inputs, outputs) = (members(&is_input), members(&is_output));
        Ok(Cdag {
            preds,
            succs,
            order,
            is_input,
            is_output,
            inputs,
            outputs,
            labels: None,
        })
    }

    /// The same graph with one label per vertex, for people to read.
    ///
    /// # Errors
    /// When the number of labels is not the number of vertices.
    pub fn with_labels(mut self, labels: Vec<String>) -> Result<Cdag, Error> {
        if labels.len() != self.len() {
            return Err(Error::LabelCount {
                labels: labels.len(),
                vertices: self.len(),
            });
        }
        self.labels = Some(labels);
        Ok(self)
    }

    /// Number of vertices.
    pub fn len(&self) -> usize {
        self.order.len()
    }

    /// Whether there is no vertex at all.
    pub fn is_empty(&self) -> bool {
        self.order.is_empty()
    }

    /// Number of edges.
    pub fn edge_count(&self) -> usize {
        self.preds.targets.len()
    }

    /// The values that `v` reads, ascending.
    pub fn preds(&self, v: Vertex) -> &[Vertex] {
        self.preds.of(v)
    }

    /// The values that read `v`, ascending.
    pub fn succs(&self, v: Vertex) -> &[Vertex] {
        self.succs.of(v)
    }

    /// All vertices, each after its predecessors; ties go to the smaller number.
    pub fn order(&self) -> &[Vertex] {
        &self.order
    }

    /// The inputs, ascending: they start in slow memory.
    pub fn inputs(&self) -> &[Vertex] {
        &self.inputs
    }

    /// The outputs, ascending: they must be delivered.
    pub fn outputs(&self) -> &[Vertex] {
        &self.outputs
    }

    /// Whether `v` is an input.
    pub fn is_input(&self, v: Vertex) -> bool {
        self.is_input[v]
    }

    /// Whether `v` is an output.
    pub fn is_output(&self, v: Vertex) -> bool {
        self.is_output[v]
    }

    /// The label of `v`, if the graph has labels.
    pub fn label(&self, v: Vertex) -> Option<&str> {
        self.labels.as_ref().map(|labels| labels[v].as_str())
    }

    /// All edges `(from, to)`, ascending.
    pub fn edges(&self) -> impl Iterator<Item = (Vertex, Vertex)> + '_ {
        (0..self.len()).flat_map(|u| self.succs(u).iter().map(move |&v| (u, v)))
    }

    /// The vertices that some output needs: outputs and their ancestors, as flags.
    pub fn needed_for_outputs(&self) -> Vec<bool> {
        let mut needed = self.is_output.clone();
        for &v in self.order.iter().rev() {
            if needed[v] {
                for &u in self.preds(v) {
                    needed[u] = true;
                }
            }
        }
        needed
    }
}

/// Neighbour lists in compressed form: those of `v` are `targets[starts[v]..starts[v + 1]]`.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Adjacency {
    starts: Vec<usize>,
    targets: Vec<Vertex>,
}

impl Adjacency {
    fn from_sorted(vertices: usize, edges: impl Iterator<Item = (Vertex, Vertex)>) -> Adjacency {
        let mut starts = vec![0; vertices + 1];
        let mut targets = Vec::new();
        for (from, to) in edges {
            starts[from + 1] += 1;
            targets.push(to);
        }
        for v in 0..vertices {
            starts[v + 1] += starts[v];
        }
        Adjacency { starts, targets }
    }

    fn of(&self, v: Vertex) -> &[Vertex] {
        &self.targets[self.starts[v]..self.starts[v + 1]]
    }
}

fn membership(
    vertices: usize,
    list: &[Vertex],
    check: impl Fn(Vertex) -> Result<(), Error>,
) -> Result<Vec<bool>, Error> {
    let mut flags = vec![false; vertices];
    for &v in list {
        check(v)?;
        flags[v] = true;
    }
    Ok(flags)
}

/// Kahn's algorithm, always taking the smallest ready vertex; a cycle is reported as an error.
fn topological_order(preds: &Adjacency, succs: &Adjacency) -> Result<Vec<Vertex>, Error> {
    let vertices = preds.starts.len() - 1;
    let mut waiting: Vec<usize> = (0..vertices).map(|v| preds.of(v).len()).collect();
    let mut ready: BinaryHeap<Reverse<Vertex>> = (0..vertices)
        .filter(|&v| waiting[v] == 0)
        .map(Reverse)
        .collect();
    let mut order = Vec::with_capacity(vertices);
    while let Some(Reverse(v)) = ready.pop() {
        order.push(v);
        for &w in succs.of(v) {
            waiting[w] -= 1;
            if waiting[w] == 0 {
                ready.push(Reverse(w));
            }
        }
    }
    match order.len() == vertices {
        true => Ok(order),
        false => Err(Error::Cycle {
            cycle: find_cycle(preds, &waiting),
        }),
    }
}

/// Walks backwards among the vertices that never became ready until one repeats: each of them has
/// a predecessor that never became ready either.
fn find_cycle(preds: &Adjacency, waiting: &[usize]) -> Vec<Vertex> {
    let stuck = |v: Vertex| waiting[v] > 0;
    let Some(mut v) = (0..waiting.len()).find(|&v| stuck(v)) else {
        return Vec::new();
    };
    let mut seen_at = vec![None; waiting.len()];
    let mut walk = Vec::new();
    loop {
        if let Some(start) = seen_at[v] {
            walk.drain(..start);
            walk.push(v);
            walk.reverse();
            return walk;
        }
        seen_at[v] = Some(walk.len());
        walk.push(v);
        match preds.of(v).iter().copied().find(|&u| stuck(u)) {
            Some(u) => v = u,
            None => return walk,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_error(vertices: usize, edges: &[(Vertex, Vertex)], expect: &str) {
        let error = Cdag::from_parts(vertices, edges, None, None).expect_err("must be refused");
        assert_eq!(error.to_string(), expect);
    }

    #[test]
    fn malformed_graphs_are_named() {
        check_error(
            3,
            &[(0, 1), (1, 2), (2, 1)],
            "the graph has a cycle: 1 -> 2 -> 1",
        );
        check_error(2, &[(0, 0)], "the graph has a cycle: 0 -> 0");
        check_error(2, &[(0, 1), (0, 1)], "the edge 0 -> 1 is listed twice");
        check_error(
            2,
            &[(0, 2)],
            "an edge names vertex 2, but the vertices are 0..2",
        );
    }

    #[test]
    fn a_cycle_is_listed_along_its_edges() {
        let edges = [(5, 0), (0, 3), (3, 1), (1, 4), (4, 3), (2, 5)];
        let Err(Error::Cycle { cycle }) = Cdag::from_parts(6, &edges, None, None) else {
            panic!("there is a cycle");
        };
        assert!(
            cycle
                .windows(2)
                .all(|pair| edges.contains(&(pair[0], pair[1])))
        );
        assert_eq!(cycle.first(), cycle.last());
    }

    #[test]
    fn inputs_and_outputs_are_checked() {
        let edges = [(0, 1), (1, 2)];
        let inputs = Cdag::from_parts(3, &edges, Some(&[1]), None).expect_err("1 is computed");
        assert_eq!(
            inputs.to_string(),
            "vertex 1 is an input but has predecessors"
        );
        let outputs = Cdag::from_parts(3, &edges, None, Some(&[7])).expect_err("no vertex 7");
        assert_eq!(outputs.code(), "RB0502");
        let graph = Cdag::from_parts(3, &edges, None, Some(&[1])).expect("fine");
        assert_eq!((graph.inputs(), graph.outputs()), (&[0][..], &[1][..]));
    }

    #[test]
    fn the_order_respects_edges_and_keeps_good_numberings() {
        let graph = Cdag::from_parts(4, &[(3, 1), (1, 0), (3, 2)], None, None).expect("fine");
        assert_eq!(graph.order(), &[3, 1, 0, 2]);
        let graph = Cdag::from_parts(3, &[(0, 2), (1, 2)], None, None).expect("fine");
        assert_eq!(graph.order(), &[0, 1, 2]);
    }
}
