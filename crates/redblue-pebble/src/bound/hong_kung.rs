//! Hong and Kung's phases with a Lagrangian bound on the largest phase (theory G-6, G-8, X-6).
//!
//! Statement: cut a play into phases of T loads. What a phase computes for the first time is
//! determined by the at most K = S + T words that were red at its start or loaded in it. If no such
//! phase computes more than U(K) of the V values to be computed and h = ⌈V / U(S+T)⌉ >= 2, then
//!
//! ```text
//!   loads >= T·(h - 1) + S + 1         and   stores >= outputs that are not inputs
//! ```
//!
//! U(K) comes from a relaxation: for a price λ per word, the most valuable phase is a minimum cut,
//! so `U(K) = max_E (|E| - λ·words(E)) + λ·K` is valid for every λ >= 0, and the least over a list
//! of prices is taken. With recomputation the words are a dominator of E that E does not contain
//! (R-2); without it they are InSet(E), which is never smaller.
//!
//! Assumptions: none on the graph. Fails when: U grows faster than linearly in K, as for matrix
//! products; the relaxation replaces U by its concave hull and little but compulsory traffic
//! remains. The same for graphs above [`MOST_VERTICES`].

use super::compulsory::compulsory;
use crate::cdag::Cdag;
use crate::flow::{Network, UNLIMITED};
use crate::game::Game;

/// Prices are multiples of 1/16, so that all capacities are integers.
const UNIT: u64 = 16;

/// Larger graphs would take too long: the method makes a maximum flow per price.
const MOST_VERTICES: usize = 50_000;

/// The phase bound for `game`, compulsory stores included.
pub fn hong_kung(graph: &Cdag, game: &Game, capacity: usize) -> u64 {
    let wanted = game.must_compute(graph);
    let values = wanted.iter().filter(|&&wanted| wanted).count() as u64;
    let floor = compulsory(graph, game);
    if graph.len() > MOST_VERTICES {
        return floor.total();
    }
    let prices: Vec<u64> = (0..)
        .map(|step: u32| 1u64 << step)
        .flat_map(|price| [price, price + price / 2])
        .take_while(|&price| price <= UNIT * values.max(1))
        .collect();
    let largest: Vec<(u64, u64)> = prices
        .into_iter()
        .map(|price| {
            let lost = match game.recompute {
                true => lost_with_dominator(graph, &wanted, price),
                false => lost_with_in_set(graph, &wanted, price),
            };
            (price, (UNIT * values).saturating_sub(lost))
        })
        .collect();
    let most = |words: u64| {
        let each = largest
            .iter()
            .map(|&(price, profit)| (profit + price * words) / UNIT);
        each.min().unwrap_or(values).clamp(1, values.max(1))
    };
    // No play has more red pebbles than there are values.
    let capacity = capacity.min(graph.len()) as u64;
    let loads = (1..=values.max(1))
        .filter_map(|length| {
            let phases = values.div_ceil(most(capacity + length));
            (phases >= 2).then(|| length * (phases - 1) + capacity + 1)
        })
        .max()
        .unwrap_or(0);
    loads.max(floor.loads) + floor.stores
}

/// `UNIT·V - max_D (UNIT·|values determined by D, not in D| - price·|D|)` as a minimum cut: node v
/// is on the source's side if some path from an input reaches v without meeting D before it.
fn lost_with_dominator(graph: &Cdag, wanted: &[bool], price: u64) -> u64 {
    let n = graph.len();
    let mut network = Network::new(2 * n);
    for (v, &wanted) in wanted.iter().enumerate() {
        let worth = if wanted { UNIT } else { 0 };
        // Being in D costs the price, and the value itself is not gained.
        network.arc(v, n + v, price + worth);
        network.sink_arc(n + v, worth);
        for &w in graph.succs(v) {
            network.arc(n + v, w, UNLIMITED);
        }
    }
    for &v in graph.inputs() {
        network.source_arc(v, UNLIMITED);
    }
    network.saturate()
}

/// `UNIT·V - max_E (UNIT·|E| - price·|InSet(E)|)` as a minimum cut: node v says "v is in E", node
/// n + v "v is in E or InSet(E)".
fn lost_with_in_set(graph: &Cdag, wanted: &[bool], price: u64) -> u64 {
    let n = graph.len();
    let mut network = Network::new(2 * n);
    for (v, &wanted) in wanted.iter().enumerate() {
        if wanted {
            network.source_arc(v, UNIT);
            network.arc(n + v, v, price);
        } else {
            network.sink_arc(n + v, price);
        }
        for &u in graph.preds(v) {
            network.arc(v, n + u, UNLIMITED);
        }
    }
    network.saturate()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cdag::Vertex;
    use crate::generate;

    /// Brute force over all sets of computed vertices of a small graph.
    fn best_set(graph: &Cdag, price: u64) -> u64 {
        let computed: Vec<Vertex> = (0..graph.len()).filter(|&v| !graph.is_input(v)).collect();
        (0u32..1 << computed.len())
            .map(|bits| {
                let members = computed
                    .iter()
                    .enumerate()
                    .filter(|(i, _)| bits >> i & 1 == 1);
                let set: Vec<Vertex> = members.map(|(_, &v)| v).collect();
                let words = crate::partition::in_set(graph, &set).len() as u64;
                (UNIT * set.len() as u64).saturating_sub(price * words)
            })
            .max()
            .unwrap_or(0)
    }

    #[test]
    fn the_cut_finds_the_most_valuable_phase() {
        let graphs = [
            generate::pyramid(4),
            generate::fft(2),
            generate::diamond(4, 3),
        ];
        for graph in graphs {
            let graph = graph.expect("fine");
            let wanted = Game::red_white().must_compute(&graph);
            let values = wanted.iter().filter(|&&wanted| wanted).count() as u64;
            for price in [1, 4, 8, 16, 24, 40] {
                let profit = UNIT * values - lost_with_in_set(&graph, &wanted, price);
                assert_eq!(profit, best_set(&graph, price), "price {price}");
                // A dominator is never larger than the in-set.
                assert!(UNIT * values - lost_with_dominator(&graph, &wanted, price) >= profit);
            }
        }
    }
}
