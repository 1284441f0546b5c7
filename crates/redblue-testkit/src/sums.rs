//! Graphs in which the terms of a sum are added in another order.
//!
//! A bound that lets sums be reassociated must hold for every graph of the program that differs in the order
//! of its sums only. Such a graph comes from an order of the computations: the links of a chain are tied
//! together in the order in which they are computed.
//!
//! ```text
//! program   x ── s0 ── s1 ── s2 ──► y        order  s2 s0 s1   ⇒   x ── s2 ── s0 ── s1 ──► y
//! loose     s0, s1, s2 after x and before y, but not after each other
//! ```
//!
//! Only chains become other chains: trees of partial sums are not tried. A chain with a running value that is read elsewhere is left alone. A chain whose first link reads more
//! terms than the others is left alone, because in another place that link would need one operand more.

use redblue_pebble::program::{Origin, ProgramGraph};
use redblue_pebble::{Cdag, Error, Vertex};
use redblue_program::{Dataflow, Program, ProgramError, StatementId};

use crate::arena::home;

/// The statements of a program whose chains may be computed in any order.
///
/// # Errors
/// When the dataflow of the program cannot be found.
pub fn free_sums(program: &Program) -> Result<Vec<StatementId>, ProgramError> {
    let dataflow = Dataflow::of(program)?;
    let free = |id: &StatementId| {
        let reduction = dataflow.reduction(*id);
        reduction.is_some_and(|reduction| reduction.independent && reduction.private)
    };
    let statements = (0..program.statements.len()).map(StatementId);
    Ok(statements.filter(free).collect())
}

/// The sums of a graph that may be reordered.
#[derive(Debug, Clone)]
pub struct LooseSums {
    chains: Vec<Chain>,
    /// The chain of each vertex.
    chain_of: Vec<Option<usize>>,
    loose: Cdag,
}

#[derive(Debug, Clone)]
struct Chain {
    /// The value the sum starts from, unless that is a constant.
    start: Option<Vertex>,
    /// In program order.
    links: Vec<Vertex>,
}

impl LooseSums {
    /// Finds the chains of the statements `free`; `None` if there is nothing to reorder.
    ///
    /// # Errors
    /// None that a well-formed graph could cause.
    pub fn of(
        program: &Program,
        graph: &ProgramGraph,
        free: &[StatementId],
    ) -> Result<Option<LooseSums>, Error> {
        let (chains, chain_of) = chains(program, graph, free);
        if chains.is_empty() {
            return Ok(None);
        }
        let graph = &graph.graph;
        // All links of a sum come before whatever reads it, and after the value it starts from.
        let links = |v: Vertex| match chain_of[v] {
            Some(chain) => chains[chain].links.clone(),
            None => vec![v],
        };
        let mut edges = Vec::new();
        for (from, to) in graph.edges() {
            let chain = chain_of[to];
            if chain.is_some() && chain == chain_of[from] {
                continue;
            }
            let starts = chain.is_some_and(|chain| chains[chain].start == Some(from));
            let readers = if starts { links(to) } else { vec![to] };
            for link in links(from) {
                edges.extend(readers.iter().map(|&reader| (link, reader)));
            }
        }
        edges.sort_unstable();
        edges.dedup();
        let outputs = (0..graph.len()).filter(|&v| {
            let ends = chain_of[v].and_then(|chain| chains[chain].links.last());
            graph.is_output(*ends.unwrap_or(&v))
        });
        let outputs: Vec<Vertex> = outputs.collect();
        let loose = Cdag::from_parts(graph.len(), &edges, Some(graph.inputs()), Some(&outputs))?;
        Ok(Some(LooseSums {
            chains,
            chain_of,
            loose,
        }))
    }

    /// The graph without the order inside sums: its orders are those of all reordered graphs.
    pub fn loose(&self) -> &Cdag {
        &self.loose
    }

    /// The graph with every sum in the order of `order`, which is one of the loose graph.
    ///
    /// # Errors
    /// None for such an order.
    pub fn tied(&self, graph: &Cdag, order: &[Vertex]) -> Result<Cdag, Error> {
        let mut links: Vec<Vec<Vertex>> = vec![Vec::new(); self.chains.len()];
        for &v in order {
            if let Some(chain) = self.chain_of[v] {
                links[chain].push(v);
            }
        }
        let last = |v: Vertex| match self.chain_of[v] {
            Some(chain) => links[chain].last().copied().unwrap_or(v),
            None => v,
        };
        let mut edges = Vec::new();
        for (from, to) in graph.edges() {
            let inside = self.chain_of[to].is_some_and(|chain| {
                self.chain_of[from] == Some(chain) || self.chains[chain].start == Some(from)
            });
            if !inside {
                edges.push((last(from), to));
            }
        }
        for (chain, links) in self.chains.iter().zip(&links) {
            edges.extend(links.windows(2).map(|pair| (pair[0], pair[1])));
            edges.extend(
                chain
                    .start
                    .zip(links.first().copied())
                    .map(|(start, first)| (last(start), first)),
            );
        }
        edges.sort_unstable();
        edges.dedup();
        let outputs: Vec<Vertex> = graph.outputs().iter().map(|&v| last(v)).collect();
        Cdag::from_parts(graph.len(), &edges, Some(graph.inputs()), Some(&outputs))
    }
}

/// The chains of at least two links, and the chain of each vertex.
fn chains(
    program: &Program,
    graph: &ProgramGraph,
    free: &[StatementId],
) -> (Vec<Chain>, Vec<Option<usize>>) {
    let cdag = &graph.graph;
    let statement = |v: Vertex| match &graph.origins[v] {
        Origin::Instance(id, _) if free.contains(id) => Some(*id),
        _ => None,
    };
    let previous = |v: Vertex| {
        let own = statement(v)?;
        cdag.preds(v)
            .iter()
            .copied()
            .find(|&u| statement(u) == Some(own))
    };
    let mut chain_of: Vec<Option<usize>> = vec![None; cdag.len()];
    let mut found: Vec<Chain> = Vec::new();
    for &v in cdag.order() {
        if let Some(before) = previous(v) {
            let chain = chain_of[before].unwrap_or_else(|| {
                let start = start_of(program, graph, before);
                found.push(Chain {
                    start,
                    links: vec![before],
                });
                found.len() - 1
            });
            chain_of[before] = Some(chain);
            chain_of[v] = Some(chain);
            found[chain].links.push(v);
        }
    }
    let movable = |chain: &Chain| {
        let terms = |v: Vertex| cdag.preds(v).len();
        let (first, others) = (chain.links[0], &chain.links[1..]);
        let most = others.iter().map(|&v| terms(v) - 1).max().unwrap_or(0);
        let own = terms(first) - usize::from(chain.start.is_some());
        // A start that is also a term of some link could not be told apart after a change of order.
        let reads_start = |v: &Vertex| chain.start.is_some_and(|s| cdag.preds(*v).contains(&s));
        // A running value that something else reads is a sum of its own, and is not lost.
        let goes_on =
            |pair: &[Vertex]| !cdag.is_output(pair[0]) && cdag.succs(pair[0]) == [pair[1]];
        own <= most && !others.iter().any(reads_start) && chain.links.windows(2).all(goes_on)
    };
    let keep: Vec<bool> = found.iter().map(movable).collect();
    let mut number = vec![None; found.len()];
    let mut chains = Vec::new();
    for (old, chain) in found.into_iter().enumerate().filter(|(old, _)| keep[*old]) {
        number[old] = Some(chains.len());
        chains.push(chain);
    }
    let renumbered = chain_of
        .iter()
        .map(|chain| chain.and_then(|old| number[old]));
    (chains, renumbered.collect())
}

/// The value that the first link of a chain starts from: what was in its cell before.
fn start_of(program: &Program, graph: &ProgramGraph, first: Vertex) -> Option<Vertex> {
    let own = home(program, graph, first);
    let mut preds = graph.graph.preds(first).iter().copied();
    preds.find(|&u| home(program, graph, u) == own)
}
