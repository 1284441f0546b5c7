//! The transfers of one exchange while they are under way.
//!
//! A [`Flight`] posts ends of messages, copies when the counterpart is already there, and lands when all are
//! complete. It is also the guard that makes lending slices to other threads sound: however the exchange
//! ends, dropping the flight takes back every post nobody has met and waits for copies under way, which need
//! only the time of a copy. After that no other thread knows the slices.

use std::ptr;
use std::time::Instant;

use super::super::{CommError, Word};
use super::world::{Channel, End, Post, State, World};

pub(super) struct Flight<'a> {
    world: &'a World,
    rank: usize,
    /// Ticket, position among the transfers, and channel of those not known to be complete.
    open: Vec<(u64, usize, Channel)>,
}

impl<'a> Flight<'a> {
    pub(super) fn new(world: &'a World, rank: usize) -> Flight<'a> {
        Flight {
            world,
            rank,
            open: Vec::new(),
        }
    }

    /// Posts a send.
    ///
    /// # Safety
    /// The slice must stay borrowed until the flight is dropped.
    pub(super) unsafe fn send<T: Word>(
        &mut self,
        index: usize,
        channel: Channel,
        data: &[T],
    ) -> Result<(), CommError> {
        self.post::<T>(
            index,
            channel,
            End::Source(data.as_ptr().cast()),
            data.len(),
        )
    }

    /// Posts a receive.
    ///
    /// # Safety
    /// The slice must stay exclusively borrowed, and untouched, until the flight is dropped.
    pub(super) unsafe fn receive<T: Word>(
        &mut self,
        index: usize,
        channel: Channel,
        data: &mut [T],
    ) -> Result<(), CommError> {
        self.post::<T>(
            index,
            channel,
            End::Sink(data.as_mut_ptr().cast()),
            data.len(),
        )
    }

    fn post<T: Word>(
        &mut self,
        index: usize,
        channel: Channel,
        end: End,
        words: usize,
    ) -> Result<(), CommError> {
        let mut state = self.world.lock();
        if let Some(failure) = &state.failure {
            return Err(failure.clone());
        }
        let (owner, ticket) = (self.rank, state.ticket());
        let post = Post {
            owner,
            ticket,
            end,
            words,
            bytes: words * size_of::<T>(),
            kind: T::KIND,
        };
        let queue = state.queues.entry(channel).or_default();
        match queue.front() {
            Some(other) if other.is_source() != post.is_source() => {
                if let Some(mismatch) = State::mismatch(channel, other, &post) {
                    self.world.fail_with(&mut state, owner, mismatch.clone());
                    return Err(mismatch);
                }
                let other = queue.pop_front();
                if queue.is_empty() {
                    state.queues.remove(&channel);
                }
                self.open.push((ticket, index, channel));
                if let Some(other) = other {
                    state.copying += 1;
                    drop(state);
                    self.meet(&post, &other);
                }
            }
            _ => {
                queue.push_back(post);
                self.open.push((ticket, index, channel));
            }
        }
        Ok(())
    }

    /// Copies between two matched ends of equal length and type, which `State::copying` already counts.
    fn meet(&self, mine: &Post, theirs: &Post) {
        if let (End::Source(from), End::Sink(to)) | (End::Sink(to), End::Source(from)) =
            (&mine.end, &theirs.end)
        {
            // SAFETY: both ends have `bytes` bytes of plain data. Both slices are still borrowed: this rank is
            // in `post`, and the other cannot leave its exchange before `complete`. The sink is borrowed
            // exclusively, so they do not overlap.
            unsafe { ptr::copy_nonoverlapping(*from, *to, mine.bytes) };
        }
        let mut state = self.world.lock();
        state.copying -= 1;
        self.world.complete(&mut state, theirs);
        self.world.complete(&mut state, mine);
    }

    /// Waits until every transfer is complete.
    pub(super) fn land(&mut self, seen: &mut dyn FnMut(usize, Instant)) -> Result<(), CommError> {
        let mut deadline = Instant::now() + self.world.patience;
        loop {
            let mut state = self.world.lock();
            let arrived = self.collect(&mut state);
            if !arrived.is_empty() {
                deadline = Instant::now() + self.world.patience;
                drop(state);
                arrived.into_iter().for_each(|(index, at)| seen(index, at));
                continue;
            }
            if self.open.is_empty() {
                return Ok(());
            }
            if let Some(failure) = &state.failure {
                return Err(failure.clone());
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                let (rank, seconds) = (self.rank, self.world.patience.as_secs());
                let waiting = state.unmatched(Some(rank));
                let failure = CommError::TimedOut {
                    rank,
                    seconds,
                    waiting,
                };
                self.world.fail_with(&mut state, rank, failure.clone());
                return Err(failure);
            }
            state.ranks[self.rank].waits = true;
            self.world.fail_if_stuck(&mut state, self.rank);
            if state.failure.is_none() {
                state = self.world.sleep(self.rank, state, left);
            }
            state.ranks[self.rank].waits = false;
        }
    }

    /// Takes the news about own transfers: their positions and times of completion.
    fn collect(&mut self, state: &mut State) -> Vec<(usize, Instant)> {
        let open = &mut self.open;
        let mut arrived = Vec::new();
        state.ranks[self.rank].completed.retain(|&(ticket, at)| {
            let Some(place) = open.iter().position(|&(mine, ..)| mine == ticket) else {
                return true;
            };
            arrived.push((open.swap_remove(place).1, at));
            false
        });
        arrived
    }
}

impl Drop for Flight<'_> {
    fn drop(&mut self) {
        if self.open.is_empty() {
            return;
        }
        let mut state = self.world.lock();
        let State { queues, .. } = &mut *state;
        self.open.retain(|(ticket, _, channel)| {
            let Some(queue) = queues.get_mut(channel) else {
                return true;
            };
            let before = queue.len();
            queue.retain(|post| post.ticket != *ticket);
            let withdrawn = queue.len() < before;
            if queue.is_empty() {
                queues.remove(channel);
            }
            !withdrawn
        });
        loop {
            self.collect(&mut state);
            if self.open.is_empty() {
                return;
            }
            state = self.world.sleep(self.rank, state, self.world.patience);
        }
    }
}
