//! Running all instances of a program in schedule order, at concrete sizes.
//!
//! ```text
//! schedule { S[i, j] -> [0, i, j] : … } + sizes ──isl──► loops ──lower──► LoopNest ──► for_each(visit)
//! ```
//!
//! isl generates the loops once; they become a small tree of our own ([`Node`]) with integer
//! arithmetic, so that nothing of isl runs while billions of instances are visited. The innermost loop
//! is a run of points with constant steps: the first point is evaluated, the others are additions.
//! Sizes are fixed before loop generation. [`SymbolicNest`] keeps them symbolic, for code that is printed.

mod decisive;
mod lower;
mod range;
mod symbolic;
mod tree;

use std::collections::BTreeMap;
use std::ops::ControlFlow;

pub use symbolic::SymbolicNest;
pub use tree::{Call, Comparison, Condition, Expr, Form, Loop, Node};

use crate::error::Result;
use crate::set::Set;
use crate::space::Space;
use crate::sys;
use crate::union::UnionMap;

/// Loops that visit every instance of a set of statements once, in schedule order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoopNest {
    roots: Vec<Node>,
    iterators: usize,
}

/// Instances `first`, `first + step`, …, `count` of them, of one statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run<'a> {
    /// Index of the statement.
    pub statement: usize,
    /// The first instance.
    pub first: &'a [i64],
    /// What is added from one instance to the next.
    pub step: &'a [i64],
    /// How many instances there are, at least one.
    pub count: u64,
}

impl LoopNest {
    /// Loops for a schedule whose domain is restricted to the instances that exist. `statements` gives
    /// the tuple names in the order of the indices that visitors see, `sizes` every parameter's value.
    pub fn build<N: AsRef<str>>(
        schedule: &UnionMap,
        statements: &[N],
        sizes: &BTreeMap<String, i64>,
    ) -> Result<LoopNest> {
        let context = schedule.context();
        let mut concrete = schedule.clone();
        for (name, value) in sizes {
            concrete = concrete.fix_param(name, *value)?;
        }
        if concrete.is_empty()? {
            return Ok(LoopNest {
                roots: Vec::new(),
                iterators: 0,
            });
        }
        let no_params = Set::universe(&Space::params::<&str>(context, &[])?)?;
        let build = no_params.0.map(sys::isl_ast_build_from_context)?;
        let concrete = decisive::decisive(&concrete)?.0.take();
        let node = build.get(|b| sys::isl_ast_build_node_from_schedule_map(b, concrete))?;
        let names: Vec<&str> = statements.iter().map(AsRef::as_ref).collect();
        let (roots, iterators) = lower::lower(&node, &names, &[])?;
        range::check(&roots, iterators)?;
        Ok(LoopNest { roots, iterators })
    }

    /// The loops, outermost first.
    pub fn roots(&self) -> &[Node] {
        &self.roots
    }

    /// Number of loop iterators; forms refer to them by position.
    pub fn iterators(&self) -> usize {
        self.iterators
    }

    /// Visits all instances in schedule order: index of the statement, and its point.
    pub fn for_each<B>(
        &self,
        mut visit: impl FnMut(usize, &[i64]) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        self.walk(&mut |group: Group<'_>| {
            if let ([call], Some((dim, step))) = (group.calls, only_step(group.steps)) {
                // By far the most instances are visited here.
                for _ in 0..group.count {
                    visit(call.statement, group.points)?;
                    group.points[dim] = group.points[dim].wrapping_add(step);
                }
                return ControlFlow::Continue(());
            }
            for _ in 0..group.count {
                let mut at = 0;
                for call in group.calls {
                    let end = at + call.point.len();
                    visit(call.statement, &group.points[at..end])?;
                    at = end;
                }
                advance(group.points, group.steps);
            }
            ControlFlow::Continue(())
        })
    }

    /// Visits all instances in schedule order, an innermost loop with one statement as a single run.
    pub fn for_each_run<B>(
        &self,
        mut visit: impl FnMut(Run<'_>) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        self.walk(&mut |group: Group<'_>| {
            let (rounds, count) = match group.calls {
                [_] => (1, group.count),
                _ => (group.count, 1),
            };
            for _ in 0..rounds {
                let mut at = 0;
                for call in group.calls {
                    let part = at..at + call.point.len();
                    at = part.end;
                    let (first, step) = (&group.points[part.clone()], &group.steps[part]);
                    visit(Run {
                        statement: call.statement,
                        first,
                        step,
                        count,
                    })?;
                }
                advance(group.points, group.steps);
            }
            ControlFlow::Continue(())
        })
    }

    /// Number of instances.
    pub fn instances(&self) -> u64 {
        let mut total = 0u64;
        let _: ControlFlow<()> = self.walk(&mut |group: Group<'_>| {
            total = total.saturating_add(group.count.saturating_mul(group.calls.len() as u64));
            ControlFlow::Continue(())
        });
        total
    }

    fn walk<B>(&self, visit: &mut impl FnMut(Group<'_>) -> ControlFlow<B>) -> ControlFlow<B> {
        let mut state = State {
            iterators: vec![0; self.iterators],
            ..State::default()
        };
        state.nodes(&self.roots, visit)
    }
}

/// The iterations of one innermost loop: points of its calls side by side, and their steps.
struct Group<'a> {
    calls: &'a [Call],
    points: &'a mut [i64],
    steps: &'a [i64],
    count: u64,
}

#[derive(Default)]
struct State {
    iterators: Vec<i64>,
    // Buffers of the current group, kept to avoid allocation in loops.
    points: Vec<i64>,
    steps: Vec<i64>,
}

impl State {
    fn nodes<B>(
        &mut self,
        nodes: &[Node],
        visit: &mut impl FnMut(Group<'_>) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        for node in nodes {
            match node {
                Node::Loop(l) => self.iterate(l, visit)?,
                Node::Guard {
                    condition,
                    then,
                    otherwise,
                } => {
                    let chosen = if condition.holds(&self.iterators) {
                        then
                    } else {
                        otherwise
                    };
                    self.nodes(chosen, visit)?;
                }
                Node::Call(call) => self.group(std::slice::from_ref(call), None, 1, visit)?,
            }
        }
        ControlFlow::Continue(())
    }

    fn iterate<B>(
        &mut self,
        l: &Loop,
        visit: &mut impl FnMut(Group<'_>) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let first = l.first.value(&self.iterators);
        let last = l.last.value(&self.iterators);
        if first > last {
            return ControlFlow::Continue(());
        }
        self.iterators[l.iterator] = first;
        if let Some(calls) = &l.straight {
            let count = (last - first) / l.step + 1;
            return self.group(calls, Some(l), count.unsigned_abs(), visit);
        }
        let mut value = first;
        while value <= last {
            self.iterators[l.iterator] = value;
            self.nodes(&l.body, visit)?;
            value += l.step;
        }
        ControlFlow::Continue(())
    }

    fn group<B>(
        &mut self,
        calls: &[Call],
        inside: Option<&Loop>,
        count: u64,
        visit: &mut impl FnMut(Group<'_>) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        self.points.clear();
        self.steps.clear();
        for coordinate in calls.iter().flat_map(|call| &call.point) {
            self.points.push(coordinate.value(&self.iterators));
            self.steps
                .push(inside.map_or(0, |l| coordinate.step(l.iterator) * l.step));
        }
        visit(Group {
            calls,
            points: &mut self.points,
            steps: &self.steps,
            count,
        })
    }
}

#[inline]
fn advance(points: &mut [i64], steps: &[i64]) {
    for (coordinate, step) in points.iter_mut().zip(steps) {
        // One step beyond the last point may leave the checked range, hence wrapping.
        *coordinate = coordinate.wrapping_add(*step);
    }
}

/// Position and size of the only step that is not zero.
fn only_step(steps: &[i64]) -> Option<(usize, i64)> {
    let mut moving = steps
        .iter()
        .copied()
        .enumerate()
        .filter(|(_, step)| *step != 0);
    let first = moving.next();
    if moving.next().is_none() { first } else { None }
}
