//! Building a program from text: domains, times and cells in isl notation.
//!
//! ```
//! use redblue_program::build::{Assignment, ProgramBuilder};
//! use redblue_program::{ElementType, Expression, Role};
//!
//! let mut matmul = ProgramBuilder::new("matmul", &["N"]);
//! for name in ["A", "B", "C"] {
//!     matmul.array(name, &["N", "N"], ElementType::F64, Role::Parameter);
//! }
//! matmul.statement(Assignment {
//!     name: "S0",
//!     iterators: "i, j",
//!     condition: "0 <= i < N and 0 <= j < N",
//!     time: "0, i, j",
//!     write: "C[i, j]",
//!     reads: &[],
//!     value: Expression::Integer(0),
//! });
//! matmul.statement(Assignment {
//!     name: "S1",
//!     iterators: "i, j, k",
//!     condition: "0 <= i < N and 0 <= j < N and 0 <= k < N",
//!     time: "1, i, j, k",
//!     write: "C[i, j]",
//!     reads: &["C[i, j]", "A[i, k]", "B[k, j]"],
//!     value: Expression::Read(0) + Expression::Read(1) * Expression::Read(2),
//! });
//! assert_eq!(matmul.build()?.statements.len(), 2);
//! # Ok::<(), redblue_program::ProgramError>(())
//! ```
//!
//! Front ends that have no text of their own to point at (einsum) and tests use it; the C front end builds
//! its sets from its syntax tree. Errors are collected until [`ProgramBuilder::build`].

use redblue_poly::{Context, Map, Set};

use crate::error::{ProgramError, Result};
use crate::expression::Expression;
use crate::program::{Access, Array, ArrayId, ElementType, Param, Program, Role, Statement};

/// Collects the parts of a [`Program`].
#[derive(Clone, Debug)]
pub struct ProgramBuilder {
    name: String,
    params: Vec<Param>,
    assumptions: Vec<String>,
    arrays: Vec<Array>,
    statements: Vec<StatementText>,
    outputs: Option<Vec<String>>,
}

/// One statement as text: `write = value(reads)` for every point `[iterators]` with `condition`, at `time`.
#[derive(Clone, Debug)]
pub struct Assignment<'a> {
    /// Its name, for example `S0`.
    pub name: &'a str,
    /// Names of its dimensions, separated by commas.
    pub iterators: &'a str,
    /// Which points are executed.
    pub condition: &'a str,
    /// When: the components of its time, separated by commas.
    pub time: &'a str,
    /// The cell written, for example `C[i, j]`.
    pub write: &'a str,
    /// The cells read, in evaluation order.
    pub reads: &'a [&'a str],
    /// What is computed from the operands.
    pub value: Expression,
}

/// A statement before its sets are parsed.
#[derive(Clone, Debug)]
struct StatementText {
    name: String,
    iterators: String,
    condition: String,
    time: String,
    write: String,
    reads: Vec<String>,
    value: Expression,
    text: Option<String>,
}

impl ProgramBuilder {
    /// Starts a program with these size parameters.
    pub fn new(name: &str, params: &[&str]) -> ProgramBuilder {
        let param = |name: &&str| Param {
            name: name.to_string(),
            default: None,
        };
        ProgramBuilder {
            name: name.to_string(),
            params: params.iter().map(param).collect(),
            assumptions: Vec::new(),
            arrays: Vec::new(),
            statements: Vec::new(),
            outputs: None,
        }
    }

    /// Restricts the sizes, for example to `M >= N`.
    pub fn assume(&mut self, condition: &str) -> &mut Self {
        self.assumptions.push(condition.to_string());
        self
    }

    /// Declares an array by its extents in isl notation; no extents make a scalar.
    pub fn array(
        &mut self,
        name: &str,
        extents: &[&str],
        element: ElementType,
        role: Role,
    ) -> &mut Self {
        self.arrays.push(Array {
            name: name.to_string(),
            extents: extents
                .iter()
                .map(|extent| Some(extent.to_string()))
                .collect(),
            element,
            role,
            output: false,
        });
        self
    }

    /// Names the outputs; by default every written array that is not local (the contract's rule).
    pub fn outputs(&mut self, names: &[&str]) -> &mut Self {
        self.outputs = Some(names.iter().map(|name| name.to_string()).collect());
        self
    }

    /// Adds a statement. Times of different lengths are padded with zeros to the longest.
    pub fn statement(&mut self, assignment: Assignment<'_>) -> &mut Self {
        let Assignment {
            name,
            iterators,
            condition,
            time,
            write,
            reads,
            value,
        } = assignment;
        self.statements.push(StatementText {
            name: name.to_string(),
            iterators: iterators.to_string(),
            condition: condition.to_string(),
            time: time.to_string(),
            write: write.to_string(),
            reads: reads.iter().map(|read| read.to_string()).collect(),
            value,
            text: None,
        });
        self
    }

    /// Replaces the text that reports show for the last statement.
    pub fn text(&mut self, text: &str) -> &mut Self {
        if let Some(statement) = self.statements.last_mut() {
            statement.text = Some(text.to_string());
        }
        self
    }

    /// Parses all sets and maps in a fresh isl context.
    pub fn build(&self) -> Result<Program> {
        let context = Context::new()?;
        let names: Vec<&str> = self
            .params
            .iter()
            .map(|param| param.name.as_str())
            .collect();
        let prefix = format!("[{}] -> ", names.join(", "));
        let condition = match self.assumptions.as_slice() {
            [] => String::new(),
            list => format!("({})", list.join(") and (")),
        };
        let sizes = Set::parse(&context, &format!("{prefix}{{ : {condition} }}"))?;
        let depth = self
            .statements
            .iter()
            .map(|s| components(&s.time))
            .max()
            .unwrap_or(0);
        let statements = self
            .statements
            .iter()
            .map(|statement| self.parse_statement(&context, &prefix, depth, statement))
            .collect::<Result<Vec<Statement>>>()?;
        let mut arrays = self.arrays.clone();
        for (position, array) in arrays.iter_mut().enumerate() {
            let written = statements
                .iter()
                .any(|s| s.write.array == ArrayId(position));
            array.output = match &self.outputs {
                Some(names) => names.contains(&array.name),
                None => written && array.role != Role::Local,
            };
        }
        Ok(Program {
            name: self.name.clone(),
            params: self.params.clone(),
            context: sizes,
            assumptions: self.assumptions.clone(),
            arrays,
            statements,
            omitted: Vec::new(),
        })
    }

    fn parse_statement(
        &self,
        context: &Context,
        prefix: &str,
        depth: usize,
        text: &StatementText,
    ) -> Result<Statement> {
        let instance = format!("{}[{}]", text.name, text.iterators);
        let domain = format!("{prefix}{{ {instance} : {} }}", text.condition);
        let domain = Set::parse(context, &domain)?;
        let padding = ", 0".repeat(depth - components(&text.time));
        let padded = format!("{}{padding}", text.time);
        let time = format!("{prefix}{{ {instance} -> [{padded}] }}");
        let access = |cell: &String| -> Result<Access> {
            let array = cell.split('[').next().unwrap_or(cell).trim();
            let position = self.arrays.iter().position(|a| a.name == array);
            let array = position.map(ArrayId).ok_or_else(|| {
                ProgramError::Invalid(format!("{} uses the unknown array {array}", text.name))
            })?;
            let cell = if cell.contains('[') {
                cell.clone()
            } else {
                format!("{cell}[]")
            };
            let map = Map::parse(context, &format!("{prefix}{{ {instance} -> {cell} }}"))?;
            Ok(Access {
                array,
                map: map.intersect_domain(&domain)?,
                span: None,
            })
        };
        let schedule = Map::parse(context, &time)?.intersect_domain(&domain)?;
        let shown = || {
            let value = text.value.display(
                &|position| text.reads.get(position).cloned().unwrap_or_default(),
                &|position| {
                    names(&text.iterators)
                        .get(position)
                        .copied()
                        .unwrap_or("?")
                        .into()
                },
            );
            format!("{} = {value};", text.write)
        };
        Ok(Statement {
            name: text.name.clone(),
            iterators: names(&text.iterators)
                .into_iter()
                .map(String::from)
                .collect(),
            schedule,
            write: access(&text.write)?,
            reads: text.reads.iter().map(access).collect::<Result<_>>()?,
            value: text.value.clone(),
            span: None,
            text: text.text.clone().unwrap_or_else(shown),
            domain,
        })
    }
}

/// The names in a comma-separated list.
fn names(list: &str) -> Vec<&str> {
    list.split(',')
        .map(str::trim)
        .filter(|name| !name.is_empty())
        .collect()
}

/// How many components a comma-separated tuple has, commas inside parentheses aside.
fn components(tuple: &str) -> usize {
    let mut depth = 0i32;
    let mut commas = 0;
    for letter in tuple.chars() {
        match letter {
            '(' => depth += 1,
            ')' => depth -= 1,
            ',' if depth == 0 => commas += 1,
            _ => {}
        }
    }
    if tuple.trim().is_empty() {
        0
    } else {
        commas + 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn copy<'a>(
        name: &'a str,
        time: &'a str,
        write: &'a str,
        reads: &'a [&'a str],
    ) -> Assignment<'a> {
        let value = Expression::Read(0);
        let condition = "0 <= i < N";
        Assignment {
            name,
            iterators: "i",
            condition,
            time,
            write,
            reads,
            value,
        }
    }

    #[test]
    fn counts_components() {
        for (tuple, count) in [("", 0), ("i", 1), ("0, i, j", 3), ("max(i, j), 1", 2)] {
            assert_eq!(components(tuple), count, "{tuple}");
        }
    }

    #[test]
    fn unknown_arrays_and_bad_text_are_errors() {
        let mut builder = ProgramBuilder::new("bad", &["N"]);
        builder.statement(copy("S0", "i", "A[i]", &[]));
        assert!(matches!(builder.build(), Err(ProgramError::Invalid(_))));
        builder.array("A", &["N"], ElementType::F64, Role::Parameter);
        assert!(builder.build().is_ok());
        builder.assume("N >=");
        assert!(matches!(builder.build(), Err(ProgramError::Poly(_))));
    }

    #[test]
    fn outputs_follow_the_contract() {
        let mut builder = ProgramBuilder::new("copy", &["N"]);
        for (name, role) in [
            ("A", Role::Parameter),
            ("B", Role::Parameter),
            ("t", Role::Local),
        ] {
            builder.array(name, &["N"], ElementType::F64, role);
        }
        builder.statement(copy("S0", "0, i", "t[i]", &["A[i]"]));
        builder.statement(copy("S1", "1, i", "B[i]", &["t[i]"]));
        let output = |builder: &ProgramBuilder| -> Vec<bool> {
            builder
                .build()
                .unwrap()
                .arrays
                .iter()
                .map(|a| a.output)
                .collect()
        };
        assert_eq!(output(&builder), [false, true, false]);
        builder.outputs(&["t"]);
        assert_eq!(output(&builder), [false, false, true]);
    }
}
