//! Mistakes on the command line: clap's findings as diagnostics with codes.

use clap::Error;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use redblue::codes::{BAD_OPTION, BAD_VALUE, MISSING_ARGUMENT, UNKNOWN_COMMAND};
use redblue::program::diagnostic::Code;
use redblue::program::suggest;
use redblue::{Refusal, catalogue};

use super::answer::Answer;
use super::table;

/// `--help` and `--version` are answers; everything else clap stops at is a refusal.
pub(super) fn help_or_refusal(error: Error) -> Result<Answer, Refusal> {
    let (code, message): (&Code, String) = match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            return Ok(Answer::plain(error.render().to_string()));
        }
        ErrorKind::UnknownArgument => (
            &BAD_OPTION,
            format!(
                "unexpected argument `{}`",
                context(&error, ContextKind::InvalidArg)
            ),
        ),
        ErrorKind::ArgumentConflict => (&BAD_OPTION, conflict(&error)),
        ErrorKind::MissingRequiredArgument => (
            &MISSING_ARGUMENT,
            format!("{} is missing", argument(&error)),
        ),
        ErrorKind::InvalidValue => {
            let value = context(&error, ContextKind::InvalidValue);
            match value.is_empty() {
                true => (
                    &MISSING_ARGUMENT,
                    format!("`{}` needs a value", option(&error)),
                ),
                false => (
                    &BAD_VALUE,
                    format!("`{value}` is not possible for `{}`", option(&error)),
                ),
            }
        }
        ErrorKind::InvalidUtf8 => (&BAD_VALUE, "an argument is not UTF-8 text".to_string()),
        _ => (&BAD_OPTION, first_line(&error)),
    };
    let refusal = Refusal::new(code, message);
    Err(match advice(&error) {
        Some(advice) => refusal.hint(advice),
        None => refusal,
    })
}

/// Whether a first word is an input, given without a command.
pub(super) fn is_input(word: &str) -> bool {
    word == "-"
        || word.contains("->")
        || catalogue::find(word).is_some()
        || std::path::Path::new(word).exists()
}

/// A first word that is neither a command nor an input.
pub(super) fn no_command(word: &str) -> Refusal {
    let commands = table::COMMANDS.iter().map(|command| command.name);
    let hint = suggest::did_you_mean(word, commands)
        .or_else(|| {
            catalogue::closest(word).map(|name| format!("did you mean the kernel `{name}`?"))
        })
        .unwrap_or_else(|| "`redblue --help` lists the commands".to_string());
    Refusal::new(
        &UNKNOWN_COMMAND,
        format!("`{word}` is neither a command nor an input"),
    )
    .hint(hint)
}

/// What clap knows about a mistake, as text; several values are joined.
fn context(error: &Error, kind: ContextKind) -> String {
    match error.get(kind) {
        Some(ContextValue::String(text)) => text.clone(),
        Some(ContextValue::Strings(texts)) => texts.join(", "),
        _ => String::new(),
    }
}

/// One option twice, or two that exclude each other.
fn conflict(error: &Error) -> String {
    let (this, other) = (option(error), context(error, ContextKind::PriorArg));
    match other.split([' ', '=']).next() {
        Some(other) if !other.is_empty() && other != this => format!("`{this}` excludes `{other}`"),
        _ => format!("`{this}` is given twice"),
    }
}

/// The positional arguments a mistake is about, without clap's brackets.
fn argument(error: &Error) -> String {
    context(error, ContextKind::InvalidArg).replace(['<', '>'], "")
}

/// The option a mistake is about, without the name of its value.
fn option(error: &Error) -> String {
    let shown = context(error, ContextKind::InvalidArg);
    let name = shown.split([' ', '=']).next().unwrap_or_default();
    name.trim_matches(['<', '>']).to_string()
}

fn advice(error: &Error) -> Option<String> {
    let mut advice = Vec::new();
    for kind in [ContextKind::SuggestedArg, ContextKind::SuggestedValue] {
        let suggestion = context(error, kind);
        if !suggestion.is_empty() {
            advice.push(format!("did you mean `{suggestion}`?"));
        }
    }
    let possible = context(error, ContextKind::ValidValue);
    if !possible.is_empty() {
        advice.push(format!("possible values: {possible}"));
    }
    if advice.is_empty() {
        let usage = error.get(ContextKind::Usage)?.to_string();
        let usage = usage
            .lines()
            .next()?
            .trim()
            .trim_start_matches("Usage:")
            .trim();
        advice.push(format!("usage: {usage}"));
    }
    Some(advice.join(" "))
}

/// clap's own sentence, for the rare kinds.
fn first_line(error: &Error) -> String {
    let text = error.render().to_string();
    text.lines()
        .next()
        .unwrap_or_default()
        .trim_start_matches("error: ")
        .to_string()
}
