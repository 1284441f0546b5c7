//! Wavefronts: values that are alive at the same moment (theory X-6).
//!
//! Statement: just after `x` is computed, the computed set contains `x` and its ancestors and none
//! of its descendants. Let W(x) be the fewest computed values, inputs left out, that have a reader
//! outside such a set. At least `W(x) - S` of them are not red, so they were stored before and are
//! loaded after. With the compulsory traffic, which concerns other values:
//!
//! ```text
//!   loads  >= inputs read    + max_x (W(x)  - S)
//!   stores >= outputs stored + max_x (W'(x) - S)     W': outputs left out as well
//! ```
//!
//! Assumptions: no recomputation (the values alive could be computed again). The plain form
//! `2·(max W - S)` counts inputs in W, which need no store here: they start in slow memory.
//!
//! Fails when: capacities exceed every wavefront, or the graph has more than [`MOST_VERTICES`]
//! vertices; then only the compulsory part remains.

use super::compulsory::compulsory;
use crate::cdag::{Cdag, Vertex};
use crate::flow::{Network, UNLIMITED};
use crate::game::Game;

/// Larger graphs would take too long: the method makes two maximum flows per vertex.
const MOST_VERTICES: usize = 1000;

/// The wavefront bound, compulsory traffic included; zero if the game allows recomputation.
pub fn wavefront(graph: &Cdag, game: &Game, capacity: usize) -> u64 {
    if game.recompute {
        return 0;
    }
    let widest = |counts: &dyn Fn(Vertex) -> bool| {
        let starts = (0..graph.len()).filter(|&x| counts(x) && !graph.succs(x).is_empty());
        starts
            .map(|x| narrowest_front(graph, x, counts))
            .max()
            .unwrap_or(0)
    };
    let excess = |width: u64| width.saturating_sub(capacity as u64);
    let computed = |v: Vertex| !graph.is_input(v);
    let floor = compulsory(graph, game);
    if graph.len() > MOST_VERTICES {
        return floor.total();
    }
    let loads = floor.loads + excess(widest(&computed));
    if game.automatic_stores {
        return loads;
    }
    // Without final stores an output is a value like any other.
    let hidden = |v: Vertex| computed(v) && !(game.final_stores && graph.is_output(v));
    loads + floor.stores + excess(widest(&hidden))
}

/// The fewest counted values alive just after `x` is computed: a minimum cut over all computed sets
/// that contain `x`, are closed under operands, and contain no reader of `x`.
fn narrowest_front(graph: &Cdag, x: Vertex, counts: &dyn Fn(Vertex) -> bool) -> u64 {
    let n = graph.len();
    // Node v: "v is computed". Node n + v: "and so are all its readers". A computed value with an
    // uncomputed reader cuts the arc between them.
    let mut network = Network::new(2 * n);
    for v in 0..n {
        network.arc(v, n + v, u64::from(counts(v)));
        for &w in graph.succs(v) {
            network.arc(n + v, w, UNLIMITED);
            network.arc(w, v, UNLIMITED);
        }
    }
    network.source_arc(x, UNLIMITED);
    for &w in graph.succs(x) {
        network.sink_arc(w, UNLIMITED);
    }
    network.saturate()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate;

    /// The same minimum over all computed sets, one by one.
    fn narrowest_by_enumeration(graph: &Cdag, x: Vertex) -> u64 {
        let has = |set: u32, v: Vertex| set >> v & 1 == 1;
        let closed = |set: u32| graph.edges().all(|(u, v)| !has(set, v) || has(set, u));
        let alive = |set: u32, v: Vertex| {
            !graph.is_input(v) && has(set, v) && graph.succs(v).iter().any(|&w| !has(set, w))
        };
        (0u32..1 << graph.len())
            .filter(|&set| has(set, x) && closed(set))
            .filter(|&set| !graph.succs(x).iter().any(|&w| has(set, w)))
            .map(|set| (0..graph.len()).filter(|&v| alive(set, v)).count() as u64)
            .min()
            .unwrap_or(0)
    }

    #[test]
    fn cuts_are_minimal() {
        let graphs = [
            generate::diamond(3, 4),
            generate::fft(2),
            generate::pyramid(3),
        ];
        for graph in graphs {
            let graph = graph.expect("fine");
            let computed = |v: Vertex| !graph.is_input(v);
            for x in (0..graph.len()).filter(|&x| computed(x) && !graph.succs(x).is_empty()) {
                let cut = narrowest_front(&graph, x, &computed);
                assert_eq!(cut, narrowest_by_enumeration(&graph, x), "vertex {x}");
            }
        }
    }

    #[test]
    fn recomputation_is_refused() {
        let graph = generate::diamond(5, 5).expect("fine");
        assert_eq!(wavefront(&graph, &Game::red_blue(), 3), 0);
        // Five values are alive after the centre is computed: two of them were stored and return.
        assert_eq!(wavefront(&graph, &Game::red_blue_white(), 3), 2 + 2 * 2);
    }
}
