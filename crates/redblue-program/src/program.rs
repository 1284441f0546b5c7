//! The program: parameters, arrays, and statements with domain, order and accesses.
//!
//! Invariants every front end keeps and every analysis may use:
//! * all sets and maps of one program share one isl context and list the program's parameters, in the
//!   order of [`Program::params`];
//! * a statement writes exactly one cell per instance and reads its operands in source order, the target
//!   of a compound assignment first (a chained assignment is several statements);
//! * schedules map into one common time space, and times are unique over the whole program;
//! * scalars are arrays with no dimensions.
//!
//! [`Program::validate`] checks them.

mod inside;
mod sizes;
mod validate;

use std::fmt;

use redblue_poly::{Map, Set};

use crate::diagnostic::{Diagnostic, Span};
use crate::error::Result;
pub use crate::expression::{BinaryOp, Expression, UnaryOp};
pub use sizes::Sizes;

/// Index of a statement in [`Program::statements`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StatementId(pub usize);

/// Index of an array in [`Program::arrays`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ArrayId(pub usize);

/// An affine program with symbolic sizes.
#[derive(Clone, Debug)]
pub struct Program {
    /// Name of the function, catalogue entry or einsum.
    pub name: String,
    /// Size parameters, in order of first appearance.
    pub params: Vec<Param>,
    /// Sizes that are considered: the assumptions as a parameter set.
    pub context: Set,
    /// The assumptions as written by the user, for output.
    pub assumptions: Vec<String>,
    /// Arrays and scalars.
    pub arrays: Vec<Array>,
    /// Statements in textual order.
    pub statements: Vec<Statement>,
    /// Why statements were left out; empty for a complete program. Incomplete programs get no bound.
    pub omitted: Vec<Diagnostic>,
}

/// A size parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Param {
    /// Its name in the source.
    pub name: String,
    /// The size the source itself gives (`#define N 1000`); `-D` overrides it.
    pub default: Option<i64>,
}

/// An array, or a scalar if it has no dimensions.
#[derive(Clone, Debug)]
pub struct Array {
    /// Its name in the source.
    pub name: String,
    /// Declared extents in isl notation (for example `N + 1`), outermost first; empty for a scalar.
    /// An extent the source does not tell is `None`.
    pub extents: Vec<Option<String>>,
    /// Element type, which decides how many bytes a word has.
    pub element: ElementType,
    /// Where it is declared.
    pub role: Role,
    /// Whether its final cells must be stored (the contract's rule, or `--outputs`).
    pub output: bool,
}

/// Where an array is declared; decides the default outputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// A parameter of the function.
    Parameter,
    /// Declared outside the function.
    Global,
    /// Declared inside the function.
    Local,
}

/// Type of the elements of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ElementType {
    /// 8-bit integer (`char`).
    I8,
    /// 16-bit integer.
    I16,
    /// 32-bit integer.
    I32,
    /// 64-bit integer.
    I64,
    /// Single precision.
    F32,
    /// Double precision.
    F64,
    /// Single-precision complex.
    C64,
    /// Double-precision complex.
    C128,
}

/// One assignment, executed for every point of its domain.
#[derive(Clone, Debug)]
pub struct Statement {
    /// `S0`, `S1`, … in textual order, or the source's label. Also the tuple name of its domain.
    pub name: String,
    /// Names of the surrounding loops, outermost first: the dimensions of the domain.
    pub iterators: Vec<String>,
    /// `[N] -> { S0[i, j] : … }`.
    pub domain: Set,
    /// `{ S0[i, j] -> [0, i, 1, j, 0] }`: the program's own order.
    pub schedule: Map,
    /// The cell written.
    pub write: Access,
    /// The operands in evaluation order; leaves of `value` refer to them by position.
    pub reads: Vec<Access>,
    /// What is computed from the operands.
    pub value: Expression,
    /// Where it stands in the source.
    pub span: Option<Span>,
    /// The statement as written, for messages and reports.
    pub text: String,
}

/// One reference to an array.
#[derive(Clone, Debug)]
pub struct Access {
    /// The array.
    pub array: ArrayId,
    /// `{ S0[i, j] -> A[i, j + 1] }`, total and single-valued on the statement's domain.
    pub map: Map,
    /// Where it stands in the source.
    pub span: Option<Span>,
}

impl Program {
    /// The statement with this index.
    pub fn statement(&self, id: StatementId) -> &Statement {
        &self.statements[id.0]
    }

    /// The array with this index.
    pub fn array(&self, id: ArrayId) -> &Array {
        &self.arrays[id.0]
    }

    /// The array with this name.
    pub fn array_named(&self, name: &str) -> Option<ArrayId> {
        self.arrays.iter().position(|a| a.name == name).map(ArrayId)
    }

    /// Indices of all statements in textual order.
    pub fn statement_ids(&self) -> impl Iterator<Item = StatementId> + use<> {
        (0..self.statements.len()).map(StatementId)
    }
}

impl Statement {
    /// Positions of the operands, grouped by the cell they read, in order of first occurrence.
    pub fn operands_by_cell(&self) -> Result<Vec<Vec<usize>>> {
        let mut groups: Vec<Vec<usize>> = Vec::new();
        'operands: for (position, read) in self.reads.iter().enumerate() {
            for group in &mut groups {
                let other = &self.reads[group[0]];
                if other.array == read.array && other.map.is_equal(&read.map)? {
                    group.push(position);
                    continue 'operands;
                }
            }
            groups.push(vec![position]);
        }
        Ok(groups)
    }
}

impl ElementType {
    /// Size of one element in bytes.
    pub fn bytes(self) -> u64 {
        match self {
            ElementType::I8 => 1,
            ElementType::I16 => 2,
            ElementType::I32 | ElementType::F32 => 4,
            ElementType::I64 | ElementType::F64 | ElementType::C64 => 8,
            ElementType::C128 => 16,
        }
    }
}

impl fmt::Display for ElementType {
    /// The C spelling.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ElementType::I8 => "char",
            ElementType::I16 => "short",
            ElementType::I32 => "int",
            ElementType::I64 => "long",
            ElementType::F32 => "float",
            ElementType::F64 => "double",
            ElementType::C64 => "float complex",
            ElementType::C128 => "double complex",
        })
    }
}
