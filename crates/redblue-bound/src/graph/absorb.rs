//! Temporaries: values that one node alone reads, one of its instances each, are stepped over.
//!
//! `t = a·b; c += t` is a product and a sum like `c += a·b`, but its product is a value of its own. In the absorbed graph the
//! sum reads a and b itself, *through* the product, which is then a private value of the sum (see
//! [`redblue_cert::certificate::Group::private`]). Only targets of a phase argument may step that way.

use redblue_cert::certificate::Edge;
use redblue_poly::{Map, Set};

use super::{Arrow, Graph, Source, piece};
use crate::error::Result;

/// A private value that an arrow leads over.
#[derive(Clone, Debug)]
pub struct Private {
    /// The node it is an instance of.
    pub node: usize,
    /// Reading instance → private value; injective.
    pub relation: Map,
    /// The step to it, from the reader or from the private value before.
    pub edge: Edge,
}

impl Graph {
    /// The graph in which temporaries are stepped over; none if there are no temporaries.
    pub fn absorbed(&self) -> Result<Option<Graph>> {
        let mut graph = self.clone();
        graph.walks.borrow_mut().clear();
        let mut any = false;
        // A temporary may read another one: once for each.
        for _ in 0..self.nodes.len() {
            let Some(node) = graph.temporary()? else {
                break;
            };
            graph.absorb(node)?;
            any = true;
        }
        Ok(any.then_some(graph))
    }

    /// Whether instances of a node have private values.
    pub fn has_private(&self, node: usize) -> bool {
        self.arrows_of(node)
            .any(|(_, arrow)| !arrow.through.is_empty())
    }

    /// A node whose instances are read once each, by instances of one other node of the same dimension.
    fn temporary(&self) -> Result<Option<usize>> {
        'nodes: for (at, node) in self.nodes.iter().enumerate() {
            let dims = node.domain.n_dim();
            if dims < 2 || !node.results.is_empty()? {
                continue;
            }
            let mut uses: Option<(usize, Map)> = None;
            for arrow in self.arrows.iter().filter(|a| a.source == Source::Node(at)) {
                let known = uses
                    .as_ref()
                    .is_none_or(|(reader, _)| *reader == arrow.reader);
                if !known
                    || arrow.reader == at
                    || self.nodes[arrow.reader].domain.n_dim() != dims
                    || !arrow.through.is_empty()
                {
                    continue 'nodes;
                }
                let relation = match uses {
                    Some((_, relation)) => relation.union(&arrow.relation)?,
                    None => arrow.relation.clone(),
                };
                uses = Some((arrow.reader, relation));
            }
            if let Some((_, relation)) = uses
                && relation.is_injective()?
            {
                return Ok(Some(at));
            }
        }
        Ok(None)
    }

    /// Replaces the arrows to a node by arrows to what it reads.
    fn absorb(&mut self, node: usize) -> Result<()> {
        let (uses, kept): (Vec<Arrow>, Vec<Arrow>) = std::mem::take(&mut self.arrows)
            .into_iter()
            .partition(|arrow| arrow.source == Source::Node(node));
        let own: Vec<Arrow> = kept.iter().filter(|a| a.reader == node).cloned().collect();
        self.arrows = kept;
        for arrow in uses {
            // Operands of the temporary become further operands of its reader.
            let reads = self.arrows_of(arrow.reader).map(|(_, a)| a.operand);
            let next = reads.chain([arrow.operand]).max().unwrap_or(0) + 1;
            for inner in &own {
                let relation = arrow.relation.apply_range(&inner.relation)?.coalesce()?;
                if relation.is_empty()? {
                    continue;
                }
                let mut through = vec![Private {
                    node,
                    relation: arrow.relation.clone(),
                    edge: arrow.edge.clone(),
                }];
                for deeper in &inner.through {
                    through.push(Private {
                        relation: arrow.relation.apply_range(&deeper.relation)?,
                        ..deeper.clone()
                    });
                }
                self.arrows.push(Arrow {
                    reader: arrow.reader,
                    operand: next + inner.operand,
                    source: inner.source,
                    pieces: piece::of(&relation)?,
                    relation,
                    edge: inner.edge.clone(),
                    accumulates: false,
                    through,
                });
            }
        }
        // It is no target by itself any more.
        let gone = &mut self.nodes[node];
        gone.live = Set::empty(&gone.live.space()?)?;
        self.arrows.retain(|arrow| arrow.reader != node);
        Ok(())
    }
}
