//! `ir` and `deps`: a program as it was understood, and its dependences.

use std::borrow::Cow;

use redblue::Refusal;
use redblue::catalogue;
use redblue::codes::{BAD_SWEEP, SIZES_EXCLUDED};
use redblue::dataflow::Dataflow;
use redblue::input::{self, Source};
use redblue::program::Program;
use redblue::program::reading::{ReadOptions, Reading};
use redblue::sizes::{Point, Sizes};
use redblue::view::instances::Instances;
use redblue::view::{deps, instances, ir};

use super::answer::Answer;
use super::request::{Format, Request};

/// A program that was read, with all that is needed to talk about it.
pub(super) struct Loaded {
    pub(super) source: Source,
    options: ReadOptions,
    pub(super) reading: Reading,
    pub(super) program: Program,
    pub(super) sizes: Sizes,
    /// The sizes with one value; those of a sweep stay symbolic.
    fixed: Point,
}

impl Loaded {
    /// The program at one point of a sweep. A size that the source needs as a number (a stride, say) is no
    /// parameter of the program, which is then read again.
    pub(super) fn at(&self, point: &Point) -> Result<Cow<'_, Program>, Refusal> {
        let program = if needed_as_numbers(self).next().is_none() {
            Cow::Borrowed(&self.program)
        } else {
            let options = ReadOptions {
                defines: point.clone(),
                ..self.options.clone()
            };
            Cow::Owned(understood(&mut input::load(&self.source, &options), false)?)
        };
        check_assumptions(&program, point)?;
        Ok(program)
    }
}

impl Loaded {
    /// The loops as written: the marked part of a C source if there is one, else all of it.
    pub(super) fn source_text(&self) -> String {
        let text = match &self.source {
            Source::C { text, .. } => text,
            Source::Einsum(text) => text,
            Source::Kernel(entry) => match entry.source {
                catalogue::Source::C(text) | catalogue::Source::Einsum(text) => text,
            },
        };
        let marked = text
            .split_once("#pragma scop\n")
            .and_then(|(_, rest)| Some(rest.split_once("#pragma endscop")?.0));
        let lines = || marked.unwrap_or(text).lines();
        let code: Vec<&str> = lines()
            .filter(|line| !line.starts_with("// redblue:"))
            .collect();
        let filled = code.iter().filter(|line| !line.trim().is_empty());
        let margin = filled
            .map(|line| line.len() - line.trim_start().len())
            .min();
        let cut = |line: &&str| {
            line.get(margin.unwrap_or(0)..)
                .unwrap_or_default()
                .to_owned()
        };
        let code: Vec<String> = code.iter().map(cut).collect();
        code.join("\n").trim_matches('\n').to_owned()
    }
}

/// `redblue ir INPUT`.
pub(super) fn ir(request: &Request<'_>) -> Result<Answer, Refusal> {
    let loaded = load(request)?;
    let Loaded {
        reading,
        program,
        fixed,
        ..
    } = &loaded;
    let results = sweep(&loaded)?;
    let answer = match request.format {
        Format::Json => {
            let document =
                ir::IrDocument::of(program, &reading.sources, fixed, results).map_err(gave_up)?;
            Answer::json(&document)?
        }
        _ => {
            let mut text = ir::text(program, &reading.sources, fixed).map_err(gave_up)?;
            for name in needed_as_numbers(&loaded) {
                let value = loaded.options.defines[name];
                text.push_str(&format!(
                    "\nThe program above is the one for {name} = {value}\n"
                ));
            }
            text.push_str(&instances::sweep_text(&results));
            Answer::plain(text)
        }
    };
    Ok(answer.with_talk(reading.render()))
}

/// `redblue deps INPUT`.
pub(super) fn deps(request: &Request<'_>) -> Result<Answer, Refusal> {
    let Loaded {
        reading,
        program,
        sizes,
        fixed,
        ..
    } = load(request)?;
    if let Some(name) = sizes.swept().next() {
        let message = format!("dependences have no sweep over `{name}`");
        return Err(Refusal::new(&BAD_SWEEP, message)
            .hint("they hold for all sizes at once; give one value, or none"));
    }
    let dataflow = Dataflow::of(&program).map_err(gave_up)?;
    let answer = match request.format {
        Format::Json => {
            let document = deps::DepsDocument::of(&program, &dataflow, &reading.sources, &fixed);
            Answer::json(&document.map_err(gave_up)?)?
        }
        _ => Answer::plain(deps::text(&program, &dataflow).map_err(gave_up)?),
    };
    Ok(answer.with_talk(reading.render()))
}

/// Reads the program that a request is about.
pub(super) fn load(request: &Request<'_>) -> Result<Loaded, Refusal> {
    load_source(request, request.source()?)
}

/// As [`load`], with the catalogue's own sizes where none are given, and a note that says so.
pub(super) fn load_catalogued(request: &Request<'_>) -> Result<(Loaded, String), Refusal> {
    let source = request.source()?;
    let given = request.sizes()?;
    let Source::Kernel(entry) = &source else {
        return Ok((load_sized(request, source, given)?, String::new()));
    };
    let missing = |(name, _): &(&String, &i64)| !given.has(name);
    let taken: Vec<String> = entry
        .sizes
        .iter()
        .filter(missing)
        .map(|(name, size)| format!("{name}={size}"))
        .collect();
    let note = match taken.as_slice() {
        [] => String::new(),
        taken => format!(
            "note: the catalogue's sizes are taken: -D {}\n",
            taken.join(",")
        ),
    };
    let sizes = given.or(&entry.sizes);
    Ok((load_sized(request, source, sizes)?, note))
}

/// Reads the program of a source that is at hand.
pub(super) fn load_source(request: &Request<'_>, source: Source) -> Result<Loaded, Refusal> {
    load_sized(request, source, request.sizes()?)
}

fn load_sized(request: &Request<'_>, source: Source, sizes: Sizes) -> Result<Loaded, Refusal> {
    let point = sizes.points().next().unwrap_or_default();
    // A size of a sweep that the source needs as a number takes its first value here.
    let options = ReadOptions {
        defines: point.clone(),
        ..request.read_options()
    };
    let mut reading = input::load(&source, &options);
    let program = understood(&mut reading, request.has("partial"))?;
    check_assumptions(&program, &point)?;
    Ok(Loaded {
        source,
        options,
        reading,
        program,
        fixed: sizes.fixed(),
        sizes,
    })
}

/// Takes the program out of a reading. One that was not fully understood is refused unless it is asked
/// for: an answer about half a program must not look whole.
fn understood(reading: &mut Reading, partial: bool) -> Result<Program, Refusal> {
    match reading.program.take() {
        Some(program) if partial || !reading.has_errors() => Ok(program),
        _ => Err(Refusal {
            diagnostics: std::mem::take(&mut reading.diagnostics),
            sources: reading.sources.clone(),
        }),
    }
}

/// The number of instances at every point of a sweep; nothing without a sweep.
fn sweep(loaded: &Loaded) -> Result<Vec<Instances>, Refusal> {
    if loaded.sizes.swept().next().is_none() {
        return Ok(Vec::new());
    }
    let at = |point: Point| Instances::at(&*loaded.at(&point)?, &point).map_err(gave_up);
    loaded.sizes.points().map(at).collect()
}

/// The sizes of a sweep that are no parameters of the program, since the source needs them as numbers.
fn needed_as_numbers(loaded: &Loaded) -> impl Iterator<Item = &str> {
    let params = &loaded.program.params;
    loaded
        .sizes
        .swept()
        .filter(|name| params.iter().all(|param| param.name != *name))
}

/// Refuses sizes that no answer is about.
fn check_assumptions(program: &Program, point: &Point) -> Result<(), Refusal> {
    let mut context = program.context.clone();
    for param in &program.params {
        if let Some(value) = point.get(&param.name).copied().or(param.default) {
            context = context.fix_param(&param.name, value).map_err(gave_up)?;
        }
    }
    if context.is_empty().map_err(gave_up)? {
        let message = format!(
            "these sizes break the assumption {}",
            program.assumptions.join(" and ")
        );
        return Err(Refusal::new(&SIZES_EXCLUDED, message)
            .hint("choose sizes within it; the source or --assume states it"));
    }
    Ok(())
}

fn gave_up(error: impl std::error::Error) -> Refusal {
    Refusal::gave_up("the program is too hard to analyse exactly", &error)
}
