//! Loops over tiles and loops within them, joined.
//!
//! ```text
//! A[16*it + ii], 0 <= ii < 16      one dimension e = 16*it + ii tells both loops
//! ```
//!
//! [`super::reindex`] drops a tile counter that a loop over the points determines. Where the loop within a tile starts at zero, no
//! loop is that of the points, but a subscript is. Numbering the instances by it instead is injective and changes nothing but
//! their names. It is done only where nothing else needs the tile counter: an array of one cell per tile, or one that is stored by
//! tiles, would get subscripts with floors. Tiles with holes, or with sums of their own, can still be simpler as they are: whoever looks
//! for bounds looks at both forms.

use num_bigint::BigInt;
use num_traits::{One, Signed, Zero};
use redblue_poly::{Affine, Map, PwAff};

use super::reindex::rename;
use super::{Canonical, Operation, Origin};
use crate::error::Result;

/// Joins dimensions of the operations where no relation gets floors by it; tells whether any were joined.
pub(super) fn run(graph: &mut Canonical) -> Result<bool> {
    let mut all = graph.clone();
    let mut joined = Vec::new();
    for at in 0..graph.operations.len() {
        if join(&mut all, at)? {
            joined.push(at);
        }
    }
    if joined.is_empty() {
        return Ok(false);
    }
    let before = relations_with_floors(graph)?;
    if relations_with_floors(&all)? <= before {
        *graph = all;
        return Ok(true);
    }
    let mut any = false;
    for at in joined {
        let mut one = graph.clone();
        join(&mut one, at)?;
        if relations_with_floors(&one)? <= before {
            *graph = one;
            any = true;
        }
    }
    Ok(any)
}

/// Joins dimensions of one operation as long as some can be; tells whether any were.
fn join(graph: &mut Canonical, at: usize) -> Result<bool> {
    let mut any = false;
    while let Some((projection, dims)) = joint(graph, at)? {
        rename(graph, at, &dims, &projection)?;
        any = true;
    }
    Ok(any)
}

/// The projection that joins some dimensions of an operation, and the dimensions that are left; the joint one is in the place
/// of the loop within a tile.
fn joint(graph: &Canonical, at: usize) -> Result<Option<(Map, Vec<usize>)>> {
    let operation = &graph.operations[at];
    let mentioned = operation.value.iterators();
    for row in subscripts(graph, at)? {
        let tiles: Vec<usize> = (0..row.len())
            .filter(|d| row[*d].abs() > BigInt::one())
            .collect();
        let units = (0..row.len()).filter(|dim| row[*dim].abs().is_one());
        for unit in units.filter(|_| !tiles.is_empty()) {
            if mentioned.contains(&unit) || tiles.iter().any(|dim| mentioned.contains(dim)) {
                continue;
            }
            let kept: Vec<usize> = (0..row.len()).filter(|dim| !tiles.contains(dim)).collect();
            let projection = projection(operation, &row, unit, &kept)?;
            if projection
                .intersect_domain(&operation.domain)?
                .is_injective()?
            {
                return Ok(Some((projection, kept)));
            }
        }
    }
    Ok(None)
}

/// The coefficients of subscripts that have two dimensions or more, each once.
fn subscripts(graph: &Canonical, at: usize) -> Result<Vec<Vec<BigInt>>> {
    let mut rows: Vec<Vec<BigInt>> = Vec::new();
    for function in functions(graph, at)? {
        for coordinate in coordinates(&function)? {
            let row = &coordinate.numerator.dims;
            let several = row.iter().filter(|factor| !factor.is_zero()).count() > 1;
            let plain = coordinate.denominator.is_one() && !has_floors(&coordinate);
            if several && plain && !rows.contains(row) {
                rows.push(row.clone());
            }
        }
    }
    Ok(rows)
}

/// From the instances of an operation to what they read, and to a cell they leave their value in.
fn functions(graph: &Canonical, at: usize) -> Result<Vec<Map>> {
    let mut found = Vec::new();
    let operands = graph.operations[at].operands.iter();
    for source in operands.flat_map(|operand| &operand.sources) {
        if let Origin::Operation(_) | Origin::Input(_) = source.origin {
            found.push(source.relation.reverse()?);
        }
    }
    for source in graph.outputs.iter().flat_map(|output| &output.sources) {
        if source.origin == Origin::Operation(at) {
            found.push(source.relation.lexmin()?);
        }
    }
    Ok(found)
}

/// The coordinates of all pieces of a function.
fn coordinates(function: &Map) -> Result<Vec<Affine>> {
    let pieces = function.affine_pieces()?;
    Ok(pieces.into_iter().flat_map(|(_, list)| list).collect())
}

fn has_floors(coordinate: &Affine) -> bool {
    let factors = &coordinate.numerator.floors;
    factors.iter().any(|factor| !factor.is_zero())
}

fn relations_with_floors(graph: &Canonical) -> Result<usize> {
    let mut count = 0;
    for at in 0..graph.operations.len() {
        for function in functions(graph, at)? {
            count += usize::from(coordinates(&function)?.iter().any(has_floors));
        }
    }
    Ok(count)
}

/// The kept dimensions, with the joint one of a subscript in the place of `unit`.
fn projection(operation: &Operation, row: &[BigInt], unit: usize, kept: &[usize]) -> Result<Map> {
    let space = operation.domain.space()?;
    let mut list = Vec::new();
    for &dim in kept {
        let mut coordinate = PwAff::dim(&space, dim)?;
        if dim == unit {
            for tile in (0..row.len()).filter(|tile| !kept.contains(tile)) {
                let factor = &row[tile] * &row[unit];
                coordinate = coordinate.add(&PwAff::dim(&space, tile)?.scale(factor)?)?;
            }
        }
        list.push(coordinate);
    }
    Ok(Map::from_pw_affs(&space, &operation.name, &list)?)
}
