//! Reach: which values certainly come before, or after, a family of hubs.
//!
//! ```text
//! hubs { H[x] -> [label] } ──► Reach: { Y[y] -> [label] } for every node Y it got to
//!      into    y is needed, directly or not, for the hub with that label
//!      out of  y needs it
//! ```
//!
//! Arrows are composed step by step from the hubs. A chain `y ↦ y + d` of a node to itself is followed to its end
//! at once: the pairs of its transitive closure are written down and checked to be inductive, so a chain with a gap
//! is followed step by step instead. Nothing is over-approximated, and nothing is complete: after a few
//! rounds the search stops with what it has. The result is inductive by construction, which is what the
//! certificate needs: every member has an arrow from (or to) another one with the same label, or is a hub.

use redblue_cert::certificate as cert;
use redblue_poly::{Map, PwAff, Set};

use crate::error::Result;
use crate::graph::{Arrow, Graph, Piece, Source};
use crate::write;

/// How often the parts that were found last are followed further.
const ROUNDS: usize = 7;
/// How often one node is extended: later visits come from earlier turns of outer loops. Parts of a higher dimension than all before
/// are always welcome, so that the first few of a row do not stand in the way of the whole matrix.
const VISITS: usize = 2;
/// Relations with more pieces than this are not followed.
const PIECES: usize = 8;

/// Which way members are connected with their hub.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// Members are needed for the hub.
    Into,
    /// Members need the hub.
    OutOf,
}

/// The members found, with their labels.
#[derive(Clone, Debug)]
pub struct Reach {
    /// For every node, instance → label of a hub; none if nothing was found.
    pub members: Vec<Option<Map>>,
}

impl Reach {
    /// Follows arrows from the hubs `hubs`, instances of the node at `hub` with their labels.
    pub fn from_hubs(graph: &Graph, hub: usize, hubs: &Map, way: Way) -> Result<Reach> {
        let chains = graph
            .arrows
            .iter()
            .map(|arrow| chain(arrow, way))
            .collect::<Result<Vec<_>>>()?;
        let mut reach = Reach {
            members: vec![None; graph.nodes.len()],
        };
        let mut visits = vec![Visits::default(); graph.nodes.len()];
        let mut fresh: Vec<Option<Map>> = vec![None; graph.nodes.len()];
        fresh[hub] = Some(hubs.clone());
        for _ in 0..ROUNDS {
            let mut next: Vec<Option<Map>> = vec![None; graph.nodes.len()];
            for (node, part) in fresh.iter_mut().enumerate() {
                let Some(part) = part.take() else { continue };
                let Some(part) = reach.admit(node, part, &mut visits)? else {
                    continue;
                };
                let part = reach.run_chains(graph, &chains, node, part)?;
                for arrow in &graph.arrows {
                    if let Some((to, found)) = step(arrow, way, node, &part)? {
                        next[to] = Some(match next[to].take() {
                            None => found,
                            Some(known) => known.union(&found)?,
                        });
                    }
                }
            }
            fresh = next;
        }
        Ok(reach)
    }

    /// Adds a part to a node and returns what is new in it, if the node may still grow.
    fn admit(&mut self, node: usize, part: Map, visits: &mut [Visits]) -> Result<Option<Map>> {
        let visits = &mut visits[node];
        let dimension = rank(&part)?;
        if visits.count >= VISITS && dimension <= visits.highest || pieces(&part)? > PIECES {
            return Ok(None);
        }
        let part = match &self.members[node] {
            None => part.coalesce()?,
            Some(known) => part.subtract(known)?.coalesce()?,
        };
        if part.is_empty()? {
            return Ok(None);
        }
        visits.count += 1;
        visits.highest = visits.highest.max(dimension);
        self.members[node] = Some(match self.members[node].take() {
            None => part.clone(),
            Some(known) => known.union(&part)?.coalesce()?,
        });
        Ok(Some(part))
    }

    /// Follows the chains of a node from a part of its members to their ends.
    fn run_chains(
        &mut self,
        graph: &Graph,
        chains: &[Option<Map>],
        node: usize,
        mut part: Map,
    ) -> Result<Map> {
        for (arrow, chain) in graph.arrows.iter().zip(chains) {
            let Some(chain) = chain.as_ref().filter(|_| arrow.reader == node) else {
                continue;
            };
            if pieces(&part)? > PIECES {
                break;
            }
            let found = chain.reverse()?.apply_range(&part)?;
            part = part.union(&found)?.coalesce()?;
        }
        self.members[node] = Some(match self.members[node].take() {
            None => part.clone(),
            Some(known) => known.union(&part)?.coalesce()?,
        });
        Ok(part)
    }

    /// The arrows between members.
    pub fn arrows<'a>(&'a self, graph: &'a Graph) -> impl Iterator<Item = &'a Arrow> {
        let has = |node: usize| self.members[node].is_some();
        graph.arrows.iter().filter(move |arrow| match arrow.source {
            Source::Node(source) => has(arrow.reader) && has(source),
            Source::Input(_) => false,
        })
    }

    /// The reach as a certificate has it.
    pub fn to_certificate(&self, graph: &Graph) -> Result<cert::Reach> {
        let mut members = Vec::new();
        for (node, labels) in graph.nodes.iter().zip(&self.members) {
            if let Some(labels) = labels {
                members.push(write::labelled(node, labels)?);
            }
        }
        let mut edges: Vec<cert::Edge> =
            self.arrows(graph).map(|arrow| arrow.edge.clone()).collect();
        edges.sort();
        edges.dedup();
        Ok(cert::Reach { members, edges })
    }
}

/// How often a node was extended, and the highest dimension of a part.
#[derive(Clone, Debug, Default)]
struct Visits {
    count: usize,
    highest: usize,
}

/// The dimension of a relation: that of its largest piece.
pub(crate) fn rank(relation: &Map) -> Result<usize> {
    let set = relation.wrap()?.flatten()?;
    let mut rank = 0;
    for piece in set.basic_sets()? {
        let constraints = piece.constraints()?;
        let equalities = constraints.iter().filter(|c| c.equality).count();
        rank = rank.max(set.n_dim().saturating_sub(equalities));
    }
    Ok(rank)
}

/// The number of convex pieces of a relation.
fn pieces(relation: &Map) -> Result<usize> {
    Ok(relation.wrap()?.basic_sets()?.len())
}

/// Where one arrow leads from a part of a node's members, chains of a node to itself excepted.
fn step(arrow: &Arrow, way: Way, node: usize, part: &Map) -> Result<Option<(usize, Map)>> {
    let Source::Node(source) = arrow.source else {
        return Ok(None);
    };
    let (from, to) = match way {
        Way::Into => (arrow.reader, source),
        Way::OutOf => (source, arrow.reader),
    };
    if from != node {
        return Ok(None);
    }
    let backwards = match way {
        Way::Into => arrow.relation.reverse()?,
        Way::OutOf => arrow.relation.clone(),
    };
    let found = backwards.apply_range(part)?;
    Ok((!found.is_empty()?).then_some((to, found)))
}

/// The transitive closure, from a member to those it leads to, of an arrow that translates a node along itself.
fn chain(arrow: &Arrow, way: Way) -> Result<Option<Map>> {
    if arrow.source != Source::Node(arrow.reader) {
        return Ok(None);
    }
    let mut shifts = arrow.pieces.iter().map(Piece::translation);
    let Some(Some(shift)) = shifts.next() else {
        return Ok(None);
    };
    if shifts.any(|other| other.as_ref() != Some(&shift)) {
        return Ok(None);
    }
    let shift: Vec<i64> = shift.iter().map(|by| -by).collect();
    let domain = arrow.relation.domain()?;
    let many = line(&domain, &shift)?
        .intersect_domain(&domain)?
        .intersect_range(&arrow.relation.range()?)?;
    let longer = arrow.relation.apply_range(&many)?;
    if !many.is_subset(&arrow.relation.union(&longer)?)? {
        return Ok(None);
    }
    Ok(Some(match way {
        Way::Into => many,
        Way::OutOf => many.reverse()?,
    }))
}

/// `{ x -> x + n·shift : n ≥ 1 }` in the space of `set`.
fn line(set: &Set, shift: &[i64]) -> Result<Map> {
    let space = set.space()?;
    let once = translation(set, shift)?;
    // A free last coordinate n, then projected out.
    let mut coordinates = Vec::new();
    let lifted = Set::universe(&space)?.insert_dims(set.n_dim(), 1)?;
    let lifted_space = lifted.space()?;
    let steps = PwAff::dim(&lifted_space, set.n_dim())?;
    for (at, &by) in shift.iter().enumerate() {
        let dim = PwAff::dim(&lifted_space, at)?;
        coordinates.push(dim.add(&steps.scale(by)?)?);
    }
    let name = set.tuple_name().unwrap_or_default();
    let far = Map::from_pw_affs(&lifted_space, &name, &coordinates)?;
    let positive = steps.ge_set(&PwAff::constant(&lifted_space, 1)?)?;
    let far = far.intersect_domain(&positive)?;
    let far = far.project_out_in(set.n_dim(), 1)?;
    Ok(far.set_in_tuple(&name)?.union(&once)?)
}

/// `{ x -> x + shift }` in the space of `set`.
fn translation(set: &Set, shift: &[i64]) -> Result<Map> {
    let space = set.space()?;
    let mut coordinates = Vec::new();
    for (at, &by) in shift.iter().enumerate() {
        coordinates.push(PwAff::dim(&space, at)?.add(&PwAff::constant(&space, by)?)?);
    }
    let name = set.tuple_name().unwrap_or_default();
    Ok(Map::from_pw_affs(&space, &name, &coordinates)?)
}
