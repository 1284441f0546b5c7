//! A trial of a distributed product: repeated, timed, counted, and verified if asked.
//!
//! ```text
//! Plan, Comm ──matmul──► times of the slowest rank, words and memory predicted and counted, Verdict
//! ```
//!
//! Every rank makes its own words of `A` and `B` from their positions, so that nothing is distributed first. `C` is
//! full of NaN before each run: a product that reads it, or leaves a word of it unwritten, is found by [`verify`].
//! All ranks of the communicator get the same report.

pub mod verify;

use std::time::Instant;

use redblue_dist::Matrix;
use redblue_dist::comm::agree::agree;
use redblue_dist::comm::{Comm, Counted, Phase, collective};
use redblue_dist::plan::{Plan, RankPlan};
use redblue_math::random::Random;

use crate::backend::Backend;
use crate::matmul::scatter::own_words;
use crate::matmul::{MatmulError, RankProgram, Words, multiply};
use crate::scalar::Scalar;
use verify::{Verdict, verify};

/// What to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trial {
    /// Timed runs, at least one.
    pub runs: usize,
    /// Runs before them.
    pub warmup: usize,
    /// Whether the result of the last run is verified.
    pub verify: bool,
    /// Start of the elements' random numbers.
    pub seed: u64,
    /// When no further run is begun; the first timed run always is. Each rank has its own clock: the earliest counts.
    pub deadline: Option<Instant>,
}

/// What was seen, the same on all ranks.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// Nanoseconds of each timed run on its slowest rank; fewer than asked for if time was over.
    pub nanoseconds: Vec<u64>,
    /// Runs before them.
    pub warmup: usize,
    /// The largest volume of a rank by the plan, in words.
    pub predicted_max: u64,
    /// The largest volume of a rank as counted during a run.
    pub counted_max: u64,
    /// The volumes of all ranks together as counted during a run.
    pub counted_total: u64,
    /// Whether every rank sent and received exactly the words of its plan in every run.
    pub as_planned: bool,
    /// Words of the rank with the most memory, by the plan.
    pub memory_predicted: u64,
    /// Words of own data and buffers of the rank that has most of them.
    pub memory_allocated: u64,
    /// What the verification found, if it was asked for.
    pub verdict: Option<Verdict>,
}

/// Runs a product as planned on every rank of a communicator. Collective.
pub fn matmul<T: Scalar, C: Comm>(
    comm: &C,
    plan: &Plan,
    backend: &Backend,
    trial: Trial,
) -> Result<Report, MatmulError> {
    // What differs here would end in messages that nobody expects.
    let shape = plan.shape();
    let text = plan
        .to_string()
        .bytes()
        .fold(0, |sum, byte| Random::new(sum ^ u64::from(byte)).next());
    agree(
        comm,
        &[
            ("m", shape.m),
            ("n", shape.n),
            ("k", shape.k),
            ("element type", T::KIND as u64),
            ("runs", trial.runs as u64),
            ("warmup", trial.warmup as u64),
            ("verify", u64::from(trial.verify)),
            ("seed", trial.seed),
            ("time limit", u64::from(trial.deadline.is_some())),
            ("plan (hash of its text)", text),
        ],
    )?;
    let rank = comm.rank() as u64;
    let (part, program) = (plan.rank(rank), RankProgram::of(plan, rank)?);
    let entry = |matrix: Matrix| move |row, col| element::<T>(trial.seed, matrix, row, col);
    let a = own_words(&part, Matrix::A, entry(Matrix::A));
    let b = own_words(&part, Matrix::B, entry(Matrix::B));
    let mut c = own_words(&part, Matrix::C, |_, _| T::ZERO);
    let counted = Counted::new(comm.duplicate()?);
    let (mut nanoseconds, mut volume, mut as_planned) = (Vec::new(), 0, true);
    let mut warmup = trial.warmup;
    for run in 0.. {
        if is_over(comm, &trial)? {
            warmup = warmup.min(run);
            if !nanoseconds.is_empty() {
                break;
            }
        }
        if run >= warmup + trial.runs {
            break;
        }
        c.fill(T::from_real(f64::NAN));
        counted.barrier()?;
        counted.take();
        let start = Instant::now();
        let words = Words {
            a: &a,
            b: &b,
            c: &mut c,
        };
        multiply(&counted, &program, T::ONE, T::ZERO, words, backend)?;
        let elapsed = start.elapsed().as_nanos();
        let flow = counted.take().matrices();
        volume = flow.volume().max(volume);
        as_planned &= is_as_planned(&part, flow.sent, flow.received);
        if run >= warmup {
            nanoseconds.push(u64::try_from(elapsed).unwrap_or(u64::MAX));
        }
    }
    let verdict = trial
        .verify
        .then(|| verify(comm, &part, shape, trial.seed, [&a, &b, &c]))
        .transpose()?;
    let allocated = program.own_words().iter().sum::<usize>() + program.buffer_words();
    let narrow = |words: u128| u64::try_from(words).unwrap_or(u64::MAX);
    let runs = nanoseconds.len();
    let mut most = nanoseconds;
    most.extend([
        narrow(part.traffic().volume()),
        volume,
        u64::from(!as_planned),
        narrow(part.memory().total()),
        allocated as u64,
    ]);
    let largest = |mine: &mut [u64], theirs: &[u64]| {
        mine.iter_mut()
            .zip(theirs)
            .for_each(|(mine, theirs)| *mine = (*mine).max(*theirs));
    };
    collective::all_reduce(comm, &mut most, largest, Phase::Control.into())?;
    let mut total = [volume];
    let sum = |mine: &mut [u64], theirs: &[u64]| mine[0] += theirs[0];
    collective::all_reduce(comm, &mut total, sum, Phase::Control.into())?;
    let numbers = most.split_off(runs);
    Ok(Report {
        nanoseconds: most,
        warmup,
        predicted_max: numbers[0],
        counted_max: numbers[1],
        counted_total: total[0],
        as_planned: numbers[2] == 0,
        memory_predicted: numbers[3],
        memory_allocated: numbers[4],
        verdict,
    })
}

/// Whether the time is over on some rank. Collective if there is a deadline.
fn is_over<C: Comm>(comm: &C, trial: &Trial) -> Result<bool, MatmulError> {
    let Some(deadline) = trial.deadline else {
        return Ok(false);
    };
    let mut over = [u64::from(Instant::now() >= deadline)];
    let any = |mine: &mut [u64], theirs: &[u64]| mine[0] |= theirs[0];
    collective::all_reduce(comm, &mut over, any, Phase::Control.into())?;
    Ok(over[0] != 0)
}

fn is_as_planned(part: &RankPlan, sent: u64, received: u64) -> bool {
    let planned = part.traffic();
    (u128::from(sent), u128::from(received)) == (planned.sent, planned.received)
}

/// An element of a matrix: its parts are random multiples of 2⁻²³ in [-1, 1), exact in every element type.
fn element<T: Scalar>(seed: u64, matrix: Matrix, row: u64, col: u64) -> T {
    let place = row
        .wrapping_mul(0xd6e8_feb8_6659_fd93)
        .wrapping_add(col.wrapping_mul(0xa076_1d64_78bd_642f))
        .wrapping_add(matrix.index() as u64);
    let bits = Random::new(seed ^ place).next();
    let part = |bits: u64| ((bits & 0xff_ffff) as f64 - 8_388_608.0) / 8_388_608.0;
    T::from_parts(part(bits >> 40), part(bits >> 8))
}
