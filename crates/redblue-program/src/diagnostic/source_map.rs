//! The texts that spans point into.

use super::Span;

/// The files of one input: the source itself, its headers, and texts given on the command line.
#[derive(Clone, Debug, Default)]
pub struct SourceMap {
    files: Vec<SourceFile>,
}

#[derive(Clone, Debug)]
struct SourceFile {
    name: String,
    text: String,
}

/// A place as people count: lines and columns from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Location {
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
}

impl SourceMap {
    /// An empty map.
    pub fn new() -> SourceMap {
        SourceMap::default()
    }

    /// Adds a text and returns the file index that its spans carry.
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<String>) -> u32 {
        self.files.push(SourceFile {
            name: name.into(),
            text: text.into(),
        });
        (self.files.len() - 1) as u32
    }

    /// Name of a file; empty if there is no such file.
    pub fn name(&self, file: u32) -> &str {
        self.files
            .get(file as usize)
            .map_or("", |f| f.name.as_str())
    }

    /// The whole text of a file; empty if there is no such file.
    pub fn file_text(&self, file: u32) -> &str {
        self.files
            .get(file as usize)
            .map_or("", |f| f.text.as_str())
    }

    /// The text of a span; empty if the span lies outside its file.
    pub fn text(&self, span: Span) -> &str {
        self.file_text(span.file)
            .get(span.start as usize..span.end as usize)
            .unwrap_or("")
    }

    /// The span's text on one line, runs of white space as one blank.
    pub fn one_line(&self, span: Span) -> String {
        let words: Vec<&str> = self.text(span).split_whitespace().collect();
        words.join(" ")
    }

    /// Line and column of the first byte of a span.
    pub fn location(&self, span: Span) -> Location {
        let text = self.file_text(span.file);
        let before = &text[..floor_boundary(text, span.start as usize)];
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        Location {
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
        }
    }

    /// The line a span starts on, without its end, and the span's part of it as byte offsets.
    pub(super) fn line_of(&self, span: Span) -> (&str, usize, usize) {
        let text = self.file_text(span.file);
        let start = floor_boundary(text, span.start as usize);
        let end = floor_boundary(text, span.end as usize).max(start);
        let line_start = text[..start].rfind('\n').map_or(0, |at| at + 1);
        let line_end = text[start..].find('\n').map_or(text.len(), |at| start + at);
        let line = text[line_start..line_end].trim_end_matches('\r');
        let clip = |at: usize| (at - line_start).min(line.len());
        (line, clip(start), clip(end))
    }
}

/// The largest character boundary not above `at`.
fn floor_boundary(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}
