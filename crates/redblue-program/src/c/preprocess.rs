//! The preprocessor: directives obeyed, macros expanded, sizes kept as names.
//!
//! ```text
//! text ──lex──► tokens ──directives, macros──► tokens + integer macros (sizes)
//! ```
//!
//! Unlike a compiler's, it does not expand `#define N 1000`: `N` stays a name and becomes a size of the
//! program with default 1000. Tokens out of macro bodies carry the place where the macro is used, so that
//! messages point into what the user wrote. System headers are skipped.

mod condition;
mod directives;
mod expand;
mod polybench;

use std::collections::{BTreeMap, BTreeSet};

use super::codes;
use super::lexer::lex;
use super::token::Token;
use crate::diagnostic::{Diagnostic, SourceMap, Span};
use expand::{Expander, Macro};

/// Included files inside included files.
const MAX_INCLUDE_DEPTH: usize = 32;
/// Files read in all, so that headers that include each other twice end soon.
const MAX_FILES: usize = 256;

/// What the preprocessor is told.
pub(crate) struct Settings<'a> {
    /// Folders for `#include`.
    pub(crate) include_dirs: &'a [String],
    /// Gives the text of a file.
    pub(crate) load: &'a dyn Fn(&str) -> Option<String>,
    /// Values of sizes given by the user; they override `#define`.
    pub(crate) defines: &'a BTreeMap<String, i64>,
    /// Names among `defines` that the source asks for with `#ifdef`: macros from the start.
    pub(crate) predefined: &'a BTreeSet<String>,
    /// Integer macros that must be expanded, because they have several values.
    pub(crate) expanded: &'a BTreeSet<String>,
}

/// What the preprocessor found.
#[derive(Default)]
pub(crate) struct Preprocessed {
    /// The tokens of the translation unit.
    pub(crate) tokens: Vec<Token>,
    /// Integer macros that stand in `tokens` as names, with the values the source gives.
    pub(crate) sizes: BTreeMap<String, i64>,
    /// Integer macros that were redefined with another value.
    pub(crate) varying: BTreeSet<String>,
    /// Integer macros whose value decided an `#if`.
    pub(crate) decisive: BTreeSet<String>,
    /// Names that `#ifdef` or `defined` asked for.
    pub(crate) tested: BTreeSet<String>,
}

/// Preprocesses one file that is already in `sources`.
pub(crate) fn preprocess(
    file: u32,
    settings: &Settings<'_>,
    sources: &mut SourceMap,
    diagnostics: &mut Vec<Diagnostic>,
) -> Preprocessed {
    let mut preprocessor = Preprocessor {
        settings,
        sources,
        diagnostics,
        macros: Expander::default(),
        result: Preprocessed::default(),
        withdrawn: BTreeSet::new(),
        files: 1,
    };
    for name in settings.predefined {
        let value = settings.defines.get(name).copied().unwrap_or(1);
        preprocessor.macros.define(name, Macro::number(value));
    }
    // PolyBench chooses between `n` and `N` for loop bounds; the latter is the name users know.
    preprocessor
        .macros
        .define(polybench::SIZES_AS_BOUNDS, Macro::number(1));
    preprocessor.file(file, 0);
    preprocessor.result
}

struct Preprocessor<'a> {
    settings: &'a Settings<'a>,
    sources: &'a mut SourceMap,
    diagnostics: &'a mut Vec<Diagnostic>,
    macros: Expander,
    result: Preprocessed,
    /// Sizes that `#undef` took back; they stay sizes where they were used before.
    withdrawn: BTreeSet<String>,
    files: usize,
}

/// One `#if` … `#endif` being read.
struct Conditional {
    /// Where the `#if` stands.
    opened: Span,
    /// Whether the group being read is taken.
    active: bool,
    /// Whether some group was already taken.
    taken: bool,
    /// Whether `#else` was seen.
    last: bool,
}

impl Preprocessor<'_> {
    fn file(&mut self, file: u32, depth: usize) {
        let text = self.sources.file_text(file).to_string();
        let tokens = lex(file, &text, self.diagnostics);
        let mut conditionals: Vec<Conditional> = Vec::new();
        let mut at = 0;
        while at < tokens.len() {
            let is_directive = |t: &Token| t.first_on_line && t.is("#");
            if is_directive(&tokens[at]) {
                let end = end_of(&tokens, at + 1, |t| t.first_on_line);
                self.directive(&tokens[at], &tokens[at + 1..end], &mut conditionals, depth);
                at = end;
            } else {
                let end = end_of(&tokens, at, is_directive);
                if conditionals.iter().all(|c| c.active) {
                    let run = tokens[at..end].to_vec();
                    let expanded = self.macros.expand(run, self.diagnostics);
                    self.result.tokens.extend(expanded);
                }
                at = end;
            }
        }
        for open in conditionals {
            self.report(open.opened, "this #if has no #endif", "add #endif");
        }
    }

    fn report(&mut self, span: Span, message: impl Into<String>, hint: &str) {
        self.diagnostics.push(
            Diagnostic::error(&codes::DIRECTIVE, message)
                .at(span)
                .hint(hint),
        );
    }

    /// `#define` for a name: an integer becomes a size, anything else a macro.
    fn define(&mut self, name: &str, definition: Macro, span: Span) {
        let Some(written) = definition.as_size() else {
            if self.result.sizes.remove(name).is_some() {
                self.result.varying.insert(name.to_string());
            }
            self.macros.define(name, definition);
            return;
        };
        self.withdrawn.remove(name);
        let given = self.settings.defines.get(name);
        let is_other = |old: &i64| *old != written && given.is_none();
        if self.result.sizes.get(name).is_some_and(is_other) {
            self.result.varying.insert(name.to_string());
        }
        // Zero is no size but PolyBench's padding, or a switch.
        let is_size = given.is_some() || written != 0;
        if is_size && !self.settings.expanded.contains(name) {
            self.macros.remove(name);
            self.result.sizes.insert(name.to_string(), written);
        } else {
            self.macros.define(name, Macro::number(written).at(span));
        }
    }

    fn include(&mut self, name: &str, quoted: bool, span: Span, depth: usize) {
        let own = self.sources.name(span.file);
        let own_dir = own.rfind('/').map_or("", |at| &own[..at]).to_string();
        let dirs = quoted
            .then_some(&own_dir)
            .into_iter()
            .chain(self.settings.include_dirs);
        for dir in dirs {
            let path = match dir.as_str() {
                "" => name.to_string(),
                dir => format!("{}/{name}", dir.trim_end_matches('/')),
            };
            if let Some(text) = (self.settings.load)(&path) {
                return self.enter(path, text, span, depth);
            }
        }
        if name == polybench::HEADER {
            let text = polybench::STAND_IN.to_string();
            return self.enter(name.to_string(), text, span, depth);
        }
        if quoted {
            self.diagnostics.push(
                Diagnostic::error(&codes::INCLUDE, format!("include file `{name}` not found"))
                    .at(span)
                    .hint("give the folder it is in with -I"),
            );
        }
    }

    fn enter(&mut self, path: String, text: String, span: Span, depth: usize) {
        if depth >= MAX_INCLUDE_DEPTH || self.files >= MAX_FILES {
            self.diagnostics.push(
                Diagnostic::error(&codes::LIMIT, "too many included files")
                    .at(span)
                    .hint("a header without an include guard may include itself"),
            );
            return;
        }
        self.files += 1;
        let file = self.sources.add(path, text);
        self.file(file, depth + 1);
    }
}

/// The first index from `start` on whose token satisfies the condition, or the end.
fn end_of(tokens: &[Token], start: usize, stop: impl Fn(&Token) -> bool) -> usize {
    tokens[start..]
        .iter()
        .position(stop)
        .map_or(tokens.len(), |at| start + at)
}
