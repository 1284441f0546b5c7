//! Sizes at which alternatives are compared. Any choice is sound; a bad one only picks a weaker bound.
//!
//! The first points have large sizes and 1 ≪ S ≪ every size, which is where leading terms are compared; the others make
//! one size or two small, where the other regimes live.

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
