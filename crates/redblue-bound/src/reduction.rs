//! Complete reductions: a sum is finished only when everything it reduces has been at hand.
//!
//! # Statement
//! Each of V sums reads W_1 words of one input and W_2 of another, with labels φ_1 and φ_2 that together tell the sum. Then
//! `loads ≥ T·(V/U(S+T) − 1) + S`, U(K) = max(K, K²/(4·W_1·W_2)). For Q·Kᵀ this is N²d²/S with T = S ≥ 2d²,
//! and 8/9·N² − 7·S with T = 8·S ≤ 32/9·d².
//!
//! # Assumptions
//! The leaves are program inputs, different words for different labels. Nothing else: values may be computed
//! again, sums may be taken in any order, and results need not be stored.
//!
//! # Certificate
//! A phase argument with capacity `reduction`: the trees of vertices under each sum, and the two kinds of leaves
//! with their least number per sum.
//!
//! # Fails when
//! The length of a sum depends on where it is (triangular domains), or leaves are computed. Without recomputation other
//! methods prove more: `projections` or `any-order` for S below d², `fused` above. Together they exceed the bound of A-5,
//! N²d²/√(S(S + d²)) − S, which is therefore not implemented.
//!
//! # Example
//! The scores of `attention`, `matmul` with few summands.
//!
//! # References
//! Saha, Ye, The I/O complexity of attention, or how optimal is FlashAttention?, ICML 2024 (here with better constants).

mod tree;
mod width;

use redblue_cert::Proof;
use redblue_cert::certificate::{Capacity, Group, Leaves, Phases, Reduction};
use redblue_math::Expr;
use redblue_poly::{Map, Set};

pub(crate) use self::tree::{Tree, chain_dims};
pub(crate) use self::width::{coordinates, determined, least, unit_rows};
use crate::analysis::Search;
use crate::error::Result;
use crate::graph::{Graph, Source};
use crate::write;

/// Lengths of phases: the best for large memories, and one that is good while a phase can only use up words one by one.
pub(crate) const LENGTHS: [&str; 2] = ["S", "8*S"];

/// All proofs of this kind.
pub fn find(search: &Search<'_>) -> Result<()> {
    // Links of a tree may follow running values whatever the order of sums.
    let graph = search.whole;
    if graph.inputs.len() < 2 {
        return Ok(());
    }
    for node in 0..graph.nodes.len() {
        if search.is_over() {
            break;
        }
        if let Some(sums) = Sums::of(graph, node)? {
            search.propose(sums.arguments(graph)?.into_iter().map(Proof::Phases));
        }
    }
    Ok(())
}

/// The finished sums of a node.
struct Sums {
    node: usize,
    /// The last links.
    roots: Set,
    /// From a link to the coordinates that its sum keeps.
    points: Map,
}

/// Scalar products of the rows of two inputs, all of them: `rows × columns` sums of `depth` summands.
pub(crate) struct Product {
    pub(crate) rows: Expr,
    pub(crate) columns: Expr,
    pub(crate) depth: Expr,
}

/// The products of matrices that a program forms from its inputs.
pub(crate) fn products(graph: &Graph) -> Result<Vec<Product>> {
    let mut found = Vec::new();
    for node in 0..graph.nodes.len() {
        let Some(sums) = Sums::of(graph, node)? else {
            continue;
        };
        let points = sums.points.intersect_domain(&sums.roots)?;
        let tree = Tree::of(graph, node, &points)?;
        let points = points.range()?;
        let sizes = graph.context.intersect(&points.params()?)?;
        let count = |dims: &[usize]| -> Result<Option<Expr>> {
            let values = coordinates(&points, dims)?.range()?;
            Ok(values.count_within(&sizes)?.to_expr()?)
        };
        let all: Vec<usize> = (0..points.n_dim()).collect();
        if let [one, other] = &kinds(graph, &tree, &points)?[..]
            && one.leaves.words == other.leaves.words
            && let (Some(rows), Some(columns), Some(sums)) =
                (count(&one.told)?, count(&other.told)?, count(&all)?)
            && &rows * &columns == sums
        {
            found.push(Product {
                rows,
                columns,
                depth: one.leaves.words.parse()?,
            });
        }
    }
    Ok(found)
}

/// Leaves of one kind, with what they tell.
struct Kind {
    /// The coordinates of the point that a leaf tells.
    told: Vec<usize>,
    leaves: Leaves,
}

impl Sums {
    /// The sums of a node that accumulates.
    fn of(graph: &Graph, node: usize) -> Result<Option<Sums>> {
        let Some(kept) = chain_dims(graph, node, true) else {
            return Ok(None);
        };
        let mut roots = graph.nodes[node].live.clone();
        for (_, arrow) in graph.arrows_of(node) {
            if arrow.source == Source::Node(node) && arrow.accumulates {
                roots = roots.subtract(&arrow.relation.range()?)?;
            }
        }
        let points = coordinates(&graph.nodes[node].domain, &kept)?;
        let unique = points.intersect_domain(&roots)?.is_injective()?;
        let some = unique && !roots.is_empty()?;
        Ok(some.then_some(Sums {
            node,
            roots: roots.coalesce()?,
            points,
        }))
    }

    /// One argument for every two kinds of leaves that tell the sum.
    fn arguments(&self, graph: &Graph) -> Result<Vec<Phases>> {
        let points = self.points.intersect_domain(&self.roots)?;
        let tree = Tree::of(graph, self.node, &points)?;
        let all: Vec<usize> = (0..points.n_out()).collect();
        let kinds = kinds(graph, &tree, &points.range()?)?;
        let mut found = Vec::new();
        for (at, one) in kinds.iter().enumerate() {
            for other in &kinds[at + 1..] {
                let told = all
                    .iter()
                    .all(|dim| one.told.contains(dim) || other.told.contains(dim));
                // One kind that tells the sum by itself is a compulsory load.
                if told && one.told != all && other.told != all {
                    let pattern = Reduction {
                        trees: tree.texts(graph)?,
                        links: tree.links(graph),
                        leaves: vec![one.leaves.clone(), other.leaves.clone()],
                    };
                    let group = Group {
                        private: Vec::new(),
                        targets: vec![write::labelled(&graph.nodes[self.node], &points)?],
                        families: Vec::new(),
                        capacity: Capacity::Reduction(pattern),
                    };
                    found.push(Phases {
                        groups: vec![group],
                        lengths: LENGTHS.map(String::from).to_vec(),
                    });
                }
            }
        }
        Ok(found)
    }
}

/// The inputs that trees read, each with what it tells and its least number of words per tree.
fn kinds(graph: &Graph, tree: &Tree, points: &Set) -> Result<Vec<Kind>> {
    let mut found = Vec::new();
    for (input, array) in graph.inputs.iter().enumerate() {
        let mut cells: Option<Map> = None;
        let mut edges = Vec::new();
        for (reader, labels) in tree.members() {
            for (_, arrow) in graph.arrows_of(reader) {
                if arrow.source == Source::Input(input) {
                    let read = labels.reverse()?.apply_range(&arrow.relation)?;
                    edges.push(arrow.edge.clone());
                    cells = Some(match cells {
                        Some(cells) => cells.union(&read)?.coalesce()?,
                        None => read,
                    });
                }
            }
        }
        let Some(cells) = cells else { continue };
        let told = determined(&cells)?;
        if told.is_empty() {
            continue;
        }
        let Some(words) = least(graph, &cells, points)? else {
            continue;
        };
        let labels = cells.reverse()?.apply_range(&coordinates(points, &told)?)?;
        let leaves = Leaves {
            projection: unit_rows(points.n_dim(), &told),
            inputs: vec![write::cells(
                array,
                &labels.intersect_domain(&array.cells)?,
            )?],
            edges,
            words: words.to_string(),
        };
        found.push(Kind { told, leaves });
    }
    Ok(found)
}

#[cfg(test)]
mod tests;
