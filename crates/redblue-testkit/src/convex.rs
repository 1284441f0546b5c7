//! Attacking the phase capacity of a proof directly (T-5).
//!
//! A phase argument rests on `U(K)`: no convex set of vertices with at most `K` in-set elements (G-5) holds
//! more than `U(K)` target vertices. Intervals of topological orders are convex, so each interval is a test
//! that does not depend on any schedule's traffic.

use redblue_pebble::{Cdag, Vertex};

/// A convex set that holds more targets than the capacity allows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Counterexample {
    /// The set, in the order it was grown.
    pub set: Vec<Vertex>,
    /// Size of its in-set.
    pub in_set: u64,
    /// Targets in it.
    pub targets: u64,
}

/// Grows intervals of `order` from every `stride`-th start and returns the first that breaks `holds`.
///
/// `holds(in_set, targets)` says whether a convex set with so many in-set elements may hold so many targets;
/// `longest` bounds the length of an interval.
pub fn attack_capacity(
    graph: &Cdag,
    order: &[Vertex],
    is_target: impl Fn(Vertex) -> bool,
    holds: impl Fn(u64, u64) -> bool,
    stride: usize,
    longest: usize,
) -> Option<Counterexample> {
    // Per vertex, the start of the interval that last counted it as a member or in its in-set.
    let mut counted = vec![usize::MAX; graph.len()];
    for start in (0..order.len()).step_by(stride.max(1)) {
        let (mut in_set, mut targets) = (0, 0);
        for (length, &v) in order[start..].iter().take(longest).enumerate() {
            for &u in graph.preds(v) {
                if counted[u] != start {
                    counted[u] = start;
                    in_set += 1;
                }
            }
            counted[v] = start;
            targets += u64::from(is_target(v));
            if !holds(in_set, targets) {
                let set = order[start..=start + length].to_vec();
                return Some(Counterexample {
                    set,
                    in_set,
                    targets,
                });
            }
        }
    }
    None
}
