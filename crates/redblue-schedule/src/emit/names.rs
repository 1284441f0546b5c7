//! What the components of a schedule mean, and what their loops are called.

use num_traits::{One, Zero};
use redblue_poly::scan::{Loop, Node};
use redblue_poly::{Affine, Linear, Map};
use redblue_program::Program;

use super::Result;
use super::access::small;
use super::integer::Scope;

/// One component of a statement's time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Component {
    /// The same for all instances.
    Constant,
    /// The counter at this position, or its negative.
    Counter {
        /// Position in the statement's iterators.
        iterator: usize,
        /// Whether the loop runs backwards.
        down: bool,
    },
    /// The number of the tile the counter is in.
    Tile {
        /// Position in the statement's iterators.
        iterator: usize,
        /// Number of values of the counter in a tile.
        size: i64,
    },
    /// Anything else.
    Other,
}

/// The components of a schedule.
pub(super) fn components(schedule: &Map) -> Result<Vec<Component>> {
    match &schedule.affine_pieces()?[..] {
        [(_, time)] => time.iter().map(component).collect(),
        _ => Ok(vec![Component::Other; schedule.n_out()]),
    }
}

fn component(affine: &Affine) -> Result<Component> {
    if affine.is_plain() {
        if affine.numerator.is_constant() {
            return Ok(Component::Constant);
        }
        return Ok(match single(&affine.numerator)? {
            Some((iterator, 1)) => Component::Counter {
                iterator,
                down: false,
            },
            Some((iterator, -1)) => Component::Counter {
                iterator,
                down: true,
            },
            _ => Component::Other,
        });
    }
    let whole = affine.denominator.is_one()
        && affine.numerator.constant.is_zero()
        && affine
            .numerator
            .params
            .iter()
            .chain(&affine.numerator.dims)
            .all(Zero::is_zero);
    let mut floors = affine.floors.iter().zip(&affine.numerator.floors);
    let used = floors.by_ref().find(|(_, factor)| !factor.is_zero());
    let others = floors.any(|(_, factor)| !factor.is_zero());
    if let (true, Some((floor, factor)), false) = (whole, used, others)
        && floor.numerator.floors.iter().all(Zero::is_zero)
        && let Some((iterator, 1)) = single(&floor.numerator)?
        && (factor.is_one() || *factor == floor.denominator)
    {
        let size = small(&floor.denominator)?;
        return Ok(Component::Tile { iterator, size });
    }
    Ok(Component::Other)
}

/// The only iterator of a form without parameters and constant, with its factor.
fn single(form: &Linear) -> Result<Option<(usize, i64)>> {
    if !form.constant.is_zero() || !form.params.iter().all(Zero::is_zero) {
        return Ok(None);
    }
    let mut terms = form.dims.iter().enumerate().filter(|(_, f)| !f.is_zero());
    match (terms.next(), terms.next()) {
        (Some((iterator, factor)), None) => Ok(Some((iterator, small(factor)?))),
        _ => Ok(None),
    }
}

/// The factor that turns numbers of tiles into first values of tiles, per component: loops over tiles then
/// advance by the tile size, which reads better and needs no multiplication.
pub(super) fn scales(statements: &[Vec<Component>]) -> Vec<i64> {
    let depth = statements.first().map_or(0, Vec::len);
    (0..depth)
        .map(|d| {
            let mut factor = None;
            for components in statements {
                match (components[d], factor) {
                    (Component::Constant, _) => {}
                    (Component::Tile { size, .. }, None) => factor = Some(size),
                    (Component::Tile { size, .. }, Some(other)) if size == other => {}
                    _ => return 1,
                }
            }
            factor.unwrap_or(1)
        })
        .collect()
}

/// The name of a loop and its sign (-1 for a loop that counts down), not used in the scope yet.
pub(super) fn loop_name(
    program: &Program,
    components: &[Vec<Component>],
    params: usize,
    at: &Loop,
    scope: &Scope,
    reserved: &dyn Fn(&str) -> bool,
) -> (String, i64) {
    let dim = at.iterator - params;
    let found = statements(&at.body).into_iter().find_map(|statement| {
        let name = |iterator: usize| program.statements[statement].iterators.get(iterator);
        match components[statement][dim] {
            Component::Counter { iterator, down } => Some((
                name(iterator)?.clone(),
                if down && at.step == 1 { -1 } else { 1 },
            )),
            Component::Tile { iterator, .. } => Some((format!("{}t", name(iterator)?), 1)),
            _ => None,
        }
    });
    let (base, sign) = found.unwrap_or_else(|| (format!("c{dim}"), 1));
    let free = |name: &String| !scope.is_used(name) && !reserved(name);
    let more = (2..).map(|n| format!("{base}{n}"));
    let name = std::iter::once(base.clone()).chain(more).find(free);
    (name.unwrap_or(base), sign)
}

/// Statements called in a body, in order of first call.
pub(super) fn statements(nodes: &[Node]) -> Vec<usize> {
    let mut found = Vec::new();
    collect(nodes, &mut found);
    found
}

fn collect(nodes: &[Node], found: &mut Vec<usize>) {
    for node in nodes {
        match node {
            Node::Loop(at) => collect(&at.body, found),
            Node::Guard {
                then, otherwise, ..
            } => {
                collect(then, found);
                collect(otherwise, found);
            }
            Node::Call(call) if !found.contains(&call.statement) => found.push(call.statement),
            Node::Call(_) => {}
        }
    }
}
