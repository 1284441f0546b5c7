//! What was asked for: the arguments of one command, given their meaning.

use std::time::Duration;

use clap::ArgMatches;
use redblue::codes::{BAD_FORMAT, MISSING_ARGUMENT};
use redblue::input::{self, Source};
use redblue::memory::{self, FastMemory};
use redblue::program::ElementType;
use redblue::program::reading::ReadOptions;
use redblue::sizes::Sizes;
use redblue::{Refusal, duration};

use super::table::Command;

/// Formats of answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    Text,
    Json,
    Csv,
    Markdown,
    Latex,
}

impl Format {
    /// All names, in the order of [`Format::ALL`].
    pub(super) const NAMES: &'static [&'static str] = &["text", "json", "csv", "md", "latex"];
    pub(super) const ALL: [Format; 5] = [
        Format::Text,
        Format::Json,
        Format::Csv,
        Format::Markdown,
        Format::Latex,
    ];

    fn name(self) -> &'static str {
        Format::NAMES[self as usize]
    }
}

/// The arguments of one command.
pub(super) struct Request<'a> {
    matches: &'a ArgMatches,
    pub(super) format: Format,
}

impl<'a> Request<'a> {
    /// Checks what all commands have in common.
    pub(super) fn new(command: &Command, matches: &'a ArgMatches) -> Result<Request<'a>, Refusal> {
        let mut request = Request {
            matches,
            format: Format::Text,
        };
        if let Some(name) = request.text("format") {
            let format = Format::ALL.into_iter().find(|format| format.name() == name);
            request.format = format.unwrap_or(Format::Text);
        }
        if !command.formats.contains(&request.format) {
            let known: Vec<&str> = command.formats.iter().map(|format| format.name()).collect();
            let message = format!(
                "`redblue {}` has no {} format",
                command.name,
                request.format.name()
            );
            return Err(
                Refusal::new(&BAD_FORMAT, message).hint(format!("it has {}", known.join(" and ")))
            );
        }
        request.time_limit()?;
        Ok(request)
    }

    /// The value of a flag or of the positional `argument`; `None` also where the command has no such flag.
    pub(super) fn text(&self, id: &str) -> Option<&str> {
        self.matches
            .try_get_one::<String>(id)
            .ok()
            .flatten()
            .map(String::as_str)
    }

    /// All values of a flag that can be repeated.
    pub(super) fn texts(&self, id: &str) -> Vec<String> {
        let values = self.matches.try_get_many::<String>(id).ok().flatten();
        values.into_iter().flatten().cloned().collect()
    }

    /// Whether a switch is on.
    pub(super) fn has(&self, id: &str) -> bool {
        self.matches
            .try_get_one::<bool>(id)
            .ok()
            .flatten()
            .is_some_and(|on| *on)
    }

    /// The positional argument.
    pub(super) fn argument(&self) -> Option<&str> {
        self.text("argument")
    }

    /// The input with its text.
    pub(super) fn source(&self) -> Result<Source, Refusal> {
        let argument = self
            .argument()
            .ok_or_else(|| Refusal::new(&MISSING_ARGUMENT, "INPUT is missing"))?;
        input::resolve(argument, self.has("einsum"))
    }

    /// The sizes given with `-D`.
    pub(super) fn sizes(&self) -> Result<Sizes, Refusal> {
        Sizes::parse(&self.texts("define"))
    }

    /// The fast memories given with `-S`.
    pub(super) fn memories(&self) -> Result<Vec<FastMemory>, Refusal> {
        memory::parse(&self.texts("fast-memory"))
    }

    /// The limit given with `--time-limit`.
    pub(super) fn time_limit(&self) -> Result<Option<Duration>, Refusal> {
        self.text("time-limit").map(duration::parse).transpose()
    }

    /// How the input is to be read, apart from sizes.
    pub(super) fn read_options(&self) -> ReadOptions {
        let list = |text: &str| {
            text.split(',')
                .map(|name| name.trim().to_string())
                .collect()
        };
        ReadOptions {
            include_dirs: self.texts("include"),
            function: self.text("function").map(String::from),
            assumptions: self.texts("assume"),
            outputs: self.text("outputs").map(list),
            dtype: self.text("dtype").and_then(|name| match name {
                "f32" => Some(ElementType::F32),
                "f64" => Some(ElementType::F64),
                "c64" => Some(ElementType::C64),
                "c128" => Some(ElementType::C128),
                _ => None,
            }),
            ..ReadOptions::default()
        }
    }
}
