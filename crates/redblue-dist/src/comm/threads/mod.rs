//! Ranks as threads of one process: everything works and is tested without MPI.
//!
//! [`run`] starts the ranks and collects what they return. A message is copied once, straight from the
//! sender's slice into the receiver's, by whichever of the two comes second; the other may be computing
//! meanwhile, so messages really travel in the background.
//!
//! A rank that returns an error or panics fails the run: operations of the others return
//! [`CommError::Failed`] at once. When all ranks that still run wait for each other, all get
//! [`CommError::Deadlock`] at once; only a rank stuck outside of communication needs the time-out.

mod flight;
mod window;
mod world;

use std::cell::Cell;
use std::fmt::Display;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread::{self, ScopedJoinHandle};
use std::time::{Duration, Instant};

use thiserror::Error;

use super::{Comm, CommError, PATIENCE, Transfer, Word, check_peers, collective, panic_message};
use flight::Flight;
pub use window::ThreadWindow;
use world::{Channel, World};

/// How one rank of a run ended, if not well.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum RankError<E> {
    /// It returned an error.
    #[error("rank {rank}: {error}")]
    Returned {
        /// The rank.
        rank: usize,
        /// Its error.
        error: E,
    },
    /// It panicked.
    #[error("rank {rank} {message}")]
    Panicked {
        /// The rank.
        rank: usize,
        /// What the panic said.
        message: String,
    },
    /// The system did not start its thread.
    #[error("rank {rank} could not be started: {message}")]
    NotStarted {
        /// The rank.
        rank: usize,
        /// The system's reason.
        message: String,
    },
}

/// A run to be: how many ranks, and how patient they are.
#[derive(Clone, Copy, Debug)]
pub struct Ranks {
    count: usize,
    patience: Duration,
}

impl Ranks {
    /// This many ranks with the usual patience.
    pub fn new(count: usize) -> Ranks {
        Ranks {
            count,
            patience: PATIENCE,
        }
    }

    /// The same ranks, waiting at most this long without progress.
    pub fn patience(self, patience: Duration) -> Ranks {
        Ranks { patience, ..self }
    }

    /// Runs `body` on every rank and returns how each of them ended, with the number of the rank whose
    /// failure came first, if any failed.
    pub fn outcomes<R, E>(
        self,
        body: impl Fn(&ThreadComm) -> Result<R, E> + Sync,
    ) -> (Vec<Result<R, RankError<E>>>, Option<usize>)
    where
        R: Send,
        E: Display + Send,
    {
        let world = Arc::new(World::new(self.count, self.patience));
        let members: Arc<[usize]> = (0..self.count).collect();
        let outcomes = thread::scope(|scope| {
            let start = |rank| {
                let (shared, members, body) = (Arc::clone(&world), Arc::clone(&members), &body);
                let life = move || {
                    let comm = ThreadComm {
                        world: shared,
                        context: 0,
                        members,
                        rank,
                        ordinal: Cell::new(0),
                    };
                    live(&comm, body)
                };
                let started = thread::Builder::new().name(format!("rank {rank}"));
                started.spawn_scoped(scope, life).map_err(|error| {
                    let message = error.to_string();
                    world.end(rank, Some(message.clone()));
                    RankError::NotStarted { rank, message }
                })
            };
            // All are started before any is waited for.
            let handles: Vec<_> = (0..self.count).map(start).collect();
            let ended = |(rank, handle): (usize, Result<ScopedJoinHandle<_>, _>)| {
                handle?.join().unwrap_or_else(|panic| {
                    let message = panic_message(panic.as_ref());
                    Err(RankError::Panicked { rank, message })
                })
            };
            handles.into_iter().enumerate().map(ended).collect()
        });
        (outcomes, world.culprit())
    }

    /// Runs `body` on every rank and returns what they return, or the failure that came first.
    pub fn run<R, E>(
        self,
        body: impl Fn(&ThreadComm) -> Result<R, E> + Sync,
    ) -> Result<Vec<R>, RankError<E>>
    where
        R: Send,
        E: Display + Send,
    {
        let (outcomes, culprit) = self.outcomes(body);
        let (mut values, mut errors) = (Vec::with_capacity(self.count), Vec::new());
        for (rank, outcome) in outcomes.into_iter().enumerate() {
            match outcome {
                Ok(value) => values.push(value),
                Err(error) => errors.push((Some(rank) != culprit, rank, error)),
            }
        }
        match errors
            .into_iter()
            .min_by_key(|&(follower, rank, _)| (follower, rank))
        {
            Some((_, _, error)) => Err(error),
            None => Ok(values),
        }
    }
}

/// Runs `body` on this many ranks: [`Ranks::run`] with the usual patience.
///
/// ```
/// use redblue_dist::comm::{Comm, CommError, Phase, Transfer, threads};
///
/// let sums = threads::run(3, |comm| {
///     let (next, previous) = ((comm.rank() + 1) % 3, (comm.rank() + 2) % 3);
///     let (mine, mut theirs) = ([comm.rank() as f64], [0.0]);
///     comm.transfer(&mut [
///         Transfer::Send { to: next, tag: Phase::Control.into(), data: &mine },
///         Transfer::Receive { from: previous, tag: Phase::Control.into(), data: &mut theirs },
///     ])?;
///     Ok::<_, CommError>(mine[0] + theirs[0])
/// });
/// assert_eq!(sums, Ok(vec![2.0, 1.0, 3.0]));
/// ```
pub fn run<R, E>(
    ranks: usize,
    body: impl Fn(&ThreadComm) -> Result<R, E> + Sync,
) -> Result<Vec<R>, RankError<E>>
where
    R: Send,
    E: Display + Send,
{
    Ranks::new(ranks).run(body)
}

/// The life of one rank: whatever happens in `body`, the world learns how it ended.
fn live<R, E: Display>(
    comm: &ThreadComm,
    body: impl Fn(&ThreadComm) -> Result<R, E>,
) -> Result<R, RankError<E>> {
    let rank = comm.rank;
    // The body's state dies with it: on a panic nothing of it is looked at again.
    let outcome = match catch_unwind(AssertUnwindSafe(|| body(comm))) {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(error)) => Err(RankError::Returned { rank, error }),
        Err(panic) => Err(RankError::Panicked {
            rank,
            message: panic_message(panic.as_ref()),
        }),
    };
    let reason = match &outcome {
        Ok(_) => None,
        Err(RankError::Returned { error, .. }) => Some(error.to_string()),
        Err(RankError::Panicked { message, .. } | RankError::NotStarted { message, .. }) => {
            Some(message.clone())
        }
    };
    comm.world.end(rank, reason);
    outcome
}

/// A communicator between threads.
#[derive(Debug)]
pub struct ThreadComm {
    world: Arc<World>,
    /// Messages of different communicators never meet.
    context: u64,
    /// Numbers of the members among all threads.
    members: Arc<[usize]>,
    rank: usize,
    /// Number of splits so far: equal on all members, so it names the next one.
    ordinal: Cell<u64>,
}

impl ThreadComm {
    fn channel(&self, from: usize, to: usize, tag: u16) -> Channel {
        Channel {
            context: self.context,
            from: self.members[from],
            to: self.members[to],
            tag,
        }
    }
}

impl Comm for ThreadComm {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.members.len()
    }

    fn exchange_seen<T: Word, R>(
        &self,
        transfers: &mut [Transfer<'_, T>],
        work: impl FnOnce(&mut dyn FnMut()) -> R,
        seen: &mut dyn FnMut(usize, Instant),
    ) -> Result<R, CommError> {
        check_peers(transfers, self.size())?;
        let mut flight = Flight::new(&self.world, self.members[self.rank]);
        for (index, transfer) in transfers.iter_mut().enumerate() {
            match transfer {
                _ if transfer.words() == 0 => seen(index, Instant::now()),
                Transfer::Send { to, tag, data } => {
                    let channel = self.channel(self.rank, *to, tag.code());
                    // SAFETY: the slice is borrowed until this function returns, and the flight ends before.
                    unsafe { flight.send(index, channel, data) }?;
                }
                Transfer::Receive { from, tag, data } => {
                    let channel = self.channel(*from, self.rank, tag.code());
                    // SAFETY: as above; the borrow is exclusive, and nothing here touches it meanwhile.
                    unsafe { flight.receive(index, channel, data) }?;
                }
            }
        }
        let result = work(&mut || {});
        flight.land(seen)?;
        Ok(result)
    }

    fn split(&self, colour: Option<u64>, key: u64) -> Result<Option<Self>, CommError> {
        let ordinal = self.ordinal.replace(self.ordinal.get() + 1);
        let members = collective::colours(self, colour, key)?;
        let Some(colour) = colour else {
            return Ok(None);
        };
        let rank = members
            .iter()
            .position(|&rank| rank == self.rank)
            .unwrap_or_default();
        let members = members.into_iter().map(|rank| self.members[rank]).collect();
        let context = self.world.context((self.context, ordinal, colour));
        let world = Arc::clone(&self.world);
        Ok(Some(ThreadComm {
            world,
            context,
            members,
            rank,
            ordinal: Cell::new(0),
        }))
    }

    fn fail(&self, message: &str) {
        self.world.fail(self.members[self.rank], message);
    }
}
