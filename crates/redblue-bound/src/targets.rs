//! Targets: the instances a phase argument counts, and where they lie in a common space.

use redblue_cert::certificate::IslText;
use redblue_math::rational::int;
use redblue_math::{Matrix, Rational};
use redblue_poly::{Count, Map, Set};

use crate::error::{BoundError, Result};
use crate::graph::Graph;
use crate::{label, write};

/// Instances of several nodes at different points of one space Z^d.
#[derive(Clone, Debug)]
pub struct Targets {
    /// One part per node.
    pub parts: Vec<Part>,
    /// d.
    pub dimension: usize,
}

/// The targets of one node.
#[derive(Clone, Debug)]
pub struct Part {
    /// The node.
    pub node: usize,
    /// The targets among its instances; all live.
    pub set: Set,
    /// Where they lie: `point = embedding · (x, 1, sizes)`, with integer entries.
    pub embedding: Matrix,
}

impl Targets {
    /// All live instances of one node, at their canonical coordinates.
    pub fn of_node(graph: &Graph, node: usize) -> Result<Targets> {
        let ones = vec![1; graph.nodes[node].domain.n_dim()];
        let part = Part::scaled(graph, node, &ones, &vec![0; ones.len()])?;
        Ok(Targets {
            dimension: ones.len(),
            parts: vec![part],
        })
    }

    /// The same targets without some of each part.
    pub fn without(&self, removed: &[Set]) -> Result<Targets> {
        let mut targets = self.clone();
        for (part, removed) in targets.parts.iter_mut().zip(removed) {
            part.set = part.set.subtract(removed)?.coalesce()?;
        }
        Ok(targets)
    }

    /// The same targets at other values of one coordinate, the same function of (x, 1, sizes) in every part.
    pub fn place(&mut self, coordinate: usize, value: &[Rational]) -> Result<()> {
        for part in &mut self.parts {
            let mut rows = part.embedding.rows().to_vec();
            rows[coordinate] = value.to_vec();
            part.embedding = Matrix::new(part.embedding.columns(), rows)?;
        }
        Ok(())
    }

    /// Whether there is no target.
    pub fn is_empty(&self) -> Result<bool> {
        for part in &self.parts {
            if !part.set.is_empty()? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The sizes for which there are targets.
    pub fn sizes(&self) -> Result<Set> {
        let mut sizes: Option<Set> = None;
        for part in &self.parts {
            let here = part.set.params()?;
            sizes = Some(match sizes {
                Some(sizes) => sizes.union(&here)?,
                None => here,
            });
        }
        let Some(sizes) = sizes else {
            return Err(BoundError::NoTargets);
        };
        Ok(sizes.coalesce()?)
    }

    /// The number of targets.
    pub fn count(&self, graph: &Graph) -> Result<Count> {
        let mut sum: Option<Count> = None;
        for part in &self.parts {
            let count = graph.count(&part.set)?;
            sum = Some(match sum {
                Some(sum) => sum.add(&count)?,
                None => count,
            });
        }
        match sum {
            Some(sum) => Ok(sum),
            None => graph.count(&Set::empty(&graph.context.space()?)?),
        }
    }

    /// The certificate's texts.
    pub fn texts(&self, graph: &Graph) -> Result<Vec<IslText>> {
        let mut texts = Vec::new();
        for part in &self.parts {
            if !part.set.is_empty()? {
                texts.push(write::labelled(&graph.nodes[part.node], &part.map()?)?);
            }
        }
        Ok(texts)
    }
}

impl Part {
    /// The live instances of a node at `scale·x + shift`, coordinate by coordinate.
    pub fn scaled(graph: &Graph, node: usize, scale: &[i64], shift: &[i64]) -> Result<Part> {
        let live = graph.nodes[node].live.simplify()?;
        let columns = live.n_dim() + 1 + graph.params.len();
        let row = |at: usize| -> Vec<Rational> {
            let mut row = vec![int(0); columns];
            row[at] = int(scale[at]);
            row[live.n_dim()] = int(shift[at]);
            row
        };
        let rows = (0..live.n_dim()).map(row).collect();
        Ok(Part {
            node,
            embedding: Matrix::new(columns, rows)?,
            set: live,
        })
    }

    /// The live instances of a node with their coordinates in another order.
    pub fn permuted(graph: &Graph, node: usize, order: &[usize]) -> Result<Part> {
        let ones = vec![1; order.len()];
        let mut part = Part::scaled(graph, node, &ones, &vec![0; order.len()])?;
        let rows = order.iter().map(|&at| part.embedding.rows()[at].clone());
        part.embedding = Matrix::new(part.embedding.columns(), rows.collect())?;
        Ok(part)
    }

    /// From targets to points.
    pub fn map(&self) -> Result<Map> {
        let map = label::to_map(&self.embedding, &self.set.space()?)?;
        Ok(map.intersect_domain(&self.set)?)
    }
}
