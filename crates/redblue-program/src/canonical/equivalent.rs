//! Whether two canonical forms are the same computation, names aside.
//!
//! A search for a renaming: input arrays, output arrays, operations, the dimensions of each operation and
//! the operands of commutative values are matched one after the other, and every relation between matched
//! parts must agree exactly (as sets of pairs, not as text). Parts that differ in an invariant (arity, cells,
//! projections of the domain onto single dimensions) are never tried. Cells keep their subscripts: an array
//! stored transposed is another array.

mod transfer;
mod unify;

use redblue_poly::{Map, PwAff, Set};

use self::unify::operand_matchings;
use super::{Canonical, Operation, Origin, Source};
use crate::error::Result;
use crate::expression::Expression;

/// Which parameter of one computation is which of the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParamMatch {
    /// Parameters of the same name.
    ByName,
    /// Parameters at the same position.
    ByPosition,
    /// Some one-to-one correspondence; all are tried.
    Any,
}

/// Whether two computations are the same up to the names and order of their parts.
pub fn equivalent(a: &Canonical, b: &Canonical, params: ParamMatch) -> Result<bool> {
    if a.params.len() != b.params.len()
        || a.operations.len() != b.operations.len()
        || a.inputs.len() != b.inputs.len()
        || a.outputs.len() != b.outputs.len()
    {
        return Ok(false);
    }
    for names in transfer::namings(a, b, params) {
        let b = transfer::into_context_of(a, b, &names)?;
        if a.context.is_equal(&b.context)?
            && (a.to_string() == b.to_string() || Search::new(a, &b).arrays(0)?)
        {
            return Ok(true);
        }
    }
    Ok(false)
}

/// A partial matching of the parts of `a` with those of `b`.
struct Search<'c> {
    a: &'c Canonical,
    b: &'c Canonical,
    inputs: Vec<usize>,
    outputs: Vec<usize>,
    operations: Vec<Option<Matched>>,
}

/// An operation of `b` with the dimensions and operands that correspond.
#[derive(Clone)]
struct Matched {
    to: usize,
    /// Instance of the operation of `a` → instance of that of `b`.
    renaming: Map,
    /// For every operand of `a`, the operand of `b`.
    operands: Vec<usize>,
}

impl<'c> Search<'c> {
    fn new(a: &'c Canonical, b: &'c Canonical) -> Search<'c> {
        let operations = vec![None; a.operations.len()];
        Search {
            a,
            b,
            inputs: Vec::new(),
            outputs: Vec::new(),
            operations,
        }
    }

    /// Matches the arrays from `at` on (inputs, then outputs), then the operations.
    fn arrays(&mut self, at: usize) -> Result<bool> {
        let inputs = self.a.inputs.len();
        if at == inputs + self.a.outputs.len() {
            return self.operations_from(self.a.operations.len());
        }
        if let Some(input) = self.a.inputs.get(at) {
            for (to, other) in self.b.inputs.iter().enumerate() {
                if !self.inputs.contains(&to) && same_points(&input.cells, &other.cells)? {
                    self.inputs.push(to);
                    if self.arrays(at + 1)? {
                        return Ok(true);
                    }
                    self.inputs.pop();
                }
            }
            return Ok(false);
        }
        let output = &self.a.outputs[at - inputs];
        for (to, other) in self.b.outputs.iter().enumerate() {
            if !self.outputs.contains(&to) && output.sources.len() == other.sources.len() {
                self.outputs.push(to);
                if self.arrays(at + 1)? {
                    return Ok(true);
                }
                self.outputs.pop();
            }
        }
        Ok(false)
    }

    /// Matches the first `rest` operations, the last of them first: it is nearest to the outputs.
    fn operations_from(&mut self, rest: usize) -> Result<bool> {
        let Some(at) = rest.checked_sub(1) else {
            return self.agrees();
        };
        for to in 0..self.b.operations.len() {
            let taken = self
                .operations
                .iter()
                .flatten()
                .any(|matched| matched.to == to);
            if taken || !alike(&self.a.operations[at], &self.b.operations[to]) {
                continue;
            }
            for matched in self.candidates(at, to)? {
                self.operations[at] = Some(matched);
                if self.agrees()? && self.operations_from(at)? {
                    return Ok(true);
                }
                self.operations[at] = None;
            }
        }
        Ok(false)
    }

    /// All ways to identify the dimensions and operands of two operations.
    fn candidates(&self, at: usize, to: usize) -> Result<Vec<Matched>> {
        let (a, b) = (&self.a.operations[at], &self.b.operations[to]);
        let mut found = Vec::new();
        for dims in dim_matchings(&a.domain, &b.domain)? {
            let renaming = renaming(&a.domain, &dims, &b.name)?;
            if !a.domain.apply(&renaming)?.is_equal(&b.domain)? {
                continue;
            }
            let value = a.value.map_leaves(&mut |leaf| match leaf {
                Expression::Iterator(dim) => {
                    Expression::Iterator(dims.iter().position(|d| d == dim).unwrap_or(*dim))
                }
                other => other.clone(),
            });
            for operands in operand_matchings(&value, &b.value, a.operands.len()) {
                found.push(Matched {
                    to,
                    renaming: renaming.clone(),
                    operands,
                });
            }
        }
        Ok(found)
    }

    /// Whether all relations between parts matched so far agree.
    fn agrees(&self) -> Result<bool> {
        for (operation, matched) in self.a.operations.iter().zip(&self.operations) {
            let Some(matched) = matched else { continue };
            let other = &self.b.operations[matched.to];
            for (operand, &position) in operation.operands.iter().zip(&matched.operands) {
                let to = &other.operands[position].sources;
                let reader = |map: &Map| Ok(map.apply_range(&matched.renaming)?);
                if !self.sources_agree(&operand.sources, to, &reader)? {
                    return Ok(false);
                }
            }
        }
        for (output, &to) in self.a.outputs.iter().zip(&self.outputs) {
            let other = &self.b.outputs[to];
            let reader = |map: &Map| Ok(map.set_out_tuple(&other.name)?);
            if !self.sources_agree(&output.sources, &other.sources, &reader)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether each source of `a` that has a counterpart has the same relation in `b`.
    fn sources_agree(
        &self,
        a: &[Source],
        b: &[Source],
        reader: &dyn Fn(&Map) -> Result<Map>,
    ) -> Result<bool> {
        if a.len() != b.len() {
            return Ok(false);
        }
        for source in a {
            let (origin, relation) = match &source.origin {
                Origin::Operation(at) => match &self.operations[*at] {
                    Some(matched) => (
                        Origin::Operation(matched.to),
                        source.relation.apply_domain(&matched.renaming)?,
                    ),
                    None => continue,
                },
                Origin::Input(at) => {
                    let to = self.inputs[*at];
                    let relation = source.relation.set_in_tuple(&self.b.inputs[to].name)?;
                    (Origin::Input(to), relation)
                }
                other => (other.clone(), source.relation.clone()),
            };
            let relation = reader(&relation)?;
            let mut found = false;
            for other in b.iter().filter(|other| other.origin == origin) {
                // Undefined cells have no identity: only who reads them counts.
                found |= match origin {
                    Origin::Undefined => relation.range()?.is_equal(&other.relation.range()?)?,
                    _ => {
                        relation.n_in() == other.relation.n_in()
                            && relation.is_equal(&other.relation)?
                    }
                };
            }
            if !found {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// Whether two operations agree in everything that needs no matching.
fn alike(a: &Operation, b: &Operation) -> bool {
    let sources = |operation: &Operation| {
        let mut counts: Vec<usize> = operation.operands.iter().map(|o| o.sources.len()).collect();
        counts.sort_unstable();
        counts
    };
    a.domain.n_dim() == b.domain.n_dim() && a.element == b.element && sources(a) == sources(b)
}

/// Whether two sets have the same points, whatever their tuple names.
fn same_points(a: &Set, b: &Set) -> Result<bool> {
    Ok(a.n_dim() == b.n_dim() && a.drop_tuple_name()?.is_equal(&b.drop_tuple_name()?)?)
}

/// The map that sends a point to its coordinates `dims`, in this order.
fn renaming(domain: &Set, dims: &[usize], name: &str) -> Result<Map> {
    let space = domain.space()?;
    let coordinates = dims.iter().map(|&dim| PwAff::dim(&space, dim));
    let coordinates = coordinates.collect::<std::result::Result<Vec<_>, _>>()?;
    Ok(Map::from_pw_affs(&space, name, &coordinates)?)
}

/// All orders of the dimensions of `a` in which each has the range of its counterpart in `b`.
fn dim_matchings(a: &Set, b: &Set) -> Result<Vec<Vec<usize>>> {
    let ranges = |set: &Set| -> Result<Vec<Set>> {
        let n = set.n_dim();
        let plain = set.drop_tuple_name()?;
        let range = |dim| {
            Ok(plain
                .project_out(dim + 1, n - dim - 1)?
                .project_out(0, dim)?)
        };
        (0..n).map(range).collect()
    };
    let (ranges_a, ranges_b) = (ranges(a)?, ranges(b)?);
    let mut orders = vec![Vec::new()];
    for range in &ranges_b {
        let mut longer = Vec::new();
        for (dim, other) in ranges_a.iter().enumerate() {
            if other.is_equal(range)? {
                let free = orders
                    .iter()
                    .filter(|order: &&Vec<usize>| !order.contains(&dim));
                longer.extend(free.map(|order| [order.as_slice(), &[dim]].concat()));
            }
        }
        orders = longer;
    }
    Ok(orders)
}
