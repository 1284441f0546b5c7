//! Bundles: a mapped value with all it is made of and all that consumes it.

use std::collections::BTreeMap;

use redblue_cert::certificate::{Capacity, Edge, Fused, Group, PartialSums, Phases, Reach};
use redblue_math::Matrix;
use redblue_math::rational::int;
use redblue_poly::{Map, Set};

use super::need::{Need, Users, claim};
use crate::error::Result;
use crate::family::Words;
use crate::graph::{Arrow, Graph, Source};
use crate::reduction::{LENGTHS, Tree, chain_dims, coordinates};
use crate::write;

/// The bundles of one arrow from a consumer to the hub that it reads.
pub(super) struct Bundle {
    consumer: usize,
    arrow: Edge,
    hub: usize,
    /// The hubs at their points.
    points: Map,
    hubs: Set,
    before: Tree,
    /// Consumers with the point of the hub they read.
    after: Map,
}

impl Bundle {
    /// The bundles of an arrow, if its reader is a chain of its own.
    pub(super) fn of(graph: &Graph, arrow: usize) -> Result<Option<Bundle>> {
        let Arrow {
            reader,
            source: Source::Node(hub),
            relation,
            edge,
            ..
        } = &graph.arrows[arrow]
        else {
            return Ok(None);
        };
        let relation = relation.intersect_domain(&graph.nodes[*reader].live)?;
        let live = relation
            .range()?
            .intersect(&graph.nodes[*hub].live)?
            .coalesce()?;
        let points = coordinates(&live, &varying(&live)?)?;
        let before = Tree::of(graph, *hub, &points)?;
        let after = relation.apply_range(&points)?.coalesce()?;
        if before.members().any(|(node, _)| node == *reader) || after.is_empty()? {
            return Ok(None);
        }
        Ok(Some(Bundle {
            consumer: *reader,
            arrow: edge.clone(),
            hub: *hub,
            hubs: points.range()?,
            points,
            before,
            after,
        }))
    }

    /// The arguments for the program's own order of sums and for any order.
    pub(super) fn arguments(&self, graph: &Graph) -> Result<Vec<Phases>> {
        let Some(consumers) = Users::new(graph, self.consumer, &self.after)? else {
            return Ok(Vec::new());
        };
        let mut used = self.links()?;
        let (mut needs, mut consumed): (Vec<Need>, usize) = (Vec::new(), 0);
        for (node, points) in self.before.members().chain([(self.consumer, &self.after)]) {
            // The consumer comes last.
            consumed = needs.len();
            let Some(users) = Users::new(graph, node, points)? else {
                continue;
            };
            for (_, arrow) in graph.arrows_of(node) {
                if let (Source::Input(_), Some(piece)) = (arrow.source, arrow.pieces.first()) {
                    let need = users.need(arrow.operand, &piece.linear(), &self.hubs, false)?;
                    needs.extend(claim(&mut used, need)?);
                }
            }
        }
        // Without inputs on both sides this is a plain reduction.
        if consumed == 0 || consumed == needs.len() {
            return Ok(Vec::new());
        }
        let inputs = needs.clone();
        needs.extend(claim(&mut used, self.chain(graph, &consumers)?)?);
        let mut found = Vec::new();
        if let Some([rows, columns]) = classes(&needs, self.points.n_out()) {
            let needs = [rows.needs, columns.needs].concat();
            found.push(self.phases(graph, &needs, None)?);
        }
        if let Some([rows, columns]) = classes(&inputs, self.points.n_out())
            && let Some(kept) = chain_dims(graph, self.consumer, true)
            && let Some((told, sums)) = consumers.sums(&kept, &self.hubs)?
            && (told == rows.told || told == columns.told)
        {
            let needs = [rows.needs, columns.needs].concat();
            found.push(self.phases(graph, &needs, Some(sums))?);
        }
        Ok(found)
    }

    /// The values inside of bundles.
    fn links(&self) -> Result<Words> {
        let mut words = Words::new();
        for (node, points) in self.before.members() {
            words.insert(Source::Node(node), points.domain()?);
        }
        Ok(words)
    }

    /// The running sums of the consumer.
    fn chain(&self, graph: &Graph, consumers: &Users<'_>) -> Result<Option<Need>> {
        let Some(kept) = chain_dims(graph, self.consumer, false) else {
            return Ok(None);
        };
        let own = |arrow: &&Arrow| arrow.source == Source::Node(self.consumer);
        let Some(arrow) = graph
            .arrows_of(self.consumer)
            .map(|(_, arrow)| arrow)
            .find(own)
        else {
            return Ok(None);
        };
        let dims = self.after.n_in();
        let unit = |&at: &usize| (0..dims).map(|dim| int(i64::from(dim == at))).collect();
        let label = Matrix::new(dims, kept.iter().map(unit).collect())?;
        consumers.chain(arrow.operand, &label, &self.hubs)
    }

    fn phases(&self, graph: &Graph, needs: &[Need], sums: Option<PartialSums>) -> Result<Phases> {
        let pattern = Fused {
            before: Reach {
                members: self.before.texts(graph)?,
                edges: self.before.links(graph),
            },
            after: Reach {
                members: vec![
                    write::labelled(&graph.nodes[self.hub], &self.points)?,
                    write::labelled(&graph.nodes[self.consumer], &self.after)?,
                ],
                edges: vec![self.arrow.clone()],
            },
            needs: needs.iter().map(|need| need.written.clone()).collect(),
            sums,
        };
        let group = Group {
            private: Vec::new(),
            targets: vec![write::labelled(&graph.nodes[self.hub], &self.points)?],
            families: Vec::new(),
            capacity: Capacity::Fused(pattern),
        };
        Ok(Phases {
            groups: vec![group],
            lengths: LENGTHS.map(String::from).to_vec(),
        })
    }
}

/// The dimensions in which two points of a set can differ: the last link of a sum has others.
pub(crate) fn varying(set: &Set) -> Result<Vec<usize>> {
    let mut dims = Vec::new();
    for dim in 0..set.n_dim() {
        let values = coordinates(set, &[dim])?.range()?;
        if !values.lexmin()?.is_equal(&values.lexmax()?)? {
            dims.push(dim);
        }
    }
    Ok(dims)
}

/// Needs that tell the same coordinates.
struct Class {
    told: Vec<usize>,
    needs: Vec<Need>,
}

/// The two classes of needs that together tell the whole point and have the most members.
fn classes(needs: &[Need], dimension: usize) -> Option<[Class; 2]> {
    let mut by_told: BTreeMap<&Vec<usize>, Vec<Need>> = BTreeMap::new();
    for need in needs {
        by_told.entry(&need.told).or_default().push(need.clone());
    }
    let all: Vec<(&Vec<usize>, &Vec<Need>)> =
        by_told.iter().map(|(told, needs)| (*told, needs)).collect();
    let mut best: Option<[(&Vec<usize>, &Vec<Need>); 2]> = None;
    for (at, one) in all.iter().enumerate() {
        for other in &all[at + 1..] {
            let whole = (0..dimension).all(|dim| one.0.contains(&dim) || other.0.contains(&dim));
            let size = |pair: &[(&Vec<usize>, &Vec<Need>); 2]| pair[0].1.len() + pair[1].1.len();
            let pair = [*one, *other];
            if whole && best.as_ref().is_none_or(|best| size(best) < size(&pair)) {
                best = Some(pair);
            }
        }
    }
    let class = |(told, needs): (&Vec<usize>, &Vec<Need>)| Class {
        told: told.clone(),
        needs: needs.clone(),
    };
    best.map(|[one, other]| [class(one), class(other)])
}
