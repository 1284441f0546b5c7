//! How many words two layouts make ranks exchange: exact, without looking at elements and without moving any.

use super::{Layout, LayoutError, Patch};
use crate::comm::Flow;

/// Number of elements that rank `a` has in one layout and rank `b` in another.
pub fn words(from: &Layout, a: usize, to: &Layout, b: usize) -> u128 {
    let (sources, targets) = (from.patches(a), to.patches(b));
    let pair = |source: &Patch| {
        targets
            .iter()
            .map(|target| source.overlap(target))
            .sum::<u128>()
    };
    sources.iter().map(pair).sum()
}

/// What a redistribution moves in and out of a rank. Each element that changes its owner moves once.
pub fn flow(from: &Layout, to: &Layout, rank: usize) -> Flow {
    let mut flow = Flow::default();
    for peer in (0..from.ranks()).filter(|&peer| peer != rank) {
        let (sent, received) = (words(from, rank, to, peer), words(from, peer, to, rank));
        flow += Flow {
            sent: whole(sent),
            received: whole(received),
            messages: whole(sent.min(1)),
        };
    }
    flow
}

/// The pairs of ranks with common elements, and how many: `(a, b, words)` for rank a of the source and rank b
/// of the target, in order.
pub fn table(from: &Layout, to: &Layout) -> Result<Vec<(usize, usize, u128)>, LayoutError> {
    check(from, to)?;
    let ranks = from.ranks();
    let pairs = (0..ranks).flat_map(|a| (0..ranks).map(move |b| (a, b)));
    let counted = pairs.map(|(a, b)| (a, b, words(from, a, to, b)));
    Ok(counted.filter(|&(_, _, words)| words > 0).collect())
}

/// Checks that words can be moved from one layout to the other.
pub(super) fn check(from: &Layout, to: &Layout) -> Result<(), LayoutError> {
    if (from.rows, from.cols) != (to.rows, to.cols) {
        return Err(LayoutError::Shapes(from.rows, from.cols, to.rows, to.cols));
    }
    if from.ranks() != to.ranks() {
        let (found, expected) = (to.ranks(), from.ranks());
        return Err(LayoutError::Ranks {
            what: "the target layout",
            found,
            expected,
        });
    }
    Ok(())
}

/// Words of one rank always fit in 64 bits when they fit in its memory; a mere prediction saturates.
fn whole(words: u128) -> u64 {
    u64::try_from(words).unwrap_or(u64::MAX)
}
