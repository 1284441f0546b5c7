//! Orders that take one step of time after the other and tile each step: for skewed functions, without the skew.
//!
//! **Why they are legal.** Let τ and φ be forward families (see [`crate::order`]). On the pairs that τ leaves equal,
//! φ - c·τ grows as φ does, for any c. So it may be a dimension, tiled or not, after τ itself. A stencil that needs
//! `2t + i` across steps is swept along `i` within one, and the tiles of all steps are alike, which is easy to count.

use crate::choices::subsets;
use crate::estimate::Axis;
use crate::order::{Family, Row};
use crate::search::Search;

/// Most functions that are tiled within a step.
const TILED: usize = 4;

impl Search<'_> {
    /// Forms of orders with a loop's own function first and tiles within its steps; the first axis is forward.
    pub(crate) fn step_forms(&self) -> Vec<(Vec<Axis>, usize)> {
        let mut forms = Vec::new();
        for (at, step) in self.families.iter().enumerate() {
            if !self.after[at].is_empty() {
                continue;
            }
            let Some(within) = self.within(at, step) else {
                continue;
            };
            for tiled in subsets(within.len().min(TILED)) {
                for first in (0..within.len()).filter(|_| !tiled.is_empty()) {
                    let mut axes = vec![single(step)];
                    axes.extend(tiled.iter().enumerate().map(|(size, at)| Axis {
                        family: self.starting_at_zero(&within[*at]),
                        size: Some(size),
                    }));
                    let others = (0..within.len()).filter(|at| *at != first);
                    axes.extend(
                        [first]
                            .into_iter()
                            .chain(others)
                            .map(|at| single(&within[at])),
                    );
                    forms.push((axes, 1));
                }
            }
        }
        forms
    }

    /// The other families without their part along a step; nothing if none has one, which other forms are for.
    fn within(&self, at: usize, step: &Family) -> Option<Vec<Family>> {
        let mut within = Vec::new();
        let mut skewed = false;
        for (other, family) in self.families.iter().enumerate() {
            if other == at || self.after[other].iter().any(|before| *before != at) {
                continue;
            }
            let factor = self.factor(step, family)?;
            skewed |= factor != 0;
            within.push(less(family, step, factor));
        }
        skewed.then_some(within)
    }

    /// How often a step, which is a loop in every statement, is in a family; nothing if statements differ.
    fn factor(&self, step: &Family, family: &Family) -> Option<i64> {
        let mut factor = None;
        for id in self.statements {
            let (step, row) = (step.row(*id)?, family.row(*id)?);
            let mut loops = step.dims.iter().enumerate().filter(|(_, c)| **c != 0);
            let (Some((at, 1)), None) = (loops.next(), loops.next()) else {
                return None;
            };
            if *factor.get_or_insert(row.dims[at]) != row.dims[at] {
                return None;
            }
        }
        factor
    }
}

fn single(family: &Family) -> Axis {
    Axis {
        family: family.clone(),
        size: None,
    }
}

/// A family less so many times another one, named by the loop that is left if there is one.
fn less(family: &Family, step: &Family, factor: i64) -> Family {
    if factor == 0 {
        return family.clone();
    }
    let minus = |one: &[i64], other: &[i64]| -> Vec<i64> {
        let pairs = one.iter().zip(other);
        pairs.map(|(a, b)| a - factor * b).collect()
    };
    let row = |(one, other): (&Option<Row>, &Option<Row>)| {
        let (one, other) = (one.as_ref()?, other.as_ref()?);
        Some(Row {
            dims: minus(&one.dims, &other.dims),
            params: minus(&one.params, &other.params),
            constant: one.constant - factor * other.constant,
        })
    };
    let name = family.name.rsplit('+').next().unwrap_or(&family.name);
    Family {
        name: name.to_owned(),
        rows: family.rows.iter().zip(&step.rows).map(row).collect(),
    }
}
