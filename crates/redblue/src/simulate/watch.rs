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

/// The watcher: a time limit and a listener.
pub struct Watch<'a> {
    started: Instant,
    limit: Option<Duration>,
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
            listener,
            next_report: REPORT_EVERY,
        }
    }

    /// No limit, and nobody listens.
    pub fn silent() -> Watch<'static> {
        Watch::new(None, None)
    }

    /// Breaks when the time is up.
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
        match self.limit {
            Some(limit) if elapsed >= limit => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        }
    }
}
