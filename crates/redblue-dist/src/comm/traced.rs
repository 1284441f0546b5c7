//! A wrapper that records when messages were posted and complete and when work ran, to show what is hidden.
//!
//! Times are this process's monotonic clock since the trace began. Each rank has its own trace; on threads
//! traces that share their beginning ([`Trace::since`]) can be laid over one another, between processes
//! clocks are not aligned. Completion on threads is the moment of the copy; under MPI it is the first call
//! that notices it, so a computation that never moves messages along sees none complete before it ends.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::{Duration, Instant};

use super::{Comm, CommError, Tag, Transfer, Word};

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// A send was posted.
    SendPosted,
    /// A send was complete.
    Sent,
    /// A receive was posted.
    ReceivePosted,
    /// A receive had its words.
    Received,
    /// The work of an exchange began.
    WorkStarted,
    /// The work of an exchange ended.
    WorkEnded,
}

/// One event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// When, since the beginning of the trace.
    pub at: Duration,
    /// Number of the exchange on this rank, in the order in which they started.
    pub exchange: usize,
    /// What.
    pub what: What,
    /// The other rank, the label and the number of words, for messages.
    pub message: Option<(usize, Tag, usize)>,
}

/// The events of one rank, in order of time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    start: Instant,
    exchanges: usize,
    /// The events.
    pub events: Vec<Event>,
}

impl Trace {
    /// An empty trace with this beginning.
    pub fn since(start: Instant) -> Trace {
        Trace {
            start,
            exchanges: 0,
            events: Vec::new(),
        }
    }

    /// Words received before the work of their exchange ended, and words received altogether.
    pub fn hidden(&self) -> (u64, u64) {
        let (mut hidden, mut all) = (0, 0);
        for event in self
            .events
            .iter()
            .filter(|event| event.what == What::Received)
        {
            let words = event.message.map_or(0, |(_, _, words)| words as u64);
            let worked = self.events.iter().any(|end| {
                (end.what, end.exchange) == (What::WorkEnded, event.exchange) && event.at < end.at
            });
            all += words;
            hidden += if worked { words } else { 0 };
        }
        (hidden, all)
    }

    fn record(&mut self, event: Event) {
        // News of completions comes late: keep the order of time.
        let place = self
            .events
            .partition_point(|earlier| earlier.at <= event.at);
        self.events.insert(place, event);
    }
}

/// A communicator that records what it does.
#[derive(Debug)]
pub struct Traced<C> {
    inner: C,
    trace: Rc<RefCell<Trace>>,
}

impl<C> Traced<C> {
    /// Records into a new trace with the given beginning.
    pub fn new(inner: C, start: Instant) -> Traced<C> {
        Traced {
            inner,
            trace: Rc::new(RefCell::new(Trace::since(start))),
        }
    }

    /// The events so far.
    pub fn trace(&self) -> Trace {
        self.trace.borrow().clone()
    }
}

impl<C: Comm> Comm for Traced<C> {
    fn rank(&self) -> usize {
        self.inner.rank()
    }

    fn size(&self) -> usize {
        self.inner.size()
    }

    fn exchange_seen<T: Word, R>(
        &self,
        transfers: &mut [Transfer<'_, T>],
        work: impl FnOnce(&mut dyn FnMut()) -> R,
        seen: &mut dyn FnMut(usize, Instant),
    ) -> Result<R, CommError> {
        let exchange = {
            let mut trace = self.trace.borrow_mut();
            trace.exchanges += 1;
            trace.exchanges - 1
        };
        let note = |what, at: Instant, message| {
            let mut trace = self.trace.borrow_mut();
            let at = at.saturating_duration_since(trace.start);
            trace.record(Event {
                at,
                exchange,
                what,
                message,
            });
        };
        let posted = transfers.iter().map(|transfer| match transfer {
            Transfer::Send { .. } => (What::SendPosted, What::Sent, label(transfer)),
            Transfer::Receive { .. } => (What::ReceivePosted, What::Received, label(transfer)),
        });
        let posted: Vec<_> = posted.collect();
        posted
            .iter()
            .for_each(|&(what, _, message)| note(what, Instant::now(), Some(message)));
        let timed_work = |advance: &mut dyn FnMut()| {
            note(What::WorkStarted, Instant::now(), None);
            let result = work(advance);
            note(What::WorkEnded, Instant::now(), None);
            result
        };
        self.inner
            .exchange_seen(transfers, timed_work, &mut |index, at| {
                let (_, what, message) = posted[index];
                note(what, at, Some(message));
                seen(index, at);
            })
    }

    fn split(&self, colour: Option<u64>, key: u64) -> Result<Option<Self>, CommError> {
        let inner = self.inner.split(colour, key)?;
        Ok(inner.map(|inner| Traced {
            inner,
            trace: Rc::clone(&self.trace),
        }))
    }

    fn fail(&self, message: &str) {
        self.inner.fail(message);
    }
}

fn label<T>(transfer: &Transfer<'_, T>) -> (usize, Tag, usize) {
    (transfer.peer(), transfer.tag(), transfer.words())
}
