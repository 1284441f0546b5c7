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

mod kinds;
mod statement;

use std::collections::{BTreeMap, BTreeSet};

use redblue_poly::Set;
use redblue_program::{Array, Program};

use crate::dependence::Dependences;
use crate::error::Result;
use crate::order::{Dim, Family, Row};
use crate::plan::Plan;
use crate::shape::Shape;
use kinds::{Kind, Node, kinds, range, unit};
use statement::{Flattened, Place, places};

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
        if groups.iter().any(|group| !is_numbered(group)) {
            return Ok(None);
        }
        let mut flat = Program {
            context: fixed(program, values)?,
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

impl Flat {
    /// A family in the old loops.
    pub(crate) fn back(&self, program: &Program, family: &Family) -> Family {
        let rows = family.rows.iter().enumerate().map(|(id, row)| {
            let row = row.as_ref()?;
            let mut old = Row::zero(program.statements[id].iterators.len(), program.params.len());
            old.constant = row.constant;
            old.params.clone_from(&row.params);
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
        // At other sizes the parts of a joint function need not be forward on their own.
        plan.monotone = 0;
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
            if row.params.iter().any(|c| *c != 0) {
                return None;
            }
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

/// Whether the number of a joint loop, and what is added to start it at zero, are far from overflow.
fn is_numbered(group: &[Kind]) -> bool {
    let mut most: i128 = 1;
    for Kind { range, .. } in group {
        let (low, high) = (i128::from(range.0), i128::from(range.1));
        most = most.saturating_mul((high - low + 1).max(low.abs()).max(high.abs()).max(1));
    }
    most < 1 << 60
}

/// The sizes of a program, as a set.
fn fixed(program: &Program, values: &[i64]) -> Result<Set> {
    let names: Vec<&str> = program.params.iter().map(|p| p.name.as_str()).collect();
    let equal = names.iter().zip(values);
    let equal: Vec<String> = equal
        .map(|(name, value)| format!("{name} = {value}"))
        .collect();
    let text = format!("[{}] -> {{ : {} }}", names.join(", "), equal.join(" and "));
    Ok(Set::parse(program.context.context(), &text)?)
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
        let dependences = Dependences::of(&program, &flow, &[]).unwrap();
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
        let dependences = Dependences::of(&program, &flow, &[]).unwrap();
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
