//! Symmetric accesses (X-4): one word serves as row i and as row j.
//!
//! With R_k the rows met in slice k, x = |φ_ij(E)| and y = Σ_k |R_k|: a slice has at most |R_k|²/2 unordered
//! pairs of rows, and at most x targets, so |E_k| ≤ |R_k|·√(x/2) and |E| ≤ y·√(x/2). Each of m pairs of
//! families needs y words, the chain x others: x + m·y ≤ K, best at x = K/3:
//!
//! ```text
//! U(K) = (√2/m)·(K/3)^{3/2}
//! ```

use redblue_math::Expr;
use redblue_math::rational::{int, ratio};

use super::capacity::Volume;
use super::family::{Paths, demand_partition, linear_map};
use super::graph::{Graph, Targets};
use crate::certificate::Capacity;
use crate::refusal::{Cause, Refusal, Result, demand};

/// Verifies the pattern and returns U(K).
pub(super) fn verify(
    graph: &Graph,
    targets: &Targets,
    paths: &[Paths],
    capacity: &Capacity,
) -> Result<Volume> {
    let Capacity::Symmetric {
        i,
        j,
        k,
        chain,
        pairs,
    } = capacity
    else {
        return Err(Refusal::new(Cause::Capacity, "another kind of capacity"));
    };
    let dimension = targets.dimension;
    demand_partition(dimension, &[i.as_slice(), j.as_slice(), k.as_slice()])?;
    demand(i.len() == j.len() && !i.is_empty(), Cause::Capacity, || {
        "i and j are not equally many coordinates".into()
    })?;
    let mut order: Vec<usize> = (0..dimension).collect();
    i.iter().zip(j).for_each(|(&a, &b)| order.swap(a, b));
    let unit = |at: usize| {
        (0..dimension)
            .map(|x| i64::from(x == at))
            .collect::<Vec<_>>()
    };
    let rows: Vec<Vec<i64>> = order.iter().map(|&at| unit(at)).collect();
    let swap = linear_map(graph, dimension, &rows)?.to_union()?;
    let points = targets.embedding.range()?;
    demand(
        points.is_disjoint(&points.apply(&swap)?)?,
        Cause::Capacity,
        || "exchanging i and j leads from a target to a target".into(),
    )?;

    let family = |at: usize| {
        paths
            .get(at)
            .ok_or_else(|| Refusal::new(Cause::Capacity, format!("there is no family {at}")))
    };
    let mut used = vec![*chain];
    used.extend(pairs.iter().flat_map(|&(a, b)| [a, b]));
    used.sort_unstable();
    demand(
        !pairs.is_empty() && used == (0..paths.len()).collect::<Vec<_>>(),
        Cause::Capacity,
        || "each family is the chain, or in one pair".into(),
    )?;
    let both = |left: &[usize], right: &[usize]| [left, right].concat();
    demand(
        family(*chain)?.determines(&both(i, j))?,
        Cause::Capacity,
        || "the label of the chain is not (i, j)".into(),
    )?;
    let mut words = family(*chain)?.exits.clone();
    let exchange = super::family::linear(dimension, &rows)?;
    for &(first, second) in pairs {
        let (first, second) = (family(first)?, family(second)?);
        let labels = first.determines(&both(i, k))?
            && second.projection == first.projection.product(&exchange)?;
        demand(labels, Cause::Capacity, || {
            "the labels of a pair are not (i, k) and (j, k)".into()
        })?;
        let common = first.labels.union(&second.labels)?;
        demand(common.is_single_valued()?, Cause::Capacity, || {
            "a word has different labels in the two families of a pair".into()
        })?;
        let pair = first.exits.union(&second.exits)?;
        demand(pair.is_disjoint(&words)?, Cause::Sharing, || {
            "a word is used by the chain and a pair, or by two pairs".into()
        })?;
        words = words.union(&pair)?;
    }
    let third = Expr::constant(ratio(1, 3)).pow(&ratio(3, 2))?;
    Ok(Volume::Power {
        factor: (Expr::integer(2).sqrt()? * third).scale(&int(pairs.len()).recip()),
        sigma: ratio(3, 2),
    })
}
