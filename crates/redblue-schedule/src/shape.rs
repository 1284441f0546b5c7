//! The affine functions of a program as plain numbers: subscripts and times.

use num_traits::ToPrimitive;
use redblue_poly::Map;
use redblue_program::{Program, StatementId};

use crate::error::Result;
use crate::order::Row;

/// Subscripts and times of all statements. A function that is not affine in one piece is `None`.
pub(crate) struct Shape {
    /// Per statement, the subscripts of the written cell.
    pub(crate) writes: Vec<Option<Vec<Row>>>,
    /// Per statement and operand, the subscripts read.
    pub(crate) reads: Vec<Vec<Option<Vec<Row>>>>,
    /// Per statement, the components of its time.
    pub(crate) times: Vec<Option<Vec<Row>>>,
}

impl Shape {
    /// The functions of a program.
    pub(crate) fn of(program: &Program) -> Result<Shape> {
        let mut shape = Shape {
            writes: Vec::new(),
            reads: Vec::new(),
            times: Vec::new(),
        };
        for statement in &program.statements {
            shape.writes.push(rows(&statement.write.map)?);
            let reads = statement.reads.iter().map(|read| rows(&read.map));
            shape.reads.push(reads.collect::<Result<_>>()?);
            shape.times.push(rows(&statement.schedule)?);
        }
        Ok(shape)
    }

    /// How many outer loops two statements share.
    pub(crate) fn shared_loops(&self, one: StatementId, other: StatementId) -> usize {
        let (Some(left), Some(right)) = (&self.times[one.0], &self.times[other.0]) else {
            return 0;
        };
        let mut shared = 0;
        for (a, b) in left.iter().zip(right) {
            let loops = |row: &Row| row.dims.iter().any(|c| *c != 0);
            match (loops(a), loops(b)) {
                (true, true) => shared += 1,
                (false, false) if a.constant == b.constant && a.params == b.params => {}
                _ => break,
            }
        }
        let depth = |id: StatementId| self.writes_dims(id);
        shared.min(depth(one)).min(depth(other))
    }

    fn writes_dims(&self, id: StatementId) -> usize {
        let times = self.times[id.0].as_ref();
        times
            .and_then(|rows| rows.first())
            .map_or(0, |row| row.dims.len())
    }
}

/// The coordinates of an affine map.
fn rows(map: &Map) -> Result<Option<Vec<Row>>> {
    let pieces = map.affine_pieces()?;
    let [(_, functions)] = pieces.as_slice() else {
        return Ok(None);
    };
    let row = |function: &redblue_poly::Affine| -> Option<Row> {
        if !function.is_plain() {
            return None;
        }
        let small = |list: &[num_bigint::BigInt]| -> Option<Vec<i64>> {
            list.iter().map(ToPrimitive::to_i64).collect()
        };
        Some(Row {
            dims: small(&function.numerator.dims)?,
            params: small(&function.numerator.params)?,
            constant: function.numerator.constant.to_i64()?,
        })
    };
    Ok(functions.iter().map(row).collect())
}
