//! Sizes at which alternatives are compared. Any choice is sound; a bad one only picks a weaker bound.
//!
//! The first points have large sizes and 1 ≪ S ≪ every size, which is where leading terms are compared; the others make
//! one size or two small, where the other regimes live. Loops up to `W − R` are empty where sizes are equal, so the large points are those
//! at which most of the program is there.

use std::collections::BTreeMap;

use num_bigint::BigInt;
use redblue_math::Assignment;

use crate::error::Result;
use crate::graph::Graph;

/// The fast memory at all points.
const FAST: i64 = 1 << 10;
/// A large size.
const LARGE: i64 = 3 << 20;
/// A small size.
const SMALL: i64 = 8;

/// Most points at which all sizes are large.
const MOST_LARGE: usize = 4;

/// Sizes and fast memory.
#[derive(Clone, Debug)]
pub struct Point {
    /// The sizes.
    pub sizes: BTreeMap<String, BigInt>,
    /// S.
    pub fast: BigInt,
}

impl Point {
    /// For evaluating formulas.
    pub fn assignment(&self) -> Assignment {
        let mut all = Assignment::new().with("S", self.fast.clone());
        for (name, value) in &self.sizes {
            all.set(name.as_str(), value.clone());
        }
        all
    }
}

/// The points of a program, those within its context.
pub fn points(graph: &Graph) -> Result<Vec<Point>> {
    let count = graph.params.len();
    let spread =
        |step: i64| -> Vec<i64> { (0..count as i64).map(|at| LARGE + step * at).collect() };
    let mut candidates = vec![
        spread(0),
        spread(LARGE / 8),
        spread(-LARGE / 16),
        spread(LARGE),
    ];
    for at in 0..count {
        for other in [4 * LARGE, LARGE / 4] {
            let mut sizes = spread(0);
            sizes[at] = other;
            candidates.push(sizes);
        }
    }
    let mut candidates = fullest(graph, candidates)?;
    candidates.truncate(MOST_LARGE);
    let pairs = (0..count).flat_map(|one| (0..one).map(move |other| (one, other)));
    for (one, other) in (0..count).map(|at| (at, at)).chain(pairs) {
        let mut sizes = spread(0);
        sizes[one] = SMALL;
        sizes[other] = SMALL;
        candidates.push(sizes);
    }
    let mut points = Vec::new();
    for sizes in candidates {
        let values: Vec<BigInt> = sizes.iter().copied().map(BigInt::from).collect();
        if graph.context.contains(&values, &[])? {
            points.push(Point {
                sizes: graph.params.iter().cloned().zip(values).collect(),
                fast: FAST.into(),
            });
        }
    }
    Ok(points)
}

/// Those of some sizes at which most nodes have instances, in the same order.
fn fullest(graph: &Graph, candidates: Vec<Vec<i64>>) -> Result<Vec<Vec<i64>>> {
    let mut domains = Vec::new();
    for node in &graph.nodes {
        domains.push(node.live.params()?);
    }
    let mut counted = Vec::new();
    for sizes in candidates {
        let values: Vec<BigInt> = sizes.iter().copied().map(BigInt::from).collect();
        let mut nodes = 0;
        for domain in &domains {
            nodes += usize::from(domain.contains(&values, &[])?);
        }
        if graph.context.contains(&values, &[])? {
            counted.push((nodes, sizes));
        }
    }
    let most = counted.iter().map(|(nodes, _)| *nodes).max();
    let full = counted
        .into_iter()
        .filter(|(nodes, _)| Some(*nodes) == most);
    Ok(full.map(|(_, sizes)| sizes).collect())
}
