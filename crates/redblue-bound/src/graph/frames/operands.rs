//! Operands by what they read: neither their order in the source nor reading one value twice matters.

use std::collections::BTreeMap;

use redblue_math::Matrix;

use crate::error::Result;
use crate::graph::{Arrow, Source};

/// What an operand reads, in canonical coordinates: one entry per arrow.
type Reading = Vec<(Source, Vec<Matrix>)>;

/// Numbers the operands of every reader by what they read, and drops those that read what another one reads.
pub(super) fn numbered(arrows: Vec<Arrow>) -> Result<Vec<Arrow>> {
    let mut readers: BTreeMap<usize, BTreeMap<usize, Vec<Arrow>>> = BTreeMap::new();
    for arrow in arrows {
        let operands = readers.entry(arrow.reader).or_default();
        operands.entry(arrow.operand).or_default().push(arrow);
    }
    let mut numbered = Vec::new();
    for operands in readers.into_values() {
        let mut operands: Vec<(Reading, Vec<Arrow>)> = operands.into_values().map(keyed).collect();
        operands.sort_by(|(one, _), (other, _)| one.cmp(other));
        let mut kept: Vec<Vec<Arrow>> = Vec::new();
        for (_, operand) in operands {
            if !repeats(&kept, &operand)? {
                kept.push(operand);
            }
        }
        for (number, mut operand) in kept.into_iter().enumerate() {
            operand.iter_mut().for_each(|arrow| arrow.operand = number);
            numbered.extend(operand);
        }
    }
    Ok(numbered)
}

/// The arrows of an operand in order, with what they read.
fn keyed(mut arrows: Vec<Arrow>) -> (Reading, Vec<Arrow>) {
    let key = |arrow: &Arrow| {
        let steps = arrow.pieces.iter().map(|piece| piece.step.clone());
        (arrow.source, steps.collect::<Vec<_>>())
    };
    arrows.sort_by_cached_key(key);
    (arrows.iter().map(key).collect(), arrows)
}

/// Whether an operand reads the same values as one of the others, everywhere.
fn repeats(others: &[Vec<Arrow>], operand: &[Arrow]) -> Result<bool> {
    for other in others.iter().filter(|other| other.len() == operand.len()) {
        let mut same = true;
        for (one, two) in other.iter().zip(operand) {
            same &= one.source == two.source
                && one.accumulates == two.accumulates
                && one.relation.is_equal(&two.relation)?;
        }
        if same {
            return Ok(true);
        }
    }
    Ok(false)
}
