//! Where claims about one program at fixed sizes, or about one graph, are fought over.
//!
//! ```text
//! Program, sizes ──► Arena ── Attack (a key, a seed, …) ──► Field: a graph of the model and a legal order of it
//! ```
//!
//! Building the graph is the dear part, so an arena is built once and serves all claims at its sizes: every
//! memory size, every model.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use redblue_pebble::heuristic::depth_first_order;
use redblue_pebble::program::{Origin, ProgramGraph, ProgramGraphError};
use redblue_pebble::{Cdag, Error, Game, Random, Vertex};
use redblue_program::{ArrayId, Program, Sizes, StatementId};

use crate::key::{Coordinates, Key, KeySpace};
use crate::model::{Model, Sums};
use crate::orders::{Timetable, random_order};
use crate::sums::LooseSums;

/// A graph, and what is known of where its vertices come from.
#[derive(Debug, Clone)]
pub struct Arena {
    graph: Cdag,
    timetable: Option<Timetable>,
    sums: Option<LooseSums>,
    landmarks: Vec<usize>,
}

/// Where an order of computations comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// A key on loops or cells.
    Key(Key),
    /// A recursive evaluation of the outputs.
    DepthFirst,
    /// A random order with this seed.
    Random(u64),
}

/// A graph of a model, and an order of its computations.
#[derive(Debug, Clone)]
pub struct Field<'a> {
    /// The graph.
    pub graph: Cow<'a, Cdag>,
    /// What the game must compute, each after its operands.
    pub order: Vec<Vertex>,
}

impl Arena {
    /// The arena of a program, refused above `limit` vertices. Sums of the statements `free` may be reordered
    /// in models that allow it, see [`free_sums`](crate::sums::free_sums).
    ///
    /// # Errors
    /// Sizes that do not fit the program or the limit.
    pub fn of_program(
        program: &Program,
        sizes: &Sizes,
        free: &[StatementId],
        limit: usize,
    ) -> Result<Arena, ProgramGraphError> {
        let graph = ProgramGraph::of(program, sizes, limit)?;
        Ok(Arena {
            timetable: Some(Timetable::of(program, &graph)),
            sums: LooseSums::of(program, &graph, free)?,
            landmarks: landmarks(program, sizes, &graph),
            graph: graph.graph,
        })
    }

    /// The arena of an explicit graph: there are no loops to permute, and sums are as they are.
    pub fn of_graph(graph: Cdag) -> Arena {
        Arena {
            graph,
            timetable: None,
            sums: None,
            landmarks: Vec::new(),
        }
    }

    /// The graph, with sums in the program's order.
    pub fn graph(&self) -> &Cdag {
        &self.graph
    }

    /// Numbers of words that mean something: sizes, their products, and how much of each array is read or
    /// written.
    pub fn landmarks(&self) -> &[usize] {
        &self.landmarks
    }

    /// Keys to try, at most `most`: half of them on cells, half on loops.
    pub fn keys(&self, most: usize) -> Vec<Key> {
        let Some(timetable) = &self.timetable else {
            return Vec::new();
        };
        let space = |coordinates| {
            let longest = timetable.longest(coordinates);
            let lengths = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64];
            let mut lengths: Vec<i64> = lengths
                .into_iter()
                .filter(|&l| l == 1 || l < longest)
                .collect();
            lengths.push(i64::MAX);
            KeySpace {
                coordinates,
                dimensions: timetable.dimensions(coordinates),
                lengths,
            }
        };
        let kinds = [Coordinates::Cells, Coordinates::Loops];
        let sample = |kind| space(kind).sample(most / kinds.len());
        kinds.into_iter().flat_map(sample).collect()
    }

    /// A key near another one.
    pub fn neighbour(&self, key: &Key, random: &mut Random) -> Key {
        let timetable = self.timetable.as_ref();
        let longest = timetable.map_or(1, |timetable| timetable.longest(key.coordinates));
        key.neighbour(longest, random)
    }

    /// The order that a source means for a game, and the graph it is an order of. There is none for a key
    /// without loops, nor with free sums if there are no sums to reorder.
    ///
    /// # Errors
    /// None that a well-formed graph could cause.
    pub fn field(
        &self,
        source: &Source,
        game: &Game,
        sums: Sums,
    ) -> Result<Option<Field<'_>>, Error> {
        let sums = match (sums, &self.sums) {
            (Sums::Free, None) => return Ok(None),
            (Sums::Free, sums) => sums.as_ref(),
            (Sums::Fixed, _) => None,
        };
        let Some(order) = self.order(source, game, sums.map_or(&self.graph, LooseSums::loose))
        else {
            return Ok(None);
        };
        let graph = match sums {
            Some(sums) => Cow::Owned(sums.tied(&self.graph, &order)?),
            None => Cow::Borrowed(&self.graph),
        };
        let wanted = game.must_compute(&graph);
        let order = order.into_iter().filter(|&v| wanted[v]).collect();
        Ok(Some(Field { graph, order }))
    }

    fn order(&self, source: &Source, game: &Game, graph: &Cdag) -> Option<Vec<Vertex>> {
        match source {
            Source::Key(key) => Some(self.timetable.as_ref()?.order(graph, key)),
            Source::DepthFirst => Some(depth_first_order(graph, game)),
            Source::Random(seed) => Some(random_order(graph, *seed)),
        }
    }

    /// Whether a model's graphs are more than the one of the program.
    pub fn has_choice_of_sums(&self, model: &Model) -> bool {
        model.sums == Sums::Free && self.sums.is_some()
    }
}

/// Sizes, products of two of them, and what is read or written of each array.
fn landmarks(program: &Program, sizes: &Sizes, graph: &ProgramGraph) -> Vec<usize> {
    let values: Vec<usize> = program
        .size_values(sizes)
        .unwrap_or_default()
        .into_iter()
        .filter_map(|value| usize::try_from(value).ok())
        .collect();
    let mut landmarks = values.clone();
    for (at, &one) in values.iter().enumerate() {
        landmarks.extend(values[at..].iter().map(|&other| one.saturating_mul(other)));
    }
    let mut cells: BTreeMap<ArrayId, BTreeSet<&[i64]>> = BTreeMap::new();
    for (array, cell) in (0..graph.graph.len()).map(|v| home(program, graph, v)) {
        cells.entry(array).or_default().insert(cell);
    }
    landmarks.extend(cells.values().map(BTreeSet::len));
    landmarks.sort_unstable();
    landmarks.dedup();
    landmarks.retain(|&words| words > 0 && words <= 2 * graph.graph.len());
    landmarks
}

/// The cell that a vertex is first written to, or read from if it is an input.
pub(crate) fn home<'g>(
    program: &Program,
    graph: &'g ProgramGraph,
    vertex: Vertex,
) -> (ArrayId, &'g [i64]) {
    let array = match &graph.origins[vertex] {
        Origin::Input(array, _) => *array,
        Origin::Instance(id, _) => program.statement(*id).write.array,
    };
    (array, &graph.cells[vertex])
}
