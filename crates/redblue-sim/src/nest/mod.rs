//! Loops with affine accesses at concrete sizes: a trace written as the program that makes it.
//!
//! ```text
//! Program, schedule, sizes ──► Nest ──► Trace (every access)
//!                                  └──► regular (the same counts, skipping what repeats)
//! ```
//!
//! A [`Nest`] is a tree of loops and guards whose leaves touch one word of an array each. Subscripts are
//! already one number per array, its row-major position, and sizes are numbers, so walking it is integer
//! arithmetic only; an innermost loop is a handful of additions per access.

mod bounds;
mod compile;
mod formula;
mod place;
mod program;
mod walk;

pub use redblue_poly::scan::{Condition, Expr, Form};

pub(crate) use compile::{Loop, Step};
pub(crate) use place::{Motion, gcd, lcm};
pub(crate) use walk::{Visit, walk};

use crate::error::SimError;
use crate::trace::{Access, Array, Grain, Reference, Shape, Trace};
use std::ops::ControlFlow;

/// One piece of a nest; a body is a list of nodes run one after the other.
#[derive(Clone, Debug)]
pub enum Node {
    /// `for (iterator = first; iterator <= last; iterator += step) body`, with a positive step.
    Loop {
        /// Position of the iterator, different from that of every enclosing loop.
        iterator: usize,
        /// Where it starts.
        first: Expr,
        /// The last value it may have.
        last: Expr,
        /// The stride.
        step: i64,
        /// What is repeated.
        body: Vec<Node>,
    },
    /// A choice.
    Guard {
        /// What is tested.
        condition: Condition,
        /// Runs if the condition holds.
        then: Vec<Node>,
        /// Runs if it does not.
        otherwise: Vec<Node>,
    },
    /// An access.
    Touch {
        /// Which reference.
        reference: u32,
        /// Position of the word in the reference's array.
        word: Expr,
    },
}

/// An array of a nest.
#[derive(Clone, Debug)]
pub struct NestArray {
    /// Its name.
    pub name: String,
    /// How many words it has.
    pub words: u64,
    /// Whether its final values must be stored.
    pub output: bool,
}

/// Loops with accesses, ready to be walked.
pub struct Nest {
    shape: Shape,
    steps: Vec<Step>,
    iterators: usize,
    loops: usize,
}

impl Nest {
    /// Lays the arrays out, each starting on a line, and compiles the loops.
    ///
    /// Fails if interval arithmetic cannot show that every access is inside its array.
    pub fn new(
        grain: Grain,
        arrays: Vec<NestArray>,
        references: Vec<Reference>,
        roots: &[Node],
    ) -> Result<Nest, SimError> {
        let words: Vec<u64> = arrays.iter().map(|a| a.words).collect();
        let nest = Nest::trusted(grain, arrays, references, roots)?;
        bounds::check_bounds(&nest, &words, roots)?;
        Ok(nest)
    }

    /// As [`Nest::new`] for loops whose accesses are known to be inside their arrays.
    pub(crate) fn trusted(
        grain: Grain,
        arrays: Vec<NestArray>,
        references: Vec<Reference>,
        roots: &[Node],
    ) -> Result<Nest, SimError> {
        if grain.words() == 0 {
            return Err(SimError::EmptyLine);
        }
        let arrays = arrays
            .into_iter()
            .map(|array| {
                let cells = array.words.div_ceil(grain.words());
                Ok(Array {
                    name: array.name,
                    cells: u32::try_from(cells).map_err(|_| SimError::TooManyCells { cells })?,
                    output: array.output,
                })
            })
            .collect::<Result<_, SimError>>()?;
        let shape = Shape::new(grain, arrays, references)?;
        compile::compile(shape, roots)
    }

    pub(crate) fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// Number of loops; they are numbered from 0.
    pub(crate) fn loops(&self) -> usize {
        self.loops
    }
}

impl Trace for Nest {
    fn shape(&self) -> &Shape {
        &self.shape
    }

    fn replay(&self, visit: &mut dyn FnMut(&[Access]) -> ControlFlow<()>) -> ControlFlow<()> {
        let mut blocks = crate::trace::Blocks::new(visit);
        walk(self, &mut blocks)?;
        blocks.flush()
    }
}
