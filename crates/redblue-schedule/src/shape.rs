//! The affine functions of a program as plain numbers: subscripts and times.

use num_traits::ToPrimitive;
use redblue_poly::Map;
use redblue_program::{Program, StatementId};

use crate::error::Result;
use crate::order::{Family, Row};

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

    /// The number of the outermost nest that a statement is in, if that is what its times start with.
    pub(crate) fn nest(&self, id: StatementId) -> Option<i64> {
        let first = self.times[id.0].as_ref()?.first()?;
        let is_number = first.dims.iter().chain(&first.params).all(|c| *c == 0);
        is_number.then_some(first.constant)
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
pub(crate) fn rows(map: &Map) -> Result<Option<Vec<Row>>> {
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

/// The program's own time within some statements, as functions; components that never differ are left out.
pub(crate) fn own_times(
    times: &[Option<Vec<Row>>],
    statements: &[StatementId],
    iterators: impl Fn(StatementId, usize) -> String,
) -> Option<Vec<Family>> {
    let mut families = Vec::new();
    let depth = statements
        .iter()
        .filter_map(|id| times[id.0].as_ref())
        .map(Vec::len)
        .min()?;
    for component in 0..depth {
        let mut rows = vec![None; times.len()];
        let mut name = None;
        let mut different = false;
        let mut first: Option<&Row> = None;
        for id in statements {
            let row = &times[id.0].as_ref()?[component];
            let moves = row.dims.iter().position(|c| *c != 0);
            if let Some(at) = moves {
                different = true;
                name = name.or_else(|| Some(iterators(*id, at)));
            }
            different |= first.is_some_and(|known| known.constant != row.constant);
            first = first.or(Some(row));
            rows[id.0] = Some(row.clone());
        }
        if different {
            families.push(Family {
                name: name.unwrap_or_else(|| "then".to_owned()),
                rows,
            });
        }
    }
    Some(families)
}
