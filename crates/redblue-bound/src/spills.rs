//! *spills*: values that wait for a hub, made of words that many hubs share.
//!
//! ```text
//! s(i,j) = Σ_d Q(i,d)·K(j,d) ──► top(i) = max_j s(i,j) ──► e(i,j) = exp(s(i,j) − top(i))
//! e(i,j) ──► sum(i) = Σ_j e(i,j) ──► O(i,d) = Σ_j e(i,j)/sum(i)·V(j,d)
//! ```
//!
//! # Statement
//! V values wait for V_t hubs, and each takes W words that it shares only with values of other hubs. Between two moments at which w hubs have been computed, a value
//! is resident, spilled, or takes its words with it, which at most w values share. So `loads ≥ V − S·V_t/W`, and, if no value that waits is a result,
//! `loads + stores ≥ 2·V·W/(W + 1) − 4·S·V_t/W` besides results, for values that are made before their hub as for those that are used after it; computed words at which paths end are subtracted. What waits for hubs of
//! several kinds adds up, and inputs that are no such words are loaded besides. At given sizes the best w is taken.
//!
//! # Assumptions
//! No recomputation, the program's own order of sums.
//!
//! # Certificate
//! `spills`: hubs with their index, bundles of vertices that wait for them, and the words that these take.
//!
//! # Fails when
//! The memory holds the words of all values: for loads S ≥ V·W/V_t, a head of attention whose keys or values fit, for loads and stores from half of that on. Or sums are rescaled when a hub changes (the online form of attention).
//! Or what waits is an input: its rows are normalised and then multiplied; *wavefront* has what does not stay.
//!
//! # Example
//! Attention that finds the largest score of a row, then the sum of its exponentials, before it weighs: all scores and all exponentials are spilled, `4·N·M·D/(D + 1)`, however many rows fit. A product whose rows are normalised, and a product of rows that are computed and normalised.
//!
//! # References
//! This project's own; with one hub at a time it would be the wavefront bound of Elango et al. (2015).

mod bundle;
mod hubs;

use std::cmp::Reverse;

use num_bigint::BigInt;
use redblue_cert::certificate::{Spills, Waiting};
use redblue_cert::{Proof, Sums};
use redblue_poly::Set;

use self::hubs::Hubs;
use crate::analysis::Search;
use crate::error::Result;
use crate::family::{Words, common, unite};
use crate::graph::Graph;

/// Most kinds of bundles in one proof.
const KINDS: usize = 4;

/// One proof of all kinds of bundles that go well together.
pub(crate) fn find(search: &Search<'_>) -> Result<()> {
    if search.model.sums == Sums::Free || search.model.recompute {
        return Ok(());
    }
    let mut found = Vec::new();
    let sizes = all_there(search.graph)?;
    for hubs in Hubs::all(search.graph)? {
        if search.is_over() {
            break;
        }
        found.extend(bundle::kinds(search, &hubs, &sizes)?);
    }
    // Of equals, the one that leaves more to others.
    found.sort_by_key(|kind| (Reverse(kind.worth.clone()), kind.words.len()));
    let mut used = Words::new();
    let mut kinds = Vec::new();
    for kind in found {
        if kinds.len() < KINDS && common(&used, &kind.words)?.is_empty() {
            for (source, words) in &kind.words {
                unite(&mut used, *source, words.clone())?;
            }
            kinds.push(kind.written);
        }
    }
    if !kinds.is_empty() {
        search.propose([Proof::Spills(Spills { kinds })]);
    }
    Ok(())
}

/// The sizes at which every node has instances that has any at large ones.
fn all_there(graph: &Graph) -> Result<Set> {
    let mut sizes = graph.context.clone();
    for node in &graph.nodes {
        let own = node.live.params()?;
        if !own.is_disjoint(&graph.large)? {
            sizes = sizes.intersect(&own)?;
        }
    }
    Ok(sizes.coalesce()?)
}

/// Bundles of one kind.
struct Kind {
    /// The most loads they prove at any point of reference.
    worth: BigInt,
    /// All words counted.
    words: Words,
    written: Waiting,
}

#[cfg(test)]
mod tests;
