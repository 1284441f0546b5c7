//! Everything that can be wrong with a graph, a file or a question about a game.

use crate::cdag::Vertex;
use crate::referee::Illegal;

/// A graph, file or question that cannot be accepted, with the reason.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The edges form a cycle, so no order computes the vertices.
    #[error("the graph has a cycle: {}", arrows(cycle))]
    Cycle {
        /// The vertices of one cycle, the first repeated at the end.
        cycle: Vec<Vertex>,
    },
    /// An edge, input, output or label names a vertex that does not exist.
    #[error("{what} names vertex {vertex}, but the vertices are 0..{vertices}")]
    VertexOutOfRange {
        /// Where the name occurs.
        what: &'static str,
        /// The vertex named.
        vertex: Vertex,
        /// How many vertices there are.
        vertices: usize,
    },
    /// The same edge is listed twice.
    #[error("the edge {from} -> {to} is listed twice")]
    DuplicateEdge {
        /// Tail of the edge.
        from: Vertex,
        /// Head of the edge.
        to: Vertex,
    },
    /// An input is a value that is given, so it may not be computed from others.
    #[error("vertex {vertex} is an input but has predecessors")]
    InputWithPredecessors {
        /// The input.
        vertex: Vertex,
    },
    /// A label list that does not name each vertex once.
    #[error("{labels} labels for {vertices} vertices")]
    LabelCount {
        /// How many labels were given.
        labels: usize,
        /// How many vertices there are.
        vertices: usize,
    },
    /// A file or text that does not follow its format.
    #[error("line {line}: {reason}")]
    Malformed {
        /// Line of the problem, counted from 1.
        line: usize,
        /// What is wrong there.
        reason: String,
    },
    /// Fewer pebbles than one computation needs: no game exists (theory U-13).
    #[error(
        "no game with S = {capacity}: vertex {vertex} has {predecessors} predecessors \
         and needs {needed} red pebbles at once"
    )]
    CapacityTooSmall {
        /// The capacity asked for.
        capacity: usize,
        /// A vertex that cannot be computed.
        vertex: Vertex,
        /// Its number of predecessors.
        predecessors: usize,
        /// The smallest capacity with a game.
        needed: usize,
    },
    /// A graph that would not fit in memory.
    #[error("{vertices} vertices, but at most {limit} are accepted")]
    TooManyVertices {
        /// How many vertices it would have.
        vertices: usize,
        /// The most that is accepted.
        limit: usize,
    },
    /// The referee refused a play that a player of this crate made: a defect of the player.
    #[error("a player made an illegal play, which is a defect: {0}")]
    PlayRefused(Illegal),
    /// An order that is not a topological order of the computed vertices.
    #[error("the order is not one of this graph: {reason}")]
    BadOrder {
        /// What is wrong with it.
        reason: String,
    },
}

impl Error {
    /// The diagnostic code of the error (`RB05xx`: graphs and games).
    pub fn code(&self) -> &'static str {
        match self {
            Error::Cycle { .. } => "RB0501",
            Error::VertexOutOfRange { .. } => "RB0502",
            Error::DuplicateEdge { .. } => "RB0503",
            Error::InputWithPredecessors { .. } => "RB0504",
            Error::LabelCount { .. } => "RB0505",
            Error::Malformed { .. } => "RB0506",
            Error::CapacityTooSmall { .. } => "RB0507",
            Error::TooManyVertices { .. } => "RB0508",
            Error::BadOrder { .. } => "RB0509",
            Error::PlayRefused(_) => "RB0510",
        }
    }
}

fn arrows(cycle: &[Vertex]) -> String {
    let names: Vec<String> = cycle.iter().map(Vertex::to_string).collect();
    names.join(" -> ")
}
