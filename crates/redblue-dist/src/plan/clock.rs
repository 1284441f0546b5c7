//! When a search has to end.

use std::cell::Cell;
use std::time::Instant;

/// Questions after which the time is looked at: looking takes longer than most steps of a search.
const RARELY: u32 = 1024;

/// A deadline, and whether something was left undone because of it.
#[derive(Debug, Default)]
pub(crate) struct Clock {
    deadline: Option<Instant>,
    asked: Cell<u32>,
    late: Cell<bool>,
}

impl Clock {
    pub(crate) fn new(deadline: Option<Instant>) -> Clock {
        Clock {
            deadline,
            ..Clock::default()
        }
    }

    /// Whether the time is over. Whoever asks leaves something undone if it is.
    pub(crate) fn is_late(&self) -> bool {
        if !self.late.get() {
            let over = |deadline| Instant::now() >= deadline;
            self.late.set(self.deadline.is_some_and(over));
        }
        self.late.get()
    }

    /// The same for steps of less than a microsecond.
    pub(crate) fn is_late_now_and_then(&self) -> bool {
        self.asked.set(self.asked.get().wrapping_add(1));
        self.late.get() || self.asked.get().is_multiple_of(RARELY) && self.is_late()
    }

    /// Whether the time was over when somebody asked.
    pub(crate) fn was_late(&self) -> bool {
        self.late.get()
    }
}
