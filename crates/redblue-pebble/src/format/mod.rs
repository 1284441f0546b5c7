//! Graph files: text in, [`Cdag`] out, and back. Nothing here opens a file.
//!
//! | format | extension | reads | writes |
//! |---|---|---|---|
//! | [`Format::Json`] | `.json` | the graph files of the command-line contract | yes |
//! | [`Format::Dot`] | `.dot`, `.gv` | simple digraphs of Graphviz | yes |
//! | [`Format::Hdag`] | `.hdag` | hyperDAGs of OneStopParallel, both layouts | yes |

mod dot;
mod dot_tokens;
mod hdag;
mod json;

use crate::cdag::Cdag;
use crate::error::Error;

/// A text format for graphs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// `{"vertices": n, "edges": [[u, v], …], "inputs": […], "outputs": […]}`.
    Json,
    /// Graphviz.
    Dot,
    /// Hyperedges of OneStopParallel; weights are ignored.
    Hdag,
}

impl Format {
    /// The format a file extension stands for.
    pub fn from_extension(extension: &str) -> Option<Format> {
        match extension {
            "json" => Some(Format::Json),
            "dot" | "gv" => Some(Format::Dot),
            "hdag" => Some(Format::Hdag),
            _ => None,
        }
    }

    /// Reads a graph.
    ///
    /// # Errors
    /// [`Error::Malformed`] with a line, or what [`Cdag::from_parts`] refuses.
    pub fn read(self, text: &str) -> Result<Cdag, Error> {
        match self {
            Format::Json => json::read(text),
            Format::Dot => dot::read(text),
            Format::Hdag => hdag::read(text),
        }
    }

    /// Writes a graph. A hyperDAG file has no place for labels, inputs and outputs.
    pub fn write(self, graph: &Cdag) -> String {
        match self {
            Format::Json => json::write(graph),
            Format::Dot => dot::write(graph),
            Format::Hdag => hdag::write(graph),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::{self, Product};

    #[test]
    fn every_format_round_trips() {
        let graphs = [
            generate::matmul(2, 2, 2, Product::Accumulating),
            generate::mgs(2, 2),
            generate::fft(2),
            Cdag::from_parts(4, &[(3, 1), (1, 0), (3, 2)], None, None),
        ];
        for graph in graphs {
            let graph = graph.expect("fine");
            let read = |format: Format| format.read(&format.write(&graph)).expect("its own output");
            assert_eq!(read(Format::Json), graph);
            assert_eq!(read(Format::Dot), graph);
            assert!(read(Format::Hdag).edges().eq(graph.edges()));
        }
    }
}
