//! Exact memory dependences, and the proof that a family of functions never turns one around.
//!
//! ```text
//! flow:    last writer → reader          (value-based, from Dataflow)
//! anti:    reader → every later writer of the cell
//! output:  writer → every later writer of the cell
//! ```
//!
//! **Free sums.** In a model that frees sums, the links `x = x ⊕ e` of one sum may be executed in any order. Of a statement
//! in [`free_sums`], the dependences between its own instances by way of the cell they update are left out, and every
//! link of a sum, not only the last one, comes before each reader of the cell that followed. Then legal orders compute the
//! same up to rounding. *Proof.* Two links of one cell that another statement writes in between keep their order, by way
//! of that write; if none does, they belong to one sum, as every link reads the cell it writes. No one but the next link
//! reads a value that has one (`private`), so in the old order, links and foreign reads of a sum do not mix: all readers
//! of its value stand after all its links there, and stay there; what was read or written before the sum, too. So in the
//! new order exactly the same links stand between the same foreign accesses, each with the same term: its other
//! operands are not of this statement (`independent`), or are reads as any other. ∎
//!
//! With symbolic sizes, so a proof holds for every size within the program's assumptions. Extents that are declared are
//! never negative.

use std::collections::BTreeMap;

use redblue_cert::Sums;
use redblue_poly::{Map, Set};
use redblue_program::{Access, Dataflow, Program, StatementId};

use crate::error::Result;
use crate::order::{Family, Row, loop_names};

/// All pairs of statements with the instances that depend on each other.
pub(crate) struct Dependences {
    pairs: BTreeMap<(StatementId, StatementId), Vec<Map>>,
}

impl Dependences {
    /// The dependences of a program in which the sums of some statements are free.
    pub(crate) fn of(
        program: &Program,
        dataflow: &Dataflow,
        free: &[StatementId],
    ) -> Result<Dependences> {
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
            for (position, operand) in operands.iter().enumerate() {
                for (writer, map) in &operand.producers {
                    if !is_link(dataflow, free, *writer, reader, position) {
                        add(*writer, reader, map.clone())?;
                    }
                }
            }
        }
        for writer in free {
            let write = &program.statement(*writer).write;
            for (reader, operands) in dataflow.statements() {
                for (position, operand) in operands.iter().enumerate() {
                    if operand.array == write.array
                        && !is_link(dataflow, free, *writer, reader, position)
                    {
                        let access = &program.statement(reader).reads[position];
                        let before = before(program, *writer, reader)?;
                        add(*writer, reader, conflict(write, access, &before)?)?;
                    }
                }
            }
        }
        for to in program.statement_ids() {
            let write = &program.statement(to).write;
            for from in program.statement_ids() {
                let statement = program.statement(from);
                let mut earlier: Option<Map> = None;
                let groups = statement.operands_by_cell()?;
                let is_free = from == to && free.contains(&from);
                let reads = groups
                    .iter()
                    .filter(|group| !is_link(dataflow, free, from, to, group[0]))
                    .map(|group| &statement.reads[group[0]]);
                let same = |access: &&Access| access.array == write.array;
                let writes = (!is_free).then_some(&statement.write);
                for access in reads.chain(writes).filter(same) {
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

/// Statements all of whose sums may be taken in any order: nobody sees a partial sum, no term needs one, every sum starts
/// with a value, and every sum is used, so that what is counted in the old order of its links holds in any, see
/// [`crate::residency`].
pub(crate) fn free_sums(
    program: &Program,
    dataflow: &Dataflow,
    sums: Sums,
) -> Result<Vec<StatementId>> {
    let mut free = Vec::new();
    if sums == Sums::Fixed {
        return Ok(free);
    }
    for id in program.statement_ids() {
        let Some(sum) = dataflow.reduction(id) else {
            continue;
        };
        let operands = dataflow.operands(id);
        let undefined = |link: &usize| operands[*link].undefined.is_some();
        if !sum.private || !sum.independent || sum.operands.iter().any(undefined) {
            continue;
        }
        let ends = program
            .statement(id)
            .domain
            .subtract(&sum.chain.domain()?)?;
        let mut unused = ends.intersect_params(&program.context)?;
        for (_, operands) in dataflow.statements() {
            for map in operands.iter().filter_map(|o| o.from_statement(id)) {
                unused = unused.subtract(&map.domain()?)?;
            }
        }
        let writers = dataflow.outputs.iter().flat_map(|output| &output.writers);
        for (_, cells) in writers.filter(|(writer, _)| *writer == id) {
            unused = unused.subtract(&cells.domain()?)?;
        }
        if unused.is_empty()? {
            free.push(id);
        }
    }
    Ok(free)
}

/// Whether an operand of the reader takes on a free sum of the writer.
fn is_link(
    dataflow: &Dataflow,
    free: &[StatementId],
    writer: StatementId,
    reader: StatementId,
    position: usize,
) -> bool {
    let sum = dataflow.reduction(reader);
    writer == reader
        && free.contains(&writer)
        && sum.is_some_and(|sum| sum.operands.contains(&position))
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use redblue_program::c::{self, CInput};
    use redblue_program::reading::ReadOptions;

    use super::*;

    /// The free statements of a program, and whether the last loop of its first statement may be turned around.
    fn check(text: &str, free: &[usize], turned: bool) {
        let input = CInput { name: "f.c", text };
        let reading = c::read(&input, &ReadOptions::default(), &|_| None);
        let program = reading.program.unwrap();
        let flow = Dataflow::of(&program).unwrap();
        let found = free_sums(&program, &flow, Sums::Free).unwrap();
        let numbers: Vec<usize> = found.iter().map(|id| id.0).collect();
        assert_eq!(numbers, free, "{text}");
        assert!(free_sums(&program, &flow, Sums::Fixed).unwrap().is_empty());
        let dependences = Dependences::of(&program, &flow, &found).unwrap();
        let params = program.params.len();
        let rows = program.statements.iter().map(|statement| {
            let dims = statement.iterators.len();
            let last = dims.checked_sub(1)?;
            Some(Row::unit(dims, params, last).negated())
        });
        let family = Family {
            name: String::new(),
            rows: rows.collect(),
        };
        let forward = dependences.forward(&program, &family, &[]).unwrap();
        assert_eq!(forward, turned, "{text}");
    }

    #[test]
    fn only_sums_whose_parts_nobody_sees_are_free() {
        check(
            "void f(int N, double x[N], double s[1]) { for (int i = 0; i < N; i++) s[0] += x[i]; }",
            &[0],
            true,
        );
        // A reader of every partial sum.
        check(
            "void f(int N, double x[N], double y[N], double s[1]) {
                for (int i = 0; i < N; i++) { s[0] += x[i]; y[i] = s[0]; } }",
            &[],
            false,
        );
        // Both are free, but all terms of the first come before the second changes what they read.
        check(
            "void f(int N, double x[N], double s[2]) {
                for (int i = 0; i < N; i++) s[0] += x[i] * s[1];
                for (int i = 0; i < N; i++) s[1] += x[i]; }",
            &[0, 1],
            false,
        );
        // Not associative.
        check(
            "void f(int N, double x[N], double s[1]) { for (int i = 0; i < N; i++) s[0] = x[i] - s[0]; }",
            &[],
            false,
        );
        // Overwritten in between: sums of different values of `i` keep their order, by way of the statement between.
        check(
            "void f(int N, double x[N][N], double y[N], double s[1]) {
                for (int i = 0; i < N; i++) {
                    for (int j = 0; j < N; j++) s[0] += x[i][j];
                    y[i] = s[0];
                    s[0] = 0; } }",
            &[0],
            false,
        );
    }
}
