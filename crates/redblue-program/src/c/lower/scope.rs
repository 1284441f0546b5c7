//! Names: what is declared, and what a name means at a place.

use std::collections::BTreeMap;

use super::Lowering;
use super::draft::ArrayDraft;
use crate::affine::{Atom, Formula, Value, is_isl_word};
use crate::c::ast::{Expr, ExprKind, Initial, Shape, Stmt, StmtKind, Unit, Variable};
use crate::c::codes;
use crate::c::integer;
use crate::c::obstacle::{Evaluated, Obstacle, ObstacleKind, Place};
use crate::diagnostic::{Diagnostic, Span};
use crate::expression::Expression;
use crate::program::Role;
use crate::suggest;

/// What a name stands for.
#[derive(Clone, Debug)]
pub(super) enum Binding {
    /// An array or scalar in memory, by its index.
    Cell(usize),
    /// A loop that is running, by its depth.
    Loop(usize),
    /// A size of the program.
    Size,
    /// An integer variable that is followed, if its value is known.
    Integer(Option<Known>),
    /// A declaration that was reported.
    Refused,
}

/// The value of an integer variable, for index arithmetic and as data.
#[derive(Clone, Debug)]
pub(super) struct Known {
    pub(super) value: Value,
    pub(super) expression: Expression,
}

/// Blocks inside blocks, each with its names.
#[derive(Clone, Debug, Default)]
pub(super) struct Scopes {
    blocks: Vec<BTreeMap<String, Binding>>,
}

impl Scopes {
    pub(super) fn open(&mut self) {
        self.blocks.push(BTreeMap::new());
    }

    pub(super) fn close(&mut self) {
        self.blocks.pop();
    }

    /// Declares a name in the innermost block.
    pub(super) fn declare(&mut self, name: &str, binding: Binding) {
        if self.blocks.is_empty() {
            self.open();
        }
        if let Some(block) = self.blocks.last_mut() {
            block.insert(name.to_string(), binding);
        }
    }

    pub(super) fn get(&self, name: &str) -> Option<&Binding> {
        self.blocks.iter().rev().find_map(|block| block.get(name))
    }

    pub(super) fn get_mut(&mut self, name: &str) -> Option<&mut Binding> {
        self.blocks
            .iter_mut()
            .rev()
            .find_map(|block| block.get_mut(name))
    }

    /// The value of an integer variable is not known any more.
    pub(super) fn forget(&mut self, name: &str) {
        if let Some(binding @ (Binding::Integer(_) | Binding::Size)) = self.get_mut(name) {
            *binding = Binding::Integer(None);
        }
    }

    fn names(&self) -> impl Iterator<Item = &str> {
        self.blocks
            .iter()
            .flat_map(|block| block.keys())
            .map(String::as_str)
    }
}

fn is_pointer(variable: &Variable) -> bool {
    matches!(&variable.shape, Shape::Array(extents) if matches!(extents.first(), Some(None)))
}

/// `malloc(…)`, which sets nothing: a local pointer that starts so is a local array.
fn is_allocation(value: &Expr) -> bool {
    match &value.kind {
        ExprKind::PointerCast(inner) => is_allocation(inner),
        ExprKind::Call(callee, _) => {
            matches!(&callee.kind, ExprKind::Name(name) if name == "malloc" || name == "aligned_alloc")
        }
        _ => false,
    }
}

/// The name itself if it is free, or else the first free one of `name_2`, `name_3`, …
fn unused(name: &str, is_free: impl Fn(&str) -> bool) -> String {
    let mut candidate = name.to_string();
    let mut number = 2;
    while !is_free(&candidate) {
        candidate = format!("{name}_{number}");
        number += 1;
    }
    candidate
}

/// The number a global constant such as `const int n = 100;` has.
pub(super) fn global_number(unit: &Unit, name: &str) -> Option<i64> {
    let global = unit.globals.iter().find(|global| global.name == name)?;
    match &global.initial {
        Some(Initial::Value(value)) => value.fold(),
        _ => None,
    }
}

impl Lowering<'_> {
    /// Declares globals, parameters, and what stands before the analysed region.
    pub(super) fn declare_outside(&mut self) {
        let source = self.source;
        self.scopes.open();
        for variable in &source.unit.globals {
            self.declare_variable(variable, Role::Global);
        }
        self.scopes.open();
        for variable in &source.function.parameters {
            self.declare_variable(variable, Role::Parameter);
        }
        self.scopes.open();
        for statement in &source.region.prelude {
            self.prelude(statement);
        }
    }

    /// A statement before the region: its declarations count, and whatever else it mentions may be set.
    fn prelude(&mut self, statement: &Stmt) {
        match &statement.kind {
            StmtKind::Declare(variables) => {
                for variable in variables {
                    self.declare_variable(variable, Role::Local);
                    if let Some(initial) = &variable.initial {
                        self.capture(&variable.name);
                        if let Initial::Value(value) = initial {
                            self.set_integer(&variable.name, value);
                        }
                    }
                }
            }
            StmtKind::Expr(expr) => {
                expr.for_each_name(&mut |name, _| self.capture(name));
                match &expr.kind {
                    ExprKind::Assign(target, None, value) => {
                        if let ExprKind::Name(name) = &target.kind {
                            self.set_integer(name, value);
                        }
                    }
                    _ => self.forget_assigned(statement),
                }
            }
            _ => {
                self.forget_assigned(statement);
                statement.for_each_expr(&mut |expr| {
                    expr.for_each_name(&mut |name, _| self.capture(name));
                });
            }
        }
    }

    fn capture(&mut self, name: &str) {
        if let Some(Binding::Cell(array)) = self.scopes.get(name) {
            self.arrays[*array].captured = true;
        }
    }

    /// Follows an assignment to an integer variable; `false` if the name is not one.
    pub(super) fn set_integer(&mut self, name: &str, value: &Expr) -> bool {
        if !matches!(
            self.scopes.get(name),
            Some(Binding::Integer(_) | Binding::Size)
        ) {
            return false;
        }
        let known = match integer::value(value, self) {
            Ok(affine) => self.known(affine, value),
            Err(obstacle) => {
                // Other obstacles matter only where the variable is used.
                self.fix_sizes(&obstacle);
                None
            }
        };
        if let Some(binding) = self.scopes.get_mut(name) {
            *binding = Binding::Integer(known);
        }
        true
    }

    fn known(&mut self, affine: Value, value: &Expr) -> Option<Known> {
        let mut reads = Vec::new();
        let before = self.diagnostics.len();
        let expression = self.operand(value, &mut reads).ok();
        self.diagnostics.truncate(before);
        Some(Known {
            value: affine,
            expression: expression.filter(|_| reads.is_empty())?,
        })
    }

    /// Declares a variable without its initial value.
    pub(super) fn declare_variable(&mut self, variable: &Variable, role: Role) {
        let Variable { name, scalar, .. } = variable;
        let is_scalar = matches!(&variable.shape, Shape::Array(extents) if extents.is_empty());
        let is_index = is_scalar && scalar.is_index() && self.usage.is_index(name);
        if scalar.unsigned {
            self.unsigned.insert(name.clone());
        }
        let binding = if is_index && role == Role::Local {
            Binding::Integer(None)
        } else if is_index {
            Binding::Size
        } else {
            self.declare_cell(variable, role)
        };
        self.scopes.declare(name, binding);
    }

    fn declare_cell(&mut self, variable: &Variable, role: Role) -> Binding {
        let (Shape::Array(extents), Some(element)) = (&variable.shape, variable.scalar.element)
        else {
            // Only what the region uses matters; its uses are reported.
            return Binding::Refused;
        };
        let by_value = role == Role::Parameter && extents.is_empty();
        let extents: Vec<Option<Value>> = extents
            .iter()
            .map(|extent| self.extent(extent.as_ref()))
            .collect();
        if role != Role::Local {
            self.note_extents(&extents);
        }
        self.arrays.push(ArrayDraft {
            name: self.unused_name(&variable.name),
            element,
            role,
            by_value,
            captured: false,
            returned: false,
            constant: variable.scalar.constant,
            extents,
        });
        Binding::Cell(self.arrays.len() - 1)
    }

    /// An extent, if it has an exact value; accesses do not depend on it.
    fn extent(&self, extent: Option<&Expr>) -> Option<Value> {
        integer::value(extent?, self).ok()
    }

    /// C defines no arrays of negative size, so `double A[n]` says that n is not negative. Divisions such as
    /// `n / 2` then need no case for negative n.
    fn note_extents(&mut self, extents: &[Option<Value>]) {
        let facts = extents
            .iter()
            .flatten()
            .filter_map(|extent| extent.nonnegative().ok());
        for fact in facts.filter(|fact| *fact != Formula::True) {
            if !self.guards.contains(&fact) {
                self.guards.push(fact);
                self.n_facts += 1;
            }
        }
    }

    /// A name for an array that no other array has and that isl reads as a name.
    pub(super) fn unused_name(&self, name: &str) -> String {
        let is_free =
            |name: &str| !is_isl_word(name) && self.arrays.iter().all(|array| array.name != name);
        unused(name, is_free)
    }

    /// A name for a dimension that no outer loop has and that isl reads as a name.
    pub(super) fn unused_iterator(&self, name: &str) -> String {
        let is_free = |candidate: &str| {
            !is_isl_word(candidate) && self.loops.iter().all(|level| level.name != candidate)
        };
        unused(name, is_free)
    }

    /// The integer that a name stands for.
    pub(super) fn integer_named(&self, name: &str, span: Span) -> Evaluated<Value> {
        let obstacle = |kind| Err(Box::new(Obstacle { kind, span }));
        match self.scopes.get(name) {
            Some(Binding::Loop(depth)) => Ok(Value::atom(Atom::Iterator(*depth))),
            Some(Binding::Size) => Ok(self.size_value(name, span)),
            Some(Binding::Integer(Some(known))) => Ok(known.value.clone()),
            Some(Binding::Integer(None)) => obstacle(ObstacleKind::Unknown(name.to_string())),
            Some(Binding::Cell(array)) => {
                let array = &self.arrays[*array];
                let counted = array.extents.is_empty() && self.usage.index.contains(name);
                use crate::program::ElementType::{I8, I16, I32, I64};
                if counted && matches!(array.element, I8 | I16 | I32 | I64) {
                    return obstacle(ObstacleKind::Unknown(name.to_string()));
                }
                Err(Obstacle::data(span))
            }
            Some(Binding::Refused) => Err(Obstacle::data(span)),
            None if self.is_outer_size(name) => Ok(self.size_value(name, span)),
            None => Err(self.undeclared(name, span)),
        }
    }

    /// Whether a name without declaration is a size: an integer macro, or given by the user.
    pub(super) fn is_outer_size(&self, name: &str) -> bool {
        self.source.sizes.contains_key(name) || self.source.options.defines.contains_key(name)
    }

    fn size_value(&self, name: &str, span: Span) -> Value {
        match self.number_of(name).filter(|_| self.fixed.contains(name)) {
            Some(number) => Value::constant(number),
            None => {
                self.see(name, span);
                Value::atom(Atom::Parameter(name.to_string()))
            }
        }
    }

    /// A size as data.
    pub(super) fn size_expression(&self, name: &str, span: Span) -> Expression {
        let number = self.number_of(name);
        let as_number = self.fixed.contains(name) || !self.usage.index.contains(name);
        match number.filter(|_| as_number) {
            Some(number) => Expression::Integer(number),
            None => {
                self.see(name, span);
                Expression::Parameter(name.to_string())
            }
        }
    }

    /// A name nobody declared, with the closest one that somebody did.
    pub(super) fn undeclared(&self, name: &str, span: Span) -> Box<Obstacle> {
        let known = self
            .scopes
            .names()
            .chain(self.source.sizes.keys().map(String::as_str));
        let advice = suggest::did_you_mean(name, known);
        Box::new(Obstacle {
            kind: ObstacleKind::Undeclared(name.to_string(), advice),
            span,
        })
    }

    /// A declaration in the analysed region, whose initial value is a statement.
    pub(super) fn declare_inside(&mut self, variable: &Variable) {
        // The initial value is evaluated where the name is already declared, as in C; reading the
        // variable itself there would be undefined.
        self.declare_variable(variable, Role::Local);
        if let Some(Binding::Refused) = self.scopes.get(&variable.name) {
            let message = format!("the type of `{}` is not supported", variable.name);
            let problem = Diagnostic::error(&codes::DECLARATION, message)
                .at(variable.span)
                .hint("use scalars and arrays of numbers");
            return self.problem(problem);
        }
        self.check_extents(variable);
        match &variable.initial {
            None => {}
            Some(Initial::Value(value)) if self.set_integer(&variable.name, value) => {}
            Some(Initial::Value(value)) if is_pointer(variable) && is_allocation(value) => {}
            Some(Initial::Value(value)) => self.initialise(variable, value),
            Some(Initial::List(span)) => self.initialise_list(variable, *span),
        }
    }

    fn check_extents(&mut self, variable: &Variable) {
        let Shape::Array(extents) = &variable.shape else {
            return;
        };
        for extent in extents.iter().flatten() {
            if let Err(obstacle) = integer::value(extent, self) {
                self.refuse(&obstacle, Place::Extent);
            }
        }
    }
}
