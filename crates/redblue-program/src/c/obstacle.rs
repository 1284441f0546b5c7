//! Why an integer expression of C has no exact affine form, and how that is told.

use std::collections::BTreeSet;

use super::codes;
use crate::affine::{self, AffineError, Atom, Monomial, Value};
use crate::diagnostic::{Code, Diagnostic, Span};

/// The result of evaluating an integer expression.
pub(crate) type Evaluated<T> = Result<T, Box<Obstacle>>;

/// Why there is no value.
#[derive(Clone, Debug)]
pub(crate) struct Obstacle {
    pub(crate) kind: ObstacleKind,
    pub(crate) span: Span,
}

/// What stands in the way.
#[derive(Clone, Debug)]
pub(crate) enum ObstacleKind {
    /// The value comes from memory.
    Data,
    /// An integer variable whose value is not followed.
    Unknown(String),
    /// Nobody declared this name; with advice.
    Undeclared(String, Option<String>),
    /// A number is needed; these sizes stand in its place.
    NeedsNumber(&'static str, BTreeSet<String>),
    /// Loop variables or sizes are multiplied.
    Product(Monomial),
    /// Too many cases.
    TooComplicated,
    /// A divisor or stride is zero.
    Zero(&'static str),
    /// The expression also assigns.
    Effect,
}

/// Where an integer expression stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Subscript,
    Bound,
    Condition,
    Extent,
    Assumption,
}

impl Obstacle {
    /// A value from memory.
    pub(crate) fn data(span: Span) -> Box<Obstacle> {
        Box::new(Obstacle {
            kind: ObstacleKind::Data,
            span,
        })
    }

    /// An assignment inside an expression.
    pub(crate) fn effect(span: Span) -> Box<Obstacle> {
        Box::new(Obstacle {
            kind: ObstacleKind::Effect,
            span,
        })
    }

    /// A divisor or stride that is zero.
    pub(crate) fn zero(what: &'static str, span: Span) -> Box<Obstacle> {
        Box::new(Obstacle {
            kind: ObstacleKind::Zero(what),
            span,
        })
    }

    /// A value that should be a number.
    pub(crate) fn needs_number(what: &'static str, value: &Value, span: Span) -> Box<Obstacle> {
        let sizes = value.as_leaf().map(|leaf| {
            leaf.terms()
                .flat_map(|(monomial, _)| monomial)
                .map(|atom| match atom {
                    Atom::Parameter(name) => Some(name.clone()),
                    Atom::Iterator(_) | Atom::Floor(..) => None,
                })
                .collect::<Option<BTreeSet<String>>>()
        });
        let kind = ObstacleKind::NeedsNumber(what, sizes.flatten().unwrap_or_default());
        Box::new(Obstacle { kind, span })
    }

    /// An error of affine arithmetic.
    pub(crate) fn from_affine(error: AffineError, span: Span) -> Box<Obstacle> {
        let kind = match error {
            AffineError::Product(monomial) => ObstacleKind::Product(monomial),
            AffineError::TooComplicated => ObstacleKind::TooComplicated,
        };
        Box::new(Obstacle { kind, span })
    }

    /// Sizes that would remove the obstacle if they were numbers; empty if none would.
    pub(crate) fn sizes_to_fix(&self) -> BTreeSet<String> {
        match &self.kind {
            ObstacleKind::NeedsNumber(_, sizes) => sizes.clone(),
            ObstacleKind::Product(monomial) => {
                let (sizes, others): (Vec<&Atom>, Vec<&Atom>) = monomial
                    .iter()
                    .partition(|atom| matches!(atom, Atom::Parameter(_)));
                // One factor may stay symbolic: the loop variable, or else the first size.
                let kept = match others.len() {
                    0 => 1,
                    1 => 0,
                    _ => return BTreeSet::new(),
                };
                let named = |atom: &&Atom| match atom {
                    Atom::Parameter(name) => Some(name.clone()),
                    Atom::Iterator(_) | Atom::Floor(..) => None,
                };
                sizes.iter().skip(kept).filter_map(named).collect()
            }
            _ => BTreeSet::new(),
        }
    }

    /// The message for the user.
    pub(crate) fn report(&self, place: Place) -> Diagnostic {
        let at = |code: &Code, message: String| Diagnostic::error(code, message).at(self.span);
        match &self.kind {
            ObstacleKind::Data => {
                let (code, message) = match place {
                    Place::Subscript => {
                        (&affine::codes::DATA_SUBSCRIPT, "subscript depends on data")
                    }
                    Place::Bound => (&affine::codes::DATA_BOUND, "loop bound depends on data"),
                    Place::Condition => {
                        (&affine::codes::DATA_CONDITION, "condition depends on data")
                    }
                    Place::Extent => (&affine::codes::DATA_BOUND, "array extent depends on data"),
                    Place::Assumption => (
                        &crate::diagnostic::codes::BAD_ASSUMPTION,
                        "this is not a condition on sizes",
                    ),
                };
                let advice = match place {
                    Place::Condition => {
                        "if both branches assign the same cell, write `x = condition ? a : b`"
                    }
                    Place::Subscript => "write it with loop variables and sizes",
                    Place::Bound => "use a bound that does not depend on what arrays hold",
                    Place::Extent => "use sizes",
                    Place::Assumption => "write a condition such as `M >= N`",
                };
                at(code, message.into())
                    .note("it must be known from loop variables and sizes alone")
                    .hint(advice)
            }
            ObstacleKind::Unknown(name) => at(
                &affine::codes::UNKNOWN_INTEGER,
                format!("the value of `{name}` is not known here"),
            )
            .hint("write it as an affine expression of loop variables and sizes"),
            ObstacleKind::Undeclared(name, advice) => {
                at(&codes::UNDECLARED, format!("`{name}` is not declared"))
                    .hint(format!("declare it, or if it is a size, add -D {name}=100"))
                    .hint_if(advice.clone())
            }
            ObstacleKind::NeedsNumber(what, sizes) => {
                let advice = sizes
                    .first()
                    .map(|name| format!("give `{name}` a value: -D {name}=4"));
                at(
                    &affine::codes::NEEDS_NUMBER,
                    format!("{what} must be a number"),
                )
                .note("with a symbolic value the iterations would not be an affine set")
                .hint("write a number")
                .hint_if(advice)
            }
            ObstacleKind::Product(monomial) => {
                let fix = self.sizes_to_fix();
                let advice = fix
                    .first()
                    .filter(|_| place != Place::Assumption)
                    .map(|name| format!("give `{name}` a value: -D {name}=4"));
                at(
                    &affine::codes::PRODUCT,
                    "expression is not affine".to_string(),
                )
                .note(product_note(monomial))
                .hint("use sums of multiples of loop variables and sizes")
                .hint_if(advice)
            }
            ObstacleKind::TooComplicated => at(
                &affine::codes::TOO_COMPLICATED,
                "expression is too complicated".to_string(),
            )
            .hint("split it, or use fewer nested min, max, / and %"),
            ObstacleKind::Zero(what) => at(
                &affine::codes::NEEDS_NUMBER,
                format!("{what} must not be zero"),
            )
            .hint("write another number"),
            ObstacleKind::Effect => at(
                &codes::SIDE_EFFECT,
                "side effect inside an expression".to_string(),
            )
            .hint("write it as a statement of its own"),
        }
    }
}

fn product_note(monomial: &Monomial) -> String {
    let kinds = |wanted: fn(&Atom) -> bool| monomial.iter().filter(|a| wanted(a)).count();
    let sizes = kinds(|atom| matches!(atom, Atom::Parameter(_)));
    match (sizes, monomial.len() - sizes) {
        (0, _) => "loop variables are multiplied with each other".into(),
        (_, 0) => "sizes are multiplied with each other".into(),
        _ => "a loop variable is multiplied with a size".into(),
    }
}
