//! `diff`: what changed between two reports.

use std::fs;

use redblue::Refusal;
use redblue::codes::{BAD_VALUE, MISSING_ARGUMENT, UNREADABLE};
use redblue::view::diff::{DiffDocument, text};
use serde_json::Value;

use super::answer::Answer;
use super::request::{Format, Request};

/// `redblue diff OLD.json NEW.json`.
pub(super) fn run(request: &Request<'_>) -> Result<Answer, Refusal> {
    let missing = |name: &str| Refusal::new(&MISSING_ARGUMENT, format!("{name} is missing"));
    let old = request.argument().ok_or_else(|| missing("OLD.json"))?;
    let new = request.text("second").ok_or_else(|| missing("NEW.json"))?;
    let document =
        DiffDocument::of(&read(old)?, &read(new)?).map_err(|which| none([old, new][which]))?;
    let answer = match request.format {
        Format::Json => Answer::json(&document)?,
        _ => Answer::plain(text(&document)),
    };
    Ok(answer.meaning_no(document.is_worse()))
}

fn read(file: &str) -> Result<Value, Refusal> {
    let text = fs::read_to_string(file)
        .map_err(|error| Refusal::new(&UNREADABLE, format!("cannot read `{file}`: {error}")))?;
    serde_json::from_str(&text).map_err(|_| none(file))
}

fn none(file: &str) -> Refusal {
    Refusal::new(&BAD_VALUE, format!("`{file}` is no report"))
        .hint("`redblue gap INPUT --format json -o FILE` writes one; bound and tile do, too")
}
