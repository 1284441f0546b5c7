//! Transfers that no algorithm over a finite field avoids, as formulas (A-10, A-12, A-13).
//!
//! An execution with S words of memory splits into epochs of S transfers; each but the last is exact. What an
//! epoch produces follows from the S words at its start and the S words it transfers, a message of 2S words. With
//! `min(t·√(B/2), B/4) ≤ 2S` an epoch produces at most `B = max(8S²/t², 8S)` entries, so with rows·columns entries
//!
//! ```text
//! Q ≥ S·(rows·columns/B − 1) = min(rows·columns·t²/(8S), rows·columns/8) − S
//! ```
//!
//! t is the number of rows of a factor that can be made independent: the depth d over a field with more elements
//! than the matrices have rows (Vandermonde), and 2⌊d/⌈log2(N+1)⌉⌋ for bits (BCH).

use redblue_math::Expr;
use redblue_math::rational::ratio;

use crate::error::Result;
use crate::graph::Graph;
use crate::reduction::products;

/// The shape of a matrix of scores: `rows × columns` scalar products of vectors of length `depth`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scores {
    /// Number of rows.
    pub rows: Expr,
    /// Number of columns.
    pub columns: Expr,
    /// Length of the vectors.
    pub depth: Expr,
}

/// A formula that holds in a model of its own: it is reported, not certified.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reported {
    /// `finite-field`.
    pub method: &'static str,
    /// What is counted, in words of the field.
    pub unit: &'static str,
    /// The number of transfers.
    pub formula: Expr,
    /// What it assumes.
    pub assumptions: &'static [&'static str],
}

/// What holds over finite fields for the products of matrices that a program forms from its inputs, such as the
/// scores of attention.
pub fn reported(graph: &Graph) -> Result<Vec<Reported>> {
    let mut found = Vec::new();
    for product in products(graph)? {
        let scores = Scores {
            rows: product.rows,
            columns: product.columns,
            depth: product.depth,
        };
        found.push(Reported {
            method: "finite-field",
            unit: "elements of F_q",
            formula: large_field(&scores)?,
            assumptions: &[
                "oblivious algorithms",
                "q > N",
                "all entries of the product are formed",
            ],
        });
        found.push(Reported {
            method: "finite-field",
            unit: "bits",
            formula: binary_field(&scores)?,
            assumptions: &[
                "oblivious algorithms",
                "q = 2",
                "all entries of the product are formed",
            ],
        });
    }
    Ok(found)
}

/// A-12: words of F_q with q > max(rows, columns), any algorithm that forms all scores.
pub fn large_field(scores: &Scores) -> Result<Expr> {
    epochs(scores, &scores.depth)
}

/// A-13: bits, for an algorithm that computes over F_2.
pub fn binary_field(scores: &Scores) -> Result<Expr> {
    let longest = Expr::max_of([scores.rows.clone(), scores.columns.clone()]).unwrap_or_default();
    let length = (longest + Expr::one()).log2()?.ceil();
    let independent = scores.depth.div(&length)?.floor();
    epochs(scores, &(independent.clone() + independent))
}

fn epochs(scores: &Scores, independent: &Expr) -> Result<Expr> {
    let memory = Expr::symbol("S");
    let entries = (&scores.rows * &scores.columns).scale(&ratio(1, 8));
    let large = (&entries * &independent.powi(2)?).div(&memory)?;
    Ok(Expr::min_of([large, entries]).unwrap_or_default() - memory)
}

#[cfg(test)]
mod tests {
    use super::*;
    use redblue_math::Assignment;

    fn square() -> Scores {
        Scores {
            rows: Expr::symbol("N"),
            columns: Expr::symbol("N"),
            depth: Expr::symbol("D"),
        }
    }

    fn value(formula: &Expr, n: i64, d: i64, s: i64) -> i64 {
        let sizes = Assignment::new().with("N", n).with("D", d).with("S", s);
        formula.eval_floor(&sizes).unwrap().try_into().unwrap()
    }

    #[test]
    fn large_memory_and_small() {
        let formula = large_field(&square()).unwrap();
        // N²d²/(8S) − S and N²/8 − S.
        assert_eq!(
            value(&formula, 1024, 64, 8192),
            1024 * 1024 * 64 * 64 / (8 * 8192) - 8192
        );
        assert_eq!(value(&formula, 1024, 64, 256), 1024 * 1024 / 8 - 256);
    }

    #[test]
    fn scores_are_found_in_the_source() {
        for name in ["attention", "attention-fused", "attention-online"] {
            let graph = Graph::of(&crate::trial::kernel(name)).unwrap();
            let [large, bits] = &reported(&graph).unwrap()[..] else {
                panic!("{name}")
            };
            let formula: Expr = "min(N*M*D^2/(8*S), N*M/8) - S".parse().unwrap();
            assert_eq!((&large.formula, bits.unit), (&formula, "bits"), "{name}");
        }
    }

    #[test]
    fn bits_lose_a_logarithm() {
        let formula = binary_field(&square()).unwrap();
        // ⌈log2(1024)⌉ = 10, t = 2⌊64/10⌋ = 12.
        assert_eq!(
            value(&formula, 1023, 64, 512),
            1023 * 1023 * 144 / (8 * 512) - 512
        );
        assert_eq!(
            value(&formula, 1024, 64, 512),
            1024 * 1024 * 100 / (8 * 512) - 512
        );
    }

    #[test]
    fn below_every_known_algorithm() {
        // FlashAttention-2 (A-8) at memory S moves 2Nd + ⌈N/B⌉·2Nd words, B = ⌊(S−2d)/(2d+3)⌋.
        let formula = large_field(&square()).unwrap();
        for (n, d, s) in [
            (64, 4, 64),
            (256, 8, 256),
            (1024, 64, 8192),
            (1024, 64, 65536),
        ] {
            let block = (s - 2 * d) / (2 * d + 3);
            let flash = 2 * n * d + (n + block - 1) / block * 2 * n * d;
            assert!(
                value(&formula, n, d, s) <= flash,
                "N = {n}, d = {d}, S = {s}"
            );
        }
    }
}
