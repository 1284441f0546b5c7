//! Graphs of the computations the theory talks about, one file per family.
//!
//! Each generator returns a finished [`Cdag`](crate::Cdag) with labels, numbered in the order of
//! the plain program, so that `graph.order()` is the textbook schedule. Sizes of zero give empty
//! graphs.

// The loops are those of the mathematics: an index means the same in every array it subscripts.
#![allow(clippy::needless_range_loop)]

mod attention;
mod fft;
mod grid;
mod matmul;
mod qr;
mod random;
mod stencil;
mod strassen;
mod tree;

pub use attention::attention;
pub use fft::fft;
pub use grid::{diamond, pyramid};
pub use matmul::{Product, matmul};
pub use qr::{householder, mgs};
pub use random::{random_edges, random_layers};
pub use stencil::{stencil_1d, stencil_2d};
pub use strassen::strassen;
pub use tree::binary_tree;

use crate::builder::Builder;
use crate::cdag::Vertex;

/// A matrix of inputs, `matrix[row][column]`.
fn input_matrix(builder: &mut Builder, name: &str, rows: usize, cols: usize) -> Vec<Vec<Vertex>> {
    (0..rows)
        .map(|i| {
            (0..cols)
                .map(|j| builder.input(format!("{name}[{i},{j}]")))
                .collect()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Cdag, Error};

    fn check(graph: Result<Cdag, Error>, vertices: usize, inputs: usize, outputs: usize) {
        let graph = graph.expect("generators build legal graphs");
        let counts = (graph.len(), graph.inputs().len(), graph.outputs().len());
        assert_eq!(counts, (vertices, inputs, outputs));
        assert!(
            graph.order().iter().enumerate().all(|(i, &v)| i == v),
            "textbook order"
        );
        let needed = graph.needed_for_outputs();
        assert!(
            needed.iter().all(|&needed| needed),
            "nothing is computed in vain"
        );
    }

    /// Vertex counts of theory T-2, A-2 and L-10.
    #[test]
    fn sizes_are_those_of_the_theory() {
        check(matmul(2, 2, 2, Product::Fused), 16, 8, 4);
        check(matmul(2, 2, 2, Product::Separate), 20, 8, 4);
        check(matmul(2, 2, 2, Product::Accumulating), 20, 12, 4);
        check(matmul(3, 2, 2, Product::Fused), 22, 10, 6);
        check(matmul(3, 1, 3, Product::Fused), 21, 12, 3);
        check(fft(2), 12, 4, 4);
        check(fft(3), 32, 8, 8);
        check(binary_tree(8), 15, 8, 1);
        check(pyramid(4), 15, 5, 1);
        check(diamond(4, 4), 16, 1, 1);
        check(attention(2, 1), 26, 6, 2);
        check(attention(2, 2), 48, 12, 4);
        check(mgs(2, 3), 33, 6, 12);
        check(mgs(3, 3), 48, 9, 15);
        // Strassen of 2×2 blocks: 7 products and 18 additions.
        check(strassen(1), 8 + 25, 8, 4);
        check(strassen(2), 32 + 247, 32, 16);
        check(stencil_1d(4, 2), 12, 4, 4);
        check(stencil_2d(3, 3, 1), 18, 9, 9);
    }

    #[test]
    fn sizes_of_zero_are_legal() {
        let empty = [
            matmul(0, 2, 2, Product::Fused),
            binary_tree(0),
            diamond(0, 3),
            mgs(2, 0),
        ];
        for graph in empty
            .into_iter()
            .chain([attention(0, 2), householder(0, 0), stencil_1d(0, 3)])
        {
            assert_eq!(graph.map(|graph| graph.outputs().len()), Ok(0));
        }
        assert_eq!(random_layers(0, 5, 2, 1).map(|graph| graph.len()), Ok(0));
    }

    /// Householder updates N(N-1)(3M-N-1)/6 entries and as many products (theory H-9 table).
    #[test]
    fn householder_has_the_updates_of_the_theory() {
        let graph = householder(5, 3).expect("fine");
        let updates =
            (0..graph.len()).filter(|&v| graph.label(v).is_some_and(|l| l.starts_with("SU")));
        assert_eq!(updates.count(), 3 * 2 * (15 - 3 - 1) / 6);
    }

    #[test]
    fn random_graphs_repeat_with_their_seed() {
        assert_eq!(random_edges(12, 30, 7), random_edges(12, 30, 7));
        assert_ne!(random_edges(12, 30, 7), random_edges(12, 30, 8));
        assert_eq!(random_layers(4, 5, 2, 7), random_layers(4, 5, 2, 7));
    }
}
