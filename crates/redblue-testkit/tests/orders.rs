//! Orders are legal, whatever the key, and graphs of one computation are equal.

mod common;

use common::{arena, kernel, sizes};
use redblue_pebble::program::ProgramGraph;
use redblue_pebble::{Cdag, Vertex};
use redblue_testkit::{Arena, Model, Source, Sums};

/// Checks that an order computes every vertex once and after its operands.
fn check_order(graph: &Cdag, order: &[Vertex], source: &Source) {
    let mut place = vec![usize::MAX; graph.len()];
    order.iter().enumerate().for_each(|(at, &v)| place[v] = at);
    assert_eq!(
        order.len(),
        graph.len() - graph.inputs().len(),
        "{source:?}"
    );
    for (u, v) in graph.edges().filter(|&(u, _)| !graph.is_input(u)) {
        assert!(place[u] < place[v], "{u} before {v}: {source:?}");
    }
}

fn sources(arena: &Arena) -> Vec<Source> {
    let keys = arena.keys(80).into_iter().map(Source::Key);
    keys.chain((0..6).map(Source::Random))
        .chain([Source::DepthFirst])
        .collect()
}

#[test]
fn orders_are_legal_and_sums_keep_their_terms() {
    for (name, size) in [
        ("cholesky", 6),
        ("mgs", 4),
        ("gemm", 3),
        ("durbin", 5),
        ("2mm", 3),
        ("conv2d", 2),
    ] {
        let program = kernel(name);
        let params = program.params.iter();
        let sizes: Vec<(&str, i64)> = params.map(|param| (param.name.as_str(), size)).collect();
        let arena = arena(name, &sizes);
        for source in sources(&arena) {
            for sums in [Sums::Fixed, Sums::Free] {
                let field = arena.field(&source, &Model::TOTAL.game(), sums);
                let Some(field) = field.expect("fine") else {
                    assert_eq!(sums, Sums::Free, "{name}");
                    continue;
                };
                check_order(&field.graph, &field.order, &source);
                // The same values in the same number, the same inputs, and as many edges and outputs.
                let (own, other) = (arena.graph(), field.graph.as_ref());
                assert_eq!(own.len(), other.len());
                assert_eq!(own.inputs(), other.inputs());
                assert_eq!(own.outputs().len(), other.outputs().len());
                assert_eq!(own.edge_count(), other.edge_count(), "{name} {source:?}");
            }
        }
    }
}

#[test]
fn free_sums_reach_all_orders_of_a_sum() {
    // Row sums of a 1×3 matrix–vector product: three terms, six orders.
    let arena = arena("matvec", &[("M", 1), ("N", 3)]);
    let game = Model::TOTAL.game();
    let mut orders: Vec<Vec<Vertex>> = (0..40)
        .map(|seed| arena.field(&Source::Random(seed), &game, Sums::Free))
        .map(|field| field.expect("fine").expect("an order").order)
        .collect();
    orders.sort();
    orders.dedup();
    assert_eq!(orders.len(), 6);
}

#[test]
fn graphs_of_one_computation_in_several_spellings_are_equal() {
    let graph = |name: &str| {
        let sizes = sizes(&[("M", 3), ("N", 2), ("K", 4)]);
        ProgramGraph::of(&kernel(name), &sizes, 1_000)
            .expect("small")
            .graph
    };
    let degrees = |graph: &Cdag| {
        let mut list: Vec<_> = (0..graph.len())
            .map(|v| (graph.preds(v).len(), graph.succs(v).len()))
            .collect();
        list.sort_unstable();
        list
    };
    let (plain, tiled) = (graph("matmul"), graph("matmul-tiled"));
    // 12 + 8 inputs and 24 fused multiply-adds; the first of each chain starts from the constant zero.
    assert_eq!(
        (plain.len(), plain.inputs().len(), plain.outputs().len()),
        (44, 20, 6)
    );
    assert_eq!(degrees(&plain), degrees(&tiled));
}
