//! `bench`: run a kernel, on ranks that are threads or MPI processes.

use std::env;
use std::fmt::Display;
use std::sync::Arc;

use num_complex::Complex;
use redblue::Refusal;
use redblue::codes::{BAD_VALUE, plans};
use redblue::dist::Shape;
use redblue::dist::comm::{Comm, threads};
use redblue::dist::plan::classes::Class;
use redblue::dist::plan::{Found, Plan, Problem, Stop};
use redblue::host;
use redblue::kernels::backend::blas::Blas;
use redblue::kernels::matmul::MatmulError;
use redblue::kernels::trial::{self, Report, Trial};
use redblue::kernels::{Backend, Scalar};
use redblue::launch::{Launch, launch};
use redblue::program::ElementType;
use redblue::view::bench::{BenchDocument, Benched, text};

use super::answer::Answer;
use super::plan::{deadline, element, given_or_found, limit, number};
use super::request::{Format, Request};

/// Start of the random elements: benchmarks are repeatable.
const SEED: u64 = 1;

/// `redblue bench matmul -m M -n N -k K [-p P]`, alone or under a launcher.
pub(super) fn run(request: &Request<'_>) -> Result<Answer, Refusal> {
    let job = Job::of(request)?;
    match launch(|name| env::var(name).ok()) {
        Some(launch) => job.under(launch),
        None => job.on_threads(),
    }
}

/// What was asked for.
struct Job<'a> {
    request: &'a Request<'a>,
    shape: Shape,
    ranks: Option<u64>,
    memory: Option<u128>,
    trial: Trial,
    backend: Backend,
    element: ElementType,
}

impl<'a> Job<'a> {
    fn of(request: &'a Request<'a>) -> Result<Job<'a>, Refusal> {
        let [m, n, k] = ["rows", "columns", "inner"].map(|id| number(request, id));
        let ranks = request
            .text("ranks")
            .map(|_| number(request, "ranks"))
            .transpose()?;
        let trial = Trial {
            runs: count(request, "runs", 5, 1)?,
            warmup: count(request, "warmup", 1, 0)?,
            verify: request.has("verify"),
            seed: SEED,
            deadline: deadline(request)?,
        };
        let backend = match request.text("blas") {
            None => Backend::default(),
            Some(name) => Backend::Blas(Arc::new(
                Blas::load(name)
                    .map_err(|error| Refusal::new(&plans::NO_BLAS, error.to_string()))?,
            )),
        };
        Ok(Job {
            request,
            shape: Shape::new(m?, n?, k?),
            ranks,
            memory: limit(request)?,
            trial,
            backend,
            element: element(request),
        })
    }

    fn plan(&self, ranks: u64) -> Result<Found, Refusal> {
        let problem = Problem {
            shape: self.shape,
            ranks,
            memory: self.memory,
        };
        given_or_found(self.request, &problem, self.trial.deadline)
    }

    /// The ranks are threads of this process.
    fn on_threads(&self) -> Result<Answer, Refusal> {
        let found = self.plan(self.ranks.unwrap_or(1))?;
        let ranks = usize::try_from(found.plan.ranks()).ok();
        let Some(ranks) = ranks.filter(|&ranks| ranks <= MOST_THREADS) else {
            let message = format!("{} ranks are too many threads", found.plan.ranks());
            let hint = format!("-p is at most {MOST_THREADS}; start more with mpirun");
            return Err(Refusal::new(&BAD_VALUE, message).hint(hint));
        };
        let all = |class: Class| u128::from(class.count) * class.memory.total();
        self.check_memory(found.plan.classes().into_iter().map(all).sum())?;
        let Found { plan, stop, .. } = found;
        let reports = threads::run(ranks, |comm| self.trial_on(comm, &plan));
        let reports = reports.map_err(failed)?;
        match reports.first() {
            Some(report) => self.answer(&plan, stop, report, "threads"),
            None => Err(failed("there are no ranks")),
        }
    }

    /// Refuses a run whose words are more than the memory that is left: the system would end this process, or others.
    fn check_memory(&self, words: u128) -> Result<(), Refusal> {
        let needed = words.saturating_mul(u128::from(self.element.bytes()));
        match host::available_memory() {
            Some(available) if needed > available => Err(Refusal::new(
                &plans::LITTLE_MEMORY,
                format!(
                    "{needed} bytes are needed for all ranks, {available} are available: {} bytes are missing",
                    needed - available
                ),
            )),
            _ => Ok(()),
        }
    }

    /// The ranks are the processes of a launcher.
    #[cfg(not(feature = "mpi"))]
    fn under(&self, launch: Launch) -> Result<Answer, Refusal> {
        let Launch { by, ranks } = launch;
        if ranks <= 1 {
            return self.on_threads();
        }
        let message =
            format!("{by} started {ranks} processes, but this redblue was built without MPI");
        let hint = "build it with `--features mpi`, or run it without a launcher: -p starts ranks as threads";
        Err(Refusal::new(&plans::NO_MPI, message).hint(hint))
    }

    /// The ranks are the processes of a launcher. Only the first of them answers.
    #[cfg(feature = "mpi")]
    fn under(&self, launch: Launch) -> Result<Answer, Refusal> {
        use redblue::dist::comm::CommError;
        let (_session, comm) = redblue::dist::comm::mpi::start().map_err(failed)?;
        let ranks = comm.size() as u64;
        let Launch { by, ranks: started } = launch;
        if ranks != started {
            let message = format!("{by} started {started} processes, but MPI sees {ranks}");
            let hint = "use the launcher of the MPI that redblue was built with";
            return Err(Refusal::new(&plans::OTHER_RANKS, message).hint(hint));
        }
        if let Some(asked) = self.ranks.filter(|&asked| asked != ranks) {
            let message = format!("`-p {asked}`, but {by} started {ranks} processes");
            return Err(Refusal::new(&plans::OTHER_RANKS, message).hint("leave out -p"));
        }
        let (plan, stop) = self.common_plan(&comm)?;
        match comm.guard(|comm| self.trial_on(comm, &plan)) {
            Ok(report) if comm.rank() == 0 => self.answer(&plan, stop, &report, "mpi"),
            // That a product is wrong is told by the first rank alone: a launcher ends all others, perhaps before they have
            // written anything, as soon as one says no.
            Ok(_) => Ok(Answer::nothing()),
            // All ranks know, so all end by themselves.
            Err(MatmulError::Comm(error @ CommError::Inconsistent { .. })) => Err(failed(error)),
            Err(MatmulError::Comm(error)) => comm.abort(&error),
            Err(error) => {
                let message = error.to_string();
                comm.abort(&CommError::Failed {
                    rank: comm.rank(),
                    message,
                })
            }
        }
    }

    /// The plan of all processes. Searches without a deadline find the same everywhere; one that is cut by a clock may
    /// not, so then the first process tells the others what it found.
    #[cfg(feature = "mpi")]
    fn common_plan<C: Comm>(&self, comm: &C) -> Result<(Plan, Stop), Refusal> {
        use redblue::dist::comm::{Phase, collective};
        let ranks = comm.size() as u64;
        if self.trial.deadline.is_none() {
            return self.plan(ranks).map(|found| (found.plan, found.stop));
        }
        let mine = (comm.rank() == 0).then(|| self.plan(ranks));
        let text = match &mine {
            Some(Ok(found)) => found.plan.to_string(),
            _ => String::new(),
        };
        let mut letters: Vec<u64> = text.bytes().map(u64::from).collect();
        let cut = matches!(&mine, Some(Ok(found)) if found.stop == Stop::TimeLimit);
        let mut head = [letters.len() as u64, u64::from(cut)];
        collective::broadcast(comm, 0, &mut head, Phase::Control.into()).map_err(failed)?;
        let [length, cut] = head;
        letters.resize(usize::try_from(length).unwrap_or(0), 0);
        collective::broadcast(comm, 0, &mut letters, Phase::Control.into()).map_err(failed)?;
        if let Some(mine) = mine {
            return mine.map(|found| (found.plan, found.stop));
        }
        if letters.is_empty() {
            return Err(failed("the first rank found no plan"));
        }
        let letters = letters
            .iter()
            .filter_map(|&letter| u8::try_from(letter).ok());
        let text = String::from_utf8(letters.collect()).map_err(failed)?;
        let plan = Plan::parse(&text, self.shape, ranks).map_err(failed)?;
        let stop = if cut == 0 {
            Stop::Complete
        } else {
            Stop::TimeLimit
        };
        Ok((plan, stop))
    }

    fn trial_on<C: Comm>(&self, comm: &C, plan: &Plan) -> Result<Report, MatmulError> {
        match self.element {
            ElementType::F32 => self.typed::<f32, C>(comm, plan),
            ElementType::C64 => self.typed::<Complex<f32>, C>(comm, plan),
            ElementType::C128 => self.typed::<Complex<f64>, C>(comm, plan),
            _ => self.typed::<f64, C>(comm, plan),
        }
    }

    fn typed<T: Scalar, C: Comm>(&self, comm: &C, plan: &Plan) -> Result<Report, MatmulError> {
        trial::matmul::<T, C>(comm, plan, &self.backend, self.trial)
    }

    /// Whether a verification was asked for and failed.
    fn is_wrong(&self, report: &Report) -> bool {
        report
            .verdict
            .is_some_and(|verdict| !(verdict.holds() && report.as_planned))
    }

    fn answer(
        &self,
        plan: &Plan,
        stop: Stop,
        report: &Report,
        communicator: &'static str,
    ) -> Result<Answer, Refusal> {
        let document = BenchDocument::of(&Benched {
            shape: self.shape,
            dtype: name(self.element),
            complex: matches!(self.element, ElementType::C64 | ElementType::C128),
            ranks: plan.ranks(),
            communicator,
            plan: &plan.to_string(),
            backend: &self.backend.to_string(),
            runs: self.trial.runs,
            stop,
            report,
        });
        let answer = match self.request.format {
            Format::Json => Answer::json(&document)?,
            _ => Answer::plain(text(&document, self.trial.verify)),
        };
        Ok(answer.meaning_no(self.is_wrong(report)))
    }
}

fn name(element: ElementType) -> &'static str {
    match element {
        ElementType::F32 => "f32",
        ElementType::C64 => "c64",
        ElementType::C128 => "c128",
        _ => "f64",
    }
}

fn failed(error: impl Display) -> Refusal {
    Refusal::new(&plans::RUN_FAILED, error.to_string())
}

/// A number of runs.
pub(super) fn count(
    request: &Request<'_>,
    id: &str,
    default: usize,
    least: usize,
) -> Result<usize, Refusal> {
    let Some(text) = request.text(id) else {
        return Ok(default);
    };
    let number = text
        .parse()
        .ok()
        .filter(|&number| number >= least && number <= MOST_RUNS);
    number.ok_or_else(|| {
        Refusal::new(&BAD_VALUE, format!("`--{id} {text}`: not such a number"))
            .hint(format!("a whole number from {least} to {MOST_RUNS}"))
    })
}

/// The most ranks that run as threads: systems have room for the stacks of some tens of thousands.
const MOST_THREADS: usize = 4096;

/// The most runs: every one of them is kept.
const MOST_RUNS: usize = 1_000_000;
