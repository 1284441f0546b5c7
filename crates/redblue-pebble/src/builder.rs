//! Builds a [`Cdag`] value by value, in an order in which the values could be computed.
//!
//! Generators and front ends that already know such an order use this instead of
//! [`Cdag::from_parts`]: there is nothing left to refuse, because an operand is named by the handle
//! that an earlier call returned.

use crate::cdag::{Cdag, Vertex};
use crate::error::Error;

/// A graph under construction.
///
/// ```
/// let mut builder = redblue_pebble::Builder::new();
/// let (a, b) = (builder.input("a"), builder.input("b"));
/// let sum = builder.compute("a+b", &[a, b]);
/// builder.output(sum);
/// assert_eq!(builder.build()?.edge_count(), 2);
/// # Ok::<(), redblue_pebble::Error>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Builder {
    labels: Vec<String>,
    edges: Vec<(Vertex, Vertex)>,
    inputs: Vec<Vertex>,
    outputs: Vec<Vertex>,
}

impl Builder {
    /// An empty graph.
    pub fn new() -> Builder {
        Builder::default()
    }

    /// Adds a value that is given.
    pub fn input(&mut self, label: impl Into<String>) -> Vertex {
        let v = self.vertex(label);
        self.inputs.push(v);
        v
    }

    /// Adds a value computed from `operands`; an operand that occurs twice is read once.
    pub fn compute(&mut self, label: impl Into<String>, operands: &[Vertex]) -> Vertex {
        let v = self.vertex(label);
        for (position, &u) in operands.iter().enumerate() {
            if !operands[..position].contains(&u) {
                self.edges.push((u, v));
            }
        }
        v
    }

    /// Declares a value to be an output.
    pub fn output(&mut self, v: Vertex) {
        self.outputs.push(v);
    }

    /// Sums the values left to right and returns the last partial sum.
    pub fn sum(&mut self, label: &str, terms: &[Vertex]) -> Option<Vertex> {
        let mut terms = terms.iter().copied();
        let first = terms.next()?;
        let partial = |(acc, count): (Vertex, usize), term| {
            let next = self.compute(format!("{label}+{count}"), &[acc, term]);
            (next, count + 1)
        };
        Some(terms.fold((first, 1), partial).0)
    }

    /// The finished graph.
    ///
    /// # Errors
    /// Only if a handle of another builder was used.
    pub fn build(self) -> Result<Cdag, Error> {
        let n = self.labels.len();
        Cdag::from_parts(n, &self.edges, Some(&self.inputs), Some(&self.outputs))?
            .with_labels(self.labels)
    }

    fn vertex(&mut self, label: impl Into<String>) -> Vertex {
        self.labels.push(label.into());
        self.labels.len() - 1
    }
}
