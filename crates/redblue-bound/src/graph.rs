//! The graph of a program as the methods see it: nodes are families of values, arrows lead to what they need.
//!
//! ```text
//! Program ── Dataflow ──► dependences, edges over copies   (what a certificate may refer to)
//!         ── Canonical ─► coordinates in which spellings coincide
//!                      ╰► Graph: nodes, inputs, arrows with affine pieces
//! ```
//!
//! A [`Node`] is a canonical operation that computes something (G-1). An [`Arrow`] steps from a reading instance
//! to the value it needs, over any number of copies, in canonical coordinates; the certificate's [`Edge`] that
//! justifies it comes along. Constants, what is computed from them
//! alone, and cells that nobody wrote are free and have no arrow.
//!
//! Nothing here looks at a name: names only travel to the certificate.

mod absorb;
mod edges;
mod frames;
mod live;
mod piece;
mod varying;

use std::cell::RefCell;
use std::collections::BTreeMap;

use redblue_cert::certificate::{Dependence, Edge, LiveSet};
use redblue_poly::{Count, Map, PwAff, Set};
use redblue_program::{ArrayId, Canonical, Dataflow, Program, StatementId};

pub use self::absorb::Private;
pub use self::piece::Piece;
use crate::error::Result;
use crate::seeds::Walks;

/// From this size on nothing is degenerate.
const LARGE: i64 = 8;

/// A program's graph with symbolic sizes.
#[derive(Clone, Debug)]
pub struct Graph {
    /// Size parameters, in the program's order.
    pub params: Vec<String>,
    /// Sizes that are considered.
    pub context: Set,
    /// Those of them at which nothing is degenerate: every size is at least 8.
    pub large: Set,
    /// The operations.
    pub nodes: Vec<Node>,
    /// The arrays whose initial contents are used.
    pub inputs: Vec<Input>,
    /// From every reading instance to what it reads.
    pub arrows: Vec<Arrow>,
    dependences: Vec<Dependence>,
    live: Vec<LiveSet>,
    counted: RefCell<BTreeMap<String, Count>>,
    /// Ways from a node to some nodes, see [`crate::seeds`].
    pub(crate) walks: RefCell<Walks>,
}

/// A family of values computed in the same way.
#[derive(Clone, Debug)]
pub struct Node {
    /// Tuple name of the canonical coordinates.
    pub name: String,
    /// The statement it stands for.
    pub statement: StatementId,
    /// Name of the statement.
    pub statement_name: String,
    /// The instances.
    pub domain: Set,
    /// The instances proven to reach a result: only they may be targets.
    pub live: Set,
    /// The instances whose value is the final content of an output cell, possibly through copies.
    pub results: Set,
    /// Canonical instance → statement instance; injective.
    pub instances: Map,
}

/// An array whose initial contents are used.
#[derive(Clone, Debug)]
pub struct Input {
    /// Its name, and the tuple name of its cells.
    pub name: String,
    /// The array.
    pub array: ArrayId,
    /// The cells that are used.
    pub cells: Set,
    /// Cell → cell of the array; injective.
    pub places: Map,
}

/// What an arrow leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Source {
    /// A node, by its position.
    Node(usize),
    /// An input, by its position.
    Input(usize),
}

/// One operand of a node, as far as it comes from one source in one way.
#[derive(Clone, Debug)]
pub struct Arrow {
    /// The reading node.
    pub reader: usize,
    /// Which operand of the reader it belongs to; operands are numbered by what they read.
    pub operand: usize,
    /// Where the value comes from.
    pub source: Source,
    /// Reading instance → instance of the source or cell of the input; single-valued.
    pub relation: Map,
    /// The relation as affine functions on disjoint domains.
    pub pieces: Vec<Piece>,
    /// The dependences that justify it.
    pub edge: Edge,
    /// Whether the operand is the running value of an associative and commutative reduction.
    pub accumulates: bool,
    /// The private values it leads over, from the reader on; the last edge is `edge`.
    pub through: Vec<Private>,
}

impl Graph {
    /// The graph of a program.
    pub fn of(program: &Program) -> Result<Graph> {
        let dataflow = Dataflow::of(program)?;
        let canonical = Canonical::of(program, &dataflow)?;
        Graph::from_parts(program, &dataflow, &canonical)
    }

    /// The graphs of all forms of a program, see [`Canonical::forms`].
    pub fn forms(program: &Program) -> Result<(Graph, Option<Graph>)> {
        let dataflow = Dataflow::of(program)?;
        let (canonical, by_tiles) = Canonical::forms(program, &dataflow)?;
        let graph = |canonical: &Canonical| Graph::from_parts(program, &dataflow, canonical);
        let by_tiles = by_tiles.as_ref().map(graph).transpose()?;
        Ok((graph(&canonical)?, by_tiles))
    }

    /// The graph of a program whose flow and canonical form are known.
    pub fn from_parts(
        program: &Program,
        dataflow: &Dataflow,
        canonical: &Canonical,
    ) -> Result<Graph> {
        let steps = edges::Steps::of(program, dataflow)?;
        let live = live::sets(program, dataflow, canonical, &steps)?;
        let mut nodes = Vec::new();
        for operation in &canonical.operations {
            let id = operation.statement;
            if edges::computes(program.statement(id)) {
                let back = operation.instances.reverse()?;
                nodes.push(Node {
                    name: operation.name.clone(),
                    statement: id,
                    statement_name: program.statement(id).name.clone(),
                    domain: operation.domain.clone(),
                    live: live.instances[id.0].apply(&back)?.coalesce()?,
                    results: live.results[id.0].apply(&back)?.coalesce()?,
                    instances: operation.instances.clone(),
                });
            }
        }
        let mut inputs: Vec<Input> = Vec::new();
        let mut arrows = Vec::new();
        for (reader, node) in nodes.iter().enumerate() {
            for path in steps.paths_from(node.statement)? {
                let relation = node.instances.apply_range(&path.relation)?;
                let (source, relation) = match path.end {
                    edges::End::Statement(id) => {
                        let Some(at) = nodes.iter().position(|node| node.statement == id) else {
                            continue;
                        };
                        let back = nodes[at].instances.reverse()?;
                        (Source::Node(at), relation.apply_range(&back)?)
                    }
                    edges::End::Input(array) => {
                        let at = input(&mut inputs, program, array, &relation)?;
                        (Source::Input(at), relation)
                    }
                };
                let relation = relation.coalesce()?;
                if !relation.is_empty()? {
                    arrows.push(Arrow {
                        reader,
                        operand: path.operand,
                        source,
                        pieces: piece::of(&relation)?,
                        relation,
                        edge: path.edge,
                        accumulates: false,
                        through: Vec::new(),
                    });
                }
            }
        }
        varying::restrict(&mut nodes, &mut arrows)?;
        for (reader, node) in nodes.iter().enumerate() {
            let own = arrows.iter().filter(|arrow: &&Arrow| {
                arrow.reader == reader && arrow.source == Source::Node(reader)
            });
            let own: Vec<(usize, Map)> = own
                .map(|arrow| (arrow.operand, arrow.relation.clone()))
                .collect();
            let running = running_operands(canonical, dataflow, node, &own)?;
            for arrow in arrows.iter_mut().filter(|arrow| arrow.reader == reader) {
                arrow.accumulates = running.contains(&arrow.operand);
            }
        }
        let graph = Graph {
            params: canonical.params.clone(),
            large: large(canonical)?,
            context: canonical.context.clone(),
            nodes,
            inputs,
            arrows,
            live: live.texts()?,
            dependences: steps.into_table(),
            counted: RefCell::default(),
            walks: RefCell::default(),
        };
        graph.framed()
    }

    /// The dependence table of a certificate; edges refer to it by position.
    pub fn dependences(&self) -> &[Dependence] {
        &self.dependences
    }

    /// The live sets of a certificate, copies included.
    pub fn live_sets(&self) -> &[LiveSet] {
        &self.live
    }

    /// The number of points of a set within the context; counted once for every set.
    pub fn count(&self, set: &Set) -> Result<Count> {
        let key = set.to_string();
        if let Some(count) = self.counted.borrow().get(&key) {
            return Ok(count.clone());
        }
        let count = set.count_within(&self.context)?;
        self.counted.borrow_mut().insert(key, count.clone());
        Ok(count)
    }

    /// Drops the arrows along running values of sums: in a model where sums have no order they prove nothing (U-4).
    pub fn forget_accumulators(&mut self) {
        self.arrows.retain(|arrow| !arrow.accumulates);
        self.walks.borrow_mut().clear();
    }

    /// The arrows of one node.
    pub fn arrows_of(&self, reader: usize) -> impl Iterator<Item = (usize, &Arrow)> {
        let arrows = self.arrows.iter().enumerate();
        arrows.filter(move |(_, arrow)| arrow.reader == reader)
    }
}

/// The sizes of a context that are all large.
fn large(canonical: &Canonical) -> Result<Set> {
    let conditions: Vec<String> = canonical
        .params
        .iter()
        .map(|name| format!("{name} >= {LARGE}"))
        .collect();
    let text = format!(
        "[{}] -> {{ : {} }}",
        canonical.params.join(", "),
        conditions.join(" and ")
    );
    let large = Set::parse(canonical.context.context(), &text)?;
    Ok(large.intersect(&canonical.context)?)
}

/// The position of an input array, with these cells noted as used.
fn input(
    inputs: &mut Vec<Input>,
    program: &Program,
    array: ArrayId,
    relation: &Map,
) -> Result<usize> {
    let cells = relation.range()?;
    if let Some(at) = inputs.iter().position(|input| input.array == array) {
        inputs[at].cells = inputs[at].cells.union(&cells)?.coalesce()?;
        return Ok(at);
    }
    inputs.push(Input {
        name: program.array(array).name.clone(),
        array,
        places: identity(&cells)?,
        cells,
    });
    Ok(inputs.len() - 1)
}

/// From every point of the space of a set to itself.
fn identity(set: &Set) -> Result<Map> {
    let space = set.space()?;
    let dims = (0..space.n_dim()).map(|at| PwAff::dim(&space, at));
    let dims = dims.collect::<std::result::Result<Vec<_>, _>>()?;
    let name = space.tuple_name().unwrap_or_default();
    Ok(Map::from_pw_affs(&space, &name, &dims)?)
}

/// The operands of a node that are running values: of a reduction in one cell, or of a canonical chain, in which the
/// running value may pass through copies.
fn running_operands(
    canonical: &Canonical,
    dataflow: &Dataflow,
    node: &Node,
    own: &[(usize, Map)],
) -> Result<Vec<usize>> {
    if let Some(reduction) = dataflow.reduction(node.statement) {
        return Ok(reduction.operands.clone());
    }
    let mut operations = canonical.operations.iter().enumerate();
    let operation = operations.find(|(_, operation)| operation.statement == node.statement);
    let link = operation.and_then(|(at, operation)| {
        let chain = operation.reduction.as_ref()?;
        operation.operands.get(chain.operand)?.from_operation(at)
    });
    let mut running = Vec::new();
    if let Some(link) = link {
        let link = link.reverse()?;
        for (operand, relation) in own {
            if !relation.is_disjoint(&link)? {
                running.push(*operand);
            }
        }
    }
    Ok(running)
}
