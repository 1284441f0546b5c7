//! What the threads of a run share: unmatched messages, who waits, who has ended, and the first failure.
//!
//! One lock guards it all; it is never held while words are copied. A deadlock is exact: when every rank that
//! has not ended waits and no copy is under way, no message can ever be posted again. For that, whoever
//! completes a transfer also clears the "waits" mark of its owner, who may not have woken up yet.

use std::any::Any;
use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::super::{CommError, Kind};

/// Where a message travels: two messages meet only on the same channel, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Channel {
    pub(super) context: u64,
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) tag: u16,
}

impl fmt::Display for Channel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "the message {} → {} with tag {}",
            self.from, self.to, self.tag
        )
    }
}

/// One end of a message: the words to read or the place to write.
#[derive(Debug)]
pub(super) enum End {
    Source(*const u8),
    Sink(*mut u8),
}

/// An end waiting for its counterpart.
#[derive(Debug)]
pub(super) struct Post {
    pub(super) owner: usize,
    pub(super) ticket: u64,
    pub(super) end: End,
    pub(super) words: usize,
    pub(super) bytes: usize,
    pub(super) kind: Kind,
}

// SAFETY: the pointers are only used by `Flight::meet`, while the owner of the slice is inside an exchange
// that cannot return before its post is completed or withdrawn; words are plain data.
unsafe impl Send for Post {}

impl Post {
    pub(super) fn is_source(&self) -> bool {
        matches!(self.end, End::Source(_))
    }

    fn describe(&self) -> String {
        format!("{} words of {:?}", self.words, self.kind)
    }
}

#[derive(Debug, Default)]
pub(super) struct RankState {
    /// Completed transfers the rank has not looked at yet.
    pub(super) completed: Vec<(u64, Instant)>,
    pub(super) waits: bool,
    ended: bool,
}

#[derive(Debug)]
pub(super) struct State {
    pub(super) queues: BTreeMap<Channel, VecDeque<Post>>,
    pub(super) ranks: Vec<RankState>,
    /// Copies under way.
    pub(super) copying: usize,
    pub(super) failure: Option<CommError>,
    culprit: Option<usize>,
    tickets: u64,
    contexts: BTreeMap<(u64, u64, u64), u64>,
    /// Memory exposed as windows, until all members have picked it up.
    pub(super) windows: BTreeMap<(u64, usize), Arc<dyn Any + Send + Sync>>,
}

impl State {
    pub(super) fn ticket(&mut self) -> u64 {
        self.tickets += 1;
        self.tickets
    }

    /// What differs between the two ends of a message, if anything does.
    pub(super) fn mismatch(channel: Channel, a: &Post, b: &Post) -> Option<CommError> {
        if (a.words, a.kind) == (b.words, b.kind) {
            return None;
        }
        let (source, sink) = if a.is_source() { (a, b) } else { (b, a) };
        let (sent, expected) = (source.describe(), sink.describe());
        Some(CommError::Mismatch {
            transfer: channel.to_string(),
            sent,
            expected,
        })
    }

    /// The unmatched posts of one rank, or of all, as text.
    pub(super) fn unmatched(&self, owner: Option<usize>) -> String {
        const SHOWN: usize = 8;
        let mut lines = Vec::new();
        for (channel, queue) in &self.queues {
            for post in queue
                .iter()
                .filter(|post| owner.is_none_or(|owner| owner == post.owner))
            {
                let peer = if post.is_source() {
                    channel.to
                } else {
                    channel.from
                };
                let gone = if self.ranks[peer].ended {
                    ", which has ended"
                } else {
                    ""
                };
                lines.push(format!("rank {} waits for {channel}{gone}", post.owner));
            }
        }
        let more = lines.len().saturating_sub(SHOWN);
        lines.truncate(SHOWN);
        if more > 0 {
            lines.push(format!("and {more} more"));
        }
        lines.join("; ")
    }

    fn is_stuck(&self) -> bool {
        self.copying == 0
            && self.ranks.iter().any(|rank| rank.waits)
            && self.ranks.iter().all(|rank| rank.waits || rank.ended)
    }
}

/// The shared part of a run.
#[derive(Debug)]
pub(super) struct World {
    state: Mutex<State>,
    wake: Vec<Condvar>,
    pub(super) patience: Duration,
}

impl World {
    pub(super) fn new(ranks: usize, patience: Duration) -> World {
        let state = State {
            queues: BTreeMap::new(),
            ranks: (0..ranks).map(|_| RankState::default()).collect(),
            copying: 0,
            failure: None,
            culprit: None,
            tickets: 0,
            contexts: BTreeMap::new(),
            windows: BTreeMap::new(),
        };
        let wake = (0..ranks).map(|_| Condvar::new()).collect();
        World {
            state: Mutex::new(state),
            wake,
            patience,
        }
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, State> {
        // No code panics while it holds the lock, so a poisoned state is a whole state.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sleeps until somebody completes a transfer of `rank`, the run fails, or the time is over.
    pub(super) fn sleep<'a>(
        &self,
        rank: usize,
        state: MutexGuard<'a, State>,
        time: Duration,
    ) -> MutexGuard<'a, State> {
        let woken = self.wake[rank].wait_timeout(state, time);
        woken.unwrap_or_else(PoisonError::into_inner).0
    }

    pub(super) fn complete(&self, state: &mut State, post: &Post) {
        let rank = &mut state.ranks[post.owner];
        rank.completed.push((post.ticket, Instant::now()));
        rank.waits = false;
        self.wake[post.owner].notify_one();
    }

    /// Records the first failure of the run and wakes everybody.
    pub(super) fn fail_with(&self, state: &mut State, culprit: usize, failure: CommError) {
        if state.failure.is_none() {
            state.failure = Some(failure);
            state.culprit = Some(culprit);
        }
        self.wake.iter().for_each(Condvar::notify_one);
    }

    pub(super) fn fail(&self, rank: usize, message: &str) {
        let failure = CommError::Failed {
            rank,
            message: message.to_owned(),
        };
        self.fail_with(&mut self.lock(), rank, failure);
    }

    /// The run is over for a rank, with the reason if it failed.
    pub(super) fn end(&self, rank: usize, reason: Option<String>) {
        if let Some(reason) = reason {
            self.fail(rank, &reason);
        }
        let mut state = self.lock();
        state.ranks[rank].ended = true;
        self.fail_if_stuck(&mut state, rank);
    }

    /// Ends a deadlock that the last step of `rank` has made complete.
    pub(super) fn fail_if_stuck(&self, state: &mut State, rank: usize) {
        if state.failure.is_none() && state.is_stuck() {
            let waiting = state.unmatched(None);
            self.fail_with(state, rank, CommError::Deadlock { waiting });
        }
    }

    pub(super) fn culprit(&self) -> Option<usize> {
        self.lock().culprit
    }

    /// The number of a communicator that several ranks create under the same name.
    pub(super) fn context(&self, name: (u64, u64, u64)) -> u64 {
        let mut state = self.lock();
        let next = state.contexts.len() as u64 + 1;
        *state.contexts.entry(name).or_insert(next)
    }
}
