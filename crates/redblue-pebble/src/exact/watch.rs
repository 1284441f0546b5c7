//! Watching an exact player: how far it has got, and the clock that its time limit is read from.
//!
//! The player asks its [`Watch`] for the time and shows it a [`Progress`] about once a second, so a
//! command can print progress, and a test can bring a clock of its own. Nothing here reads a clock
//! but [`Stopwatch`].

use std::time::{Duration, Instant};

/// How far a search has got.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Time since the player began.
    pub elapsed: Duration,
    /// States stored so far.
    pub states: u64,
    /// States waiting for their steps to be taken; one reached again more cheaply counts again.
    pub frontier: u64,
    /// No play costs less than this.
    pub lower_bound: u64,
    /// Cost of the best play known.
    pub upper_bound: u64,
}

/// What an exact player asks for the time and shows its progress to.
pub trait Watch {
    /// Time since the player began.
    fn elapsed(&mut self) -> Duration;

    /// Called about once per second of that time while a search runs.
    fn show(&mut self, progress: &Progress);
}

/// A clock on the wall and nobody looking.
#[derive(Debug, Clone, Copy)]
pub struct Stopwatch(Instant);

impl Stopwatch {
    /// A watch that begins now.
    pub fn start() -> Stopwatch {
        Stopwatch(Instant::now())
    }
}

impl Watch for Stopwatch {
    fn elapsed(&mut self) -> Duration {
        self.0.elapsed()
    }

    fn show(&mut self, _: &Progress) {}
}

/// A watch together with the time limit.
pub(super) struct Timer<'a> {
    watch: &'a mut dyn Watch,
    limit: Option<Duration>,
    next_show: Duration,
}

const BETWEEN_SHOWS: Duration = Duration::from_secs(1);

impl Timer<'_> {
    pub(super) fn new(watch: &mut dyn Watch, limit: Option<Duration>) -> Timer<'_> {
        Timer {
            watch,
            limit,
            next_show: BETWEEN_SHOWS,
        }
    }

    /// Whether this share of the time limit is used up.
    pub(super) fn is_over(&mut self, percent: u32) -> bool {
        let elapsed = self.watch.elapsed();
        self.limit
            .is_some_and(|limit| elapsed >= limit / 100 * percent)
    }

    /// Shows what `progress` makes of the time, if it is time to show something again.
    pub(super) fn show(&mut self, progress: impl FnOnce(Duration) -> Progress) {
        let elapsed = self.watch.elapsed();
        if elapsed >= self.next_show {
            self.next_show = elapsed + BETWEEN_SHOWS;
            self.watch.show(&progress(elapsed));
        }
    }
}
