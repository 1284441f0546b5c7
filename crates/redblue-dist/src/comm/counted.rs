//! A wrapper that counts words: what a plan predicts must be what a run moves, exactly.
//!
//! Counted are the words handed to the communicator, per phase, to and from *other* ranks. One-sided accesses
//! are only known to the rank that makes them, so each rank also keeps what it took from and added to every
//! other; [`Counted::settle`] tells them. Back-ends with and without windows thus give the same numbers (C-23).

use std::cell::RefCell;
use std::ops::{AddAssign, Index};
use std::rc::Rc;
use std::time::Instant;

use super::{Access, Comm, CommError, OneSided, Phase, Transfer, Window, Word, collective};

/// Words in and out of a rank.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flow {
    /// Words sent to other ranks.
    pub sent: u64,
    /// Words received from other ranks.
    pub received: u64,
    /// Messages sent to other ranks.
    pub messages: u64,
}

impl Flow {
    /// The larger of the two directions: the volume of a rank.
    pub fn volume(&self) -> u64 {
        self.sent.max(self.received)
    }
}

impl AddAssign for Flow {
    fn add_assign(&mut self, other: Flow) {
        self.sent += other.sent;
        self.received += other.received;
        self.messages += other.messages;
    }
}

/// The flow of every phase.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally([Flow; Phase::COUNT]);

impl Tally {
    /// Everything but control: the words of matrices.
    pub fn matrices(&self) -> Flow {
        let mut sum = Flow::default();
        let phases = Phase::ALL
            .into_iter()
            .filter(|&phase| phase != Phase::Control);
        phases.for_each(|phase| sum += self[phase]);
        sum
    }

    fn flow(&mut self, phase: Phase) -> &mut Flow {
        &mut self.0[phase.index()]
    }
}

impl Index<Phase> for Tally {
    type Output = Flow;

    fn index(&self, phase: Phase) -> &Flow {
        &self.0[phase.index()]
    }
}

/// What all communicators split from one another have counted together.
#[derive(Debug)]
struct Ledger {
    own: Tally,
    /// Per rank of the root communicator: what this rank moved there on its own account.
    elsewhere: Vec<Tally>,
}

/// A communicator that counts.
#[derive(Debug)]
pub struct Counted<C> {
    inner: C,
    ledger: Rc<RefCell<Ledger>>,
    /// Ranks of this communicator in the one the counting began with.
    roots: Rc<[usize]>,
}

impl<C: Comm> Counted<C> {
    /// Starts counting at zero.
    pub fn new(inner: C) -> Counted<C> {
        let size = inner.size();
        let ledger = Ledger {
            own: Tally::default(),
            elsewhere: vec![Tally::default(); size],
        };
        let ledger = Rc::new(RefCell::new(ledger));
        Counted {
            inner,
            ledger,
            roots: (0..size).collect(),
        }
    }

    /// What this rank has moved so far on its own account: complete unless windows were used.
    pub fn tally(&self) -> Tally {
        self.ledger.borrow().own
    }

    /// The tally so far; counting starts again at zero.
    pub fn take(&self) -> Tally {
        std::mem::take(&mut self.ledger.borrow_mut().own)
    }

    /// Exchanges what ranks moved by one-sided accesses, and returns everything that went in and out of this
    /// rank. Collective, on the communicator the counting began with; not counted itself.
    pub fn settle(&self) -> Result<Tally, CommError> {
        const ROW: usize = 3 * Phase::COUNT;
        let (rank, size) = (self.inner.rank(), self.inner.size());
        // Row q of rank r: what r moved in and out of q. Summing all ranks' rows q on rank q is a reduction.
        let mut rows = Vec::with_capacity(ROW * size);
        for tally in &self.ledger.borrow().elsewhere {
            rows.extend(
                tally
                    .0
                    .iter()
                    .flat_map(|flow| [flow.sent, flow.received, flow.messages]),
            );
        }
        let (parts, mut scratch) = (vec![ROW; size], vec![0; ROW]);
        let (path, tag) = (collective::Path::Ring, Phase::Control.into());
        collective::reduce_scatter(&self.inner, &parts, &mut rows, &mut scratch, path, tag)?;
        let mut ledger = self.ledger.borrow_mut();
        ledger.elsewhere.fill(Tally::default());
        let settled = rows[ROW * rank..ROW * (rank + 1)].chunks_exact(3);
        for (flow, row) in ledger.own.0.iter_mut().zip(settled) {
            *flow += Flow {
                sent: row[0],
                received: row[1],
                messages: row[2],
            };
        }
        Ok(ledger.own)
    }

    /// Stops counting.
    pub fn into_inner(self) -> C {
        self.inner
    }
}

impl<C: Comm> Comm for Counted<C> {
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
        {
            let (rank, mut ledger) = (self.rank(), self.ledger.borrow_mut());
            for transfer in transfers.iter().filter(|transfer| transfer.peer() != rank) {
                let (flow, words) = (
                    ledger.own.flow(transfer.tag().phase()),
                    transfer.words() as u64,
                );
                match transfer {
                    Transfer::Send { .. } => {
                        *flow += Flow {
                            sent: words,
                            received: 0,
                            messages: words.min(1),
                        };
                    }
                    Transfer::Receive { .. } => flow.received += words,
                }
            }
        }
        self.inner.exchange_seen(transfers, work, seen)
    }

    fn split(&self, colour: Option<u64>, key: u64) -> Result<Option<Self>, CommError> {
        let members = collective::colours(&self.inner, colour, key)?;
        let Some(inner) = self.inner.split(colour, key)? else {
            return Ok(None);
        };
        let roots = members
            .into_iter()
            .map(|member| self.roots[member])
            .collect();
        Ok(Some(Counted {
            inner,
            ledger: Rc::clone(&self.ledger),
            roots,
        }))
    }

    fn fail(&self, message: &str) {
        self.inner.fail(message);
    }
}

/// A window whose accesses are counted.
#[derive(Debug)]
pub struct CountedWindow<W> {
    inner: W,
    rank: usize,
    ledger: Rc<RefCell<Ledger>>,
    roots: Rc<[usize]>,
}

impl<C: OneSided> OneSided for Counted<C> {
    type Window<T: Word> = CountedWindow<C::Window<T>>;

    fn expose<T: Word>(&self, memory: Vec<T>) -> Result<Self::Window<T>, CommError> {
        let inner = self.inner.expose(memory)?;
        let (ledger, roots) = (Rc::clone(&self.ledger), Rc::clone(&self.roots));
        Ok(CountedWindow {
            inner,
            rank: self.rank(),
            ledger,
            roots,
        })
    }
}

impl<T: Word, W: Window<T>> Window<T> for CountedWindow<W> {
    fn exchange<R>(
        &self,
        accesses: &mut [Access<'_, T>],
        work: impl FnOnce(&mut dyn FnMut()) -> R,
    ) -> Result<R, CommError> {
        {
            let ledger = &mut *self.ledger.borrow_mut();
            for access in accesses.iter().filter(|access| access.peer() != self.rank) {
                let (phase, words) = (access.phase(), access.words() as u64);
                let Some(&root) = self.roots.get(access.peer()) else {
                    continue;
                };
                let (here, there) = (ledger.own.flow(phase), ledger.elsewhere[root].flow(phase));
                let (from, to) = match access {
                    Access::Get { .. } => (there, here),
                    Access::Accumulate { .. } => (here, there),
                };
                *from += Flow {
                    sent: words,
                    received: 0,
                    messages: words.min(1),
                };
                to.received += words;
            }
        }
        self.inner.exchange(accesses, work)
    }

    fn close(self) -> Result<Vec<T>, CommError> {
        self.inner.close()
    }
}
