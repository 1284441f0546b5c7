//! Which loops repeat themselves, after how many iterations, and how far the arrays move meanwhile.

use crate::nest::{Loop, Nest, Step};
use crate::trace::{Shape, Trace};

/// How a loop repeats itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Period {
    /// After this many iterations every array has moved by whole cells.
    pub(super) iterations: u64,
    /// By how many cells each array moves in that time.
    pub(super) shift: Vec<i64>,
}

/// Longer periods than this are never worth waiting for.
const LONGEST: u64 = 1 << 20;

/// The period of every loop by its number; `None` for loops whose iterations do not do the same.
pub(super) fn periods(nest: &Nest) -> Vec<Option<Period>> {
    let mut periods = vec![None; nest.loops()];
    collect(nest.steps(), nest.shape(), &mut periods);
    periods
}

fn collect(steps: &[Step], shape: &Shape, periods: &mut [Option<Period>]) {
    for step in steps {
        match step {
            Step::Loop(l) => {
                periods[l.id] = period(l, shape);
                collect(&l.body, shape, periods);
            }
            Step::Guard {
                then, otherwise, ..
            } => {
                collect(then, shape, periods);
                collect(otherwise, shape, periods);
            }
            Step::Touch(_) => {}
        }
    }
}

fn period(l: &Loop, shape: &Shape) -> Option<Period> {
    let mut strides = vec![None; shape.arrays().len()];
    strides_of(&l.body, l.iterator, shape, &mut strides)?;
    let words = shape.grain().words();
    let per_iteration: Vec<i64> = strides
        .iter()
        .map(|stride| stride.unwrap_or(0).checked_mul(l.step))
        .collect::<Option<_>>()?;
    // The least number of iterations after which all strides are multiples of a line.
    let mut iterations = 1;
    for stride in &per_iteration {
        let own = words / gcd(words, stride.unsigned_abs());
        iterations = iterations / gcd(iterations, own) * own;
        if iterations > LONGEST {
            return None;
        }
    }
    let shift = |stride: &i64| {
        stride
            .checked_mul(iterations as i64)
            .map(|s| s / words as i64)
    };
    Some(Period {
        iterations,
        shift: per_iteration.iter().map(shift).collect::<Option<_>>()?,
    })
}

/// Finds the one stride of each array along an iterator; `None` if there are several, or if what is done
/// depends on the iterator in any other way.
fn strides_of(
    steps: &[Step],
    iterator: usize,
    shape: &Shape,
    strides: &mut [Option<i64>],
) -> Option<()> {
    for step in steps {
        match step {
            Step::Loop(l) => {
                if l.first.involves(iterator) || l.last.involves(iterator) {
                    return None;
                }
                strides_of(&l.body, iterator, shape, strides)?;
            }
            Step::Guard {
                condition,
                then,
                otherwise,
            } => {
                if condition.involves(iterator) {
                    return None;
                }
                strides_of(then, iterator, shape, strides)?;
                strides_of(otherwise, iterator, shape, strides)?;
            }
            Step::Touch(touch) => {
                let stride = touch.place.stride(iterator)?;
                let array = shape.references()[touch.reference as usize].array as usize;
                if strides[array].is_some_and(|other| other != stride) {
                    return None;
                }
                strides[array] = Some(stride);
            }
        }
    }
    Some(())
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}
