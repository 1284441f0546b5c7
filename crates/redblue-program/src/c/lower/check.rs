//! Names that users gave: sizes, assumptions and outputs must exist, and sizes must not clash with formulas.

use std::collections::BTreeSet;

use super::Lowering;
use crate::affine::is_isl_word;
use crate::diagnostic::{Diagnostic, codes};
use crate::program::Param;
use crate::suggest;

impl Lowering<'_> {
    /// Checks the sizes of the program against everything that names them.
    pub(super) fn check_sizes(&mut self, params: &[Param]) {
        for param in params {
            self.check_reserved(&param.name);
        }
        // Sizes of statements that were left out are not known, so complaints would be noise.
        if self.diagnostics.is_empty() {
            let known: Vec<&str> = params.iter().map(|p| p.name.as_str()).collect();
            self.check_defines(&known);
            self.check_assumptions(&known);
        }
    }

    fn check_reserved(&mut self, name: &str) {
        let meaning = match name {
            "S" => "the size of the fast memory",
            "p" => "the number of processors",
            _ if is_isl_word(name) => "a function or operator",
            _ => return,
        };
        let message = format!("a size cannot be called `{name}`");
        let mut problem = Diagnostic::error(&codes::RESERVED_SIZE, message)
            .note(format!("in formulas `{name}` is {meaning}"))
            .hint(format!("rename it, for example to `{name}_size`"));
        let seen = self.seen.borrow();
        let place = seen.iter().find(|(seen, _)| seen == name);
        problem.span = place.map(|(_, span)| *span);
        drop(seen);
        self.problem(problem);
    }

    /// Sizes given with -D.
    fn check_defines(&mut self, known: &[&str]) {
        let source = self.source;
        for name in source.options.defines.keys() {
            let is_parameter = source.function.parameters.iter().any(|p| p.name == *name);
            let is_known = is_parameter
                || known.contains(&name.as_str())
                || self.fixed.contains(name)
                || source.sizes.contains_key(name)
                || source.predefined.contains(name);
            if !is_known {
                let message = format!("the program has no size `{name}`");
                let problem = Diagnostic::error(&codes::UNKNOWN_SIZE, message)
                    .note(list("its sizes are", known))
                    .hint("give only sizes of the program")
                    .hint_if(suggest::did_you_mean(name, known.iter().copied()));
                self.problem(problem);
            }
        }
    }

    fn check_assumptions(&mut self, known: &[&str]) {
        for (formula, text, span) in self.source.assumptions {
            let mut named = BTreeSet::new();
            formula.collect_parameters(&mut named);
            if let Some(name) = named.iter().find(|name| !known.contains(&name.as_str())) {
                let message = format!("`{text}` is about `{name}`, which is no size here");
                let problem = Diagnostic::error(&codes::BAD_ASSUMPTION, message)
                    .at(*span)
                    .note(list("the sizes of the program are", known))
                    .hint("assume something about these")
                    .hint_if(suggest::did_you_mean(name, known.iter().copied()));
                self.problem(problem);
            }
        }
    }

    /// Arrays given with --outputs, against those that are written (as indices of drafts).
    pub(super) fn check_outputs(&mut self, written: &BTreeSet<usize>) {
        let names: Vec<&str> = written
            .iter()
            .map(|at| self.arrays[*at].name.as_str())
            .collect();
        let wanted = self.source.options.outputs.iter().flatten();
        let problems: Vec<Diagnostic> = wanted
            .filter(|name| !names.contains(&name.as_str()))
            .map(|name| {
                let message = format!("the program writes no array `{name}`");
                Diagnostic::error(&codes::UNKNOWN_OUTPUT, message)
                    .note(list("it writes", &names))
                    .hint("outputs are arrays that the program writes")
                    .hint_if(suggest::did_you_mean(name, names.iter().copied()))
            })
            .collect();
        self.diagnostics.extend(problems);
    }
}

/// A sentence that lists names.
fn list(start: &str, names: &[&str]) -> String {
    match names {
        [] => format!("{start} none"),
        names => format!("{start} {}", names.join(", ")),
    }
}
