//! Products of matrices that already have a layout, such as ScaLAPACK's: `C = alpha·op(A)·op(B) + beta·C`.
//!
//! ```text
//! layouts, operations ──Multiplication::new──► the way that moves least ──multiply over Comm──► C in its layout
//!                                              stay (stay.rs) | redistribute, plan, redistribute
//! ```
//!
//! A [`Multiplication`] is prepared once for layouts and a rank, and may be used again with other words. All ranks
//! come to the same decision, for it depends on the layouts only. A product by a plan brings back only the sums, so
//! that `C` is never sent for, whatever `beta` is.

pub mod stay;
#[cfg(test)]
mod tests;

use redblue_dist::Matrix;
use redblue_dist::Shape;
use redblue_dist::bound;
use redblue_dist::comm::{Comm, Flow, Phase};
use redblue_dist::layout::{
    Dense, Layout, LayoutError, Op, Order, Patch, buffer_words, redistribute, redistribute_with,
};
use redblue_dist::plan::joint::{self, Caller};
use redblue_dist::plan::stay::{Sizes, Stay};
use redblue_dist::plan::{PlanError, Problem, search};
use thiserror::Error;

use crate::backend::Backend;
use crate::matmul::{MatmulError, RankProgram, Words, multiply};
use crate::scalar::Scalar;
pub use stay::Spare;
use stay::StayProgram;

/// Why a product of matrices with layouts did not complete.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum CallerError {
    /// The layouts do not fit each other, or words could not be moved between them.
    #[error(transparent)]
    Layout(#[from] LayoutError),
    /// There is no plan.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// The product did not complete.
    #[error(transparent)]
    Matmul(#[from] MatmulError),
    /// Staying was asked for, but some rank holds several parts of a matrix.
    #[error("a rank holds several parts of a matrix, which cannot be multiplied where they are")]
    Scattered,
}

/// Which way to take.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Choice {
    /// Whichever is likely to be quicker: words moved, and half of the words copied by a redistribution.
    #[default]
    Quick,
    /// Whichever moves less.
    Least,
    /// In the caller's layout.
    Stay,
    /// By the best plan, with a redistribution before and after.
    Native,
}

/// Where the matrices are, and what is done to the operands.
#[derive(Clone, Copy, Debug)]
pub struct Given<'a> {
    /// Layouts of `A`, `B` and `C` as they are stored.
    pub layouts: [&'a Layout; 3],
    /// What is done to `A` and to `B`.
    pub ops: [Op; 2],
}

/// A product, prepared for one rank.
#[derive(Clone, Debug)]
pub struct Multiplication {
    layouts: [Layout; 3],
    ops: [Op; 2],
    shape: Shape,
    rank: usize,
    way: Way,
    volume: u128,
    flow: Flow,
}

#[derive(Clone, Debug)]
enum Way {
    Stay {
        resident: Matrix,
        program: StayProgram,
    },
    Native {
        plan: String,
        layouts: Box<[Layout; 3]>,
        program: RankProgram,
    },
}

impl Multiplication {
    /// Decides how to multiply, and translates the part of one rank.
    ///
    /// # Errors
    /// When the layouts do not fit each other, or the wanted way is not possible.
    pub fn new(
        given: &Given<'_>,
        choice: Choice,
        rank: usize,
    ) -> Result<Multiplication, CallerError> {
        Multiplication::with_pieces(given, choice, Sizes::default(), rank)
    }

    /// The same with pieces of these sizes, if the product is computed in the caller's layout: small ones need little
    /// memory.
    ///
    /// # Errors
    /// As for [`Multiplication::new`].
    pub fn with_pieces(
        given: &Given<'_>,
        choice: Choice,
        sizes: Sizes,
        rank: usize,
    ) -> Result<Multiplication, CallerError> {
        let [a, b, c] = given.layouts;
        let views = [given.ops[0].view(a), given.ops[1].view(b), c.clone()];
        let layouts = [&views[0], &views[1], &views[2]];
        let shape = Shape::new(c.rows(), c.cols(), views[0].cols());
        let staying = match choice {
            Choice::Quick | Choice::Least | Choice::Stay => Stay::best(layouts)?,
            Choice::Native => None,
        };
        if staying.is_none() && choice == Choice::Stay {
            return Err(CallerError::Scattered);
        }
        let (staying, native) = match staying {
            Some(staying) if choice == Choice::Stay || is_good(&staying) => (Some(staying), None),
            staying => {
                let ranks = c.ranks() as u64;
                let problem = Problem {
                    shape,
                    ranks,
                    memory: None,
                };
                let (plan, _) = search(&problem)?;
                let caller = Caller {
                    layouts,
                    reads_c: false,
                };
                let native = joint::native(&plan, &caller)?;
                let copied = match choice {
                    Choice::Quick => copied(shape, ranks) / 2,
                    _ => 0,
                };
                let stays = |staying: &Stay| staying.volume() <= native.volume() + copied;
                (staying.filter(stays), Some((plan, native)))
            }
        };
        let prepared = |way, volume, flow| Multiplication {
            layouts: [a.clone(), b.clone(), c.clone()],
            ops: given.ops,
            shape,
            rank,
            way,
            volume,
            flow,
        };
        match (staying, native) {
            (Some(mut staying), _) => {
                if sizes != Sizes::default() {
                    staying.cut(layouts, sizes);
                }
                let orders = [order(given.ops[0]), order(given.ops[1]), Order::ColumnMajor];
                let conjugate = given.ops.map(|op| op == Op::Conjugated);
                let way = Way::Stay {
                    resident: staying.resident(),
                    program: StayProgram::of(&staying, layouts, orders, conjugate, rank),
                };
                Ok(prepared(way, staying.volume(), staying.flow(rank)))
            }
            (None, Some((plan, native))) => {
                let part = native.labels.iter().position(|&label| label == rank);
                let program = RankProgram::of(&plan, part.unwrap_or(rank) as u64)?;
                let (sent, received) = native.flow(rank);
                let whole = |words: u128| u64::try_from(words).unwrap_or(u64::MAX);
                let flow = Flow {
                    sent: whole(sent),
                    received: whole(received),
                    messages: 0,
                };
                let volume = native.volume();
                let way = Way::Native {
                    plan: plan.to_string(),
                    program: program.relabelled(&native.labels),
                    layouts: Box::new(native.layouts),
                };
                Ok(prepared(way, volume, flow))
            }
            (None, None) => Err(CallerError::Scattered),
        }
    }

    /// The larger of the words that the busiest rank will send and receive.
    pub fn volume(&self) -> u128 {
        self.volume
    }

    /// Words that this rank will send and receive; messages are not counted.
    pub fn flow(&self) -> Flow {
        self.flow
    }

    /// Words of all buffers that this rank has at the same time while it multiplies, besides the caller's.
    pub fn buffer_words(&self) -> usize {
        match &self.way {
            Way::Stay { program, .. } => program.buffer_words(),
            Way::Native {
                layouts, program, ..
            } => {
                let moving = Matrix::ALL.map(|matrix| {
                    let at = matrix.index();
                    let (theirs, native) = (&self.layouts[at], &layouts[at]);
                    match self.ops.get(at) {
                        Some(&op) => buffer_words(theirs, op, native, self.rank),
                        None => buffer_words(native, Op::Plain, theirs, self.rank),
                    }
                });
                let most = moving.into_iter().max().unwrap_or(0);
                program.own_words().iter().sum::<usize>() + most.max(program.buffer_words())
            }
        }
    }

    /// The way taken, for people.
    pub fn description(&self) -> String {
        match &self.way {
            Way::Stay { resident, .. } => format!("{resident} stays"),
            Way::Native { plan, .. } => format!("plan {plan}"),
        }
    }

    /// `C = alpha·op(A)·op(B) + beta·C`. With `beta` zero `C` is not read, with `alpha` zero neither are `A` and `B`.
    /// `words` are this rank's memory of the three matrices, in their layouts. Collective.
    ///
    /// # Errors
    /// When ranks cannot communicate, or memory is shorter than the layouts say.
    pub fn multiply<T: Scalar, C: Comm>(
        &self,
        comm: &C,
        alpha: T,
        beta: T,
        words: Words<'_, T>,
        backend: &Backend,
    ) -> Result<(), CallerError> {
        self.multiply_with(comm, alpha, beta, words, backend, &mut Spare::default())
    }

    /// [`Multiplication::multiply`] with buffers of an earlier product, if they fit, which are left for a later one.
    /// With them a rank never has more than [`Multiplication::buffer_words`].
    ///
    /// # Errors
    /// As for [`Multiplication::multiply`].
    pub fn multiply_with<T: Scalar, C: Comm>(
        &self,
        comm: &C,
        alpha: T,
        beta: T,
        words: Words<'_, T>,
        backend: &Backend,
        spare: &mut Spare,
    ) -> Result<(), CallerError> {
        let reads = alpha != T::ZERO && !self.shape.is_empty();
        let needed = |matrix: Matrix| match self.layouts[matrix.index()].memory(self.rank) {
            needed if reads || matrix == Matrix::C => needed as usize,
            _ => 0,
        };
        let expected = Matrix::ALL.map(needed);
        words.check(self.rank as u64, expected, |needed, given| needed <= given)?;
        if !reads {
            self.scale(beta, words.c);
            return Ok(());
        }
        match &self.way {
            Way::Stay { program, .. } => {
                let beta = match program.scales() {
                    true => beta,
                    false => {
                        self.scale(beta, words.c);
                        T::ONE
                    }
                };
                Ok(program.multiply(comm, [alpha, beta], words, backend, spare)?)
            }
            Way::Native {
                layouts, program, ..
            } => {
                spare.clear();
                self.by_plan(comm, (layouts, program), (alpha, beta), words, backend)
            }
        }
    }

    /// Multiplies this rank's part of `C` by a number; zero does not read it.
    fn scale<T: Scalar>(&self, beta: T, c: &mut [T]) {
        if beta == T::ONE {
            return;
        }
        let patches = self.layouts[Matrix::C.index()].patches(self.rank);
        for dense in patches.iter().map(Patch::dense) {
            let Dense {
                offset,
                rows,
                cols,
                col_step,
                ..
            } = dense;
            // Patches of `C` are never transposed: their columns are contiguous.
            for col in 0..cols {
                let column = offset + col * col_step;
                let column = &mut c[column..column + rows];
                if beta == T::ZERO {
                    column.fill(T::ZERO);
                } else {
                    column.iter_mut().for_each(|word| *word = beta.times(*word));
                }
            }
        }
    }

    fn by_plan<T: Scalar, C: Comm>(
        &self,
        comm: &C,
        (natives, program): (&[Layout; 3], &RankProgram),
        (alpha, beta): (T, T),
        words: Words<'_, T>,
        backend: &Backend,
    ) -> Result<(), CallerError> {
        let [mut a, mut b, mut c] = program.own_words().map(|words| vec![T::ZERO; words]);
        let inputs = [(Matrix::A, words.a, &mut a), (Matrix::B, words.b, &mut b)];
        for (matrix, source, target) in inputs {
            let at = matrix.index();
            let (from, to) = (&self.layouts[at], &natives[at]);
            let phase = Phase::Redistribute(matrix);
            redistribute(comm, (from, source), self.ops[at], (to, target), phase)?;
        }
        let own = Words {
            a: &a,
            b: &b,
            c: &mut c,
        };
        multiply(comm, program, alpha, T::ZERO, own, backend)?;
        let (from, to) = (&natives[2], &self.layouts[2]);
        let phase = Phase::Redistribute(Matrix::C);
        let back = (to, words.c);
        if beta == T::ZERO {
            redistribute(comm, (from, &c), Op::Plain, back, phase)?;
        } else {
            let update = |old: &mut T, sum: T| *old = beta.times(*old).plus(sum);
            redistribute_with(comm, (from, &c), Op::Plain, back, phase, update)?;
        }
        Ok(())
    }
}

/// Whether staying moves so little that no plan is worth looking for: one sixteenth more than the bound (C-13).
fn is_good(staying: &Stay) -> bool {
    let bound = bound::equal_work(staying.shape(), staying.ranks() as u64).per_rank();
    staying.volume() <= bound + bound / 16
}

/// Words of a rank that a redistribution gathers from the caller's layout, and scatters into that of a plan or back.
fn copied(shape: Shape, ranks: u64) -> u128 {
    2 * shape.words() / u128::from(ranks.max(1))
}

/// Which way the memory of an operand runs.
fn order(op: Op) -> Order {
    match op {
        Op::Plain => Order::ColumnMajor,
        Op::Transposed | Op::Conjugated => Order::RowMajor,
    }
}
