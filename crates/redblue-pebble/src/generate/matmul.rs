//! The classical matrix product `C = A·B`, A m×k, B k×n (theory C-1).

use super::input_matrix;
use crate::builder::Builder;
use crate::cdag::Cdag;
use crate::error::Error;

/// How the sums of a matrix product are formed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Product {
    /// `C = A·B` by fused multiply-adds: `c(i,j,t)` reads `c(i,j,t-1)`, `A(i,t)`, `B(t,j)`.
    Fused,
    /// `C = A·B` with products and sums as vertices of their own, summed left to right.
    Separate,
    /// `C = C + A·B` by fused multiply-adds: C is an input too.
    Accumulating,
}

/// The graph of an m×n×k matrix product.
///
/// # Errors
/// Never for sizes that fit in memory.
pub fn matmul(m: usize, n: usize, k: usize, product: Product) -> Result<Cdag, Error> {
    let mut builder = Builder::new();
    let a = input_matrix(&mut builder, "A", m, k);
    let b = input_matrix(&mut builder, "B", k, n);
    let c = match product {
        Product::Accumulating => Some(input_matrix(&mut builder, "C", m, n)),
        Product::Fused | Product::Separate => None,
    };
    for i in 0..m {
        for j in 0..n {
            let mut sum = c.as_ref().map(|c| c[i][j]);
            for t in 0..k {
                let label = format!("c[{i},{j},{t}]");
                let factors = [a[i][t], b[t][j]];
                sum = Some(match (sum, product) {
                    (None, _) => builder.compute(label, &factors),
                    (Some(sum), Product::Separate) => {
                        let term = builder.compute(format!("p[{i},{j},{t}]"), &factors);
                        builder.compute(label, &[sum, term])
                    }
                    (Some(sum), _) => builder.compute(label, &[sum, factors[0], factors[1]]),
                });
            }
            if let Some(result) = sum {
                builder.output(result);
            }
        }
    }
    builder.build()
}
