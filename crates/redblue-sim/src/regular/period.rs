//! Which loops repeat themselves, after how many iterations, and how far the arrays move meanwhile.

use crate::nest::{Loop, Motion, Nest, Step, gcd, lcm};
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
    let mut body = Body {
        iterator: l.iterator,
        step: l.step,
        arrays: vec![None; shape.arrays().len()],
        iterations: 1,
    };
    body.steps(&l.body, shape)?;
    let advance = |motion: &Option<Motion>| match motion {
        Some(motion) => motion.advance_in(body.iterations),
        None => Some(0),
    };
    let advances: Vec<i64> = body.arrays.iter().map(advance).collect::<Option<_>>()?;
    // As often as it takes for all arrays to move by whole lines.
    let words = shape.grain().words();
    let whole_cells = |advance: &i64| words / gcd(words, advance.unsigned_abs());
    let times = advances.iter().map(whole_cells).fold(1, lcm);
    let iterations = body.iterations.checked_mul(times)?;
    if iterations > LONGEST {
        return None;
    }
    let shift = |advance: &i64| Some(advance.checked_mul(times as i64)? / words as i64);
    Some(Period {
        iterations,
        shift: advances.iter().map(shift).collect::<Option<_>>()?,
    })
}

/// What is found about the accesses inside a loop.
struct Body {
    iterator: usize,
    step: i64,
    /// How each array moves, once it is known to be accessed.
    arrays: Vec<Option<Motion>>,
    /// A multiple of the periods of all accesses.
    iterations: u64,
}

impl Body {
    /// Goes through a body; `None` if an array moves in several ways, or if what is done depends on the
    /// iterator in any other way.
    fn steps(&mut self, steps: &[Step], shape: &Shape) -> Option<()> {
        for step in steps {
            match step {
                Step::Loop(l) => {
                    if l.first.involves(self.iterator) || l.last.involves(self.iterator) {
                        return None;
                    }
                    self.steps(&l.body, shape)?;
                }
                Step::Guard {
                    condition,
                    then,
                    otherwise,
                } => {
                    if condition.involves(self.iterator) {
                        return None;
                    }
                    self.steps(then, shape)?;
                    self.steps(otherwise, shape)?;
                }
                Step::Touch(touch) => {
                    let motion = touch.place.motion(self.iterator, self.step)?;
                    self.iterations = lcm(self.iterations, motion.period);
                    let array = shape.references()[touch.reference as usize].array as usize;
                    let known = self.arrays[array].get_or_insert(motion);
                    // The same speed, whatever the periods.
                    let both = lcm(known.period, motion.period);
                    if known.advance_in(both)? != motion.advance_in(both)? {
                        return None;
                    }
                }
            }
        }
        Some(())
    }
}
