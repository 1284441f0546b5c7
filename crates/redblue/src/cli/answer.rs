//! What a command hands back, and how it reaches the user.

use std::fs;
use std::io::{self, Write};

use redblue::Refusal;
use redblue::codes::UNWRITABLE;
use serde::Serialize;

use super::paint::Paint;

/// Writes a file that was asked for besides the answer.
pub(super) fn write(file: &str, text: &str) -> Result<(), Refusal> {
    fs::write(file, text).map_err(|error| {
        Refusal::new(&UNWRITABLE, format!("cannot write `{file}`: {error}"))
            .hint("check that the place exists, may be written and has room")
    })
}

/// The answer of a command.
#[derive(Debug)]
pub(super) struct Answer {
    /// What goes to stdout or into the file of `-o`.
    body: String,
    /// What goes to stderr: warnings, rendered.
    talk: String,
    /// Whether the answer is "no": the run worked, what was asked about does not hold.
    no: bool,
}

impl Answer {
    /// An answer that is text.
    pub(super) fn plain(body: impl Into<String>) -> Answer {
        let mut body: String = body.into();
        if !body.ends_with('\n') {
            body.push('\n');
        }
        Answer {
            body,
            talk: String::new(),
            no: false,
        }
    }

    /// No answer: for processes next to the one that answers. Not even the file of `-o` is touched.
    #[cfg(feature = "mpi")]
    pub(super) fn nothing() -> Answer {
        Answer {
            body: String::new(),
            talk: String::new(),
            no: false,
        }
    }

    /// An answer that is one JSON document.
    pub(super) fn json(document: &impl Serialize) -> Result<Answer, Refusal> {
        serde_json::to_string_pretty(document)
            .map(Answer::plain)
            .map_err(|error| Refusal::new(&UNWRITABLE, format!("cannot write JSON: {error}")))
    }

    /// The same answer, meaning "no" if `no`.
    pub(super) fn meaning_no(self, no: bool) -> Answer {
        Answer { no, ..self }
    }

    /// Whether the answer is "no".
    pub(super) fn is_no(&self) -> bool {
        self.no
    }

    /// The same answer with warnings.
    pub(super) fn with_talk(self, talk: String) -> Answer {
        Answer { talk, ..self }
    }

    /// Writes the answer to a file or to stdout, and the talk to stderr.
    ///
    /// A reader that goes away early (`redblue kernels | head -1`) has what it wanted: that is no error.
    pub(super) fn deliver(&self, file: Option<&str>, paint: Paint) -> Result<(), Refusal> {
        if !self.talk.is_empty() {
            paint.to_stderr(&self.talk);
        }
        if self.body.is_empty() {
            return Ok(());
        }
        let refuse = |target: String, error: io::Error| {
            Err(
                Refusal::new(&UNWRITABLE, format!("cannot write {target}: {error}"))
                    .hint("check that the place exists, may be written and has room"),
            )
        };
        match file {
            Some(file) => match fs::write(file, &self.body) {
                Ok(()) => Ok(()),
                Err(error) => refuse(format!("`{file}`"), error),
            },
            None => {
                let mut stdout = io::stdout().lock();
                match stdout
                    .write_all(self.body.as_bytes())
                    .and_then(|()| stdout.flush())
                {
                    Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                        refuse("standard output".into(), error)
                    }
                    _ => Ok(()),
                }
            }
        }
    }
}
