//! Runs a rank's program in the caller's layout: at every point in time messages travel while a piece is multiplied.

use std::any::Any;
use std::iter::Peekable;

use redblue_dist::Matrix;
use redblue_dist::comm::{Comm, Transfer};

use super::program::Program;
use super::step::{Buffer, Mail, Operand, Place, Step};
use crate::backend::Backend;
use crate::matmul::{MatmulError, Words, recycle};
use crate::scalar::Scalar;
use crate::view::{MatMut, MatRef};

/// Products of one call of a back-end, between which messages are moved along.
const CALL: usize = 1 << 26;
/// Length of the side that calls divide, at least.
const SHORTEST: usize = 64;

/// A run under way: the buffers, allocated once.
pub(super) struct Run<'a, T> {
    pub(super) program: &'a Program,
    pub(super) conjugate: [bool; 2],
    /// Of the product, and of `C` before the first one.
    pub(super) factors: [T; 2],
    pub(super) backend: &'a Backend,
    pub(super) words: Words<'a, T>,
}

/// The buffers of a product, kept for the next one that needs the same: fresh memory costs a page fault for every few
/// hundred words.
#[derive(Debug, Default)]
pub struct Spare(Option<Box<dyn Any>>);

impl Spare {
    /// Gives the memory back.
    pub fn clear(&mut self) {
        self.0 = None;
    }

    /// Buffers for a program, the kept ones if they have its sizes. Never both exist.
    fn take<T: Scalar>(&mut self, program: &Program) -> Box<Buffers<T>> {
        let kept = self.0.take().and_then(|kept| kept.downcast().ok());
        let kept: Option<Box<Buffers<T>>> = kept.filter(|kept| Buffers::fit(kept, program));
        kept.unwrap_or_else(|| Box::new(Buffers::new(program)))
    }
}

/// The buffers of a run.
struct Buffers<T> {
    /// Slots of `A` and `B`.
    panels: [Vec<Vec<T>>; 2],
    /// Slots of partial sums, one after another.
    sums: Vec<T>,
    outbox: Vec<T>,
    inbox: Vec<T>,
    scratch: Vec<T>,
    copied: Vec<T>,
}

impl<T: Scalar> Buffers<T> {
    fn new(program: &Program) -> Buffers<T> {
        let buffer = |words| vec![T::ZERO; words];
        let [a, b, (words, count)] = program.slots;
        Buffers {
            panels: [a, b].map(|(words, count)| (0..count).map(|_| buffer(words)).collect()),
            sums: buffer(words * count),
            outbox: buffer(program.outbox),
            inbox: buffer(program.inbox),
            scratch: buffer(program.scratch),
            copied: buffer(program.copied_words()),
        }
    }

    /// Whether they are exactly what a program needs.
    fn fit(&self, program: &Program) -> bool {
        let [a, b, (words, count)] = program.slots;
        let panels = self.panels.iter().zip([a, b]).all(|(panels, slots)| {
            panels.len() == slots.1 && panels.iter().all(|panel| panel.len() == slots.0)
        });
        let others = [
            (&self.sums, words * count),
            (&self.outbox, program.outbox),
            (&self.inbox, program.inbox),
            (&self.scratch, program.scratch),
            (&self.copied, program.copied_words()),
        ];
        panels && others.iter().all(|(buffer, words)| buffer.len() == *words)
    }
}

impl<T: Scalar> Run<'_, T> {
    /// Collective. The buffers are kept in `kept` when all goes well.
    pub(super) fn steps<C: Comm>(mut self, comm: &C, kept: &mut Spare) -> Result<(), MatmulError> {
        let program = self.program;
        let mut buffers = kept.take(program);
        if let Some((matrix, parcel)) = &program.copied {
            parcel.pack(self.caller(*matrix), true, &mut buffers.copied);
        }
        let most = program.steps.iter().map(|step| step.mail.len()).max();
        let mut spare: Vec<Transfer<'static, T>> = Vec::with_capacity(most.unwrap_or(0));
        for step in &program.steps {
            self.prepare(step, &mut buffers);
            spare = self.exchange(comm, step, &mut buffers, spare)?;
            self.finish(step, &mut buffers);
        }
        kept.0 = Some(buffers);
        Ok(())
    }

    fn caller(&self, matrix: Matrix) -> &[T] {
        match matrix {
            Matrix::A => self.words.a,
            Matrix::B => self.words.b,
            Matrix::C => self.words.c,
        }
    }

    /// Brings own words to their panels and collects what leaves.
    fn prepare(&self, step: &Step, buffers: &mut Buffers<T>) {
        let length = self.program.slots[Matrix::C.index()].0;
        let Buffers {
            panels,
            sums,
            outbox,
            scratch,
            ..
        } = buffers;
        for fill in &step.fills {
            let at = fill.matrix.index();
            let (memory, conjugate) = (self.caller(fill.matrix), self.conjugate[at]);
            let panel = &mut panels[at][fill.slot];
            match fill.to.contiguous() {
                Some(words) => fill.from.pack(memory, conjugate, &mut panel[words]),
                None => {
                    fill.from.pack(memory, conjugate, scratch);
                    fill.to.unpack(scratch, panel, &|place, word| *place = word);
                }
            }
        }
        for pack in &step.packs {
            let at = pack.matrix.index();
            let (memory, conjugate) = match pack.place {
                Place::Slot(slot) if pack.matrix == Matrix::C => (&sums[slot * length..], false),
                Place::Slot(slot) => (&panels[at][slot][..], false),
                Place::Caller | Place::Box => (self.caller(pack.matrix), self.conjugate[at]),
            };
            pack.parcel
                .pack(memory, conjugate, &mut outbox[pack.words.clone()]);
        }
    }

    /// Moves the step's messages while its product is computed.
    fn exchange<C: Comm>(
        &mut self,
        comm: &C,
        step: &Step,
        buffers: &mut Buffers<T>,
        spare: Vec<Transfer<'static, T>>,
    ) -> Result<Vec<Transfer<'static, T>>, MatmulError> {
        let Buffers {
            panels: slots,
            sums,
            outbox,
            inbox,
            copied,
            ..
        } = buffers;
        let mut transfers = recycle(spare);
        let mut mail = step.mail.iter().peekable();
        let mut panels: [&[T]; 2] = [&[]; 2];
        for (matrix, slots) in [Matrix::A, Matrix::B].into_iter().zip(slots) {
            let used = step.call.map(|call| call.operands[matrix.index()].place);
            for (number, slot) in slots.iter_mut().enumerate() {
                if used == Some(Place::Slot(number)) {
                    panels[matrix.index()] = slot;
                } else {
                    carve(
                        &mut transfers,
                        &mut mail,
                        Buffer::Panel(matrix, number),
                        slot,
                    );
                }
            }
        }
        carve(&mut transfers, &mut mail, Buffer::Inbox, inbox);
        // The partial sums being formed, and those of other slabs, which may be leaving.
        let length = self.program.slots[Matrix::C.index()].0;
        let forming = match step.call.map(|call| call.operands[Matrix::C.index()].place) {
            Some(Place::Slot(slot)) => slot,
            _ => self.program.slots[Matrix::C.index()].1,
        };
        let (before, rest) = sums.split_at_mut(forming * length);
        let (current, after) = rest.split_at_mut(length.min(rest.len()));
        let Words { a, b, c } = &mut self.words;
        for one in mail {
            let memory = match one.place {
                Place::Caller if one.matrix == Matrix::A => *a,
                Place::Caller => *b,
                Place::Slot(slot) if slot < forming => &before[slot * length..],
                Place::Slot(slot) => &after[(slot - forming - 1) * length..],
                Place::Box => outbox,
            };
            transfers.push(Transfer::Send {
                to: one.peer,
                tag: one.tag,
                data: &memory[one.words.clone()],
            });
        }
        let (factors, backend) = (self.factors, self.backend);
        comm.exchange(&mut transfers, |progress| {
            let Some(call) = step.call else { return };
            let read = |matrix: Matrix| {
                let operand = call.operands[matrix.index()];
                let memory = match operand.place {
                    Place::Caller if matrix == Matrix::A => *a,
                    Place::Caller => *b,
                    Place::Slot(_) => panels[matrix.index()],
                    Place::Box => copied,
                };
                (memory, operand)
            };
            let target = call.operands[Matrix::C.index()];
            let out: &mut [T] = if target.place == Place::Caller {
                c
            } else {
                current
            };
            // Partial sums begin without a value, the caller's with the one it gave.
            let [alpha, beta] = factors;
            let scale = match target.place {
                _ if !call.fresh => T::ONE,
                Place::Caller => beta,
                Place::Slot(_) | Place::Box => T::ZERO,
            };
            product(
                [alpha, scale],
                [read(Matrix::A), read(Matrix::B)],
                (out, target),
                backend,
                progress,
            );
        })?;
        Ok(recycle(transfers))
    }

    /// Brings what has arrived to its place, and finished sums to the caller.
    fn finish(&mut self, step: &Step, buffers: &mut Buffers<T>) {
        let length = self.program.slots[Matrix::C.index()].0;
        let Buffers {
            panels,
            sums,
            inbox,
            scratch,
            ..
        } = buffers;
        let add = |place: &mut T, word: T| *place = place.plus(word);
        for settle in &step.settles {
            settle
                .from
                .pack(&sums[settle.slot * length..], false, scratch);
            settle.to.unpack(scratch, self.words.c, &add);
        }
        for unpack in &step.unpacks {
            let words = &inbox[unpack.words.clone()];
            match (unpack.matrix, unpack.place) {
                (Matrix::C, Place::Slot(slot)) => {
                    unpack
                        .parcel
                        .unpack(words, &mut sums[slot * length..], &add);
                }
                (Matrix::C, _) => unpack.parcel.unpack(words, self.words.c, &add),
                (matrix, Place::Slot(slot)) => {
                    let panel = &mut panels[matrix.index()][slot];
                    unpack
                        .parcel
                        .unpack(words, panel, &|place, word| *place = word);
                }
                // Inputs arrive in panels only.
                (Matrix::A | Matrix::B, Place::Caller | Place::Box) => {}
            }
        }
    }
}

/// Hands out the ranges of one buffer to the messages that use it, which come next and in order.
fn carve<'m, 'p, T>(
    transfers: &mut Vec<Transfer<'m, T>>,
    mail: &mut Peekable<impl Iterator<Item = &'p Mail>>,
    buffer: Buffer,
    memory: &'m mut [T],
) {
    let (mut rest, mut at) = (memory, 0);
    while let Some(one) = mail.next_if(|one| one.buffer() == buffer) {
        let (_, behind) = rest.split_at_mut(one.words.start - at);
        let (data, behind) = behind.split_at_mut(one.words.len());
        (rest, at) = (behind, one.words.end);
        let (peer, tag) = (one.peer, one.tag);
        transfers.push(if one.leaves {
            Transfer::Send {
                to: peer,
                tag,
                data,
            }
        } else {
            Transfer::Receive {
                from: peer,
                tag,
                data,
            }
        });
    }
}

/// `C = alpha·A·B + beta·C` in a few calls, so that messages are moved along now and then. The longest side is cut, so that
/// the parts of the others that a call reads again are small.
fn product<T: Scalar>(
    [alpha, beta]: [T; 2],
    [(a, left), (b, right)]: [(&[T], Operand); 2],
    (c, target): (&mut [T], Operand),
    backend: &Backend,
    progress: &mut dyn FnMut(),
) {
    let sides = [target.frame.rows, target.frame.cols, left.frame.cols];
    let longest = (0..3).max_by_key(|&side| sides[side]).unwrap_or(0);
    let all = sides
        .iter()
        .fold(1, |all: usize, &side| all.saturating_mul(side));
    let length = (CALL / (all / sides[longest].max(1)).max(1)).max(SHORTEST);
    for start in (0..sides[longest]).step_by(length) {
        let mut ranges = sides.map(|side| 0..side);
        ranges[longest] = start..(start + length).min(sides[longest]);
        let [m, n, k] = &ranges;
        let (left, right, target) = (left.part(m, k), right.part(k, n), target.part(m, n));
        let a = a.get(left.offset..);
        let a = a.and_then(|words| MatRef::new(words, left.frame));
        let b = b.get(right.offset..);
        let b = b.and_then(|words| MatRef::new(words, right.frame));
        let c = c.get_mut(target.offset..);
        let c = c.and_then(|words| MatMut::new(words, target.frame));
        if let (Some(a), Some(b), Some(c)) = (a, b, c) {
            // Later parts of a sum add to the first.
            let beta = if longest == 2 && start > 0 {
                T::ONE
            } else {
                beta
            };
            backend.update([alpha, beta], a, b, c);
        }
        progress();
    }
}
