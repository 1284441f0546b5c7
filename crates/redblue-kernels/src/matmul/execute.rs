//! Runs the program of a rank: exchanges of panels with products in between, then the reduction of partial sums.

use redblue_dist::Matrix;
use redblue_dist::comm::{Comm, Phase, Tag, Transfer};

use super::MatmulError;
use super::program::{Call, Operand, Place, RankProgram, Reduction, Step};
use crate::backend::Backend;
use crate::scalar::Scalar;
use crate::view::{MatMut, MatRef};

/// A rank's own words of the three matrices.
#[derive(Debug)]
pub struct Words<'a, T> {
    /// Of `A`, rectangle after rectangle, by columns.
    pub a: &'a [T],
    /// Of `B`, by rows.
    pub b: &'a [T],
    /// Of `C`, by rows.
    pub c: &'a mut [T],
}

/// `C = alpha·A·B + beta·C`, with every rank of the communicator executing its program of the same plan.
///
/// With `beta` zero the old contents of `C` are not read. Collective.
pub fn multiply<T: Scalar, C: Comm>(
    comm: &C,
    program: &RankProgram,
    alpha: T,
    beta: T,
    words: Words<'_, T>,
    backend: &Backend,
) -> Result<(), MatmulError> {
    if program.ranks != comm.size() as u64 {
        return Err(MatmulError::Ranks {
            planned: program.ranks,
            present: comm.size(),
        });
    }
    let given = [words.a.len(), words.b.len(), words.c.len()];
    for matrix in Matrix::ALL {
        let (expected, given) = (program.own[matrix.index()], given[matrix.index()]);
        if expected != given {
            return Err(MatmulError::Words {
                rank: program.rank,
                matrix,
                expected,
                given,
            });
        }
    }
    if beta == T::ZERO {
        words.c.fill(T::ZERO);
    } else if beta != T::ONE {
        words
            .c
            .iter_mut()
            .for_each(|word| *word = beta.times(*word));
    }
    Run::new(comm, program, alpha, words, backend).rounds()
}

/// A run under way: the buffers, allocated once.
struct Run<'a, T, C> {
    comm: &'a C,
    program: &'a RankProgram,
    alpha: T,
    backend: &'a Backend,
    own: [&'a [T]; 2],
    c: &'a mut [T],
    panels: [[Vec<T>; 2]; 2],
    partial: Vec<T>,
    arriving: Vec<T>,
}

impl<'a, T: Scalar, C: Comm> Run<'a, T, C> {
    fn new(
        comm: &'a C,
        program: &'a RankProgram,
        alpha: T,
        words: Words<'a, T>,
        backend: &'a Backend,
    ) -> Self {
        let panels = program.panels.map(|(words, count)| {
            [0, 1].map(|buffer| {
                if buffer < count {
                    vec![T::ZERO; words]
                } else {
                    Vec::new()
                }
            })
        });
        Run {
            comm,
            program,
            alpha,
            backend,
            own: [words.a, words.b],
            c: words.c,
            panels,
            partial: vec![T::ZERO; program.partial],
            arriving: vec![T::ZERO; program.reduction],
        }
    }

    fn rounds(mut self) -> Result<(), MatmulError> {
        let rounds = &self.program.rounds;
        let most = rounds
            .iter()
            .map(|step| step.sends.len() + step.receives.len())
            .max();
        let mut spare: Vec<Transfer<'static, T>> = Vec::with_capacity(most.unwrap_or(0));
        if let Some(first) = rounds.first() {
            let [a, b] = &mut self.panels;
            let into = [&mut a[first.buffer[0]][..], &mut b[first.buffer[1]][..]];
            let mut transfers = post(spare, first, 0, self.own, into);
            self.comm.transfer(&mut transfers)?;
            spare = recycle(transfers);
        }
        for (number, step) in rounds.iter().enumerate() {
            if step.begins_tile {
                self.partial.fill(T::ZERO);
            }
            let next = rounds.get(number + 1);
            let [a, b] = &mut self.panels;
            // The words of the next round go into the other buffers than those being multiplied; a panel that is
            // kept is not written.
            let (kept_a, into_a) = apart(a, next, Matrix::A);
            let (kept_b, into_b) = apart(b, next, Matrix::B);
            let mut transfers = match next {
                Some(next) => post(spare, next, number + 1, self.own, [into_a, into_b]),
                None => recycle(spare),
            };
            let memory = Memory {
                own: self.own,
                panels: [kept_a, kept_b],
            };
            let (alpha, backend, c, partial) =
                (self.alpha, self.backend, &mut *self.c, &mut self.partial);
            self.comm.exchange(&mut transfers, |progress| {
                for call in &step.calls {
                    memory.run(call, alpha, backend, c, partial);
                    progress();
                }
            })?;
            spare = recycle(transfers);
            for one in &step.reduction {
                self.reduce(one)?;
            }
        }
        Ok(())
    }

    /// Sends partial sums, receives others and adds them to the own words.
    fn reduce(&mut self, one: &Reduction) -> Result<(), MatmulError> {
        let tag = Tag::from(Phase::Multiply(Matrix::C));
        let send = one.send.as_ref().map(|(to, words)| Transfer::Send {
            to: *to,
            tag,
            data: &self.partial[words.clone()],
        });
        let receive = one.receive.as_ref().map(|(from, words)| Transfer::Receive {
            from: *from,
            tag,
            data: &mut self.arriving[..words.len()],
        });
        match (send, receive) {
            (Some(send), Some(receive)) => self.comm.transfer(&mut [send, receive])?,
            (Some(one), None) | (None, Some(one)) => self.comm.transfer(&mut [one])?,
            (None, None) => {}
        }
        if let Some((_, words)) = &one.receive {
            let own = self.c[words.clone()].iter_mut();
            own.zip(&self.arriving)
                .for_each(|(own, more)| *own = own.plus(*more));
        }
        Ok(())
    }
}

/// The buffers of a matrix to read from, and the one that the next round receives into. If it receives nothing
/// both are for reading.
fn apart<'m, T>(
    buffers: &'m mut [Vec<T>; 2],
    next: Option<&Step>,
    matrix: Matrix,
) -> ([&'m [T]; 2], &'m mut [T]) {
    let [first, second] = buffers;
    let receives = |step: &&Step| {
        step.receives
            .iter()
            .any(|incoming| incoming.matrix == matrix)
    };
    match next
        .filter(receives)
        .map(|step| step.buffer[matrix.index()])
    {
        Some(0) => ([&[], second], first),
        Some(_) => ([first, &[]], second),
        None => ([first, second], &mut []),
    }
}

/// The messages of a round.
fn post<'m, T: Scalar>(
    empty: Vec<Transfer<'_, T>>,
    step: &Step,
    round: usize,
    own: [&'m [T]; 2],
    into: [&'m mut [T]; 2],
) -> Vec<Transfer<'m, T>> {
    let mut transfers = recycle(empty);
    let tag = |matrix| Tag::new(Phase::Multiply(matrix), round);
    for outgoing in &step.sends {
        let data = &own[outgoing.matrix.index()][outgoing.words.clone()];
        transfers.push(Transfer::Send {
            to: outgoing.to,
            tag: tag(outgoing.matrix),
            data,
        });
    }
    let mut rest = into;
    for incoming in &step.receives {
        let buffer = std::mem::take(&mut rest[incoming.matrix.index()]);
        let (data, behind) = buffer.split_at_mut(incoming.words);
        rest[incoming.matrix.index()] = behind;
        transfers.push(Transfer::Receive {
            from: incoming.from,
            tag: tag(incoming.matrix),
            data,
        });
    }
    transfers
}

/// An empty list with the memory of an old one, for messages with another lifetime.
fn recycle<'m, T>(mut old: Vec<Transfer<'_, T>>) -> Vec<Transfer<'m, T>> {
    old.clear();
    // Collecting in place keeps the allocation; the list is empty, so nothing is converted.
    old.into_iter().map_while(|_| None).collect()
}

/// What a product reads.
struct Memory<'m, T> {
    own: [&'m [T]; 2],
    panels: [[&'m [T]; 2]; 2],
}

impl<T: Scalar> Memory<'_, T> {
    fn run(&self, call: &Call, alpha: T, backend: &Backend, c: &mut [T], partial: &mut [T]) {
        let (a, b) = (
            self.operand(Matrix::A, call.a),
            self.operand(Matrix::B, call.b),
        );
        let out = if call.c.place == Place::Own {
            c
        } else {
            partial
        };
        let out = out
            .get_mut(call.c.offset..)
            .and_then(|words| MatMut::new(words, call.c.frame));
        if let (Some(a), Some(b), Some(out)) = (a, b, out) {
            backend.accumulate(alpha, a, b, out);
        }
    }

    fn operand(&self, matrix: Matrix, operand: Operand) -> Option<MatRef<'_, T>> {
        let words = match operand.place {
            Place::Panel(buffer) => self.panels[matrix.index()][buffer],
            Place::Own | Place::Partial => self.own[matrix.index()],
        };
        MatRef::new(words.get(operand.offset..)?, operand.frame)
    }
}
