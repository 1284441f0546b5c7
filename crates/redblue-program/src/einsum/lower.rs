//! From the notation to a program.
//!
//! ```text
//! ik,kj->ij    for i, j:              S0: Out[i][j] = 0
//!                  for k:             S1: Out[i][j] += A[i][k] * B[k][j]
//! ```
//!
//! The output's loops come first, in its order, then those that are summed over, in order of appearance: the
//! dataflow is that of the loops one would write in C. Without a sum there is only one statement,
//! `Out = …`. Several operands are multiplied in one statement: factoring `ij,jk,kl->il` into two products
//! would be another algorithm, with other operations and other traffic, and which one is best is not for
//! the front end to say.
//!
//! Names: the label `i` is the size `i` and runs as `i_`, because isl and C need different names for a loop
//! and its bound. Operands are `A`, `B`, … without letters that are labels; the output is `Out`.

use crate::build::{Assignment, ProgramBuilder};
use crate::einsum::notation::{Notation, Term};
use crate::expression::Expression;
use crate::program::{ElementType, Role};

/// Name of the output array.
pub(super) const OUTPUT: &str = "Out";

/// The parts of the program of an einsum that has no problems.
pub(super) fn lower(notation: &Notation, element: ElementType) -> ProgramBuilder {
    let mut builder = ProgramBuilder::new(&notation.text(), &borrowed(&notation.sizes()));
    let operands: Vec<Reference> = operand_names(&notation.letters())
        .zip(&notation.operands)
        .map(|(name, term)| Reference::new(name, term))
        .collect();
    let target = Reference::new(OUTPUT.to_string(), &notation.output);
    for array in operands.iter().chain([&target]) {
        builder.array(
            &array.name,
            &borrowed(&array.extents),
            element,
            Role::Parameter,
        );
    }

    let kept = Nest::new(notation.output.word().chars());
    let summed = Nest::new(notation.summed());
    let all = Nest::new(notation.output.word().chars().chain(notation.summed()));
    let mut reads: Vec<&str> = operands.iter().map(|array| array.cell.as_str()).collect();
    let mut value = product(0..reads.len());
    let (mut name, mut sign) = ("S0", "=");
    if !notation.summed().is_empty() {
        builder.statement(Assignment {
            name,
            iterators: &kept.iterators,
            condition: &kept.condition,
            time: &joined(&[&kept.iterators, "0"]),
            write: &target.cell,
            reads: &[],
            value: Expression::Real("0.0".to_string()),
        });
        builder.text(&format!("{} = 0.0;", target.shown));
        reads.insert(0, &target.cell);
        value = Expression::Read(0) + product(1..reads.len());
        (name, sign) = ("S1", "+=");
    }
    builder.statement(Assignment {
        name,
        iterators: &all.iterators,
        condition: &all.condition,
        time: &joined(&[&kept.iterators, "1", &summed.iterators]),
        write: &target.cell,
        reads: &reads,
        value,
    });
    let factors: Vec<&str> = operands.iter().map(|array| array.shown.as_str()).collect();
    builder.text(&format!("{} {sign} {};", target.shown, factors.join(" * ")));
    builder
}

/// One array as it occurs in the einsum.
struct Reference {
    name: String,
    /// `i` and `k`
    extents: Vec<String>,
    /// `A[i_, k_]`
    cell: String,
    /// `A[i][k]`
    shown: String,
}

impl Reference {
    fn new(name: String, term: &Term) -> Reference {
        let extents: Vec<String> = term.word().chars().map(String::from).collect();
        let subscripts: String = extents.iter().map(|label| format!("[{label}]")).collect();
        Reference {
            cell: format!("{name}[{}]", iterators(term.word().chars())),
            shown: format!("{name}{subscripts}"),
            name,
            extents,
        }
    }
}

/// Loops over some labels.
struct Nest {
    iterators: String,
    condition: String,
}

impl Nest {
    fn new(labels: impl IntoIterator<Item = char>) -> Nest {
        let labels: Vec<char> = labels.into_iter().collect();
        let bounds: Vec<String> = labels
            .iter()
            .map(|label| format!("0 <= {label}_ < {label}"))
            .collect();
        let condition = if bounds.is_empty() {
            "true".to_string()
        } else {
            bounds.join(" and ")
        };
        Nest {
            iterators: iterators(labels),
            condition,
        }
    }
}

/// Names of the loops over these labels.
fn iterators(labels: impl IntoIterator<Item = char>) -> String {
    let names: Vec<String> = labels
        .into_iter()
        .map(|label| format!("{label}_"))
        .collect();
    names.join(", ")
}

/// Parts of a time, those without loops left out.
fn joined(parts: &[&str]) -> String {
    let parts: Vec<&str> = parts
        .iter()
        .copied()
        .filter(|part| !part.is_empty())
        .collect();
    parts.join(", ")
}

/// The product of the operands at these positions, from left to right.
fn product(positions: std::ops::Range<usize>) -> Expression {
    positions
        .map(Expression::Read)
        .reduce(|product, factor| product * factor)
        .unwrap_or(Expression::Integer(1))
}

/// Capital letters that are not labels, then `T1`, `T2`, … when they run out.
fn operand_names(labels: &[char]) -> impl Iterator<Item = String> {
    let letters = ('A'..='Z')
        .filter(|letter| !labels.contains(letter))
        .map(String::from);
    letters.chain((1..).map(|number: u32| format!("T{number}")))
}

fn borrowed(texts: &[String]) -> Vec<&str> {
    texts.iter().map(String::as_str).collect()
}
