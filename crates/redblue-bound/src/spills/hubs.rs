//! Hubs: the ends of chains, with what comes before and after them.

use redblue_poly::Map;

use crate::error::Result;
use crate::graph::{Graph, Source};
use crate::reach::{Reach, Way};
use crate::reduction::{chain_dims, coordinates};

/// The last links of the chains of one node.
pub(super) struct Hubs {
    /// The node.
    pub(super) node: usize,
    /// Hub → index.
    pub(super) relation: Map,
    /// What they need.
    pub(super) into: Reach,
    /// What needs them.
    pub(super) out_of: Reach,
}

impl Hubs {
    /// All chains that end and are used then.
    pub(super) fn all(graph: &Graph) -> Result<Vec<Hubs>> {
        let mut all = Vec::new();
        for node in 0..graph.nodes.len() {
            all.extend(Hubs::of(graph, node)?);
        }
        Ok(all)
    }

    fn of(graph: &Graph, node: usize) -> Result<Option<Hubs>> {
        let Some(kept) = chain_dims(graph, node, false) else {
            return Ok(None);
        };
        let mut ends = graph.nodes[node].live.clone();
        for (_, arrow) in graph.arrows_of(node) {
            if arrow.source == Source::Node(node) {
                ends = ends.subtract(&arrow.relation.range()?)?;
            }
        }
        let ends = ends.coalesce()?;
        let used = |arrow: &&crate::graph::Arrow| {
            arrow.source == Source::Node(node) && arrow.reader != node
        };
        let mut read = false;
        for arrow in graph.arrows.iter().filter(used) {
            read |= !arrow.relation.range()?.is_disjoint(&ends)?;
        }
        let relation = coordinates(&ends, &kept)?;
        if !read || !relation.is_injective()? {
            return Ok(None);
        }
        Ok(Some(Hubs {
            node,
            into: Reach::from_hubs(graph, node, &relation, Way::Into)?,
            out_of: Reach::from_hubs(graph, node, &relation, Way::OutOf)?,
            relation,
        }))
    }
}
