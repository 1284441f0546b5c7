//! The hourglass (H-5 to H-11, X-5): between the first and the last tick of a column, whole slices are computed.
//!
//! Let E be computed in one phase (a convex set, G-5), and let E_j have ticks a < k < b in the order of `step`. A
//! target of tick a reaches the hub of the next tick, which reaches every target of that slice, and so on up to k and
//! further up to b: by convexity the whole slice (k, j) is in E. What this gives for U(K) depends on the words of the two families: the
//! documentation of [`Hourglass`] has the four forms and their proof. Here the premises are verified:
//!
//! * two families with labels (i, j) and (i, k); ticks of a column consecutive; every slice at least W wide;
//! * one hub per slice, which needs every target of the tick before and is needed by every target of its own;
//! * for the sharper forms, disjoint words, or words with one label in both families and targets on one side of the diagonal.

use std::collections::BTreeMap;

use num_bigint::BigInt;
use redblue_math::rational::int;
use redblue_math::{Assignment, Expr, Rational};
use redblue_poly::{Map, UnionMap};

use super::capacity::Volume;
use super::count::Number;
use super::family::{Paths, demand_partition, linear, linear_map};
use super::fibre;
use super::graph::{Graph, Targets};
use super::reach::{self, Direction};
use super::view::View;
use crate::certificate::{Hourglass, Sharing};
use crate::refusal::{Cause, Refusal, Result, demand};

/// Verifies the pattern and returns U(K).
pub(super) fn verify(
    graph: &Graph,
    targets: &Targets,
    paths: &[Paths],
    pattern: &Hourglass,
) -> Result<Volume> {
    let view = &graph.view;
    let Hourglass {
        time,
        step,
        neutral,
        width,
        ..
    } = pattern;
    let dimension = targets.dimension;
    demand_partition(dimension, &[&[*time], neutral.as_slice(), &[*width]])?;
    demand(matches!(step, -1 | 1), Cause::Capacity, || {
        "ticks follow each other by steps of 1".into()
    })?;
    let [columns, rows] = paths else {
        return Err(Refusal::new(
            Cause::Capacity,
            "an hourglass has two families",
        ));
    };
    let with_width = |others: &[usize]| [&[*width], others].concat();
    let labels =
        columns.determines(&with_width(neutral))? && rows.determines(&with_width(&[*time]))?;
    demand(labels, Cause::Capacity, || {
        "the labels of the families are not (i, j) and (i, k)".into()
    })?;

    // Slices are (k, j), the label of hubs.
    let unit = |at: usize| {
        (0..dimension)
            .map(|x| i64::from(x == at))
            .collect::<Vec<_>>()
    };
    let kept: Vec<Vec<i64>> = [*time].iter().chain(neutral).map(|&at| unit(at)).collect();
    let slice = linear_map(graph, dimension, &kept)?;
    let slice_of = targets.embedding.apply_range(&slice.to_union()?)?;
    let size = kept.len();
    let names: Vec<String> = (1..size).map(|at| format!("j{at}")).collect();
    let tuple = |tick: String| [vec![tick], names.clone()].concat().join(", ");
    let next = format!(
        "{{ [{}] -> [{}] }}",
        tuple("k".into()),
        tuple(format!("k + ({step})"))
    );
    let next = Map::parse(view.isl(), &next)?.to_union()?;
    let slices = slice_of.range()?;
    let later = format!(
        "{{ [{}] -> [{}] : k < l }}",
        tuple("k".into()),
        tuple("l".into())
    );
    // A gap: a slice without targets that has an earlier and a later slice in its column.
    let later = Map::parse(view.isl(), &later)?.to_union()?;
    let inner = slices
        .apply(&later)?
        .intersect(&slices.apply(&later.reverse()?)?)?;
    demand(inner.is_subset(&slices)?, Cause::Capacity, || {
        "the ticks of a column are not consecutive".into()
    })?;

    let hubs = view.vertex_labels(&pattern.hubs, size)?;
    demand(hubs.is_injective()?, Cause::Capacity, || {
        "a slice has two hubs".into()
    })?;
    let into = reach::verify(graph, &pattern.into, &hubs, size, Direction::Onto)?;
    let out_of = reach::verify(graph, &pattern.out_of, &hubs, size, Direction::From)?;
    let preceded = slice_of.intersect_range(&slices.apply(&next)?)?;
    demand(preceded.is_subset(&out_of)?, Cause::Path, || {
        "a target is not shown to need the hub of its slice".into()
    })?;
    let succeeded = slice_of.apply_range(&next)?.intersect_range(&slices)?;
    demand(succeeded.is_subset(&into)?, Cause::Path, || {
        "the hub of the next tick is not shown to need a target".into()
    })?;

    let least = view.formula(&pattern.least_width)?;
    let points = targets.embedding.range()?.identity()?;
    let members = points.apply_domain(&slice.to_union()?)?;
    fibre::demand_at_least(view, &members, &least)?;
    match pattern.sharing {
        Sharing::Any => {}
        Sharing::Disjoint => demand(
            columns.exits.is_disjoint(&rows.exits)?,
            Cause::Sharing,
            || "the two families share words".into(),
        )?,
        Sharing::Columns | Sharing::FarColumns => {
            demand_columns(graph, targets, columns, rows, pattern)?;
        }
    }
    let apart = !slice_shares_words(targets, columns, rows, &slice)?;
    let labels = targets.embedding.range()?.apply(&columns.label)?;
    let labels = Number::of(view, &labels)?;
    let counted = pattern.sharing != Sharing::FarColumns || labels.condition.is_none();
    demand(counted, Cause::Undecided, || {
        "the number of labels has no formula for all sizes".into()
    })?;
    Ok(Volume::Hourglass(Box::new(Glass {
        width: view.at_least_one(&least)?,
        sharing: pattern.sharing,
        slices: if apart { 2 } else { 1 },
        labels,
    })))
}

/// Demands one neutral coordinate, targets on one side of the diagonal, and words with one label (i, column) in both families.
fn demand_columns(
    graph: &Graph,
    targets: &Targets,
    columns: &Paths,
    rows: &Paths,
    pattern: &Hourglass,
) -> Result<()> {
    let Hourglass {
        time,
        neutral,
        width,
        ..
    } = pattern;
    let dimension = targets.dimension;
    let [neutral] = neutral.as_slice() else {
        return Err(Refusal::new(
            Cause::Capacity,
            "columns have one neutral coordinate",
        ));
    };
    let unit = |at: usize| {
        (0..dimension)
            .map(|x| i64::from(x == at))
            .collect::<Vec<_>>()
    };
    let plain = |paths: &Paths, other: usize| -> Result<bool> {
        Ok(paths.projection == linear(dimension, &[unit(*width), unit(other)])?)
    };
    demand(
        plain(columns, *neutral)? && plain(rows, *time)?,
        Cause::Capacity,
        || "the labels are not (i, j) and (i, k), in this order".into(),
    )?;
    let difference: Vec<i64> = (0..dimension)
        .map(|x| i64::from(x == *neutral) - i64::from(x == *time))
        .collect();
    let ahead = targets
        .embedding
        .range()?
        .apply(&linear_map(graph, dimension, &[difference])?.to_union()?)?;
    let side = |text: &str| -> Result<bool> {
        let side = redblue_poly::Set::parse(graph.view.isl(), text)?.to_union()?;
        Ok(ahead.is_subset(&side)?)
    };
    let one_side = side("{ [x] : x >= 1 }")? || side("{ [x] : x <= -1 }")?;
    demand(one_side, Cause::Capacity, || {
        "targets lie on both sides of the diagonal".into()
    })?;
    let common = columns.exits.intersect(&rows.exits)?;
    let one_label = columns
        .labels
        .intersect_domain(&common)?
        .is_equal(&rows.labels.intersect_domain(&common)?)?;
    demand(one_label, Cause::Sharing, || {
        "a word has different labels in the two families".into()
    })
}

/// Whether one word can serve two targets of a slice, in one family each.
fn slice_shares_words(
    targets: &Targets,
    columns: &Paths,
    rows: &Paths,
    slice: &Map,
) -> Result<bool> {
    let points = targets.embedding.range()?;
    let served = |paths: &Paths| -> Result<UnionMap> {
        let from_words = paths.labels.intersect_domain(&paths.exits)?;
        let to_points = paths.label.intersect_domain(&points)?.reverse()?;
        Ok(from_words.apply_range(&to_points)?)
    };
    let both = served(columns)?.reverse()?.apply_range(&served(rows)?)?;
    let slice = slice.to_union()?;
    let same_slice = slice.apply_range(&slice.reverse()?)?;
    Ok(!both.intersect(&same_slice)?.is_empty()?)
}

/// The capacity of an hourglass: see [`Hourglass`] for the four forms and their proof.
#[derive(Clone, Debug)]
pub(crate) struct Glass {
    /// W ≥ 1.
    width: Expr,
    /// What is known about the words of the two families.
    sharing: Sharing,
    /// How many times W words a full slice needs: 1, or 2 if its two families share none.
    slices: u8,
    /// The number of labels (i, j).
    labels: Number,
}

impl Glass {
    /// U(K) = 2K while K is at most this.
    fn flat(&self) -> Expr {
        match self.sharing {
            Sharing::Any => self.width.scale(&int(self.slices)) - Expr::one(),
            Sharing::Columns => self.width.scale(&int(3)),
            Sharing::Disjoint | Sharing::FarColumns => self.width.scale(&int(6)),
        }
    }

    /// 1/U(K) as a formula.
    pub(super) fn inverse(&self, view: &View, k: &Expr) -> Result<Expr> {
        if view.proves_nonnegative(&(self.flat() - k))? {
            return Ok(k.scale(&int(2)).powi(-1)?);
        }
        let (w, square) = (&self.width, k * k);
        Ok(match self.sharing {
            Sharing::Any => w.div(&(square + (k * w).scale(&int(2))))?,
            Sharing::Columns => w.scale(&int(2)).div(&(square + (w * w).scale(&int(4))))?,
            Sharing::Disjoint | Sharing::FarColumns => {
                w.scale(&int(4)).div(&(square + (w * w).scale(&int(16))))?
            }
        })
    }

    /// How many targets are too near to the diagonal to be counted, at most.
    pub(super) fn near(&self, k: &Expr) -> Result<Expr> {
        if self.sharing != Sharing::FarColumns {
            return Ok(Expr::zero());
        }
        Ok((k.div(&self.width)? + Expr::one()) * &self.labels.formula)
    }

    /// The capacity at given sizes.
    pub(super) fn at(
        &self,
        sizes: &Assignment,
        values: &BTreeMap<String, BigInt>,
    ) -> Result<GlassAt> {
        let far = self.sharing == Sharing::FarColumns;
        let labels = far
            .then(|| self.labels.count.evaluate(values))
            .transpose()?;
        Ok(GlassAt {
            width: self.width.eval_floor(sizes)?,
            sharing: self.sharing,
            slices: self.slices,
            labels: labels.unwrap_or_default(),
        })
    }

    /// Lengths of phases near the maximum of T·V/U(S + T).
    pub(super) fn lengths(&self, fast: &BigInt, sizes: &Assignment) -> Result<Vec<BigInt>> {
        let w = self.width.eval_floor(sizes)?;
        let flat = self.flat().eval_floor(sizes)? - fast;
        let under_root = match self.sharing {
            Sharing::Any => fast * &w * 2u32,
            Sharing::Columns => &w * &w * 4u32,
            Sharing::Disjoint | Sharing::FarColumns => &w * &w * 16u32,
        };
        let root: BigInt = (fast * fast + under_root).sqrt();
        Ok(vec![flat, &root - 1, root.clone(), root + 1])
    }
}

/// The capacity of an hourglass at given sizes.
#[derive(Clone, Debug)]
pub(crate) struct GlassAt {
    width: BigInt,
    sharing: Sharing,
    slices: u8,
    /// The number of labels (i, j) if some targets may be too near to a diagonal, else zero.
    labels: BigInt,
}

impl GlassAt {
    /// A number that is at least U(K).
    pub(super) fn volume(&self, k: &BigInt) -> Rational {
        let (k, w) = (int(k.clone()), int(self.width.clone()));
        let flat = &k * int(2);
        let limit = match self.sharing {
            Sharing::Any => &w * int(self.slices) - int(1),
            Sharing::Columns => &w * int(3),
            Sharing::Disjoint | Sharing::FarColumns => &w * int(6),
        };
        if k <= limit {
            return flat;
        }
        let square = &k * &k / &w;
        match self.sharing {
            Sharing::Any => square + flat,
            Sharing::Columns => (square / int(2) + w * int(9) / int(8)).max(flat),
            Sharing::Disjoint | Sharing::FarColumns => {
                (square / int(4) + w * int(9) / int(4)).max(flat)
            }
        }
    }

    /// How many targets are too near to the diagonal to be counted, at most.
    pub(super) fn near(&self, k: &BigInt) -> BigInt {
        (k / &self.width).max(BigInt::from(1)) * &self.labels
    }
}
