//! Somebody who looks at a long simulation now and then, and may end it.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use super::Policy;

/// How far a simulation is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// The replacement that is being simulated.
    pub policy: Policy,
    /// Accesses simulated for it so far.
    pub accesses: u64,
    /// Time since the start of the first simulation.
    pub elapsed: Duration,
}

/// The watcher: a limit of time or of work, and a listener.
pub struct Watch<'a> {
    started: Instant,
    limit: Option<Duration>,
    /// Accesses that one run may simulate.
    budget: Option<u64>,
    listener: Option<&'a mut dyn FnMut(Progress)>,
    next_report: Duration,
}

/// Time between two reports.
const REPORT_EVERY: Duration = Duration::from_millis(500);

impl<'a> Watch<'a> {
    /// The time starts now; the listener hears of every simulation that takes more than a moment.
    pub fn new(
        limit: Option<Duration>,
        listener: Option<&'a mut dyn FnMut(Progress)>,
    ) -> Watch<'a> {
        Watch {
            started: Instant::now(),
            limit,
            budget: None,
            listener,
            next_report: REPORT_EVERY,
        }
    }

    /// No limit, and nobody listens.
    pub fn silent() -> Watch<'static> {
        Watch::new(None, None)
    }

    /// The same, ending a run that has to simulate more accesses than this: unlike time, the same everywhere.
    pub fn with_budget(self, accesses: u64) -> Watch<'a> {
        Watch {
            budget: Some(accesses),
            ..self
        }
    }

    /// Breaks when the time is up or the budget used.
    pub(super) fn look(&mut self, policy: Policy, accesses: u64) -> ControlFlow<()> {
        let elapsed = self.started.elapsed();
        if elapsed >= self.next_report {
            self.next_report = elapsed + REPORT_EVERY;
            if let Some(listener) = &mut self.listener {
                listener(Progress {
                    policy,
                    accesses,
                    elapsed,
                });
            }
        }
        let late = self.limit.is_some_and(|limit| elapsed >= limit);
        let costly = self.budget.is_some_and(|budget| accesses > budget);
        if late || costly {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }
}
