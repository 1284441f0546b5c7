//! All convex sets of a small graph.
//!
//! In topological order every vertex is taken or left. A vertex can be taken unless it reads something outside
//! that a member leads to; such vertices are *tainted*, and taint spreads. So every choice ends in a convex set.

use redblue_pebble::{Cdag, Vertex};

/// Calls `visit` with every convex set of computed vertices that is not empty, with the size of its in-set.
/// Graphs of more than 64 vertices are not for this and get no call.
pub(super) fn convex_sets(graph: &Cdag, visit: &mut dyn FnMut(u64, u64)) {
    if graph.len() > 64 {
        return;
    }
    let mask = |list: &[Vertex]| list.iter().fold(0u64, |mask, &u| mask | 1 << u);
    let computed = graph.order().iter().filter(|&&v| !graph.is_input(v));
    let vertices: Vec<(u64, u64)> = computed.map(|&v| (1 << v, mask(graph.preds(v)))).collect();
    choose(&vertices, Chosen::default(), visit);
}

#[derive(Clone, Copy, Default)]
struct Chosen {
    set: u64,
    read: u64,
    tainted: u64,
}

fn choose(rest: &[(u64, u64)], chosen: Chosen, visit: &mut dyn FnMut(u64, u64)) {
    let Some((&(v, preds), rest)) = rest.split_first() else {
        if chosen.set != 0 {
            visit(
                chosen.set,
                u64::from((chosen.read & !chosen.set).count_ones()),
            );
        }
        return;
    };
    let Chosen { set, read, tainted } = chosen;
    if preds & tainted == 0 {
        let with = Chosen {
            set: set | v,
            read: read | preds,
            tainted,
        };
        choose(rest, with, visit);
    }
    let spreads = preds & (set | tainted) != 0;
    let without = Chosen {
        tainted: if spreads { tainted | v } else { tainted },
        ..chosen
    };
    choose(rest, without, visit);
}
