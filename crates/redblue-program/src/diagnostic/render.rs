//! Diagnostics as text:
//!
//! ```text
//! error[RB0203]: subscript depends on data
//!   --> spmv.c:12:9
//!    |
//! 12 |     y[i] += a[j] * x[col[j]];
//!    |                      ^^^^^^
//!    = note: the cell must be known from loop variables and sizes alone
//!    = help: ...
//! ```
//!
//! Plain text without colour; a tab counts as four blanks.

use std::fmt::Write;

use super::{Diagnostic, Severity, SourceMap};

/// Carets beyond this column say nothing more.
const MAX_LINE: usize = 160;

impl SourceMap {
    /// One diagnostic as text that ends with a newline.
    pub fn render(&self, diagnostic: &Diagnostic) -> String {
        let mut out = String::new();
        let severity = match diagnostic.severity {
            Severity::Warning => "warning",
            Severity::Error => "error",
        };
        let mut margin = 2;
        let _ = writeln!(
            out,
            "{severity}[{}]: {}",
            diagnostic.code, diagnostic.message
        );
        if let Some(span) = diagnostic.span {
            let place = self.location(span);
            let number = place.line.to_string();
            margin = number.len();
            let (line, start, end) = self.line_of(span);
            let (shown, skip, width) = excerpt(line, start, end);
            let pad = " ".repeat(margin);
            let _ = writeln!(
                out,
                "{pad}--> {}:{}:{}",
                self.name(span.file),
                place.line,
                place.column
            );
            let _ = writeln!(out, "{pad} |");
            let _ = writeln!(out, "{number} | {shown}");
            let _ = writeln!(out, "{pad} | {}{}", " ".repeat(skip), "^".repeat(width));
        }
        let pad = " ".repeat(margin);
        for note in &diagnostic.notes {
            let _ = writeln!(out, "{pad} = note: {note}");
        }
        if let Some(hint) = &diagnostic.hint {
            let _ = writeln!(out, "{pad} = help: {hint}");
        }
        out
    }

    /// All diagnostics, with an empty line between two.
    pub fn render_all(&self, diagnostics: &[Diagnostic]) -> String {
        let texts: Vec<String> = diagnostics.iter().map(|d| self.render(d)).collect();
        texts.join("\n")
    }
}

/// The line as shown, the columns before the caret, and the number of carets (at least one).
fn excerpt(line: &str, start: usize, end: usize) -> (String, usize, usize) {
    let shown: String = printable(line).chars().take(MAX_LINE).collect();
    let skip = printable(&line[..start]).chars().count().min(MAX_LINE);
    let marked = printable(&line[start..end]).trim_end().chars().count();
    let width = marked.min(MAX_LINE - skip).max(1);
    (shown.trim_end().to_string(), skip, width)
}

/// Tabs as blanks, and no control characters that would disturb a terminal.
fn printable(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '\t' => out.push_str("    "),
            c if c.is_control() => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::{Code, Diagnostic, SourceMap, Span};

    static TRIAL: Code = Code {
        id: "RB0100",
        title: "trial",
        explanation: "",
        example: "",
    };

    fn check(text: &str, start: u32, end: u32, expected: &str) {
        let mut sources = SourceMap::new();
        let file = sources.add("a.c", text);
        let diagnostic = Diagnostic::error(&TRIAL, "m")
            .at(Span { file, start, end })
            .note("n")
            .hint("h");
        assert_eq!(sources.render(&diagnostic), expected);
    }

    #[test]
    fn caret_under_the_span() {
        check(
            "int a;\n\tb = 1;\n",
            8,
            9,
            "error[RB0100]: m\n --> a.c:2:2\n  |\n2 |     b = 1;\n  |     ^\n  = note: n\n  = help: h\n",
        );
    }

    #[test]
    fn spans_outside_the_text_and_inside_characters_do_not_panic() {
        check(
            "é\u{1}",
            1,
            900,
            "error[RB0100]: m\n --> a.c:1:1\n  |\n1 | é\u{fffd}\n  | ^^\n  = note: n\n  = help: h\n",
        );
    }
}
