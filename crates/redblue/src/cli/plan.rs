//! `plan`: a matrix product on many ranks.

use std::time::Instant;

use redblue::Refusal;
use redblue::codes::{BAD_MEMORY, BAD_OPTION, BAD_VALUE, MISSING_ARGUMENT, plans};
use redblue::dist::baseline::baselines;
use redblue::dist::plan::{Found, Plan, PlanError, Problem, Stop, search_until};
use redblue::dist::{Shape, bound};
use redblue::host;
use redblue::memory;
use redblue::program::ElementType;
use redblue::view::picture::{MOST_RANKS, page};
use redblue::view::plan::{PlanDocument, Planned, text};

use super::answer::{Answer, write};
use super::request::{Format, Request};

/// `redblue plan matmul -m M -n N -k K -p P`.
pub(super) fn run(request: &Request<'_>) -> Result<Answer, Refusal> {
    let deadline = deadline(request)?;
    let [m, n, k] = ["rows", "columns", "inner"].map(|id| number(request, id));
    let problem = Problem {
        shape: Shape::new(m?, n?, k?),
        ranks: number(request, "ranks")?,
        memory: limit(request)?,
    };
    let Problem {
        shape,
        ranks,
        memory,
    } = problem;
    let found = given_or_found(request, &problem, deadline)?;
    if let Some(file) = request.text("html") {
        draw(&found.plan, file)?;
    }
    let planned = Planned {
        problem: &problem,
        found: &found,
        equal_work: bound::equal_work(shape, ranks),
        limited_memory: memory.map(|memory| bound::limited_memory(shape, ranks, memory)),
        baselines: baselines(shape, ranks, memory).map_err(|error| refuse(error, request))?,
    };
    let document = PlanDocument::of(&planned);
    match request.format {
        Format::Json => Answer::json(&document),
        _ => Ok(Answer::plain(text(&document))),
    }
}

/// When a search has to end.
pub(super) fn deadline(request: &Request<'_>) -> Result<Option<Instant>, Refusal> {
    // A limit beyond what can be counted is none.
    let end = |limit| Instant::now().checked_add(limit);
    Ok(request.time_limit()?.and_then(end))
}

/// The plan given with `--plan`, if it fits the memory, or the best one found.
pub(super) fn given_or_found(
    request: &Request<'_>,
    problem: &Problem,
    deadline: Option<Instant>,
) -> Result<Found, Refusal> {
    let Some(text) = request.text("plan") else {
        return search_until(problem, deadline).map_err(|error| refuse(error, request));
    };
    let plan = Plan::parse(text, problem.shape, problem.ranks)
        .map_err(|error| Refusal::new(plans::of_text(&error), error.to_string()))?;
    let summary = plan.summary();
    let needed = summary.memory.total();
    match problem.memory {
        Some(limit) if needed > limit => Err(refuse(PlanError::Memory { needed, limit }, request)),
        _ => Ok(Found {
            plan,
            summary,
            stop: Stop::Complete,
        }),
    }
}

/// Writes the picture to a file.
fn draw(plan: &Plan, file: &str) -> Result<(), Refusal> {
    if plan.ranks() > MOST_RANKS {
        let message = format!("a picture of {} ranks shows nothing", plan.ranks());
        return Err(Refusal::new(&BAD_OPTION, message)
            .hint(format!("--html is for up to {MOST_RANKS} ranks")));
    }
    write(file, &page(plan))
}

fn refuse(error: PlanError, request: &Request<'_>) -> Refusal {
    let missing = match error {
        PlanError::Memory { needed, limit } => {
            let element = element(request);
            let bytes = needed
                .saturating_sub(limit)
                .saturating_mul(u128::from(element.bytes()));
            format!(" ({bytes} bytes)")
        }
        _ => String::new(),
    };
    Refusal::new(plans::of(&error), format!("{error}{missing}"))
}

/// The element type given with `--dtype`.
pub(super) fn element(request: &Request<'_>) -> ElementType {
    request.read_options().dtype.unwrap_or(ElementType::F64)
}

/// A size, which must be given.
pub(super) fn number(request: &Request<'_>, id: &str) -> Result<u64, Refusal> {
    let short = match id {
        "rows" => "-m",
        "columns" => "-n",
        "inner" => "-k",
        _ => "-p",
    };
    let text = request.text(id).ok_or_else(|| {
        Refusal::new(&MISSING_ARGUMENT, format!("`{short}` is missing"))
            .hint("give the sizes and the number of ranks, as in -m 4096 -n 4096 -k 4096 -p 64")
    })?;
    text.parse().map_err(|_| {
        Refusal::new(&BAD_VALUE, format!("`{short} {text}`: not a whole number"))
            .hint("sizes and ranks are numbers from 0 to 18446744073709551615")
    })
}

/// The words given with `--memory`.
pub(super) fn limit(request: &Request<'_>) -> Result<Option<u128>, Refusal> {
    let Some(text) = request.text("memory") else {
        return Ok(None);
    };
    if let Ok(words) = text.parse() {
        return Ok(Some(words));
    }
    let element = element(request);
    let machine = host::machine().ok();
    match memory::parse_option("--memory", &[text])?.as_slice() {
        [memory] => match memory.words(element.bytes(), machine.as_ref())?.as_slice() {
            &[words] => Ok(Some(u128::from(words))),
            _ => Err(Refusal::new(&BAD_MEMORY, "a rank has one memory")),
        },
        _ => Err(Refusal::new(&BAD_MEMORY, "a plan has one memory size")),
    }
}
