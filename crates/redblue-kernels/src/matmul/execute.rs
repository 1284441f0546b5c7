//! Runs the program of a rank: exchanges of panels with products in between, then the reduction of partial sums.

use redblue_dist::Matrix;
use redblue_dist::comm::{Comm, CommError, Phase, Tag, Transfer};

use super::MatmulError;
use super::blocks::{Call, Operand, Place, Spot};
use super::program::{Incoming, Outgoing, RankProgram, Reduction, Step};
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

impl<T> Words<'_, T> {
    /// Checks that the words given are enough, as `fits(expected, given)` says.
    pub(crate) fn check(
        &self,
        rank: u64,
        expected: [usize; 3],
        fits: impl Fn(usize, usize) -> bool,
    ) -> Result<(), MatmulError> {
        let given = [self.a.len(), self.b.len(), self.c.len()];
        for matrix in Matrix::ALL {
            let (expected, given) = (expected[matrix.index()], given[matrix.index()]);
            if !fits(expected, given) {
                return Err(MatmulError::Words {
                    rank,
                    matrix,
                    expected,
                    given,
                });
            }
        }
        Ok(())
    }
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
    program.check(comm.size(), &words)?;
    Run::new(comm, program, [alpha, beta], words, backend)?.rounds()
}

impl RankProgram {
    /// Checks that the program is for so many ranks and for these words.
    pub(super) fn check<T>(&self, present: usize, words: &Words<'_, T>) -> Result<(), MatmulError> {
        if self.ranks != present as u64 {
            return Err(MatmulError::Ranks {
                planned: self.ranks,
                present,
            });
        }
        words.check(self.rank, self.own, |expected, given| expected == given)
    }
}

/// `C = beta·C`; with `beta` zero the old contents are not read.
fn scale<T: Scalar>(beta: T, c: &mut [T]) {
    if beta == T::ZERO {
        c.fill(T::ZERO);
    } else if beta != T::ONE {
        c.iter_mut().for_each(|word| *word = beta.times(*word));
    }
}

/// A buffer of zeros, or an error where `vec!` would end the process.
fn buffer<T: Scalar>(words: usize) -> Result<Vec<T>, MatmulError> {
    let mut buffer = Vec::new();
    buffer
        .try_reserve_exact(words)
        .map_err(|_| MatmulError::OutOfMemory {
            bytes: words.saturating_mul(size_of::<T>()),
        })?;
    buffer.resize(words, T::ZERO);
    Ok(buffer)
}

/// A run under way: the buffers, allocated once.
pub(super) struct Run<'a, T, C> {
    comm: &'a C,
    program: &'a RankProgram,
    factors: [T; 2],
    backend: &'a Backend,
    own: [&'a [T]; 2],
    c: &'a mut [T],
    /// Words of `A` and `B` passed on for others, and sums of `C` collected for them.
    relayed: [Vec<T>; 3],
    panels: [[Vec<T>; 2]; 2],
    joined: [Vec<T>; 2],
    partial: Vec<T>,
    arriving: Vec<T>,
}

impl<'a, T: Scalar, C: Comm> Run<'a, T, C> {
    pub(super) fn new(
        comm: &'a C,
        program: &'a RankProgram,
        factors: [T; 2],
        words: Words<'a, T>,
        backend: &'a Backend,
    ) -> Result<Self, MatmulError> {
        if program.eager {
            scale(factors[1], words.c);
        }
        let buffers = |(words, count): (usize, usize)| {
            let first = buffer(if count > 0 { words } else { 0 })?;
            let second = buffer(if count > 1 { words } else { 0 })?;
            Ok::<_, MatmulError>([first, second])
        };
        Ok(Run {
            comm,
            program,
            factors,
            backend,
            own: [words.a, words.b],
            c: words.c,
            relayed: [
                buffer(program.relayed[0])?,
                buffer(program.relayed[1])?,
                buffer(program.relayed[2])?,
            ],
            panels: [buffers(program.panels[0])?, buffers(program.panels[1])?],
            joined: [buffer(program.joined[0])?, buffer(program.joined[1])?],
            partial: buffer(program.partial)?,
            arriving: buffer(program.reduction)?,
        })
    }

    fn rounds(mut self) -> Result<(), MatmulError> {
        let program = self.program;
        let (comm, rounds) = (self.comm, &program.rounds);
        let (sends, receives) = &program.handover;
        let messages = |step: &Step| step.sends.len() + step.receives.len();
        let most = rounds
            .iter()
            .map(messages)
            .chain([sends.len() + receives.len()]);
        let mut spare: Vec<Transfer<'static, T>> = Vec::with_capacity(most.max().unwrap_or(0));
        if !sends.is_empty() || !receives.is_empty() {
            let [a, b, _] = &mut self.relayed;
            let served = Served {
                own: self.own,
                relayed: [&[]; 2],
            };
            let mut transfers = post(spare, (sends, receives), 0, served, [a, b]);
            comm.transfer(&mut transfers)?;
            spare = recycle(transfers);
        }
        if let Some(first) = rounds.first() {
            let served = Served::of(self.own, &self.relayed);
            let into = panels_of(&mut self.panels, first);
            let mut transfers = post(spare, first.messages(), 1, served, into);
            comm.transfer(&mut transfers)?;
            spare = recycle(transfers);
        }
        for (number, step) in rounds.iter().enumerate() {
            let mut list = std::mem::take(&mut spare);
            self.product(number, |served, into, work| {
                let mut transfers = match rounds.get(number + 1) {
                    Some(next) => {
                        let list = std::mem::take(&mut list);
                        post(list, next.messages(), number + 2, served, into)
                    }
                    None => Vec::new(),
                };
                comm.exchange(&mut transfers, |progress| work(progress))?;
                list = recycle(transfers);
                Ok(())
            })?;
            spare = list;
            for one in &step.reduction {
                self.reduce(one)?;
            }
        }
        for one in &program.returns {
            self.reduce(one)?;
        }
        Ok(())
    }

    /// The buffers that the words of the first round are received into.
    pub(super) fn first_panels(&mut self) -> Option<[&mut [T]; 2]> {
        let first = self.program.rounds.first()?;
        Some(panels_of(&mut self.panels, first))
    }

    /// The words of others that this rank passes on or collects.
    pub(super) fn relayed(&mut self) -> &mut [Vec<T>; 3] {
        &mut self.relayed
    }

    /// The partial sums for others.
    pub(super) fn partial(&self) -> &[T] {
        &self.partial
    }

    /// The products of a round. `exchange` is given what the rank serves, the buffers for the words of the next round,
    /// which nobody reads meanwhile, and the work to do while they arrive.
    pub(super) fn product(
        &mut self,
        number: usize,
        exchange: impl FnOnce(Served<'_, T>, [&mut [T]; 2], &mut Work<'_>) -> Result<(), CommError>,
    ) -> Result<(), MatmulError> {
        let rounds = &self.program.rounds;
        let (step, next) = (&rounds[number], rounds.get(number + 1));
        if step.begins_tile && self.program.eager {
            self.partial.fill(T::ZERO);
        }
        let [a, b] = &mut self.panels;
        // The words of the next round go into the other buffers than those being multiplied; a panel that is
        // kept is not written.
        let (kept_a, into_a) = apart(a, next, Matrix::A);
        let (kept_b, into_b) = apart(b, next, Matrix::B);
        let [relayed_a, relayed_b, relayed_c] = &mut self.relayed;
        let served = Served {
            own: self.own,
            relayed: [relayed_a, relayed_b],
        };
        let panels = [kept_a, kept_b];
        for (matrix, from, to) in &step.copies {
            let memory = Memory {
                served,
                panels,
                joined: [&[]; 2],
            };
            let into = self.joined[matrix.index()].get_mut(to.offset..);
            let into = into.and_then(|words| MatMut::new(words, to.frame));
            if let (Some(from), Some(into)) = (memory.operand(*matrix, *from), into) {
                copy(from, into);
            }
        }
        let [joined_a, joined_b] = &self.joined;
        let memory = Memory {
            served,
            panels,
            joined: [joined_a, joined_b],
        };
        let (factors, backend, eager) = (self.factors, self.backend, self.program.eager);
        let mut sums = Sums {
            own: self.c,
            relayed: relayed_c,
            partial: &mut self.partial,
        };
        exchange(served, [into_a, into_b], &mut |progress| {
            for call in &step.calls {
                memory.run(call, factors, eager, backend, &mut sums);
                progress();
            }
        })?;
        Ok(())
    }

    /// Sends sums, receives others and adds them to those of this rank.
    fn reduce(&mut self, one: &Reduction) -> Result<(), MatmulError> {
        let tag = Tag::from(Phase::Multiply(Matrix::C));
        let mut sums = Sums {
            own: self.c,
            relayed: &mut self.relayed[Matrix::C.index()],
            partial: &mut self.partial,
        };
        let send = one.send.as_ref().map(|(to, spot)| Transfer::Send {
            to: *to,
            tag,
            data: &sums.at(spot.place)[spot.words.clone()],
        });
        let receive = one.receive.as_ref().map(|(from, spot)| Transfer::Receive {
            from: *from,
            tag,
            data: &mut self.arriving[..spot.words.len()],
        });
        match (send, receive) {
            (Some(send), Some(receive)) => self.comm.transfer(&mut [send, receive])?,
            (Some(one), None) | (None, Some(one)) => self.comm.transfer(&mut [one])?,
            (None, None) => {}
        }
        if let Some((_, spot)) = &one.receive {
            let sums = sums.at(spot.place)[spot.words.clone()].iter_mut();
            sums.zip(&self.arriving)
                .for_each(|(sum, more)| *sum = sum.plus(*more));
        }
        Ok(())
    }
}

/// The words of `A` and `B` that a rank sends to others.
#[derive(Clone, Copy)]
pub(super) struct Served<'m, T> {
    own: [&'m [T]; 2],
    relayed: [&'m [T]; 2],
}

impl<'m, T> Served<'m, T> {
    fn of(own: [&'m [T]; 2], [a, b, _]: &'m [Vec<T>; 3]) -> Self {
        Served {
            own,
            relayed: [a, b],
        }
    }

    fn at(&self, matrix: Matrix, place: Place) -> &'m [T] {
        match place {
            Place::Relayed => self.relayed[matrix.index()],
            Place::Own | Place::Panel(_) | Place::Joined | Place::Partial => {
                self.own[matrix.index()]
            }
        }
    }
}

/// What a rank adds to.
struct Sums<'m, T> {
    own: &'m mut [T],
    relayed: &'m mut [T],
    partial: &'m mut [T],
}

impl<T> Sums<'_, T> {
    fn at(&mut self, place: Place) -> &mut [T] {
        match place {
            Place::Own | Place::Panel(_) | Place::Joined => self.own,
            Place::Relayed => self.relayed,
            Place::Partial => self.partial,
        }
    }
}

/// The products of a round: given what moves messages along, to be called now and then.
pub(super) type Work<'w> = dyn FnMut(&mut dyn FnMut()) + 'w;

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

/// The buffers that the words of a round are received into.
fn panels_of<'m, T>([a, b]: &'m mut [[Vec<T>; 2]; 2], step: &Step) -> [&'m mut [T]; 2] {
    [&mut a[step.buffer[0]], &mut b[step.buffer[1]]]
}

/// The messages of a round; `number` tells them apart from those of other rounds.
fn post<'m, T: Scalar>(
    empty: Vec<Transfer<'_, T>>,
    (sends, receives): (&[Outgoing], &[Incoming]),
    number: usize,
    served: Served<'m, T>,
    into: [&'m mut [T]; 2],
) -> Vec<Transfer<'m, T>> {
    let mut transfers = recycle(empty);
    let tag = |matrix| Tag::new(Phase::Multiply(matrix), number);
    for outgoing in sends {
        let Spot { place, words } = &outgoing.from;
        transfers.push(Transfer::Send {
            to: outgoing.to,
            tag: tag(outgoing.matrix),
            data: &served.at(outgoing.matrix, *place)[words.clone()],
        });
    }
    let mut rest = into;
    for incoming in receives {
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

/// An empty list with the memory of an old one, for the same kind of things with another lifetime.
pub(crate) fn recycle<A, B>(mut old: Vec<A>) -> Vec<B> {
    old.clear();
    // Collecting in place keeps the allocation; the list is empty, so nothing is converted.
    old.into_iter().map_while(|_| None).collect()
}

/// Copies a matrix whose lines, by rows or by columns, are next to each other on both sides.
fn copy<T: Scalar>(from: MatRef<'_, T>, mut into: MatMut<'_, T>) {
    let frame = from.frame();
    for i in 0..frame.rows {
        for j in 0..frame.cols {
            *into.at(i, j) = from.at(i, j);
        }
    }
}

/// What a product reads.
struct Memory<'m, T> {
    served: Served<'m, T>,
    panels: [[&'m [T]; 2]; 2],
    joined: [&'m [T]; 2],
}

impl<T: Scalar> Memory<'_, T> {
    fn run(
        &self,
        call: &Call,
        [alpha, beta]: [T; 2],
        eager: bool,
        backend: &Backend,
        sums: &mut Sums<'_, T>,
    ) {
        // The first product for own sums scales them; others begin at zero.
        let scale = match (call.first && !eager, call.c.place) {
            (false, _) => T::ONE,
            (true, Place::Own) => beta,
            (true, _) => T::ZERO,
        };
        let (a, b) = (
            self.operand(Matrix::A, call.a),
            self.operand(Matrix::B, call.b),
        );
        let out = sums
            .at(call.c.place)
            .get_mut(call.c.offset..)
            .and_then(|words| MatMut::new(words, call.c.frame));
        if let (Some(a), Some(b), Some(out)) = (a, b, out) {
            backend.update([alpha, scale], a, b, out);
        }
    }

    fn operand(&self, matrix: Matrix, operand: Operand) -> Option<MatRef<'_, T>> {
        let words = match operand.place {
            Place::Panel(buffer) => self.panels[matrix.index()][buffer],
            Place::Joined => self.joined[matrix.index()],
            place => self.served.at(matrix, place),
        };
        MatRef::new(words.get(operand.offset..)?, operand.frame)
    }
}
