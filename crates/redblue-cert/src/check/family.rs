//! Families of paths: that different labels of targets need different words.
//!
//! ```text
//! target ──edge──► member ──edge──► … ──► input, or a terminal      one label all the way
//! ```
//!
//! A first edge may be a way over private values of the target (see [`Group`](crate::certificate::Group)). The *exits* are all words at which such a path can leave a phase: ends of label-preserving edges, and
//! targets that are terminals themselves. A path that has reached a terminal goes no further.

use redblue_math::rational::int;
use redblue_math::{Matrix, Subspace};
use redblue_poly::{Map, UnionMap, UnionSet};

use super::graph::{Graph, Targets};
use crate::certificate::Family;
use crate::refusal::{Cause, Result, demand};

/// A family that holds.
pub(crate) struct Paths {
    /// The words at which paths can end.
    pub(crate) exits: UnionSet,
    /// The exits that count when they are computed.
    pub(crate) terminals: UnionSet,
    /// The labels of words.
    pub(crate) labels: UnionMap,
    /// Targets that are terminals of their own path.
    pub(crate) own_terminals: UnionSet,
    /// The projection.
    pub(crate) projection: Matrix,
    /// The projection as a function from points to labels.
    pub(crate) label: UnionMap,
}

impl Paths {
    /// Verifies one family for the targets of its group.
    pub(super) fn verify(graph: &Graph, targets: &Targets, family: &Family) -> Result<Paths> {
        let view = &graph.view;
        let length = family.projection.len();
        let members = view.vertex_labels(&family.members, length)?;
        let labels = members.union(&view.cell_labels(&family.inputs, length)?)?;
        let terminals = view.vertices(&family.terminals)?;
        demand(
            terminals.is_subset(&members.domain()?)?,
            Cause::Path,
            || "a terminal is not a member".into(),
        )?;
        demand(
            labels.domain()?.is_disjoint(&targets.private.domain()?)?,
            Cause::Path,
            || "a private value is a member".into(),
        )?;
        let steps = graph.steps(&family.edges)?;
        let projection = linear(targets.dimension, &family.projection)?;
        let label = linear_map(graph, targets.dimension, &family.projection)?.to_union()?;
        let target_labels = targets.embedding.apply_range(&label)?;
        let own_terminals = members
            .intersect_domain(&terminals)?
            .intersect(&target_labels)?
            .domain()?;
        let with_label = labels.reverse()?;
        let onwards = |from: &UnionMap, steps: &UnionMap| -> Result<UnionMap> {
            Ok(from.apply_range(&with_label)?.intersect(steps)?)
        };
        let starts = target_labels.subtract_domain(&own_terminals)?;
        let from_targets = onwards(&starts, &targets.ways(&steps)?)?;
        let open = targets.all.subtract(&own_terminals)?;
        demand(
            open.is_subset(&from_targets.domain()?)?,
            Cause::Path,
            || "a target has no edge that keeps its label".into(),
        )?;
        let from_members = onwards(&members.subtract_domain(&terminals)?, &steps)?;
        let open = members.domain()?.subtract(&terminals)?;
        demand(
            open.is_subset(&from_members.domain()?)?,
            Cause::Path,
            || "a member has no edge that keeps its label and is no terminal".into(),
        )?;
        let exits = from_targets
            .range()?
            .union(&from_members.range()?)?
            .union(&own_terminals)?;
        Ok(Paths {
            terminals: terminals.intersect(&exits)?,
            exits,
            labels,
            own_terminals,
            projection,
            label,
        })
    }

    /// Whether the label is the given coordinates, neither more nor less: the kernel is spanned by the others.
    pub(super) fn determines(&self, coordinates: &[usize]) -> Result<bool> {
        let dimension = self.projection.columns();
        Ok(Subspace::kernel(&self.projection) == spanned_by_others(dimension, coordinates)?)
    }
}

/// The span of the coordinates that are not in the list.
fn spanned_by_others(dimension: usize, coordinates: &[usize]) -> Result<Subspace> {
    let unit = |at: usize| (0..dimension).map(|i| int(i64::from(i == at))).collect();
    let others = (0..dimension).filter(|at| !coordinates.contains(at));
    Ok(Subspace::span(dimension, others.map(unit).collect())?)
}

/// Demands that lists of coordinates are a partition of all of them.
pub(super) fn demand_partition(dimension: usize, parts: &[&[usize]]) -> Result<()> {
    let mut all: Vec<usize> = parts.concat();
    all.sort_unstable();
    demand(
        all == (0..dimension).collect::<Vec<_>>(),
        Cause::Capacity,
        || "the coordinates are not a partition of the common space".into(),
    )
}

/// An integer matrix with rows of the given length.
pub(super) fn linear(columns: usize, rows: &[Vec<i64>]) -> Result<Matrix> {
    let rows = rows.iter().map(|row| row.iter().map(|&x| int(x)).collect());
    Ok(Matrix::new(columns, rows.collect())?)
}

/// The same matrix as a function between tuples.
pub(super) fn linear_map(graph: &Graph, columns: usize, rows: &[Vec<i64>]) -> Result<Map> {
    let names: Vec<String> = (0..columns).map(|at| format!("x{at}")).collect();
    let form = |row: &Vec<i64>| {
        let terms = row.iter().zip(&names);
        let signed = |(c, name): (&i64, &String)| match *c {
            c if c < 0 => format!(" - {}*{name}", c.unsigned_abs()),
            c => format!(" + {c}*{name}"),
        };
        format!("0{}", terms.map(signed).collect::<String>())
    };
    let image: Vec<String> = rows.iter().map(form).collect();
    let text = format!("{{ [{}] -> [{}] }}", names.join(", "), image.join(", "));
    Ok(Map::parse(graph.view.isl(), &text)?)
}
