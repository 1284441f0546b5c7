//! Families of hubs: one instance of a node for every value of some of its coordinates.

use redblue_math::Matrix;
use redblue_math::rational::int;
use redblue_poly::Map;

use crate::error::Result;
use crate::graph::Graph;
use crate::write;

/// What a coordinate of a hub is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Role {
    /// A component of the index t.
    Index,
    /// As small as possible, given the index and the coordinates before.
    Least,
    /// As large as possible.
    Greatest,
}

/// A choice of hubs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Hubs {
    /// The node.
    pub(super) node: usize,
    /// The role of each coordinate.
    pub(super) roles: Vec<Role>,
}

impl Hubs {
    /// All choices for nodes with few coordinates.
    pub(super) fn all(graph: &Graph) -> Vec<Hubs> {
        let mut all = Vec::new();
        for (node, facts) in graph.nodes.iter().enumerate() {
            let dims = facts.live.n_dim();
            if dims == 0 || dims > 4 {
                continue;
            }
            for code in 0..3_usize.pow(dims as u32) {
                let role = |at: u32| match code / 3_usize.pow(at) % 3 {
                    0 => Role::Index,
                    1 => Role::Least,
                    _ => Role::Greatest,
                };
                let roles: Vec<Role> = (0..dims as u32).map(role).collect();
                // Where every instance is a hub, none has much before and after it.
                let indices = roles.iter().filter(|role| **role == Role::Index).count();
                if indices > 0 && (indices < dims || dims < 3) {
                    all.push(Hubs { node, roles });
                }
            }
        }
        all
    }

    /// The number of components of the index.
    pub(super) fn indices(&self) -> usize {
        self.roles
            .iter()
            .filter(|role| **role == Role::Index)
            .count()
    }

    /// The number of coordinates that are as large as possible.
    pub(super) fn greatest(&self) -> usize {
        let greatest = |role: &&Role| **role == Role::Greatest;
        self.roles.iter().filter(greatest).count()
    }

    /// Whether the index has one component, so that hubs can follow each other.
    pub(super) fn is_sequence(&self) -> bool {
        self.indices() == 1
    }

    /// The index of a point.
    pub(super) fn index(&self, point: &[i64]) -> Vec<i64> {
        let pairs = self.roles.iter().zip(point);
        pairs
            .filter(|(role, _)| **role == Role::Index)
            .map(|(_, &x)| x)
            .collect()
    }

    /// What is minimised among the points of one index.
    pub(super) fn rest(&self, point: &[i64]) -> Vec<i64> {
        let pairs = self.roles.iter().zip(point);
        let signed = pairs.filter_map(|(role, &x)| match role {
            Role::Index => None,
            Role::Least => Some(x),
            Role::Greatest => Some(-x),
        });
        signed.collect()
    }

    /// Hub → index, with symbolic sizes.
    pub(super) fn relation(&self, graph: &Graph) -> Result<Map> {
        let live = &graph.nodes[self.node].live;
        let space = live.space()?;
        let dims = self.roles.len();
        let row = |at: usize, factor: i64| {
            (0..dims)
                .map(|x| int(if x == at { factor } else { 0 }))
                .collect()
        };
        let (mut index, mut rest) = (Vec::new(), Vec::new());
        for (at, role) in self.roles.iter().enumerate() {
            match role {
                Role::Index => index.push(row(at, 1)),
                Role::Least => rest.push(row(at, 1)),
                Role::Greatest => rest.push(row(at, -1)),
            }
        }
        let index =
            write::linear_map(&space, &Matrix::new(dims, index)?)?.intersect_domain(live)?;
        if rest.is_empty() {
            return Ok(index);
        }
        let rest = write::linear_map(&space, &Matrix::new(dims, rest)?)?;
        let first = index.reverse()?.apply_range(&rest)?.lexmin()?;
        let both = index.range_product(&rest)?;
        let chosen = both.intersect_range(&first.wrap()?)?.domain()?;
        Ok(index.intersect_domain(&chosen)?.coalesce()?)
    }
}
