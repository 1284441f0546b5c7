//! LRU at one size without one step per access: what repeats is counted once and multiplied.
//!
//! Loops repeat themselves. If a later iteration of a loop finds fast memory in the state in which an earlier
//! one found it, only with every array moved along by the distance its subscripts moved, then everything in
//! between repeats, moved along again, for the rest of the loop:
//!
//! ```text
//! state n₀ ──window──► state n = state n₀ shifted   ⇒   n ──window──► n + w ──window──► n + 2w ──► …
//! counts       Δ                                              Δ                Δ
//! ```
//!
//! The shift of an array is a bijection on its cells that maps the accesses of one window to those of the
//! next, and LRU does not care what cells are called; so this is exact, not an estimate. It needs loops that
//! allow it (`Period`): inner bounds that do not depend on the loop, and one stride per array. Other loops
//! are run iteration by iteration, and so is every loop until its state repeats. While fast memory still
//! fills up, it is enough that the part of it that the loop works on repeats, see `Pattern`.
//!
//! Two counts are not a property of the window alone. Loads of cells never seen before (compulsory) thin out
//! over time; so the cells that windows miss on are written to a `Log` and marked as seen one by one, moved
//! along. That costs a step per line and window, not per access, and nothing once all of an array was seen. And stores are booked at the eviction,
//! which unlike the miss that reveals it later is part of the window.
//!
//! Not done here: OPT, several sizes at once, set-associative caches; see the plain simulators.

mod log;
mod pattern;
mod period;
mod repeat;

use std::collections::HashMap;
use std::ops::ControlFlow;

use self::log::Log;
use self::pattern::Resident;
use self::period::Period;
use self::repeat::Marked;
use crate::error::SimError;
use crate::lru::{Met, Recency};
use crate::nest::{Nest, Visit, walk};
use crate::trace::{Shape, Trace};
use crate::traffic::{ReferenceTraffic, Traffic};

/// The result of [`lru`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Regular {
    /// What the plain simulation would have counted.
    pub traffic: Traffic,
    /// How many accesses were simulated to find it.
    pub simulated: u64,
}

/// The traffic of a nest under LRU with a fast memory of `size` cells.
pub fn lru(nest: &Nest, size: u64) -> Result<Regular, SimError> {
    lru_watched(nest, size, &mut |_| ControlFlow::Continue(()))
}

/// As [`lru`], telling `watch` now and then how many accesses were simulated; an error if it breaks.
pub fn lru_watched(
    nest: &Nest,
    size: u64,
    watch: &mut dyn FnMut(u64) -> ControlFlow<()>,
) -> Result<Regular, SimError> {
    if size == 0 {
        return Err(SimError::NoRoom);
    }
    let shape = nest.shape();
    let mut skipper = Skipper {
        shape,
        periods: period::periods(nest),
        memory: Recency::new(shape.cells(), size),
        writer: vec![0; shape.cells() as usize],
        unseen: shape
            .arrays()
            .iter()
            .map(|array| array.cells.into())
            .collect(),
        marked: HashMap::new(),
        miss_loads: shape.miss_loads(),
        is_write: shape.references().iter().map(|r| r.write).collect(),
        counts: vec![ReferenceTraffic::default(); shape.references().len()],
        simulated: 0,
        frames: Vec::new(),
        hopes: vec![Hope::default(); nest.loops()],
        snapshots: 0,
        log: Log::default(),
        watch,
    };
    match walk(nest, &mut skipper) {
        ControlFlow::Continue(()) => Ok(skipper.finish(size)),
        ControlFlow::Break(()) => Err(SimError::Stopped),
    }
}

/// The simulation, and the loops it is in.
struct Skipper<'a> {
    shape: &'a Shape,
    periods: Vec<Option<Period>>,
    memory: Recency,
    /// The reference that wrote a dirty resident cell, plus one; 0 for all other cells.
    writer: Vec<u32>,
    /// How many cells of each array were never accessed.
    unseen: Vec<u64>,
    /// By loop and array.
    marked: HashMap<(usize, usize), Marked>,
    miss_loads: Vec<bool>,
    is_write: Vec<bool>,
    counts: Vec<ReferenceTraffic>,
    simulated: u64,
    frames: Vec<Frame>,
    /// For every loop, what its runs so far promise for the next.
    hopes: Vec<Hope>,
    /// How many frames have a snapshot; misses are logged while there is one.
    snapshots: usize,
    log: Log,
    watch: &'a mut dyn FnMut(u64) -> ControlFlow<()>,
}

/// What the runs of a loop so far promise for its next run. States are compared for a small part of all the work
/// in the loop: runs that are left alone pay for a later attempt, because later runs may be longer and repeat.
#[derive(Clone, Copy, Default)]
struct Hope {
    /// How many of its latest attempts did not repeat, so that it is tried less often.
    doubt: u32,
    /// Accesses in its runs since the last attempt.
    credit: u64,
}

/// A loop being run.
struct Frame {
    loop_id: usize,
    trips: u64,
    entered_at: u64,
    /// Whether there is nothing to gain any more from comparing states.
    idle: bool,
    snapshot: Option<Snapshot>,
    /// When states were compared last, and how much work must pass before they are again.
    compared_at: u64,
    patience: u64,
}

/// The state at the start of some iteration.
struct Snapshot {
    done: u64,
    /// Least recently used first.
    cells: Vec<Resident>,
    counts: Vec<ReferenceTraffic>,
    log_start: log::Position,
}

/// Accesses between two calls of the watcher.
const WATCH_EVERY: u64 = 1 << 22;

/// Accesses to wait per resident cell before states are compared: several times what comparing costs.
const COMPARISON_COST: u64 = 4;

/// The wait is doubled at most this often.
const MOST_DOUBT: u32 = 6;

impl Visit for Skipper<'_> {
    #[inline]
    fn access(&mut self, cell: u32, reference: u32) -> ControlFlow<()> {
        self.simulated += 1;
        let met = self.touch(cell);
        let count = &mut self.counts[reference as usize];
        count.accesses += 1;
        if met != Met::Hit {
            let loads = self.miss_loads[reference as usize];
            count.loads += u64::from(loads);
            count.compulsory += u64::from(loads && met == Met::New);
            if self.snapshots > 0 {
                self.log.miss(reference, cell);
            }
        }
        if self.is_write[reference as usize] {
            self.writer[cell as usize] = reference + 1;
        }
        if self.simulated.is_multiple_of(WATCH_EVERY) {
            return (self.watch)(self.simulated);
        }
        ControlFlow::Continue(())
    }

    fn enter(&mut self, loop_id: usize, trips: u64) {
        let period = self.periods[loop_id].as_ref();
        let cost = COMPARISON_COST * self.memory.resident() as u64;
        let hope = self.hopes[loop_id];
        self.frames.push(Frame {
            loop_id,
            trips,
            entered_at: self.simulated,
            // Two windows to compare and one to skip are the least that pays.
            idle: period.is_none_or(|p| trips / 3 < p.iterations),
            snapshot: None,
            compared_at: self.simulated,
            patience: (cost << hope.doubt).saturating_sub(hope.credit).max(cost),
        });
    }

    fn skip(&mut self, done: u64) -> u64 {
        match self.frames.last() {
            Some(frame) if !frame.idle && self.simulated - frame.compared_at >= frame.patience => {
                self.compare(done)
            }
            _ => 0,
        }
    }

    fn stretch(&self) -> u64 {
        match self.frames.last() {
            Some(frame) if !frame.idle => self.periods[frame.loop_id]
                .as_ref()
                .map_or(u64::MAX, |period| period.iterations),
            _ => u64::MAX,
        }
    }

    fn leave(&mut self) {
        if let Some(frame) = self.frames.pop() {
            let hope = &mut self.hopes[frame.loop_id];
            match frame.snapshot {
                Some(_) => {
                    hope.doubt = (hope.doubt + 1).min(MOST_DOUBT);
                    hope.credit = 0;
                }
                None => hope.credit += self.simulated - frame.entered_at,
            }
            self.drop_snapshot(frame.snapshot);
        }
    }
}

impl Skipper<'_> {
    /// Compares the state with the innermost loop's snapshot. Skips if it repeats, else takes a new one.
    fn compare(&mut self, done: u64) -> u64 {
        let Some(mut frame) = self.frames.pop() else {
            return 0;
        };
        let cells: Vec<Resident> = self
            .memory
            .cells()
            .map(|cell| (cell, self.writer[cell as usize]))
            .collect();
        let mut skipped = 0;
        if let Some(snapshot) = frame.snapshot.take() {
            let window = done - snapshot.done;
            let times = (frame.trips - done) / window;
            let shifts = self.shifts(frame.loop_id, window);
            if let Some(pattern) = self.pattern(&snapshot, &cells, &shifts, times) {
                self.repeat(frame.loop_id, &snapshot, &cells, &pattern, &shifts, times);
                skipped = times * window;
                frame.idle = true;
                self.hopes[frame.loop_id] = Hope::default();
            }
            self.drop_snapshot(Some(snapshot));
        }
        if !frame.idle {
            self.snapshots += 1;
            self.memory.mark();
            // Each failure makes the next attempt rarer, so that all attempts together stay cheap.
            frame.patience += frame.patience / 4;
            frame.patience = frame.patience.max(COMPARISON_COST * cells.len() as u64);
            frame.compared_at = self.simulated;
            frame.snapshot = Some(Snapshot {
                done,
                cells,
                counts: self.counts.clone(),
                log_start: self.log.position(),
            });
        }
        self.frames.push(frame);
        skipped
    }

    fn drop_snapshot(&mut self, snapshot: Option<Snapshot>) {
        if snapshot.is_some() {
            self.memory.unmark();
            self.snapshots -= 1;
            if self.snapshots == 0 {
                self.log.clear();
            }
        }
    }

    fn finish(mut self, size: u64) -> Regular {
        let must_reach_memory: Vec<bool> = self.shape.must_reach_memory().collect();
        for cell in self.memory.cells() {
            let writer = self.writer[cell as usize];
            if writer != 0 && must_reach_memory[cell as usize] {
                self.counts[writer as usize - 1].flushes += 1;
            }
        }
        Regular {
            traffic: Traffic {
                grain: self.shape.grain(),
                size,
                references: self.counts,
            },
            simulated: self.simulated,
        }
    }
}
