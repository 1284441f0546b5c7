//! *hourglass*: whole slices between two ticks of a column (H-5 to H-14, R-6, R-7, X-5).
//!
//! ```text
//!   targets (k, j, ·)  ●  ●  ●  ●        every target of a slice is needed for the hub of the next tick,
//!                       ╲  ╲╱  ╱         and needs the hub of its own
//!   hub (k + 1, j)         ◆
//!                       ╱  ╱╲  ╲
//!   targets (k+1, j, ·)●  ●  ●  ●
//! ```
//!
//! # Statement
//! A phase that computes targets of three ticks of a column computes whole slices in between. With W the least width of a slice, a phase with K words
//! computes at most `max(2K, K²/(4W) + 9W/4)` targets far from the diagonal, and at most `max(2K, K²/(2W) + 9W/8)` of all of them, when sources and columns are
//! columns of one matrix; the proof is with [`redblue_cert::certificate::Hourglass`]. For Gram-Schmidt this gives M²N²/(2S)·(1 − o(1)) for M ≪ S ≪ MN, which left-looking blocks attain (X-5).
//!
//! # Assumptions
//! No recomputation (convexity), the program's own order of sums.
//!
//! # Certificate
//! `phases` with capacity `hourglass`: two families with labels (width, neutral) and (width, time), hubs, and why targets reach the next hub.
//!
//! # Fails when
//! The least width does not grow with the sizes; then the targets are restricted to slices that are wide enough (loop splitting, H-14).
//!
//! # Example
//! Modified Gram-Schmidt: time k, neutral j, width i; the hub is the last link of the sum R[k][j].
//!
//! # References
//! Olivry et al., IOLB; theory H-5 to H-15.

mod pattern;
mod places;
mod width;

use redblue_cert::Proof;
use redblue_cert::certificate::{self as cert, Capacity, Group, Phases, Sharing};
use redblue_math::rational::int;
use redblue_math::{Matrix, Subspace};

use self::pattern::Pattern;
use self::width::Width;
use crate::analysis::Search;
use crate::error::Result;
use crate::family::{Family, Seed, Trace, Words};
use crate::graph::Graph;
use crate::seeds::seeds;
use crate::targets::Targets;

/// Most proofs that are proposed.
const MOST_PROOFS: usize = 12;

/// Proofs for all hourglasses of the graph.
pub(crate) fn find(search: &Search<'_>) -> Result<()> {
    let graph = search.graph;
    let mut proposed = 0;
    for node in 0..graph.nodes.len() {
        for pattern in pattern::of_node(graph, node)? {
            let mut targets = Targets::of_node(graph, node)?;
            let pattern = match places::of_ticks(graph, node, &pattern)? {
                Some(tick) => {
                    targets.place(pattern.time, &tick)?;
                    pattern.renumbered(&tick)?
                }
                None => pattern,
            };
            for width in width::choices(graph, &targets, &pattern)? {
                if search.is_over() || proposed >= MOST_PROOFS {
                    return Ok(());
                }
                let proofs = glass(graph, &targets, &pattern, &width)?;
                proposed += proofs.len();
                search.propose(proofs);
            }
        }
    }
    Ok(())
}

/// The proofs for targets of one width.
fn glass(graph: &Graph, all: &Targets, pattern: &Pattern, width: &Width) -> Result<Vec<Proof>> {
    let mut targets = all.clone();
    for part in &mut targets.parts {
        part.set = width.targets.clone();
    }
    let others: Vec<usize> = pattern.neutral.clone();
    let time = [pattern.time];
    let Some((columns, targets)) = family(graph, &targets, pattern, &others, &time, None)? else {
        return Ok(Vec::new());
    };
    // A column is a column in both families: its words keep their labels.
    let same = (others.len() == 1).then_some(&columns.trace);
    let Some((rows, targets)) = family(graph, &targets, pattern, &time, &others, same)? else {
        return Ok(Vec::new());
    };
    let one = int(1);
    let (Some(columns), Some(rows)) = (columns.write(graph, &one)?, rows.write(graph, &one)?)
    else {
        return Ok(Vec::new());
    };
    let mut proofs = Vec::new();
    for sharing in [
        Sharing::FarColumns,
        Sharing::Columns,
        Sharing::Disjoint,
        Sharing::Any,
    ] {
        let columns_only = matches!(sharing, Sharing::FarColumns | Sharing::Columns);
        if columns_only != (pattern.neutral.len() == 1) {
            continue;
        }
        let capacity = Capacity::Hourglass(cert::Hourglass {
            time: pattern.time,
            step: pattern.step,
            neutral: pattern.neutral.clone(),
            width: pattern.width,
            least_width: width.least.clone(),
            sharing,
            hubs: pattern.hubs(graph)?,
            into: pattern.into(graph)?,
            out_of: pattern.out_of(graph)?,
        });
        let group = Group {
            private: Vec::new(),
            targets: targets.texts(graph)?,
            families: vec![columns.clone(), rows.clone()],
            capacity,
        };
        proofs.push(Proof::Phases(Phases {
            groups: vec![group],
            lengths: lengths(sharing, &width.least),
        }));
    }
    Ok(proofs)
}

/// A family whose label is the width with some coordinates, constant along the others; and the targets it serves.
fn family(
    graph: &Graph,
    targets: &Targets,
    pattern: &Pattern,
    with: &[usize],
    along: &[usize],
    same: Option<&Trace>,
) -> Result<Option<(Family, Targets)>> {
    let dimension = targets.dimension;
    let unit = |at: usize| {
        (0..dimension)
            .map(|x| int(i64::from(x == at)))
            .collect::<Vec<_>>()
    };
    let kept = [&[pattern.width], with].concat();
    let projection = Matrix::new(dimension, kept.iter().map(|&at| unit(at)).collect())?;
    let kernel = Subspace::span(dimension, along.iter().map(|&at| unit(at)).collect())?;
    let mut best: Option<(usize, Family, Targets)> = None;
    for seed in seeds(graph, targets)? {
        if Subspace::kernel(&seed.projection) != kernel || seed.shallow {
            continue;
        }
        let seed = Seed {
            projection: projection.clone(),
            ..seed
        };
        let Some(trace) = Trace::along(graph, targets, seed, same)? else {
            continue;
        };
        let family = trace.family(graph, targets, &Words::new())?;
        let mut served = targets.clone();
        if family
            .unserved
            .iter()
            .map(redblue_poly::Set::is_empty)
            .any(|e| !e.unwrap_or(false))
        {
            served = targets.without(&family.unserved)?;
        }
        if served.is_empty()? {
            continue;
        }
        // Fewer terminals are better, and no terminals at all are best.
        let cost = family.terminals.len();
        if best.as_ref().is_none_or(|(least, ..)| cost < *least) {
            let family = trace.family(graph, &served, &Words::new())?;
            best = Some((cost, family, served));
        }
    }
    Ok(best.map(|(_, family, served)| (family, served)))
}

/// Phase lengths worth a formula; at given sizes the best one is found anew.
fn lengths(sharing: Sharing, least: &str) -> Vec<cert::Formula> {
    let flat = match sharing {
        Sharing::Any => format!("floor({least}) - 1 - S"),
        Sharing::Columns => format!("3*floor({least}) - S"),
        Sharing::Disjoint | Sharing::FarColumns => format!("6*floor({least}) - S"),
    };
    vec!["S".to_owned(), flat]
}
