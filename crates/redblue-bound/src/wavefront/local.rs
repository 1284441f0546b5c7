//! Whether every value has only a few values around it, whatever the sizes are.
//!
//! A bound needs more paths across a hub than the fast memory has words. In a stencil there are never that many: let every step be a
//! translation and let some linear function grow along each of them, by 1 to c. A path of at most three steps from before the hub
//! to after it is no longer than the way through the hub, which therefore has at most 3c steps too; and few vertices are that near.
//! Then no family of hubs is worth looking at.

use num_traits::{One as _, Zero as _};
use redblue_math::rational::int;
use redblue_math::{LinearProgram, Rational, lp};

use crate::error::Result;
use crate::graph::{Arrow, Graph, Piece, Source};

/// Whether the whole graph is like that.
pub(super) fn is_local(graph: &Graph) -> Result<bool> {
    let computed = |node: usize| {
        let mut arrows = graph.arrows_of(node);
        arrows.any(|(_, arrow)| matches!(arrow.source, Source::Node(_)))
    };
    let nodes = graph.nodes.len();
    let computing: Vec<usize> = (0..nodes).filter(|&node| computed(node)).collect();
    let Some(&first) = computing.first() else {
        return Ok(true);
    };
    let dims = graph.nodes[first].domain.n_dim();
    // One weight per coordinate, and a start per node.
    let mut growth = LinearProgram::new(lp::Goal::Minimise, vec![int(0); dims + nodes]);
    for variable in 0..dims + nodes {
        growth.set_free(variable)?;
    }
    for arrow in &graph.arrows {
        let Source::Node(source) = arrow.source else {
            continue;
        };
        if !computing.contains(&source) {
            // Values at the edge of the grid, made from inputs alone: each is read in few places.
            if !arrow.relation.is_injective()? {
                return Ok(false);
            }
            continue;
        }
        let Some(shifts) = translations(graph, arrow, dims)? else {
            return Ok(false);
        };
        for shift in shifts {
            let mut row = vec![Rational::zero(); dims + nodes];
            for (slot, by) in row.iter_mut().zip(shift) {
                *slot = int(by);
            }
            row[dims + arrow.reader] += Rational::one();
            row[dims + source] -= Rational::one();
            growth.constrain(row, lp::Relation::Ge, int(1))?;
        }
    }
    Ok(!matches!(growth.solve(), lp::Solution::Infeasible { .. }))
}

/// By how much each piece of an arrow moves, if it goes between nodes of these dimensions and only moves.
fn translations(graph: &Graph, arrow: &Arrow, dims: usize) -> Result<Option<Vec<Vec<i64>>>> {
    let Source::Node(source) = arrow.source else {
        return Ok(None);
    };
    let same = |node: usize| graph.nodes[node].domain.n_dim() == dims;
    if !same(arrow.reader) || !same(source) {
        return Ok(None);
    }
    // Parts with floors have no piece.
    let mut rest = arrow.relation.domain()?;
    for piece in &arrow.pieces {
        rest = rest.subtract(&piece.domain)?;
    }
    if !rest.is_empty()? {
        return Ok(None);
    }
    Ok(arrow.pieces.iter().map(Piece::translation).collect())
}

#[cfg(test)]
mod tests {
    use redblue_program::catalogue;

    use super::*;

    fn check(name: &str, expected: bool) {
        let entry = catalogue::find(name).unwrap();
        let program = entry.read(&Default::default()).program.unwrap();
        let graph = Graph::of(&program).unwrap();
        assert_eq!(is_local(&graph).unwrap(), expected, "{name}");
    }

    #[test]
    fn stencils_are_and_what_sums_or_turns_back_is_not() {
        for name in ["jacobi-1d", "jacobi-2d", "seidel-2d", "heat-3d", "fdtd-2d"] {
            check(name, true);
        }
        // Sums that are read again, whole columns, and recurrences in opposite directions.
        for name in ["atax", "durbin", "mgs", "deriche", "adi", "trisolv"] {
            check(name, false);
        }
    }
}
