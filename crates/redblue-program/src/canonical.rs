//! The computation itself: a program modulo names, storage and spelling.
//!
//! ```text
//! Program, Dataflow ──► Canonical
//!    statements   collapse    copies pass their operand through, constants become literals
//!                 live        instances that reach no output disappear
//!                 reindex     tile counters and other determined dimensions disappear
//!                 join        loops over tiles and within them become one where a subscript tells both
//!                 order       dimensions, operands, operations get an order and names of their own
//!                 chain       sums and other reductions are marked
//! ```
//!
//! What is left is the graph of theory G-1 with symbolic sizes: operations as families of vertices, and for
//! every operand the exact relation from where its value comes. The six loop orders of a matrix product, its
//! tiled form, the one with a scalar accumulator and the einsum all have the same canonical form, so a bound
//! engine that works on it cannot depend on how the source was written.
//!
//! Collapsing can only lower the traffic an optimal schedule needs: a play on the program's own graph is
//! turned into one on the collapsed graph by playing on a value instead of its copies and by leaving out
//! moves on constants. A lower bound for the canonical form therefore holds for the program. Nothing is
//! approximated and no transitive closure is taken; where liveness cannot be proven, [`Operation::live`] is
//! smaller than [`Operation::domain`], and only the former may be counted.

mod chain;
mod collapse;
mod equivalent;
mod graph;
mod join;
mod live;
mod order;
mod reindex;
mod text;
mod value;

use redblue_poly::{Map, Set};

pub use self::equivalent::{ParamMatch, equivalent};
use crate::dataflow::{Dataflow, Operator};
use crate::error::Result;
use crate::expression::Expression;
use crate::program::{ArrayId, ElementType, Program, StatementId};

/// A computation with symbolic sizes.
#[derive(Clone, Debug)]
pub struct Canonical {
    /// Size parameters, in the program's order.
    pub params: Vec<String>,
    /// Sizes that are considered.
    pub context: Set,
    /// The operations, producers first where they are not mutually dependent.
    pub operations: Vec<Operation>,
    /// The arrays whose initial contents are used.
    pub inputs: Vec<Input>,
    /// The arrays whose final contents are results.
    pub outputs: Vec<Output>,
}

/// A family of values computed in the same way: one vertex per point of the domain.
#[derive(Clone, Debug)]
pub struct Operation {
    /// `op0`, `op1`, …: also the tuple name of the domain.
    pub name: String,
    /// The statement it stands for.
    pub statement: StatementId,
    /// Its instances, except those proven to reach no output.
    pub domain: Set,
    /// The instances proven to reach an output; equals `domain` unless liveness could not be decided.
    pub live: Set,
    /// Whether `live` and `domain` are the same set.
    pub live_is_exact: bool,
    /// Instance → instance of the statement; injective.
    pub instances: Map,
    /// What is computed; its leaves refer to `operands` by position.
    pub value: Expression,
    /// The distinct values it reads.
    pub operands: Vec<Operand>,
    /// The type of the values.
    pub element: ElementType,
    /// Whether and how it is a chain of an associative and commutative operator.
    pub reduction: Option<Chain>,
}

/// One operand: every instance of the operation is in the range of exactly one source.
#[derive(Clone, Debug)]
pub struct Operand {
    /// Where the values come from.
    pub sources: Vec<Source>,
}

/// A part of the values of an operand, or of the final cells of an output.
#[derive(Clone, Debug)]
pub struct Source {
    /// Who provides them.
    pub origin: Origin,
    /// Element of the origin (instance, cell, or indices of a constant) → reading instance or final cell.
    pub relation: Map,
}

/// Who provides a value.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Origin {
    /// An operation, by its position.
    Operation(usize),
    /// An input array, by its position.
    Input(usize),
    /// A value that depends on nothing but sizes and indices; `Iterator(d)` is dimension `d` of the relation's
    /// domain.
    Constant(Expression),
    /// A cell of a local array that nobody wrote: indeterminate, and free.
    Undefined,
}

/// A reduction of an operation over itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chain {
    /// The operator.
    pub operator: Operator,
    /// The operand that is the previous link.
    pub operand: usize,
    /// The dimensions the chain moves along.
    pub dims: Vec<usize>,
    /// No other operand reads a value of this operation.
    pub independent: bool,
    /// A value that has a next link is read by that link only, and is no output.
    pub private: bool,
}

/// An array whose initial contents are used.
#[derive(Clone, Debug)]
pub struct Input {
    /// `in0`, `in1`, …: also the tuple name of its cells.
    pub name: String,
    /// The array of the program.
    pub array: ArrayId,
    /// The cells that are used.
    pub cells: Set,
}

/// An array whose final contents are results.
#[derive(Clone, Debug)]
pub struct Output {
    /// `out0`, `out1`, …: also the tuple name of its cells.
    pub name: String,
    /// The array of the program.
    pub array: ArrayId,
    /// Where the final values come from; the ranges are disjoint.
    pub sources: Vec<Source>,
}

impl Canonical {
    /// The canonical form of a program whose flow is known.
    pub fn of(program: &Program, dataflow: &Dataflow) -> Result<Canonical> {
        Ok(Canonical::forms(program, dataflow)?.0)
    }

    /// The canonical form, and, if it has joined loops over tiles with others, the same with all loops as they are: where tiles have
    /// holes, or sums of their own, that can be the simpler one.
    pub fn forms(program: &Program, dataflow: &Dataflow) -> Result<(Canonical, Option<Canonical>)> {
        let mut graph = graph::of(program, dataflow)?;
        collapse::run(&mut graph)?;
        live::run(&mut graph)?;
        reindex::run(&mut graph)?;
        let mut joined = graph.clone();
        match join::run(&mut joined)? {
            true => Ok((joined.ordered()?, Some(graph.ordered()?))),
            false => Ok((graph.ordered()?, None)),
        }
    }

    fn ordered(self) -> Result<Canonical> {
        let mut graph = order::run(self)?;
        chain::run(&mut graph)?;
        Ok(graph)
    }

    /// Whether liveness was decided for every instance.
    pub fn live_is_exact(&self) -> bool {
        self.operations
            .iter()
            .all(|operation| operation.live_is_exact)
    }
}

impl Operand {
    /// The relation from one operation, if it provides any of the values.
    pub fn from_operation(&self, operation: usize) -> Option<&Map> {
        self.from(&Origin::Operation(operation))
    }

    /// The relation from one origin, if it provides any of the values.
    pub fn from(&self, origin: &Origin) -> Option<&Map> {
        self.sources
            .iter()
            .find(|source| source.origin == *origin)
            .map(|source| &source.relation)
    }

    /// The instances for which the value is a constant, for example those where a sum starts from zero.
    pub fn constants(&self) -> impl Iterator<Item = (&Expression, &Map)> {
        self.sources
            .iter()
            .filter_map(|source| match &source.origin {
                Origin::Constant(value) => Some((value, &source.relation)),
                _ => None,
            })
    }
}
