//! Traces straight from a program: its loops at concrete sizes, in its own order or any other.
//!
//! ```text
//! Program, order, sizes ──scan──► loops over instances ──► each instance's operands, then its target
//! ```
//!
//! Arrays are row-major with the extents the source declares (the box of what is touched where it does not
//! tell), each starting on a line; scalars are arrays of one word. Every element counts as one word,
//! whatever its type. The order of the accesses of an instance is the contract's: operands in source order,
//! the target of a compound assignment first among them, then the write.
//!
//! Subscripts are composed with the loops symbolically, so that an affine subscript in affine loops becomes
//! a constant stride per loop.

use redblue_poly::scan::{self, LoopNest};
use redblue_poly::{PolyError, Set, UnionMap};
use redblue_program::interpret::{IndexRange, Layout};
use redblue_program::{Access, Program, Sizes};

use super::formula::{position, substitute};
use super::{Expr, Nest, NestArray, Node};
use crate::error::SimError;
use crate::trace::{Grain, Reference};

impl Nest {
    /// The accesses of a program at these sizes (the source's defaults where none are given).
    ///
    /// `order` maps instances to times, in which they run in lexicographic order; `None` is the program's
    /// own order. Nothing checks that another order respects the program's dependences.
    pub fn of_program(
        program: &Program,
        sizes: &Sizes,
        order: Option<&UnionMap>,
        grain: Grain,
    ) -> Result<Nest, SimError> {
        let values = program.size_values(sizes)?;
        let layout = Layout::of(program, sizes)?;
        check_bounds(program, &layout, &values)?;
        let loops = match order {
            None => program.scan(sizes)?,
            Some(order) => reordered(program, order, &values)?,
        };
        let mut references = Vec::new();
        let mut statements = Vec::new();
        for statement in &program.statements {
            let mut accesses = Vec::new();
            let reads = statement.reads.iter().map(|read| (read, false));
            for (access, write) in reads.chain([(&statement.write, true)]) {
                let map = program.map_at(&access.map, &values)?;
                let word = position(&map, layout.ranges(access.array))?;
                accesses.push((references.len() as u32, word));
                references.push(Reference {
                    array: access.array.0 as u32,
                    write,
                    text: format!("{}: {}", statement.name, spelled(program, access)),
                });
            }
            statements.push(accesses);
        }
        let arrays = program.arrays.iter().enumerate().map(|(id, array)| {
            let ranges = layout.ranges(redblue_program::ArrayId(id)).iter();
            NestArray {
                name: array.name.clone(),
                words: ranges.map(|range| range.extent.unsigned_abs()).product(),
                output: array.output,
            }
        });
        let arrays = arrays.collect();
        let roots = nodes(loops.roots(), &statements);
        Nest::trusted(grain, arrays, references, &roots)
    }
}

/// Loops for another order of a program's instances.
fn reordered(program: &Program, order: &UnionMap, values: &[i64]) -> Result<LoopNest, SimError> {
    let instances = program.schedule()?.domain()?;
    let order = order.intersect_domain(&instances)?;
    let ordered = order.domain()?;
    if !instances.is_subset(&ordered)? {
        return Err(SimError::IncompleteOrder);
    }
    let names: Vec<&str> = program.statements.iter().map(|s| s.name.as_str()).collect();
    let params = program.params.iter().map(|param| param.name.clone());
    let sizes = params.zip(values.iter().copied()).collect();
    Ok(LoopNest::build(&order, &names, &sizes)?)
}

/// Checks that no access leaves the box of its array, which is what keeps every cell number valid.
fn check_bounds(program: &Program, layout: &Layout, values: &[i64]) -> Result<(), SimError> {
    for statement in &program.statements {
        for access in statement.reads.iter().chain([&statement.write]) {
            let inside = access.map.intersect_domain(&statement.domain)?;
            let touched = program.map_at(&inside, values)?.range()?;
            if !touched.is_subset(&box_of(&touched, layout.ranges(access.array))?)? {
                return Err(SimError::OutOfBounds {
                    reference: format!("{}: {}", statement.name, spelled(program, access)),
                });
            }
        }
    }
    Ok(())
}

/// The box of an array, in the space of `like`.
fn box_of(like: &Set, ranges: &[IndexRange]) -> Result<Set, PolyError> {
    let dims: Vec<String> = (0..ranges.len()).map(|dim| format!("i{dim}")).collect();
    let bounds: Vec<String> = ranges
        .iter()
        .zip(&dims)
        .map(|(range, dim)| {
            let end = range.first + range.extent;
            format!("{} <= {dim} < {end}", range.first)
        })
        .collect();
    let name = like.tuple_name().unwrap_or_default();
    let condition = if bounds.is_empty() {
        String::new()
    } else {
        format!(" : {}", bounds.join(" and "))
    };
    let text = format!("{{ {name}[{}]{condition} }}", dims.join(", "));
    Set::parse(like.context(), &text)
}

/// The access as `A[i, j + 1]`, taken from its map.
fn spelled(program: &Program, access: &Access) -> String {
    let text = access.map.to_string();
    let image = text.split("->").last().unwrap_or_default();
    let end = image.find([':', '}']).unwrap_or(image.len());
    let image = image[..end].trim();
    if image.contains('[') {
        image.to_string()
    } else {
        program.array(access.array).name.clone()
    }
}

/// Turns loops over instances into loops over accesses.
fn nodes(loops: &[scan::Node], statements: &[Vec<(u32, Expr)>]) -> Vec<Node> {
    let mut out = Vec::new();
    for node in loops {
        match node {
            scan::Node::Loop(l) => out.push(Node::Loop {
                iterator: l.iterator,
                first: l.first.clone(),
                last: l.last.clone(),
                step: l.step,
                body: nodes(&l.body, statements),
            }),
            scan::Node::Guard {
                condition,
                then,
                otherwise,
            } => out.push(Node::Guard {
                condition: condition.clone(),
                then: nodes(then, statements),
                otherwise: nodes(otherwise, statements),
            }),
            scan::Node::Call(call) => {
                let accesses = statements[call.statement].iter();
                out.extend(accesses.map(|(reference, word)| Node::Touch {
                    reference: *reference,
                    word: substitute(word, &call.point),
                }));
            }
        }
    }
    out
}
