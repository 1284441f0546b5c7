//! Which loops are parallel, and which operands a loop does not change.
//!
//! ```text
//! parallel: { s -> t : cell(s) = cell(t), one writes, time(s)[..d] = time(t)[..d], time(s)[d] ≠ time(t)[d] } = ∅
//! quiet:    { s -> t : cell(s) = cell(t), s writes, t reads, time(s)[..d] = time(t)[..d] } = ∅
//! ```
//!
//! Exact, by isl, on the storage as it is after folding, for the instances that a piece of code executes:
//! bounds and conditions around it are known facts about times. What takes too long counts as not proved.

use redblue_poly::scan::{Comparison, Condition, Expr, Form, Loop};
use redblue_poly::{Map, PolyError, PwAff, Set};
use redblue_program::{Access, ArrayId, Program};

use super::Result;
use super::plan::Storage;

/// Everything statements touch, with their times.
pub(super) struct Conflicts {
    params: Vec<String>,
    times: Vec<Map>,
    touches: Vec<Touch>,
}

struct Touch {
    statement: usize,
    array: ArrayId,
    /// Position of the operand; `None` is the write.
    operand: Option<usize>,
    cell: Map,
}

/// What is known about the times of the instances in a piece of code.
#[derive(Clone, Debug, Default)]
pub(super) struct Known {
    facts: Vec<String>,
}

impl Conflicts {
    /// Collects what all statements touch; `times` are the schedules on their domains.
    pub(super) fn new(program: &Program, arrays: &[Storage], times: &[Map]) -> Result<Conflicts> {
        let mut touches = Vec::new();
        for (index, statement) in program.statements.iter().enumerate() {
            let domain = times[index].domain()?;
            let reads = statement.reads.iter().enumerate();
            let reads = reads.map(|(position, access)| (access, Some(position)));
            for (access, operand) in reads.chain([(&statement.write, None)]) {
                touches.push(Touch {
                    statement: index,
                    array: access.array,
                    operand,
                    cell: folded(access, arrays)?.intersect_domain(&domain)?,
                });
            }
        }
        Ok(Conflicts {
            params: program.params.iter().map(|p| p.name.clone()).collect(),
            times: times.to_vec(),
            touches,
        })
    }

    /// Whether no two iterations of the loop over a component of the time conflict.
    pub(super) fn is_parallel(
        &self,
        dim: usize,
        statements: &[usize],
        known: &Known,
    ) -> Result<bool> {
        let mine = |touch: &&Touch| statements.contains(&touch.statement);
        for writer in self
            .touches
            .iter()
            .filter(mine)
            .filter(|t| t.operand.is_none())
        {
            for other in self
                .touches
                .iter()
                .filter(mine)
                .filter(|t| t.array == writer.array)
            {
                let proved = proof(self.meet(writer, other, dim, known).and_then(|together| {
                    together.is_subset(&self.same(writer, other, dim + 1)?)
                }))?;
                if !proved {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// Whether no statement of a loop over a component of the time writes what an operand reads in it.
    pub(super) fn is_quiet(
        &self,
        dim: usize,
        statements: &[usize],
        (statement, operand): (usize, usize),
        known: &Known,
    ) -> Result<bool> {
        let reader = self
            .touches
            .iter()
            .find(|t| t.statement == statement && t.operand == Some(operand));
        let Some(reader) = reader else {
            return Ok(false);
        };
        for writer in self.touches.iter().filter(|t| {
            t.operand.is_none() && t.array == reader.array && statements.contains(&t.statement)
        }) {
            let together = self.meet(writer, reader, dim, known);
            if !proof(together.and_then(|map| map.is_empty()))? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Pairs of instances that touch one cell in one iteration of the loops around a component.
    fn meet(&self, a: &Touch, b: &Touch, dim: usize, known: &Known) -> redblue_poly::Result<Map> {
        let cells = a.cell.apply_range(&b.cell.reverse()?)?;
        let together = cells.intersect(&self.same(a, b, dim)?)?;
        let times = known.times(
            &self.params,
            self.times[a.statement].n_out(),
            &self.times[0],
        )?;
        let here = |touch: &Touch| times.apply(&self.times[touch.statement].reverse()?);
        together
            .intersect_domain(&here(a)?)?
            .intersect_range(&here(b)?)
    }

    /// Pairs of instances whose times agree in the first components.
    fn same(&self, a: &Touch, b: &Touch, length: usize) -> redblue_poly::Result<Map> {
        let prefix = |touch: &Touch| {
            let time = &self.times[touch.statement];
            time.project_out_out(length, time.n_out() - length)
        };
        prefix(a)?.apply_range(&prefix(b)?.reverse()?)
    }
}

/// Too long is "not proved".
fn proof(answer: std::result::Result<bool, PolyError>) -> Result<bool> {
    match answer {
        Err(PolyError::Budget { .. }) => Ok(false),
        other => Ok(other?),
    }
}

impl Known {
    /// Inside a loop its counter is within its bounds.
    pub(super) fn enter(&mut self, at: &Loop, params: &[String]) {
        let counter = text(
            &Form {
                constant: 0,
                terms: vec![(at.iterator, 1)],
            },
            params,
        );
        for (bound, sign) in [(&at.first, ">="), (&at.last, "<=")] {
            let list = match bound {
                Expr::Max(list) if sign == ">=" => list.clone(),
                Expr::Min(list) if sign == "<=" => list.clone(),
                other => vec![other.clone()],
            };
            for operand in &list {
                if let Expr::Linear(form) = operand {
                    self.facts
                        .push(format!("{counter} {sign} {}", text(form, params)));
                }
            }
        }
    }

    /// Where a condition holds.
    pub(super) fn assume(&mut self, condition: &Condition, params: &[String]) {
        match condition {
            Condition::All(parts) => parts.iter().for_each(|part| self.assume(part, params)),
            Condition::Zero(comparison, Expr::Linear(form)) => {
                let sign = match comparison {
                    Comparison::Equal => "=",
                    Comparison::NonNegative => ">=",
                };
                self.facts.push(format!("{} {sign} 0", text(form, params)));
            }
            _ => {}
        }
    }

    fn times(&self, params: &[String], depth: usize, model: &Map) -> redblue_poly::Result<Set> {
        let dims: Vec<String> = (0..depth).map(|d| format!("time__{d}")).collect();
        let facts = if self.facts.is_empty() {
            "true".to_string()
        } else {
            self.facts.join(" and ")
        };
        let text = format!(
            "[{}] -> {{ [{}] : {facts} }}",
            params.join(", "),
            dims.join(", ")
        );
        Set::parse(model.context(), &text)
    }
}

/// A form over parameters and components of the time, in isl notation.
fn text(form: &Form, params: &[String]) -> String {
    let mut out = form.constant.to_string();
    for (position, factor) in &form.terms {
        let name = match position.checked_sub(params.len()) {
            None => params[*position].clone(),
            Some(dim) => format!("time__{dim}"),
        };
        out += &format!(" + {factor}*{name}");
    }
    out
}

/// The place an access touches: its cell with folded subscripts.
fn folded(access: &Access, arrays: &[Storage]) -> Result<Map> {
    let fold = &arrays[access.array.0].fold;
    if !fold.is_folded() {
        return Ok(access.map.clone());
    }
    let space = access.map.range()?.space()?;
    let mut places = Vec::new();
    for (dim, modulus) in fold.moduli.iter().enumerate() {
        let subscript = PwAff::dim(&space, dim)?;
        places.push(match modulus {
            Some(modulus) => subscript.modulo(*modulus)?,
            None => subscript,
        });
    }
    let place = Map::from_pw_affs(&space, "", &places)?;
    Ok(access.map.apply_range(&place)?)
}
