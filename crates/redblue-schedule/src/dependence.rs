//! Exact memory dependences, and the proof that a family of functions never turns one around.
//!
//! ```text
//! flow:    last writer → reader          (value-based, from Dataflow)
//! anti:    reader → every later writer of the cell
//! output:  writer → every later writer of the cell
//! ```
//!
//! With symbolic sizes, so a proof holds for every size within the program's assumptions. Extents that are declared are
//! never negative.

use std::collections::BTreeMap;

use redblue_poly::{Map, Set};
use redblue_program::{Access, Dataflow, Program, StatementId};

use crate::error::Result;
use crate::order::{Family, Row, loop_names};

/// All pairs of statements with the instances that depend on each other.
pub(crate) struct Dependences {
    pairs: BTreeMap<(StatementId, StatementId), Vec<Map>>,
}

impl Dependences {
    /// The dependences of a program.
    pub(crate) fn of(program: &Program, dataflow: &Dataflow) -> Result<Dependences> {
        let mut pairs: BTreeMap<(StatementId, StatementId), Vec<Map>> = BTreeMap::new();
        let sizes = sizes(program)?;
        let mut add = |from, to, map: Map| -> Result<()> {
            let map = map.intersect_params(&sizes)?;
            if !map.is_empty()? {
                pairs.entry((from, to)).or_default().push(map);
            }
            Ok(())
        };
        for (reader, operands) in dataflow.statements() {
            for operand in operands {
                for (writer, map) in &operand.producers {
                    add(*writer, reader, map.clone())?;
                }
            }
        }
        for to in program.statement_ids() {
            let write = &program.statement(to).write;
            for from in program.statement_ids() {
                let statement = program.statement(from);
                let mut earlier: Option<Map> = None;
                let groups = statement.operands_by_cell()?;
                let reads = groups.iter().map(|group| &statement.reads[group[0]]);
                let same = |access: &&Access| access.array == write.array;
                for access in reads.chain([&statement.write]).filter(same) {
                    let before = match &earlier {
                        Some(map) => map.clone(),
                        None => before(program, from, to)?,
                    };
                    earlier = Some(before.clone());
                    add(from, to, conflict(access, write, &before)?)?;
                }
            }
        }
        Ok(Dependences { pairs })
    }

    /// Whether no dependence within the family's statements is turned around, of those that leave some other
    /// families equal.
    pub(crate) fn forward(
        &self,
        program: &Program,
        family: &Family,
        equal: &[&Family],
    ) -> Result<bool> {
        for ((from, to), maps) in &self.pairs {
            let (Some(source), Some(target)) = (family.row(*from), family.row(*to)) else {
                continue;
            };
            let mut backward = compared(program, (*from, source), (*to, target), ">")?;
            for other in equal {
                if let (Some(one), Some(two)) = (other.row(*from), other.row(*to)) {
                    let level = compared(program, (*from, one), (*to, two), "=")?;
                    backward = backward.intersect(&level)?;
                }
            }
            for map in maps {
                if !map.is_disjoint(&backward)? {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// Whether some dependence leads from one statement to another.
    pub(crate) fn between(&self, from: StatementId, to: StatementId) -> bool {
        self.pairs.contains_key(&(from, to))
    }
}

/// The sizes that a program is run with: those it assumes, and no declared extent is negative, which C forbids, too.
fn sizes(program: &Program) -> Result<Set> {
    let params: Vec<&str> = program.params.iter().map(|p| p.name.as_str()).collect();
    let mut sizes = program.context.clone();
    for extent in program.arrays.iter().flat_map(|a| &a.extents).flatten() {
        let text = format!("[{}] -> {{ : {extent} >= 0 }}", params.join(", "));
        sizes = sizes.intersect(&Set::parse(program.context.context(), &text)?)?;
    }
    Ok(sizes)
}

/// Instances of one statement to later instances of another that touch the same cell.
fn conflict(access: &Access, write: &Access, before: &Map) -> Result<Map> {
    Ok(access
        .map
        .apply_range(&write.map.reverse()?)?
        .intersect(before)?)
}

/// Instances of one statement to later instances of another.
fn before(program: &Program, from: StatementId, to: StatementId) -> Result<Map> {
    let (from, to) = (program.statement(from), program.statement(to));
    let first = from.schedule.intersect_domain(&from.domain)?;
    let second = to.schedule.intersect_domain(&to.domain)?;
    let later = Map::lex_lt(&first.space()?.range()?)?;
    Ok(first.apply_range(&later)?.apply_range(&second.reverse()?)?)
}

/// All pairs of instances whose values compare like this.
fn compared(
    program: &Program,
    (from, source): (StatementId, &Row),
    (to, target): (StatementId, &Row),
    relation: &str,
) -> Result<Map> {
    let params: Vec<String> = program.params.iter().map(|p| p.name.clone()).collect();
    let (before, after) = (
        loop_names("s", source.dims.len()),
        loop_names("t", target.dims.len()),
    );
    let text = format!(
        "[{}] -> {{ {}[{}] -> {}[{}] : {} {relation} {} }}",
        params.join(", "),
        program.statement(from).name,
        before.join(", "),
        program.statement(to).name,
        after.join(", "),
        source.text(&before, &params),
        target.text(&after, &params),
    );
    Ok(Map::parse(program.context.context(), &text)?)
}
