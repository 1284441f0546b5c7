//! Complete tiles apart from those at the rim.
//!
//! ```text
//! for i = it .. min(N - 1, it + 31)        if (it + 31 <= N - 1)  for i = it .. it + 31
//!   for j = jt .. min(M - 1, jt + 31)  ──►    …                     for j = jt .. jt + 31
//!                                          else the loops as before
//! ```
//!
//! In a complete tile every minimum (maximum) in a bound of a loop is the tile's own end; the condition for that
//! is affine in the counters of the tile loops, with inner counters replaced by the ends of their ranges. A
//! minimum equals its operand `b` wherever `b` is at most the others, so both versions do the same; which one
//! runs is a matter of speed and of reading.

use std::collections::BTreeMap;

use redblue_poly::scan::{Comparison, Condition, Expr, Form, Loop, Node};

use super::Result;
use super::plan::{visit_condition, visit_expr};

/// The tree with the body of every innermost tile loop in two versions, where that simplifies it.
pub(super) fn separate(nodes: Vec<Node>, tiles: &dyn Tiles) -> Result<Vec<Node>> {
    let mut out = Vec::new();
    for node in nodes {
        out.push(match node {
            Node::Loop(mut at) => {
                let innermost = tiles.is_tile(at.iterator) && !has_tile(&at.body, tiles);
                at.body = if innermost {
                    versions(at.body, tiles)?
                } else {
                    separate(at.body, tiles)?
                };
                Node::Loop(at)
            }
            Node::Guard {
                condition,
                then,
                otherwise,
            } => Node::Guard {
                condition,
                then: separate(then, tiles)?,
                otherwise: separate(otherwise, tiles)?,
            },
            call => call,
        });
    }
    Ok(out)
}

/// What is known about the positions of loops.
pub(super) trait Tiles {
    /// Whether the loop runs over tiles.
    fn is_tile(&self, position: usize) -> bool;
    /// Whether the second loop runs over tiles of what the first one counts.
    fn is_tile_of(&self, position: usize, tile: usize) -> bool;
}

fn has_tile(nodes: &[Node], tiles: &dyn Tiles) -> bool {
    nodes.iter().any(|node| match node {
        Node::Loop(at) => tiles.is_tile(at.iterator) || has_tile(&at.body, tiles),
        Node::Guard {
            then, otherwise, ..
        } => has_tile(then, tiles) || has_tile(otherwise, tiles),
        Node::Call(_) => false,
    })
}

fn versions(body: Vec<Node>, tiles: &dyn Tiles) -> Result<Vec<Node>> {
    let mut complete = Complete::new(tiles, None);
    let simple = complete.nodes(&body)?;
    if body.len() == 1 || complete.refused > 0 {
        // One by one, each loop is simplified where it can be.
        let mut parts = Vec::new();
        for node in &body {
            match node {
                Node::Loop(at) => match split(at, tiles)? {
                    Some(split) => parts.extend(split),
                    None => parts.push(node.clone()),
                },
                other => parts.push(other.clone()),
            }
        }
        if parts != body {
            return Ok(parts);
        }
    }
    if complete.conditions.is_empty() {
        return Ok(body);
    }
    Ok(guarded(complete.conditions, simple, body))
}

fn guarded(conditions: Vec<Condition>, then: Vec<Node>, otherwise: Vec<Node>) -> Vec<Node> {
    if conditions.is_empty() {
        return then;
    }
    vec![Node::Guard {
        condition: Condition::All(conditions),
        then,
        otherwise,
    }]
}

/// A loop in up to three parts, the middle one of which is where the loops inside it are complete: what bounds
/// them is compared with the counter instead of with its range. Triangles need this.
fn split(at: &Loop, tiles: &dyn Tiles) -> Result<Option<Vec<Node>>> {
    let mut complete = Complete::new(tiles, Some(at.iterator));
    let simple = complete.nodes(&at.body)?;
    if complete.refused > 0 || at.step != 1 {
        return Ok(None);
    }
    let (mut low, mut high, mut rest) = (Vec::new(), Vec::new(), Vec::new());
    for condition in complete.conditions {
        let Condition::Zero(Comparison::NonNegative, Expr::Linear(form)) = &condition else {
            return Ok(None);
        };
        let factor = form.coefficient(at.iterator);
        // factor * v + others >= 0
        let counter = Expr::variable(at.iterator).times(-factor)?;
        let others = Expr::Linear(form.clone()).plus(counter)?;
        match factor {
            0 => rest.push(condition),
            1 => low.push(others.times(-1)?),
            -1 => high.push(others),
            _ => return Ok(None),
        }
    }
    if low.is_empty() && high.is_empty() && rest.is_empty() {
        return Ok(None);
    }
    let part = |first: Vec<Expr>, last: Vec<Expr>, body: &[Node]| {
        Node::Loop(Loop {
            first: one_of(first, Expr::Max),
            last: one_of(last, Expr::Min),
            body: body.to_vec(),
            straight: None,
            ..at.clone()
        })
    };
    let shifted = |list: &[Expr], by: i64| -> Result<Vec<Expr>> {
        let moved = list.iter().map(|e| Ok(e.clone().plus(Expr::constant(by))?));
        moved.collect()
    };
    let (first, last) = (operands(&at.first, false), operands(&at.last, true));
    let join = |a: &[Expr], b: &[Expr]| [a, b].concat();
    let mut parts = Vec::new();
    if !low.is_empty() {
        // Before the middle: smaller than the greatest of several lower ends has no single bound.
        let [end] = &shifted(&low, -1)?[..] else {
            return Ok(None);
        };
        parts.push(part(
            first.clone(),
            join(&last, std::slice::from_ref(end)),
            &at.body,
        ));
    }
    parts.push(part(join(&first, &low), join(&last, &high), &simple));
    if !high.is_empty() {
        let [start] = &shifted(&high, 1)?[..] else {
            return Ok(None);
        };
        let start = join(&join(&first, &low), std::slice::from_ref(start));
        parts.push(part(start, last, &at.body));
    }
    Ok(Some(guarded(rest, parts, vec![Node::Loop(at.clone())])))
}

/// The operands of a minimum (maximum), or the expression itself.
fn operands(bound: &Expr, is_min: bool) -> Vec<Expr> {
    match bound {
        Expr::Min(list) if is_min => list.clone(),
        Expr::Max(list) if !is_min => list.clone(),
        other => vec![other.clone()],
    }
}

fn one_of(mut list: Vec<Expr>, join: fn(Vec<Expr>) -> Expr) -> Expr {
    let mut unique: Vec<Expr> = Vec::new();
    list.retain(|e| {
        let new = !unique.contains(e);
        if new {
            unique.push(e.clone());
        }
        new
    });
    match list.len() {
        1 => list.remove(0),
        _ => join(list),
    }
}

/// Collects what makes a tile complete.
struct Complete<'a> {
    tiles: &'a dyn Tiles,
    /// First and last values of the loops inside the tile, where they are simple.
    ranges: BTreeMap<usize, (Form, Form)>,
    /// A loop whose counter may occur in conditions.
    free: Option<usize>,
    conditions: Vec<Condition>,
    /// Number of bounds that could not be simplified.
    refused: usize,
}

impl<'a> Complete<'a> {
    fn new(tiles: &'a dyn Tiles, free: Option<usize>) -> Complete<'a> {
        Complete {
            tiles,
            ranges: BTreeMap::new(),
            free,
            conditions: Vec::new(),
            refused: 0,
        }
    }

    fn nodes(&mut self, nodes: &[Node]) -> Result<Vec<Node>> {
        nodes.iter().map(|node| self.node(node)).collect()
    }

    fn node(&mut self, node: &Node) -> Result<Node> {
        Ok(match node {
            Node::Loop(at) => {
                let first = self.bound(&at.first, at.iterator)?;
                let last = self.bound(&at.last, at.iterator)?;
                let range = match (&first, &last) {
                    (Expr::Linear(low), Expr::Linear(high)) => {
                        let low = self.extreme(low, false)?;
                        low.zip(self.extreme(high, true)?)
                    }
                    _ => None,
                };
                let outer = match range {
                    Some(range) => self.ranges.insert(at.iterator, range),
                    None => self.ranges.remove(&at.iterator),
                };
                let body = self.nodes(&at.body)?;
                match outer {
                    Some(range) => self.ranges.insert(at.iterator, range),
                    None => self.ranges.remove(&at.iterator),
                };
                Node::Loop(Loop {
                    first,
                    last,
                    body,
                    straight: None,
                    ..at.clone()
                })
            }
            Node::Guard {
                condition,
                then,
                otherwise,
            } => Node::Guard {
                condition: condition.clone(),
                then: self.nodes(then)?,
                otherwise: self.nodes(otherwise)?,
            },
            Node::Call(call) => Node::Call(call.clone()),
        })
    }

    /// The tile's own end among the operands of a minimum or maximum, if the others can be compared with it.
    fn bound(&mut self, bound: &Expr, counter: usize) -> Result<Expr> {
        let (list, is_min) = match bound {
            Expr::Min(list) => (list, true),
            Expr::Max(list) => (list, false),
            _ => return Ok(bound.clone()),
        };
        match self.end(list, is_min, counter)? {
            Some((end, conditions)) => {
                for condition in conditions {
                    if !self.conditions.contains(&condition) {
                        self.conditions.push(condition);
                    }
                }
                Ok(Expr::Linear(end))
            }
            None => {
                self.refused += 1;
                Ok(bound.clone())
            }
        }
    }

    fn end(
        &self,
        list: &[Expr],
        is_min: bool,
        counter: usize,
    ) -> Result<Option<(Form, Vec<Condition>)>> {
        let forms = list.iter().map(|e| match e {
            Expr::Linear(form) => Some(form),
            _ => None,
        });
        let Some(forms) = forms.collect::<Option<Vec<&Form>>>() else {
            return Ok(None);
        };
        let own = |form: &&Form| form.terms.iter().any(|(at, _)| self.tiles.is_tile(*at));
        let mut ends: Vec<&Form> = forms.iter().copied().filter(own).collect();
        if ends.len() > 1 {
            // In a triangle the tiles of other counters bound the loop as well.
            let same = |form: &&Form| {
                let mut terms = form.terms.iter();
                terms.any(|(at, _)| self.tiles.is_tile_of(counter, *at))
            };
            ends.retain(same);
        }
        let [end] = ends[..] else {
            return Ok(None);
        };
        let mut found = Vec::new();
        for other in forms.iter().filter(|form| **form != end) {
            // Of a minimum the others are at least the end; of a maximum at most.
            let (low, high) = if is_min { (end, *other) } else { (*other, end) };
            let (low, high) = (self.extreme(low, true)?, self.extreme(high, false)?);
            let Some((low, high)) = low.zip(high) else {
                return Ok(None);
            };
            let gap = Expr::Linear(high).plus(Expr::Linear(low).times(-1)?)?;
            match gap.as_constant() {
                Some(value) if value >= 0 => {}
                Some(_) => return Ok(None),
                None => found.push(Condition::Zero(Comparison::NonNegative, gap)),
            }
        }
        Ok(Some((end.clone(), found)))
    }

    /// The greatest or least value of a form over the loops inside the tile, as a form in the loops outside.
    fn extreme(&self, form: &Form, greatest: bool) -> Result<Option<Form>> {
        let mut sum = Expr::constant(form.constant);
        for (position, factor) in &form.terms {
            let value = match self.ranges.get(position) {
                Some((low, high)) => {
                    let end = if (*factor > 0) == greatest { high } else { low };
                    Expr::Linear(end.clone())
                }
                None if self.free == Some(*position) => Expr::variable(*position),
                None if self.is_inside(*position) => return Ok(None),
                None => Expr::variable(*position),
            };
            sum = sum.plus(value.times(*factor)?)?;
        }
        Ok(match sum {
            Expr::Linear(form) => Some(form),
            _ => None,
        })
    }

    /// Whether a position is a loop inside the tile whose range is not simple: it is deeper than all tile
    /// loops, and positions of parameters are below those of loops.
    fn is_inside(&self, position: usize) -> bool {
        let deepest = (0..position).rev().find(|at| self.tiles.is_tile(*at));
        deepest.is_some() && !self.tiles.is_tile(position)
    }
}

/// Whether a tile size occurs only as a stride and in `counter + size` and `counter + size - 1`, so that a name
/// for it can be given another value. `same` lists the loops over tiles of this size.
pub(super) fn only_as_tile(nodes: &[Node], position: usize, size: i64, same: &[usize]) -> bool {
    let mut fine = size > 2 && has_stride(nodes, position, size);
    let near = |constant: i64| constant == size || constant == size - 1;
    let mut see = |expr: &Expr| match expr {
        Expr::Linear(form) => {
            let factor = form.coefficient(position);
            let constant = form.constant * factor;
            fine &= match factor {
                0 => {
                    let tile = |at: &usize| near(form.constant * form.coefficient(*at));
                    !near(form.constant.abs()) || same.iter().any(tile)
                }
                1 | -1 => constant.abs() <= 1 || near(constant),
                _ => false,
            };
        }
        Expr::FloorDiv(_, divisor) | Expr::Modulo(_, divisor) => fine &= *divisor != size,
        Expr::Scaled(factor, _) => fine &= factor.abs() != size,
        _ => {}
    };
    visit_nodes(nodes, &mut see);
    fine
}

fn has_stride(nodes: &[Node], position: usize, size: i64) -> bool {
    nodes.iter().any(|node| match node {
        Node::Loop(at) => {
            (at.iterator == position && at.step == size) || has_stride(&at.body, position, size)
        }
        Node::Guard {
            then, otherwise, ..
        } => has_stride(then, position, size) || has_stride(otherwise, position, size),
        Node::Call(_) => false,
    })
}

fn visit_nodes(nodes: &[Node], see: &mut dyn FnMut(&Expr)) {
    for node in nodes {
        match node {
            Node::Loop(at) => {
                visit_expr(&at.first, see);
                visit_expr(&at.last, see);
                visit_nodes(&at.body, see);
            }
            Node::Guard {
                condition,
                then,
                otherwise,
            } => {
                visit_condition(condition, see);
                visit_nodes(then, see);
                visit_nodes(otherwise, see);
            }
            Node::Call(call) => call.point.iter().for_each(|e| visit_expr(e, see)),
        }
    }
}
