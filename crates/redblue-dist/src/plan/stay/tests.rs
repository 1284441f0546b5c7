//! Tests of plans in the layout of the caller.

use super::*;
use crate::layout::Order;
use crate::layout::block_cyclic::{Descriptor, ProcessGrid};

fn cyclic(m: u64, n: u64, [mb, nb]: [u64; 2], source: [usize; 2], grid: &ProcessGrid) -> Layout {
    let [rsrc, csrc] = source;
    let descriptor = Descriptor {
        m,
        n,
        mb,
        nb,
        rsrc,
        csrc,
    };
    descriptor.layout(grid, |_| None).unwrap()
}

fn holder(layout: &Layout, row: u64, col: u64) -> usize {
    layout.locate(row, col).unwrap().0
}

/// The dumb count: which words a rank must get, and which partial sums it must give away, if the products
/// of each word of the resident matrix are computed where it is.
fn needed(resident: Matrix, layouts: [&Layout; 3]) -> Vec<(u64, u64)> {
    let shape = check(layouts).unwrap();
    let mut used = vec![std::collections::BTreeSet::new(); layouts[0].ranks()];
    for i in 0..shape.m {
        for j in 0..shape.n {
            for t in 0..shape.k {
                let words = [(i, t), (t, j), (i, j)];
                let (row, col) = words[resident.index()];
                let rank = holder(layouts[resident.index()], row, col);
                for matrix in Matrix::ALL {
                    let (row, col) = words[matrix.index()];
                    if holder(layouts[matrix.index()], row, col) != rank {
                        used[rank].insert((matrix, row, col));
                    }
                }
            }
        }
    }
    let count = |words: &std::collections::BTreeSet<(Matrix, u64, u64)>, partial: bool| {
        words
            .iter()
            .filter(|word| (word.0 == Matrix::C) == partial)
            .count() as u64
    };
    used.iter()
        .map(|words| (count(words, false), count(words, true)))
        .collect()
}

#[test]
fn every_rank_moves_what_it_lacks_once() {
    for (shape, [rows, cols], blocks, sources) in [
        (Shape::new(12, 10, 14), [2, 2], [3, 3], [[0, 0]; 3]),
        (
            Shape::new(9, 20, 7),
            [2, 3],
            [2, 4],
            [[0, 1], [1, 0], [1, 2]],
        ),
        (Shape::new(8, 8, 20), [1, 4], [1, 1], [[0, 0]; 3]),
        (
            Shape::new(5, 30, 3),
            [3, 2],
            [2, 5],
            [[2, 1], [0, 0], [1, 1]],
        ),
    ] {
        let grid = ProcessGrid::new(rows, cols, rows * cols + 1, Order::RowMajor).unwrap();
        let a = cyclic(shape.m, shape.k, blocks, sources[0], &grid);
        let b = cyclic(shape.k, shape.n, blocks, sources[1], &grid);
        let c = cyclic(shape.m, shape.n, blocks, sources[2], &grid);
        let a_from_transposed = cyclic(shape.k, shape.m, blocks, sources[0], &grid).transposed();
        for layouts in [[&a, &b, &c], [&a_from_transposed, &b, &c]] {
            for resident in Matrix::ALL {
                let stay = Stay::new(resident, layouts).unwrap().unwrap();
                let needed = needed(resident, layouts);
                let (mut taken, mut given) = (vec![0; needed.len()], vec![0; needed.len()]);
                for route in stay.routes() {
                    for hop in route.stops.windows(2) {
                        let (counted, rank) = match route.matrix {
                            Matrix::C => (&mut given, hop[0]),
                            _ => (&mut taken, hop[1]),
                        };
                        counted[rank] += route.words as u64;
                    }
                }
                let counted: Vec<(u64, u64)> = taken.into_iter().zip(given).collect();
                assert_eq!(counted, needed, "{shape} {resident} stays");
                let flows: Vec<Flow> = (0..stay.ranks()).map(|rank| stay.flow(rank)).collect();
                let all: u64 = needed.iter().map(|(taken, given)| taken + given).sum();
                assert_eq!(flows.iter().map(|flow| flow.sent).sum::<u64>(), all);
                assert_eq!(flows.iter().map(|flow| flow.received).sum::<u64>(), all);
                let ends: Vec<u64> = stay.slabs().iter().map(|slab| slab.end).collect();
                assert_eq!(ends.last(), Some(&shape.length(stay.through())));
            }
        }
    }
}

/// Where blocks divide the sizes, no rank sends more than it receives: the rings of SUMMA.
#[test]
fn equal_parts_are_balanced() {
    let grid = ProcessGrid::new(2, 3, 6, Order::ColumnMajor).unwrap();
    let layout = cyclic(48, 48, [4, 4], [0, 0], &grid);
    let stay = Stay::new(Matrix::C, [&layout; 3]).unwrap().unwrap();
    for rank in 0..6 {
        let words = 24 * 48 * 2 / 3 + 16 * 48 / 2;
        assert_eq!(
            (stay.flow(rank).sent, stay.flow(rank).received),
            (words, words)
        );
    }
}

/// Uneven parts: words of one holder are divided among routes, so that no rank moves more than the busiest must.
#[test]
fn divided_routes_share_evenly() {
    let grid = ProcessGrid::new(2, 3, 6, Order::RowMajor).unwrap();
    let layout = |m, n| cyclic(m, n, [8, 8], [0, 0], &grid);
    let (a, b, c) = (layout(97, 83), layout(61, 83).transposed(), layout(97, 61));
    let stay = Stay::new(Matrix::A, [&a, &b, &c]).unwrap().unwrap();
    // Partial sums that a rank must send, and its part of B, which it sends to the one other rank that uses it.
    let needed = (0..6).map(|rank| {
        let (held, sums) = (b.words(rank), c.words(rank));
        let rows = a.patches(rank)[0].rows().len();
        held + u128::from(rows * c.cols()) - sums
    });
    assert_eq!(Some(stay.volume()), needed.max());
    let whole: u128 = stay.routes().iter().map(|route| route.words).sum();
    let matrices = u128::from(b.rows() * b.cols() + c.rows() * c.cols());
    assert_eq!(whole, matrices);
}

/// A matrix on one rank: the others pass it on, and its holder sends each word once.
#[test]
fn a_crowded_holder_sends_once() {
    let grid = ProcessGrid::new(1, 5, 5, Order::RowMajor).unwrap();
    let a = cyclic(10, 4, [10, 4], [0, 2], &grid);
    let (b, c) = (
        cyclic(4, 20, [4, 4], [0, 0], &grid),
        cyclic(10, 20, [4, 4], [0, 0], &grid),
    );
    let stay = Stay::new(Matrix::C, [&a, &b, &c]).unwrap().unwrap();
    assert_eq!(stay.volume(), 40);
    assert_eq!(stay.hops(false), 4);
}

#[test]
fn slabs_end_where_blocks_end() {
    let grid = ProcessGrid::new(2, 2, 4, Order::RowMajor).unwrap();
    let layout = cyclic(1100, 1100, [96, 96], [1, 0], &grid);
    let part = layout.part(5..1005, 10..1010).unwrap();
    let stay = Stay::new(Matrix::C, [&part; 3]).unwrap().unwrap();
    let (last, before) = stay.slabs().split_last().unwrap();
    assert_eq!(last.end, 1000);
    assert!(before.iter().all(|slab| (slab.end + 10) % 96 == 0));
}
