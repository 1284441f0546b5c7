//! The matrix product C += A B in any loop order, tiled or not, on words or lines.
//!
//! Per iteration it reads A(i, k), B(k, j) and C(i, j), then writes C(i, j). Arrays are row-major and
//! start on a line. This is the hand-made counterpart of tracing the catalogue's kernel, and what the
//! formulas of theory L-7 are checked on.

use std::ops::ControlFlow;

use crate::error::SimError;
use crate::synthetic::Synthetic;
use crate::trace::{Array, Blocks, Grain, Reference, Shape};

/// The three loops, outermost first; 0 stands for i, 1 for j, 2 for k.
pub type LoopOrder = [usize; 3];

/// A matrix product of A (m × k) and B (k × n).
#[derive(Clone, Copy, Debug)]
pub struct Matmul {
    /// Rows of A and C.
    pub m: u32,
    /// Columns of B and C.
    pub n: u32,
    /// Columns of A, rows of B.
    pub k: u32,
    /// Order of the loops.
    pub order: LoopOrder,
    /// Side of the tiles; the loops over tiles have the same order. `None` for no tiling.
    pub tile: Option<u32>,
    /// What moves.
    pub grain: Grain,
}

impl Matmul {
    /// The trace.
    pub fn trace(self) -> Result<Synthetic, SimError> {
        let words = self.grain.words();
        let sides = [(self.m, self.k), (self.k, self.n), (self.m, self.n)];
        let sizes = sides.map(|(rows, columns)| u64::from(rows) * u64::from(columns));
        let cells = sizes.map(|size| size.div_ceil(words));
        let array = |index: usize, name: &str, output| Array {
            name: name.into(),
            cells: cells[index].min(u64::from(u32::MAX)) as u32,
            output,
        };
        let reference = |array, write, text: &str| Reference {
            array,
            write,
            text: text.into(),
        };
        let shape = Shape::new(
            self.grain,
            vec![
                array(0, "A", false),
                array(1, "B", false),
                array(2, "C", true),
            ],
            vec![
                reference(0, false, "A[i][k]"),
                reference(1, false, "B[k][j]"),
                reference(2, false, "C[i][j]"),
                reference(2, true, "C[i][j] ="),
            ],
        )?;
        let bases = [0, 1, 2].map(|a| u64::from(shape.first_cell(a)));
        Ok(Synthetic::new(shape, move |blocks| {
            self.run(&bases, words, blocks)
        }))
    }

    fn run(self, bases: &[u64; 3], words: u64, blocks: &mut Blocks<'_>) -> ControlFlow<()> {
        let extents = [self.m, self.n, self.k];
        let [a, b, c] = self.order;
        let tile = self.tile.map_or(u32::MAX, |t| t.max(1));
        let step = tile as usize;
        let until = |start: u32, axis: usize| start.saturating_add(tile).min(extents[axis]);
        let cell = |array: usize, row: u32, columns: u32, column: u32| {
            let word = u64::from(row) * u64::from(columns) + u64::from(column);
            (bases[array] + word / words) as u32
        };
        let mut at = [0; 3];
        for at_a in (0..extents[a]).step_by(step) {
            for at_b in (0..extents[b]).step_by(step) {
                for at_c in (0..extents[c]).step_by(step) {
                    for x in at_a..until(at_a, a) {
                        at[a] = x;
                        for y in at_b..until(at_b, b) {
                            at[b] = y;
                            for z in at_c..until(at_c, c) {
                                at[c] = z;
                                let [i, j, k] = at;
                                blocks.push(cell(0, i, self.k, k), 0)?;
                                blocks.push(cell(1, k, self.n, j), 1)?;
                                let target = cell(2, i, self.n, j);
                                blocks.push(target, 2)?;
                                blocks.push(target, 3)?;
                            }
                        }
                    }
                }
            }
        }
        ControlFlow::Continue(())
    }
}
