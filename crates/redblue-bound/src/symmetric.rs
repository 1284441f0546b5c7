//! Symmetric accesses: two operands read one array, exchanged by a swap of loops.
//!
//! # Statement
//! A node over (i, j, k) reads `A[i][k]` and `A[j][k]`, accumulates along k into (i, j), and its counted instances
//! lie on one side of the diagonal. Then `loads > √2·V/√S − S − |Z|` instead of the `V/√S` that two accesses of one array
//! give otherwise; with m such pairs of different arrays, m times that.
//!
//! # Assumptions
//! No two counted instances are exchanged by the swap. The words of the chain and of each pair are different; values
//! that are computed and could be words of the chain too are stopped at and subtracted as |Z|.
//!
//! # Certificate
//! A phase argument with capacity `symmetric`: for the rows R_k met in slice k, |E_k| ≤ |R_k|²/2 and
//! |E_k| ≤ x give |E| ≤ √(x/2)·Σ|R_k|, and x + m·Σ|R_k| ≤ K, hence U(K) = (√2/m)·(K/3)^{3/2}.
//!
//! # Fails when
//! The two accesses are not exchanged by a permutation of loops (reversed or moved by a constant or a size), or on a full square domain, where half of the
//! instances has to be given up.
//!
//! # Example
//! `syrk`: M·N²/(√2·√S). `cholesky`: N³/(3√2·√S).
//!
//! # References
//! Beaumont, Eyraud-Dubois, Langou, Vérité, I/O-optimal algorithms for symmetric linear algebra kernels, SPAA 2022.

use redblue_cert::Proof;
use redblue_cert::certificate::{Capacity, Group, Phases};
use redblue_math::Matrix;
use redblue_math::rational::int;
use redblue_poly::{PwAff, Set};

use crate::analysis::Search;
use crate::error::Result;
use crate::family::{self, Family, Seed, Trace, Words, common};
use crate::graph::{Arrow, Graph, Piece, Source};
use crate::label;
use crate::places;
use crate::targets::Targets;

/// Most coordinates in i: their orders are tried one by one.
const MOST_SWAPPED: usize = 3;

/// Coordinates of a node: i and j are exchanged, k stays.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Swap {
    i: Vec<usize>,
    j: Vec<usize>,
    k: Vec<usize>,
    /// Where instances lie: at their coordinates, but with each j moved, and reversed if need be, until an access at i and
    /// one at j = i mean the same cell.
    places: Matrix,
}

/// A node with a symmetry: the operands that read (i, k) and (j, k), pair by pair, and the others.
struct Pattern {
    node: usize,
    swap: Swap,
    pairs: Vec<(usize, usize)>,
    others: Vec<usize>,
}

/// All proofs of this kind.
pub fn find(search: &Search<'_>) -> Result<()> {
    let all = 0..search.graph.nodes.len();
    among(search, search.graph, all.collect())?;
    if let Some(graph) = search.absorbed {
        let nodes = (0..graph.nodes.len()).filter(|&node| graph.has_private(node));
        among(search, graph, nodes.collect())?;
    }
    Ok(())
}

/// The proofs for some nodes.
fn among(search: &Search<'_>, graph: &Graph, nodes: Vec<usize>) -> Result<()> {
    for node in nodes {
        for pattern in patterns(graph, node) {
            for targets in pattern.sides(graph)? {
                if search.is_over() {
                    return Ok(());
                }
                search.propose(pattern.argument(graph, &targets)?.map(Proof::Phases));
            }
        }
    }
    Ok(())
}

/// The symmetries of a node.
fn patterns(graph: &Graph, node: usize) -> Vec<Pattern> {
    let mut found: Vec<Pattern> = Vec::new();
    let arrows: Vec<&Arrow> = graph.arrows_of(node).map(|(_, arrow)| arrow).collect();
    let mut operands: Vec<usize> = arrows.iter().map(|arrow| arrow.operand).collect();
    operands.dedup();
    for (at, &one) in arrows.iter().enumerate() {
        for &other in &arrows[at + 1..] {
            if one.source != other.source || one.operand == other.operand {
                continue;
            }
            let (Some(first), Some(second)) = (uniform(one), uniform(other)) else {
                continue;
            };
            // Of the two ways to call them, the first coordinate of all is one of i.
            let swap = exchanged(first, second);
            let (swap, pair) = match swap.filter(|swap| swap.i < swap.j) {
                Some(swap) => (Some(swap), (one.operand, other.operand)),
                None => (exchanged(second, first), (other.operand, one.operand)),
            };
            let Some(swap) = swap else { continue };
            match found.iter_mut().find(|known| known.swap == swap) {
                Some(known) => known.pairs.push(pair),
                None => found.push(Pattern {
                    node,
                    swap,
                    pairs: vec![pair],
                    others: Vec::new(),
                }),
            }
        }
    }
    for pattern in &mut found {
        let paired = |operand: &usize| {
            pattern
                .pairs
                .iter()
                .any(|pair| pair.0 == *operand || pair.1 == *operand)
        };
        pattern.others = operands
            .iter()
            .copied()
            .filter(|operand| !paired(operand))
            .collect();
    }
    found
}

/// The function that an arrow is on all its pieces of full dimension.
fn uniform(arrow: &Arrow) -> Option<&Piece> {
    let mut full = arrow.pieces.iter().filter(|piece| piece.is_full());
    let first = full.next()?;
    full.all(|piece| piece.step == first.step).then_some(first)
}

/// The swap of coordinates that turns one access into the other: the first sees (i, k), the second (j, k).
fn exchanged(one: &Piece, other: &Piece) -> Option<Swap> {
    let dims = one.domain.n_dim();
    let unused = |piece: &Piece| -> Option<Vec<usize>> {
        let linear = piece.linear();
        let seen = |dim: &usize| linear.rows().iter().any(|row| row[*dim] != int(0));
        let (used, unused): (Vec<usize>, Vec<usize>) = (0..dims).partition(seen);
        (linear.rank() == used.len()).then_some(unused)
    };
    let (j, i) = (unused(one)?, unused(other)?);
    if i.is_empty() || i.len() != j.len() || i.iter().any(|dim| j.contains(dim)) {
        return None;
    }
    let k = (0..dims)
        .filter(|dim| !i.contains(dim) && !j.contains(dim))
        .collect::<Vec<usize>>();
    orders(&j).into_iter().find_map(|j| {
        let places = places(one, other, (&i, &j, &k))?;
        Some(Swap {
            i: i.clone(),
            j,
            k: k.clone(),
            places,
        })
    })
}

/// The places of instances for which the second access is the first one with i and j exchanged.
fn places(one: &Piece, other: &Piece, (i, j, k): (&[usize], &[usize], &[usize])) -> Option<Matrix> {
    let dims = one.domain.n_dim();
    let (columns, sources) = (one.step.columns(), places::sources(&one.step, dims));
    let column = |piece: &Piece, at: usize| places::column(&piece.step, sources, at);
    if k.iter().any(|&at| column(one, at) != column(other, at)) {
        return None;
    }
    let pairs = i.iter().zip(j);
    let pairs: Vec<_> = pairs
        .map(|(&i, &j)| (column(one, i), column(other, j)))
        .collect();
    let moved = (dims..columns).map(|at| places::minus(&column(other, at), &column(one, at)));
    let placed = places::aligned(&pairs, &moved.collect::<Vec<_>>())?;
    let mut rows = Matrix::identity(columns).rows()[..dims].to_vec();
    for (&j, place) in j.iter().zip(placed) {
        rows[j] = place.row(dims, j);
    }
    Matrix::new(columns, rows).ok()
}

/// All orders of a short list.
fn orders(items: &[usize]) -> Vec<Vec<usize>> {
    if items.is_empty() {
        return vec![Vec::new()];
    }
    if items.len() > MOST_SWAPPED {
        return Vec::new();
    }
    let mut all = Vec::new();
    for (at, &item) in items.iter().enumerate() {
        let rest = [&items[..at], &items[at + 1..]].concat();
        all.extend(
            orders(&rest)
                .into_iter()
                .map(|order| [vec![item], order].concat()),
        );
    }
    all
}

impl Pattern {
    /// The targets with i before j, and those with j before i.
    fn sides(&self, graph: &Graph) -> Result<Vec<Targets>> {
        let mut all = Targets::of_node(graph, self.node)?;
        all.parts[0].embedding = self.swap.places.clone();
        let mut sides = Vec::new();
        for side in self.split(&all.parts[0].set)? {
            if !side.is_empty()? {
                let mut targets = all.clone();
                targets.parts[0].set = side;
                sides.push(targets);
            }
        }
        Ok(sides)
    }

    /// The parts of a set of instances with i before j, and with j before i.
    fn split(&self, instances: &Set) -> Result<[Set; 2]> {
        let places = label::to_map(&self.swap.places, &instances.space()?)?;
        let points = instances.apply(&places)?;
        let space = points.space()?;
        let (mut above, mut below) = (Set::empty(&space)?, Set::empty(&space)?);
        let mut equal = points;
        for (&i, &j) in self.swap.i.iter().zip(&self.swap.j) {
            let (i, j) = (PwAff::dim(&space, i)?, PwAff::dim(&space, j)?);
            above = above.union(&equal.intersect(&i.lt_set(&j)?)?)?;
            below = below.union(&equal.intersect(&i.gt_set(&j)?)?)?;
            equal = equal.intersect(&i.eq_set(&j)?)?;
        }
        let back = places.reverse()?;
        Ok([
            above.apply(&back)?.coalesce()?,
            below.apply(&back)?.coalesce()?,
        ])
    }

    /// The chain without words on the other side of the diagonal, which no path from the targets meets: its label
    /// is (i, j).
    fn on_side(&self, graph: &Graph, targets: &Targets, mut chain: Family) -> Result<Family> {
        let mut side = Set::empty(&graph.nodes[self.node].domain.space()?)?;
        for part in self.split(&graph.nodes[self.node].domain)? {
            if !part.is_disjoint(&targets.parts[0].set)? {
                side = side.union(&part)?;
            }
        }
        if let Some(words) = chain.words.get_mut(&Source::Node(self.node)) {
            *words = words.intersect(&side)?.coalesce()?;
        }
        if let Some(terminals) = chain.terminals.get_mut(&self.node) {
            *terminals = terminals.intersect(&side)?.coalesce()?;
        }
        Ok(chain)
    }

    /// The phase argument for targets on one side of the diagonal, if the words of its families can be kept apart.
    fn argument(&self, graph: &Graph, targets: &Targets) -> Result<Option<Phases>> {
        let Swap { i, j, k, .. } = &self.swap;
        for operand in &self.others {
            let Some(chain) = self.family(graph, targets, &[i, j], *operand, true, false)? else {
                continue;
            };
            let chain = self.on_side(graph, targets, chain)?;
            // Values are followed back to inputs unless that leads to words of the chain.
            'depths: for shallow in [false, true] {
                let mut families = vec![chain.clone()];
                let mut pairs = Vec::new();
                for &(first, second) in &self.pairs {
                    pairs.push((families.len(), families.len() + 1));
                    for (rows, operand) in [([i, k], first), ([j, k], second)] {
                        match self.family(graph, targets, &rows, operand, false, shallow)? {
                            Some(family) => families.push(family),
                            None => continue 'depths,
                        }
                    }
                }
                if apart(&families, &pairs)?
                    && let Some(phases) = self.phases(graph, targets, &families, pairs)?
                {
                    return Ok(Some(phases));
                }
            }
        }
        Ok(None)
    }

    /// The family whose label is some coordinates, from one operand on.
    fn family(
        &self,
        graph: &Graph,
        targets: &Targets,
        coordinates: &[&Vec<usize>],
        operand: usize,
        chain: bool,
        shallow: bool,
    ) -> Result<Option<Family>> {
        let unit = |at: &usize| {
            (0..targets.dimension)
                .map(|dim| int(i64::from(dim == *at)))
                .collect()
        };
        let rows = coordinates.iter().copied().flatten().map(unit).collect();
        let seed = Seed {
            projection: Matrix::new(targets.dimension, rows)?,
            operands: vec![operand],
            chain,
            shallow,
        };
        let Some(trace) = Trace::new(graph, targets, seed)? else {
            return Ok(None);
        };
        let family = trace.family(graph, targets, &Words::new())?;
        for unserved in &family.unserved {
            if !unserved.is_empty()? {
                return Ok(None);
            }
        }
        Ok(Some(family))
    }

    fn phases(
        &self,
        graph: &Graph,
        targets: &Targets,
        families: &[Family],
        pairs: Vec<(usize, usize)>,
    ) -> Result<Option<Phases>> {
        let mut written = Vec::new();
        for family in families {
            let Some(family) = family.write(graph, &int(1))? else {
                return Ok(None);
            };
            written.push(family);
        }
        let Swap { i, j, k, .. } = self.swap.clone();
        let group = Group {
            targets: targets.texts(graph)?,
            private: family::owners(graph, targets, families)?,
            families: written,
            capacity: Capacity::Symmetric {
                i,
                j,
                k,
                chain: 0,
                pairs,
            },
        };
        Ok(Some(Phases {
            groups: vec![group],
            lengths: vec!["2*S".into()],
        }))
    }
}

/// Whether the chain and the pairs use different words.
fn apart(families: &[Family], pairs: &[(usize, usize)]) -> Result<bool> {
    let partner = |one: usize, other: usize| pairs.contains(&(one, other));
    for (one, first) in families.iter().enumerate() {
        for (other, second) in families.iter().enumerate().skip(one + 1) {
            if !partner(one, other) && !common(&first.words, &second.words)?.is_empty() {
                return Ok(false);
            }
        }
    }
    Ok(true)
}

#[cfg(test)]
mod tests;
