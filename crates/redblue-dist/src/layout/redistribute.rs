//! Moving a matrix from one layout to another, transposed on the way if asked.
//!
//! Rank r sends to rank r+s and receives from rank r−s in step s = 1, …, p−1, so that nobody is crowded;
//! pairs without common elements skip. While step s is under way, the words of step s−1 are put in their
//! place and those of step s+1 are collected. Every element moves at most once, and memory is needed for two
//! outgoing and two incoming messages of the longest length.

use super::parcel::{Parcel, Side};
use super::{Layout, LayoutError, overlap};
use crate::comm::{Comm, Phase, Tag, Transfer, Word};

/// What happens to a matrix on the way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    /// Nothing: `N`.
    Plain,
    /// It is transposed: `T`.
    Transposed,
    /// It is transposed and conjugated: `C`.
    Conjugated,
}

impl Op {
    /// The layout of the matrix after the operation, in the same memory.
    pub fn view(self, layout: &Layout) -> Layout {
        match self {
            Op::Plain => layout.clone(),
            Op::Transposed | Op::Conjugated => layout.transposed(),
        }
    }
}

/// Moves op(source) to target. `source` and `target` are this rank's memory in the two layouts.
///
/// Collective. All ranks pass the same layouts and the same operation; a rank that gets an error before words
/// move must tell the others with [`Comm::fail`], as for any collective.
pub fn redistribute<C: Comm, T: Word>(
    comm: &C,
    (from, source): (&Layout, &[T]),
    op: Op,
    (to, target): (&Layout, &mut [T]),
    phase: Phase,
) -> Result<(), LayoutError> {
    redistribute_with(
        comm,
        (from, source),
        op,
        (to, target),
        phase,
        |place, word| *place = word,
    )
}

/// As [`redistribute`], with `store(place, word)` for every element of the target: for example
/// `|c, word| *c = beta * *c + word`, so that an update needs no second pass.
pub fn redistribute_with<C: Comm, T: Word>(
    comm: &C,
    (from, source): (&Layout, &[T]),
    op: Op,
    (to, target): (&Layout, &mut [T]),
    phase: Phase,
    store: impl Fn(&mut T, T),
) -> Result<(), LayoutError> {
    let (rank, size) = (comm.rank(), comm.size());
    let from = &op.view(from);
    overlap::check(from, to)?;
    if size != from.ranks() {
        let (what, found, expected) = ("the communicator", size, from.ranks());
        return Err(LayoutError::Ranks {
            what,
            found,
            expected,
        });
    }
    let fits = |what, words: usize, layout: &Layout| match layout.memory(rank) {
        needed if words as u64 >= needed => Ok(()),
        needed => Err(LayoutError::Memory {
            what,
            rank,
            words,
            needed,
        }),
    };
    fits("source", source.len(), from)?;
    fits("target", target.len(), to)?;

    // Step 0 is the rank's own part, and the last step carries nothing: it only puts words in place.
    let steps = Step::all(from, to, rank);
    let [out, into] = longest(&steps);
    let buffer = |words| vec![T::default(); words];
    let (mut leaving, mut packed) = (buffer(out), buffer(out));
    let (mut arriving, mut arrived) = (buffer(into), buffer(into));

    let conjugate = op == Op::Conjugated;
    if let Some(own) = steps.first() {
        own.give.pack(source, conjugate, &mut packed);
        own.take.unpack(&packed, target, &store);
    }
    let mut previous: Option<&Step> = None;
    let mut coming = steps
        .iter()
        .skip(1)
        .filter(|step| !step.is_empty())
        .peekable();
    if let Some(first) = coming.peek() {
        first.give.pack(source, conjugate, &mut leaving);
    }
    while let Some(step) = coming.next() {
        let tag = Tag::new(phase, step.number);
        let transfers = &mut [
            Transfer::Send {
                to: step.to,
                tag,
                data: &leaving[..step.give.words()],
            },
            Transfer::Receive {
                from: step.from,
                tag,
                data: &mut arriving[..step.take.words()],
            },
        ];
        comm.exchange(transfers, |_| {
            if let Some(previous) = previous {
                previous.take.unpack(&arrived, target, &store);
            }
            if let Some(next) = coming.peek() {
                next.give.pack(source, conjugate, &mut packed);
            }
        })?;
        std::mem::swap(&mut leaving, &mut packed);
        std::mem::swap(&mut arriving, &mut arrived);
        previous = Some(step);
    }
    if let Some(last) = previous {
        last.take.unpack(&arrived, target, &store);
    }
    Ok(())
}

/// Words of the buffers that a rank allocates to move op(source) to target.
pub fn buffer_words(from: &Layout, op: Op, to: &Layout, rank: usize) -> usize {
    let [out, into] = longest(&Step::all(&op.view(from), to, rank));
    2 * (out + into)
}

/// Words of the longest messages, out and in.
fn longest(steps: &[Step]) -> [usize; 2] {
    let out = steps.iter().map(|step| step.give.words()).max();
    let into = steps.iter().map(|step| step.take.words()).max();
    [out.unwrap_or(0), into.unwrap_or(0)]
}

/// Step s of a rank: what it gives to rank r+s and takes from rank r−s.
struct Step {
    number: usize,
    to: usize,
    from: usize,
    give: Parcel,
    take: Parcel,
}

impl Step {
    fn all(source: &Layout, target: &Layout, rank: usize) -> Vec<Step> {
        (0..source.ranks())
            .map(|number| Step::new(source, target, rank, number))
            .collect()
    }

    fn new(source: &Layout, target: &Layout, rank: usize, number: usize) -> Step {
        let size = source.ranks();
        let (to, from) = ((rank + number) % size, (rank + size - number) % size);
        let give = Parcel::new(source, rank, target, to, Side::Source);
        let take = Parcel::new(source, from, target, rank, Side::Target);
        Step {
            number,
            to,
            from,
            give,
            take,
        }
    }

    fn is_empty(&self) -> bool {
        self.give.words() == 0 && self.take.words() == 0
    }
}
