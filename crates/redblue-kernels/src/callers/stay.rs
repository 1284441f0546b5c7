//! Products in the caller's layout: executes [`Stay`], the plan in which one matrix is not moved.

mod execute;
mod program;
mod step;

use redblue_dist::comm::Comm;
use redblue_dist::layout::{Layout, Order};
use redblue_dist::plan::stay::Stay;

use crate::backend::Backend;
use crate::matmul::{MatmulError, Words};
use crate::scalar::Scalar;
use execute::Run;
use program::{Given, Program};

/// What one rank does to multiply in the caller's layout.
#[derive(Clone, Debug)]
pub struct StayProgram {
    program: Program,
    ranks: usize,
    conjugate: [bool; 2],
    /// Words of memory that the rank's parts of `A`, `B` and `C` need.
    memory: [usize; 3],
}

impl StayProgram {
    /// Translates the part of one rank. `layouts` are those of the matrices as they are multiplied, which the plan
    /// was made for; `orders` say which way the memory runs and `conjugate` which operands are conjugated, the
    /// same on all ranks.
    pub fn of(
        stay: &Stay,
        layouts: [&Layout; 3],
        orders: [Order; 3],
        conjugate: [bool; 2],
        rank: usize,
    ) -> StayProgram {
        let given = Given {
            layouts,
            orders,
            conjugate,
        };
        StayProgram {
            program: Program::of(stay, &given, rank),
            ranks: stay.ranks(),
            conjugate,
            memory: layouts.map(|layout| layout.memory(rank) as usize),
        }
    }

    /// Words of the buffers that executing the program allocates.
    pub fn buffer_words(&self) -> usize {
        self.program.buffer_words()
    }

    /// `C += alpha·A·B`. Collective.
    ///
    /// # Errors
    /// When ranks cannot communicate, or memory is shorter than the layouts say.
    pub fn multiply_add<T: Scalar, C: Comm>(
        &self,
        comm: &C,
        alpha: T,
        words: Words<'_, T>,
        backend: &Backend,
    ) -> Result<(), MatmulError> {
        if self.ranks != comm.size() {
            return Err(MatmulError::Ranks {
                planned: self.ranks as u64,
                present: comm.size(),
            });
        }
        words.check(comm.rank() as u64, self.memory, |needed, given| {
            needed <= given
        })?;
        let run = Run {
            program: &self.program,
            conjugate: self.conjugate,
            alpha,
            backend,
            words,
        };
        run.steps(comm)
    }
}
