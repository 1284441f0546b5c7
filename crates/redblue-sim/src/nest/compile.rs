//! From the loops as given to loops that run fast.

use super::place::Place;
use super::{Condition, Expr, Nest, Node};
use crate::error::SimError;
use crate::trace::Shape;

/// A compiled [`Node`].
pub(crate) enum Step {
    Loop(Loop),
    Guard {
        condition: Condition,
        then: Vec<Step>,
        otherwise: Vec<Step>,
    },
    Touch(Touch),
}

/// A compiled loop.
pub(crate) struct Loop {
    /// Number of the loop, in textual order.
    pub(crate) id: usize,
    pub(crate) iterator: usize,
    pub(crate) first: Expr,
    pub(crate) last: Expr,
    pub(crate) step: i64,
    pub(crate) body: Vec<Step>,
    /// Whether the body is nothing but touches that move evenly: an innermost loop run by additions.
    pub(crate) straight: bool,
}

/// A compiled access.
pub(crate) struct Touch {
    pub(crate) reference: u32,
    pub(crate) place: Place,
}

pub(super) fn compile(shape: Shape, roots: &[Node]) -> Result<Nest, SimError> {
    let mut compiler = Compiler {
        shape,
        iterators: 0,
        loops: 0,
    };
    let steps = compiler.steps(roots)?;
    Ok(Nest {
        shape: compiler.shape,
        steps,
        iterators: compiler.iterators,
        loops: compiler.loops,
    })
}

struct Compiler {
    shape: Shape,
    iterators: usize,
    loops: usize,
}

impl Compiler {
    fn steps(&mut self, nodes: &[Node]) -> Result<Vec<Step>, SimError> {
        nodes.iter().map(|node| self.step(node)).collect()
    }

    fn step(&mut self, node: &Node) -> Result<Step, SimError> {
        Ok(match node {
            Node::Loop {
                iterator,
                first,
                last,
                step,
                body,
            } => {
                if *step <= 0 {
                    return Err(SimError::BadStep { step: *step });
                }
                let id = self.loops;
                self.loops += 1;
                self.iterators = self.iterators.max(iterator + 1);
                let body = self.steps(body)?;
                let moves_evenly = |touch: &Touch| {
                    let motion = touch.place.motion(*iterator, *step);
                    motion.is_some_and(|motion| motion.period == 1)
                };
                let straight = body.iter().all(|part| match part {
                    Step::Touch(touch) => moves_evenly(touch),
                    _ => false,
                });
                Step::Loop(Loop {
                    id,
                    iterator: *iterator,
                    first: first.clone(),
                    last: last.clone(),
                    step: *step,
                    body,
                    straight,
                })
            }
            Node::Guard {
                condition,
                then,
                otherwise,
            } => Step::Guard {
                condition: condition.clone(),
                then: self.steps(then)?,
                otherwise: self.steps(otherwise)?,
            },
            Node::Touch { reference, word } => {
                let known = self.shape.references().get(*reference as usize);
                let array = known.ok_or(SimError::StrayAccess {
                    cell: 0,
                    reference: *reference,
                })?;
                let first_cell = i64::from(self.shape.first_cell(array.array as usize));
                let base = first_cell * self.shape.grain().words() as i64;
                Step::Touch(Touch {
                    reference: *reference,
                    place: Place::new(base, word),
                })
            }
        })
    }
}
