//! How long compiled orders of a program take on this machine.
//!
//! ```text
//! original, tiled, for speed ──timing_c──► one C file ──cc -O3 -march=native──► run ──► Timing, one per order
//! ```
//!
//! These are measurements of one run of one machine, the only numbers of a gap that are not exact. One thread,
//! CPU seconds, runs of the orders interleaved, so that what disturbs one disturbs all.

use redblue_program::Sizes;
use redblue_schedule::emit::{EmitError, Timed, timing_c};

use crate::Refusal;
use crate::codes::NO_CODE;
use crate::compile::compiled;

/// How the code is compiled.
pub const FLAGS: [&str; 2] = ["-O3", "-march=native"];

/// Times of one order.
#[derive(Clone, Debug, PartialEq)]
pub struct Timing {
    /// `original`, `tiled` or `speed`.
    pub schedule: String,
    /// CPU seconds of all runs, in increasing order.
    pub seconds: Vec<f64>,
}

impl Timing {
    /// The median.
    pub fn median(&self) -> f64 {
        self.seconds
            .get(self.seconds.len() / 2)
            .copied()
            .unwrap_or_default()
    }
}

/// Compiles and times orders of one program at these sizes.
///
/// # Errors
/// When there is no C compiler, the programs cannot be written in C, or the run does not end well.
pub fn time(orders: &[Timed<'_>], sizes: &Sizes, runs: usize) -> Result<Vec<Timing>, Refusal> {
    let text = timing_c(orders, sizes, runs).map_err(|error| match error {
        EmitError::Unsupported(_) => Refusal::new(&NO_CODE, error.to_string()),
        error => Refusal::gave_up("cannot time", &error),
    })?;
    let output = compiled(&text, &FLAGS)?;
    if !output.status.success() {
        let message = format!("the compiled program ended with {}", output.status);
        return Err(Refusal::new(&NO_CODE, message));
    }
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let timing = |order: &Timed<'_>| {
        let lines = said.lines().filter_map(|line| line.split_once(' '));
        let mine = lines.filter(|(name, _)| *name == order.name);
        let mut seconds: Vec<f64> = mine.filter_map(|(_, time)| time.parse().ok()).collect();
        seconds.sort_by(f64::total_cmp);
        Timing {
            schedule: order.name.to_owned(),
            seconds,
        }
    };
    Ok(orders.iter().map(timing).collect())
}
