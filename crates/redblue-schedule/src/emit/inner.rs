//! Innermost loops of fast C: what a loop does not change is read once, a cell that it only updates is a
//! variable meanwhile, and independent iterations are promised.
//!
//! ```text
//! for (k = 0; k < j; k++)                        if (0 < j) {
//!     A[i][j] -= A[i][k] * A[j][k];     ──►          double A_2 = A[i][j];
//!                                                    for (k = 0; k < j; k++) A_2 -= …;
//!                                                    A[i][j] = A_2;
//!                                                }
//! ```
//!
//! The operations and their order stay the same. That no other operand is in the cell is proved with isl.

use std::collections::BTreeMap;

use redblue_poly::scan::{Call, Expr, Loop, Node};
use redblue_program::{Access, ArrayId, ElementType};

use super::Result;
use super::c::Printer;
use super::names;
use super::plan::visit_expr;

/// The word of OpenMP before a loop.
pub(super) const OPENMP: &str = "#pragma omp parallel for";

/// What a loop tells the compiler about its iterations.
pub(super) enum Promise {
    /// Nothing.
    None,
    /// That they are independent.
    Independent,
    /// That threads share them.
    OpenMp,
}

/// The words of a loop.
pub(super) struct LoopText {
    /// `for (…)`.
    pub(super) head: String,
    /// The declaration of its end, if that has a name.
    pub(super) end: Option<String>,
    /// The condition that it has iterations, for loops that count up.
    pub(super) runs: Option<String>,
}

impl Printer<'_> {
    /// A loop of assignments only.
    pub(super) fn innermost(&mut self, at: &Loop, text: &LoopText, promise: Promise) -> Result<()> {
        let mut held = self.held(at)?;
        let total = self.total(at, text, &held)?;
        let (before, inside): (Vec<&Held>, Vec<&Held>) = held.iter().partition(|h| h.invariant);
        let block = !before.is_empty() || text.end.is_some();
        if block {
            self.line("{");
            self.depth += 1;
        }
        for held in before {
            self.line(&held.declaration());
        }
        if let Some(end) = &text.end {
            self.line(end);
        }
        let inside: Vec<String> = inside.into_iter().map(Held::declaration).collect();
        if let (Some(total), Some(runs)) = (&total, &text.runs) {
            self.line(&format!("if ({runs}) {{"));
            self.depth += 1;
            self.line(&format!(
                "{} {} = {};",
                total.element, total.name, total.cell
            ));
        }
        match promise {
            Promise::None => {}
            Promise::Independent => {
                self.promises = true;
                self.line("INDEPENDENT");
            }
            Promise::OpenMp => self.line(OPENMP),
        }
        let after = total.as_ref().map(|t| format!("{} = {};", t.cell, t.name));
        held.extend(total);
        let braces = at.body.len() > 1 || !inside.is_empty();
        self.line(&format!("{}{}", text.head, if braces { " {" } else { "" }));
        self.depth += 1;
        inside.iter().for_each(|line| self.line(line));
        for node in &at.body {
            if let Node::Call(call) = node {
                let text = self.assignment(call, &held)?;
                self.line(&text);
            }
        }
        self.depth -= 1;
        if braces {
            self.line("}");
        }
        if let Some(after) = after {
            self.line(&after);
            self.depth -= 1;
            self.line("}");
        }
        if block {
            self.depth -= 1;
            self.line("}");
        }
        Ok(())
    }

    /// The one cell that all iterations update, if no other operand can be in it.
    fn total(&self, at: &Loop, text: &LoopText, held: &[Held]) -> Result<Option<Held>> {
        let ([Node::Call(call)], Some(_)) = (&at.body[..], &text.runs) else {
            return Ok(None);
        };
        let statement = &self.plan.program.statements[call.statement];
        let array = self.plan.program.array(statement.write.array);
        if array.extents.is_empty() || !self.is_invariant(call, &statement.write, at.iterator)? {
            return Ok(None);
        }
        let cell = self.cell(call, &statement.write)?;
        let mut updated = false;
        for read in &statement.reads {
            let other = self.cell(call, read)?;
            updated |= other == cell;
            let apart = other == cell || held.iter().any(|h| h.cell == other);
            if read.array == statement.write.array && !apart {
                return Ok(None);
            }
        }
        Ok(updated.then(|| Held {
            name: self.fresh(&array.name, held.len()),
            cell,
            element: array.element,
            invariant: true,
        }))
    }

    fn is_invariant(&self, call: &Call, access: &Access, iterator: usize) -> Result<bool> {
        let mut invariant = true;
        for subscript in &self.plan.subscripts(call, access)? {
            visit_expr(subscript, &mut |e| {
                if let Expr::Linear(form) = e {
                    invariant &= form.coefficient(iterator) == 0;
                }
            });
        }
        Ok(invariant)
    }

    fn fresh(&self, array: &str, number: usize) -> String {
        let mut name = format!("{array}_{number}");
        while self.plan.is_reserved(&name) || self.scope.is_used(&name) {
            name.push('_');
        }
        name
    }

    /// Operands of a loop's calls that are in arrays the loop writes, but not in the cells it writes.
    fn held(&self, at: &Loop) -> Result<Vec<Held>> {
        let plan = self.plan;
        let statements = names::statements(&at.body);
        let written: Vec<ArrayId> = statements
            .iter()
            .map(|s| plan.program.statements[*s].write.array)
            .collect();
        // What is written is never held, even where a loop has at most one iteration and nothing else reads it.
        let mut targets = Vec::new();
        for node in &at.body {
            if let Node::Call(call) = node {
                targets.push(self.cell(call, &plan.program.statements[call.statement].write)?);
            }
        }
        let mut quiet: BTreeMap<(usize, usize), bool> = BTreeMap::new();
        let mut held: Vec<Held> = Vec::new();
        for node in &at.body {
            let Node::Call(call) = node else { continue };
            let reads = &plan.program.statements[call.statement].reads;
            for (position, access) in reads.iter().enumerate() {
                let array = plan.program.array(access.array);
                if !written.contains(&access.array) || array.extents.is_empty() {
                    continue;
                }
                let key = (call.statement, position);
                if let std::collections::btree_map::Entry::Vacant(entry) = quiet.entry(key) {
                    let dim = at.iterator - plan.params;
                    entry.insert(
                        plan.conflicts
                            .is_quiet(dim, &statements, key, &self.known)?,
                    );
                }
                let cell = self.cell(call, access)?;
                let known = targets.contains(&cell) || held.iter().any(|h| h.cell == cell);
                if !quiet[&key] || known {
                    continue;
                }
                held.push(Held {
                    name: self.fresh(&array.name, held.len()),
                    cell,
                    element: array.element,
                    invariant: self.is_invariant(call, access, at.iterator)?,
                });
            }
        }
        Ok(held)
    }
}

/// An operand that is read once into a variable.
pub(super) struct Held {
    pub(super) name: String,
    pub(super) cell: String,
    element: ElementType,
    /// Whether it is the same in all iterations of the loop.
    invariant: bool,
}

impl Held {
    fn declaration(&self) -> String {
        format!("const {} {} = {};", self.element, self.name, self.cell)
    }
}
