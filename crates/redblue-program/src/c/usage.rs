//! What names are used for, found before lowering.
//!
//! An `int` can be a size, a loop variable, a name for an affine expression, or plain data. Which one it is
//! shows only in its uses: an integer that stands in a bound or subscript and is only ever set to index
//! arithmetic is followed as a value; all others are cells of memory.

use std::collections::BTreeSet;

use super::ast::{Expr, ExprKind, ForLoop, Initial, Shape, Stmt, StmtKind, Variable};

/// The uses of names in the analysed part of a function.
#[derive(Debug, Default)]
pub(crate) struct Usage {
    /// Names in bounds, affine conditions, subscripts and extents, and loop variables.
    pub(crate) index: BTreeSet<String>,
    /// Names that are set to something other than index arithmetic, or changed step by step.
    pub(crate) data: BTreeSet<String>,
    /// Names that are assigned at all, outside loop headers.
    pub(crate) assigned: BTreeSet<String>,
    /// Names that values of other names are computed from.
    sources: Vec<(String, BTreeSet<String>)>,
}

impl Usage {
    /// Looks through statements.
    pub(crate) fn of<'s>(statements: impl IntoIterator<Item = &'s Stmt>) -> Usage {
        let mut usage = Usage::default();
        statements
            .into_iter()
            .for_each(|statement| usage.statement(statement));
        usage
    }

    /// What an index is computed from is index arithmetic too.
    pub(crate) fn close(&mut self) {
        loop {
            let before = self.index.len();
            for (name, sources) in &self.sources {
                if self.index.contains(name) {
                    self.index.extend(sources.iter().cloned());
                }
            }
            if self.index.len() == before {
                return;
            }
        }
    }

    /// Adds names that array extents are written in.
    pub(crate) fn extents(&mut self, variable: &Variable) {
        if let Shape::Array(extents) = &variable.shape {
            extents
                .iter()
                .flatten()
                .for_each(|extent| self.index_names(extent));
        }
    }

    /// Whether an integer variable of this name is followed as a value.
    pub(crate) fn is_index(&self, name: &str) -> bool {
        self.index.contains(name) && !self.data.contains(name)
    }

    fn index_names(&mut self, expr: &Expr) {
        expr.for_each_name(&mut |name, _| {
            self.index.insert(name.to_string());
        });
    }

    fn statement(&mut self, statement: &Stmt) {
        match &statement.kind {
            StmtKind::Block(inner) => inner.iter().for_each(|s| self.statement(s)),
            StmtKind::Expr(expr) => self.effects(expr),
            StmtKind::Declare(variables) => {
                for variable in variables {
                    self.extents(variable);
                    if let Some(Initial::Value(value)) = &variable.initial {
                        self.set(&variable.name, value);
                        self.effects(value);
                    }
                }
            }
            StmtKind::For(loop_) => self.for_loop(loop_),
            StmtKind::If(condition, then, otherwise) => {
                self.index_names(condition);
                self.effects(condition);
                self.statement(then);
                otherwise.iter().for_each(|s| self.statement(s));
            }
            StmtKind::Label(_, inner) => self.statement(inner),
            StmtKind::Unsupported(_, inner) => inner.iter().for_each(|s| self.statement(s)),
            StmtKind::Return(value) => value.iter().for_each(|v| self.effects(v)),
            StmtKind::Empty | StmtKind::Scop | StmtKind::EndScop | StmtKind::Broken => {}
        }
    }

    fn for_loop(&mut self, loop_: &ForLoop) {
        match loop_.init.as_ref().map(|init| &init.kind) {
            Some(StmtKind::Expr(expr)) => self.index_names(expr),
            Some(StmtKind::Declare(variables)) => {
                for variable in variables {
                    self.index.insert(variable.name.clone());
                    if let Some(Initial::Value(value)) = &variable.initial {
                        self.index_names(value);
                    }
                }
            }
            _ => {}
        }
        for part in [&loop_.condition, &loop_.step].into_iter().flatten() {
            self.index_names(part);
        }
        self.statement(&loop_.body);
    }

    /// Subscripts and assignments inside an expression.
    fn effects(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Index(_, index) => self.index_names(index),
            // A test without memory accesses or floating point may be affine.
            ExprKind::Conditional(test, ..) if is_arithmetic(test) => self.index_names(test),
            ExprKind::Assign(target, None, value) => {
                if let ExprKind::Name(name) = &target.kind {
                    self.set(name, value);
                }
            }
            ExprKind::Assign(target, Some(_), _) | ExprKind::Step(_, target) => {
                if let ExprKind::Name(name) = &target.kind {
                    self.data.insert(name.clone());
                    self.assigned.insert(name.clone());
                }
            }
            _ => {}
        }
        expr.for_each_child(&mut |child| self.effects(child));
    }

    fn set(&mut self, name: &str, value: &Expr) {
        self.assigned.insert(name.to_string());
        if !is_arithmetic(value) {
            self.data.insert(name.to_string());
            return;
        }
        let mut sources = BTreeSet::new();
        value.for_each_name(&mut |source, _| {
            sources.insert(source.to_string());
        });
        self.sources.push((name.to_string(), sources));
    }
}

/// Whether an expression has the form of index arithmetic: names, integers, operators and calls such as
/// `min`, but no memory accesses, floating point or effects.
fn is_arithmetic(expr: &Expr) -> bool {
    let itself = matches!(
        &expr.kind,
        ExprKind::Integer(_)
            | ExprKind::Name(_)
            | ExprKind::Call(..)
            | ExprKind::Unary(..)
            | ExprKind::Binary(..)
            | ExprKind::Conditional(..)
            | ExprKind::Cast(..)
    );
    let mut parts = true;
    expr.for_each_child(&mut |child| parts &= is_arithmetic(child));
    itself && parts
}
