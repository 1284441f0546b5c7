//! From canonical coordinates to the texts of a certificate.
//!
//! Methods think in canonical coordinates; a certificate speaks of statements and arrays. The translation composes with
//! the inverse of [`Node::instances`] or [`Input::places`], which are injective, so nothing is lost.

use redblue_cert::certificate::IslText;
use redblue_math::Matrix;
use redblue_poly::{Map, PwAff, Set, Space};

use crate::error::Result;
use crate::graph::{Input, Node};

/// `{ S0[…] : … }` for a set of canonical instances.
pub fn instances(node: &Node, set: &Set) -> Result<IslText> {
    Ok(set.apply(&node.instances)?.coalesce()?.to_string())
}

/// `{ S0[…] -> […] : … }` for a map from canonical instances to points or labels.
pub fn labelled(node: &Node, map: &Map) -> Result<IslText> {
    let back = node.instances.reverse()?;
    Ok(back.apply_range(map)?.coalesce()?.to_string())
}

/// `{ A[…] -> […] : … }` for a map from the cells of an input to labels or places.
pub fn cells(input: &Input, map: &Map) -> Result<IslText> {
    let back = input.places.reverse()?;
    Ok(back.apply_range(map)?.coalesce()?.to_string())
}

/// The map `x ↦ matrix·x` from a space to an unnamed tuple; entries must be integers.
pub fn linear_map(space: &Space, matrix: &Matrix) -> Result<Map> {
    let mut coordinates = Vec::new();
    for row in matrix.rows() {
        let mut sum = PwAff::constant(space, 0)?;
        for (dim, entry) in row.iter().enumerate() {
            let factor = entry.to_integer();
            if factor != 0.into() {
                sum = sum.add(&PwAff::dim(space, dim)?.scale(factor)?)?;
            }
        }
        coordinates.push(sum);
    }
    Ok(Map::from_pw_affs(space, "", &coordinates)?)
}

/// The rows of an integer matrix as machine numbers, for a projection of a certificate.
pub fn rows(matrix: &Matrix) -> Option<Vec<Vec<i64>>> {
    let entry = redblue_math::rational::to_i64;
    let row = |row: &Vec<_>| row.iter().map(entry).collect();
    matrix.rows().iter().map(row).collect()
}
