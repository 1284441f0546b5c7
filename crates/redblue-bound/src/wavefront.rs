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
//! Gram-Schmidt with S ≪ M: column j is needed for R[k][j] and changed with it: M·N²/2.
//!
//! # References
//! Elango et al., On characterizing the data access complexity of programs (2015): the wavefront bound.

mod bundles;
mod growth;
mod hubs;
mod local;
mod scout;

use std::cmp::Reverse;

use num_bigint::BigInt;
use redblue_cert::Proof;

use crate::analysis::Search;
use crate::error::Result;
use crate::reference::Point;

/// Proofs that are proposed.
const PROOFS: usize = 3;
/// The part of a size that the memory keeps when proofs are compared.
const KEPT: u32 = 16;
/// How many times fewer hubs the next proof must have.
const FEWER: u32 = 16;

/// Proofs for the most promising hubs: most paths, or fewer paths and far fewer hubs.
pub(crate) fn find(search: &Search<'_>) -> Result<()> {
    let mut found = Vec::new();
    if local::is_local(search.graph)? {
        return Ok(());
    }
    for family in scout::best(search.graph)? {
        if search.is_over() {
            break;
        }
        let crossings = bundles::proofs(search, &family)?;
        search.meanwhile(|| Ok(crossings.iter().map(|found| found.proof.clone()).collect()))?;
        found.extend(crossings);
    }
    // Compared with a memory that keeps a part of the smallest size: among equal paths, fewer hubs are better.
    let sizes = reference(search).and_then(|point| point.sizes.values().min());
    let fast = sizes.map_or(BigInt::from(1), |size| size / KEPT);
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
    Ok(())
}

/// A proof and what it is worth.
struct Crossing {
    /// The number of paths, at the point of reference.
    paths: BigInt,
    /// The number of hubs.
    hubs: BigInt,
    proof: Proof,
}

/// The point at which alternatives are compared.
fn reference<'s>(search: &'s Search<'_>) -> Option<&'s Point> {
    search.points.first()
}
