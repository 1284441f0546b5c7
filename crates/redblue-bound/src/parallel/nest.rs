//! Projective loop nests (D-1): a box of operations, and arrays indexed by some of its loops each.

use redblue_math::polyhedron::undominated;
use redblue_math::rational::{int, ratio};
use redblue_math::{Expr, Polyhedron, Rational};
use redblue_poly::Set;

use crate::error::Result;
use crate::graph::{Arrow, Graph, Source};

/// Most rays while the vertices of the exponents are enumerated.
const MOST_RAYS: usize = 2000;

/// A projective loop nest with symbolic lengths.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Nest {
    /// The lengths of the loops.
    pub lengths: Vec<Expr>,
    /// The arrays: program inputs, then the result.
    pub arrays: Vec<Array>,
}

/// An array of a nest.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Array {
    /// Its name; `None` for the result.
    pub name: Option<String>,
    /// The loops that index it.
    pub support: Vec<usize>,
}

impl Nest {
    /// The nest that a program is, if it is one: a single operation over a box whose operands are different
    /// inputs, each indexed by some of the loops, and one running value per result.
    pub fn of(graph: &Graph) -> Result<Option<Nest>> {
        let accumulates = |&node: &usize| {
            let mut arrows = graph.arrows_of(node);
            arrows.any(|(_, arrow)| arrow.source == Source::Node(node))
        };
        let sums: Vec<usize> = (0..graph.nodes.len()).filter(accumulates).collect();
        match (&sums[..], graph.nodes.len()) {
            ([node], _) => nest_of(graph, *node),
            ([], 1) => nest_of(graph, 0),
            _ => Ok(None),
        }
    }

    /// Π L_i, the number of operations.
    pub fn work(&self) -> Expr {
        self.lengths
            .iter()
            .fold(Expr::one(), |work, length| work * length)
    }

    /// |A_j|.
    pub fn size(&self, array: usize) -> Expr {
        let support = self.arrays[array].support.iter();
        support.fold(Expr::one(), |size, &i| size * &self.lengths[i])
    }

    /// Σ|A_j|.
    pub fn words(&self) -> Expr {
        (0..self.arrays.len()).fold(Expr::zero(), |words, j| words + self.size(j))
    }

    /// Whether the supports are those of a matrix product.
    pub fn is_matrix_product(&self) -> bool {
        let mut supports: Vec<&[usize]> =
            self.arrays.iter().map(|array| &array.support[..]).collect();
        supports.sort_unstable();
        supports == [&[0, 1][..], &[0, 2], &[1, 2]]
    }

    /// Exponents that cover every loop: the undominated vertices, and the mean of those with the least sum.
    pub(super) fn exponents(&self) -> Result<Vec<Vec<Rational>>> {
        let mut region = Polyhedron::new(self.arrays.len());
        region.require_nonnegative();
        for i in 0..self.lengths.len() {
            let covers = |array: &Array| int(i64::from(array.support.contains(&i)));
            region.require(self.arrays.iter().map(covers).collect(), int(1))?;
        }
        let mut found = undominated(region.generators(MOST_RAYS)?.vertices);
        let sum = |vertex: &Vec<Rational>| vertex.iter().sum::<Rational>();
        if let Some(least) = found.iter().map(sum).min() {
            let face: Vec<&Vec<Rational>> =
                found.iter().filter(|vertex| sum(vertex) == least).collect();
            let share = ratio(1, 1) / int(face.len());
            let mean = (0..self.arrays.len())
                .map(|j| face.iter().map(|vertex| &vertex[j]).sum::<Rational>() * &share);
            let mean: Vec<Rational> = mean.collect();
            if !found.contains(&mean) {
                found.push(mean);
            }
        }
        Ok(found)
    }
}

/// The nest of one operation.
fn nest_of(graph: &Graph, reader: usize) -> Result<Option<Nest>> {
    let node = &graph.nodes[reader];
    let Some(lengths) = lengths(&node.domain, &graph.context)? else {
        return Ok(None);
    };
    let dims = lengths.len();
    let mut arrays = Vec::new();
    let mut kept: Vec<usize> = (0..dims).collect();
    for (_, arrow) in graph.arrows_of(reader) {
        match arrow.source {
            Source::Node(source) if arrow.accumulates => {
                if source == reader {
                    kept.retain(|&dim| keeps(arrow, dim));
                }
            }
            Source::Node(_) => return Ok(None),
            // A sum that starts from an input reads each of its words once; that is the result's own array.
            Source::Input(_) if arrow.accumulates => {}
            Source::Input(input) => {
                let Some(support) = support(arrow, &node.domain)? else {
                    return Ok(None);
                };
                let name = Some(graph.inputs[input].name.clone());
                if arrays.iter().any(|array: &Array| array.name == name) {
                    return Ok(None);
                }
                arrays.push(Array { name, support });
            }
        }
    }
    // One final value per accumulator.
    let results = keep(&node.results, &kept)?;
    if !results.is_equal(&keep(&node.domain, &kept)?)? || !injective(&node.results, &kept)? {
        return Ok(None);
    }
    arrays.retain(|array| !array.support.is_empty());
    arrays.push(Array {
        name: None,
        support: kept,
    });
    let covered = (0..dims).all(|dim| arrays.iter().any(|array| array.support.contains(&dim)));
    Ok((covered && arrays.len() > 1).then_some(Nest { lengths, arrays }))
}

/// The lengths of the loops, if the domain is a box.
fn lengths(domain: &Set, context: &Set) -> Result<Option<Vec<Expr>>> {
    // Lengths of loops that run at all; for the other sizes some length is zero.
    let context = &context.intersect(&domain.params()?)?;
    let mut lengths = Vec::new();
    let mut hull: Option<Set> = None;
    for dim in 0..domain.n_dim() {
        let line = keep(domain, &[dim])?;
        let Some(length) = line.count_within(context)?.to_expr()? else {
            return Ok(None);
        };
        lengths.push(length);
        hull = Some(match hull {
            None => line,
            Some(hull) => hull.flat_product(&line)?,
        });
    }
    let Some(hull) = hull else {
        return Ok(None);
    };
    let plain = keep(domain, &(0..domain.n_dim()).collect::<Vec<_>>())?;
    let within = |set: &Set| set.intersect_params(context);
    Ok(within(&hull)?
        .is_equal(&within(&plain)?)?
        .then_some(lengths))
}

/// The projection onto some dimensions, without a tuple name.
fn keep(set: &Set, dims: &[usize]) -> Result<Set> {
    let mut set = set.drop_tuple_name()?;
    for dim in (0..set.n_dim()).rev().filter(|dim| !dims.contains(dim)) {
        set = set.project_out(dim, 1)?;
    }
    Ok(set)
}

/// Whether different points of the set differ in the given dimensions.
fn injective(set: &Set, dims: &[usize]) -> Result<bool> {
    let mut map = set.identity()?;
    for dim in (0..set.n_dim()).rev().filter(|dim| !dims.contains(dim)) {
        map = map.project_out_out(dim, 1)?;
    }
    Ok(map.is_injective()?)
}

/// Whether a chain never changes a coordinate.
fn keeps(arrow: &Arrow, dim: usize) -> bool {
    arrow.pieces.iter().all(|piece| {
        let row = piece.step.rows()[dim].iter().enumerate();
        row.into_iter()
            .all(|(at, entry)| *entry == int(i64::from(at == dim)))
    })
}

/// The loops that index the operand, if it is read everywhere and different indices are different cells.
fn support(arrow: &Arrow, domain: &Set) -> Result<Option<Vec<usize>>> {
    let Some(piece) = arrow.pieces.first() else {
        return Ok(None);
    };
    let uniform = arrow.pieces.iter().all(|other| other.step == piece.step);
    if !uniform || !domain.is_subset(&arrow.relation.domain()?)? {
        return Ok(None);
    }
    let linear = piece.linear();
    let dims = linear.columns();
    let used = |dim: &usize| linear.rows().iter().any(|row| row[*dim] != int(0));
    let support: Vec<usize> = (0..dims).filter(used).collect();
    // Projective: what the access does not see is spanned by the loops it does not use.
    Ok((linear.rank() == support.len()).then_some(support))
}
