//! `bound`, `check` and `methods`: what no schedule avoids, and why.

use std::fs;

use redblue::bound::Bounds;
use redblue::bounds::analysis::{METHODS, Options};
use redblue::bounds::parallel::{Nest, Parallel};
use redblue::bounds::{Graph, documentation};
use redblue::cert::{Certificate, Counted, Model, Sums};
use redblue::codes::{BAD_VALUE, MISSING_ARGUMENT, UNREADABLE, UNWRITABLE, certificates};
use redblue::program::{Program, suggest};
use redblue::sizes::Point;
use redblue::view::bound::{self as view, BoundDocument, ParallelDocument, Value};
use redblue::view::check::CheckDocument;
use redblue::view::instances::Instances;
use redblue::view::methods::MethodsDocument;
use redblue::{Refusal, host, input};

use super::answer::{Answer, write};
use super::program::{Loaded, load, load_source};
use super::request::{Format, Request};

/// `redblue bound INPUT`.
pub(super) fn run(request: &Request<'_>) -> Result<Answer, Refusal> {
    let options = options(request)?;
    let loaded = load(request)?;
    let known = known_sizes(&loaded);
    let bounds = Bounds::of(&loaded.program, &options, &known)?;
    if let Some(file) = request.text("certificate") {
        save(file, &bounds.analysis.certificate)?;
    }
    let (sizes, results) = values(request, &loaded, &bounds)?;
    let mut document = BoundDocument::of(&loaded.program, &bounds, &sizes, results);
    if let Some(text) = request.text("ranks") {
        document = document.with_parallel(parallel(request, &loaded.program, text, &sizes)?);
    }
    let answer = match request.format {
        Format::Json => Answer::json(&document)?,
        Format::Latex => Answer::plain(view::latex(&document)),
        _ => Answer::plain(view::text(&document)),
    };
    Ok(answer.with_talk(loaded.reading.render()))
}

/// What the flags ask for.
pub(super) fn options(request: &Request<'_>) -> Result<Options, Refusal> {
    let methods = request.texts("method");
    for name in &methods {
        if !METHODS.iter().any(|method| method.name == name) {
            let hint = suggest::did_you_mean(name, METHODS.iter().map(|method| method.name));
            let hint = hint.unwrap_or_else(|| "`redblue methods` lists them".to_owned());
            return Err(
                Refusal::new(&BAD_VALUE, format!("there is no method `{name}`")).hint(hint),
            );
        }
    }
    Ok(Options {
        model: Model {
            count: match request.text("count") {
                Some("loads") => Counted::Loads,
                _ => Counted::Total,
            },
            recompute: request.has("recompute"),
            sums: if request.has("reassociate") {
                Sums::Free
            } else {
                Sums::Fixed
            },
        },
        methods,
        time_limit: request.time_limit()?,
    })
}

/// The sizes with one value, and the best value at every point of the sweeps where nothing is symbolic.
fn values(
    request: &Request<'_>,
    loaded: &Loaded,
    bounds: &Bounds,
) -> Result<(Point, Vec<Value>), Refusal> {
    let machine = host::machine().ok();
    let word_bytes = super::simulate::word_bytes(&loaded.program);
    let mut fast: Vec<u64> = Vec::new();
    for memory in request.memories()? {
        fast.extend(memory.words(word_bytes, machine.as_ref())?);
    }
    let mut sizes = known_sizes(loaded);
    let defaults = sizes.clone();
    if let [words] = fast.as_slice() {
        sizes.insert("S".to_owned(), i64::try_from(*words).unwrap_or(i64::MAX));
    }
    let mut results = Vec::new();
    for point in loaded.sizes.points() {
        let mut point: Point = defaults.clone().into_iter().chain(point).collect();
        let operations = Instances::at(&loaded.program, &point)
            .ok()
            .and_then(|instances| instances.total());
        for words in &fast {
            point.insert("S".to_owned(), i64::try_from(*words).unwrap_or(i64::MAX));
            if let Some(value) = bounds.at(&point) {
                results.push(view::value(point.clone(), &value, operations.as_ref()));
            }
        }
    }
    Ok((sizes, results))
}

/// The sizes with one value, given or by the source.
fn known_sizes(loaded: &Loaded) -> Point {
    let mut sizes = loaded.sizes.fixed();
    for param in &loaded.program.params {
        if let (Some(value), false) = (param.default, sizes.contains_key(&param.name)) {
            sizes.insert(param.name.clone(), value);
        }
    }
    sizes
}

fn parallel(
    request: &Request<'_>,
    program: &Program,
    ranks: &str,
    sizes: &Point,
) -> Result<ParallelDocument, Refusal> {
    let gave_up =
        |error: &dyn std::error::Error| Refusal::gave_up("no bound for several ranks", error);
    let ranks: u64 = ranks
        .parse()
        .ok()
        .filter(|ranks| *ranks > 0)
        .ok_or_else(|| {
            Refusal::new(
                &BAD_VALUE,
                format!("`--ranks {ranks}`: not a number of ranks"),
            )
        })?;
    let graph = Graph::of(program).map_err(|error| gave_up(&error))?;
    let nest = Nest::of(&graph).map_err(|error| gave_up(&error))?;
    let nest = nest.ok_or_else(|| {
        Refusal::new(&certificates::NO_NEST, "there is no bound for several ranks for this program")
            .hint("there is one for a single statement that accumulates products of distinct input arrays")
    })?;
    let parallel = Parallel::of(nest).map_err(|error| gave_up(&error))?;
    let mut sizes = sizes.clone();
    sizes.insert("p".to_owned(), i64::try_from(ranks).unwrap_or(i64::MAX));
    if let Some(words) = super::plan::limit(request)? {
        sizes.insert("S".to_owned(), i64::try_from(words).unwrap_or(i64::MAX));
    }
    Ok(ParallelDocument::of(&parallel, ranks, &sizes))
}

fn save(file: &str, certificate: &Certificate) -> Result<(), Refusal> {
    let text = certificate
        .to_json()
        .map_err(|error| Refusal::new(&UNWRITABLE, format!("cannot write `{file}`: {error}")))?;
    write(file, &(text + "\n"))
}

/// `redblue check FILE [INPUT]`.
pub(super) fn check(request: &Request<'_>) -> Result<Answer, Refusal> {
    let file = request.argument();
    let file = file.ok_or_else(|| Refusal::new(&MISSING_ARGUMENT, "FILE is missing"))?;
    let text = fs::read_to_string(file)
        .map_err(|error| Refusal::new(&UNREADABLE, format!("cannot read `{file}`: {error}")))?;
    let certificate = Certificate::from_json(&text).map_err(|error| {
        Refusal::new(&certificates::FORMAT, format!("`{file}`: {error}"))
            .hint("`redblue bound INPUT --certificate FILE` writes one")
    })?;
    let (program, talk) = match request.text("second") {
        Some(name) => {
            let loaded = load_source(request, input::resolve(name, request.has("einsum"))?)?;
            (Some(loaded.program), loaded.reading.render())
        }
        None => (None, String::new()),
    };
    let verdict = redblue::cert::check(&certificate, program.as_ref());
    let document = CheckDocument::of(&certificate, &verdict);
    let answer = match request.format {
        Format::Json => Answer::json(&document)?,
        _ => Answer::plain(redblue::view::check::text(&document)),
    };
    Ok(answer.meaning_no(verdict.is_err()).with_talk(talk))
}

/// `redblue methods`.
pub(super) fn methods(request: &Request<'_>) -> Result<Answer, Refusal> {
    let document = MethodsDocument::new(
        METHODS
            .iter()
            .map(|method| (method, documentation(method.name))),
    );
    match request.format {
        Format::Json => Answer::json(&document),
        _ => Ok(Answer::plain(redblue::view::methods::text(&document))),
    }
}
