//! Exponents of the discrete Brascamp-Lieb inequality (G-12, D-3, D-8).
//!
//! ```text
//! rank H ≤ Σ_j s_j·rank φ_j(H) + Σ_i ζ_i·rank ψ_i(H)      for Q^d and every H in the lattice of the kernels
//! ```
//!
//! The admissible (s, ζ) form a polyhedron. Its vertices, reduced to the undominated pairs (σ, ζ) with σ = Σ s_j, are
//! the *regimes*: one for every set of coordinates that are short. Within a regime all s on the optimal face are
//! admissible, and a point inside it usually gives a better constant than a vertex.

use std::collections::BTreeSet;

use redblue_math::polyhedron::undominated;
use redblue_math::rational::int;
use redblue_math::{Lattice, Matrix, Polyhedron, Rational, Subspace};

use crate::error::Result;

/// Most subspaces in the lattice of a block.
const MOST_SUBSPACES: usize = 80;
/// Most rays while vertices are enumerated.
const MOST_RAYS: usize = 3000;
/// Most half-spaces.
const MOST_ROWS: usize = 100;

/// One regime.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Regime {
    /// ζ, one per coordinate that was offered.
    pub extents: Vec<Rational>,
    /// The sum of the exponents.
    pub sigma: Rational,
    /// Admissible s with that sum: the vertices of the optimal face, then their mean.
    pub choices: Vec<Vec<Rational>>,
}

/// The regimes of projections, with the coordinates (linear forms) of limited extent offered in `coordinates`.
/// Empty if no exponents are admissible or if the search is too large.
pub fn regimes(
    dimension: usize,
    projections: &[&Matrix],
    coordinates: &[Matrix],
) -> Result<Vec<Regime>> {
    let maps: Vec<&Matrix> = projections.iter().copied().chain(coordinates).collect();
    let kernels: Vec<Subspace> = maps.iter().map(|map| Subspace::kernel(map)).collect();
    let mut subspaces = BTreeSet::new();
    for block in blocks(dimension, &kernels) {
        let generators = kernels.iter().map(|kernel| part(kernel, &block));
        let generators = generators.chain([part(&Subspace::full(dimension), &block)]);
        let generators = generators.collect::<Result<Vec<Subspace>>>()?;
        let Ok(lattice) = Lattice::closure(generators, MOST_SUBSPACES) else {
            return Ok(Vec::new());
        };
        subspaces.extend(lattice.members().cloned());
    }
    let rows = rank_rows(&subspaces, &maps)?;
    if rows.len() + maps.len() > MOST_ROWS {
        return Ok(Vec::new());
    }
    let mut polyhedron = Polyhedron::new(maps.len());
    polyhedron.require_nonnegative();
    for (ranks, rank) in rows {
        let normal = ranks.into_iter().map(int).collect();
        polyhedron.require(normal, int(rank))?;
    }
    let Ok(generators) = polyhedron.generators(MOST_RAYS) else {
        return Ok(Vec::new());
    };
    let split = projections.len();
    let key = |vertex: &Vec<Rational>| -> Vec<Rational> {
        let sigma = vertex[..split].iter().sum();
        std::iter::once(sigma)
            .chain(vertex[split..].iter().cloned())
            .collect()
    };
    let best = undominated(generators.vertices.iter().map(key).collect());
    let regime = |best: Vec<Rational>| {
        let face = generators
            .vertices
            .iter()
            .filter(|vertex| key(vertex) == best);
        let mut choices: Vec<Vec<Rational>> = face.map(|vertex| vertex[..split].to_vec()).collect();
        let mean = (0..split).map(|at| {
            let sum: Rational = choices.iter().map(|choice| &choice[at]).sum();
            sum / int(choices.len())
        });
        let mean: Vec<Rational> = mean.collect();
        if !choices.contains(&mean) {
            choices.push(mean);
        }
        Regime {
            sigma: best[0].clone(),
            extents: best[1..].to_vec(),
            choices,
        }
    };
    Ok(best.into_iter().map(regime).collect())
}

/// The finest partition of the coordinates such that every kernel is the sum of its parts in the blocks.
///
/// Then so is every member of the lattice, ranks of images add up over blocks, and the inequalities of the lattices of the
/// blocks imply all others. For projections onto coordinates the blocks are the axes (D-3).
fn blocks(dimension: usize, kernels: &[Subspace]) -> Vec<Vec<usize>> {
    let mut block: Vec<usize> = (0..dimension).collect();
    for row in kernels.iter().flat_map(|kernel| kernel.basis().rows()) {
        let support = (0..dimension).filter(|&at| row[at] != int(0));
        let support: Vec<usize> = support.map(|at| block[at]).collect();
        if let Some(&first) = support.first() {
            for entry in block.iter_mut().filter(|entry| support.contains(entry)) {
                *entry = first;
            }
        }
    }
    let members = |name: usize| (0..dimension).filter(|&at| block[at] == name).collect();
    (0..dimension)
        .map(members)
        .filter(|members: &Vec<usize>| !members.is_empty())
        .collect()
}

/// The part of a subspace in a block: the basis vectors that are supported there.
fn part(subspace: &Subspace, block: &[usize]) -> Result<Subspace> {
    let inside = |row: &&Vec<Rational>| {
        let mut support = (0..row.len()).filter(|&at| row[at] != int(0));
        support.all(|at| block.contains(&at))
    };
    let rows = subspace.basis().rows().iter().filter(inside).cloned();
    Ok(Subspace::span(subspace.ambient(), rows.collect())?)
}

/// The rank inequalities `(ranks of images, rank)`, without those that are sums of others.
fn rank_rows<'l>(
    subspaces: impl IntoIterator<Item = &'l Subspace>,
    maps: &[&Matrix],
) -> Result<Vec<(Vec<i64>, i64)>> {
    let mut all: Vec<(Vec<i64>, i64)> = Vec::new();
    for subspace in subspaces {
        let mut ranks = Vec::new();
        for map in maps {
            ranks.push(subspace.image(map)?.rank() as i64);
        }
        let row = (ranks, subspace.rank() as i64);
        if row.1 > 0 && !all.contains(&row) {
            all.push(row);
        }
    }
    // An inequality follows from one with no larger ranks of images and no smaller rank, or from the sum of two.
    let follows = |row: &(Vec<i64>, i64), from: &[&(Vec<i64>, i64)]| {
        let rank: i64 = from.iter().map(|other| other.1).sum();
        let below = |at: usize| from.iter().map(|other| other.0[at]).sum::<i64>() <= row.0[at];
        rank >= row.1 && (0..row.0.len()).all(below)
    };
    let mut kept: Vec<(Vec<i64>, i64)> = Vec::new();
    all.sort_by_key(|row| row.1);
    for row in &all {
        let single = kept.iter().any(|other| follows(row, &[other]));
        let double = || {
            kept.iter()
                .enumerate()
                .any(|(at, one)| kept[at..].iter().any(|other| follows(row, &[one, other])))
        };
        if !single && !double() {
            kept.push(row.clone());
        }
    }
    Ok(kept)
}

#[cfg(test)]
mod tests {
    use redblue_math::rational::ratio;

    use super::*;

    /// Projections onto coordinates, and the coordinates themselves.
    fn coordinates(dimension: usize, supports: &[&[usize]]) -> Vec<Matrix> {
        let unit = |at: &usize| (0..dimension).map(|i| int(i64::from(i == *at))).collect();
        let matrix =
            |support: &&[usize]| Matrix::new(dimension, support.iter().map(unit).collect());
        supports
            .iter()
            .map(|support| matrix(support).expect("rows fit"))
            .collect()
    }

    fn pairs(dimension: usize, supports: &[&[usize]]) -> Vec<(Rational, Vec<Rational>)> {
        let projections = coordinates(dimension, supports);
        let axes: Vec<Vec<usize>> = (0..dimension).map(|at| vec![at]).collect();
        let axes: Vec<&[usize]> = axes.iter().map(Vec::as_slice).collect();
        let found = regimes(
            dimension,
            &projections.iter().collect::<Vec<_>>(),
            &coordinates(dimension, &axes),
        );
        found
            .expect("small")
            .into_iter()
            .map(|regime| (regime.sigma, regime.extents))
            .collect()
    }

    #[test]
    fn regimes_of_worked_examples() {
        // D-9.1: matrix product; P-4 lists the same five.
        let unit = |at: usize| (0..3).map(|i| int(i64::from(i == at))).collect::<Vec<_>>();
        let product = pairs(3, &[&[0, 2], &[0, 1], &[1, 2]]);
        assert_eq!(product.len(), 5);
        assert!(product.contains(&(ratio(3, 2), vec![int(0); 3])));
        assert!(product.contains(&(int(0), vec![int(1); 3])));
        for at in 0..3 {
            assert!(product.contains(&(int(1), unit(at))));
        }
        // n-body: two arrays with one index each.
        assert_eq!(pairs(2, &[&[0], &[1]]).len(), 4);
    }

    #[test]
    fn the_mean_of_the_optimal_face_of_a_convolution() {
        // In the (x, w) plane: output x, filter w, image x + w.
        let rows = [[1i64, 0], [0, 1], [1, 1]];
        let maps: Vec<Matrix> = rows
            .iter()
            .map(|row| Matrix::from_integers(&[*row]))
            .collect();
        let found = regimes(2, &maps.iter().collect::<Vec<_>>(), &[]).expect("small");
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].sigma, int(2));
        assert!(found[0].choices.contains(&vec![ratio(2, 3); 3]));
    }
}
