//! Constants: values that no input has a part in are free, so they are neither nodes nor read.
//!
//! Starting from all instances, those without an arrow to an input or to an instance that is left are taken away. A node
//! that shrinks along a chain is taken away at once, at the sizes at which it does.

use redblue_poly::Set;

use super::{Arrow, Node, Source, piece};
use crate::error::Result;

/// Rounds before chains are cut short.
const MOST_ROUNDS: usize = 6;

/// Restricts nodes and arrows to values that depend on an input.
pub(super) fn restrict(nodes: &mut [Node], arrows: &mut Vec<Arrow>) -> Result<()> {
    let mut rounds = 0;
    let mut shrunk = false;
    loop {
        let mut taken: Vec<(usize, Set)> = Vec::new();
        for at in 0..nodes.len() {
            let domain = nodes[at].domain.clone();
            let mut rest = domain.clone();
            for arrow in arrows.iter().filter(|arrow| arrow.reader == at) {
                let read = match arrow.source {
                    Source::Input(_) => arrow.relation.domain()?,
                    Source::Node(source) => {
                        let values = arrow.relation.intersect_range(&nodes[source].domain)?;
                        values.domain()?
                    }
                };
                rest = rest.subtract(&read)?;
                if rest.is_empty()? {
                    break;
                }
            }
            if !rest.is_empty()? {
                taken.push((at, rest));
            }
        }
        if taken.is_empty() {
            break;
        }
        shrunk = true;
        rounds += 1;
        for (at, mut gone) in taken {
            let domain = &nodes[at].domain;
            if rounds % MOST_ROUNDS == 0 {
                gone = domain.intersect_params(&gone.params()?)?;
            }
            nodes[at].domain = domain.subtract(&gone)?.coalesce()?;
        }
    }
    if !shrunk {
        return Ok(());
    }
    for node in nodes.iter_mut() {
        node.live = node.live.intersect(&node.domain)?;
        node.results = node.results.intersect(&node.domain)?;
    }
    for arrow in arrows.iter_mut() {
        arrow.relation = arrow
            .relation
            .intersect_domain(&nodes[arrow.reader].domain)?;
        if let Source::Node(source) = arrow.source {
            arrow.relation = arrow.relation.intersect_range(&nodes[source].domain)?;
        }
        arrow.relation = arrow.relation.coalesce()?;
        arrow.pieces = piece::of(&arrow.relation)?;
    }
    let mut kept = Vec::new();
    for arrow in arrows.drain(..) {
        if !arrow.relation.is_empty()? {
            kept.push(arrow);
        }
    }
    *arrows = kept;
    Ok(())
}
