//! Progress of long runs on standard error: one line that is written again and again on a terminal, lines one
//! after the other elsewhere if `--progress` asks for them.

use std::io::{self, IsTerminal, Write};

use super::request::Request;

/// Where progress is shown.
pub(super) struct ProgressLine {
    style: Style,
    shown: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Style {
    Hidden,
    /// The line is replaced.
    Terminal,
    /// Lines follow each other.
    Lines,
}

impl ProgressLine {
    /// Shown if standard error is a terminal or the request asks for it.
    pub(super) fn new(request: &Request<'_>) -> ProgressLine {
        let style = match (io::stderr().is_terminal(), request.has("progress")) {
            (true, _) => Style::Terminal,
            (false, true) => Style::Lines,
            (false, false) => Style::Hidden,
        };
        ProgressLine {
            style,
            shown: false,
        }
    }

    /// Whether anybody can see it.
    pub(super) fn is_visible(&self) -> bool {
        self.style != Style::Hidden
    }

    /// Shows how far the run is. That standard error is gone is no reason to stop.
    pub(super) fn show(&mut self, line: &str) {
        let mut stderr = io::stderr().lock();
        let _ = match self.style {
            Style::Hidden => Ok(()),
            Style::Terminal => write!(stderr, "\r\x1b[K{line}"),
            Style::Lines => writeln!(stderr, "{line}"),
        };
        self.shown = true;
    }

    /// Removes the line from a terminal.
    pub(super) fn clear(&mut self) {
        if self.shown && self.style == Style::Terminal {
            let _ = write!(io::stderr().lock(), "\r\x1b[K");
        }
        self.shown = false;
    }
}
