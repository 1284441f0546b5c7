//! What words tell about a point, and how many of them every point has.

use redblue_math::rational::int;
use redblue_math::{Expr, Matrix};
use redblue_poly::{Map, Set};

use crate::error::Result;
use crate::graph::Graph;
use crate::write;

/// The rows of the identity for some dimensions.
pub(crate) fn unit_rows(dimension: usize, dims: &[usize]) -> Vec<Vec<i64>> {
    let unit = |&at: &usize| (0..dimension).map(|dim| i64::from(dim == at)).collect();
    dims.iter().map(unit).collect()
}

/// From the points of a set to some of their coordinates.
pub(crate) fn coordinates(set: &Set, dims: &[usize]) -> Result<Map> {
    let rows = unit_rows(set.n_dim(), dims).into_iter();
    let rows = rows.map(|row| row.into_iter().map(int).collect()).collect();
    let map = write::linear_map(&set.space()?, &Matrix::new(set.n_dim(), rows)?)?;
    Ok(map.intersect_domain(set)?)
}

/// The coordinates of points that are functions of the words related to them.
pub(crate) fn determined(words: &Map) -> Result<Vec<usize>> {
    let back = words.reverse()?;
    let mut told = Vec::new();
    for dim in 0..back.n_out() {
        let coordinate = coordinates(&back.range()?, &[dim])?;
        if back.apply_range(&coordinate)?.is_single_valued()? {
            told.push(dim);
        }
    }
    Ok(told)
}

/// The number of words related to a point, if it is the same affine function of the sizes for all points. At sizes
/// where one point has no words, none may have any.
pub(crate) fn least(graph: &Graph, words: &Map, points: &Set) -> Result<Option<Expr>> {
    let unserved = points.subtract(&words.domain()?)?;
    if !unserved.params()?.is_disjoint(&words.params()?)? {
        return Ok(None);
    }
    let own: Vec<String> = (0..points.n_dim())
        .map(|dim| format!("point{dim}"))
        .collect();
    let names = [&graph.params[..], &own].concat();
    let point = format!("[{}] -> {{ [{}] }}", names.join(", "), own.join(", "));
    let point = Set::parse(points.context(), &point)?;
    let words = words.intersect_domain(&points.intersect(&point)?)?;
    let sizes = words.params()?.align_params(&names)?;
    let Some(count) = words
        .range()?
        .align_params(&names)?
        .count_within(&sizes)?
        .to_expr()?
    else {
        return Ok(None);
    };
    let symbols = count.symbols();
    let uniform = symbols
        .iter()
        .all(|symbol| !own.iter().any(|name| name == symbol.name()));
    let affine = symbols.iter().all(|symbol| count.degree(symbol) == Some(1))
        && count.terms().all(|(term, _)| term.factors().count() <= 1);
    Ok((uniform && affine).then_some(count))
}
