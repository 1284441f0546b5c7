//! What the vertices of bundles need: words whose labels tell part of the point.

use redblue_cert::certificate;
use redblue_math::rational::int;
use redblue_math::{Matrix, Rational};
use redblue_poly::{Map, Set};

use crate::error::Result;
use crate::family::{Seed, Trace, Words, common, unite};
use crate::graph::Graph;
use crate::reduction::{coordinates, determined, least, unit_rows};
use crate::targets::{Part, Targets};
use crate::write;

/// A need, and which coordinates of the point it tells.
#[derive(Clone, Debug)]
pub(crate) struct Need {
    pub(crate) told: Vec<usize>,
    /// The words it may use.
    pub(crate) words: Words,
    /// Those of them at which paths end although they are computed.
    pub(crate) terminals: Vec<Set>,
    pub(crate) written: certificate::Need,
}

/// Users of one node: the space they lie in begins with the coordinates of their point.
pub(crate) struct Users<'g> {
    graph: &'g Graph,
    targets: Targets,
    /// From a user to its point.
    points: &'g Map,
}

impl<'g> Users<'g> {
    /// The vertices of a node that carry a point, if the point is one linear function of them.
    pub(crate) fn new(graph: &'g Graph, node: usize, points: &'g Map) -> Result<Option<Users<'g>>> {
        let set = points.domain()?;
        let Some(mut rows) = homogeneous(points)? else {
            return Ok(None);
        };
        let columns = set.n_dim() + 1 + set.n_param();
        let unit = |at: usize| -> Vec<Rational> {
            (0..columns).map(|dim| int(i64::from(dim == at))).collect()
        };
        rows.extend((0..set.n_dim()).map(unit));
        let dimension = rows.len();
        let part = Part {
            node,
            set,
            embedding: Matrix::new(columns, rows)?,
        };
        Ok(Some(Users {
            graph,
            targets: Targets {
                parts: vec![part],
                dimension,
            },
            points,
        }))
    }

    /// The words with some linear functions of the users as labels, from one operand on; none if they tell nothing
    /// about the point, or everything. Paths end at the first computed value if they are to be `shallow`.
    pub(crate) fn need(
        &self,
        operand: usize,
        label: &Matrix,
        hubs: &Set,
        shallow: bool,
    ) -> Result<Option<Need>> {
        self.need_along(operand, label, hubs, (false, shallow))
    }

    /// The same for the running values of the users themselves.
    pub(crate) fn chain(&self, operand: usize, label: &Matrix, hubs: &Set) -> Result<Option<Need>> {
        self.need_along(operand, label, hubs, (true, false))
    }

    fn need_along(
        &self,
        operand: usize,
        label: &Matrix,
        hubs: &Set,
        (chain, shallow): (bool, bool),
    ) -> Result<Option<Need>> {
        let part = &self.targets.parts[0];
        let places = self.targets.dimension - part.set.n_dim();
        let zeros = vec![int(0); places];
        let rows = label
            .rows()
            .iter()
            .map(|row| [&zeros[..], row].concat())
            .collect();
        let seed = Seed {
            projection: Matrix::new(self.targets.dimension, rows)?,
            operands: vec![operand],
            chain,
            shallow,
        };
        let labels = write::linear_map(&part.set.space()?, label)?.intersect_domain(&part.set)?;
        let of_point = self.points.reverse()?.apply_range(&labels)?;
        let told = determined(&of_point)?;
        if told.is_empty() || told.len() == places {
            return Ok(None);
        }
        let Some(words) = least(self.graph, &of_point, hubs)? else {
            return Ok(None);
        };
        let Some(trace) = Trace::new(self.graph, &self.targets, seed)? else {
            return Ok(None);
        };
        let family = trace.family(self.graph, &self.targets, &Words::new())?;
        for unserved in &family.unserved {
            if !unserved.is_empty()? {
                return Ok(None);
            }
        }
        let used = family.words.clone();
        let terminals = family.terminals.values().cloned().collect();
        let Some(family) = family.write(self.graph, &int(1))? else {
            return Ok(None);
        };
        let written = certificate::Need {
            projection: unit_rows(places, &told),
            users: self.targets.texts(self.graph)?,
            family,
            words: words.to_string(),
        };
        Ok(Some(Need {
            told,
            words: used,
            terminals,
            written,
        }))
    }

    /// The sums that users contribute to, labelled with some of their dimensions.
    pub(crate) fn sums(
        &self,
        kept: &[usize],
        hubs: &Set,
    ) -> Result<Option<(Vec<usize>, certificate::PartialSums)>> {
        let part = &self.targets.parts[0];
        let labels = coordinates(&part.set, kept)?;
        let of_point = self.points.reverse()?.apply_range(&labels)?;
        let told = determined(&of_point)?;
        let Some(words) = least(self.graph, &of_point, hubs)? else {
            return Ok(None);
        };
        let sums = certificate::PartialSums {
            projection: unit_rows(self.points.n_out(), &told),
            summands: vec![write::labelled(&self.graph.nodes[part.node], &labels)?],
            words: words.to_string(),
        };
        Ok(Some((told, sums)))
    }
}

/// Passes a need on if its words are its own, and notes that they are used.
pub(crate) fn claim(used: &mut Words, need: Option<Need>) -> Result<Option<Need>> {
    let Some(need) = need else {
        return Ok(None);
    };
    if !common(used, &need.words)?.is_empty() {
        return Ok(None);
    }
    for (source, words) in &need.words {
        unite(used, *source, words.clone())?;
    }
    Ok(Some(need))
}

/// A function as rows on `(x, 1, sizes)`, if it has one piece without floors.
pub(crate) fn homogeneous(map: &Map) -> Result<Option<Vec<Vec<Rational>>>> {
    let pieces = map.affine_pieces()?;
    let mut found: Option<Vec<Vec<Rational>>> = None;
    for (_, coordinates) in &pieces {
        if !coordinates.iter().all(|coordinate| coordinate.is_plain()) {
            return Ok(None);
        }
        let row = |linear: &redblue_poly::Linear| {
            let entries = linear
                .dims
                .iter()
                .chain([&linear.constant])
                .chain(&linear.params);
            entries.map(|entry| int(entry.clone())).collect()
        };
        let rows: Vec<Vec<Rational>> = coordinates
            .iter()
            .map(|coordinate| row(&coordinate.numerator))
            .collect();
        if found.as_ref().is_some_and(|known| *known != rows) {
            return Ok(None);
        }
        found = Some(rows);
    }
    Ok(found)
}
