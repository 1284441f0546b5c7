//! Graphviz digraphs: the subset people draw computations in.
//!
//! Read are nodes, chains `a -> b -> c`, and attribute lists, of which only `label`, `input` and
//! `output` mean something here. Without a node marked `input=true` the sources are inputs, without
//! one marked `output=true` the sinks are outputs. If the names are exactly `0..n` they are the
//! vertex numbers, otherwise nodes are numbered as they appear and their names become labels.
//! Undirected edges, ports and subgraphs are refused.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::dot_tokens::{Token, tokens};
use crate::cdag::{Cdag, Vertex};
use crate::error::Error;

pub(super) fn read(text: &str) -> Result<Cdag, Error> {
    let mut parser = Parser {
        tokens: tokens(text)?,
        at: 0,
        nodes: Nodes::default(),
    };
    parser.graph()?;
    parser.nodes.build()
}

pub(super) fn write(graph: &Cdag) -> String {
    let mut text = String::from("digraph {\n");
    // Writing to a string cannot fail.
    for v in 0..graph.len() {
        let mut attributes = Vec::new();
        if let Some(label) = graph.label(v) {
            let escaped = label.replace('\\', "\\\\").replace('"', "\\\"");
            attributes.push(format!("label=\"{escaped}\""));
        }
        attributes.extend(
            graph
                .is_input(v)
                .then(|| "input=true, shape=box".to_string()),
        );
        attributes.extend(
            graph
                .is_output(v)
                .then(|| "output=true, peripheries=2".to_string()),
        );
        let _ = match attributes.is_empty() {
            true => writeln!(text, "  {v};"),
            false => writeln!(text, "  {v} [{}];", attributes.join(", ")),
        };
    }
    for (u, v) in graph.edges() {
        let _ = writeln!(text, "  {u} -> {v};");
    }
    text.push_str("}\n");
    text
}

/// The nodes and edges read so far.
#[derive(Default)]
struct Nodes {
    numbers: BTreeMap<String, Vertex>,
    names: Vec<String>,
    labels: BTreeMap<Vertex, String>,
    inputs: Vec<Vertex>,
    outputs: Vec<Vertex>,
    edges: Vec<(Vertex, Vertex)>,
}

impl Nodes {
    fn number(&mut self, name: &str) -> Vertex {
        if let Some(&v) = self.numbers.get(name) {
            return v;
        }
        let v = self.names.len();
        self.numbers.insert(name.to_string(), v);
        self.names.push(name.to_string());
        v
    }

    fn build(self) -> Result<Cdag, Error> {
        let n = self.names.len();
        let numeric: Vec<Vertex> = self
            .names
            .iter()
            .filter_map(|name| {
                name.parse()
                    .ok()
                    .filter(|&v: &Vertex| v < n && v.to_string() == *name)
            })
            .collect();
        let numbered = numeric.len() == n;
        let place = |v: Vertex| if numbered { numeric[v] } else { v };
        let places = |list: &[Vertex]| -> Option<Vec<Vertex>> {
            (!list.is_empty()).then(|| list.iter().map(|&v| place(v)).collect())
        };
        let edges: Vec<_> = self
            .edges
            .iter()
            .map(|&(u, v)| (place(u), place(v)))
            .collect();
        let (inputs, outputs) = (places(&self.inputs), places(&self.outputs));
        let graph = Cdag::from_parts(n, &edges, inputs.as_deref(), outputs.as_deref())?;
        if numbered && self.labels.is_empty() {
            return Ok(graph);
        }
        let mut labels = vec![String::new(); n];
        for (v, name) in self.names.iter().enumerate() {
            labels[place(v)] = self.labels.get(&v).unwrap_or(name).clone();
        }
        graph.with_labels(labels)
    }
}

struct Parser {
    tokens: Vec<(usize, Token)>,
    at: usize,
    nodes: Nodes,
}

impl Parser {
    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at).map(|(_, token)| token)
    }

    fn accept(&mut self, token: &Token) -> bool {
        let found = self.peek() == Some(token);
        self.at += usize::from(found);
        found
    }

    fn name(&mut self) -> Option<String> {
        let Some(Token::Name(name)) = self.peek() else {
            return None;
        };
        let name = name.clone();
        self.at += 1;
        Some(name)
    }

    fn fail<T>(&self, expected: &str) -> Result<T, Error> {
        let last = self.tokens.last().map_or(1, |(line, _)| *line);
        let line = self.tokens.get(self.at).map_or(last, |(line, _)| *line);
        Err(Error::Malformed {
            line,
            reason: format!("expected {expected}"),
        })
    }

    fn graph(&mut self) -> Result<(), Error> {
        let mut keyword = self.name();
        if keyword.as_deref() == Some("strict") {
            keyword = self.name();
        }
        if keyword.as_deref() != Some("digraph") {
            self.at = 0;
            return self.fail("'digraph'");
        }
        self.name();
        if !self.accept(&Token::Sign('{')) {
            return self.fail("'{'");
        }
        while !self.accept(&Token::Sign('}')) {
            if !self.accept(&Token::Sign(';')) {
                self.statement()?;
            }
        }
        match self.at == self.tokens.len() {
            true => Ok(()),
            false => self.fail("the end of the file"),
        }
    }

    fn statement(&mut self) -> Result<(), Error> {
        let Some(first) = self.name() else {
            return self.fail("a node, an edge or '}'");
        };
        if first == "subgraph" {
            return self.fail("no subgraph");
        }
        if self.accept(&Token::Sign('=')) {
            return match self.name() {
                Some(_) => Ok(()),
                None => self.fail("a value"),
            };
        }
        let default = ["graph", "node", "edge"].contains(&first.as_str());
        if default && self.peek() == Some(&Token::Sign('[')) {
            return self.attributes().map(|_| ());
        }
        let mut v = self.nodes.number(&first);
        let mut is_edge = false;
        while self.accept(&Token::Arrow) {
            let Some(name) = self.name() else {
                return self.fail("a node after '->'");
            };
            let w = self.nodes.number(&name);
            self.nodes.edges.push((v, w));
            v = w;
            is_edge = true;
        }
        let attributes = self.attributes()?;
        if !is_edge {
            for (key, value) in attributes {
                match (key.as_str(), value.as_str()) {
                    ("label", _) => {
                        self.nodes.labels.insert(v, value);
                    }
                    ("input", "true") => self.nodes.inputs.push(v),
                    ("output", "true") => self.nodes.outputs.push(v),
                    _ => {}
                }
            }
        }
        Ok(())
    }

    fn attributes(&mut self) -> Result<Vec<(String, String)>, Error> {
        let mut list = Vec::new();
        while self.accept(&Token::Sign('[')) {
            while !self.accept(&Token::Sign(']')) {
                let Some(key) = self.name() else {
                    return self.fail("an attribute or ']'");
                };
                let value = match self.accept(&Token::Sign('=')) {
                    true => self.name(),
                    false => Some("true".to_string()),
                };
                let Some(value) = value else {
                    return self.fail("a value");
                };
                list.push((key, value));
                let _ = self.accept(&Token::Sign(',')) || self.accept(&Token::Sign(';'));
            }
        }
        Ok(list)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_labels_and_numbers_stay() {
        let graph = read("digraph g { a -> c; b -> c [w=1]; c [label=\"a+b\"] }").expect("fine");
        let labels: Vec<_> = (0..3).map(|v| graph.label(v)).collect();
        assert_eq!(labels, [Some("a"), Some("a+b"), Some("b")]);
        assert_eq!(graph.outputs(), &[1]);
        let graph = read("strict digraph { rankdir=LR; node [shape=box]\n 2 -> 0 -> 1 /* x */ }");
        assert_eq!(graph, Cdag::from_parts(3, &[(2, 0), (0, 1)], None, None));
        let graph = read("digraph { 0 -> 1 -> 2; 1 [output=true]; // so\n }").expect("fine");
        assert_eq!(graph.outputs(), &[1]);
    }

    fn check_refused(text: &str, expect: &str) {
        assert_eq!(read(text).expect_err("must be refused").to_string(), expect);
    }

    #[test]
    fn malformed_files_are_explained() {
        check_refused(
            "graph { a -- b }",
            "line 1: the graph must be directed: use '->'",
        );
        check_refused("graph { }", "line 1: expected 'digraph'");
        check_refused("digraph {\n a ->\n}", "line 3: expected a node after '->'");
        check_refused("digraph {\n a", "line 2: expected a node, an edge or '}'");
        check_refused("digraph { subgraph x { } }", "line 1: expected no subgraph");
        check_refused("digraph { \"a }", "line 1: the string is not closed");
        check_refused(
            "digraph { a -> b -> a }",
            "the graph has a cycle: 0 -> 1 -> 0",
        );
        check_refused("digraph { a:n -> b }", "line 1: unexpected ':'");
        check_refused("", "line 1: expected 'digraph'");
    }
}
