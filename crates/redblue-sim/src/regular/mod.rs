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
//! allow it ([`Period`]): inner bounds that do not depend on the loop, and one stride per array. Other loops
//! are run iteration by iteration, and so is every loop until its state repeats. While fast memory still
//! fills up, it is enough that the part of it that the loop works on repeats, see [`Pattern`].
//!
//! Two counts are not a property of the window alone. Loads of cells never seen before (compulsory) thin out
//! over time; so the cells that windows miss on are written to a [`Log`] and marked as seen one by one, moved
//! along. That costs a step per line and window, not per access. And stores are booked at the eviction,
//! which unlike the miss that reveals it later is part of the window.
//!
//! Not done here: OPT, several sizes at once, set-associative caches; see the plain simulators.

mod log;
mod pattern;
mod period;

use std::ops::ControlFlow;

use self::log::Log;
use self::pattern::{Pattern, Resident, pattern};
use self::period::Period;
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
    if size == 0 {
        return Err(SimError::NoRoom);
    }
    let shape = nest.shape();
    let mut skipper = Skipper {
        shape,
        periods: period::periods(nest),
        memory: Recency::new(shape.cells(), size),
        writer: vec![0; shape.cells() as usize],
        miss_loads: shape.miss_loads(),
        is_write: shape.references().iter().map(|r| r.write).collect(),
        counts: vec![ReferenceTraffic::default(); shape.references().len()],
        simulated: 0,
        frames: Vec::new(),
        snapshots: 0,
        log: Log::default(),
    };
    let _ = walk(nest, &mut skipper);
    Ok(skipper.finish(size))
}

/// The simulation, and the loops it is in.
struct Skipper<'a> {
    shape: &'a Shape,
    periods: Vec<Option<Period>>,
    memory: Recency,
    /// The reference that wrote a dirty resident cell, plus one; 0 for all other cells.
    writer: Vec<u32>,
    miss_loads: Vec<bool>,
    is_write: Vec<bool>,
    counts: Vec<ReferenceTraffic>,
    simulated: u64,
    frames: Vec<Frame>,
    /// How many frames have a snapshot; misses are logged while there is one.
    snapshots: usize,
    log: Log,
}

/// A loop being run.
struct Frame {
    loop_id: usize,
    trips: u64,
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

/// Comparing two states costs about as much as this many accesses per resident cell.
const COMPARISON_COST: u64 = 4;

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
        ControlFlow::Continue(())
    }

    fn enter(&mut self, loop_id: usize, trips: u64) {
        let period = self.periods[loop_id].as_ref();
        self.frames.push(Frame {
            loop_id,
            trips,
            // Two windows to compare and one to skip are the least that pays.
            idle: period.is_none_or(|p| trips / 3 < p.iterations),
            snapshot: None,
            compared_at: self.simulated,
            patience: 0,
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
                self.repeat(&snapshot, &cells, &pattern, &shifts, times);
                skipped = times * window;
                frame.idle = true;
            }
            self.drop_snapshot(Some(snapshot));
        }
        if !frame.idle {
            self.snapshots += 1;
            // Each failure makes the next attempt rarer, so that all attempts together stay cheap.
            frame.patience += frame.patience / 4 + COMPARISON_COST * cells.len() as u64;
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
            self.snapshots -= 1;
            if self.snapshots == 0 {
                self.log.clear();
            }
        }
    }

    /// How far each array moves in this many iterations of a loop, in cells.
    fn shifts(&self, loop_id: usize, iterations: u64) -> Vec<i64> {
        match &self.periods[loop_id] {
            Some(period) => {
                let periods = (iterations / period.iterations) as i64;
                period.shift.iter().map(|shift| shift * periods).collect()
            }
            None => vec![0; self.shape.arrays().len()],
        }
    }

    fn shifted(&self, cell: u32, shifts: &[i64], times: u64) -> u32 {
        (i64::from(cell) + shifts[self.shape.array_of(cell)] * times as i64) as u32
    }

    /// How the state repeats the snapshot, if it goes on doing so for this many windows.
    fn pattern(
        &self,
        snapshot: &Snapshot,
        cells: &[Resident],
        shifts: &[i64],
        times: u64,
    ) -> Option<Pattern> {
        if !self.log.reaches(snapshot.log_start) {
            return None;
        }
        let moved = |(cell, writer): Resident| (self.shifted(cell, shifts, 1), writer);
        let found = pattern(&snapshot.cells, cells, self.memory.is_full(), moved)?;
        match &found {
            Pattern::Whole => Some(found),
            Pattern::Top { top, .. } => {
                let below = cells[..*top].iter().map(|(cell, _)| *cell);
                self.keeps_missing(snapshot.log_start, shifts, times, below)
                    .then_some(found)
            }
        }
    }

    /// Whether the cells missed since a position, moved along up to `times` times, stay clear of each other
    /// and of the cells `below`, so that they are missed again every time.
    fn keeps_missing(
        &self,
        start: log::Position,
        shifts: &[i64],
        times: u64,
        below: impl Iterator<Item = u32>,
    ) -> bool {
        let arrays = 0..self.shape.arrays().len();
        let missed: Vec<_> = arrays
            .map(|array| self.log.hull(start, array, self.shape))
            .collect();
        let clear = missed.iter().zip(shifts).all(|(hull, shift)| match hull {
            Some((low, high)) => high - low < shift.abs(),
            None => true,
        });
        clear
            && below.into_iter().all(|cell| {
                let (cell, array) = (i64::from(cell), self.shape.array_of(cell));
                let Some((low, high)) = missed[array] else {
                    return true;
                };
                let ends = [shifts[array], shifts[array] * times as i64];
                cell < low + ends[0].min(ends[1]) || cell > high + ends[0].max(ends[1])
            })
    }

    /// Does what `times` more windows like the one since the snapshot would do.
    fn repeat(
        &mut self,
        snapshot: &Snapshot,
        cells: &[Resident],
        pattern: &Pattern,
        shifts: &[i64],
        times: u64,
    ) {
        let whole = *pattern == Pattern::Whole;
        for (now, before) in self.counts.iter_mut().zip(&snapshot.counts) {
            now.accesses += (now.accesses - before.accesses) * times;
            now.loads += (now.loads - before.loads) * times;
            if whole {
                now.write_backs += (now.write_backs - before.write_backs) * times;
            }
        }
        self.mark_seen(snapshot.log_start, shifts, times);
        self.memory.clear();
        for &(cell, _) in cells {
            self.writer[cell as usize] = 0;
        }
        match pattern {
            Pattern::Whole => self.refill(cells, shifts, times),
            Pattern::Top { top, sunk } => {
                // What is evicted meanwhile is evicted, and stored, here.
                self.refill(&cells[..*top], shifts, 0);
                for time in 1..=times {
                    self.refill(&cells[sunk.clone()], shifts, time);
                }
                self.refill(&cells[*top..], shifts, times);
            }
        }
        self.log.repeat(snapshot.log_start, times, shifts.to_vec());
    }

    /// Puts cells into fast memory, moved along.
    fn refill(&mut self, cells: &[Resident], shifts: &[i64], times: u64) {
        for &(cell, writer) in cells {
            let cell = self.shifted(cell, shifts, times);
            self.touch(cell);
            self.writer[cell as usize] = writer;
        }
    }

    /// Uses a cell, booking the store of the one that goes.
    #[inline]
    fn touch(&mut self, cell: u32) -> Met {
        let (writer, counts) = (&mut self.writer, &mut self.counts);
        self.memory.touch(cell, |victim| {
            let victim = std::mem::take(&mut writer[victim as usize]);
            if victim != 0 {
                counts[victim as usize - 1].write_backs += 1;
            }
        })
    }

    /// Marks what the skipped windows miss on as seen, and counts the compulsory loads among it.
    fn mark_seen(&mut self, start: log::Position, shifts: &[i64], times: u64) {
        // All references of an array move alike, so the order among them is kept array by array.
        for (array, &shift) in shifts.iter().enumerate().filter(|(_, shift)| **shift != 0) {
            let missed = self.log.missed(start, array, self.shape);
            for time in 1..=times as i64 {
                for &(reference, cell) in &missed {
                    let news = self.memory.mark_seen((cell + time * shift) as u32);
                    let loads = self.miss_loads[reference as usize];
                    self.counts[reference as usize].compulsory += u64::from(news && loads);
                }
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
