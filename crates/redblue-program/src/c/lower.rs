//! From the syntax tree to a program.
//!
//! ```text
//! statements ──walk──► drafts (domain, time, subscripts as affine values)   this file, loops, assign, operand
//!            ──flat──► subscripts of flat arrays split into rows and columns  flat
//!            ──emit──► Program (isl sets and maps)                            emit
//! ```
//!
//! The walk keeps the conditions under which the current place is reached (loop bounds and `if`s). Problems
//! are collected and the walk goes on; statements under a loop or condition that was not understood are
//! checked but left out. A size that turns out to be needed as a number (a stride, a divisor) is added to
//! [`Outcome::needs`], and the caller lowers again with that number.

mod assign;
mod bounds;
mod check;
mod draft;
mod emit;
mod flat;
mod loops;
mod operand;
mod scope;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use redblue_poly::{Context, Set};

use super::ast::{Expr, Function, Stmt, StmtKind, Unit};
use super::codes;
use super::inline::Inlines;
use super::integer::{self, Environment};
use super::obstacle::{Evaluated, Obstacle, Place};
use super::region::Region;
use super::usage::Usage;
use crate::affine::{Formula, Value, tuple_text};
use crate::diagnostic::{Diagnostic, SourceMap, Span};
use crate::program::Program;
use crate::reading::ReadOptions;
use draft::{ArrayDraft, StatementDraft, Time};
use scope::Scopes;

/// Everything lowering looks at.
pub(crate) struct Source<'a> {
    pub(crate) unit: &'a Unit,
    pub(crate) function: &'a Function,
    pub(crate) region: &'a Region<'a>,
    pub(crate) inlines: &'a Inlines,
    /// Integer macros with their values.
    pub(crate) sizes: &'a BTreeMap<String, i64>,
    /// Names given by the user that the preprocessor used.
    pub(crate) predefined: &'a BTreeSet<String>,
    pub(crate) sources: &'a SourceMap,
    pub(crate) options: &'a ReadOptions,
    /// Conditions on sizes: what they say and how they were written.
    pub(crate) assumptions: &'a [(Formula, String, Span)],
}

/// What lowering gives.
pub(crate) struct Outcome {
    pub(crate) program: Option<Program>,
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// Sizes that must be numbers, if lowering is to succeed.
    pub(crate) needs: BTreeSet<String>,
}

/// Lowers one function, with the sizes in `fixed` as numbers.
pub(crate) fn lower(source: &Source<'_>, fixed: &BTreeSet<String>, context: &Context) -> Outcome {
    let region = source.region;
    let mut usage = Usage::of(region.prelude.iter().copied().chain(region.statements));
    for variable in source
        .function
        .parameters
        .iter()
        .chain(&source.unit.globals)
    {
        usage.extents(variable);
    }
    usage.close();
    let assumed: Vec<Formula> = source.assumptions.iter().map(|(f, ..)| f.clone()).collect();
    let mut lowering = Lowering {
        source,
        fixed,
        context,
        usage,
        scopes: Scopes::default(),
        unsigned: BTreeSet::new(),
        arrays: Vec::new(),
        loops: Vec::new(),
        n_facts: assumed.len(),
        guards: assumed,
        positions: vec![0],
        broken: 0,
        statements: Vec::new(),
        seen: RefCell::new(Vec::new()),
        needs: BTreeSet::new(),
        diagnostics: Vec::new(),
    };
    lowering.declare_outside();
    lowering.statements(source.region.statements);
    lowering.emit()
}

/// A part that could not be lowered; the reason was reported.
struct Failed;

struct Lowering<'a> {
    source: &'a Source<'a>,
    fixed: &'a BTreeSet<String>,
    context: &'a Context,
    usage: Usage,
    scopes: Scopes,
    /// Names of unsigned integers.
    unsigned: BTreeSet<String>,
    arrays: Vec<ArrayDraft>,
    /// The loops around the current place.
    loops: Vec<Level>,
    /// The conditions under which the current place is reached, after facts that hold everywhere.
    guards: Vec<Formula>,
    /// How many of the guards are facts: assumptions, and that declared extents are not negative.
    n_facts: usize,
    /// For every loop depth, the position of the next statement or loop.
    positions: Vec<usize>,
    /// How many loops and conditions around the current place were not understood.
    broken: usize,
    statements: Vec<StatementDraft>,
    /// Sizes in the order in which they appear in the source.
    seen: RefCell<Vec<(String, Span)>>,
    needs: BTreeSet<String>,
    diagnostics: Vec<Diagnostic>,
}

/// A loop around the current place.
#[derive(Clone)]
struct Level {
    /// Its name as a dimension of domains.
    name: String,
    backwards: bool,
}

impl Lowering<'_> {
    fn statements(&mut self, statements: &[Stmt]) {
        statements
            .iter()
            .for_each(|statement| self.statement(statement, None));
    }

    fn statement(&mut self, statement: &Stmt, label: Option<&str>) {
        match &statement.kind {
            StmtKind::Empty | StmtKind::Broken => {}
            StmtKind::Block(inner) => {
                self.scopes.open();
                self.statements(inner);
                self.scopes.close();
            }
            StmtKind::Expr(expr) => self.effect(expr, label),
            StmtKind::Declare(variables) => {
                variables
                    .iter()
                    .for_each(|variable| self.declare_inside(variable));
            }
            StmtKind::For(loop_) => self.for_loop(loop_),
            StmtKind::If(condition, then, otherwise) => {
                self.conditional(condition, then, otherwise.as_deref());
            }
            StmtKind::Label(name, inner) => self.statement(inner, Some(name)),
            StmtKind::Return(value) => self.return_statement(statement, value.as_ref()),
            StmtKind::Scop | StmtKind::EndScop => {
                let message = "`#pragma scop` and `#pragma endscop` must stand in the same block";
                self.problem(
                    Diagnostic::error(&codes::SCOP, message)
                        .at(statement.span)
                        .hint("put both around the outermost loops"),
                );
            }
            StmtKind::Unsupported(word, inner) => {
                self.unsupported(word, statement.span);
                self.broken += 1;
                self.scopes.open();
                inner.iter().for_each(|inner| self.statement(inner, None));
                self.scopes.close();
                self.broken -= 1;
            }
        }
    }

    fn unsupported(&mut self, word: &str, span: Span) {
        let advice = match word {
            "while" | "do" => "write a `for` loop whose bounds are affine",
            "break" | "continue" => "put the condition into the bounds or an affine `if`",
            "switch" => "write affine `if`s",
            _ => "write loops and affine `if`s",
        };
        let head = Span {
            end: span.start + word.len() as u32,
            ..span
        };
        let problem = Diagnostic::error(&codes::CONTROL_FLOW, format!("`{word}` is not supported"))
            .at(head)
            .note("which statements run must be known before the program runs")
            .hint(advice);
        self.problem(problem);
    }

    fn conditional(&mut self, condition: &Expr, then: &Stmt, otherwise: Option<&Stmt>) {
        let formula = match integer::condition(condition, self) {
            Ok(formula) => Some(formula),
            Err(obstacle) => {
                self.refuse(&obstacle, Place::Condition);
                None
            }
        };
        let before = self.scopes.clone();
        let branches = [
            (Some(then), formula.clone()),
            (otherwise, formula.map(|formula| formula.negated())),
        ];
        for (branch, guard) in branches {
            let Some(branch) = branch else { continue };
            self.broken += usize::from(guard.is_none());
            let depth = self.guards.len();
            self.guards.extend(guard.clone());
            self.scopes.open();
            self.statement(branch, None);
            self.scopes.close();
            self.guards.truncate(depth);
            self.broken -= usize::from(guard.is_none());
            self.scopes = before.clone();
        }
        // What one branch sets is not known afterwards.
        for branch in [Some(then), otherwise].into_iter().flatten() {
            self.forget_assigned(branch);
        }
    }

    /// Integer variables that a statement sets are not known before and after it.
    fn forget_assigned(&mut self, statement: &Stmt) {
        let usage = Usage::of([statement]);
        for name in usage.assigned.iter().chain(&usage.data) {
            self.scopes.forget(name);
        }
    }

    /// A problem that leaves something out.
    fn problem(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    /// An integer expression without value: either some sizes must be numbers, or it is a problem.
    fn refuse(&mut self, obstacle: &Obstacle, place: Place) {
        if !self.fix_sizes(obstacle) {
            self.problem(obstacle.report(place));
        }
    }

    /// Asks for numbers in place of sizes, if that removes the obstacle and the numbers are known.
    fn fix_sizes(&mut self, obstacle: &Obstacle) -> bool {
        let fix = obstacle.sizes_to_fix();
        let helps = !fix.is_empty() && fix.iter().all(|name| self.number_of(name).is_some());
        if helps {
            self.needs.extend(fix);
        }
        helps
    }

    /// The number a size has, from the command line or the source.
    fn number_of(&self, name: &str) -> Option<i64> {
        let given = self.source.options.defines.get(name);
        given
            .or_else(|| self.source.sizes.get(name))
            .copied()
            .or_else(|| scope::global_number(self.source.unit, name))
    }

    /// Notes that a size appears in the source.
    fn see(&self, name: &str, span: Span) {
        let mut seen = self.seen.borrow_mut();
        if seen.iter().all(|(known, _)| known != name) {
            seen.push((name.to_string(), span));
        }
    }

    /// The next moment in program order at the current place.
    fn next_time(&mut self) -> Vec<Time> {
        let mut time = Vec::new();
        for (depth, level) in self.loops.iter().enumerate() {
            // The position of an open loop was counted when it was entered.
            time.push(Time::Position(self.positions[depth] - 1));
            time.push(Time::Loop {
                depth,
                backwards: level.backwards,
            });
        }
        let last = self.positions.len() - 1;
        time.push(Time::Position(self.positions[last]));
        self.positions[last] += 1;
        time
    }
}

impl Environment for Lowering<'_> {
    fn resolve(&self, name: &str, span: Span) -> Evaluated<Value> {
        self.integer_named(name, span)
    }

    fn proves(&self, condition: &Formula) -> bool {
        let mut all = self.guards.clone();
        all.push(condition.negated());
        is_empty(self.context, &Formula::all(all), self.loops.len())
    }

    fn inlined(&self, call: &Expr, name: &str, arguments: &[Expr]) -> Option<Expr> {
        self.source.inlines.apply(name, arguments, call.span)
    }
}

/// Whether no point of this many dimensions satisfies the formula, for any sizes. `false` if that cannot be
/// decided within isl's budget.
fn is_empty(context: &Context, formula: &Formula, dims: usize) -> bool {
    match formula {
        Formula::True => return false,
        Formula::False => return true,
        _ => {}
    }
    let mut sizes = BTreeSet::new();
    formula.collect_parameters(&mut sizes);
    let names: Vec<String> = (0..dims).map(|depth| format!("i{depth}_")).collect();
    let sizes: Vec<String> = sizes.into_iter().collect();
    let text = format!(
        "{} -> {{ {} : {} }}",
        tuple_text("", &sizes),
        tuple_text("", &names),
        formula.text(&names)
    );
    Set::parse(context, &text)
        .and_then(|set| set.is_empty())
        .unwrap_or(false)
}
