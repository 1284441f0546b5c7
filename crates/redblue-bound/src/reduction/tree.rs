//! Trees: the vertices that only one root needs.
//!
//! From a root with its point, every arrow is followed whose source is needed by vertices of one point only; the
//! source gets that point. Values that several roots need belong to no tree.

use redblue_cert::certificate::{Edge, IslText};
use redblue_math::rational::int;
use redblue_poly::Map;

use crate::error::Result;
use crate::graph::{Graph, Source};
use crate::reduction::coordinates;
use crate::write;

/// Most times that new vertices are followed.
const MOST_STEPS: usize = 40;

/// Vertices with the point of their root.
#[derive(Clone, Debug)]
pub(crate) struct Tree {
    members: Vec<Option<Map>>,
    arrows: Vec<usize>,
}

impl Tree {
    /// The trees under some instances of a node.
    pub(crate) fn of(graph: &Graph, root: usize, points: &Map) -> Result<Tree> {
        let mut tree = Tree {
            members: vec![None; graph.nodes.len()],
            arrows: Vec::new(),
        };
        let points = along_chain(graph, root, points)?;
        tree.members[root] = Some(points.clone());
        let mut open = vec![(root, points)];
        for _ in 0..MOST_STEPS {
            let Some((node, labels)) = open.pop() else {
                break;
            };
            for (at, arrow) in graph.arrows_of(node) {
                let Source::Node(source) = arrow.source else {
                    continue;
                };
                let needed = arrow.relation.intersect_domain(&labels.domain()?)?;
                let mut labels = needed.reverse()?.apply_range(&labels)?;
                labels = labels
                    .intersect_domain(&graph.nodes[source].live)?
                    .coalesce()?;
                if labels.is_empty()? || !labels.is_single_valued()? {
                    continue;
                }
                if source != node {
                    labels = along_chain(graph, source, &labels)?;
                }
                let (known, new) = match &tree.members[source] {
                    Some(known) => (
                        known.union(&labels)?,
                        labels.subtract_domain(&known.domain()?)?,
                    ),
                    None => (labels.clone(), labels),
                };
                if !known.is_single_valued()? {
                    continue;
                }
                if !tree.arrows.contains(&at) {
                    tree.arrows.push(at);
                }
                tree.members[source] = Some(known.coalesce()?);
                if !new.is_empty()? {
                    open.push((source, new));
                }
            }
        }
        Ok(tree)
    }

    /// The nodes with vertices in trees, and the points of these.
    pub(crate) fn members(&self) -> impl Iterator<Item = (usize, &Map)> {
        let members = self.members.iter().enumerate();
        members.filter_map(|(node, labels)| Some((node, labels.as_ref()?)))
    }

    /// The certificate's texts.
    pub(crate) fn texts(&self, graph: &Graph) -> Result<Vec<IslText>> {
        let text = |(node, labels): (usize, &Map)| write::labelled(&graph.nodes[node], labels);
        self.members().map(text).collect()
    }

    /// The edges from vertices to others of the same tree.
    pub(crate) fn links(&self, graph: &Graph) -> Vec<Edge> {
        self.arrows
            .iter()
            .map(|&at| graph.arrows[at].edge.clone())
            .collect()
    }
}

/// The same labels for all earlier links of the chains that labelled instances belong to.
///
/// Following a chain link by link takes as many steps as it is long, so the labels are written as a function of
/// what the chain keeps, given to all its links, and kept if every link is then read by the next one.
fn along_chain(graph: &Graph, node: usize, labels: &Map) -> Result<Map> {
    let Some(kept) = chain_dims(graph, node, false) else {
        return Ok(labels.clone());
    };
    let known = labels.domain()?;
    let function = coordinates(&known, &kept)?.reverse()?.apply_range(labels)?;
    if !function.is_single_valued()? {
        return Ok(labels.clone());
    }
    let all = coordinates(&graph.nodes[node].live, &kept)?.apply_range(&function)?;
    let mut read = known;
    for (_, arrow) in graph.arrows_of(node) {
        if arrow.source == Source::Node(node) {
            let next = arrow.relation.intersect_domain(&all.domain()?)?.range()?;
            read = read.union(&next)?;
        }
    }
    let linked = all.domain()?.is_subset(&read)?;
    Ok(if linked {
        all.coalesce()?
    } else {
        labels.clone()
    })
}

/// The coordinates that the chain of a node to itself never changes; none without such a chain.
pub(crate) fn chain_dims(graph: &Graph, node: usize, accumulating: bool) -> Option<Vec<usize>> {
    let chain = |arrow: &&crate::graph::Arrow| {
        arrow.source == Source::Node(node) && (arrow.accumulates || !accumulating)
    };
    let arrows: Vec<_> = graph
        .arrows_of(node)
        .map(|(_, arrow)| arrow)
        .filter(chain)
        .collect();
    let first = arrows.first()?.operand;
    if arrows
        .iter()
        .any(|arrow| arrow.operand != first || arrow.pieces.is_empty())
    {
        return None;
    }
    let keeps = |dim: &usize| {
        arrows.iter().flat_map(|arrow| &arrow.pieces).all(|piece| {
            let row = piece.step.rows()[*dim].iter().enumerate();
            row.into_iter()
                .all(|(at, entry)| *entry == int(i64::from(at == *dim)))
        })
    };
    Some(
        (0..graph.nodes[node].domain.n_dim())
            .filter(keeps)
            .collect(),
    )
}
