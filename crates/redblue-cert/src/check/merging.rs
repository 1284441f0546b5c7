//! Sums in any order, with Brascamp-Lieb (G-12) for what their summands need; the theorem is at [`Merging`].

use redblue_math::rational::int;
use redblue_math::{Expr, Lattice, Rational, Subspace};
use redblue_poly::UnionMap;

use super::brascamp_lieb::{MOST_SUBSPACES, exponent, rational};
use super::capacity::Volume;
use super::family::{Paths, linear, linear_map};
use super::graph::{Graph, Targets};
use super::reach::{self, Direction};
use super::{partial, sums};
use crate::certificate::{Group, Merging, Onto};
use crate::refusal::{Cause, Result, demand};

/// Verifies sums and inequality, and returns U(K) with the number of sums.
pub(super) fn verify(
    graph: &Graph,
    targets: &Targets,
    group: &Group,
    paths: &[Paths],
    pattern: &Merging,
) -> Result<Volume> {
    let dimension = targets.dimension;
    demand(
        sums::free(graph, targets, group, paths)?,
        Cause::Model,
        || "the words that summands need depend on the order of sums".into(),
    )?;
    let label = linear_map(graph, dimension, &pattern.projection)?.to_union()?;
    let labels = targets.embedding.apply_range(&label)?;
    let (sums, carriers) = match &pattern.onto {
        None => (labels.clone(), labels),
        Some(onto) => led_to(graph, &labels, onto, pattern.projection.len())?,
    };
    let carriers = carriers.domain()?;
    for family in paths {
        demand(family.exits.is_disjoint(&carriers)?, Cause::Sharing, || {
            "a word of a family may be a partial sum, or lead to one".into()
        })?;
    }
    let number = partial::one_sum_per_label(graph, &sums)?;

    demand(
        pattern.exponents.len() == paths.len(),
        Cause::Capacity,
        || "every family has one exponent".into(),
    )?;
    let own = exponent(&pattern.exponent)?;
    demand(own > int(0) && own < int(1), Cause::Capacity, || {
        "the exponent of the sums is not between 0 and 1".into()
    })?;
    let shares = pattern
        .exponents
        .iter()
        .map(exponent)
        .collect::<Result<Vec<_>>>()?;
    let others: Rational = shares.iter().sum();
    demand(
        others > int(0) && &others + &own >= int(1),
        Cause::Capacity,
        || "the exponents add up to less than 1".into(),
    )?;
    let mut maps = vec![(linear(dimension, &pattern.projection)?, own.clone())];
    let rest = int(1) - &own;
    let mut factor = power(&own, &own)? * power(&rest, &rest)?;
    for ((family, share), described) in paths.iter().zip(&shares).zip(&group.families) {
        let weight = rational(&described.weight)?;
        demand(weight > int(0), Cause::Capacity, || {
            "a weight is not positive".into()
        })?;
        if *share > int(0) {
            factor = factor * power(&(share / (weight * &others)), share)?;
        }
        maps.push((family.projection.clone(), share.clone()));
    }
    let kernels = maps.iter().map(|(map, _)| Subspace::kernel(map));
    let generators = kernels.chain([Subspace::full(dimension)]);
    for subspace in Lattice::closure(generators, MOST_SUBSPACES)?.members() {
        let mut rank = int(0);
        for (map, share) in &maps {
            rank += share * int(subspace.image(map)?.rank());
        }
        demand(int(subspace.rank()) <= rank, Cause::Capacity, || {
            format!(
                "the rank inequality fails for the subspace {:?}",
                subspace.basis().rows()
            )
        })?;
    }
    Ok(Volume::Merged {
        volume: Box::new(Volume::Power {
            factor,
            sigma: others + own,
        }),
        sums: Box::new(number),
    })
}

/// The labels of running values that targets lead to, and of everything on the way there, targets and running values included.
fn led_to(
    graph: &Graph,
    targets: &UnionMap,
    onto: &Onto,
    length: usize,
) -> Result<(UnionMap, UnionMap)> {
    let view = &graph.view;
    let sums = view.vertex_labels(&onto.sums, length)?;
    demand(
        sums.domain()?.is_subset(&graph.live)?,
        Cause::Liveness,
        || "sums that are not live".into(),
    )?;
    let ways = reach::verify(graph, &onto.ways, &sums, length, Direction::Onto)?.union(&sums)?;
    demand(targets.is_subset(&ways)?, Cause::Path, || {
        "a target leads to no sum of its label".into()
    })?;
    demand(ways.is_single_valued()?, Cause::Path, || {
        "a value leads to sums of two labels".into()
    })?;
    let between = ways.domain()?.subtract(&sums.domain()?)?;
    for statement in view.statements() {
        let own = between.set_of(&statement.domain.space()?)?;
        demand(
            own.is_empty()? || !sums::in_sum(graph, statement),
            Cause::Model,
            || format!("{} may be part of a sum", statement.name),
        )?;
    }
    Ok((sums, ways))
}

fn power(base: &Rational, exponent: &Rational) -> Result<Expr> {
    Ok(Expr::constant(base.clone()).pow(exponent)?)
}

#[cfg(test)]
mod tests {
    /// The inequality of the theorem for a matrix product: √(a·b·t) ≤ U + (U/K)(t − y), U = K^{3/2}/4.
    #[test]
    fn products_of_a_phase() {
        for k in [1u32, 2, 5, 9, 16, 30] {
            let capacity = f64::from(k).powf(1.5) / 4.0;
            for a in 0..=k {
                for b in 0..=k - a {
                    for y in 0..=k - a - b {
                        for t in 0..=4 * k {
                            let products = (f64::from(a) * f64::from(b) * f64::from(t)).sqrt();
                            let allowed =
                                capacity + capacity / f64::from(k) * (f64::from(t) - f64::from(y));
                            assert!(products <= allowed + 1e-9, "{a} {b} {y} {t} of {k}");
                        }
                    }
                }
            }
        }
    }

    /// The inequality of fused chains: i·j + z ≤ U + (U/K)(w·i − y).
    #[test]
    fn pairs_of_a_phase() {
        for (rows, columns, w) in [(1u32, 2u32, 1u32), (1, 1, 3), (3, 2, 1), (2, 5, 4)] {
            for k in [3u32, 8, 20, 41, 90] {
                let (k_, rows_, columns_, w_) = (
                    f64::from(k),
                    f64::from(rows),
                    f64::from(columns),
                    f64::from(w),
                );
                let square = (rows_.sqrt() + (rows_ + w_).sqrt()).powi(2);
                let capacity = k_.max(k_ * k_ / (columns_ * square));
                for i in 0..=k / rows {
                    for j in 0..=(k - rows * i) / columns {
                        let left = k - rows * i - columns * j;
                        for y in 0..=left {
                            let z = left - y;
                            let made = f64::from(i * j + z);
                            let allowed =
                                capacity + capacity / k_ * (w_ * f64::from(i) - f64::from(y));
                            assert!(made <= allowed + 1e-9, "{i} {j} {y} {z} of {k}");
                        }
                    }
                }
            }
        }
    }
}
