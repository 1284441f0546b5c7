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
pub use execute::Spare;
use program::{Given, Program};

/// What one rank does to multiply in the caller's layout.
#[derive(Clone, Debug)]
pub struct StayProgram {
    program: Program,
    ranks: usize,
    conjugate: [bool; 2],
    /// Words of memory that the rank's parts of `A`, `B` and `C` need.
    memory: [usize; 3],
    /// Words of its part of `C`.
    results: usize,
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
            results: layouts[2]
                .patches(rank)
                .iter()
                .map(|patch| patch.words() as usize)
                .sum(),
        }
    }

    /// Words of the buffers that executing the program allocates.
    pub fn buffer_words(&self) -> usize {
        self.program.buffer_words()
    }

    /// Whether the products scale all of this rank's `C`, so that no pass over it is needed before.
    pub fn scales(&self) -> bool {
        let calls = self.program.steps.iter().filter_map(|step| step.call);
        let scaled = calls
            .map(|call| (call.operands[2], call.fresh))
            .filter(|&(target, fresh)| fresh && target.place == step::Place::Caller)
            .map(|(target, _)| target.frame.rows * target.frame.cols);
        scaled.sum::<usize>() == self.results
    }

    /// `C = alpha·A·B + beta·C`, where `beta` must be one unless the program [scales](StayProgram::scales). Collective.
    /// Buffers are taken from `spare` where they fit, and left there.
    ///
    /// # Errors
    /// When ranks cannot communicate, or memory is shorter than the layouts say.
    pub fn multiply<T: Scalar, C: Comm>(
        &self,
        comm: &C,
        factors: [T; 2],
        words: Words<'_, T>,
        backend: &Backend,
        spare: &mut Spare,
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
            factors,
            backend,
            words,
        };
        run.steps(comm, spare)
    }
}
