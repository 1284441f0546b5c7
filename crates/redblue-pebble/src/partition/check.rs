//! Checking S- and X-partitions, and the partition that a play induces.

use super::sets::{minimum_dominator, minimum_set};
use crate::cdag::{Cdag, Vertex};
use crate::game::Move;

/// Why a list of parts is not an X-partition.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Violation {
    /// A part names a vertex that does not exist.
    #[error("part {part} names vertex {vertex}, which does not exist")]
    NoSuchVertex {
        /// Index of the part.
        part: usize,
        /// The vertex.
        vertex: Vertex,
    },
    /// A vertex is in two parts (or twice in one).
    #[error("vertex {vertex} is in parts {first} and {second}")]
    Overlap {
        /// The vertex.
        vertex: Vertex,
        /// Index of the part that has it first.
        first: usize,
        /// Index of the part that has it again.
        second: usize,
    },
    /// A vertex that is not an input is in no part.
    #[error("vertex {vertex} is in no part")]
    NotCovered {
        /// The vertex.
        vertex: Vertex,
    },
    /// Parts depend on each other in a circle.
    #[error("parts {first} and {second} depend on each other")]
    Cyclic {
        /// Index of a part.
        first: usize,
        /// Index of another part.
        second: usize,
    },
    /// Every dominator of a part is too large.
    #[error("part {part} needs a dominator of {size} vertices")]
    Dominator {
        /// Index of the part.
        part: usize,
        /// Size of its smallest dominator.
        size: usize,
    },
    /// The minimum set of a part is too large.
    #[error("part {part} has a minimum set of {size} vertices")]
    MinimumSet {
        /// Index of the part.
        part: usize,
        /// Size of its minimum set.
        size: usize,
    },
}

/// Checks that `parts` is an X-partition (theory C-2; an S-partition for `x = S`): disjoint, every
/// computed vertex covered, no circular dependence between parts, and for each part a dominator and
/// a minimum set of at most `x` vertices. Inputs may be in parts or not.
///
/// # Errors
/// The first violation.
pub fn check_partition(graph: &Cdag, parts: &[Vec<Vertex>], x: usize) -> Result<(), Violation> {
    let mut part_of: Vec<Option<usize>> = vec![None; graph.len()];
    for (part, members) in parts.iter().enumerate() {
        for &vertex in members {
            let Some(slot) = part_of.get_mut(vertex) else {
                return Err(Violation::NoSuchVertex { part, vertex });
            };
            if let Some(first) = slot.replace(part) {
                return Err(Violation::Overlap {
                    vertex,
                    first,
                    second: part,
                });
            }
        }
    }
    let uncovered = |&v: &Vertex| part_of[v].is_none() && !graph.is_input(v);
    if let Some(vertex) = (0..graph.len()).find(uncovered) {
        return Err(Violation::NotCovered { vertex });
    }
    check_acyclic(graph, &part_of, parts.len())?;
    for (part, members) in parts.iter().enumerate() {
        let size = minimum_dominator(graph, members).len();
        if size > x {
            return Err(Violation::Dominator { part, size });
        }
        let size = minimum_set(graph, members).len();
        if size > x {
            return Err(Violation::MinimumSet { part, size });
        }
    }
    Ok(())
}

fn check_acyclic(graph: &Cdag, part_of: &[Option<usize>], parts: usize) -> Result<(), Violation> {
    let mut links: Vec<(usize, usize)> = graph
        .edges()
        .filter_map(|(u, v)| Some((part_of[u]?, part_of[v]?)))
        .filter(|(first, second)| first != second)
        .collect();
    links.sort_unstable();
    links.dedup();
    match Cdag::from_parts(parts, &links, None, None) {
        Ok(_) => Ok(()),
        Err(crate::Error::Cycle { cycle }) => Err(Violation::Cyclic {
            first: cycle[0],
            second: cycle[cycle.len() - 2],
        }),
        // Indices are in range and links are listed once, so a cycle is the only refusal.
        Err(_) => Ok(()),
    }
}

/// Cuts a play after every `length` loads and stores and lists the vertices first computed in each
/// piece. For a play without recomputation and `length = S` the pieces that compute something form
/// a 2S-partition (theory G-9).
pub fn phases(play: &[Move], length: usize) -> Vec<Vec<Vertex>> {
    let mut parts: Vec<Vec<Vertex>> = vec![Vec::new()];
    let mut seen = std::collections::BTreeSet::new();
    let mut io = 0;
    for step in play {
        match *step {
            Move::Load(_) | Move::Store(_) => {
                if io == length {
                    parts.push(Vec::new());
                    io = 0;
                }
                io += 1;
            }
            Move::Compute(v) | Move::Slide { to: v, .. } => {
                if seen.insert(v)
                    && let Some(part) = parts.last_mut()
                {
                    part.push(v);
                }
            }
            Move::Delete(_) => {}
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate;

    fn check(parts: &[&[Vertex]], x: usize, expect: &str) {
        // Inputs 0..3, middle 3 and 4, top 5.
        let graph = generate::pyramid(2).expect("fine");
        let parts: Vec<Vec<Vertex>> = parts.iter().map(|part| part.to_vec()).collect();
        let verdict = match check_partition(&graph, &parts, x) {
            Ok(()) => "fine".to_string(),
            Err(violation) => violation.to_string(),
        };
        assert_eq!(verdict, expect);
    }

    #[test]
    fn violations_are_named() {
        check(&[&[3, 4], &[5]], 2, "fine");
        check(
            &[&[3, 4], &[5]],
            1,
            "part 0 needs a dominator of 2 vertices",
        );
        check(&[&[0, 1, 2, 3, 4, 5]], 3, "fine");
        check(
            &[&[0, 1, 2], &[3, 4, 5]],
            2,
            "part 0 needs a dominator of 3 vertices",
        );
        check(&[&[3], &[5]], 9, "vertex 4 is in no part");
        check(&[&[3, 4], &[4, 5]], 9, "vertex 4 is in parts 0 and 1");
        check(
            &[&[3, 5, 9], &[4]],
            9,
            "part 0 names vertex 9, which does not exist",
        );
        check(&[&[1, 5], &[3, 4]], 9, "parts 0 and 1 depend on each other");
    }
}
