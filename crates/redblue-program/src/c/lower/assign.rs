//! Statements with an effect: assignments in all their forms.
//!
//! A ternary whose condition is affine is no operation: the statement is split into one for each branch, so
//! that each reads only what it uses.

use super::draft::{AccessDraft, StatementDraft};
use super::scope::Binding;
use super::{Failed, Lowering};
use crate::affine::{self, Formula, Value};
use crate::c::ast::{Expr, ExprKind, Stmt, Variable};
use crate::c::codes;
use crate::c::integer;
use crate::c::obstacle::{ObstacleKind, Place};
use crate::diagnostic::{Diagnostic, Span};
use crate::expression::{BinaryOp, Expression};
use crate::program::{ElementType, Role};

/// Statements that one statement with affine ternaries may become.
const MAX_SPLITS: usize = 64;

/// One assignment to be lowered.
struct Assignment<'e> {
    target: &'e Expr,
    operator: Option<BinaryOp>,
    label: Option<&'e str>,
    span: Span,
}

impl Lowering<'_> {
    /// An expression used as a statement.
    pub(super) fn effect(&mut self, expr: &Expr, label: Option<&str>) {
        match &expr.kind {
            ExprKind::Assign(target, operator, value) => {
                self.assignment(target, *operator, value, expr.span, label);
            }
            ExprKind::Step(operator, target) => {
                let one = Expr {
                    kind: ExprKind::Integer(1),
                    span: expr.span,
                    height: 1,
                };
                self.assignment(target, Some(*operator), &one, expr.span, label);
            }
            ExprKind::Comma(a, b) => {
                self.effect(a, label);
                self.effect(b, None);
            }
            // The cells of a local array are not used after it is given back.
            ExprKind::Call(callee, _) if matches!(&callee.kind, ExprKind::Name(n) if n == "free") =>
                {}
            ExprKind::Call(callee, _) => {
                let name = match &callee.kind {
                    ExprKind::Name(name) => name.as_str(),
                    _ => "this function",
                };
                let problem = Diagnostic::error(
                    &codes::CALL,
                    format!("a call of `{name}` that stands alone has unknown effects"),
                )
                .at(expr.span)
                .hint("move it out of the region, or write its loops in its place");
                self.problem(problem);
            }
            // `(void) x;` and other values that nobody uses.
            ExprKind::Cast(_, inner) => self.effect(inner, label),
            _ => {
                let mut reads = Vec::new();
                // Without an effect there is no statement, only problems to report.
                let _ = self.operand(expr, &mut reads);
            }
        }
    }

    fn assignment(
        &mut self,
        target: &Expr,
        operator: Option<BinaryOp>,
        value: &Expr,
        span: Span,
        label: Option<&str>,
    ) {
        if let ExprKind::Assign(inner, inner_operator, inner_value) = &value.kind {
            // In `a = b = c` the value of the inner assignment is what b holds afterwards.
            self.assignment(inner, *inner_operator, inner_value, value.span, None);
            return self.assignment(target, operator, inner, span, label);
        }
        if let ExprKind::Name(name) = &target.kind {
            match self.scopes.get(name) {
                Some(Binding::Loop(_)) => {
                    let message = format!("`{name}` is changed inside its loop");
                    let code = &affine::codes::CHANGED_ITERATOR;
                    return self.problem(
                        Diagnostic::error(code, message)
                            .at(span)
                            .note("the iterations of a loop must follow from its header")
                            .hint("change the step of the loop, or use another variable"),
                    );
                }
                None if self.is_outer_size(name) => {
                    let message = format!("`{name}` is a size and cannot change");
                    let problem = Diagnostic::error(&codes::NOT_ASSIGNABLE, message)
                        .at(target.span)
                        .hint("use another variable");
                    return self.problem(problem);
                }
                _ => {}
            }
            if operator.is_none() && self.set_integer(name, value) {
                return;
            }
        }
        let assignment = Assignment {
            target,
            operator,
            label,
            span,
        };
        let mut budget = MAX_SPLITS;
        self.split(&assignment, value, &mut budget);
    }

    /// Emits the assignment once for every outcome of its affine ternaries.
    fn split(&mut self, assignment: &Assignment<'_>, value: &Expr, budget: &mut usize) {
        let choice = match self.first_choice(value) {
            Ok(choice) => choice,
            Err(Failed) => return,
        };
        let Some((condition, ternary)) = choice else {
            if *budget == 0 {
                let code = &affine::codes::TOO_COMPLICATED;
                let message = "too many ternaries in one statement";
                let problem = Diagnostic::error(code, message).at(assignment.span);
                return self.problem(problem.hint("split it into several statements"));
            }
            *budget -= 1;
            if let Ok(draft) = self.draft(assignment, value) {
                self.push(draft);
            }
            return;
        };
        let ExprKind::Conditional(_, yes, no) = &ternary.kind else {
            return;
        };
        for (arm, guard) in [(yes, condition.clone()), (no, condition.negated())] {
            if guard == Formula::False || *budget == 0 {
                continue;
            }
            let chosen = replace(value, ternary, arm);
            self.guards.push(guard);
            self.split(assignment, &chosen, budget);
            self.guards.pop();
        }
    }

    /// The first ternary in evaluation order whose condition is affine.
    fn first_choice<'e>(&mut self, expr: &'e Expr) -> Result<Option<(Formula, &'e Expr)>, Failed> {
        if let ExprKind::Conditional(test, ..) = &expr.kind {
            match integer::condition(test, self) {
                Ok(formula) => return Ok(Some((formula, expr))),
                Err(obstacle) => match obstacle.kind {
                    // A condition on data is an operation.
                    ObstacleKind::Data
                    | ObstacleKind::Unknown(_)
                    | ObstacleKind::Undeclared(..) => {}
                    _ => {
                        self.refuse(&obstacle, Place::Condition);
                        return Err(Failed);
                    }
                },
            }
        }
        let mut children = Vec::new();
        match &expr.kind {
            // Ternaries in subscripts are part of the affine value.
            ExprKind::Index(..) => {}
            _ => expr.for_each_child(&mut |child| children.push(child)),
        }
        for child in children {
            if let Some(found) = self.first_choice(child)? {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    fn draft(
        &mut self,
        assignment: &Assignment<'_>,
        value: &Expr,
    ) -> Result<StatementDraft, Failed> {
        let target = self.target(assignment.target);
        let mut reads = Vec::new();
        if let (Ok(target), Some(_)) = (&target, assignment.operator) {
            reads.push(target.clone());
        }
        let value = self.operand(value, &mut reads);
        let (write, mut value) = (target?, value?);
        if let Some(operator) = assignment.operator {
            value = Expression::Binary(operator, Box::new(Expression::Read(0)), Box::new(value));
        }
        Ok(self.statement_draft(write, reads, value, assignment.span, assignment.label))
    }

    fn target(&mut self, target: &Expr) -> Result<AccessDraft, Failed> {
        use crate::c::ast::Prefix::Dereference;
        if !matches!(
            target.kind,
            ExprKind::Name(_)
                | ExprKind::Index(..)
                | ExprKind::Unary(Dereference, _)
                | ExprKind::Member(_)
        ) {
            let problem = Diagnostic::error(&codes::NOT_ASSIGNABLE, "cannot assign to this")
                .at(target.span)
                .hint("the left side must be a scalar or an array element");
            self.problem(problem);
            return Err(Failed);
        }
        let access = self.cell(target)?;
        let array = &self.arrays[access.array];
        if array.constant {
            let message = format!("`{}` is constant", array.name);
            let problem = Diagnostic::error(&codes::NOT_ASSIGNABLE, message).at(target.span);
            self.problem(problem.hint("remove `const` from its declaration"));
            return Err(Failed);
        }
        Ok(access)
    }

    fn statement_draft(
        &mut self,
        write: AccessDraft,
        reads: Vec<AccessDraft>,
        value: Expression,
        span: Span,
        label: Option<&str>,
    ) -> StatementDraft {
        StatementDraft {
            label: label.map(str::to_string),
            iterators: self.loops.iter().map(|level| level.name.clone()).collect(),
            domain: Formula::all(self.guards[self.n_facts..].to_vec()),
            time: self.next_time(),
            write,
            reads,
            value,
            span,
        }
    }

    fn push(&mut self, draft: StatementDraft) {
        if self.broken == 0 {
            self.statements.push(draft);
        }
    }

    /// `double x = value;`
    pub(super) fn initialise(&mut self, variable: &Variable, value: &Expr) {
        let target = Expr {
            kind: ExprKind::Name(variable.name.clone()),
            span: variable.span,
            height: 1,
        };
        let Some(Binding::Cell(array)) = self.scopes.get(&variable.name) else {
            return;
        };
        let array = *array;
        let constant = std::mem::replace(&mut self.arrays[array].constant, false);
        let span = variable.span.to(value.span);
        self.assignment(&target, None, value, span, None);
        self.arrays[array].constant = constant;
    }

    /// `double x[4] = {0};` sets every cell.
    pub(super) fn initialise_list(&mut self, variable: &Variable, list: Span) {
        let Some(Binding::Cell(array)) = self.scopes.get(&variable.name) else {
            return;
        };
        let array = *array;
        let inside = self.source.sources.text(list);
        let is_zero = |text: &str| {
            let text = text.trim().trim_end_matches(['.', '0', 'f']);
            text.is_empty()
        };
        let zeros = is_zero(inside.trim_start_matches('{').trim_end_matches('}'));
        let extents: Option<Vec<Value>> = self.arrays[array].extents.iter().cloned().collect();
        match extents {
            Some(extents) if zeros => {
                self.fill(array, &extents, &mut Vec::new(), variable.span.to(list));
            }
            _ => {
                let message = "only `{0}` is supported as an initial value of an array";
                let problem = Diagnostic::error(&codes::DECLARATION, message)
                    .at(list)
                    .hint("assign the elements one by one");
                self.problem(problem);
            }
        }
    }

    fn fill(&mut self, array: usize, extents: &[Value], indices: &mut Vec<Value>, span: Span) {
        let Some((extent, rest)) = extents.split_first() else {
            let write = AccessDraft {
                array,
                subscripts: indices.clone(),
                span,
            };
            let draft = self.statement_draft(write, Vec::new(), Expression::Integer(0), span, None);
            return self.push(draft);
        };
        let depth = self.loops.len();
        let name = format!("i{}", indices.len());
        self.counted_loop(&name, extent, &mut |this| {
            indices.push(Value::atom(affine::Atom::Iterator(depth)));
            this.fill(array, rest, indices, span);
            indices.pop();
        });
    }

    /// `return;` may stand at the end; `return value;` there makes the value an output.
    pub(super) fn return_statement(&mut self, statement: &Stmt, value: Option<&Expr>) {
        let is_last = self
            .source
            .region
            .statements
            .last()
            .is_some_and(|last| std::ptr::eq(last, statement));
        if !is_last {
            return self.unsupported("return", statement.span);
        }
        let Some(value) = value else {
            return;
        };
        if value.fold().is_some() {
            return; // A status such as `return 0;`.
        }
        let name = self.unused_name("result");
        self.arrays.push(super::draft::ArrayDraft {
            name: name.clone(),
            element: self
                .source
                .function
                .returns
                .element
                .unwrap_or(ElementType::F64),
            role: Role::Local,
            by_value: false,
            captured: false,
            returned: true,
            constant: false,
            extents: Vec::new(),
        });
        self.scopes.open();
        self.scopes
            .declare(&name, Binding::Cell(self.arrays.len() - 1));
        let target = Expr {
            kind: ExprKind::Name(name),
            span: statement.span,
            height: 1,
        };
        self.assignment(&target, None, value, statement.span, None);
        self.scopes.close();
    }
}

/// The expression with one of its parts replaced.
fn replace(expr: &Expr, part: &Expr, by: &Expr) -> Expr {
    if std::ptr::eq(expr, part) {
        return by.clone();
    }
    expr.map_children(&mut |child| replace(child, part, by))
}
