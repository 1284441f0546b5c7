//! Colour for messages on stderr. Diagnostics are plain text; this adds colour by their fixed shape and
//! takes nothing away, so they read the same without it.

use std::ffi::OsString;
use std::io::{self, IsTerminal, Write};

const RESET: &str = "\x1b[0m";
const BOLD: &str = "\x1b[1m";
const RED: &str = "\x1b[1;31m";
const YELLOW: &str = "\x1b[1;33m";
const BLUE: &str = "\x1b[1;34m";
const CYAN: &str = "\x1b[1;36m";

/// Whether to colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Paint(bool);

impl Paint {
    /// Decided before the arguments are parsed, since problems of parsing are coloured as well.
    pub(super) fn from_arguments(arguments: &[OsString]) -> Paint {
        let words: Vec<&str> = arguments.iter().filter_map(|word| word.to_str()).collect();
        let when = words
            .iter()
            .enumerate()
            .rev()
            .find_map(|(at, word)| match *word {
                "--color" => words.get(at + 1).copied(),
                word => word.strip_prefix("--color="),
            });
        Paint(match when {
            Some("always") => true,
            Some("never") => false,
            _ => {
                std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
                    && io::stderr().is_terminal()
            }
        })
    }

    /// Prints a message; a closed stderr is nobody listening, not an error.
    pub(super) fn to_stderr(self, message: &str) {
        let text = if self.0 {
            coloured(message)
        } else {
            message.to_string()
        };
        let _ = writeln!(io::stderr().lock(), "{}", text.trim_end());
    }
}

fn coloured(message: &str) -> String {
    message
        .lines()
        .map(coloured_line)
        .collect::<Vec<_>>()
        .join("\n")
}

fn coloured_line(line: &str) -> String {
    for (start, colour) in [("error[", RED), ("warning[", YELLOW)] {
        if let Some((head, message)) = line.split_once("]: ").filter(|_| line.starts_with(start)) {
            return format!("{colour}{head}]{RESET}{BOLD}: {message}{RESET}");
        }
    }
    let (margin, rest) = line.split_at(
        line.find(|c: char| !c.is_ascii_digit() && c != ' ')
            .unwrap_or(0),
    );
    if let Some(place) = rest.strip_prefix("--> ") {
        return format!("{BLUE}{margin}-->{RESET} {place}");
    }
    if let Some(code) = rest.strip_prefix('|') {
        let carets = code.trim_start().starts_with('^') && code.trim().bytes().all(|b| b == b'^');
        return match carets {
            true => format!("{BLUE}{margin}|{RED}{code}{RESET}"),
            false => format!("{BLUE}{margin}|{RESET}{code}"),
        };
    }
    for label in ["note:", "help:"] {
        if let Some(text) = rest
            .strip_prefix("= ")
            .and_then(|rest| rest.strip_prefix(label))
        {
            return format!("{BLUE}{margin}={RESET} {CYAN}{label}{RESET}{text}");
        }
    }
    line.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    const MESSAGE: &str = "error[RB0203]: subscript\n  --> a.c:12:9\n   |\n12 | y[i] ^ 1\n   | ^^^^\n   = help: h\n\nplain";

    #[test]
    fn colour_only_adds() {
        let mut bare = coloured(MESSAGE);
        for escape in [RESET, RED, YELLOW, BLUE, CYAN, BOLD] {
            bare = bare.replace(escape, "");
        }
        assert_eq!(bare, MESSAGE);
        assert!(coloured(MESSAGE).contains(&format!("{RED} ^^^^{RESET}")));
    }

    #[test]
    fn the_last_choice_wins() {
        let paint = |words: &[&str]| {
            let words: Vec<OsString> = words.iter().map(OsString::from).collect();
            Paint::from_arguments(&words)
        };
        assert_eq!(paint(&["redblue", "--color=always"]), Paint(true));
        assert_eq!(
            paint(&["redblue", "--color=always", "ir", "--color", "never"]),
            Paint(false)
        );
    }
}
