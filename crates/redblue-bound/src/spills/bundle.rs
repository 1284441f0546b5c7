//! Bundles across hubs: an arrow from what comes after a hub to what comes before it, with what is made for the one or from the other.

use num_bigint::BigInt;
use redblue_cert::certificate::{self, Edge, Side, Waiting};
use redblue_math::rational::{int, to_i64};
use redblue_math::{Expr, Matrix, Rational};
use redblue_poly::{Map, Set};

use super::Kind;
use super::hubs::Hubs;
use crate::analysis::Search;
use crate::error::Result;
use crate::family::{Words, unite};
use crate::fused::need::{Need, Users, claim, homogeneous};
use crate::fused::varying;
use crate::graph::{Graph, Source};
use crate::reduction::{Tree, coordinates, unit_rows};
use crate::write;

/// How far values are followed after a hub.
const STEPS: usize = 4;

/// Values across the hubs, one for every point.
struct Waits {
    /// The node of the values that come before the hub.
    value: usize,
    /// Their points.
    points: Map,
    /// The node after the hub that reads them.
    reader: usize,
    /// Reader → point.
    readers: Map,
    /// The step between the two.
    edge: Edge,
    /// The index of the hub as a linear function of the point.
    index: Vec<Vec<i64>>,
    /// The indices of their hubs.
    indices: Set,
}

/// The vertices of bundles.
struct Bundle {
    side: Side,
    before: certificate::Reach,
    after: certificate::Reach,
    /// On the side of the users, with their points.
    members: Vec<(usize, Map)>,
    /// Values that others of the bundle read.
    links: Words,
}

/// The bundles that wait for some hubs, on both sides of them: at all sizes, or else at those given, where every node has instances.
pub(super) fn kinds(search: &Search<'_>, hubs: &Hubs, sizes: &Set) -> Result<Vec<Kind>> {
    let graph = search.graph;
    let mut found = Vec::new();
    for at in 0..graph.arrows.len() {
        if search.is_over() {
            break;
        }
        let Some(waits) = Waits::of(graph, hubs, at)? else {
            continue;
        };
        let mut kinds = waits.kinds(search, hubs)?;
        if kinds.is_empty() {
            // Words that are computed from nothing at some sizes are no words there.
            kinds = waits.within(sizes)?.kinds(search, hubs)?;
        }
        found.extend(kinds);
    }
    Ok(found)
}

impl Bundle {
    /// Whether every vertex belongs to one bundle.
    fn is_one_each(&self, waits: &Waits) -> Result<bool> {
        let ends = [(waits.value, &waits.points), (waits.reader, &waits.readers)];
        for (at, (node, points)) in self.members.iter().enumerate() {
            let others = self.members[at + 1..]
                .iter()
                .map(|(node, points)| (*node, points));
            for (_, others) in others.chain(ends).filter(|(other, _)| other == node) {
                if !points.union(others)?.is_single_valued()? {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }
}

impl Waits {
    /// What an arrow leads across hubs, if hubs are fewer than what waits for them.
    fn of(graph: &Graph, hubs: &Hubs, arrow: usize) -> Result<Option<Waits>> {
        let arrow = &graph.arrows[arrow];
        let (Source::Node(value), reader) = (arrow.source, arrow.reader) else {
            return Ok(None);
        };
        let (Some(before), Some(after)) = (&hubs.into.members[value], &hubs.out_of.members[reader])
        else {
            return Ok(None);
        };
        if value == reader || value == hubs.node || reader == hubs.node {
            return Ok(None);
        }
        let relation = arrow
            .relation
            .intersect_domain(&graph.nodes[reader].live)?
            .intersect_range(&graph.nodes[value].live)?;
        let index = relation.reverse()?.apply_range(after)?.intersect(before)?;
        let values = index.domain()?.coalesce()?;
        let points = coordinates(&values, &varying(&values)?)?;
        if !index.is_single_valued()? || points.n_out() <= index.n_out() {
            return Ok(None);
        }
        let indices = index.range()?;
        let Some(index) = linear(&points.reverse()?.apply_range(&index)?)? else {
            return Ok(None);
        };
        let readers = relation.apply_range(&points)?.coalesce()?;
        Ok(readers.is_single_valued()?.then_some(Waits {
            value,
            points,
            reader,
            readers,
            edge: arrow.edge.clone(),
            index,
            indices,
        }))
    }

    /// The same at some sizes only.
    fn within(&self, sizes: &Set) -> Result<Waits> {
        Ok(Waits {
            points: self.points.intersect_params(sizes)?.coalesce()?,
            readers: self.readers.intersect_params(sizes)?.coalesce()?,
            indices: self.indices.intersect_params(sizes)?.coalesce()?,
            edge: self.edge.clone(),
            index: self.index.clone(),
            ..*self
        })
    }

    /// The bundles on both sides of the hubs.
    fn kinds(&self, search: &Search<'_>, hubs: &Hubs) -> Result<Vec<Kind>> {
        let mut found = Vec::new();
        for bundle in [self.made(search.graph)?, self.used(search.graph)?] {
            if bundle.is_one_each(self)? {
                found.extend(self.kind(search, hubs, &bundle)?);
            }
        }
        Ok(found)
    }

    /// With all that values are made of.
    fn made(&self, graph: &Graph) -> Result<Bundle> {
        let tree = Tree::of(graph, self.value, &self.points)?;
        let members: Vec<(usize, Map)> = tree
            .members()
            .map(|(node, points)| (node, points.clone()))
            .collect();
        let mut links = Words::new();
        for (node, points) in &members {
            unite(&mut links, Source::Node(*node), points.domain()?)?;
        }
        Ok(Bundle {
            side: Side::Before,
            before: certificate::Reach {
                members: tree.texts(graph)?,
                edges: tree.links(graph),
            },
            after: certificate::Reach {
                members: self.texts(graph, &[(self.reader, self.readers.clone())])?,
                edges: vec![self.edge.clone()],
            },
            members,
            links,
        })
    }

    /// With all that is made of them.
    fn used(&self, graph: &Graph) -> Result<Bundle> {
        let mut members = vec![(self.reader, self.readers.clone())];
        let mut edges = vec![self.edge.clone()];
        let mut links = Words::new();
        unite(&mut links, Source::Node(self.value), self.points.domain()?)?;
        for _ in 0..STEPS {
            let mut next: Vec<(usize, Map)> = Vec::new();
            for (node, points) in &members {
                for arrow in &graph.arrows {
                    let known = |(known, _): &(usize, Map)| *known == arrow.reader;
                    let new = arrow.reader != self.value
                        && !members.iter().any(known)
                        && !next.iter().any(known);
                    if arrow.source != Source::Node(*node) || !new {
                        continue;
                    }
                    let relation = arrow
                        .relation
                        .intersect_domain(&graph.nodes[arrow.reader].live)?;
                    let labels = relation.apply_range(points)?.coalesce()?;
                    if !labels.is_empty()? && labels.is_single_valued()? {
                        unite(&mut links, Source::Node(*node), points.domain()?)?;
                        edges.push(arrow.edge.clone());
                        next.push((arrow.reader, labels));
                    }
                }
            }
            if next.is_empty() {
                break;
            }
            members.extend(next);
        }
        Ok(Bundle {
            side: Side::After,
            before: certificate::Reach {
                members: self.texts(graph, &[])?,
                edges: Vec::new(),
            },
            after: certificate::Reach {
                members: self.texts(graph, &members)?,
                edges,
            },
            members,
            links,
        })
    }

    /// The centres, and other vertices with their points.
    fn texts(&self, graph: &Graph, others: &[(usize, Map)]) -> Result<Vec<String>> {
        let mut texts = vec![write::labelled(&graph.nodes[self.value], &self.points)?];
        for (node, points) in others {
            texts.push(write::labelled(&graph.nodes[*node], points)?);
        }
        Ok(texts)
    }

    /// The kind of bundles that is worth the most, if any is worth something.
    fn kind(&self, search: &Search<'_>, hubs: &Hubs, bundle: &Bundle) -> Result<Option<Kind>> {
        let graph = search.graph;
        let mut best: Option<(BigInt, Vec<Need>)> = None;
        for needs in self.classes(graph, bundle)? {
            let worth = self.worth(search, &needs)?;
            let least = best
                .as_ref()
                .map_or(BigInt::from(0), |(most, _)| most.clone());
            if worth > least {
                best = Some((worth, needs));
            }
        }
        let Some((worth, needs)) = best else {
            return Ok(None);
        };
        let mut words = bundle.links.clone();
        for need in &needs {
            for (source, used) in &need.words {
                unite(&mut words, *source, used.clone())?;
            }
        }
        let written = Waiting {
            hubs: vec![write::labelled(&graph.nodes[hubs.node], &hubs.relation)?],
            into: hubs.into.to_certificate(graph)?,
            out_of: hubs.out_of.to_certificate(graph)?,
            centres: self.texts(graph, &[])?,
            before: bundle.before.clone(),
            after: bundle.after.clone(),
            index: self.index.clone(),
            side: bundle.side,
            needs: needs.into_iter().map(|need| need.written).collect(),
        };
        Ok(Some(Kind {
            worth,
            words,
            written,
        }))
    }

    /// `V − S·V_t/W − |Z|` at the point of reference where it is largest.
    fn worth(&self, search: &Search<'_>, needs: &[Need]) -> Result<BigInt> {
        let graph = search.graph;
        let mut labels = Expr::zero();
        let mut terminals = Vec::new();
        for need in needs {
            labels += need.written.words.parse::<Expr>()?;
            for set in &need.terminals {
                terminals.push(graph.count(set)?);
            }
        }
        let bundles = graph.count(&self.points.range()?)?;
        let indices = graph.count(&self.indices)?;
        let mut most = BigInt::from(0);
        for point in search.points {
            let words = labels.eval_floor(&point.assignment())?;
            let kept = &point.fast * indices.evaluate(&point.sizes)?;
            let mut worth = bundles.evaluate(&point.sizes)? - kept / words.max(BigInt::from(1));
            for count in &terminals {
                worth -= count.evaluate(&point.sizes)?;
            }
            most = most.max(worth);
        }
        Ok(most)
    }

    /// What users need, by what it tells of the point; only where the hub tells the rest.
    fn classes(&self, graph: &Graph, bundle: &Bundle) -> Result<Vec<Vec<Need>>> {
        let hubs = self.points.range()?;
        let inside = |source: &Source| match source {
            Source::Node(node) => bundle.members.iter().any(|(member, _)| member == node),
            Source::Input(_) => false,
        };
        let mut used = bundle.links.clone();
        let mut classes: Vec<Vec<Need>> = Vec::new();
        for (node, points) in &bundle.members {
            let Some(users) = Users::new(graph, *node, points)? else {
                continue;
            };
            for (_, arrow) in graph.arrows_of(*node) {
                let Some(piece) = arrow.pieces.first().filter(|_| !inside(&arrow.source)) else {
                    continue;
                };
                let label = piece.linear();
                let mut need = users.need(arrow.operand, &label, &hubs, false)?;
                if need.is_none() && matches!(arrow.source, Source::Node(_)) {
                    need = users.need(arrow.operand, &label, &hubs, true)?;
                }
                let Some(need) = need else { continue };
                if !self.told_with(&need.told)? {
                    continue;
                }
                let Some(need) = claim(&mut used, Some(need))? else {
                    continue;
                };
                match classes.iter_mut().find(|class| class[0].told == need.told) {
                    Some(class) => class.push(need),
                    None => classes.push(vec![need]),
                }
            }
        }
        Ok(classes)
    }

    /// Whether some coordinates of a point and the index of its hub are all of it.
    fn told_with(&self, told: &[usize]) -> Result<bool> {
        let dimension = self.points.n_out();
        let rows = [unit_rows(dimension, told), self.index.clone()].concat();
        let rows = rows.iter().map(|row| row.iter().map(|&x| int(x)).collect());
        Ok(Matrix::new(dimension, rows.collect())?.rank() == dimension)
    }
}

/// The matrix of a function, if it is linear.
fn linear(map: &Map) -> Result<Option<Vec<Vec<i64>>>> {
    let dims = map.n_in();
    let rows = homogeneous(map)?.into_iter().flatten();
    let row = |row: Vec<Rational>| {
        let (linear, rest) = row.split_at(dims);
        let whole = rest.iter().all(|entry| *entry == int(0));
        whole.then(|| linear.iter().map(to_i64).collect()).flatten()
    };
    let matrix: Option<Vec<Vec<i64>>> = rows.map(row).collect();
    Ok(matrix.filter(|rows| rows.len() == map.n_out()))
}
