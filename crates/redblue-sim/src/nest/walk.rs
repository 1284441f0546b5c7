//! Walking a nest: every access in order, with the loops open to a visitor that wants to skip.

use std::ops::ControlFlow;

use super::{Loop, Nest, Step};
use crate::trace::{Blocks, Trace};

/// What sees the accesses of a nest, and may skip iterations whose effect it knows.
pub(crate) trait Visit {
    /// The next access.
    fn access(&mut self, cell: u32, reference: u32) -> ControlFlow<()>;

    /// A loop with this many iterations starts.
    fn enter(&mut self, _loop_id: usize, _trips: u64) {}

    /// Iteration number `done` of the innermost entered loop is next. Says how many iterations to skip.
    fn skip(&mut self, _done: u64) -> u64 {
        0
    }

    /// How many iterations of the innermost entered loop to run before asking again.
    fn stretch(&self) -> u64 {
        u64::MAX
    }

    /// The innermost entered loop has ended.
    fn leave(&mut self) {}
}

impl Visit for Blocks<'_> {
    #[inline]
    fn access(&mut self, cell: u32, reference: u32) -> ControlFlow<()> {
        self.push(cell, reference)
    }
}

/// Shows all accesses of a nest to a visitor.
pub(crate) fn walk<V: Visit>(nest: &Nest, visit: &mut V) -> ControlFlow<()> {
    let words = nest.shape().grain().words();
    let mut walker = Walker {
        iterators: vec![0; nest.iterators],
        lines: Lines {
            words: words as i64,
            shift: words.is_power_of_two().then(|| words.trailing_zeros()),
        },
        run: Vec::new(),
        visit,
    };
    walker.steps(&nest.steps)
}

struct Walker<'a, V> {
    iterators: Vec<i64>,
    lines: Lines,
    /// Buffer of the current innermost loop.
    run: Vec<Runner>,
    visit: &'a mut V,
}

/// One touch of an innermost loop: where it is, and how far it moves per iteration.
#[derive(Clone, Copy)]
struct Runner {
    word: i64,
    stride: i64,
    reference: u32,
}

/// From words to cells.
#[derive(Clone, Copy)]
struct Lines {
    words: i64,
    shift: Option<u32>,
}

impl Lines {
    #[inline]
    fn cell(self, word: i64) -> u32 {
        match self.shift {
            Some(shift) => (word >> shift) as u32,
            None => (word / self.words) as u32,
        }
    }
}

impl<V: Visit> Walker<'_, V> {
    fn steps(&mut self, steps: &[Step]) -> ControlFlow<()> {
        for step in steps {
            match step {
                Step::Loop(l) => self.iterate(l)?,
                Step::Guard {
                    condition,
                    then,
                    otherwise,
                } => {
                    let chosen = if condition.holds(&self.iterators) {
                        then
                    } else {
                        otherwise
                    };
                    self.steps(chosen)?;
                }
                Step::Touch(touch) => {
                    let word = touch.place.word(&self.iterators);
                    self.visit.access(self.lines.cell(word), touch.reference)?;
                }
            }
        }
        ControlFlow::Continue(())
    }

    fn iterate(&mut self, l: &Loop) -> ControlFlow<()> {
        let first = l.first.value(&self.iterators);
        let last = l.last.value(&self.iterators);
        if first > last {
            return ControlFlow::Continue(());
        }
        let trips = last.abs_diff(first) / l.step.unsigned_abs() + 1;
        self.visit.enter(l.id, trips);
        let mut done = 0;
        while done < trips {
            done += self.visit.skip(done);
            let until = trips.min(done.saturating_add(self.visit.stretch()));
            if l.straight {
                self.iterators[l.iterator] = first + done as i64 * l.step;
                self.run(l, until - done)?;
            } else {
                for trip in done..until {
                    self.iterators[l.iterator] = first + trip as i64 * l.step;
                    self.steps(&l.body)?;
                }
            }
            done = until;
        }
        self.visit.leave();
        ControlFlow::Continue(())
    }

    /// Some iterations of an innermost loop, starting at the current value of its iterator.
    fn run(&mut self, l: &Loop, trips: u64) -> ControlFlow<()> {
        self.run.clear();
        for step in &l.body {
            if let Step::Touch(touch) = step {
                let motion = touch.place.motion(l.iterator, l.step);
                self.run.push(Runner {
                    word: touch.place.word(&self.iterators),
                    stride: motion.map_or(0, |motion| motion.advance),
                    reference: touch.reference,
                });
            }
        }
        for _ in 0..trips {
            for runner in &mut self.run {
                self.visit
                    .access(self.lines.cell(runner.word), runner.reference)?;
                runner.word += runner.stride;
            }
        }
        ControlFlow::Continue(())
    }
}
