//! Loops that always go together, as one loop.
//!
//! ```text
//! for r, q, j, k:  s[r][q][j] += A[r][q][k] * C[k][j]     ──►   for x, j, k:  s[x][j] += A[x][k] * C[k][j]
//!                                                               x = 26r + q where q < 26
//! ```
//!
//! A subscript of an array and a loop belong to one *class* if the loop is that subscript somewhere. Classes that occur
//! in the same arrays and in the same statements, once in each, move the same cells together, so only the number of
//! their points in a tile matters (D-9.4): a run of consecutive values of their mixed-radix number is as good as any
//! other tile of that many points, and it can have any number of points. So the search sees one loop instead of
//! several, at fixed sizes, and the functions it finds are written in the old loops again: x/31 is (26r + q)/31.
//!
//! Why counts may be taken over: at the given sizes x numbers the pairs (r, q) one to one, both in instances and in
//! cells, and the program with one loop is in an order that all dependences allow. So it has the same flow, and
//! tiles, subtrees and cells of both correspond. That the order which comes back is legal for all sizes is proved anew.

use std::collections::{BTreeMap, BTreeSet};

use redblue_poly::{Map, Set};
use redblue_program::{Access, Array, Program, Statement, StatementId};

use crate::dependence::Dependences;
use crate::error::Result;
use crate::order::{Dim, Family, Row, loop_names};
use crate::plan::Plan;
use crate::shape::Shape;
use crate::site::ranges;

/// A loop of a statement, or a subscript of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Node {
    Loop(usize, usize),
    Subscript(usize, usize),
}

/// Loops and subscripts that have the same values.
#[derive(Clone, Debug, Default)]
struct Kind {
    nodes: BTreeSet<Node>,
    /// Least and greatest value, of all loops alike.
    range: (i64, i64),
}

/// Classes that become one, the slowest first.
#[derive(Clone, Debug)]
pub(crate) struct Groups {
    groups: Vec<Vec<Kind>>,
}

/// A program at fixed sizes with fewer loops.
pub(crate) struct Flat {
    pub(crate) program: Program,
    /// Per statement and new loop, its value as a function of the old ones.
    loops: Vec<Vec<Row>>,
}

impl Groups {
    /// The classes of a program that go together at these sizes; none if there are no such.
    pub(crate) fn of(program: &Program, shape: &Shape, values: &[i64]) -> Result<Option<Groups>> {
        let Some(kinds) = kinds(program, shape, values)? else {
            return Ok(None);
        };
        let mut groups: BTreeMap<Vec<(bool, usize)>, Vec<Kind>> = BTreeMap::new();
        for kind in kinds {
            let place = |node: &Node| match node {
                Node::Loop(statement, _) => (true, *statement),
                Node::Subscript(array, _) => (false, *array),
            };
            let places: Vec<(bool, usize)> = kind.nodes.iter().map(place).collect();
            let different: BTreeSet<(bool, usize)> = places.iter().copied().collect();
            let looped = places.iter().any(|(is_loop, _)| *is_loop);
            if looped && different.len() == places.len() {
                groups
                    .entry(different.into_iter().collect())
                    .or_default()
                    .push(kind);
            }
        }
        let mut groups: Vec<Vec<Kind>> = groups.into_values().filter(|g| g.len() > 1).collect();
        // In the order of the loops around the first statement that has them.
        for group in &mut groups {
            group.sort_by(|a, b| a.nodes.cmp(&b.nodes));
        }
        Ok((!groups.is_empty()).then_some(Groups { groups }))
    }

    /// Only those groups along whose number no dependence goes back, whatever the sizes: it may be tiled.
    pub(crate) fn forward(
        &self,
        program: &Program,
        shape: &Shape,
        values: &[i64],
        dependences: &Dependences,
    ) -> Result<Option<Groups>> {
        let mut groups = Vec::new();
        for group in &self.groups {
            let alone = Groups {
                groups: vec![group.clone()],
            };
            let Some(flat) = alone.flat(program, shape, values)? else {
                continue;
            };
            let rows = flat.loops.iter().map(|loops| {
                let joint = loops.iter();
                let mut joint =
                    joint.filter(|row| row.dims.iter().filter(|c| **c != 0).count() > 1);
                joint.next().cloned()
            });
            let number = Family {
                name: String::new(),
                rows: rows.collect(),
            };
            if dependences.forward(program, &number, &[])? {
                groups.push(group.clone());
            }
        }
        let fewer = !groups.is_empty() && groups.len() < self.groups.len();
        Ok(fewer.then_some(Groups { groups }))
    }

    /// The program with these classes as one, at sizes for which they were found or at others.
    pub(crate) fn flat(
        &self,
        program: &Program,
        shape: &Shape,
        values: &[i64],
    ) -> Result<Option<Flat>> {
        let mut groups = self.groups.clone();
        for kind in groups.iter_mut().flatten() {
            let Some(range) = range(program, kind, values)? else {
                return Ok(None);
            };
            kind.range = range;
        }
        let context = program.context.context();
        let mut flat = Program {
            params: Vec::new(),
            context: Set::parse(context, "{ : }")?,
            assumptions: Vec::new(),
            statements: Vec::new(),
            arrays: Vec::new(),
            ..program.clone()
        };
        let renamed: Vec<Vec<Place>> = (0..program.arrays.len())
            .map(|at| {
                let node = |dim| Node::Subscript(at, dim);
                places(&groups, program.arrays[at].extents.len(), node)
            })
            .collect();
        for (array, places) in program.arrays.iter().zip(&renamed) {
            flat.arrays.push(Array {
                extents: vec![None; places.len()],
                ..array.clone()
            });
        }
        let mut loops = Vec::new();
        for (id, statement) in program.statements.iter().enumerate() {
            let depth = statement.iterators.len();
            let places = places(&groups, depth, |at| Node::Loop(id, at));
            let Some(flattened) = Flattened::of(program, shape, id, &places, &renamed, values)?
            else {
                return Ok(None);
            };
            loops.push(flattened.loops.clone());
            flat.statements.push(flattened.statement);
        }
        Ok(Some(Flat {
            program: flat,
            loops,
        }))
    }
}

/// A new loop or subscript: old ones with factors, and what is added to start at zero.
#[derive(Clone, Debug)]
struct Place {
    parts: Vec<(usize, i64)>,
    shift: i64,
}

/// The new loops or subscripts of something that has `count` old ones; each stands where its first part stood.
fn places(groups: &[Vec<Kind>], count: usize, node: impl Fn(usize) -> Node) -> Vec<Place> {
    let mut places = Vec::new();
    let mut done = vec![false; count];
    for at in 0..count {
        if done[at] {
            continue;
        }
        let here = |kind: &&Kind, at: usize| kind.nodes.contains(&node(at));
        let group = groups
            .iter()
            .find(|group| group.iter().any(|kind| here(&kind, at)));
        let mut place = Place {
            parts: Vec::new(),
            shift: 0,
        };
        let mut factor = 1;
        for kind in group.into_iter().flatten().rev() {
            for other in (0..count).filter(|other| here(&kind, *other)) {
                place.parts.push((other, factor));
                place.shift -= factor * kind.range.0;
                done[other] = true;
            }
            factor *= kind.range.1 - kind.range.0 + 1;
        }
        if place.parts.is_empty() {
            place.parts.push((at, 1));
        }
        done[at] = true;
        places.push(place);
    }
    places
}

struct Flattened {
    statement: Statement,
    loops: Vec<Row>,
}

impl Flattened {
    fn of(
        program: &Program,
        shape: &Shape,
        id: usize,
        places: &[Place],
        arrays: &[Vec<Place>],
        values: &[i64],
    ) -> Result<Option<Flattened>> {
        let statement = &program.statements[id];
        let context = program.context.context();
        let depth = statement.iterators.len();
        let params = program.params.len();
        let mut loops = Vec::new();
        for place in places {
            let mut row = Row::zero(depth, params);
            row.constant = place.shift;
            for (at, factor) in &place.parts {
                row.dims[*at] = *factor;
            }
            loops.push(row);
        }
        let names = loop_names("i", places.len());
        let domain = program.set_at(&statement.domain, values)?;
        let joined = places.iter().any(|place| place.parts.len() > 1);
        let known = ranges(&domain)?;
        let domain = match joined {
            false => domain,
            true => {
                let mut conditions = Vec::new();
                for (place, name) in places.iter().zip(&names) {
                    let end = |pick: &dyn Fn(&(i64, i64)) -> i64| -> i64 {
                        let parts = place.parts.iter();
                        let sum: i64 = parts.map(|(at, f)| f * pick(&known[*at])).sum();
                        sum + place.shift
                    };
                    let (low, high) = (end(&|r| r.0), end(&|r| r.1));
                    conditions.push(format!("{low} <= {name} <= {high}"));
                }
                let text = format!(
                    "{{ {}[{}] : {} }}",
                    statement.name,
                    names.join(", "),
                    conditions.join(" and ")
                );
                Set::parse(context, &text)?
            }
        };
        let written = Written {
            name: &statement.name,
            names: &names,
            places,
            values,
        };
        let access = |access: &Access, rows: &Option<Vec<Row>>| -> Result<Option<Access>> {
            let target = &arrays[access.array.0];
            let map = if joined || target.iter().any(|place| place.parts.len() > 1) {
                let Some(rows) = rows else { return Ok(None) };
                let subscripts = target.iter().map(|place| written.joint(place, rows));
                let Some(subscripts) = subscripts.collect::<Option<Vec<String>>>() else {
                    return Ok(None);
                };
                let name = &program.array(access.array).name;
                written.map(context, name, &subscripts)?
            } else {
                program.map_at(&access.map, values)?
            };
            Ok(Some(Access {
                map,
                ..access.clone()
            }))
        };
        let Some(write) = access(&statement.write, &shape.writes[id])? else {
            return Ok(None);
        };
        let mut reads = Vec::new();
        for (read, rows) in statement.reads.iter().zip(&shape.reads[id]) {
            match access(read, rows)? {
                Some(read) => reads.push(read),
                None => return Ok(None),
            }
        }
        let schedule = if joined {
            let Some(times) = shape.times[id].as_ref().map(|rows| written.times(rows)) else {
                return Ok(None);
            };
            match times {
                Some(times) => written.map(context, "", &times)?,
                None => return Ok(None),
            }
        } else {
            program.map_at(&statement.schedule, values)?
        };
        let iterators = places.iter().map(|place| {
            let mut parts = place.parts.clone();
            parts.sort();
            let names: Vec<&str> = parts
                .iter()
                .map(|(at, _)| statement.iterators[*at].as_str())
                .collect();
            match &names[..] {
                [one] => (*one).to_owned(),
                _ => format!("({})", names.join(",")),
            }
        });
        let statement = Statement {
            iterators: iterators.collect(),
            domain,
            schedule,
            write,
            reads,
            ..statement.clone()
        };
        Ok(Some(Flattened { statement, loops }))
    }
}

/// Functions of the old loops written in the new ones.
struct Written<'w> {
    name: &'w str,
    names: &'w [String],
    places: &'w [Place],
    values: &'w [i64],
}

impl Written<'_> {
    /// One row, if it has every joint loop's parts in the right proportion.
    fn row(&self, row: &Row) -> Option<String> {
        let constant = row.constant + crate::order::dot(&row.params, self.values);
        let mut new = Row::zero(self.places.len(), 0);
        new.constant = constant;
        for (at, place) in self.places.iter().enumerate() {
            let (first, factor) = place.parts.first()?;
            let coefficient = row.dims[*first];
            let fits = |(at, f): &(usize, i64)| row.dims[*at] * factor == coefficient * f;
            if !place.parts.iter().all(fits) || coefficient % factor != 0 {
                return None;
            }
            new.dims[at] = coefficient / factor;
            new.constant -= new.dims[at] * place.shift;
        }
        Some(new.text(self.names, &[]))
    }

    /// A joint subscript.
    fn joint(&self, place: &Place, rows: &[Row]) -> Option<String> {
        let mut sum = Row::zero(rows.first()?.dims.len(), self.values.len());
        sum.constant = place.shift;
        for (at, factor) in &place.parts {
            let row = rows.get(*at)?;
            let add = |to: &mut [i64], from: &[i64]| {
                for (to, from) in to.iter_mut().zip(from) {
                    *to += factor * from;
                }
            };
            add(&mut sum.dims, &row.dims);
            add(&mut sum.params, &row.params);
            sum.constant += factor * row.constant;
        }
        self.row(&sum)
    }

    /// The times: a joint loop runs where its first part ran, the others are gone.
    fn times(&self, rows: &[Row]) -> Option<Vec<String>> {
        let mut seen = vec![false; self.places.len()];
        let mut times = Vec::new();
        for row in rows {
            let joint = self.places.iter().enumerate().find(|(_, place)| {
                place.parts.len() > 1 && place.parts.iter().any(|(at, _)| row.dims[*at] != 0)
            });
            match joint {
                None => times.push(self.row(row)?),
                Some((at, _)) if row.dims.iter().filter(|c| **c != 0).count() == 1 => {
                    let first = !std::mem::replace(&mut seen[at], true);
                    let text = if first { self.names[at].as_str() } else { "0" };
                    times.push(text.to_owned());
                }
                Some(_) => return None,
            }
        }
        Some(times)
    }

    fn map(&self, context: &redblue_poly::Context, tuple: &str, values: &[String]) -> Result<Map> {
        let text = format!(
            "{{ {}[{}] -> {tuple}[{}] }}",
            self.name,
            self.names.join(", "),
            values.join(", ")
        );
        Ok(Map::parse(context, &text)?)
    }
}

impl Flat {
    /// A family in the old loops.
    pub(crate) fn back(&self, program: &Program, family: &Family) -> Family {
        let rows = family.rows.iter().enumerate().map(|(id, row)| {
            let row = row.as_ref()?;
            let mut old = Row::zero(program.statements[id].iterators.len(), program.params.len());
            old.constant = row.constant;
            for (coefficient, part) in row.dims.iter().zip(&self.loops[id]) {
                for (to, from) in old.dims.iter_mut().zip(&part.dims) {
                    *to += coefficient * from;
                }
                old.constant += coefficient * part.constant;
            }
            Some(old)
        });
        Family {
            name: family.name.clone(),
            rows: rows.collect(),
        }
    }

    /// A plan in the old loops.
    pub(crate) fn plan_back(&self, program: &Program, plan: &Plan) -> Plan {
        let (dims, kept) = self.dims_back(program, &plan.component.dims);
        let mut plan = plan.clone();
        for (class, _) in &mut plan.classes {
            class.depth = kept.get(class.depth).copied().unwrap_or(dims.len() + 1);
        }
        plan.component.dims = dims;
        plan.original = false;
        plan
    }

    /// Dimensions in the old loops, and how many of them the first so many of the new ones are. A single joint function
    /// becomes its parts, the slowest first: they are equal together, and at these sizes in the same order.
    fn dims_back(&self, program: &Program, dims: &[Dim]) -> (Vec<Dim>, Vec<usize>) {
        let mut old: Vec<Dim> = Vec::new();
        let mut kept = vec![0];
        for dim in dims {
            match self.parts(program, dim) {
                Some(parts) => {
                    let single = |family| Dim { family, tile: None };
                    old.extend(parts.into_iter().map(single));
                }
                None => old.push(Dim {
                    family: self.back(program, &dim.family),
                    tile: dim.tile,
                }),
            }
            kept.push(old.len());
        }
        (old, kept)
    }

    /// The old loops of a single function that is one joint loop wherever it is not a number; numbers become digits.
    fn parts(&self, program: &Program, dim: &Dim) -> Option<Vec<Family>> {
        let mut families: Vec<Family> = Vec::new();
        let mut factors: Vec<i64> = Vec::new();
        let mut numbers: Vec<(usize, i64)> = Vec::new();
        for (id, row) in dim.family.rows.iter().enumerate() {
            let Some(row) = row.as_ref().filter(|_| dim.tile.is_none()) else {
                continue;
            };
            if row.dims.iter().all(|c| *c == 0) {
                numbers.push((id, row.constant));
                continue;
            }
            let at = (0..row.dims.len()).find(|at| unit(row, *at))?;
            let joint = &self.loops[id][at];
            let mut parts: Vec<usize> = (0..joint.dims.len())
                .filter(|at| joint.dims[*at] != 0)
                .collect();
            parts.sort_by_key(|at| -joint.dims[*at]);
            let theirs: Vec<i64> = parts.iter().map(|at| joint.dims[*at]).collect();
            let statement = &program.statements[id];
            if families.is_empty() {
                families.extend(parts.iter().map(|at| Family {
                    name: statement.iterators[*at].clone(),
                    rows: vec![None; program.statements.len()],
                }));
                factors.clone_from(&theirs);
            }
            if parts.len() < 2 || theirs != factors || joint.constant != 0 {
                return None;
            }
            for (family, at) in families.iter_mut().zip(parts) {
                let row = Row::unit(joint.dims.len(), program.params.len(), at);
                family.rows[id] = Some(row);
            }
        }
        for (id, mut number) in numbers {
            let depth = program.statements[id].iterators.len();
            for (family, factor) in families.iter_mut().zip(&factors) {
                let mut row = Row::zero(depth, program.params.len());
                row.constant = number.div_euclid(*factor);
                number = number.rem_euclid(*factor);
                family.rows[id] = Some(row);
            }
        }
        (!families.is_empty()).then_some(families)
    }

    /// Whether the order of the flat program is one that all dependences of the old one allow, for all sizes.
    pub(crate) fn is_legal(&self, program: &Program, dependences: &Dependences) -> Result<bool> {
        let shape = Shape::of(&self.program)?;
        let Some(length) = self.program.statements.first().map(|s| s.schedule.n_out()) else {
            return Ok(false);
        };
        let mut dims = Vec::new();
        for component in 0..length {
            let rows = shape.times.iter().map(|rows| {
                let rows = rows.as_ref()?;
                rows.get(component).cloned()
            });
            let rows: Vec<Option<Row>> = rows.collect();
            if rows.iter().any(Option::is_none) {
                return Ok(false);
            }
            dims.push(Dim {
                family: Family {
                    name: String::new(),
                    rows,
                },
                tile: None,
            });
        }
        legal(program, dependences, &self.dims_back(program, &dims).0)
    }
}

/// Whether dimensions followed by the program's own time turn no dependence around: each is forward where the single
/// functions before it are equal, so at the first difference the later instance is later.
pub(crate) fn legal(program: &Program, dependences: &Dependences, dims: &[Dim]) -> Result<bool> {
    let mut equal: Vec<&Family> = Vec::new();
    for dim in dims {
        if !dependences.forward(program, &dim.family, &equal)? {
            return Ok(false);
        }
        if dim.tile.is_none() {
            equal.push(&dim.family);
        }
    }
    Ok(true)
}

/// Classes of loops and subscripts that may be joined with others; nothing if no statement can be read that way.
fn kinds(program: &Program, shape: &Shape, values: &[i64]) -> Result<Option<Vec<Kind>>> {
    let mut kinds = Kinds::default();
    for (id, statement) in program.statements.iter().enumerate() {
        let depth = statement.iterators.len();
        for at in 0..depth {
            kinds.add(Node::Loop(id, at));
        }
        let domain = program.set_at(&statement.domain, values)?;
        let known = ranges(&domain)?;
        let sides = known.iter().map(|(low, high)| i128::from(high - low + 1));
        let volume: i128 = sides.product();
        let size = domain.count()?.evaluate(&BTreeMap::new())?;
        let boxed = size == volume.into();
        let counters = statement.value.iterators();
        for at in 0..depth {
            let single = shape.times[id].as_ref().is_some_and(|rows| {
                let uses = rows.iter().filter(|row| row.dims[at] != 0);
                uses.map(|row| unit(row, at)).collect::<Vec<_>>() == [true]
            });
            if !boxed || !single || counters.contains(&at) {
                kinds.spoil(Node::Loop(id, at));
            }
        }
        let reads = statement.reads.iter().zip(&shape.reads[id]);
        for (access, rows) in reads.chain([(&statement.write, &shape.writes[id])]) {
            let array = access.array.0;
            for dim in 0..program.arrays[array].extents.len() {
                let node = Node::Subscript(array, dim);
                kinds.add(node);
                let Some(row) = rows.as_ref().and_then(|rows| rows.get(dim)) else {
                    kinds.spoil(node);
                    (0..depth).for_each(|at| kinds.spoil(Node::Loop(id, at)));
                    continue;
                };
                let used: Vec<usize> = (0..depth).filter(|at| row.dims[*at] != 0).collect();
                match &used[..] {
                    [] => kinds
                        .constants
                        .push((node, row.at(&vec![0; depth], values))),
                    [one] if unit(row, *one) => kinds.unite(Node::Loop(id, *one), node),
                    _ => {
                        kinds.spoil(node);
                        used.iter().for_each(|at| kinds.spoil(Node::Loop(id, *at)));
                    }
                }
            }
        }
    }
    let mut found = Vec::new();
    for (nodes, spoiled) in &kinds.classes {
        let mut kind = Kind {
            nodes: nodes.clone(),
            range: (0, -1),
        };
        let Some(range) = range(program, &kind, values)? else {
            continue;
        };
        kind.range = range;
        let inside = |(node, value): &(Node, i64)| {
            !nodes.contains(node) || (range.0 <= *value && *value <= range.1)
        };
        if !spoiled && kinds.constants.iter().all(inside) {
            found.push(kind);
        }
    }
    Ok((!found.is_empty()).then_some(found))
}

/// Whether a function is a loop's counter.
fn unit(row: &Row, at: usize) -> bool {
    row.dims[at] == 1
        && row.constant == 0
        && row.params.iter().all(|c| *c == 0)
        && row.dims.iter().filter(|c| **c != 0).count() == 1
}

/// The values that all loops of a class have alike.
fn range(program: &Program, kind: &Kind, values: &[i64]) -> Result<Option<(i64, i64)>> {
    let mut common = None;
    for node in &kind.nodes {
        let Node::Loop(id, at) = node else { continue };
        let domain = program.set_at(&program.statement(StatementId(*id)).domain, values)?;
        let range = ranges(&domain)?[*at];
        if range.0 > range.1 || common.is_some_and(|known| known != range) {
            return Ok(None);
        }
        common = Some(range);
    }
    Ok(common)
}

#[derive(Default)]
struct Kinds {
    /// Nodes, and whether something forbids to join them with others.
    classes: Vec<(BTreeSet<Node>, bool)>,
    /// Subscripts that are a number somewhere.
    constants: Vec<(Node, i64)>,
}

impl Kinds {
    fn find(&mut self, node: Node) -> usize {
        let known = self
            .classes
            .iter()
            .position(|(nodes, _)| nodes.contains(&node));
        known.unwrap_or_else(|| {
            self.classes.push((BTreeSet::from([node]), false));
            self.classes.len() - 1
        })
    }

    fn add(&mut self, node: Node) {
        self.find(node);
    }

    fn spoil(&mut self, node: Node) {
        let at = self.find(node);
        self.classes[at].1 = true;
    }

    fn unite(&mut self, one: Node, other: Node) {
        let (one, other) = (self.find(one), self.find(other));
        if one != other {
            let (nodes, spoiled) = self.classes.remove(one.max(other));
            let target = &mut self.classes[one.min(other)];
            target.0.extend(nodes);
            target.1 |= spoiled;
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use redblue_program::catalogue;
    use redblue_program::dataflow::Dataflow;

    fn loops(name: &str, sizes: &[i64]) -> Option<Vec<String>> {
        let entry = catalogue::find(name).unwrap();
        let program = entry.read(&Default::default()).program.unwrap();
        let shape = Shape::of(&program).unwrap();
        let groups = Groups::of(&program, &shape, sizes).unwrap()?;
        let flat = groups.flat(&program, &shape, sizes).unwrap()?;
        flat.program.validate().unwrap();
        let flow = Dataflow::of(&program).unwrap();
        let dependences = Dependences::of(&program, &flow).unwrap();
        assert!(flat.is_legal(&program, &dependences).unwrap());
        Some(flat.program.statements.last()?.iterators.clone())
    }

    #[test]
    fn indices_of_the_same_arrays_are_one() {
        let found = loops("abcdef-dega-gfbc", &[2, 3, 4, 5, 6, 7, 8]);
        assert_eq!(found.unwrap(), ["(a_,d_,e_)", "(b_,c_,f_)", "g_"]);
        let found = loops("abc-adec-ebd", &[2, 3, 4, 5, 6]);
        assert_eq!(found.unwrap(), ["(a_,c_)", "b_", "(d_,e_)"]);
    }

    #[test]
    fn others_stay() {
        assert_eq!(loops("gemm", &[5, 6, 7]), None);
        assert_eq!(loops("jacobi-2d", &[5, 6]), None);
        assert_eq!(loops("lu", &[5]), None);
    }

    /// The number of a pair has a fixed radix. Sums keep their order: with a longer inner loop, numbers overlap and a
    /// tile of them would take terms in another order, so such numbers must be refused for tiles.
    #[test]
    fn numbers_of_sums_are_not_tiled() {
        let entry = catalogue::find("ab-cad-dcb").unwrap();
        let program = entry.read(&Default::default()).program.unwrap();
        let shape = Shape::of(&program).unwrap();
        let sizes = [3, 4, 5, 6];
        let groups = Groups::of(&program, &shape, &sizes).unwrap().unwrap();
        let flat = groups.flat(&program, &shape, &sizes).unwrap().unwrap();
        let flow = Dataflow::of(&program).unwrap();
        let dependences = Dependences::of(&program, &flow).unwrap();
        let statement = flat.program.statements.last().unwrap();
        let at = statement.iterators.len() - 1;
        let mut rows = vec![None; flat.program.statements.len()];
        *rows.last_mut().unwrap() = Some(Row::unit(at + 1, 0, at));
        let family = flat.back(
            &program,
            &Family {
                name: String::new(),
                rows,
            },
        );
        let tile = Dim {
            family,
            tile: Some(4),
        };
        assert!(!legal(&program, &dependences, &[tile]).unwrap());
        let none = groups.forward(&program, &shape, &sizes, &dependences);
        assert!(none.unwrap().is_none());
    }
}
