//! Complete reductions (X-2, A-4).
//!
//! Take a phase with K words at hand (resident at its start, or loaded and not first computed in it), x0 of
//! them in trees. A root that is first computed in the phase is *touched* if a vertex of its own tree is at hand; every tree vertex
//! has one label, so at most x0 roots are. The whole tree of any other root is computed in the phase, so all its leaves
//! are at hand: W_j words with the label φ_j of the root for each j. Different labels, and different families, have
//! different words: W_1·|φ_1(X_c)| + W_2·|φ_2(X_c)| ≤ K − x0. The two labels determine the root, so there are at most
//! (K − x0)²/(4·W_1·W_2) of them, and in total no more than the larger of the values at x0 = 0 and x0 = K:
//!
//! ```text
//! U(K) = max(K, K²/(4·W_1·W_2))
//! ```

use redblue_math::Expr;
use redblue_poly::{UnionMap, UnionSet};

use super::capacity::Volume;
use super::family::{Paths, linear, linear_map};
use super::fibre;
use super::graph::{Graph, Targets};
use crate::certificate::{Leaves, Reduction};
use crate::refusal::{Cause, Refusal, Result, demand};

/// Verifies the trees and returns U(K) with the words counted.
pub(super) fn verify(
    graph: &Graph,
    targets: &Targets,
    paths: &[Paths],
    pattern: &Reduction,
) -> Result<(Volume, UnionSet)> {
    demand(paths.is_empty(), Cause::Capacity, || {
        "complete reductions have no families".into()
    })?;
    let trees = graph
        .view
        .vertex_labels(&pattern.trees, targets.dimension)?;
    demand(targets.embedding.is_subset(&trees)?, Cause::Path, || {
        "a root is not in its own tree".into()
    })?;
    // Every vertex of a tree is needed by another one, up to the root: the whole tree hangs on it.
    let links = graph.steps(&pattern.links)?;
    let same_tree = trees.apply_range(&trees.reverse()?)?;
    let hanging = links.intersect(&same_tree)?.range()?;
    let roots = trees.intersect(&targets.embedding)?.domain()?;
    let loose = trees.domain()?.subtract(&hanging.union(&roots)?)?;
    demand(loose.is_empty()?, Cause::Path, || {
        format!("not part of the tree of a root: {loose}")
    })?;

    let [first, second] = pattern.leaves.as_slice() else {
        return Err(Refusal::new(
            Cause::Capacity,
            "there are not two kinds of leaves",
        ));
    };
    let both = [first.projection.as_slice(), second.projection.as_slice()].concat();
    let determined = linear(targets.dimension, &both)?.rank() == targets.dimension;
    demand(determined, Cause::Capacity, || {
        "the labels do not determine the root".into()
    })?;
    let (words_1, cells_1) = leaves(graph, targets, &trees, first)?;
    let (words_2, cells_2) = leaves(graph, targets, &trees, second)?;
    demand(cells_1.is_disjoint(&cells_2)?, Cause::Sharing, || {
        "a word is a leaf of both kinds".into()
    })?;
    let words = trees.domain()?.union(&cells_1)?.union(&cells_2)?;
    Ok((
        Volume::Reduction {
            words: words_1 * words_2,
        },
        words,
    ))
}

/// W_j, and the cells that serve.
fn leaves(
    graph: &Graph,
    targets: &Targets,
    trees: &UnionMap,
    leaves: &Leaves,
) -> Result<(Expr, UnionSet)> {
    let view = &graph.view;
    let labels = view.cell_labels(&leaves.inputs, leaves.projection.len())?;
    let label = linear_map(graph, targets.dimension, &leaves.projection)?.to_union()?;
    let steps = graph.steps(&leaves.edges)?;
    let points = targets.embedding.range()?;
    // From the point of a root to the cells its tree reads that carry its label.
    let reads = trees
        .intersect_range(&points)?
        .reverse()?
        .apply_range(&steps)?;
    let wanted = label
        .intersect_domain(&points)?
        .apply_range(&labels.reverse()?)?;
    let own = reads.intersect(&wanted)?;
    demand(points.is_subset(&own.domain()?)?, Cause::Capacity, || {
        "a root has no leaf of one kind".into()
    })?;
    let least = view.affine_formula(&leaves.words)?;
    let maps = own.maps()?;
    demand(maps.len() == 1, Cause::Capacity, || {
        "the leaves of one kind lie in more than one array".into()
    })?;
    fibre::demand_at_least(view, &own, &least)?;
    Ok((view.at_least_one(&least)?, own.range()?))
}
