//! The indivisible factors of an expression.

use super::{Expr, Symbol};
use num_bigint::BigUint;
use std::sync::Arc;

/// An indivisible factor. The order of the variants is the order in which factors are written.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Atom {
    /// A prime under a root; its exponent lies strictly between 0 and 1.
    Prime(BigUint),
    /// A named size.
    Symbol(Symbol),
    /// A primitive expression whose exponent is below 1 and not 0.
    Sum(Arc<Expr>),
    /// The smallest of several expressions.
    Min(Arc<[Expr]>),
    /// The largest of several expressions.
    Max(Arc<[Expr]>),
    /// The integer part of an expression.
    Floor(Arc<Expr>),
    /// The smallest integer not below an expression.
    Ceil(Arc<Expr>),
    /// The logarithm to base two.
    Log2(Arc<Expr>),
}

impl Atom {
    /// The expressions inside the atom.
    pub fn operands(&self) -> &[Expr] {
        match self {
            Atom::Prime(_) | Atom::Symbol(_) => &[],
            Atom::Sum(inner) | Atom::Floor(inner) | Atom::Ceil(inner) | Atom::Log2(inner) => {
                std::slice::from_ref(inner)
            }
            Atom::Min(items) | Atom::Max(items) => items,
        }
    }
}
