//! The arrays of a program at fixed sizes: where each cell is, and what it holds.

use num_bigint::BigInt;
use num_traits::ToPrimitive;
use redblue_poly::{PolyError, PwAff, Set};

use super::value::Value;
use crate::error::{ProgramError, Result};
use crate::program::{Array, ArrayId, Program, Sizes};

/// At most this many cells per array; more is an error instead of a failed allocation.
const CELL_LIMIT: u128 = 1 << 31;

/// One cell of one array.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cell {
    /// The array.
    pub array: ArrayId,
    /// Row-major position in it.
    pub offset: usize,
}

/// The index box of every array: declared extents, or the box of all accesses where one is unknown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    ranges: Vec<Vec<IndexRange>>,
}

/// The legal values of one subscript.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IndexRange {
    /// The least, zero for declared extents.
    pub first: i64,
    /// How many there are.
    pub extent: i64,
}

/// What every cell holds.
#[derive(Clone, Debug, PartialEq)]
pub struct Memory {
    layout: Layout,
    cells: Vec<Vec<Value>>,
}

impl Layout {
    /// Lays out the arrays of a program.
    pub fn of(program: &Program, sizes: &Sizes) -> Result<Layout> {
        let values = program.size_values(sizes)?;
        let ranges = (0..program.arrays.len())
            .map(|position| index_ranges(program, ArrayId(position), &values))
            .collect::<Result<_>>()?;
        Ok(Layout { ranges })
    }

    /// The subscripts of an array, outermost first.
    pub fn ranges(&self, array: ArrayId) -> &[IndexRange] {
        &self.ranges[array.0]
    }

    /// How many cells an array has.
    pub fn cells(&self, array: ArrayId) -> usize {
        let ranges = self.ranges(array);
        // A zero extent makes the array empty, however long the others are.
        match ranges.iter().any(|range| range.extent == 0) {
            true => 0,
            false => ranges.iter().map(|range| range.extent as usize).product(),
        }
    }

    /// The position of a cell; `None` outside the array.
    pub fn offset(&self, array: ArrayId, cell: &[i64]) -> Option<usize> {
        let mut offset = 0;
        for (range, &index) in self.ranges(array).iter().zip(cell) {
            let place = index.checked_sub(range.first)?;
            if !(0..range.extent).contains(&place) {
                return None;
            }
            offset = offset * range.extent as usize + place as usize;
        }
        Some(offset)
    }

    /// The subscripts of the cell at a position.
    pub fn subscripts(&self, cell: Cell) -> Vec<i64> {
        let mut rest = cell.offset;
        let mut subscripts: Vec<i64> = Vec::new();
        for range in self.ranges(cell.array).iter().rev() {
            let extent = range.extent.max(1) as usize;
            subscripts.push(range.first + (rest % extent) as i64);
            rest /= extent;
        }
        subscripts.reverse();
        subscripts
    }
}

impl Memory {
    /// All arrays of a program, filled with zeros.
    pub fn zeroed(program: &Program, sizes: &Sizes) -> Result<Memory> {
        let layout = Layout::of(program, sizes)?;
        let mut cells = Vec::new();
        for (position, array) in program.arrays.iter().enumerate() {
            let zero = Value::zero(array.element)?;
            cells.push(vec![zero; layout.cells(ArrayId(position))]);
        }
        Ok(Memory { layout, cells })
    }

    /// Gives every cell of every array the value of a function of the array's name and the subscripts.
    pub fn fill(
        &mut self,
        program: &Program,
        mut value: impl FnMut(&str, &[i64]) -> f64,
    ) -> Result<()> {
        for (position, array) in program.arrays.iter().enumerate() {
            for offset in 0..self.cells[position].len() {
                let subscripts = self.layout.subscripts(Cell {
                    array: ArrayId(position),
                    offset,
                });
                let value = Value::Double(value(&array.name, &subscripts));
                self.cells[position][offset] = value.convert(array.element)?;
            }
        }
        Ok(())
    }

    /// Where the cells are.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// All cells of an array, in row-major order.
    pub fn array(&self, array: ArrayId) -> &[Value] {
        &self.cells[array.0]
    }

    /// What a cell holds.
    pub fn get(&self, cell: Cell) -> Value {
        self.cells[cell.array.0][cell.offset]
    }

    /// Stores a value as it is; the caller converts it to the array's element type.
    pub fn set(&mut self, cell: Cell, value: Value) {
        self.cells[cell.array.0][cell.offset] = value;
    }
}

fn index_ranges(program: &Program, id: ArrayId, sizes: &[i64]) -> Result<Vec<IndexRange>> {
    let array = program.array(id);
    let mut touched = None;
    let mut ranges = Vec::new();
    for (dim, extent) in array.extents.iter().enumerate() {
        ranges.push(match extent {
            Some(extent) => IndexRange {
                first: 0,
                extent: declared(program, extent, sizes)?.max(0),
            },
            None => {
                if touched.is_none() {
                    touched = Some(touched_cells(program, id, sizes)?);
                }
                bounding(touched.as_ref().and_then(Option::as_ref), dim)?
            }
        });
    }
    limited(array, ranges)
}

fn limited(array: &Array, ranges: Vec<IndexRange>) -> Result<Vec<IndexRange>> {
    let cells = ranges.iter().fold(1u128, |n, r| {
        n.saturating_mul(r.extent.unsigned_abs().into())
    });
    if cells > CELL_LIMIT {
        let array = array.name.clone();
        return Err(ProgramError::TooLarge {
            array,
            cells,
            limit: CELL_LIMIT,
        });
    }
    Ok(ranges)
}

/// Evaluates an extent given in isl notation.
fn declared(program: &Program, extent: &str, sizes: &[i64]) -> Result<i64> {
    let names: Vec<&str> = program.params.iter().map(|p| p.name.as_str()).collect();
    let text = format!("[{}] -> {{ [{extent}] }}", names.join(", "));
    let point = Set::parse(program.context.context(), &text)?.align_params(&names)?;
    match program.set_at(&point, sizes)?.sample_point()? {
        Some((_, coordinates)) if coordinates.len() == 1 => small(&coordinates[0]),
        _ => Err(ProgramError::Invalid(format!(
            "the extent {extent} has no value"
        ))),
    }
}

/// The cells of an array that the program accesses; `None` if there are none.
fn touched_cells(program: &Program, id: ArrayId, sizes: &[i64]) -> Result<Option<Set>> {
    let mut touched: Option<Set> = None;
    for statement in &program.statements {
        let domain = program.set_at(&statement.domain, sizes)?;
        for access in statement.reads.iter().chain([&statement.write]) {
            if access.array == id {
                let cells = domain.apply(&program.map_at(&access.map, sizes)?)?;
                touched = Some(match touched {
                    Some(others) => others.union(&cells)?,
                    None => cells,
                });
            }
        }
    }
    match touched {
        Some(cells) if !cells.is_empty()? => Ok(Some(cells)),
        _ => Ok(None),
    }
}

fn bounding(touched: Option<&Set>, dim: usize) -> Result<IndexRange> {
    let Some(cells) = touched else {
        return Ok(IndexRange {
            first: 0,
            extent: 0,
        });
    };
    let number = |bound: PwAff| -> Result<i64> {
        let value = bound.as_constant()?;
        small(&value.ok_or_else(|| PolyError::Unbounded {
            set: cells.to_string(),
        })?)
    };
    let first = number(cells.dim_min(dim)?)?;
    let last = number(cells.dim_max(dim)?)?;
    Ok(IndexRange {
        first,
        extent: last - first + 1,
    })
}

fn small(value: &BigInt) -> Result<i64> {
    value.to_i64().ok_or_else(|| {
        PolyError::Overflow {
            value: value.to_string(),
        }
        .into()
    })
}
