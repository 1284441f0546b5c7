//! The sets around a part of a graph: what it reads, what determines it, what leaves it.

use crate::cdag::{Cdag, Vertex};
use crate::flow::{Network, UNLIMITED};

/// `InSet(part)`: predecessors of members that are not members, ascending (theory G-5).
pub fn in_set(graph: &Cdag, part: &[Vertex]) -> Vec<Vertex> {
    let member = flags(graph, part);
    let mut read: Vec<Vertex> = part
        .iter()
        .flat_map(|&v| graph.preds(v))
        .copied()
        .filter(|&u| !member[u])
        .collect();
    read.sort_unstable();
    read.dedup();
    read
}

/// Members without a successor inside the part, ascending (theory G-9).
pub fn minimum_set(graph: &Cdag, part: &[Vertex]) -> Vec<Vertex> {
    let member = flags(graph, part);
    let last = |&v: &Vertex| member[v] && !graph.succs(v).iter().any(|&w| member[w]);
    (0..graph.len()).filter(last).collect()
}

/// A smallest set that every path from an input to a member of the part meets, ascending.
///
/// The set may contain inputs and members. It is a minimum vertex cut, by one maximum flow.
pub fn minimum_dominator(graph: &Cdag, part: &[Vertex]) -> Vec<Vertex> {
    let n = graph.len();
    // Vertex v is split into an entrance v and an exit n + v.
    let mut network = Network::new(2 * n);
    for v in 0..n {
        network.arc(v, n + v, 1);
        for &w in graph.succs(v) {
            network.arc(n + v, w, UNLIMITED);
        }
    }
    for &v in graph.inputs() {
        network.source_arc(v, UNLIMITED);
    }
    for (v, _) in flags(graph, part)
        .into_iter()
        .enumerate()
        .filter(|&(_, member)| member)
    {
        network.sink_arc(n + v, UNLIMITED);
    }
    network.saturate();
    let reached = network.source_side();
    (0..n).filter(|&v| reached[v] && !reached[n + v]).collect()
}

/// Membership flags; vertices that do not exist are ignored.
pub(super) fn flags(graph: &Cdag, part: &[Vertex]) -> Vec<bool> {
    let mut member = vec![false; graph.len()];
    for &v in part.iter().filter(|&&v| v < graph.len()) {
        member[v] = true;
    }
    member
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate;

    #[test]
    fn sets_of_a_pyramid() {
        // Inputs 0..5, then 5..9, 9..12, 12..14, and the top 14.
        let graph = generate::pyramid(4).expect("fine");
        assert_eq!(in_set(&graph, &[9, 10]), [5, 6, 7]);
        assert_eq!(minimum_set(&graph, &[5, 6, 9, 8]), [8, 9]);
        assert_eq!(minimum_dominator(&graph, &[14]), [14]);
        assert_eq!(minimum_dominator(&graph, &[5, 6, 9]), [5, 6]);
        assert_eq!(minimum_dominator(&graph, &[0, 12, 13]).len(), 3);
        assert!(minimum_dominator(&graph, &[]).is_empty());
    }

    #[test]
    fn a_value_computed_from_nothing_needs_no_dominator() {
        let graph = crate::Cdag::from_parts(2, &[(0, 1)], Some(&[]), None).expect("fine");
        assert!(minimum_dominator(&graph, &[1]).is_empty());
    }
}
