//! What must be in fast memory while a statement runs: the words of turns, see [`crate::residency`].

use std::collections::BTreeMap;

use redblue_program::StatementId;

use crate::error::Result;
use crate::order::Dim;
use crate::residency::{Class, repeats};
use crate::site::{Reference, Site};

/// Work for asking whether a statement and a class meet.
const MEETING: u64 = 20;

/// Classes that share so many words.
pub(crate) type Bundle<'c> = (Vec<&'c Class>, u128);

/// The most words that some statement needs, where others keep nothing.
pub(crate) fn words_by_turns(
    site: &Site<'_>,
    dims: &[Dim],
    statements: &[StatementId],
    bundles: &[Bundle<'_>],
    alone: &[Reference],
) -> Result<u128> {
    let mut most = 0;
    for id in statements {
        most = words_during(site, dims, *id, bundles, alone)?.max(most);
    }
    Ok(most)
}

/// Words while a statement runs, where some classes need so many together, and others keep nothing: at most those of the
/// classes that have instances in the same subtrees.
fn words_during(
    site: &Site<'_>,
    dims: &[Dim],
    id: StatementId,
    bundles: &[Bundle<'_>],
    alone: &[Reference],
) -> Result<u128> {
    let own: Vec<Reference> = alone
        .iter()
        .filter(|r| r.statement == id)
        .copied()
        .collect();
    let mut words = words_alone(site, &own)?;
    let kept = own.iter().all(|reference| reference.operand.is_some());
    if words > 0 && kept && is_fresh(site, id)? {
        words -= 1;
    }
    for (bundle, sum) in bundles.iter().filter(|(_, sum)| *sum > 0) {
        for class in bundle {
            if meets(site, dims.get(..class.depth).unwrap_or(dims), id, class)? {
                words = words.saturating_add(*sum);
                break;
            }
        }
    }
    Ok(words)
}

/// Words that one instance needs for references that keep nothing. Its result may take the place of an operand,
/// which is not needed any more.
pub(crate) fn words_alone(site: &Site<'_>, references: &[Reference]) -> Result<u128> {
    let mut operands: BTreeMap<StatementId, u128> = BTreeMap::new();
    let mut seen = Vec::new();
    for reference in references {
        let words = operands.entry(reference.statement).or_default();
        if reference.operand.is_some() && !repeats(site, &seen, *reference)? {
            *words += 1;
            seen.push(*reference);
        }
    }
    Ok(operands
        .values()
        .map(|words| (*words).max(1))
        .max()
        .unwrap_or(0))
}

/// Whether nothing touches the cells of a statement before it does, in any order that is legal.
fn is_fresh(site: &Site<'_>, id: StatementId) -> Result<bool> {
    if let Some(known) = site.known.borrow().fresh.get(&id) {
        return Ok(*known);
    }
    let fresh = comes_first(site, id)?;
    site.known.borrow_mut().fresh.insert(id, fresh);
    Ok(fresh)
}

/// The same, not remembered.
fn comes_first(site: &Site<'_>, id: StatementId) -> Result<bool> {
    let result = Reference {
        statement: id,
        operand: None,
    };
    let array = site.array(result);
    for other in site.program.statement_ids() {
        let statement = site.program.statement(other);
        if other != id && statement.write.array == array {
            return Ok(false);
        }
        for (position, read) in statement.reads.iter().enumerate() {
            if read.array == array && site.operand(other, position).input.is_some() {
                return Ok(false);
            }
        }
    }
    Ok(site.cells(result).reverse()?.is_single_valued()?)
}

/// Whether a statement has instances in subtrees in which a class has some.
fn meets(site: &Site<'_>, fixed: &[Dim], id: StatementId, class: &Class) -> Result<bool> {
    if class.references.iter().any(|r| r.statement == id) {
        return Ok(true);
    }
    site.spend(MEETING);
    let subtrees = site.prefix(id, fixed)?.range()?;
    for reference in &class.references {
        let others = site.prefix(reference.statement, fixed)?.range()?;
        if !subtrees.intersect(&others)?.is_empty()? {
            return Ok(true);
        }
    }
    Ok(false)
}
