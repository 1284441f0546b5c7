//! Wavefronts: values that are there when a hub is computed and needed after it (X-6).
//!
//! ```text
//! start ──► … ──► end          start: an input, the hub c(t), or reaches it
//!      ⟍         ⟋             end: reached by c(t), needed for a result
//!        ► c(t) ►              paths of one t have no vertex in common except ends
//! ```
//!
//! The theorem, with the two reasons why loads of different hubs are different loads, is in the documentation of
//! [`Wavefront`].

use std::collections::BTreeMap;

use num_bigint::BigInt;
use redblue_math::{Expr, Symbol};
use redblue_poly::{Count, Map, PwAff, Set, UnionMap, UnionSet};

use super::count::Number;
use super::fibre::Fibre;
use super::graph::Graph;
use super::reach::{self, Direction};
use super::view::{FAST, View};
use crate::certificate::{Bundle, Next, Wavefront};
use crate::refusal::{Cause, Refusal, Result, demand};

/// Hubs that are evaluated one by one.
const MOST_HUBS: u32 = 2000;

/// A verified wavefront.
#[derive(Clone, Debug)]
pub(crate) struct Waves {
    /// Inputs that are loaded besides.
    inputs: Number,
    /// The paths: what crosses a hub and does not stay is loaded again.
    loads: Tally,
    /// Those whose values are also stored, besides the results, and whether these are all.
    stores: Option<(Tally, bool)>,
}

/// Paths, hub by hub.
#[derive(Clone, Debug)]
struct Tally {
    /// The number of all paths.
    paths: Number,
    /// The number of hubs with paths.
    hubs: Number,
    /// The indices of these hubs.
    indices: Set,
    /// By bundle, the number of paths of one index, and the names that stand for its components.
    each: Vec<(Count, Vec<String>)>,
}

impl Waves {
    /// Verifies a wavefront, given the inputs that must be loaded and the results that must be stored.
    pub(super) fn verify(
        graph: &Graph,
        inputs: &UnionSet,
        results: &UnionSet,
        claim: &Wavefront,
    ) -> Result<Waves> {
        let view = &graph.view;
        let crossing = verify(graph, results, claim)?;
        let nothing = Number::of(view, &UnionSet::empty(view.isl())?)?;
        let loads = Tally::of(view, &crossing.paths)?;
        let stores = match crossing.all_stored()? {
            true => Some((loads.clone(), true)),
            false => match Tally::of(view, &crossing.stored) {
                Ok(tally) if tally.is_plain() => Some((tally, false)),
                // Without a formula they are left out, too.
                _ => None,
            },
        };
        Ok(Waves {
            inputs: match Number::of(view, &inputs.subtract(&crossing.counted)?) {
                Ok(number) if number.condition.is_none() => number,
                // Without a formula they are left out.
                _ => nothing,
            },
            loads,
            stores,
        })
    }

    /// `inputs + Σ_t (|paths of t| − S)`, which is at most `inputs + Σ_t max(0, |paths of t| − S)`.
    pub(crate) fn formula(&self) -> Expr {
        &self.inputs.formula + self.loads.formula()
    }

    /// The same of stores besides the results.
    pub(crate) fn stores(&self) -> Expr {
        match &self.stores {
            None => Expr::zero(),
            // Where it is negative, so is that of loads, and compulsory traffic is more.
            Some((tally, true)) => tally.formula(),
            Some((tally, false)) => {
                Expr::max_of([Expr::zero(), tally.formula()]).unwrap_or_default()
            }
        }
    }

    /// The bound on loads at given sizes: hub by hub if they are few, and no hub counts as less than nothing.
    pub(crate) fn at(&self, fast: &BigInt, values: &BTreeMap<String, BigInt>) -> Result<BigInt> {
        Ok(self.inputs.count.evaluate(values)? + self.loads.at(fast, values)?)
    }

    /// The same of stores besides the results.
    pub(crate) fn stores_at(
        &self,
        fast: &BigInt,
        values: &BTreeMap<String, BigInt>,
    ) -> Result<BigInt> {
        let stores = match &self.stores {
            None => return Ok(BigInt::from(0)),
            Some((tally, _)) => tally.at(fast, values)?,
        };
        Ok(stores.max(BigInt::from(0)))
    }

    /// The numbers that the formulas consist of.
    pub(crate) fn numbers(&self) -> impl Iterator<Item = &Number> {
        let stores = self.stores.iter().flat_map(|(tally, _)| tally.numbers());
        [&self.inputs]
            .into_iter()
            .chain(self.loads.numbers())
            .chain(stores)
    }
}

impl Tally {
    /// Counts the paths `[[t] -> [l]]` of bundles.
    fn of(view: &View, bundles: &[Set]) -> Result<Tally> {
        let mut count = Number::of(view, &UnionSet::empty(view.isl())?)?.count;
        let mut each = Vec::new();
        let mut indices: Option<Set> = None;
        for paths in bundles {
            let by_index = paths.unwrap_map()?;
            let fibre = Fibre::of(view, &by_index)?;
            let own = fibre.names[view.names().len()..].to_vec();
            each.push((fibre.elements.count_within(&fibre.sizes)?, own));
            count = count.add(&paths.flatten()?.count_within(view.sizes())?)?;
            let own = by_index.domain()?;
            indices = Some(match indices {
                None => own,
                Some(others) => others.union(&own)?,
            });
        }
        let indices = indices
            .ok_or_else(|| broken("there are no paths"))?
            .coalesce()?;
        Ok(Tally {
            paths: Number::from_count(view, count)?,
            hubs: at_most(Number::of(view, &indices.to_union()?)?),
            indices,
            each,
        })
    }

    fn formula(&self) -> Expr {
        let fast = Expr::symbol(Symbol::from(FAST));
        &self.paths.formula - fast * &self.hubs.formula
    }

    /// Whether formulas hold everywhere, and more than one path, which is never more than the memory, crosses a hub.
    fn is_plain(&self) -> bool {
        self.paths.formula != self.hubs.formula
            && self.numbers().all(|number| number.condition.is_none())
    }

    fn numbers(&self) -> impl Iterator<Item = &Number> {
        [&self.paths, &self.hubs].into_iter()
    }

    /// `Σ_t max(0, |paths of t| − S)`, or less.
    fn at(&self, fast: &BigInt, values: &BTreeMap<String, BigInt>) -> Result<BigInt> {
        let hubs = self.hubs.count.evaluate(values)?;
        let all = self.paths.count.evaluate(values)? - &hubs * fast;
        if hubs > BigInt::from(MOST_HUBS) {
            return Ok(all);
        }
        let mut indices = self.indices.clone();
        for name in self.indices.param_names() {
            if let Some(value) = values.get(&name) {
                indices = indices.fix_param(&name, value.clone())?;
            }
        }
        let mut sum = BigInt::from(0);
        let mut values = values.clone();
        for index in indices.points()? {
            let mut paths = BigInt::from(0);
            for (count, names) in &self.each {
                values.extend(
                    names
                        .iter()
                        .cloned()
                        .zip(index.iter().map(|&x| BigInt::from(x))),
                );
                // An index without paths of this bundle is outside its count.
                paths += count.evaluate(&values).unwrap_or_default();
            }
            sum += (paths - fast).max(BigInt::from(0));
        }
        Ok(sum.max(all))
    }
}

/// The same number with a formula that may be too large: a case that holds somewhere, and nothing elsewhere, is at most that case everywhere.
fn at_most(number: Number) -> Number {
    let mut cases = number
        .count
        .pieces()
        .iter()
        .filter(|(_, value)| !value.is_zero());
    match (cases.next(), cases.next()) {
        (Some((_, value)), None) if number.condition.is_some() => Number {
            formula: Expr::max_of([Expr::zero(), value.to_expr()]).unwrap_or_default(),
            condition: None,
            ..number
        },
        _ => number,
    }
}

/// What crosses the hubs.
struct Crossing {
    /// `[[t] -> [l]]` of every path, by bundle.
    paths: Vec<Set>,
    /// The same of paths whose values are stored before they are loaded, where that is no store of a result.
    stored: Vec<Set>,
    /// Input cells whose loads may already be counted as crossing.
    counted: UnionSet,
}

impl Crossing {
    /// Whether the values of all paths are stored.
    fn all_stored(&self) -> Result<bool> {
        let mut all = self.stored.len() == self.paths.len();
        for (paths, stored) in self.paths.iter().zip(&self.stored) {
            all &= paths.is_equal(stored)?;
        }
        Ok(all)
    }
}

/// One bundle with its vertices by position, the end first.
struct Paths {
    domain: Set,
    /// `[[t] -> [l]] -> [t]`.
    index: Map,
    places: Vec<UnionMap>,
}

/// Verifies a wavefront.
fn verify(graph: &Graph, results: &UnionSet, claim: &Wavefront) -> Result<Crossing> {
    let view = &graph.view;
    let first = claim
        .hubs
        .first()
        .ok_or_else(|| broken("there is no hub"))?;
    let length = view.map(first)?.n_out();
    let hubs = view.vertex_labels(&claim.hubs, length)?;
    demand(hubs.is_injective()?, Cause::Path, || {
        "two hubs have one index".into()
    })?;
    let before =
        reach::verify(graph, &claim.before, &hubs, length, Direction::Onto)?.union(&hubs)?;
    let after = reach::verify(graph, &claim.after, &hubs, length, Direction::From)?;
    let mut bundles = Vec::new();
    let mut indices: Option<Set> = None;
    let mut counted = UnionSet::empty(view.isl())?;
    for bundle in &claim.bundles {
        let paths = Paths::follow(graph, bundle, length)?;
        let ends = paths.at(0)?;
        demand(
            ends.domain()?.is_subset(&graph.live)?,
            Cause::Liveness,
            || "an end of a path is not shown to be needed".to_string(),
        )?;
        demand(
            ends.is_subset(&after.subtract(&hubs)?)?,
            Cause::Path,
            || "an end of a path is not shown to come after the hub".to_string(),
        )?;
        counted = counted.union(&paths.starts(graph, claim, &before)?)?;
        let own = paths.domain.apply(&paths.index)?;
        indices = Some(match indices {
            None => own,
            Some(others) => others.union(&own)?,
        });
        bundles.push(paths);
    }
    let indices = indices
        .ok_or_else(|| broken("there are no paths"))?
        .coalesce()?;
    disjoint(&bundles, claim.next.is_none())?;
    if let Some(next) = &claim.next {
        let reach =
            reach::verify(graph, &next.reach, &hubs, length, Direction::Onto)?.union(&hubs)?;
        sequence(next, &indices, &bundles, &reach)?;
    }
    let mut stored: Vec<Paths> = Vec::new();
    for paths in &bundles {
        let own = paths.within(&paths.stored(graph, results)?)?;
        // Where paths of different indices go through one vertex, one store could serve many loads.
        let mut apart = !own.domain.is_empty()? && !own.meets(&own, true)?;
        for other in &stored {
            apart = apart && !own.meets(other, true)?;
        }
        if apart {
            stored.push(own);
        }
    }
    let domains = |list: Vec<Paths>| list.into_iter().map(|paths| paths.domain).collect();
    Ok(Crossing {
        paths: domains(bundles),
        stored: domains(stored),
        counted,
    })
}

impl Paths {
    fn follow(graph: &Graph, bundle: &Bundle, length: usize) -> Result<Paths> {
        let ends = graph.view.map(&bundle.ends)?;
        let domain = ends.domain()?;
        demand(
            ends.is_single_valued()? && domain.is_wrapping()? && !bundle.steps.is_empty(),
            Cause::Path,
            || "ends should be a function of pairs, and paths have steps".to_string(),
        )?;
        let index = domain.unwrap_map()?.domain_map()?;
        demand(index.n_out() == length, Cause::Path, || {
            "paths and hubs have indices of different lengths".to_string()
        })?;
        let mut place = ends.to_union()?;
        let all = place.domain()?;
        let mut places = vec![place.clone()];
        for edges in &bundle.steps {
            place = place.apply_range(&graph.steps(edges)?)?;
            demand(
                place.is_single_valued()? && all.is_subset(&place.domain()?)?,
                Cause::Path,
                || "a step of a path is missing or not unique".to_string(),
            )?;
            places.push(place.clone());
        }
        Ok(Paths {
            domain,
            index,
            places,
        })
    }

    /// The vertices at a position with their indices t.
    fn at(&self, position: usize) -> Result<UnionMap> {
        let place = self
            .places
            .get(position)
            .ok_or_else(|| broken("no such position"))?;
        Ok(place.reverse()?.apply_range(&self.index.to_union()?)?)
    }

    /// The same without some paths.
    fn within(&self, domain: &Set) -> Result<Paths> {
        let kept = domain.to_union()?;
        let places = self
            .places
            .iter()
            .map(|place| place.intersect_domain(&kept));
        Ok(Paths {
            domain: domain.clone(),
            index: self.index.clone(),
            places: places.collect::<std::result::Result<_, _>>()?,
        })
    }

    /// Whether a path goes through a vertex of another one, ends excepted: of one index, or, if `everywhere`, of any. If both are the
    /// same paths, each is left out for itself.
    fn meets(&self, other: &Paths, everywhere: bool) -> Result<bool> {
        let same_index = self
            .index
            .apply_range(&other.index.reverse()?)?
            .to_union()?;
        let same = std::ptr::eq(self, other);
        for (position, place) in self.places.iter().enumerate().skip(1) {
            for (other_position, other_place) in other.places.iter().enumerate().skip(1) {
                let mut meet = place.apply_range(&other_place.reverse()?)?;
                if !everywhere {
                    meet = meet.intersect(&same_index)?;
                }
                if same && position == other_position {
                    meet = meet.subtract(&self.domain.identity()?.to_union()?)?;
                }
                if !meet.is_empty()? {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// The paths on which every vertex but the end is computed and is no result.
    fn stored(&self, graph: &Graph, results: &UnionSet) -> Result<Set> {
        let view = &graph.view;
        let mut stored = self.domain.clone();
        for place in self.places.iter().skip(1) {
            for map in place.maps()? {
                let known = view.statement(&map.out_tuple().unwrap_or_default()).is_ok();
                let ruled_out = match known {
                    true => map.intersect_range(&results.set_of(&map.space()?.range()?)?)?,
                    false => map,
                };
                stored = stored.subtract(&ruled_out.domain()?)?;
            }
        }
        Ok(stored.coalesce()?)
    }

    /// That starts are inputs, hubs or come before them. Returns the inputs among them that might not have been loaded
    /// before the hub, or, if hubs form a sequence, all of them.
    fn starts(&self, graph: &Graph, claim: &Wavefront, before: &UnionMap) -> Result<UnionSet> {
        let view = &graph.view;
        let starts = self.at(self.places.len() - 1)?;
        let rest = starts.subtract(before)?;
        let mut cells = UnionMap::empty(view.isl())?;
        for map in starts.maps()? {
            if view.array(&map.in_tuple().unwrap_or_default()).is_ok() {
                cells = cells.union(&map.to_union()?)?;
            }
        }
        demand(rest.is_subset(&cells)?, Cause::Path, || {
            "a start of a path is not shown to come before the hub".to_string()
        })?;
        if claim.next.is_some() {
            return Ok(cells.domain()?);
        }
        let loaded = reach::cells(graph, &claim.before, before)?;
        Ok(cells.subtract(&loaded)?.domain()?)
    }
}

/// That paths share nothing but ends: those of one index, or, if `everywhere`, of all.
fn disjoint(bundles: &[Paths], everywhere: bool) -> Result<()> {
    for (at, one) in bundles.iter().enumerate() {
        for other in &bundles[at..] {
            demand(!one.meets(other, everywhere)?, Cause::Sharing, || {
                "two paths go through the same vertex".to_string()
            })?;
        }
    }
    Ok(())
}

/// That indices follow each other by one step and that ends come before the next hub.
fn sequence(next: &Next, indices: &Set, bundles: &[Paths], reach: &UnionMap) -> Result<()> {
    demand(next.step.len() == indices.n_dim(), Cause::Path, || {
        "the step has another length than the indices".to_string()
    })?;
    let shift = translation(indices, &next.step)?;
    let first = indices.subtract(&indices.apply(&shift)?)?;
    let pairs = Map::from_domain_and_range(&first, &first)?;
    demand(pairs.is_subset(&first.identity()?)?, Cause::Path, || {
        "the hubs do not form one sequence".to_string()
    })?;
    let followed = shift.intersect_domain(indices)?.intersect_range(indices)?;
    for paths in bundles {
        let needed = paths.at(0)?.apply_range(&followed.to_union()?)?;
        demand(needed.is_subset(reach)?, Cause::Path, || {
            "an end of a path is not shown to come before the next hub".to_string()
        })?;
    }
    Ok(())
}

/// `{ [t] -> [t + step] }` in the space of `set`.
fn translation(set: &Set, step: &[i64]) -> Result<Map> {
    let space = set.space()?;
    let mut coordinates = Vec::new();
    for (at, &by) in step.iter().enumerate() {
        let dim = PwAff::dim(&space, at)?;
        coordinates.push(dim.add(&PwAff::constant(&space, by)?)?);
    }
    Ok(Map::from_pw_affs(&space, "", &coordinates)?)
}

fn broken(reason: &str) -> Refusal {
    Refusal::new(Cause::Path, reason)
}
