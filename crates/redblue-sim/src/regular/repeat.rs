//! Doing what a window did again, as often as the loop still repeats it, without running it.

use std::collections::HashMap;

use super::log;
use super::pattern::{Later, Pattern, Resident, pattern};
use super::{Skipper, Snapshot};
use crate::lru::Met;

/// What was marked as seen when a loop was skipped: the next skip often marks the same and a little more.
#[derive(Default)]
pub(super) struct Marked {
    shift: i64,
    /// By cell, how many times it was moved along.
    times: HashMap<i64, u64>,
}

/// More cells are not kept.
const MOST_KEPT: usize = 1 << 18;

impl Skipper<'_> {
    /// How far each array moves in this many iterations of a loop, in cells.
    pub(super) fn shifts(&self, loop_id: usize, iterations: u64) -> Vec<i64> {
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
    pub(super) fn pattern(
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
        let contains = |cell| self.memory.contains(cell);
        let later = Later {
            cells,
            unused: cells.partition_point(|(cell, _)| !self.memory.used_since_mark(*cell)),
            full: self.memory.is_full(),
        };
        let found = pattern(&snapshot.cells, later, contains, moved)?;
        match &found {
            Pattern::Whole => Some(found),
            Pattern::Top { top, .. } => {
                let below = cells[..*top].iter().map(|(cell, _)| *cell);
                self.keeps_missing(snapshot.log_start, shifts, times, below)
                    .then_some(found)
            }
        }
    }

    /// Whether the cells missed since a position, moved along up to `times` times, stay clear of the cells
    /// `below`, so that they are missed again every time. What sinks below meanwhile is no danger: it is a
    /// cell of `below` moved along, so meeting it later means having met that cell before.
    fn keeps_missing(
        &self,
        start: log::Position,
        shifts: &[i64],
        times: u64,
        mut below: impl Iterator<Item = u32>,
    ) -> bool {
        let arrays = 0..self.shape.arrays().len();
        let missed: Vec<_> = arrays
            .map(|array| self.log.hull(start, array, self.shape))
            .collect();
        below.all(|cell| {
            let array = self.shape.array_of(cell);
            let Some((low, high)) = missed[array] else {
                return true;
            };
            let ends = [shifts[array], shifts[array] * times as i64];
            let range = low + ends[0].min(ends[1])..=high + ends[0].max(ends[1]);
            !range.contains(&i64::from(cell))
        })
    }

    /// Does what `times` more windows like the one since the snapshot would do.
    pub(super) fn repeat(
        &mut self,
        loop_id: usize,
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
        self.mark_seen(loop_id, snapshot.log_start, shifts, times);
        let same = match pattern {
            Pattern::Whole => {
                let stays = |(cell, _): &Resident| self.shifted(*cell, shifts, times) == *cell;
                cells.iter().take_while(|cell| stays(cell)).count()
            }
            Pattern::Top { top, .. } => *top,
        };
        self.memory.clear(same);
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
    pub(super) fn touch(&mut self, cell: u32) -> Met {
        let (writer, counts) = (&mut self.writer, &mut self.counts);
        let met = self.memory.touch(cell, |victim| {
            let victim = std::mem::take(&mut writer[victim as usize]);
            if victim != 0 {
                counts[victim as usize - 1].write_backs += 1;
            }
        });
        if met == Met::New {
            self.unseen[self.shape.array_of(cell)] -= 1;
        }
        met
    }

    /// Marks what the skipped windows miss on as seen, and counts the compulsory loads among it.
    fn mark_seen(&mut self, loop_id: usize, start: log::Position, shifts: &[i64], times: u64) {
        // All references of an array move alike, so the order among them is kept array by array.
        for (array, &shift) in shifts.iter().enumerate() {
            if shift == 0 || self.unseen[array] == 0 {
                continue;
            }
            let marked = self.marked.entry((loop_id, array)).or_default();
            if marked.shift != shift || marked.times.len() > MOST_KEPT {
                marked.times.clear();
                marked.shift = shift;
            }
            let mut missed = Vec::new();
            for (reference, cell) in self.log.missed(start, array, self.shape) {
                let done = marked.times.get(&cell).copied().unwrap_or(0);
                if done < times {
                    missed.push((reference, cell, done));
                }
            }
            for time in 1..=times {
                for &(reference, cell, _) in missed.iter().filter(|(.., done)| *done < time) {
                    let cell = cell + time as i64 * shift;
                    let news = self.memory.mark_seen(cell as u32);
                    self.unseen[array] -= u64::from(news);
                    let loads = self.miss_loads[reference as usize];
                    self.counts[reference as usize].compulsory += u64::from(news && loads);
                }
            }
            let now = missed.iter().map(|(_, cell, _)| (*cell, times));
            marked.times.extend(now);
        }
    }
}
