//! Which operations are reductions over themselves.
//!
//! The dataflow finds `x = x ⊕ e` where both `x` are one cell. Here cells are gone, and a chain is one if the
//! value is `$p ⊕ e` and `$p` comes from the operation itself: sums kept in a scalar, in an array or copied back
//! and forth between the two are all the same chain.

use super::{Canonical, Chain, Origin};
use crate::dataflow::reduction::{combination, moving_dims};
use crate::error::Result;

/// Records the reductions of all operations.
pub(super) fn run(graph: &mut Canonical) -> Result<()> {
    for at in 0..graph.operations.len() {
        graph.operations[at].reduction = find(graph, at)?;
    }
    Ok(())
}

/// The reduction an operation performs over itself, if it does.
fn find(graph: &Canonical, at: usize) -> Result<Option<Chain>> {
    let operation = &graph.operations[at];
    for (position, operand) in operation.operands.iter().enumerate() {
        let Some(link) = operand.from_operation(at) else {
            continue;
        };
        let Some(operator) = combination(&operation.value, position) else {
            continue;
        };
        let others = || {
            operation
                .operands
                .iter()
                .enumerate()
                .filter(|(o, _)| *o != position)
        };
        let independent = others().all(|(_, other)| other.from_operation(at).is_none());
        let partial = link.domain()?;
        let mut private = true;
        let readers = graph
            .operations
            .iter()
            .enumerate()
            .flat_map(|(reader, operation)| {
                let operands = operation.operands.iter().enumerate();
                operands
                    .filter(move |(p, _)| (reader, *p) != (at, position))
                    .map(|(_, o)| &o.sources)
            });
        for source in readers
            .chain(graph.outputs.iter().map(|output| &output.sources))
            .flatten()
        {
            if source.origin == Origin::Operation(at) {
                private &= source.relation.intersect_domain(&partial)?.is_empty()?;
            }
        }
        let dims = moving_dims(link)?;
        return Ok(Some(Chain {
            operator,
            operand: position,
            dims,
            independent,
            private,
        }));
    }
    Ok(None)
}
