//! Paths across the hubs, and the proof they make.
//!
//! A path is followed back from its end, an instance after the hub, along a fixed list of arrows to its start, an instance or an input that the hub needs.
//! Its label is its start. Arrows are functions, so two paths of one bundle that meet have the same start: they are
//! one path. Steps inside a path keep all coordinates, the last one may lose some.

use std::cell::RefCell;
use std::cmp::Reverse;
use std::collections::{BTreeMap, VecDeque};

use num_bigint::BigInt;
use redblue_cert::Proof;
use redblue_cert::certificate::{Bundle, Next, Wavefront};
use redblue_poly::{Map, Set};

use super::growth::grows;
use super::hubs::Hubs;
use super::{Crossing, reference};
use crate::analysis::Search;
use crate::error::Result;
use crate::graph::{Graph, Piece, Source};
use crate::reach::{Reach, Way, rank};
use crate::write;

/// Most steps of a path.
const LONGEST: usize = 3;
/// Most lists of arrows that are looked at for one family of hubs.
const MOST_LISTS: usize = 200;
/// Most bundles whose paths are counted.
const MOST_BUNDLES: usize = 8;

/// A bundle has at least the largest one's number of paths divided by this.
const SMALLEST: u32 = 16;

/// Paths with the same list of arrows.
struct Paths {
    /// The node of the ends.
    end: usize,
    /// The arrows, from the end to the start.
    arrows: Vec<usize>,
    /// End → start, and end → vertex at each position in between, by source.
    places: Vec<(Source, Map)>,
    /// `t → start`.
    starts: Map,
    /// The dimension of `starts`.
    rank: usize,
    /// How many, at the point of reference.
    worth: BigInt,
}

impl Paths {
    /// What provides the starts.
    fn source(&self) -> Option<Source> {
        self.places.last().map(|(source, _)| *source)
    }
}

/// What was found when it was looked for, or nothing.
type Known<K> = BTreeMap<K, Option<Map>>;

/// What is known about a family of hubs.
struct Scene<'s> {
    graph: &'s Graph,
    hub: usize,
    hubs: Map,
    before: Reach,
    after: Reach,
    /// The step from one index to the next, if hubs are to be a sequence.
    step: Option<i64>,
    /// What [`Scene::loaded`] has found.
    known: RefCell<Known<Source>>,
    /// What [`Scene::ends`] has found, by step.
    known_ends: RefCell<Known<(Option<i64>, usize)>>,
}

/// Proofs for one family of hubs, with what they are worth at the point of reference.
pub(super) fn proofs(search: &Search<'_>, choice: &Hubs) -> Result<Vec<Crossing>> {
    let graph = search.graph;
    let hubs = choice.relation(graph)?;
    if !hubs.is_single_valued()? || !hubs.is_injective()? || hubs.is_empty()? {
        return Ok(Vec::new());
    }
    let mut scene = Scene::new(graph, choice.node, hubs)?;
    let mut proofs = Vec::new();
    proofs.extend(scene.proof(search)?);
    if !choice.is_sequence() {
        return Ok(proofs);
    }
    let all_ends = scene.highest()?;
    let mut next_ends = 0;
    for step in [1, -1] {
        scene.step = Some(step);
        next_ends = next_ends.max(scene.highest()?);
        let found = scene.proof(search)?;
        // Time runs one way.
        let done = found.is_some();
        proofs.extend(found);
        if done {
            break;
        }
    }
    for step in [2, -2] {
        // Where a hub needs only a part of what the one before is needed for, but every second one all of it.
        if next_ends == all_ends {
            break;
        }
        scene.step = Some(step);
        if scene.highest()? > next_ends {
            let second = Set::parse(graph.context.context(), "{ [t] : t mod 2 = 0 }")?;
            let hubs = scene.hubs.intersect_range(&second)?;
            scene = Scene::new(graph, choice.node, hubs)?;
            scene.step = Some(step);
            proofs.extend(scene.proof(search)?);
            break;
        }
    }
    Ok(proofs)
}

impl<'s> Scene<'s> {
    /// What comes before and after some hubs, which are no sequence yet.
    fn new(graph: &'s Graph, hub: usize, hubs: Map) -> Result<Scene<'s>> {
        Ok(Scene {
            graph,
            hub,
            before: Reach::from_hubs(graph, hub, &hubs, Way::Into)?,
            after: Reach::from_hubs(graph, hub, &hubs, Way::OutOf)?,
            hubs,
            step: None,
            known: RefCell::default(),
            known_ends: RefCell::default(),
        })
    }

    /// The highest dimension of possible ends of one node.
    fn highest(&self) -> Result<usize> {
        let mut highest = 0;
        for node in 0..self.graph.nodes.len() {
            if let Some(ends) = self.ends(node)? {
                highest = highest.max(rank(&ends)?);
            }
        }
        Ok(highest)
    }

    fn proof(&self, search: &Search<'_>) -> Result<Option<Crossing>> {
        let Some(point) = reference(search) else {
            return Ok(None);
        };
        // Bundles of high dimension and short paths first; counting is the expensive part.
        let mut candidates = self.candidates(search)?;
        candidates.sort_by_key(|paths| (Reverse(paths.rank), paths.arrows.len()));
        let mut promising: Vec<Paths> = Vec::new();
        for mut paths in candidates {
            if promising.len() == MOST_BUNDLES {
                break;
            }
            if self.step.is_some() || paths.starts.is_injective()? {
                paths.worth = self.worth(search, &paths.starts)?;
                promising.push(paths);
            }
        }
        let mut candidates = promising;
        candidates.sort_by_key(|paths| (Reverse(paths.worth.clone()), paths.arrows.len()));
        let mut chosen: Vec<Paths> = Vec::new();
        for mut paths in candidates {
            // Starts that another bundle has already are left to it.
            let mut fewer = false;
            for other in &chosen {
                if other.source() == paths.source() {
                    paths.starts = paths.starts.subtract(&other.starts)?.coalesce()?;
                    fewer = true;
                }
            }
            if fewer {
                paths.worth = self.worth(search, &paths.starts)?;
            }
            // Bundles of lower order are not worth the longer formula.
            let least = chosen
                .first()
                .map_or(BigInt::from(0), |first| &first.worth / SMALLEST);
            if paths.worth > least && self.compatible(&chosen, &paths)? {
                chosen.push(paths);
            }
        }
        let mut indices: Option<Set> = None;
        let mut bundles = Vec::new();
        let mut paths = BigInt::from(0);
        for bundle in &chosen {
            paths += &bundle.worth;
            let own = bundle.starts.domain()?;
            indices = Some(match indices {
                None => own,
                Some(others) => others.union(&own)?,
            });
            bundles.push(self.bundle(bundle)?);
        }
        let Some(indices) = indices else {
            return Ok(None);
        };
        let count = indices.coalesce()?.count_within(&self.graph.context)?;
        let hubs = count.evaluate(&point.sizes)?;
        if paths <= &hubs * &point.fast {
            return Ok(None);
        }
        let mut visited = Vec::new();
        for bundle in chosen.iter().filter(|_| self.step.is_none()) {
            for (source, place) in self.visited(bundle)? {
                visited.push((source, place.range()?));
            }
        }
        let mut before = self.before.to_certificate(self.graph)?;
        for arrow in &self.graph.arrows {
            // Inputs that are needed for the hub are loaded before it.
            if matches!(arrow.source, Source::Input(_))
                && self.before.members[arrow.reader].is_some()
            {
                before.edges.push(arrow.edge.clone());
            }
        }
        let next = match self.step {
            None => None,
            Some(step) => Some(Next {
                step: vec![step],
                reach: self.before.to_certificate(self.graph)?,
            }),
        };
        let proof = Proof::Wavefront(Wavefront {
            hubs: vec![write::labelled(&self.graph.nodes[self.hub], &self.hubs)?],
            bundles,
            before,
            after: self.after.to_certificate(self.graph)?,
            next,
        });
        Ok(Some(Crossing {
            paths,
            hubs,
            visited,
            proof,
        }))
    }

    /// All lists of arrows that lead across the hubs.
    fn candidates(&self, search: &Search<'_>) -> Result<Vec<Paths>> {
        let mut found = Vec::new();
        let mut lists = 0;
        let mut all_ends = Vec::new();
        for end in 0..self.graph.nodes.len() {
            let ends = self.ends(end)?;
            let rank = ends.as_ref().map(rank).transpose()?;
            all_ends.push(ends.zip(rank));
        }
        let highest = all_ends.iter().flatten().map(|(_, rank)| *rank).max();
        // Breadth first: short lists of all ends come before long ones. Ends of low dimension belong to few paths.
        let mut open = VecDeque::new();
        for (end, ends) in all_ends.iter().enumerate() {
            if let Some((ends, rank)) = ends
                && highest.is_some_and(|highest| rank + 1 >= highest)
            {
                let identity = ends.domain()?.identity()?;
                open.push_back((end, end, Vec::new(), Vec::new(), identity));
            }
        }
        while let Some((end, node, arrows, places, path)) = open.pop_front() {
            let Some((ends, _)) = &all_ends[end] else {
                continue;
            };
            for (at, arrow) in self.graph.arrows_of(node) {
                if lists == MOST_LISTS || search.is_over() {
                    return Ok(found);
                }
                let passed = |(source, _): &(Source, Map)| *source == arrow.source;
                if places.iter().any(passed) {
                    continue;
                }
                lists += 1;
                let longer = path.apply_range(&arrow.relation)?;
                if longer.is_empty()? {
                    continue;
                }
                let mut places: Vec<(Source, Map)> = places.clone();
                places.push((arrow.source, longer.clone()));
                let mut arrows: Vec<usize> = arrows.clone();
                arrows.push(at);
                found.extend(self.paths(end, ends, &arrows, &places)?);
                let keeps_all = |piece: &Piece| {
                    let linear = piece.linear();
                    linear.rank() == linear.columns()
                };
                if let Source::Node(source) = arrow.source
                    && arrows.len() < LONGEST
                    && source != end
                    && arrow.pieces.iter().all(keeps_all)
                {
                    open.push_back((end, source, arrows, places, longer));
                }
            }
        }
        Ok(found)
    }

    /// Instances of a node that come after the hub and are needed, with the index: possible ends.
    fn ends(&self, node: usize) -> Result<Option<Map>> {
        if let Some(known) = self.known_ends.borrow().get(&(self.step, node)) {
            return Ok(known.clone());
        }
        let ends = self.find_ends(node)?;
        let mut known = self.known_ends.borrow_mut();
        known.insert((self.step, node), ends.clone());
        Ok(ends)
    }

    fn find_ends(&self, node: usize) -> Result<Option<Map>> {
        let Some(members) = &self.after.members[node] else {
            return Ok(None);
        };
        let mut ends = members.intersect_domain(&self.graph.nodes[node].live)?;
        if node == self.hub {
            ends = ends.subtract(&self.hubs)?;
        }
        if let Some(step) = self.step {
            // Those that come before the next hub.
            let Some(before) = &self.before.members[node] else {
                return Ok(None);
            };
            let back = format!("{{ [t] -> [t - ({step})] }}");
            let back = Map::parse(ends.context(), &back)?;
            ends = ends.intersect(&before.apply_range(&back)?)?;
        }
        Ok((!ends.is_empty()? && grows(&ends)?).then_some(ends))
    }

    /// The paths along a list of arrows, if their starts come before the hub.
    fn paths(
        &self,
        end: usize,
        ends: &Map,
        arrows: &[usize],
        places: &[(Source, Map)],
    ) -> Result<Option<Paths>> {
        let Some((source, last)) = places.last() else {
            return Ok(None);
        };
        let mut starts = ends.reverse()?.apply_range(last)?;
        match source {
            Source::Node(node) => match &self.before.members[*node] {
                None => return Ok(None),
                Some(before) => starts = starts.intersect(&before.reverse()?)?,
            },
            Source::Input(_) => {
                if self.step.is_none() {
                    // Only inputs that are loaded before the hub come on top of their first load.
                    let Some(loaded) = self.loaded(*source)? else {
                        return Ok(None);
                    };
                    starts = starts.intersect(&loaded)?;
                }
            }
        }
        let starts = starts.coalesce()?;
        if starts.is_empty()? || !grows(&starts.reverse()?)? {
            return Ok(None);
        }
        Ok(Some(Paths {
            end,
            arrows: arrows.to_vec(),
            places: places.to_vec(),
            rank: rank(&starts)?,
            worth: BigInt::from(0),
            starts,
        }))
    }

    /// `t → cell` for the cells of an input that the hub needs.
    fn loaded(&self, source: Source) -> Result<Option<Map>> {
        if let Some(known) = self.known.borrow().get(&source) {
            return Ok(known.clone());
        }
        let mut all: Option<Map> = None;
        for arrow in &self.graph.arrows {
            let Some(members) = self.before.members[arrow.reader]
                .as_ref()
                .filter(|_| arrow.source == source)
            else {
                continue;
            };
            let cells = members.reverse()?.apply_range(&arrow.relation)?;
            all = Some(match all {
                None => cells,
                Some(known) => known.union(&cells)?,
            });
        }
        let all = all.map(|cells| cells.coalesce()).transpose()?;
        self.known.borrow_mut().insert(source, all.clone());
        Ok(all)
    }

    fn worth(&self, search: &Search<'_>, starts: &Map) -> Result<BigInt> {
        let Some(point) = reference(search) else {
            return Ok(BigInt::from(0));
        };
        // Fixed sizes are counted faster than all.
        let mut all = starts.wrap()?.flatten()?;
        for (name, value) in &point.sizes {
            if all.param_names().contains(name) {
                all = all.fix_param(name, value.clone())?;
            }
        }
        Ok(all.count()?.evaluate(&point.sizes)?)
    }

    /// Whether a bundle shares no vertex, except ends, with the others (of the same index, if hubs are a sequence).
    fn compatible(&self, chosen: &[Paths], paths: &Paths) -> Result<bool> {
        let own = self.visited(paths)?;
        if self.step.is_none() {
            for (_, place) in &own {
                if !place.is_injective()? {
                    return Ok(false);
                }
            }
        }
        for other in chosen {
            for (source, place) in self.visited(other)? {
                for (own_source, own_place) in &own {
                    if source != *own_source {
                        continue;
                    }
                    let apart = match self.step {
                        Some(_) => place.is_disjoint(own_place)?,
                        None => place.range()?.is_disjoint(&own_place.range()?)?,
                    };
                    if !apart {
                        return Ok(false);
                    }
                }
            }
        }
        Ok(true)
    }

    /// `t → vertex` at every position but the end.
    fn visited(&self, paths: &Paths) -> Result<Vec<(Source, Map)>> {
        let ends = self.chosen_ends(paths)?;
        let index = paths.starts.domain_map()?;
        let mut visited = Vec::new();
        for (source, place) in &paths.places {
            let at = index.reverse()?.apply_range(&ends)?.apply_range(place)?;
            visited.push((*source, at.coalesce()?));
        }
        Ok(visited)
    }

    /// `[t → start] → end`: one end for every start.
    fn chosen_ends(&self, paths: &Paths) -> Result<Map> {
        let Some(ends) = self.ends(paths.end)? else {
            return Ok(Map::empty(&paths.starts.space()?)?);
        };
        let Some((_, last)) = paths.places.last() else {
            return Ok(Map::empty(&paths.starts.space()?)?);
        };
        let pairs = ends.range_product(last)?;
        let pairs = pairs.intersect_range(&paths.starts.wrap()?)?;
        Ok(pairs.reverse()?.lexmin()?.coalesce()?)
    }

    fn bundle(&self, paths: &Paths) -> Result<Bundle> {
        let ends = self.chosen_ends(paths)?;
        // Labels have no name: a start is known by its coordinates.
        let starts = paths.starts.drop_out_tuple()?;
        let anonymous = paths
            .starts
            .domain_map()?
            .range_product(&paths.starts.range_map()?.drop_out_tuple()?)?;
        let ends = anonymous.reverse()?.apply_range(&ends)?;
        let ends = ends.intersect_domain(&starts.wrap()?)?;
        let ends = ends.apply_range(&self.graph.nodes[paths.end].instances)?;
        let steps = paths
            .arrows
            .iter()
            .map(|&at| vec![self.graph.arrows[at].edge.clone()]);
        Ok(Bundle {
            ends: ends.coalesce()?.to_string(),
            steps: steps.collect(),
        })
    }
}
