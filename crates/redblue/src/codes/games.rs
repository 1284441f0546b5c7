//! Diagnostic codes of graphs and pebble games: one for each kind of [`redblue_pebble::Error`].

use redblue_program::diagnostic::Code;

/// All of them.
pub(super) static ALL: &[&Code] = &[
    &CYCLE,
    &NO_SUCH_VERTEX,
    &EDGE_TWICE,
    &COMPUTED_INPUT,
    &LABELS,
    &MALFORMED,
    &FEW_PEBBLES,
    &TOO_MANY_VERTICES,
    &BAD_ORDER,
    &PLAY_REFUSED,
];

/// The code of an error.
pub fn of(error: &redblue_pebble::Error) -> &'static Code {
    ALL.iter()
        .find(|code| code.id == error.code())
        .copied()
        .unwrap_or(&MALFORMED)
}

/// The graph has a cycle.
pub static CYCLE: Code = Code {
    id: "RB0501",
    title: "graph has a cycle",
    explanation: "An edge u -> v says that computing v needs u. Along a cycle every value needs itself, so nothing on it can \
ever be computed. The message lists the vertices of one cycle.",
    example: r#"{"vertices": 2, "edges": [[0, 1], [1, 0]]}"#,
};

/// A vertex out of range.
pub static NO_SUCH_VERTEX: Code = Code {
    id: "RB0502",
    title: "no such vertex",
    explanation: "The vertices of a graph with n of them are 0, 1, …, n - 1. An edge, input or output names another one.",
    example: r#"{"vertices": 2, "edges": [[0, 2]]}"#,
};

/// An edge listed twice.
pub static EDGE_TWICE: Code = Code {
    id: "RB0503",
    title: "edge listed twice",
    explanation: "An edge says that a value is needed, which is true or not: listing it twice means nothing, and usually is a \
mistake of the program that wrote the file.",
    example: r#"{"vertices": 2, "edges": [[0, 1], [0, 1]]}"#,
};

/// An input with predecessors.
pub static COMPUTED_INPUT: Code = Code {
    id: "RB0504",
    title: "input with predecessors",
    explanation: "An input is a value that is given in slow memory at the start. A vertex with incoming edges is computed from \
others, so it cannot be one.",
    example: r#"{"vertices": 2, "edges": [[0, 1]], "inputs": [0, 1]}"#,
};

/// Labels that do not match the vertices.
pub static LABELS: Code = Code {
    id: "RB0505",
    title: "labels do not match the vertices",
    explanation: "The list of labels of a graph file has one entry for each vertex, in their order.",
    example: r#"{"vertices": 1, "edges": [], "labels": []}"#,
};

/// A malformed file.
pub static MALFORMED: Code = Code {
    id: "RB0506",
    title: "graph or game file not understood",
    explanation: "Graphs are JSON files such as {\"vertices\": 3, \"edges\": [[0, 2], [1, 2]]}, with \"inputs\" and \"outputs\" where \
they are not the sources and sinks; or digraphs of Graphviz (.dot, .gv); or hyperDAGs of OneStopParallel (.hdag). \
Games are one move per line: load 0, store 0, compute 0, delete 0, slide 0 1.",
    example: "redblue pebble graph.json -S 4",
};

/// Fewer pebbles than a computation needs.
pub static FEW_PEBBLES: Code = Code {
    id: "RB0507",
    title: "too few red pebbles for any game",
    explanation: "To compute a value, all its operands and the value itself carry red pebbles at the same time: one more than the \
largest number of operands. With fewer there is no game at all, so there is no number to report. With --slide \
the value may take over the pebble of an operand, which saves one.",
    example: "redblue pebble gemm -D NI=2,NJ=2,NK=2 -S 3",
};

/// Too large a graph.
pub static TOO_MANY_VERTICES: Code = Code {
    id: "RB0508",
    title: "graph too large for a pebble game",
    explanation: "A pebble game moves single values, and an exact optimum is found for some dozens of them; graphs of thousands \
get a good game and a proven lower bound. Larger ones are refused: `redblue simulate` counts the traffic of a \
program at any size.",
    example: "redblue pebble gemm -D NI=500,NJ=500,NK=500 -S 100",
};

/// An order that does not fit the graph.
pub static BAD_ORDER: Code = Code {
    id: "RB0509",
    title: "order does not fit the graph",
    explanation: "An order lists every computed vertex once, after all its operands.",
    example: "",
};

/// A defect: a player broke the rules.
pub static PLAY_REFUSED: Code = Code {
    id: "RB0510",
    title: "a game found by redblue was refused by its own referee",
    explanation: "Every game that redblue reports is checked by a referee that shares no code with the player. It refused this \
one, so nothing is reported. This is a defect of redblue: please report it with the input.",
    example: "",
};
