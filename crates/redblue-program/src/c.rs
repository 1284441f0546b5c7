//! The C front end: one function of a C file as a program.
//!
//! ```text
//! text ─► tokens ─► preprocess ─► parser ─► select, region ─► lower ─► Program
//!         lexer     macros kept    ast                        affine values, isl
//!                   as sizes
//! ```
//!
//! No compiler is needed and no file is read: the caller passes the text and a function that loads included
//! files. All problems of the analysed function are reported, with a place in the source, and reading goes
//! on after each. What cannot be understood exactly is left out of the program, never approximated.
//!
//! Integer macros (`#define N 1000`), integer parameters and global integers that occur in bounds,
//! conditions, subscripts or extents are the sizes of the program. A size that is needed as a number (a
//! stride, a divisor) takes the value given by the user or the source.

mod ast;
pub(crate) mod codes;
mod inline;
mod integer;
mod lexer;
mod lower;
mod obstacle;
mod parser;
mod preprocess;
mod region;
mod select;
mod token;
mod usage;

use std::collections::{BTreeMap, BTreeSet};

use redblue_poly::Context;

use crate::assume;
use crate::diagnostic::{Diagnostic, SourceMap, Span};
use crate::program::Program;
use crate::reading::{ReadOptions, Reading};
use lower::{Outcome, Source};
use preprocess::{Preprocessed, Settings};

pub(crate) use ast::{Expr, ExprKind};
pub(crate) use integer::{Environment, condition, is_comparison};
pub(crate) use lexer::lex;
pub(crate) use obstacle::{Evaluated, Place};
pub(crate) use parser::whole_expression;
pub(crate) use token::{Token, TokenKind};

/// Larger texts are no kernels, and spans count bytes in 32 bits.
const MAX_TEXT: usize = 64 << 20;

/// A C file.
#[derive(Clone, Debug)]
pub struct CInput<'a> {
    /// Its name, as messages show it; included files are searched next to it.
    pub name: &'a str,
    /// Its text.
    pub text: &'a str,
}

/// Reads one function of a C file. `load` gives the text of an included file by its path.
///
/// ```
/// use redblue_program::c::{self, CInput};
/// use redblue_program::reading::ReadOptions;
///
/// let text = "void axpy(int n, double a, double x[n], double y[n]) {
///     for (int i = 0; i < n; i++) y[i] += a * x[i];
/// }";
/// let input = CInput { name: "axpy.c", text };
/// let reading = c::read(&input, &ReadOptions::default(), &|_| None);
/// let program = reading.program.expect("understood");
/// assert_eq!(program.params[0].name, "n");
/// assert_eq!(program.statements[0].domain.to_string(), "[n] -> { S0[i] : 0 <= i < n }");
/// ```
pub fn read(
    input: &CInput<'_>,
    options: &ReadOptions,
    load: &dyn Fn(&str) -> Option<String>,
) -> Reading {
    let mut reader = Reader {
        options,
        sources: SourceMap::new(),
        diagnostics: Vec::new(),
    };
    let mut program = if input.text.len() > MAX_TEXT {
        let problem = Diagnostic::error(&codes::LIMIT, "the file is too large");
        reader.diagnostics.push(problem);
        None
    } else {
        reader.read(input, load)
    };
    let Reader {
        sources,
        mut diagnostics,
        ..
    } = reader;
    diagnostics.sort_by_key(|d| d.span.map_or((1, None), |span| (0, Some(span))));
    diagnostics.dedup();
    if let Some(program) = &mut program {
        program.omitted = diagnostics
            .iter()
            .filter(|d| d.is_error())
            .cloned()
            .collect();
    }
    Reading {
        program,
        diagnostics,
        sources,
    }
}

struct Reader<'a> {
    options: &'a ReadOptions,
    sources: SourceMap,
    diagnostics: Vec<Diagnostic>,
}

impl Reader<'_> {
    fn read(
        &mut self,
        input: &CInput<'_>,
        load: &dyn Fn(&str) -> Option<String>,
    ) -> Option<Program> {
        let (preprocessed, predefined) = self.preprocess(input, load);
        let (unit, typedefs) = parser::unit(&preprocessed.tokens, &mut self.diagnostics);
        let wanted = self.options.function.as_deref();
        let function = match select::select(&unit, wanted) {
            Ok(function) => function,
            Err(problem) => {
                // After a syntax error, a function that is missing is no news.
                if self.diagnostics.is_empty() {
                    self.diagnostics.push(problem);
                }
                return None;
            }
        };
        let tokens = &preprocessed.tokens[function.body.clone()];
        let body = parser::body(tokens, &typedefs, &mut self.diagnostics);
        let region = region::Region::of(&body, &mut self.diagnostics);
        let inlines = inline::Inlines::of(&unit, &preprocessed.tokens, &typedefs);
        let assumed: Vec<(String, Span)> = self.assumption_texts(&unit.assumptions);
        let context = match Context::new() {
            Ok(context) => context,
            Err(error) => {
                let problem = Diagnostic::error(&codes::LIMIT, error.to_string());
                self.diagnostics.push(problem);
                return None;
            }
        };
        let mut fixed: BTreeSet<String> = preprocessed.decisive.clone();
        loop {
            let mut problems = Vec::new();
            let numbers = self.numbers(&fixed, &preprocessed.sizes);
            let assumptions = parse_assumptions(&assumed, &numbers, &mut problems);
            let source = Source {
                unit: &unit,
                function,
                region: &region,
                inlines: &inlines,
                sizes: &preprocessed.sizes,
                predefined: &predefined,
                sources: &self.sources,
                options: self.options,
                assumptions: &assumptions,
            };
            let Outcome {
                program,
                diagnostics,
                needs,
            } = lower::lower(&source, &fixed, &context);
            let before = fixed.len();
            fixed.extend(needs);
            if fixed.len() == before {
                self.diagnostics.extend(problems);
                self.diagnostics.extend(diagnostics);
                return program;
            }
        }
    }

    /// Preprocesses until it is known which integer macros can stay names.
    fn preprocess(
        &mut self,
        input: &CInput<'_>,
        load: &dyn Fn(&str) -> Option<String>,
    ) -> (Preprocessed, BTreeSet<String>) {
        let (mut predefined, mut expanded) = (BTreeSet::new(), BTreeSet::new());
        loop {
            let mut sources = SourceMap::new();
            let mut diagnostics = Vec::new();
            let file = sources.add(input.name, input.text);
            let settings = Settings {
                include_dirs: &self.options.include_dirs,
                load,
                defines: &self.options.defines,
                predefined: &predefined,
                expanded: &expanded,
            };
            let result = preprocess::preprocess(file, &settings, &mut sources, &mut diagnostics);
            let before = predefined.len() + expanded.len();
            expanded.extend(result.varying.iter().cloned());
            // -D MINI_DATASET=1 is for the preprocessor if the source asks for it and never defines it.
            let asked =
                |name: &&String| result.tested.contains(*name) && !result.sizes.contains_key(*name);
            predefined.extend(self.options.defines.keys().filter(asked).cloned());
            if predefined.len() + expanded.len() == before {
                self.sources = sources;
                self.diagnostics = diagnostics;
                return (result, predefined);
            }
        }
    }

    fn assumption_texts(&mut self, pragmas: &[(String, Span)]) -> Vec<(String, Span)> {
        let mut all = pragmas.to_vec();
        for text in &self.options.assumptions {
            all.push((text.clone(), assume::place(text, &mut self.sources)));
        }
        all
    }

    fn numbers(
        &self,
        fixed: &BTreeSet<String>,
        sizes: &BTreeMap<String, i64>,
    ) -> BTreeMap<String, i64> {
        let number = |name: &String| {
            let given = self.options.defines.get(name).or_else(|| sizes.get(name));
            given.map(|value| (name.clone(), *value))
        };
        fixed.iter().filter_map(number).collect()
    }
}

fn parse_assumptions(
    texts: &[(String, Span)],
    numbers: &BTreeMap<String, i64>,
    problems: &mut Vec<Diagnostic>,
) -> Vec<(crate::affine::Formula, String, Span)> {
    let mut formulas = Vec::new();
    for (text, span) in texts {
        match assume::parse(text, *span, numbers) {
            Ok(formula) => formulas.push((formula, text.clone(), *span)),
            Err(problem) => problems.push(problem),
        }
    }
    formulas
}
