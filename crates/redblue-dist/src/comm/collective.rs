//! Collectives that move the least: every word a rank lacks reaches it once.
//!
//! With parts `w_0 … w_{p-1}` (any may be zero) and `W` their sum, an all-gather must bring `W − w_r` words to
//! rank r, and a reduce-scatter must take that many partial sums away from it. Both paths attain this; they
//! differ in the other direction ([`gather_flow`], [`reduce_flow`]):
//!
//! ```text
//!             all-gather                      reduce-scatter
//! ring        receives W − w_r,               sends W − w_r,
//!             sends    W − w_{r+1}            receives W − w_{r-1}
//! pairwise    receives W − w_r,               sends W − w_r,
//!             sends    (p−1)·w_r              receives (p−1)·w_r
//! ```
//!
//! With equal parts all four entries are the same. The ring balances unequal parts, pairwise exchange has
//! one step of latency. A [`broadcast`] and an [`all_reduce`] of few words use a binomial tree of depth
//! ⌈log2 p⌉. Sums are formed in an order that depends on the ranks only, so results are repeatable.

use std::ops::Range;

use super::{Comm, CommError, Flow, Phase, Tag, Transfer, Word};

/// How the words of an all-gather or reduce-scatter travel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Path {
    /// From neighbour to neighbour, p − 1 steps.
    Ring,
    /// Straight from the owner to everyone.
    Pairwise,
}

/// The parts of a buffer: part r belongs to rank r, one after another.
struct Parts<'a>(&'a [usize]);

impl<'a> Parts<'a> {
    fn new(
        parts: &'a [usize],
        size: usize,
        name: &'static str,
        words: usize,
    ) -> Result<Parts<'a>, CommError> {
        let needed = parts
            .iter()
            .fold(0_usize, |sum, &part| sum.saturating_add(part));
        if parts.len() != size || words != needed {
            return Err(CommError::WrongLength {
                name,
                words,
                size,
                needed,
            });
        }
        Ok(Parts(parts))
    }

    fn range(&self, rank: usize) -> Range<usize> {
        let start = self.0[..rank].iter().sum();
        start..start + self.0[rank]
    }
}

/// Gathers everybody's part on every rank. `buffer` holds the parts of all ranks one after another; a rank's
/// own part is filled in before.
pub fn all_gather<C: Comm, T: Word>(
    comm: &C,
    parts: &[usize],
    buffer: &mut [T],
    path: Path,
    tag: Tag,
) -> Result<(), CommError> {
    let (rank, size) = (comm.rank(), comm.size());
    let parts = Parts::new(parts, size, "the buffer of an all-gather", buffer.len())?;
    match path {
        Path::Ring => {
            let (next, previous) = ((rank + 1) % size, (rank + size - 1) % size);
            for step in 0..size.saturating_sub(1) {
                let passed = parts.range((rank + size - step) % size);
                let taken = parts.range((previous + size - step) % size);
                let (data, into) = apart(buffer, passed, taken);
                comm.transfer(&mut [
                    Transfer::Send {
                        to: next,
                        tag,
                        data,
                    },
                    Transfer::Receive {
                        from: previous,
                        tag,
                        data: into,
                    },
                ])?;
            }
            Ok(())
        }
        Path::Pairwise => {
            let own = parts.range(rank);
            let (before, rest) = buffer.split_at_mut(own.start);
            let (data, after) = rest.split_at_mut(own.len());
            let data = &*data;
            let mut transfers = Vec::with_capacity(2 * size);
            let (mut before, mut after) = (before, after);
            for peer in (0..size).filter(|&peer| peer != rank) {
                let side = if peer < rank { &mut before } else { &mut after };
                let (into, rest) = std::mem::take(side).split_at_mut(parts.0[peer]);
                *side = rest;
                transfers.push(Transfer::Receive {
                    from: peer,
                    tag,
                    data: into,
                });
                transfers.push(Transfer::Send {
                    to: peer,
                    tag,
                    data,
                });
            }
            comm.transfer(&mut transfers)
        }
    }
}

/// Sums everybody's buffers and leaves part r of the sum on rank r, in place. The rest of the buffer is
/// overwritten with partial sums. `scratch` needs the length of the longest part.
pub fn reduce_scatter<C: Comm, T: Word>(
    comm: &C,
    parts: &[usize],
    buffer: &mut [T],
    scratch: &mut [T],
    path: Path,
    tag: Tag,
) -> Result<(), CommError> {
    let (rank, size) = (comm.rank(), comm.size());
    let parts = Parts::new(parts, size, "the buffer of a reduce-scatter", buffer.len())?;
    let needed = parts.0.iter().copied().max().unwrap_or(0);
    if scratch.len() < needed {
        let (name, words) = ("the scratch memory of a reduce-scatter", scratch.len());
        return Err(CommError::WrongLength {
            name,
            words,
            size,
            needed,
        });
    }
    for step in 0..size.saturating_sub(1) {
        // The ring hands part c from rank c + 1 all the way round to rank c, adding on the way.
        let (to, from, given, taken) = match path {
            Path::Ring => (
                (rank + 1) % size,
                (rank + size - 1) % size,
                (rank + size - 1 - step) % size,
                (rank + 2 * size - 2 - step) % size,
            ),
            Path::Pairwise => {
                let (to, from) = ((rank + 1 + step) % size, (rank + size - 1 - step) % size);
                (to, from, to, rank)
            }
        };
        let (given, taken) = (parts.range(given), parts.range(taken));
        let partial = &mut scratch[..taken.len()];
        comm.transfer(&mut [
            Transfer::Send {
                to,
                tag,
                data: &buffer[given],
            },
            Transfer::Receive {
                from,
                tag,
                data: partial,
            },
        ])?;
        add(&mut buffer[taken], partial);
    }
    Ok(())
}

/// Sends the root's buffer to all ranks along a binomial tree.
pub fn broadcast<C: Comm, T: Word>(
    comm: &C,
    root: usize,
    buffer: &mut [T],
    tag: Tag,
) -> Result<(), CommError> {
    let size = comm.size();
    if root >= size {
        return Err(CommError::NoSuchRank { rank: root, size });
    }
    let tree = Tree::new(comm.rank(), root, size);
    if let Some(from) = tree.parent() {
        comm.transfer(&mut [Transfer::Receive {
            from,
            tag,
            data: &mut *buffer,
        }])?;
    }
    for to in tree.children() {
        comm.transfer(&mut [Transfer::Send {
            to,
            tag,
            data: &*buffer,
        }])?;
    }
    Ok(())
}

/// Combines everybody's buffer, in a fixed order, and leaves the result on all ranks: for few words.
/// `combine(sum, more)` folds the words of a higher rank's subtree into those of a lower one.
pub fn all_reduce<C: Comm, T: Word>(
    comm: &C,
    buffer: &mut [T],
    combine: impl Fn(&mut [T], &[T]),
    tag: Tag,
) -> Result<(), CommError> {
    let tree = Tree::new(comm.rank(), 0, comm.size());
    let mut more = vec![T::default(); buffer.len()];
    for from in tree.children().rev() {
        comm.transfer(&mut [Transfer::Receive {
            from,
            tag,
            data: &mut more,
        }])?;
        combine(buffer, &more);
    }
    if let Some(to) = tree.parent() {
        comm.transfer(&mut [Transfer::Send {
            to,
            tag,
            data: &*buffer,
        }])?;
    }
    broadcast(comm, 0, buffer, tag)
}

/// The members of this rank's new communicator in a split, as ranks of the old one, in their new order.
pub(super) fn colours<C: Comm>(
    comm: &C,
    colour: Option<u64>,
    key: u64,
) -> Result<Vec<usize>, CommError> {
    let (rank, size) = (comm.rank(), comm.size());
    let mut table = vec![0_u64; 3 * size];
    let own = [u64::from(colour.is_some()), colour.unwrap_or(0), key];
    table[3 * rank..3 * rank + 3].copy_from_slice(&own);
    all_gather(
        comm,
        &vec![3; size],
        &mut table,
        Path::Ring,
        Phase::Control.into(),
    )?;
    let rows: Vec<&[u64]> = table.chunks_exact(3).collect();
    let mut members: Vec<usize> = (0..size).filter(|&r| rows[r][..2] == own[..2]).collect();
    members.sort_by_key(|&member| (rows[member][2], member));
    Ok(members)
}

/// Words that an all-gather moves in and out of a rank; none for a rank that has no part.
pub fn gather_flow(parts: &[usize], rank: usize, path: Path) -> Flow {
    let Some(&own) = parts.get(rank) else {
        return Flow::default();
    };
    let given = match path {
        Path::Ring => others(parts, (rank + 1) % parts.len()),
        Path::Pairwise => copies(parts, rank),
    };
    Flow {
        received: words(parts) - own as u64,
        ..given
    }
}

/// Words that a reduce-scatter moves in and out of a rank: the all-gather backwards.
pub fn reduce_flow(parts: &[usize], rank: usize, path: Path) -> Flow {
    if rank >= parts.len() {
        return Flow::default();
    }
    let received = match path {
        Path::Ring => others(parts, (rank + parts.len() - 1) % parts.len()).sent,
        Path::Pairwise => copies(parts, rank).sent,
    };
    Flow {
        received,
        ..others(parts, rank)
    }
}

/// Sending all parts but one.
fn others(parts: &[usize], except: usize) -> Flow {
    let given = parts
        .iter()
        .enumerate()
        .filter(|&(part, &words)| part != except && words > 0);
    let sent = words(parts) - parts[except] as u64;
    Flow {
        sent,
        received: 0,
        messages: given.count() as u64,
    }
}

/// Sending one part to everyone else.
fn copies(parts: &[usize], part: usize) -> Flow {
    let (words, peers) = (parts[part] as u64, parts.len() as u64 - 1);
    Flow {
        sent: words * peers,
        received: 0,
        messages: words.min(1) * peers,
    }
}

fn words(parts: &[usize]) -> u64 {
    parts.iter().map(|&part| part as u64).sum()
}

/// A binomial tree: relative to the root, the parent of x is x without its lowest bit.
struct Tree {
    place: usize,
    root: usize,
    size: usize,
}

impl Tree {
    fn new(rank: usize, root: usize, size: usize) -> Tree {
        Tree {
            place: (rank + size - root) % size,
            root,
            size,
        }
    }

    fn rank(&self, place: usize) -> usize {
        (place + self.root) % self.size
    }

    fn parent(&self) -> Option<usize> {
        let above = self.place & self.place.wrapping_sub(1);
        (self.place > 0).then(|| self.rank(above))
    }

    /// The children, those with the largest subtrees first.
    fn children(&self) -> impl DoubleEndedIterator<Item = usize> + '_ {
        let levels = match self.place {
            0 => usize::BITS - self.size.leading_zeros(),
            place => place.trailing_zeros(),
        };
        let places = (0..levels).rev().map(|level| self.place + (1 << level));
        places
            .filter(|&place| place < self.size)
            .map(|place| self.rank(place))
    }
}

/// Two parts of a buffer at once, one to read and one to write; they are different parts or both empty.
fn apart<T>(buffer: &mut [T], read: Range<usize>, write: Range<usize>) -> (&[T], &mut [T]) {
    if read.end <= write.start {
        let (low, high) = buffer.split_at_mut(write.start);
        (&low[read], &mut high[..write.len()])
    } else {
        let (low, high) = buffer.split_at_mut(read.start);
        (&high[..read.len()], &mut low[write])
    }
}

fn add<T: Word>(sum: &mut [T], more: &[T]) {
    for (word, &more) in sum.iter_mut().zip(more) {
        *word = word.plus(more);
    }
}
