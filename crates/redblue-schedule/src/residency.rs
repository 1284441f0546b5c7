//! Proven traffic of an order: which cells stay in fast memory how long, counted exactly.
//!
//! **Model.** Every reference to an array gets a depth d: a position in the list of dimensions of the order. The
//! references of one array with the same depth form a *class*. Fix the first d dimensions to values p: the cells
//! that a class touches in that part of the execution, the subtree p, are resident from their first to their last
//! use there.
//!
//! **Theorem (traffic).** Let loads count the pairs (p, cell) with a read in p of a value that no write of the class in
//! p produced, and let stores count the pairs (p, cell) with a write in p of a value that is read outside the class or
//! outside p, or that is an output. If Σ over the classes of the largest number of cells of a subtree is at most S,
//! then the order runs with S words of fast memory, these loads and these stores.
//! *Proof.* A cell is resident during the union of its intervals [first use, last use] over all classes and
//! subtrees; at any time each class has one subtree open, so at most Σ max words are resident, and operands
//! and result of the running instance are among them (a result overwrites its cell in place). Take a maximal
//! interval I of that union. If a word is loaded at its start, then because its first use, in some (class, p),
//! reads a value from before I, so not produced in (class, p): that pair is counted. If a word is stored at its
//! end, its last write there, in some (class, p), has a value that is needed after I, so outside (class, p): that
//! pair is counted. Different intervals of a cell charge different pairs. ∎
//!
//! **Free sums** ([`crate::dependence`]). The links of a sum are counted as if values went along them in the program's order,
//! and subtrees may then be entered from later ones, so "outside p" is "in any other subtree". The theorem holds for
//! every order of the links. *Proof.* If a link loads at the start of I, it is the first use in (class, p). Were the pair
//! not counted, the link before it would be in (class, p), so would all before that, and so would the write that the sum
//! starts from, which still comes before all links: the link would not be the first use. If a link is the last write of I
//! and its value is needed after I, but the pair is not counted, then the link after it is in (class, p), and all after
//! that, and the value of the last one is read, and in (class, p) only; these reads come after all links in every order,
//! and belong to I, so nothing is needed after I. Other reads and writes follow all links, or precede them, as before. ∎
//!
//! **Sliding.** Within subtree p the next dimension w only grows. So of a class at most the cells are resident that are
//! used both at some w' <= w and at some w'' >= w, and the largest number of these over (p, w) may stand for the number
//! of cells of p: a window that moves over a row, or the front of a stencil that moves through a band of time.
//!
//! **Turns.** While a statement runs in a subtree of a class in which no reference of the class has an instance, no cell is
//! resident for that class. So it is enough if, for every statement, the sum over the classes that have an instance in
//! some subtree of its own is at most S: what a sum is made of makes room for what is done with the sum. And while it runs
//! for the first time that its cell is touched at all, the cell takes the place of an operand that nothing keeps.
//!
//! So an optimal replacement at S never loads more. All counts are exact integers at the given sizes; where a set is too
//! hard to count, a convex set around it, or the number of instances, stands in, which only overstates.

use std::collections::BTreeMap;

use num_bigint::BigInt;
use redblue_poly::{Map, Set};
use redblue_program::{ArrayId, StatementId};

use crate::error::Result;
use crate::footprint::{footprint, strides};
use crate::order::{Dim, Row};
use crate::points::{points, points_around, points_by_walk};
use crate::site::{Reference, Site};
use crate::window::widest;

/// References of one array that are resident together.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Class {
    pub(crate) array: ArrayId,
    /// How many dimensions of the order are fixed while a cell stays.
    pub(crate) depth: usize,
    pub(crate) references: Vec<Reference>,
    /// The same in parts whose cells lie together; different parts may be far from each other.
    pub(crate) parts: Vec<Vec<Reference>>,
}

/// What a class needs and moves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Measure {
    /// The largest number of cells of a subtree.
    pub(crate) words: u128,
    /// What it needs together with twins, see [`crate::twins`]: the first of them, and the words.
    pub(crate) together: Option<(ArrayId, u128)>,
    pub(crate) loads: BigInt,
    pub(crate) stores: BigInt,
    /// How the counts of both ended.
    pub(crate) ends: [End; 2],
}

/// How a count ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// The number is exact.
    Exact,
    /// It is only an upper bound: a walk ran out of steps, and may reach its end with more.
    Short,
    /// It is only an upper bound, as the set is too hard.
    Hard,
}

/// What a class in an order depends on: the functions of its statements in the dimensions that matter, with their tiles;
/// the class; and whether all dimensions are forward.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Placed {
    dims: Vec<(Vec<Option<Row>>, Option<u64>)>,
    class: Class,
    monotone: bool,
}

impl Placed {
    fn new(dims: &[Dim], class: &Class, monotone: bool) -> Placed {
        let mut statements: Vec<StatementId> =
            class.references.iter().map(|r| r.statement).collect();
        statements.sort();
        statements.dedup();
        let rows = |dim: &Dim| {
            let rows = statements.iter().map(|id| dim.family.row(*id).cloned());
            (rows.collect(), dim.tile)
        };
        Placed {
            dims: dims.iter().map(rows).collect(),
            class: class.clone(),
            monotone,
        }
    }
}

/// What was measured, so that no class in the same place is measured twice.
#[derive(Default)]
pub(crate) struct Known {
    /// Whether results are the first use of their cells, see [`crate::turns`].
    pub(crate) fresh: BTreeMap<StatementId, bool>,
    words: BTreeMap<Placed, u128>,
    moved: BTreeMap<Placed, (BigInt, BigInt, [End; 2])>,
}

/// Work for the words that one reference needs, and for what it moves.
const WORDS: u64 = 1_000;
const MOVED: u64 = 2_000;

/// The words that a class needs in an order: at most so many of its cells are resident at a time. `monotone` says that
/// all dimensions are forward families. A depth beyond the dimensions means single instances: nothing stays from one to
/// the next.
pub(crate) fn words(site: &Site<'_>, dims: &[Dim], class: &Class, monotone: bool) -> Result<u128> {
    let Some(fixed) = dims.get(..class.depth) else {
        return Ok(0);
    };
    let next = dims.get(..class.depth + 1);
    let key = Placed::new(next.unwrap_or(fixed), class, monotone);
    if let Some(known) = site.known.borrow().words.get(&key) {
        return Ok(*known);
    }
    site.spend(WORDS * class.references.len() as u64);
    let prefixes = Prefixes::new(fixed, monotone);
    let mut words: u128 = 0;
    for part in &class.parts {
        let cells = touched(site, &prefixes, part)?;
        words = words.saturating_add(footprint(&cells, &strides(site, part)?)?);
    }
    if class.parts.len() > 1 {
        let cells = touched(site, &prefixes, &class.references)?;
        words = words.min(footprint(&cells, &strides(site, &class.references)?)?);
    }
    if let Some(next) = next {
        let steps = Prefixes::new(next, monotone);
        let cells = touched(site, &steps, &class.references)?;
        if let Some(fewer) = widest(&cells, &strides(site, &class.references)?)? {
            words = words.min(fewer);
        }
    }
    site.known.borrow_mut().words.insert(key, words);
    Ok(words)
}

/// Measures a class in an order: see [`words`].
pub(crate) fn measure(
    site: &Site<'_>,
    dims: &[Dim],
    class: &Class,
    monotone: bool,
) -> Result<Measure> {
    let words = words(site, dims, class, monotone)?;
    let fixed = dims.get(..class.depth);
    let key = Placed::new(fixed.unwrap_or_default(), class, monotone);
    let known = site.known.borrow().moved.get(&key).cloned();
    let (loads, stores, ends) = match known {
        Some(known) => known,
        None => {
            site.spend(MOVED * class.references.len() as u64);
            let moved = match fixed {
                Some(fixed) => moved(site, fixed, class, monotone)?,
                None => alone(site, class)?,
            };
            site.known.borrow_mut().moved.insert(key, moved.clone());
            moved
        }
    };
    Ok(Measure {
        words,
        together: None,
        loads,
        stores,
        ends,
    })
}

/// Loads and stores of a class, and how both counts ended.
fn moved(
    site: &Site<'_>,
    dims: &[Dim],
    class: &Class,
    monotone: bool,
) -> Result<(BigInt, BigInt, [End; 2])> {
    let [loaded, stored] = pairs(site, dims, class, monotone)?;
    // Every pair has an instance that reads or writes there.
    let instances = |reads: bool| -> u128 {
        let references = class.references.iter();
        let kind = references.filter(|reference| reference.operand.is_some() == reads);
        kind.map(|reference| site.size(reference.statement)).sum()
    };
    let (loads, end_of_loads) = count(site, loaded.as_ref(), instances(true))?;
    let (stores, end_of_stores) = count(site, stored.as_ref(), instances(false))?;
    Ok((loads, stores, [end_of_loads, end_of_stores]))
}

/// Counts again with more steps, which are used up, where steps ran out. What is not counted stays.
pub(crate) fn recount(
    site: &Site<'_>,
    dims: &[Dim],
    class: &Class,
    monotone: bool,
    measure: &mut Measure,
    steps: &mut u64,
) -> Result<()> {
    let short = measure.ends.contains(&End::Short);
    let Some(dims) = dims.get(..class.depth).filter(|_| short) else {
        return Ok(());
    };
    let counts = [&mut measure.loads, &mut measure.stores].into_iter();
    let pairs = pairs(site, dims, class, monotone)?.into_iter();
    for ((pairs, known), end) in pairs.zip(counts).zip(&mut measure.ends) {
        let Some(pairs) = pairs.filter(|_| *end == End::Short) else {
            continue;
        };
        if let Some(number) = points_by_walk(&pairs, steps)? {
            *known = number.min(known.clone());
            *end = End::Exact;
        }
    }
    Ok(())
}

/// The pairs (subtree, cell) that are loaded, and those that are stored.
fn pairs(site: &Site<'_>, dims: &[Dim], class: &Class, monotone: bool) -> Result<[Option<Set>; 2]> {
    let prefixes = Prefixes::new(dims, monotone);
    let [mut loaded, mut stored]: [Option<Set>; 2] = [None, None];
    for reference in &class.references {
        let Some(instances) = needing(site, class, *reference, &prefixes)? else {
            continue;
        };
        let cells = site.cells(*reference).drop_out_tuple()?;
        let pairs = prefixes
            .of(site, *reference)?
            .intersect_domain(&instances)?
            .flat_range_product(&cells)?
            .range()?;
        let slot = match reference.operand {
            Some(_) => &mut loaded,
            None => &mut stored,
        };
        *slot = Some(match slot.take() {
            Some(others) => others.union(&pairs)?,
            None => pairs,
        });
    }
    Ok([loaded, stored])
}

/// Subtree → cells that references touch there.
fn touched(site: &Site<'_>, prefixes: &Prefixes, references: &[Reference]) -> Result<Vec<Map>> {
    let mut maps: Vec<Map> = Vec::new();
    for reference in references {
        let cells = site.cells(*reference).drop_out_tuple()?;
        let here = prefixes
            .of(site, *reference)?
            .reverse()?
            .apply_range(&cells)?;
        let mut known = false;
        for map in &maps {
            known |= here.is_subset(map)?;
        }
        if !known {
            maps.push(here);
        }
    }
    Ok(maps)
}

/// References that keep nothing: every operand is loaded, every value that is needed stored.
fn alone(site: &Site<'_>, class: &Class) -> Result<(BigInt, BigInt, [End; 2])> {
    let mut moved = [BigInt::default(), BigInt::default()];
    let mut ends = [End::Exact; 2];
    for (reference, instances) in instances_alone(site, class)? {
        let kind = usize::from(reference.operand.is_none());
        moved[kind] += match instances.count_points() {
            Ok(number) => number,
            Err(_) => {
                ends[kind] = End::Hard;
                BigInt::from(site.size(reference.statement))
            }
        };
    }
    let [loads, stores] = moved;
    Ok((loads, stores, ends))
}

/// Where references that keep nothing move a word each.
fn instances_alone(site: &Site<'_>, class: &Class) -> Result<Vec<(Reference, Set)>> {
    let mut found = Vec::new();
    let mut seen: Vec<Reference> = Vec::new();
    for reference in &class.references {
        if repeats(site, &seen, *reference)? {
            continue;
        }
        seen.push(*reference);
        let mut instances: Option<Set> = None;
        for set in ends(site, *reference)? {
            instances = Some(match instances {
                Some(others) => others.union(&set)?,
                None => set,
            });
        }
        found.extend(instances.map(|instances| (*reference, instances)));
    }
    Ok(found)
}

/// Sets whose points are the loads of a class, and those of its stores: pairs of subtrees and cells, or instances where
/// nothing stays.
pub(crate) fn moves(
    site: &Site<'_>,
    dims: &[Dim],
    class: &Class,
    monotone: bool,
) -> Result<[Vec<Set>; 2]> {
    if let Some(fixed) = dims.get(..class.depth) {
        return Ok(pairs(site, fixed, class, monotone)?.map(|set| set.into_iter().collect()));
    }
    let mut found = [Vec::new(), Vec::new()];
    for (reference, instances) in instances_alone(site, class)? {
        let kind = usize::from(reference.operand.is_none());
        found[kind].push(instances);
    }
    Ok(found)
}

/// Whether another read of the statement is of the same cell.
pub(crate) fn repeats(site: &Site<'_>, seen: &[Reference], reference: Reference) -> Result<bool> {
    for other in seen {
        if other.statement == reference.statement
            && other.operand.is_some() == reference.operand.is_some()
            && site.cells(*other).is_equal(site.cells(reference))?
        {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Instances of a read with any defined value, or of a write with any needed one.
fn ends(site: &Site<'_>, reference: Reference) -> Result<Vec<Set>> {
    let id = reference.statement;
    let mut sets = Vec::new();
    match reference.operand {
        Some(position) => {
            let operand = site.operand(id, position);
            sets.extend(operand.input.clone());
            for (_, flow) in &operand.producers {
                sets.push(flow.range()?);
            }
        }
        None => {
            sets.extend(site.live(id).cloned());
            for (_, flow) in site.consumers(id) {
                sets.push(flow.domain()?);
            }
        }
    }
    Ok(sets)
}

/// Instances of a read whose value comes from outside, or of a write whose value goes outside.
fn needing(
    site: &Site<'_>,
    class: &Class,
    reference: Reference,
    prefixes: &Prefixes,
) -> Result<Option<Set>> {
    let mut found: Option<Set> = None;
    let mut add = |set: Set| -> Result<()> {
        found = Some(match found.take() {
            Some(others) => others.union(&set)?,
            None => set,
        });
        Ok(())
    };
    let id = reference.statement;
    let member = |other: Reference| class.references.contains(&other);
    match reference.operand {
        Some(position) => {
            let operand = site.operand(id, position);
            if let Some(input) = &operand.input {
                add(input.clone())?;
            }
            for (producer, flow) in &operand.producers {
                let write = Reference {
                    statement: *producer,
                    operand: None,
                };
                let outside = match member(write) {
                    true => prefixes.crossing(site, write, reference, flow)?,
                    false => flow.clone(),
                };
                add(outside.range()?)?;
            }
        }
        None => {
            if let Some(live) = site.live(id) {
                add(live.clone())?;
            }
            for (reader, flow) in site.consumers(id) {
                let outside = match member(reader) {
                    true => prefixes.crossing(site, reference, reader, flow)?,
                    false => flow.clone(),
                };
                add(outside.domain()?)?;
            }
        }
    }
    Ok(found)
}

/// The subtrees of an order at one depth.
struct Prefixes {
    dims: Vec<Dim>,
    monotone: bool,
}

impl Prefixes {
    fn new(dims: &[Dim], monotone: bool) -> Prefixes {
        Prefixes {
            dims: dims.to_vec(),
            monotone,
        }
    }

    fn of(&self, site: &Site<'_>, reference: Reference) -> Result<Map> {
        site.prefix(reference.statement, &self.dims)
    }

    /// The pairs of a flow whose ends are in different subtrees: the second in a later one, or in any other with free sums.
    fn crossing(&self, site: &Site<'_>, from: Reference, to: Reference, flow: &Map) -> Result<Map> {
        if self.dims.is_empty() {
            return Ok(Map::empty(&flow.space()?)?);
        }
        let later = site.later(self.dims.len(), self.monotone)?;
        let source = self.of(site, from)?;
        let target = self.of(site, to)?;
        let apart = source
            .apply_range(&later)?
            .apply_range(&target.reverse()?)?;
        Ok(flow.intersect(&apart)?)
    }
}

/// The number of pairs (subtree, cell), and how the count ended: there are at most `instances`.
fn count(site: &Site<'_>, pairs: Option<&Set>, instances: u128) -> Result<(BigInt, End)> {
    let Some(pairs) = pairs else {
        return Ok((BigInt::default(), End::Exact));
    };
    let mut steps = site.steps();
    let number = points(pairs, &mut steps)?;
    site.walked(steps);
    if let Some(number) = number {
        return Ok((number, End::Exact));
    }
    let end = match steps {
        0 => End::Short,
        _ => End::Hard,
    };
    let mut steps = site.steps();
    let around = points_around(pairs, &mut steps)?;
    site.walked(steps);
    let instances = BigInt::from(instances);
    let most = around.map_or(instances.clone(), |around| around.min(instances));
    Ok((most, end))
}
