//! A program at fixed sizes, ready for counting: domains, cells and flow without parameters.
//!
//! [`Site::open`] keeps the parameters: the same sets for all sizes at once, for [`crate::formula`].

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

use num_bigint::BigInt;
use num_traits::ToPrimitive;
use redblue_poly::{Map, Set, Space};
use redblue_program::{ArrayId, Dataflow, Program, Sizes, StatementId};

use crate::error::Result;
use crate::order::{Dim, Row, loop_names};
use crate::residency::Known;
use crate::shape::rows;

/// An operand or the result of a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Reference {
    pub(crate) statement: StatementId,
    /// Position of the operand; `None` is the result.
    pub(crate) operand: Option<usize>,
}

/// A program at fixed sizes.
pub(crate) struct Site<'p> {
    pub(crate) program: &'p Program,
    /// Values of the parameters, in their order; none while they are open.
    pub(crate) values: Vec<i64>,
    /// Names of the parameters while they are open.
    names: Vec<String>,
    statements: Vec<At>,
    counts: RefCell<BTreeMap<(StatementId, Vec<Row>), u128>>,
    /// Whether some sums are free: then values may go to subtrees that were earlier.
    pub(crate) free: bool,
    /// What classes need and move, see [`crate::residency`].
    pub(crate) known: RefCell<Known>,
    prefixes: RefCell<BTreeMap<Prefixed, Map>>,
    subscripts: RefCell<BTreeMap<Reference, Option<Vec<Row>>>>,
    later: RefCell<BTreeMap<(usize, bool), Map>>,
    work: Cell<u64>,
    /// Steps that long walks may still take.
    long: Cell<u64>,
}

/// Steps that every walk may take.
const SHORT: u64 = 100_000;
/// Steps that a walk may take as long as all walks together have not taken too many.
const LONG: u64 = 2_000_000;
/// How many that is.
const LONGER: u64 = 12_000_000;

/// A statement with its functions of some dimensions and their tiles.
type Prefixed = (StatementId, Vec<(Option<Row>, Option<u64>)>);

struct At {
    domain: Set,
    size: u128,
    /// Least and greatest value of each loop.
    ranges: Vec<(i64, i64)>,
    write: Map,
    reads: Vec<Map>,
    operands: Vec<OperandAt>,
    /// Instances whose value is there at the end and must be stored.
    live: Option<Set>,
}

/// Where the values of an operand come from.
pub(crate) struct OperandAt {
    /// Producing statement with producer → consumer.
    pub(crate) producers: Vec<(StatementId, Map)>,
    /// Consumers of program inputs, and of what nobody has written.
    pub(crate) input: Option<Set>,
}

impl<'p> Site<'p> {
    /// Fixes the sizes of a program and of its flow.
    pub(crate) fn new(
        program: &'p Program,
        dataflow: &Dataflow,
        sizes: &Sizes,
        free: bool,
    ) -> Result<Site<'p>> {
        let values = program.size_values(sizes)?;
        let set = |set: &Set| Ok(program.set_at(set, &values)?);
        let map = |map: &Map| Ok(program.map_at(map, &values)?);
        let mut site = Site::with(program, dataflow, free, &set, &map)?;
        for at in &mut site.statements {
            at.size = to_u128(&at.domain.count_points()?);
            at.ranges = ranges(&at.domain)?;
        }
        site.values = values;
        Ok(site)
    }

    /// A program at all sizes of a set of parameters; there are no numbers of instances and no ranges then.
    pub(crate) fn open(
        program: &'p Program,
        dataflow: &Dataflow,
        scope: &Set,
        free: bool,
    ) -> Result<Site<'p>> {
        let set = |set: &Set| Ok(set.intersect_params(scope)?);
        let map = |map: &Map| Ok(map.intersect_params(scope)?);
        let mut site = Site::with(program, dataflow, free, &set, &map)?;
        site.names = program.params.iter().map(|p| p.name.clone()).collect();
        Ok(site)
    }

    /// A program with something done to all its sets and maps.
    fn with(
        program: &'p Program,
        dataflow: &Dataflow,
        free: bool,
        set: &dyn Fn(&Set) -> Result<Set>,
        map: &dyn Fn(&Map) -> Result<Map>,
    ) -> Result<Site<'p>> {
        let mut statements = Vec::new();
        for id in program.statement_ids() {
            let statement = program.statement(id);
            let domain = set(&statement.domain)?;
            let mut operands = Vec::new();
            for operand in dataflow.operands(id) {
                let producers = operand.producers.iter();
                let producers = producers.map(|(from, flow)| Ok((*from, map(flow)?)));
                let mut input: Option<Set> = None;
                // What nobody has written is loaded, too: a run knows no difference.
                for cells in operand.input.iter().chain(&operand.undefined) {
                    let consumers = map(cells)?.domain()?;
                    input = Some(match input {
                        Some(others) => others.union(&consumers)?,
                        None => consumers,
                    });
                }
                operands.push(OperandAt {
                    producers: producers.collect::<Result<_>>()?,
                    input,
                });
            }
            let mut live: Option<Set> = None;
            for output in &dataflow.outputs {
                for (writer, cells) in &output.writers {
                    if *writer == id {
                        let last = map(cells)?.domain()?;
                        live = Some(match live {
                            Some(others) => others.union(&last)?,
                            None => last,
                        });
                    }
                }
            }
            statements.push(At {
                size: 0,
                ranges: Vec::new(),
                write: map(&statement.write.map)?.intersect_domain(&domain)?,
                reads: statement
                    .reads
                    .iter()
                    .map(|read| Ok(map(&read.map)?.intersect_domain(&domain)?))
                    .collect::<Result<_>>()?,
                operands,
                live,
                domain,
            });
        }
        Ok(Site {
            program,
            values: Vec::new(),
            names: Vec::new(),
            free,
            statements,
            counts: RefCell::default(),
            known: RefCell::default(),
            prefixes: RefCell::default(),
            subscripts: RefCell::default(),
            later: RefCell::default(),
            work: Cell::default(),
            long: Cell::new(LONGER),
        })
    }

    /// Units of work spent so far, two microseconds each or so: the same for the same questions on every machine.
    pub(crate) fn work(&self) -> u64 {
        self.work.get()
    }

    /// How many steps a walk may take now.
    pub(crate) fn steps(&self) -> u64 {
        SHORT + self.long.get().min(LONG - SHORT)
    }

    /// Tells what a walk left of its steps.
    pub(crate) fn walked(&self, left: u64) {
        let taken = self.steps().saturating_sub(left);
        self.long
            .set(self.long.get().saturating_sub(taken.saturating_sub(SHORT)));
        self.spend(taken / 32);
    }

    /// Counts work.
    pub(crate) fn spend(&self, units: u64) {
        self.work.set(self.work.get().saturating_add(units));
    }

    /// Instances of a statement.
    pub(crate) fn domain(&self, id: StatementId) -> &Set {
        &self.statements[id.0].domain
    }

    /// How many instances a statement has.
    pub(crate) fn size(&self, id: StatementId) -> u128 {
        self.statements[id.0].size
    }

    /// Instance → cell.
    pub(crate) fn cells(&self, reference: Reference) -> &Map {
        let at = &self.statements[reference.statement.0];
        match reference.operand {
            Some(position) => &at.reads[position],
            None => &at.write,
        }
    }

    /// The subscripts of a reference, if they are affine.
    pub(crate) fn subscripts(&self, reference: Reference) -> Result<Option<Vec<Row>>> {
        if let Some(known) = self.subscripts.borrow().get(&reference) {
            return Ok(known.clone());
        }
        let found = rows(self.cells(reference))?;
        self.subscripts
            .borrow_mut()
            .insert(reference, found.clone());
        Ok(found)
    }

    /// The array of a reference.
    pub(crate) fn array(&self, reference: Reference) -> ArrayId {
        let statement = self.program.statement(reference.statement);
        match reference.operand {
            Some(position) => statement.reads[position].array,
            None => statement.write.array,
        }
    }

    /// Where an operand's values come from.
    pub(crate) fn operand(&self, id: StatementId, position: usize) -> &OperandAt {
        &self.statements[id.0].operands[position]
    }

    /// Operands that take values of this statement, with producer → consumer.
    pub(crate) fn consumers(&self, id: StatementId) -> Vec<(Reference, &Map)> {
        let mut found = Vec::new();
        for (reader, at) in self.statements.iter().enumerate() {
            for (position, operand) in at.operands.iter().enumerate() {
                for (producer, map) in &operand.producers {
                    if *producer == id {
                        let reference = Reference {
                            statement: StatementId(reader),
                            operand: Some(position),
                        };
                        found.push((reference, map));
                    }
                }
            }
        }
        found
    }

    /// Instances whose value must be in slow memory at the end.
    pub(crate) fn live(&self, id: StatementId) -> Option<&Set> {
        self.statements[id.0].live.as_ref()
    }

    /// How many values a function takes on a statement's instances, at least, and the least one.
    pub(crate) fn range(&self, id: StatementId, row: &Row) -> (i64, i64) {
        let constant = row.constant + crate::order::dot(&row.params, &self.values);
        let mut range = (constant, constant);
        for (coefficient, (low, high)) in row.dims.iter().zip(&self.statements[id.0].ranges) {
            let ends = (coefficient * low, coefficient * high);
            range.0 += ends.0.min(ends.1);
            range.1 += ends.0.max(ends.1);
        }
        range
    }

    /// How many different values these functions take together on a statement's instances.
    pub(crate) fn images(&self, id: StatementId, rows: &[&Row]) -> Result<u128> {
        let at = &self.statements[id.0];
        let mut independent: Vec<Row> = Vec::new();
        for row in rows {
            let known: Vec<&[i64]> = independent.iter().map(|r| r.dims.as_slice()).collect();
            if !crate::linear::spans(&known, &row.dims) {
                independent.push((*row).clone());
            }
        }
        if independent.len() == at.ranges.len() {
            return Ok(at.size);
        }
        if at.size == 0 {
            return Ok(0);
        }
        let full: u128 = at.ranges.iter().map(|(l, h)| (h - l + 1) as u128).product();
        if full == at.size || independent.len() <= 1 {
            let width = |row: &Row| {
                let (low, high) = self.range(id, row);
                (high - low + 1) as u128
            };
            return Ok(independent.iter().map(width).product());
        }
        independent.sort();
        let key = (id, independent);
        if let Some(known) = self.counts.borrow().get(&key) {
            return Ok(*known);
        }
        let image = self.map_to(id, &key.1)?.range()?;
        let count = match image.count_points() {
            Ok(count) => to_u128(&count),
            Err(_) => at.size,
        };
        self.counts.borrow_mut().insert(key, count);
        Ok(count)
    }

    /// The cells that all statements touch together, by array.
    pub(crate) fn cells_by_array(&self) -> Result<BTreeMap<ArrayId, Set>> {
        let mut arrays: BTreeMap<ArrayId, Set> = BTreeMap::new();
        for id in self.program.statement_ids() {
            let reads = 0..self.statements[id.0].reads.len();
            for operand in reads.map(Some).chain([None]) {
                let statement = id;
                let reference = Reference { statement, operand };
                let cells = self.cells(reference).range()?;
                let array = self.array(reference);
                let all = match arrays.remove(&array) {
                    Some(others) => others.union(&cells)?,
                    None => cells,
                };
                arrays.insert(array, all);
            }
        }
        Ok(arrays)
    }

    /// How many these are.
    pub(crate) fn cells_in_all(&self) -> Result<u128> {
        let mut total: u128 = 0;
        for cells in self.cells_by_array()?.values() {
            let count = match cells.count_points() {
                Ok(count) => to_u128(&count),
                Err(_) => u128::MAX,
            };
            total = total.saturating_add(count);
        }
        Ok(total)
    }

    fn map_to(&self, id: StatementId, rows: &[Row]) -> Result<Map> {
        let statement = self.program.statement(id);
        let loops = loop_names("i", statement.iterators.len());
        let texts: Vec<String> = rows.iter().map(|row| self.concrete(row, &loops)).collect();
        let text = format!(
            "[{}] -> {{ {}[{}] -> [{}] }}",
            self.names.join(", "),
            statement.name,
            loops.join(", "),
            texts.join(", ")
        );
        let map = Map::parse(self.program.context.context(), &text)?;
        Ok(map.intersect_domain(self.domain(id))?)
    }

    /// Instance → the first dimensions of its time, without floors: each tile number is a coordinate.
    pub(crate) fn prefix(&self, id: StatementId, dims: &[Dim]) -> Result<Map> {
        let places = dims
            .iter()
            .map(|dim| (dim.family.row(id).cloned(), dim.tile));
        let key = (id, places.collect());
        if let Some(known) = self.prefixes.borrow().get(&key) {
            return Ok(known.clone());
        }
        let statement = self.program.statement(id);
        let loops = loop_names("i", statement.iterators.len());
        let numbers = loop_names("p", dims.len());
        let mut conditions = Vec::new();
        for (dim, number) in dims.iter().zip(&numbers) {
            let value = match dim.family.row(id) {
                Some(row) => self.concrete(row, &loops),
                None => "0".to_owned(),
            };
            conditions.push(match dim.tile {
                Some(side) => format!("{side}{number} <= {value} < {side}{number} + {side}"),
                None => format!("{number} = {value}"),
            });
        }
        let text = format!(
            "[{}] -> {{ {}[{}] -> [{}] : {} }}",
            self.names.join(", "),
            statement.name,
            loops.join(", "),
            numbers.join(", "),
            conditions.join(" and ")
        );
        let map = Map::parse(self.program.context.context(), &text)?;
        let prefix = map.intersect_domain(self.domain(id))?;
        self.prefixes.borrow_mut().insert(key, prefix.clone());
        Ok(prefix)
    }

    /// From a subtree, given by so many dimensions, to all others that values may go to: later ones, which are larger in
    /// every dimension that differs if all are `monotone`, or any with free sums.
    pub(crate) fn later(&self, dims: usize, monotone: bool) -> Result<Map> {
        if let Some(known) = self.later.borrow().get(&(dims, monotone)) {
            return Ok(known.clone());
        }
        let context = self.program.context.context();
        let [from, to] = ["p", "q"].map(|prefix| loop_names(prefix, dims));
        let order = Space::set::<&str, String>(context, &[], "", &from)?;
        let later = if self.free {
            Map::lex_lt(&order)?.union(&Map::lex_gt(&order)?)?
        } else if monotone {
            // So "different" is one inequality.
            let text = format!(
                "{{ [{}] -> [{}] : {} < {} }}",
                from.join(", "),
                to.join(", "),
                from.join(" + "),
                to.join(" + ")
            );
            Map::parse(context, &text)?
        } else {
            Map::lex_lt(&order)?
        };
        let mut known = self.later.borrow_mut();
        Ok(known.entry((dims, monotone)).or_insert(later).clone())
    }

    /// A function at these sizes in isl notation.
    fn concrete(&self, row: &Row, loops: &[String]) -> String {
        if !self.names.is_empty() {
            return row.text(loops, &self.names);
        }
        let constant = row.constant + crate::order::dot(&row.params, &self.values);
        let fixed = Row {
            dims: row.dims.clone(),
            params: Vec::new(),
            constant,
        };
        fixed.text(loops, &[])
    }
}

/// Least and greatest value of each coordinate.
pub(crate) fn ranges(domain: &Set) -> Result<Vec<(i64, i64)>> {
    let mut ranges = Vec::new();
    let empty = domain.is_empty()?;
    for at in 0..domain.n_dim() {
        let end = |function: redblue_poly::PwAff| -> Result<i64> {
            let value = function.as_constant()?;
            Ok(value.and_then(|v| v.to_i64()).unwrap_or(0))
        };
        ranges.push(match empty {
            true => (0, -1),
            false => (end(domain.dim_min(at)?)?, end(domain.dim_max(at)?)?),
        });
    }
    Ok(ranges)
}

/// A count as a machine number; counts this large do not occur.
pub(crate) fn to_u128(count: &BigInt) -> u128 {
    count.to_u128().unwrap_or(0)
}
