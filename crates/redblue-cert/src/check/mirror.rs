//! Two sheets of targets that read one operand as mirror images of each other (X-1, U-11); the theorem is at [`Mirror`].
//!
//! ```text
//! sheet 0:  out o, operand t, column c      shared word (o, t)
//! sheet 1:  out o, operand t, column c      shared word (t, o)
//! ```
//!
//! Added up as if they were strangers, the two statements would pay twice for words that serve both. Here the
//! premises of the joint bound are verified: labels, which words may coincide and with which labels, and for the sharper
//! form that chains run through consecutive t on one side of the diagonal.

use redblue_math::rational::ratio;
use redblue_math::{Expr, Matrix};
use redblue_poly::{Map, UnionMap, UnionSet};

use super::capacity::Volume;
use super::count::Number;
use super::family::{Paths, linear, linear_map};
use super::fused::Bundles;
use super::graph::{Graph, Targets};
use crate::certificate::{Mirror, Sheet};
use crate::refusal::{Cause, Refusal, Result, demand};

/// A verified sheet.
struct Verified {
    targets: Targets,
    chain: Paths,
    operand: Paths,
    shared: Paths,
}

/// Verifies the pattern.
pub(super) fn verify(
    graph: &Graph,
    targets: &Targets,
    paths: &[Paths],
    pattern: &Mirror,
) -> Result<Bundles> {
    demand(paths.is_empty(), Cause::Capacity, || {
        "mirrored sheets have no families but their own".into()
    })?;
    let [first, second] = pattern.sheets.as_slice() else {
        return Err(Refusal::new(
            Cause::Capacity,
            "a mirror image has two sheets",
        ));
    };
    let place = |at: usize| move |refusal: Refusal| refusal.within(format!("sheet {at}"));
    let first = sheet(graph, first).map_err(place(0))?;
    let second = sheet(graph, second).map_err(place(1))?;
    let dimension = first.targets.dimension;
    let all = first.targets.all.union(&second.targets.all)?;
    let split = second.targets.dimension == dimension
        && first.targets.all.is_disjoint(&second.targets.all)?
        && all.is_equal(&targets.all)?;
    demand(split, Cause::Capacity, || {
        "the sheets are not two parts of the targets".into()
    })?;
    demand_labels(&first, &second)?;

    let mut words = UnionSet::empty(graph.view.isl())?;
    let mut terminals = UnionSet::empty(graph.view.isl())?;
    for (one, other) in [
        (&first.chain, None),
        (&second.chain, None),
        (&first.operand, Some(&second.operand)),
        (&first.shared, Some(&second.shared)),
    ] {
        let mut own = one.exits.clone();
        terminals = terminals.union(&one.terminals)?;
        if let Some(other) = other {
            own = own.union(&other.exits)?;
            terminals = terminals.union(&other.terminals)?;
        }
        demand(own.is_disjoint(&words)?, Cause::Sharing, || {
            "a word is used by two of the chains, the operands and the shared words".into()
        })?;
        words = words.union(&own)?;
    }
    let third = Expr::constant(ratio(1, 3)).pow(&ratio(3, 2))?;
    let power = |factor: Expr| Volume::Power {
        factor,
        sigma: ratio(3, 2),
    };
    let volume = if pattern.ordered {
        let mut lines = Number::of(&graph.view, &UnionSet::empty(graph.view.isl())?)?.count;
        for (sheet, claim) in [&first, &second].into_iter().zip(&pattern.sheets) {
            demand_order(graph, sheet, claim)?;
            let labels = sheet.targets.embedding.range()?.apply(&sheet.chain.label)?;
            lines = lines.add(&Number::of(&graph.view, &labels)?.count)?;
        }
        let lines = Number::from_count(&graph.view, lines)?;
        demand(lines.condition.is_none(), Cause::Undecided, || {
            "the number of chains has no formula for all sizes".into()
        })?;
        Volume::Far {
            volume: Box::new(power(third)),
            lines: Box::new(lines),
        }
    } else {
        power(Expr::integer(2).sqrt()? * third)
    };
    Ok(Bundles {
        volume,
        words,
        terminals,
        free: false,
    })
}

/// One sheet: its targets, and families with the right labels.
fn sheet(graph: &Graph, claim: &Sheet) -> Result<Verified> {
    let targets = Targets::verify(graph, &claim.targets)?;
    let dimension = targets.dimension;
    demand(dimension >= 2, Cause::Capacity, || {
        "points have two coordinates and a column".into()
    })?;
    let family = |family, name: &str| {
        Paths::verify(graph, &targets, family).map_err(|refusal| refusal.within(name))
    };
    let chain = family(&claim.chain, "chain")?;
    let operand = family(&claim.operand, "operand")?;
    let shared = family(&claim.shared, "shared")?;
    let column: Vec<usize> = (2..dimension).collect();
    let labels = chain.determines(&[&[0], column.as_slice()].concat())?
        && operand.determines(&[&[1], column.as_slice()].concat())?
        && shared.determines(&[0, 1])?;
    demand(labels, Cause::Capacity, || {
        "the labels are not (o, c), (t, c) and (o, t)".into()
    })?;
    Ok(Verified {
        targets,
        chain,
        operand,
        shared,
    })
}

/// Demands that a word has one label in the two operand families, and one in the two shared families up to exchanging o and t.
fn demand_labels(first: &Verified, second: &Verified) -> Result<()> {
    let dimension = first.targets.dimension;
    let unit = |at: usize| (0..dimension).map(|x| i64::from(x == at)).collect();
    let order = [1, 0].into_iter().chain(2..dimension);
    let exchange: Matrix = linear(dimension, &order.map(unit).collect::<Vec<Vec<i64>>>())?;
    let projections = second.operand.projection == first.operand.projection
        && second.shared.projection == first.shared.projection.product(&exchange)?;
    demand(projections, Cause::Capacity, || {
        "the labels of the two sheets are not mirror images".into()
    })?;
    let agree = |one: &UnionMap, other: &UnionMap| -> Result<bool> {
        Ok(one.union(other)?.is_single_valued()?)
    };
    let one_label = agree(&first.operand.labels, &second.operand.labels)?
        && agree(&first.shared.labels, &second.shared.labels)?;
    demand(one_label, Cause::Sharing, || {
        "a word has different labels in the two sheets".into()
    })
}

/// Demands that targets lie on one side of the diagonal, and that the chains run through consecutive t in a fixed direction.
fn demand_order(graph: &Graph, sheet: &Verified, claim: &Sheet) -> Result<()> {
    let dimension = sheet.targets.dimension;
    let points = sheet.targets.embedding.range()?;
    let names: Vec<String> = (2..dimension).map(|at| format!(", c{at}")).collect();
    let column = names.concat();
    let map =
        |text: String| -> Result<UnionMap> { Ok(Map::parse(graph.view.isl(), &text)?.to_union()?) };
    let mut difference = vec![0; dimension];
    (difference[0], difference[1]) = (-1, 1);
    let ahead = points.apply(&linear_map(graph, dimension, &[difference])?.to_union()?)?;
    let side = |text: &str| -> Result<bool> {
        let side = redblue_poly::Set::parse(graph.view.isl(), text)?.to_union()?;
        Ok(ahead.is_subset(&side)?)
    };
    let one_side = side("{ [x] : x >= 1 }")? || side("{ [x] : x <= -1 }")?;
    demand(one_side, Cause::Capacity, || {
        "the targets of a sheet lie on both sides of the diagonal".into()
    })?;
    let later = map(format!("{{ [o, t{column}] -> [o, u{column}] : t < u }}"))?;
    let inner = points
        .apply(&later)?
        .intersect(&points.apply(&later.reverse()?)?)?;
    demand(inner.is_subset(&points)?, Cause::Capacity, || {
        "the targets of a chain are not consecutive".into()
    })?;
    let next = map(format!("{{ [o, t{column}] -> [o, t + 1{column}] }}"))?;
    let next = next.intersect_domain(&points)?.intersect_range(&points)?;
    let place = &sheet.targets.embedding;
    let upwards = place
        .apply_range(&next.reverse()?)?
        .apply_range(&place.reverse()?)?;
    let steps = graph.steps(&claim.chain.edges)?;
    let chained = upwards.is_subset(&steps)? || upwards.reverse()?.is_subset(&steps)?;
    demand(chained, Cause::Path, || {
        "a target of a chain does not need the one before".into()
    })
}

#[cfg(test)]
mod tests {
    use redblue_math::random::Random;
    use std::collections::BTreeSet;

    /// The lemma of the ordered form: outs of two sheets with intervals of t at a distance of at least D on their side of the
    /// diagonal, a different shared words, D² ≥ 12a. Then |F| ≤ (√a/2)·(|O| + |T|).
    #[test]
    fn columns_of_far_targets() {
        let mut random = Random::new(7);
        let (mut tested, mut twins) = (0, 0);
        for _ in 0..40_000 {
            let mut pairs: Vec<(usize, i64, i64)> = Vec::new();
            // Blocks of neighbouring outs whose intervals begin near one another, here and there on a line.
            for _ in 0..1 + random.below(4) {
                let (out, first) = (random.below(40) as i64, random.below(40) as i64);
                let (outs, length) = (1 + random.below(5) as i64, 1 + random.below(5) as i64);
                let mirrored = random.below(2) == 0;
                for o in out..out + outs {
                    for t in first..first + length {
                        pairs.push((usize::from(t < o), o, t));
                        if mirrored {
                            pairs.push((usize::from(o < t), t, o));
                        }
                    }
                }
            }
            let all: BTreeSet<_> = pairs.into_iter().filter(|(_, o, t)| o != t).collect();
            let outs: BTreeSet<_> = all.iter().map(|(sheet, o, _)| (*sheet, *o)).collect();
            let consecutive = outs.iter().all(|(sheet, out)| {
                let own = all.iter().filter(|(s, o, _)| (s, o) == (sheet, out));
                let ts: Vec<i64> = own.map(|(_, _, t)| *t).collect();
                ts.windows(2).all(|pair| pair[1] == pair[0] + 1)
            });
            let distance = all.iter().map(|(_, o, t)| (o - t).abs()).min().unwrap_or(0);
            let shared: BTreeSet<_> = all.iter().map(|(_, o, t)| (o.min(t), o.max(t))).collect();
            let a = shared.len() as i64;
            if !consecutive || distance * distance < 12 * a {
                continue;
            }
            let ts: BTreeSet<_> = all.iter().map(|(_, _, t)| *t).collect();
            let (targets, words) = (all.len() as i64, (outs.len() + ts.len()) as i64);
            assert!(4 * targets * targets <= a * words * words, "{all:?}");
            tested += 1;
            twins += usize::from(targets > a);
        }
        assert!(tested > 1000 && twins > 100, "{tested} {twins}");
    }
}
