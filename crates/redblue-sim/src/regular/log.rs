//! Which cells were missed since a snapshot, with skipped windows written as repetitions.

use std::ops::Range;

use crate::trace::Shape;

/// A place in the log; places of a log that was cleared meanwhile are gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Position {
    event: usize,
    generation: u64,
}

/// Longer logs are given up, and with them the snapshots that rely on them.
const LONGEST: usize = 1 << 23;

/// Misses in the order they happened.
#[derive(Default)]
pub(super) struct Log {
    events: Vec<Event>,
    repetitions: Vec<Repetition>,
    generation: u64,
}

#[derive(Clone, Copy)]
enum Event {
    Miss {
        reference: u32,
        cell: u32,
    },
    /// What was logged since `start` of the repetition happened again and again.
    Repeat(usize),
}

struct Repetition {
    start: usize,
    times: u64,
    shifts: Vec<i64>,
}

impl Log {
    /// Where the next event will be.
    pub(super) fn position(&self) -> Position {
        Position {
            event: self.events.len(),
            generation: self.generation,
        }
    }

    /// Whether everything since a position is still there.
    pub(super) fn reaches(&self, position: Position) -> bool {
        position.generation == self.generation
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        self.events.clear();
        self.repetitions.clear();
        self.generation += 1;
    }

    /// Notes a miss.
    #[inline]
    pub(super) fn miss(&mut self, reference: u32, cell: u32) {
        if self.events.len() == LONGEST {
            self.clear();
        }
        self.events.push(Event::Miss { reference, cell });
    }

    /// Notes that all since `start` happened `times` more, moved by the shifts of the arrays each time.
    pub(super) fn repeat(&mut self, start: Position, times: u64, shifts: Vec<i64>) {
        self.events.push(Event::Repeat(self.repetitions.len()));
        self.repetitions.push(Repetition {
            start: start.event,
            times,
            shifts,
        });
    }

    /// The misses on one array since a position, each cell at least once: reference and cell.
    pub(super) fn missed(&self, start: Position, array: usize, shape: &Shape) -> Vec<(u32, i64)> {
        let mut missed = Vec::new();
        let events = start.event..self.events.len();
        self.expand(events, 0, array, &mut |reference, cell| {
            if belongs(reference, array, shape) {
                missed.push((reference, cell));
            }
        });
        missed
    }

    fn expand(
        &self,
        events: Range<usize>,
        offset: i64,
        array: usize,
        visit: &mut dyn FnMut(u32, i64),
    ) {
        for index in events {
            match self.events[index] {
                Event::Miss { reference, cell } => visit(reference, i64::from(cell) + offset),
                Event::Repeat(repetition) => {
                    let Repetition {
                        start,
                        times,
                        shifts,
                    } = &self.repetitions[repetition];
                    // An array that does not move is missed on the same cells again: nothing new.
                    if shifts[array] != 0 {
                        for time in 1..=*times as i64 {
                            let offset = offset + time * shifts[array];
                            self.expand(*start..index, offset, array, visit);
                        }
                    }
                }
            }
        }
    }

    /// The least and the greatest cell of an array missed since a position.
    pub(super) fn hull(&self, start: Position, array: usize, shape: &Shape) -> Option<(i64, i64)> {
        self.hull_of(start.event..self.events.len(), array, shape)
    }

    fn hull_of(&self, events: Range<usize>, array: usize, shape: &Shape) -> Option<(i64, i64)> {
        let mut hull: Option<(i64, i64)> = None;
        let mut include = |low: i64, high: i64| {
            hull = Some(match hull {
                Some((l, h)) => (l.min(low), h.max(high)),
                None => (low, high),
            });
        };
        for index in events {
            match self.events[index] {
                Event::Miss { reference, cell } => {
                    if belongs(reference, array, shape) {
                        include(cell.into(), cell.into());
                    }
                }
                Event::Repeat(repetition) => {
                    let repetition = &self.repetitions[repetition];
                    let last = repetition.shifts[array] * repetition.times as i64;
                    if let Some((low, high)) = self.hull_of(repetition.start..index, array, shape) {
                        include(low + last, high + last);
                    }
                }
            }
        }
        hull
    }
}

fn belongs(reference: u32, array: usize, shape: &Shape) -> bool {
    shape.references()[reference as usize].array as usize == array
}
