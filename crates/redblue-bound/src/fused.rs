//! Fused chains: a reduction, a map, and a second reduction that consumes what was mapped (X-3).
//!
//! ```text
//! s(i,j) = Σ_l A(i,l)·B(j,l)      e(i,j) = f(s(i,j), …)      O(i,c) = Σ_j e(i,j)·C(j,c)
//! ```
//!
//! # Statement
//! With d_1 summands l and d_2 columns c, W = d_1 + d_2, and V pairs (i, j):
//! * in the program's own order of sums `loads ≥ V·W²/S − |O|` for S ≥ 2W², and about V·(1 − S/(4W²)) below that;
//!   attention: 4·N²d²/S − N·d, while FlashAttention-2 moves 4·N²d²/S + O(N·d);
//! * for sums in any order `loads ≥ V·W·(√d_1 + √W)²/(4S) − |O|/2`; attention: ((3 + 2√2)/2)·N²d²/S − N·d/2.
//!
//! # Assumptions
//! No recomputation. A, B and C are different inputs. What happens between the two reductions does not matter as long as
//! e(i,j) depends on s(i,j): scaling, exponentials, running maxima, normalisation.
//!
//! # Certificate
//! A phase argument with capacity `fused`; its doc comment has the proof. A pair is computed within one phase, and then
//! its row and its column are at hand, or costs a word of its own in a later phase: no pair is cheap.
//!
//! # Fails when
//! Sizes of reductions depend on where they are (triangular attention masks), or an operand is computed.
//!
//! # Example
//! `attention` in all its spellings, `mlp`, `2mm`.
//!
//! # References
//! Dao, FlashAttention-2 (2023) for the schedule that it nearly meets; the argument is this project's own.

mod bundle;
pub(crate) mod need;

use redblue_cert::Proof;

use self::bundle::Bundle;
pub(crate) use self::bundle::varying;
use crate::analysis::Search;
use crate::error::Result;
use crate::graph::{Graph, Source};
use crate::reduction::chain_dims;

/// All proofs of this kind: for every consumer, those of the first value it reads that has any.
pub fn find(search: &Search<'_>) -> Result<()> {
    // Links inside of a bundle may follow running values whatever the order of sums.
    let graph = search.whole;
    for consumer in 0..graph.nodes.len() {
        if !reads_input(graph, consumer)? {
            continue;
        }
        for (at, arrow) in graph.arrows_of(consumer) {
            if search.is_over() {
                return Ok(());
            }
            let Source::Node(hub) = arrow.source else {
                continue;
            };
            if hub == consumer || arrow.accumulates {
                continue;
            }
            let Some(bundle) = Bundle::of(graph, at)? else {
                continue;
            };
            let arguments = bundle.arguments(graph)?;
            if !arguments.is_empty() {
                search.propose(arguments.into_iter().map(Proof::Phases));
                break;
            }
        }
    }
    Ok(())
}

/// Whether a chain reads an input with every link: the quick test before bundles are looked for.
fn reads_input(graph: &Graph, node: usize) -> Result<bool> {
    if chain_dims(graph, node, false).is_none() {
        return Ok(false);
    }
    for (_, arrow) in graph.arrows_of(node) {
        let input = matches!(arrow.source, Source::Input(_));
        if input
            && graph.nodes[node]
                .live
                .is_subset(&arrow.relation.domain()?)?
        {
            return Ok(true);
        }
    }
    Ok(false)
}

#[cfg(test)]
mod tests;
