//! The JSON graph files of the command-line contract, with an optional list of labels.

use serde::{Deserialize, Serialize};

use crate::cdag::{Cdag, Vertex};
use crate::error::Error;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct GraphFile {
    vertices: usize,
    edges: Vec<(Vertex, Vertex)>,
    #[serde(skip_serializing_if = "Option::is_none")]
    inputs: Option<Vec<Vertex>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    outputs: Option<Vec<Vertex>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    labels: Option<Vec<String>>,
}

pub(super) fn read(text: &str) -> Result<Cdag, Error> {
    let file: GraphFile = serde_json::from_str(text).map_err(|error| Error::Malformed {
        line: error.line(),
        reason: error.to_string(),
    })?;
    let (inputs, outputs) = (file.inputs.as_deref(), file.outputs.as_deref());
    let graph = Cdag::from_parts(file.vertices, &file.edges, inputs, outputs)?;
    match file.labels {
        Some(labels) => graph.with_labels(labels),
        None => Ok(graph),
    }
}

pub(super) fn write(graph: &Cdag) -> String {
    let file = GraphFile {
        vertices: graph.len(),
        edges: graph.edges().collect(),
        inputs: Some(graph.inputs().to_vec()),
        outputs: Some(graph.outputs().to_vec()),
        labels: (0..graph.len())
            .map(|v| graph.label(v).map(str::to_string))
            .collect(),
    };
    // Numbers and strings under fixed names are always JSON.
    serde_json::to_string(&file).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_refused(text: &str, expect: &str) {
        let error = read(text).expect_err("must be refused").to_string();
        assert!(error.contains(expect), "{error}");
    }

    #[test]
    fn the_contract_example_is_read() {
        let graph = read(r#"{"vertices": 3, "edges": [[0, 2], [1, 2]]}"#).expect("fine");
        assert_eq!((graph.inputs(), graph.outputs()), (&[0, 1][..], &[2][..]));
    }

    #[test]
    fn malformed_files_are_explained() {
        check_refused("{", "line 1: EOF");
        check_refused(r#"{"edges": []}"#, "missing field `vertices`");
        check_refused(
            r#"{"vertices": 1, "edges": [], "output": [0]}"#,
            "unknown field `output`",
        );
        check_refused(r#"{"vertices": 2, "edges": [[0, 1], [1, 0]]}"#, "cycle");
        check_refused(r#"{"vertices": 2, "edges": [[0, -1]]}"#, "invalid value");
        check_refused(r#"{"vertices": 1000000000000, "edges": []}"#, "at most");
        check_refused(
            r#"{"vertices": 1, "edges": [], "labels": []}"#,
            "0 labels for 1 vertices",
        );
    }
}
