//! Where ticks lie: at the column that the source of a tick was before.
//!
//! In Gram-Schmidt tick k works with column k, which was a column like any other until then. Loops can be written such that
//! this column has another number than the tick, `N - 1 - k` or `k + 1`; the words of a column have one label in both
//! families only where the two numbers agree. So ticks are renumbered by the columns they lead to.

use redblue_math::rational::int;
use redblue_math::{Matrix, Rational};

use super::pattern::Pattern;
use crate::error::Result;
use crate::graph::{Graph, Source};

/// Most arrows between a target and the target that was its source.
const LONGEST: usize = 4;

/// The number of a tick as a function of (x, 1, sizes): the column its source was; none where that is the tick itself, or
/// where no source was a column.
pub(super) fn of_ticks(
    graph: &Graph,
    node: usize,
    pattern: &Pattern,
) -> Result<Option<Vec<Rational>>> {
    let [neutral] = pattern.neutral.as_slice() else {
        return Ok(None);
    };
    let dims = graph.nodes[node].domain.n_dim();
    let size = dims + 1 + graph.params.len();
    let unit = |at: usize| -> Vec<Rational> {
        (0..size).map(|other| int(i64::from(other == at))).collect()
    };
    let mut paths = vec![(node, 0, Matrix::identity(size))];
    let mut found = None;
    while let Some((reader, length, so_far)) = paths.pop() {
        for (_, arrow) in graph.arrows_of(reader) {
            let Source::Node(source) = arrow.source else {
                continue;
            };
            for piece in arrow.pieces.iter().filter(|piece| piece.is_full()) {
                let there = piece.step.product(&so_far)?;
                if source != node {
                    if length + 1 < LONGEST {
                        paths.push((source, length + 1, there));
                    }
                    continue;
                }
                let column = &there.rows()[*neutral];
                let other = |at: usize| at != pattern.time && column[at] != int(0);
                let turned = column[pattern.time] == int(-1);
                if there.rows()[pattern.width] != unit(pattern.width)
                    || (0..dims).any(other)
                    || !turned && column[pattern.time] != int(1)
                {
                    continue;
                }
                if *column == unit(pattern.time) {
                    return Ok(None);
                }
                found.get_or_insert_with(|| column.clone());
            }
        }
    }
    Ok(found)
}
