//! Partial sums: what is left of running values when sums are taken in any order.
//!
//! A sum is known by a label on its summands. In whatever order and by whatever tree it is taken, a phase that
//! computes one of its summands computes a last vertex on the way from there to the end of the sum. That is
//! the end itself, or a partial sum that is at hand in a later phase. So with t sums touched and y partial sums at hand per
//! phase, Σ(t − y) ≤ L over all phases, L the number of sums.

use redblue_poly::{UnionMap, UnionSet};

use super::count::Number;
use super::graph::Graph;
use super::sums;
use crate::refusal::{Cause, Result, demand};

/// The number of sums, if labelled summands with one label are those of one sum: every running value goes on
/// within its label, and only one does not go on.
pub(super) fn one_sum_per_label(graph: &Graph, labels: &UnionMap) -> Result<Number> {
    let summands = labels.domain()?;
    let onwards = continuations(graph, &summands)?;
    let same_label = labels.apply_range(&labels.reverse()?)?;
    demand(onwards.is_subset(&same_label)?, Cause::Path, || {
        "a sum goes on elsewhere".into()
    })?;
    let ends = summands.subtract(&onwards.domain()?)?;
    let unique = labels.intersect_domain(&ends)?.is_injective()?;
    demand(unique, Cause::Path, || "two sums have one label".into())?;
    let number = Number::of(&graph.view, &ends)?;
    demand(number.condition.is_none(), Cause::Undecided, || {
        "the number of sums has cases".into()
    })?;
    Ok(number)
}

/// From running values to the values of the same operator that they are summands of, directly or after being copied.
pub(super) fn continuations(graph: &Graph, values: &UnionSet) -> Result<UnionMap> {
    let view = &graph.view;
    let mut found = UnionMap::empty(view.isl())?;
    for writer in view.statements() {
        let own = values.set_of(&writer.domain.space()?)?;
        let Some(operator) = sums::operator(&writer.value) else {
            continue;
        };
        // Statements that hold the values, with the way from the values to them.
        let mut holders = vec![(writer, own.identity()?)];
        for copies in 0.. {
            let mut next = Vec::new();
            for (holder, way) in &holders {
                for reader in view.statements() {
                    let copy = sums::carried(&reader.value).is_some();
                    if !copy && sums::operator(&reader.value).as_ref() != Some(&operator) {
                        continue;
                    }
                    let alone = match copy {
                        true => reader.value.operands(),
                        false => sums::bare_operands(reader),
                    };
                    for operand in alone {
                        let read = sums::readings(graph, holder, &way.range()?, reader, operand)?;
                        let read = way.apply_range(&read)?;
                        if copy && !read.is_empty()? {
                            next.push((reader, read));
                        } else {
                            found = found.union(&read.to_union()?)?;
                        }
                    }
                }
            }
            if next.is_empty() {
                break;
            }
            demand(copies < sums::MOST_COPIES, Cause::Model, || {
                format!("values of {} are copied too often", writer.name)
            })?;
            holders = next;
        }
    }
    Ok(found)
}
