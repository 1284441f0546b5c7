//! Reachability inside the graph: members that depend on a hub, or on which a hub depends.
//!
//! ```text
//! Onto:  member ◄─edge─ member ◄─ … ◄─ hub      the hub needs every member with its label
//! From:  hub ◄─edge─ member ◄─ …                every member needs the hub with its label
//! ```
//!
//! Each member is a hub or has an edge to the next one; edges lead strictly back in time, so the way ends at a hub.

use redblue_poly::UnionMap;

use super::graph::Graph;
use crate::certificate::Reach;
use crate::refusal::{Cause, Result, demand};

/// Which way members and hubs depend on each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Direction {
    /// The hub needs the members.
    Onto,
    /// The members need the hub.
    From,
}

/// Verifies a set of members and returns their labels; a member may have several, one for each hub.
pub(super) fn verify(
    graph: &Graph,
    reach: &Reach,
    hubs: &UnionMap,
    length: usize,
    direction: Direction,
) -> Result<UnionMap> {
    let members = graph.view.vertex_relation(&reach.members, length)?;
    let edges = graph.steps(&reach.edges)?;
    let onwards = match direction {
        Direction::Onto => edges.reverse()?,
        Direction::From => edges,
    };
    let connected = onwards.apply_range(&members)?.union(hubs)?;
    let open = members.subtract(&connected)?;
    demand(open.is_empty()?, Cause::Path, || {
        format!("members that reach no other: {open}")
    })?;
    Ok(members)
}

/// The input cells that members read, with the labels of the members.
pub(super) fn cells(graph: &Graph, reach: &Reach, members: &UnionMap) -> Result<UnionMap> {
    Ok(graph.steps(&reach.edges)?.reverse()?.apply_range(members)?)
}
