//! Dependences: that an operand reads exactly the value that was written there last.
//!
//! ```text
//! y ──write──► cell ◄──read── x        y strictly before x, and no write to the cell strictly between;
//!              cell ◄──read── x        an input: no write to the cell before x at all
//! ```
//!
//! Everything is an emptiness test on the program's own accesses and schedules; the dataflow analysis of
//! the front end is not used.

use redblue_poly::Map;
use redblue_program::{Role, Statement};

use super::view::{Kind, View};
use crate::certificate::{Dependence, Edge};
use crate::refusal::{Cause, Refusal, Result, demand};

/// A dependence that holds.
pub(crate) struct Flow {
    /// Name of the reading statement.
    pub(crate) reader: String,
    /// Which of its operands reads.
    pub(crate) operand: usize,
    /// Name of the writing statement; none for an input.
    pub(crate) writer: Option<String>,
    /// From the reader to the writer or the cell.
    pub(crate) relation: Map,
}

impl Flow {
    /// Verifies one entry of the table.
    pub(super) fn verify(view: &View, claim: &Dependence) -> Result<Flow> {
        let reader = view.statement(&claim.reader)?;
        let used = reader.value.operands().contains(&claim.operand);
        let read = reader.reads.get(claim.operand).filter(|_| used);
        let read =
            read.ok_or_else(|| no(format!("{} has no operand {}", reader.name, claim.operand)))?;
        let relation = view.map(&claim.relation)?;
        let array = view.array_of(read)?;
        let source = claim.writer.as_ref().unwrap_or(&array.name);
        demand(
            relation.in_tuple().as_ref() == Some(&reader.name)
                && relation.out_tuple().as_ref() == Some(source)
                && relation.domain()?.is_subset(&reader.domain)?,
            Cause::Dependence,
            || format!("the relation should lead from {} to {source}", reader.name),
        )?;
        demand(relation.is_single_valued()?, Cause::Dependence, || {
            format!("an instance of {} reads two values", reader.name)
        })?;
        let read = read.map.intersect_domain(&relation.domain()?)?;
        let same_array = view
            .statements()
            .iter()
            .filter(|s| s.write.array == reader.reads[claim.operand].array);
        match &claim.writer {
            None => {
                demand(array.role != Role::Local, Cause::Dependence, || {
                    format!(
                        "{} is local: what nobody wrote there is no input",
                        array.name
                    )
                })?;
                demand(relation.is_subset(&read)?, Cause::Dependence, || {
                    format!("{} reads another cell", reader.name)
                })?;
                for other in same_array {
                    let earlier = earlier_writes(view, reader, &read, other)?;
                    demand(earlier.is_empty()?, Cause::Dependence, || {
                        format!("{} may have written the cell before", other.name)
                    })?;
                }
            }
            Some(name) => {
                let writer = view.statement(name)?;
                demand(
                    relation.range()?.is_subset(&writer.domain)?,
                    Cause::Dependence,
                    || format!("not all instances of {name} exist"),
                )?;
                let cell = relation.apply_range(&writer.write.map)?;
                demand(cell.is_subset(&read)?, Cause::Dependence, || {
                    format!("{} reads another cell than {name} writes", reader.name)
                })?;
                let in_order = view.before(writer, reader)?.reverse()?;
                demand(relation.is_subset(&in_order)?, Cause::Dependence, || {
                    format!("{name} does not come before {}", reader.name)
                })?;
                for other in same_array {
                    let earlier = earlier_writes(view, reader, &read, other)?;
                    let both = relation.reverse()?.apply_range(&earlier)?;
                    let between = both.intersect(&view.before(writer, other)?)?;
                    demand(between.is_empty()?, Cause::Dependence, || {
                        format!("{} may overwrite the cell in between", other.name)
                    })?;
                }
            }
        }
        Ok(Flow {
            reader: claim.reader.clone(),
            operand: claim.operand,
            writer: claim.writer.clone(),
            relation,
        })
    }
}

/// `{ reader -> writer }` with the writer strictly before the reader, writing the cell that is read.
fn earlier_writes(view: &View, reader: &Statement, read: &Map, writer: &Statement) -> Result<Map> {
    let write = view.on_domain(&writer.write.map, writer)?;
    let same = read.apply_range(&write.reverse()?)?;
    if same.is_empty()? {
        return Ok(same);
    }
    Ok(same.intersect(&view.before(writer, reader)?.reverse()?)?)
}

/// The relation of an edge from a vertex to a vertex or an input, over copies only.
pub(super) fn edge_relation(view: &View, flows: &[Flow], edge: &Edge) -> Result<Map> {
    let mut path: Option<(Map, Option<&String>)> = None;
    for &position in &edge.0 {
        let flow = flows
            .get(position)
            .ok_or_else(|| no(format!("there is no dependence {position}")))?;
        let kind = view.kind(view.statement(&flow.reader)?);
        path = Some(match path {
            None if kind == Kind::Operation => (flow.relation.clone(), flow.writer.as_ref()),
            Some((so_far, Some(middle))) if *middle == flow.reader && kind == Kind::Copy => {
                (so_far.apply_range(&flow.relation)?, flow.writer.as_ref())
            }
            _ => return Err(no(format!("{edge:?} is not a path over copies"))),
        });
    }
    let (relation, end) = path.ok_or_else(|| no("an edge without dependences".into()))?;
    if let Some(end) = end {
        let vertex = view.kind(view.statement(end)?) == Kind::Operation;
        demand(vertex, Cause::Dependence, || {
            format!("{edge:?} does not end at a vertex")
        })?;
    }
    Ok(relation)
}

fn no(reason: String) -> Refusal {
    Refusal::new(Cause::Dependence, reason)
}
