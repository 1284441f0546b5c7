//! `explain`: what a code, a kernel or a concept means.

use redblue::bounds::analysis::METHODS;
use redblue::bounds::{Graph, field};
use redblue::catalogue::Entry;
use redblue::codes::{self, UNKNOWN_TOPIC};
use redblue::concepts::{self, CONCEPTS};
use redblue::program::suggest;
use redblue::view::SCHEMA_VERSION;
use redblue::view::kernels::explanation;
use redblue::{Refusal, catalogue};
use serde::Serialize;

use super::answer::Answer;
use super::request::{Format, Request};

/// Columns of prose.
const WIDTH: usize = 100;

/// The explanation as a document.
#[derive(Serialize)]
struct Document<'a> {
    schema: &'static str,
    schema_version: u32,
    topic: &'a str,
    kind: &'static str,
    text: &'a str,
}

/// `redblue explain [TOPIC]`.
pub(super) fn explain(request: &Request<'_>) -> Result<Answer, Refusal> {
    let topic = request.argument().unwrap_or_default();
    let (kind, text) = match topic {
        "" => ("topics", topics()),
        topic => find(topic)?,
    };
    match request.format {
        Format::Json => Answer::json(&Document {
            schema: "redblue.explain",
            schema_version: SCHEMA_VERSION,
            topic,
            kind,
            text: &text,
        }),
        _ => Ok(Answer::plain(wrapped(&text))),
    }
}

/// Breaks long lines of prose; indented lines are code and stay.
fn wrapped(text: &str) -> String {
    let mut out = String::new();
    for line in text.lines() {
        let mut column = 0;
        for word in line.split_inclusive(' ') {
            let width = word.trim_end().chars().count();
            if column > 0 && column + width > WIDTH && !line.starts_with(' ') {
                out.truncate(out.trim_end().len());
                out.push('\n');
                column = 0;
            }
            out.push_str(word);
            column += word.chars().count();
        }
        out.push('\n');
    }
    out
}

fn find(topic: &str) -> Result<(&'static str, String), Refusal> {
    if let Some(code) = codes::find(topic) {
        return Ok(("code", code.to_string()));
    }
    if let Some(entry) = catalogue::find(topic) {
        return Ok(("kernel", explanation(entry) + &reported(entry)));
    }
    if let Some(text) = redblue::bounds::documentation(&topic.to_lowercase()) {
        return Ok(("method", text));
    }
    if let Some(concept) = concepts::find(topic) {
        return Ok(("concept", concept.to_string()));
    }
    let codes = codes::all().into_iter().map(|code| code.id);
    let kernels = catalogue::catalogue().iter().map(|entry| entry.name);
    let names = CONCEPTS
        .iter()
        .map(|concept| concept.name)
        .chain(METHODS.iter().map(|method| method.name))
        .chain(kernels)
        .chain(codes);
    let hint = suggest::did_you_mean(topic, names)
        .unwrap_or_else(|| "`redblue explain` lists what can be explained".to_string());
    Err(Refusal::new(&UNKNOWN_TOPIC, format!("nothing is known about `{topic}`")).hint(hint))
}

/// What others report about the kernel's products, in models of their own; nothing for most kernels.
fn reported(entry: &Entry) -> String {
    let program = entry.read(&Default::default()).program;
    let graph = program.and_then(|program| Graph::of(&program).ok());
    let found = graph.and_then(|graph| field::reported(&graph).ok());
    let line = |report: &field::Reported| {
        let assumptions = report.assumptions.join(", ");
        format!("    {}   {} ({assumptions})\n", report.formula, report.unit)
    };
    match found.as_deref() {
        None | Some([]) => String::new(),
        Some(found) => format!(
            "\nReported by others, not certified (`redblue explain reported`):\n\n{}",
            found.iter().map(line).collect::<String>()
        ),
    }
}

fn topics() -> String {
    let width = CONCEPTS
        .iter()
        .map(|concept| concept.name.len())
        .max()
        .unwrap_or(0)
        .max(6);
    let line = |(name, title): (&str, &str)| format!("  {name:<width$}  {title}\n");
    let concepts = CONCEPTS
        .iter()
        .map(|concept| (concept.name, concept.title()));
    let codes = codes::all().into_iter().map(|code| (code.id, code.title));
    let methods = METHODS.iter().map(|method| (method.name, method.summary));
    format!(
        "Concepts\n{}\nMethods for lower bounds\n{}\nDiagnostic codes\n{}\nKernels\n  see `redblue kernels`\n",
        concepts.map(line).collect::<String>(),
        methods.map(line).collect::<String>(),
        codes.map(line).collect::<String>(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prose_is_wrapped_and_code_is_not() {
        let prose = "word ".repeat(30);
        let code = format!("    {prose}");
        let shown = wrapped(&format!("{prose}\n{code}"));
        let lines: Vec<&str> = shown.lines().collect();
        assert_eq!(
            lines,
            [
                "word ".repeat(20).trim_end(),
                "word ".repeat(10).as_str(),
                code.as_str()
            ]
        );
    }
}
