//! One-sided communication: ranks read and add to memory that others expose (C-23).
//!
//! ```text
//! rank 0: expose(own words) ─┐                        ┌─► close() ─► own words, with all additions
//! rank 1: expose(own words) ─┴─► get, accumulate … ───┴─► close() ─► own words, with all additions
//! ```
//!
//! A window owns its memory from [`OneSided::expose`] to [`Window::close`], so nobody can look at words that
//! others may be changing. Between the two, either nobody accumulates into the words somebody gets, or the
//! values got are unspecified, as in MPI. The words moved are those of the two-sided exchange: a get is a
//! message from the exposing rank, an accumulation a message to it.

use super::{Comm, CommError, Phase, Word};

/// One access to another rank's window.
#[derive(Debug)]
pub enum Access<'a, T> {
    /// Reads words.
    Get {
        /// The rank that exposes them.
        from: usize,
        /// The first word.
        at: usize,
        /// What they count for.
        phase: Phase,
        /// Where they go.
        data: &'a mut [T],
    },
    /// Adds words to those exposed, each addition indivisible.
    Accumulate {
        /// The rank that exposes them.
        to: usize,
        /// The first word.
        at: usize,
        /// What they count for.
        phase: Phase,
        /// The words to add.
        data: &'a [T],
    },
}

impl<T> Access<'_, T> {
    /// The rank that exposes the words.
    pub fn peer(&self) -> usize {
        match self {
            Access::Get { from, .. } => *from,
            Access::Accumulate { to, .. } => *to,
        }
    }

    /// The position of the first word.
    pub fn at(&self) -> usize {
        match self {
            Access::Get { at, .. } | Access::Accumulate { at, .. } => *at,
        }
    }

    /// What the words count for.
    pub fn phase(&self) -> Phase {
        match self {
            Access::Get { phase, .. } | Access::Accumulate { phase, .. } => *phase,
        }
    }

    /// Number of words.
    pub fn words(&self) -> usize {
        match self {
            Access::Get { data, .. } => data.len(),
            Access::Accumulate { data, .. } => data.len(),
        }
    }
}

impl<T: Word> Access<'_, T> {
    /// Carries out an access whose memory is at hand; its words must lie inside.
    pub(super) fn carry_out(&mut self, memory: &mut [T]) {
        match self {
            Access::Get { at, data, .. } => data.copy_from_slice(&memory[*at..*at + data.len()]),
            Access::Accumulate { at, data, .. } => {
                for (word, &more) in memory[*at..].iter_mut().zip(*data) {
                    *word = word.plus(more);
                }
            }
        }
    }
}

/// Memory of all ranks of a communicator, open to all of them.
pub trait Window<T: Word>: Sized {
    /// Starts all accesses, runs `work`, and waits until every get has its words and every accumulation no
    /// longer needs its slice. `work` is given a function that moves messages along.
    fn exchange<R>(
        &self,
        accesses: &mut [Access<'_, T>],
        work: impl FnOnce(&mut dyn FnMut()) -> R,
    ) -> Result<R, CommError>;

    /// Waits for all accesses of all ranks and gives the memory back. Collective.
    fn close(self) -> Result<Vec<T>, CommError>;
}

/// A communicator with windows.
pub trait OneSided: Comm {
    /// Its windows.
    type Window<T: Word>: Window<T>;

    /// Opens this rank's memory to the others, and theirs to this one. Lengths may differ. Collective.
    fn expose<T: Word>(&self, memory: Vec<T>) -> Result<Self::Window<T>, CommError>;
}

/// Checks that every access stays inside the window of an existing rank, given the windows' lengths.
pub(super) fn check_accesses<T>(
    accesses: &[Access<'_, T>],
    lengths: &[usize],
) -> Result<(), CommError> {
    for access in accesses {
        let (rank, at, size) = (access.peer(), access.at(), lengths.len());
        let &words = lengths
            .get(rank)
            .ok_or(CommError::NoSuchRank { rank, size })?;
        let end = at.saturating_add(access.words());
        if end > words {
            return Err(CommError::OutsideWindow {
                rank,
                at,
                end,
                words,
            });
        }
    }
    Ok(())
}
