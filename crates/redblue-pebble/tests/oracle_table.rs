//! The oracle table of theory T-2: exact optima of small graphs, every value reproduced.
//!
//! A row gives the optimum for consecutive capacities; `0` stands for "no play exists". The player
//! hands every play to the referee, so an optimum reproduced here is a play accepted.

use redblue_pebble::exact::{Limits, Stop, solve};
use redblue_pebble::generate::{self, Product};
use redblue_pebble::{Cdag, Error, Game};

const RB: Game = Game::red_blue();
const RBW: Game = Game::red_blue_white();
const RW: Game = Game::red_white();
/// Final stores free, without recomputation.
const FREE: Game = Game {
    final_stores: false,
    ..RBW
};

fn check(name: &str, graph: Result<Cdag, Error>, games: &[Game], from: usize, optima: &[u64]) {
    let graph = graph.expect("generators build legal graphs");
    for game in games {
        for (capacity, &optimum) in (from..).zip(optima) {
            let outcome = solve(&graph, game, capacity, &Limits::default());
            let place = format!("{name}, S = {capacity}, {game:?}");
            if optimum == 0 {
                let refused = outcome.expect_err(&place);
                assert!(
                    matches!(refused, Error::CapacityTooSmall { .. }),
                    "{place}: {refused}"
                );
                continue;
            }
            let outcome = outcome.expect(&place);
            assert_eq!(outcome.stop, Stop::Optimal, "{place}");
            assert_eq!(outcome.score.io(), optimum, "{place}");
            assert_eq!(outcome.lower_bound, optimum, "{place}");
        }
    }
}

fn fma(m: usize, n: usize, k: usize) -> Result<Cdag, Error> {
    generate::matmul(m, n, k, Product::Fused)
}

#[test]
fn matmul_2x2x2() {
    let both = [RB, RBW];
    let slide = [RB.sliding(), RBW.sliding()];
    check(
        "fma 2x2x2",
        fma(2, 2, 2),
        &both,
        3,
        &[0, 17, 14, 13, 12, 12, 12, 12],
    );
    check(
        "fma 2x2x2",
        fma(2, 2, 2),
        &[RW],
        3,
        &[0, 12, 10, 9, 8, 8, 8, 8],
    );
    check(
        "fma 2x2x2",
        fma(2, 2, 2),
        &slide,
        3,
        &[17, 14, 13, 12, 12, 12, 12, 12],
    );
}

#[test]
fn matmul_2x2x2_products_and_sums() {
    let graph = || generate::matmul(2, 2, 2, Product::Separate);
    check(
        "products 2x2x2",
        graph(),
        &[RBW, RB],
        3,
        &[25, 17, 14, 13, 12, 12, 12, 12],
    );
    check(
        "products 2x2x2",
        graph(),
        &[RW],
        3,
        &[17, 12, 10, 9, 8, 8, 8, 8],
    );
}

#[test]
fn matmul_2x2x2_with_c() {
    let graph = || generate::matmul(2, 2, 2, Product::Accumulating);
    check(
        "C+AB 2x2x2",
        graph(),
        &[RBW, RB],
        3,
        &[0, 24, 18, 17, 16, 16, 16, 16],
    );
    check(
        "C+AB 2x2x2",
        graph(),
        &[RW],
        3,
        &[0, 17, 14, 13, 12, 12, 12, 12],
    );
}

#[test]
fn matmul_with_a_three() {
    for (m, n) in [(3, 2), (2, 3)] {
        check(
            "fma 3x2x2",
            fma(m, n, 2),
            &[RBW],
            3,
            &[0, 25, 20, 18, 17, 16, 16, 16],
        );
        check(
            "fma 3x2x2",
            fma(m, n, 2),
            &[RW],
            3,
            &[0, 17, 14, 12, 11, 10, 10, 10],
        );
    }
    check(
        "fma 2x2x3",
        fma(2, 2, 3),
        &[RBW],
        3,
        &[0, 28, 22, 19, 17, 16, 16, 16],
    );
    check(
        "fma 2x2x3",
        fma(2, 2, 3),
        &[RW],
        3,
        &[0, 20, 16, 14, 13, 12, 12, 12],
    );
}

#[test]
fn matmul_with_a_three_recomputing() {
    check("fma 3x2x2", fma(3, 2, 2), &[RB], 4, &[25, 20]);
    check("fma 2x2x3", fma(2, 2, 3), &[RB], 4, &[28]);
}

#[test]
fn matmul_2x2x4() {
    check(
        "fma 2x2x4",
        fma(2, 2, 4),
        &[RBW],
        3,
        &[0, 36, 28, 25, 22, 20, 20, 20],
    );
    check(
        "fma 2x2x4",
        fma(2, 2, 4),
        &[RW],
        3,
        &[0, 28, 22, 19, 17, 16, 16, 16],
    );
}

#[test]
fn matvec_and_outer_product() {
    check("matvec 2x2", fma(2, 1, 2), &[RB, RBW], 3, &[0, 9, 8, 8]);
    check("matvec 2x2", fma(2, 1, 2), &[RW], 3, &[0, 7, 6, 6]);
    check(
        "matvec 3x3",
        fma(3, 1, 3),
        &[RB, RBW],
        3,
        &[0, 21, 17, 15, 15],
    );
    check("matvec 3x3", fma(3, 1, 3), &[RW], 3, &[0, 16, 13, 12, 12]);
    check(
        "outer 3x3",
        fma(3, 3, 1),
        &[RB, RBW],
        3,
        &[19, 17, 15, 15, 15],
    );
    check("outer 3x3", fma(3, 3, 1), &[RW], 3, &[10, 8, 6, 6, 6]);
}

#[test]
fn fft() {
    let four = || generate::fft(2);
    check("FFT-4", four(), &[RB, RBW], 3, &[14, 11, 9, 8, 8]);
    check("FFT-4", four(), &[RW], 3, &[7, 6, 5, 4, 4]);
    check("FFT-4", four(), &[Game::lecture(), FREE], 3, &[10, 7, 5, 4]);
    let eight = || generate::fft(3);
    check(
        "FFT-8",
        eight(),
        &[RBW],
        3,
        &[40, 31, 27, 24, 22, 20, 18, 16],
    );
    check("FFT-8", eight(), &[RW], 3, &[20, 16, 14, 12, 11, 10, 9, 8]);
    check("FFT-8", eight(), &[FREE], 3, &[32, 23, 19, 16]);
}

#[test]
fn trees_pyramids_and_grids() {
    check(
        "tree 8",
        generate::binary_tree(8),
        &[RB, RBW],
        3,
        &[15, 11, 9, 9, 9],
    );
    check(
        "tree 8",
        generate::binary_tree(8),
        &[RW],
        3,
        &[11, 9, 8, 8, 8],
    );
    check(
        "pyramid 4",
        generate::pyramid(4),
        &[RB, RBW],
        3,
        &[18, 10, 8, 6, 6],
    );
    check(
        "pyramid 4",
        generate::pyramid(4),
        &[RW],
        3,
        &[11, 7, 6, 5, 5],
    );
    check(
        "diamond 4x4",
        generate::diamond(4, 4),
        &[RB],
        3,
        &[11, 4, 2, 2, 2],
    );
    check(
        "diamond 4x4",
        generate::diamond(4, 4),
        &[RBW],
        3,
        &[14, 6, 2, 2, 2],
    );
    check(
        "diamond 4x4",
        generate::diamond(4, 4),
        &[RW],
        3,
        &[7, 3, 1, 1, 1],
    );
}

#[test]
fn attention() {
    check(
        "attention 2,1",
        generate::attention(2, 1),
        &[RBW],
        3,
        &[24, 15, 11, 10, 9, 8],
    );
    check(
        "attention 2,1",
        generate::attention(2, 1),
        &[RW],
        3,
        &[16, 11, 9, 8, 7, 6],
    );
}

#[test]
fn mgs() {
    check("MGS 2x2", generate::mgs(2, 2), &[RW], 3, &[0, 7, 5, 4, 4]);
    check(
        "MGS 2x2",
        generate::mgs(2, 2),
        &[RBW],
        3,
        &[0, 15, 12, 11, 11],
    );
    check(
        "MGS 3x2",
        generate::mgs(3, 2),
        &[RW],
        3,
        &[0, 15, 10, 8, 7, 6],
    );
    check(
        "MGS 3x2",
        generate::mgs(3, 2),
        &[RBW],
        3,
        &[0, 26, 20, 17, 16, 15],
    );
    check(
        "MGS 2x3",
        generate::mgs(2, 3),
        &[RW],
        3,
        &[0, 17, 11, 8, 7, 6],
    );
    check(
        "MGS 2x3",
        generate::mgs(2, 3),
        &[RBW],
        3,
        &[0, 33, 24, 20, 19, 18],
    );
}

#[test]
fn mgs_3x3() {
    check(
        "MGS 3x3",
        generate::mgs(3, 3),
        &[RW],
        3,
        &[0, 35, 24, 18, 15, 12],
    );
    check("MGS 3x3", generate::mgs(3, 3), &[RW], 10, &[10]);
    check("MGS 3x3", generate::mgs(3, 3), &[RW], 12, &[9]);
}
