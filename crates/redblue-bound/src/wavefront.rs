//! *wavefront*: values that must survive the computation of a hub (X-6).
//!
//! ```text
//! v ──► … ──► w        v is there when the hub c(t) is computed, w is not yet: some value in between is
//!  ⟍         ⟋         resident or loaded again; so is one of every other such path
//!    ► c(t) ►
//! ```
//!
//! # Statement
//! If n_t paths without common vertices (ends excepted) lead from what c(t) needs to what needs c(t), at least n_t − S values are loaded after
//! c(t). These loads add up over t if paths of different t share no vertices, or if they end before the next hub; and they come on top of the inputs' first loads.
//! Values that are computed, are no results and cross only one hub are stored, too: as many stores come on top of those of results. Hubs of several kinds add up in the same way.
//!
//! # Assumptions
//! No recomputation, the program's own order of sums.
//!
//! # Certificate
//! `wavefront`: hubs with their index, bundles of paths, and why starts come before and ends after the hub.
//!
//! # Fails when
//! No value depends on much and is needed for much: stencils with large memories, products.
//!
//! # Example
//! durbin: all of `y` is needed for alpha, and alpha for all of the new `y`: N²/2, with `r` that is read again in every step N².
//! Gram-Schmidt with S ≪ M: column j is needed for R[k][j] and changed with it: M·N²/2 loads, and as many stores.
//! Attention that finds the largest score of a row, then the sum of its exponentials, before it divides: all scores and all exponentials of a row wait, 4·N·(M − S).
//!
//! # References
//! Elango et al., On characterizing the data access complexity of programs (2015): the wavefront bound.

mod bundles;
mod growth;
mod hubs;
mod local;
mod scout;
mod several;

use std::cmp::Reverse;

use num_bigint::BigInt;
use redblue_cert::Proof;
use redblue_poly::Set;

use self::hubs::Hubs;
use crate::analysis::Search;
use crate::error::Result;
use crate::graph::Source;
use crate::reference::Point;

/// Proofs that are proposed.
const PROOFS: usize = 3;
/// The part of a size that the memory keeps when proofs are compared.
const KEPT: u32 = 16;
/// How many times fewer hubs the next proof must have.
const FEWER: u32 = 16;

/// Proofs for the most promising hubs: most paths, or fewer paths and far fewer hubs.
pub(crate) fn find(search: &Search<'_>) -> Result<()> {
    if local::is_local(search.graph)? {
        return Ok(());
    }
    let [best, partners] = scout::best(search.graph)?;
    let mut found = proofs(search, &best)?;
    // Compared with a memory that keeps a part of the smallest size: among equal paths, fewer hubs are better.
    let sizes = reference(search).and_then(|point| point.sizes.values().min());
    let fast = sizes.map_or(BigInt::from(1), |size| size / KEPT);
    let joined = with_partners(search, &found, &partners, &fast);
    if let Ok(joined) = &joined {
        search.propose(joined.clone());
    }
    found.sort_by_key(|crossing| Reverse(&crossing.paths - &crossing.hubs * &fast));
    let mut best: Vec<Crossing> = Vec::new();
    for crossing in found {
        // A proof with fewer paths is worth stating if it has far fewer hubs.
        if best
            .last()
            .is_none_or(|last| &crossing.hubs * FEWER < last.hubs)
        {
            best.push(crossing);
        }
    }
    best.truncate(PROOFS);
    search.propose(best.into_iter().map(|crossing| crossing.proof));
    // What one family proves does not depend on whether others can be added.
    joined.map(drop)
}

/// One proof for several families of hubs, if some that were found, or partners of them, go well together.
fn with_partners(
    search: &Search<'_>,
    found: &[Crossing],
    partners: &[Hubs],
    fast: &BigInt,
) -> Result<Option<Proof>> {
    if !found.iter().any(Crossing::stands_alone) {
        return Ok(None);
    }
    let mut candidates = found.to_vec();
    candidates.extend(proofs(search, partners)?);
    several::joined(search.graph, &candidates, fast)
}

/// Proofs for families of hubs.
fn proofs(search: &Search<'_>, families: &[Hubs]) -> Result<Vec<Crossing>> {
    let mut found = Vec::new();
    for family in families {
        if search.is_over() {
            break;
        }
        let crossings = bundles::proofs(search, family)?;
        search.meanwhile(|| Ok(crossings.iter().map(|found| found.proof.clone()).collect()))?;
        found.extend(crossings);
    }
    Ok(found)
}

/// A proof and what it is worth.
#[derive(Clone)]
struct Crossing {
    /// The number of paths, at the point of reference.
    paths: BigInt,
    /// The number of hubs.
    hubs: BigInt,
    /// The vertices on its paths, ends excepted, if hubs are no sequence.
    visited: Vec<(Source, Set)>,
    proof: Proof,
}

impl Crossing {
    /// Whether hubs are no sequence, so that others can be added.
    fn stands_alone(&self) -> bool {
        matches!(&self.proof, Proof::Wavefront(waves) if waves.next.is_none())
    }
}

/// The point at which alternatives are compared.
fn reference<'s>(search: &'s Search<'_>) -> Option<&'s Point> {
    search.points.first()
}
