//! A trace: the accesses of a program in the order they happen, as a stream that can be replayed.
//!
//! ```text
//! Program + schedule ──┐
//! synthetic pattern  ──┼──► Trace ──► blocks of Access ──► simulators (fed side by side)
//! recorded vector    ──┘
//! ```
//!
//! An [`Access`] names a *cell*, the unit that moves: a word or a line, depending on the [`Grain`]. Cells are
//! numbered densely, array after array, so that simulators index plain vectors. Whether an access reads or
//! writes, and which array it belongs to, is a property of its [`Reference`], not of the single access.
//!
//! Accesses travel in blocks: the simulators run at a few nanoseconds per access, where a call per access
//! would dominate. Nothing here stores a whole trace, except [`Recorded`] which does so on purpose.

use std::ops::ControlFlow;

use crate::error::SimError;

/// One access to one cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// The cell, numbered densely over all arrays of the [`Shape`].
    pub cell: u32,
    /// Index into [`Shape::references`].
    pub reference: u32,
}

/// The unit that moves between slow and fast memory, which also decides what an access costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grain {
    /// A cell is one word. A read miss loads it, a write miss loads nothing, evicting a dirty word stores
    /// it, and dirty live-out words are stored at the end.
    Word,
    /// A cell is a line. Every miss loads the line (write-allocate), evicting a dirty line stores it
    /// (write-back), and every dirty line is flushed at the end.
    Line {
        /// Words per line.
        words: u32,
    },
}

impl Grain {
    /// Words in one cell.
    pub fn words(self) -> u64 {
        match self {
            Grain::Word => 1,
            Grain::Line { words } => u64::from(words),
        }
    }
}

/// An array as the trace sees it: a range of cells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Array {
    /// Its name.
    pub name: String,
    /// How many cells it has.
    pub cells: u32,
    /// Whether its final values must be stored. Lines are flushed whatever they hold.
    pub output: bool,
}

/// A place in the program that accesses an array: one operand, or one target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    /// Index into [`Shape::arrays`].
    pub array: u32,
    /// Whether it writes.
    pub write: bool,
    /// How the source spells it, for reports.
    pub text: String,
}

/// What is accessed, and from where: everything about a trace but its order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape {
    grain: Grain,
    arrays: Vec<Array>,
    references: Vec<Reference>,
    first_cells: Vec<u32>,
    cells: u32,
}

/// The most cells a trace may have: some cell numbers are kept free as marks.
pub const MAX_CELLS: u64 = 1 << 30;

impl Shape {
    /// Lays the arrays out one after the other.
    ///
    /// Fails if there are more than [`MAX_CELLS`] cells, or if a reference names an array that is not there.
    pub fn new(
        grain: Grain,
        arrays: Vec<Array>,
        references: Vec<Reference>,
    ) -> Result<Shape, SimError> {
        if let Some(stray) = references.iter().find(|r| r.array as usize >= arrays.len()) {
            return Err(SimError::UnknownArray {
                reference: stray.text.clone(),
            });
        }
        let mut first_cells = Vec::with_capacity(arrays.len());
        let mut cells = 0u64;
        for array in &arrays {
            first_cells.push(cells.min(MAX_CELLS) as u32);
            cells += u64::from(array.cells);
        }
        if cells > MAX_CELLS {
            return Err(SimError::TooManyCells { cells });
        }
        Ok(Shape {
            grain,
            arrays,
            references,
            first_cells,
            cells: cells as u32,
        })
    }

    /// The unit that moves.
    pub fn grain(&self) -> Grain {
        self.grain
    }

    /// The arrays, in the order of their cells.
    pub fn arrays(&self) -> &[Array] {
        &self.arrays
    }

    /// The references.
    pub fn references(&self) -> &[Reference] {
        &self.references
    }

    /// How many cells there are in all.
    pub fn cells(&self) -> u32 {
        self.cells
    }

    /// The first cell of an array.
    pub fn first_cell(&self, array: usize) -> u32 {
        self.first_cells[array]
    }

    /// The array a cell belongs to.
    pub(crate) fn array_of(&self, cell: u32) -> usize {
        self.first_cells.partition_point(|&first| first <= cell) - 1
    }

    /// For every cell, whether its final value must reach slow memory if it was written.
    pub(crate) fn must_reach_memory(&self) -> impl Iterator<Item = bool> + '_ {
        let lines = matches!(self.grain, Grain::Line { .. });
        self.arrays
            .iter()
            .flat_map(move |a| std::iter::repeat_n(lines || a.output, a.cells as usize))
    }

    /// For every reference, whether a miss loads the cell.
    pub(crate) fn miss_loads(&self) -> Vec<bool> {
        let lines = matches!(self.grain, Grain::Line { .. });
        self.references.iter().map(|r| lines || !r.write).collect()
    }
}

/// A stream of accesses that can be run again and again.
pub trait Trace {
    /// What is accessed.
    fn shape(&self) -> &Shape;

    /// Runs through all accesses in order, in blocks of any length; stops when `visit` breaks.
    ///
    /// Every cell and reference is within the [`Shape`].
    fn replay(&self, visit: &mut dyn FnMut(&[Access]) -> ControlFlow<()>) -> ControlFlow<()>;
}

/// A simulator that is fed a trace block by block. Several can be fed from one replay.
pub trait Simulator {
    /// What the run yields.
    type Outcome;

    /// Takes the next accesses.
    fn feed(&mut self, block: &[Access]);

    /// Settles what is still in fast memory and returns the counts.
    fn finish(self) -> Self::Outcome;
}

/// Feeds a whole trace to one simulator.
pub fn run<S: Simulator>(mut simulator: S, trace: &dyn Trace) -> S::Outcome {
    let _ = trace.replay(&mut |block| {
        simulator.feed(block);
        ControlFlow::Continue(())
    });
    simulator.finish()
}

/// A trace held in memory: for tests, and where the same short trace is replayed often.
#[derive(Clone, Debug)]
pub struct Recorded {
    shape: Shape,
    accesses: Vec<Access>,
}

impl Recorded {
    /// Checks that every access is within the shape.
    pub fn new(shape: Shape, accesses: Vec<Access>) -> Result<Recorded, SimError> {
        let references = shape.references().len() as u32;
        match accesses
            .iter()
            .find(|a| a.cell >= shape.cells() || a.reference >= references)
        {
            Some(a) => Err(SimError::StrayAccess {
                cell: a.cell,
                reference: a.reference,
            }),
            None => Ok(Recorded { shape, accesses }),
        }
    }

    /// Materialises another trace.
    pub fn of(trace: &dyn Trace) -> Recorded {
        let mut accesses = Vec::new();
        let _ = trace.replay(&mut |block| {
            accesses.extend_from_slice(block);
            ControlFlow::Continue(())
        });
        Recorded {
            shape: trace.shape().clone(),
            accesses,
        }
    }

    /// The accesses in order.
    pub fn accesses(&self) -> &[Access] {
        &self.accesses
    }
}

impl Trace for Recorded {
    fn shape(&self) -> &Shape {
        &self.shape
    }

    fn replay(&self, visit: &mut dyn FnMut(&[Access]) -> ControlFlow<()>) -> ControlFlow<()> {
        self.accesses.chunks(BLOCK).try_for_each(visit)
    }
}

/// Accesses per block of a [`Blocks`] buffer: small enough to stay in the first-level cache.
const BLOCK: usize = 2048;

/// Gathers single accesses into blocks on behalf of trace generators.
pub struct Blocks<'a> {
    buffer: Vec<Access>,
    visit: &'a mut dyn FnMut(&[Access]) -> ControlFlow<()>,
}

impl<'a> Blocks<'a> {
    /// Blocks will be handed to `visit`.
    pub fn new(visit: &'a mut dyn FnMut(&[Access]) -> ControlFlow<()>) -> Blocks<'a> {
        Blocks {
            buffer: Vec::with_capacity(BLOCK),
            visit,
        }
    }

    /// Appends one access.
    #[inline]
    pub fn push(&mut self, cell: u32, reference: u32) -> ControlFlow<()> {
        self.buffer.push(Access { cell, reference });
        if self.buffer.len() == BLOCK {
            return self.flush();
        }
        ControlFlow::Continue(())
    }

    /// Hands over what is gathered; call it once after the last access.
    pub fn flush(&mut self) -> ControlFlow<()> {
        let flow = (self.visit)(&self.buffer);
        self.buffer.clear();
        flow
    }
}
