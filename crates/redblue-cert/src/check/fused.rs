//! Fused chains: a value that is reduced, mapped and consumed at once; the theorem is at [`Fused`].
//!
//! A *bundle* is a point with all vertices that carry it: what its hub needs before and serves after. A bundle is
//! either computed in one phase, and then everything its vertices need is at hand, or some edge between two
//! of its vertices crosses from one phase to a later one, and then the value at its lower end is at hand in the later phase.
//! So each bundle costs a word of its own, or as many words as its labels say.

use redblue_math::rational::ratio;
use redblue_math::{Expr, Matrix};
use redblue_poly::{Set, UnionMap, UnionSet};
use redblue_program::Expression;

use super::capacity::Volume;
use super::count::Number;
use super::family::{Paths, linear, linear_map};
use super::fibre;
use super::graph::{Graph, Targets};
use super::reach::{self, Direction};
use super::{partial, sums};
use crate::certificate::{Edge, Fused, IslText, Need, PartialSums, Reach};
use crate::refusal::{Cause, Refusal, Result, demand};

/// What a verified pattern gives to its group.
pub(super) struct Bundles {
    /// U(K).
    pub(super) volume: Volume,
    /// All words counted.
    pub(super) words: UnionSet,
    /// Words that count when they are computed.
    pub(super) terminals: UnionSet,
    /// Whether it holds for sums in any order.
    pub(super) free: bool,
}

/// Vertices with their points.
pub(super) struct Vertices {
    before: UnionMap,
    after: UnionMap,
    pub(super) all: UnionMap,
    /// Edges between vertices of one bundle.
    pub(super) links: UnionMap,
}

/// A verified requirement: φ, how many words for each of its values, and the paths to them.
pub(super) struct Required {
    pub(super) projection: Matrix,
    pub(super) words: Least,
    pub(super) paths: Paths,
    /// From a user to its point.
    pub(super) points: UnionMap,
}

/// A least number of labels, not negative.
#[derive(Clone)]
pub(super) struct Least {
    pub(super) words: Expr,
    /// Whether it is positive at all sizes that have targets.
    pub(super) always: bool,
}

/// Verifies bundles and what they need.
pub(super) fn verify(
    graph: &Graph,
    targets: &Targets,
    paths: &[Paths],
    pattern: &Fused,
) -> Result<Bundles> {
    demand(paths.is_empty(), Cause::Capacity, || {
        "bundles have no families but those of their needs".into()
    })?;
    let vertices = vertices(graph, targets, &pattern.before, &pattern.after)?;
    let mut required: Vec<Required> = Vec::new();
    let mut words = vertices.links.range()?;
    let mut terminals = UnionSet::empty(graph.view.isl())?;
    for (at, need) in pattern.needs.iter().enumerate() {
        let place = |refusal: Refusal| refusal.within(format!("need {at}"));
        let next = requirement(graph, targets, &vertices, need).map_err(place)?;
        demand(
            next.paths.exits.is_disjoint(&words)?,
            Cause::Sharing,
            || format!("need {at} uses words of another one, or of the bundles themselves"),
        )?;
        words = words.union(&next.paths.exits)?;
        terminals = terminals.union(&next.paths.terminals)?;
        required.push(next);
    }
    let [(first, row), (second, column)] = classes(&required)?;
    let both = [first.rows(), second.rows()].concat();
    let determined = Matrix::new(targets.dimension, both)?.rank() == targets.dimension;
    demand(determined, Cause::Capacity, || {
        "the needs do not determine the point".into()
    })?;
    let positive = |always: bool| demand(always, Cause::Capacity, || "a bundle has no user".into());
    let Some(partial) = &pattern.sums else {
        positive(row.always && column.always)?;
        let volume = Volume::Reduction {
            words: row.words * column.words,
        };
        return Ok(Bundles {
            volume,
            words,
            terminals,
            free: false,
        });
    };
    demand_free(graph, &vertices, pattern)?;
    let (projection, width, ends) = partial_sums(graph, targets, &vertices, partial)?;
    let (inputs, others) = if projection == first {
        (row, column)
    } else {
        demand(projection == second, Cause::Capacity, || {
            "sums belong to neither of the two labels".into()
        })?;
        (column, row)
    };
    positive(others.always && (inputs.always || width.always))?;
    // K²/(W_2·(√W_1 + √(W_1 + w))²): see the theorem.
    let (inputs, width) = (inputs.words, width.words);
    let mixed = (&inputs * &(&inputs + &width)).sqrt()?;
    let square = &inputs + &inputs + &width + &mixed + &mixed;
    let words_at_hand = (others.words * square).scale(&ratio(1, 4));
    let volume = Volume::Merged {
        volume: Box::new(Volume::Reduction {
            words: words_at_hand,
        }),
        sums: Box::new(ends),
    };
    Ok(Bundles {
        volume,
        words,
        terminals,
        free: true,
    })
}

/// That every vertex of a bundle is connected with its hub, belongs to one bundle, and is computed.
pub(super) fn vertices(
    graph: &Graph,
    targets: &Targets,
    below: &Reach,
    above: &Reach,
) -> Result<Vertices> {
    let (hubs, length) = (&targets.embedding, targets.dimension);
    let before = reach::verify(graph, below, hubs, length, Direction::Onto)?.union(hubs)?;
    let after = reach::verify(graph, above, hubs, length, Direction::From)?;
    let after = after.subtract(hubs)?;
    let all = before.union(&after)?;
    demand(all.is_single_valued()?, Cause::Path, || {
        "a vertex belongs to two bundles".into()
    })?;
    demand(all.range()?.is_subset(&hubs.range()?)?, Cause::Path, || {
        "a bundle has no hub".into()
    })?;
    demand(
        all.domain()?.is_subset(&graph.live)?,
        Cause::Liveness,
        || "a vertex of a bundle is not live".into(),
    )?;
    let edges = [&below.edges[..], &above.edges].concat();
    let same_bundle = all.apply_range(&all.reverse()?)?;
    let links = graph.steps(&edges)?.intersect(&same_bundle)?;
    Ok(Vertices {
        before,
        after,
        all,
        links,
    })
}

/// That every bundle has so many labels, that these tell φ of its point, and that each has a word of its own.
pub(super) fn requirement(
    graph: &Graph,
    targets: &Targets,
    vertices: &Vertices,
    need: &Need,
) -> Result<Required> {
    let users = Targets::verify(graph, &need.users)?;
    demand(
        users.dimension >= targets.dimension,
        Cause::Capacity,
        || "users do not tell their point".into(),
    )?;
    let unit = |at: usize| {
        (0..users.dimension)
            .map(|x| i64::from(x == at))
            .collect::<Vec<_>>()
    };
    let rows: Vec<Vec<i64>> = (0..targets.dimension).map(unit).collect();
    let point = linear_map(graph, users.dimension, &rows)?.to_union()?;
    let points = users.embedding.apply_range(&point)?;
    demand(points.is_subset(&vertices.all)?, Cause::Path, || {
        "a user is not in its bundle".into()
    })?;
    let paths = Paths::verify(graph, &users, &need.family)?;
    let labels = users.embedding.apply_range(&paths.label)?;
    let labels = points.reverse()?.apply_range(&labels)?;
    let words = at_least(graph, targets, &labels, &need.projection, &need.words)?;
    let projection = linear(targets.dimension, &need.projection)?;
    Ok(Required {
        projection,
        words,
        paths,
        points,
    })
}

/// How many labels every point has at least, if labels tell φ of the point.
///
/// At some sizes points may have no label at all, if so many are promised there.
fn at_least(
    graph: &Graph,
    targets: &Targets,
    labels: &UnionMap,
    projection: &[Vec<i64>],
    words: &str,
) -> Result<Least> {
    let view = &graph.view;
    let value = linear_map(graph, targets.dimension, projection)?.to_union()?;
    let told = labels.reverse()?.apply_range(&value)?.is_single_valued()?;
    demand(told, Cause::Capacity, || {
        "one label serves different values of the projection".into()
    })?;
    let least = view.affine_formula(words)?;
    fibre::demand_at_least(view, labels, &least)?;
    let unserved = targets.embedding.range()?.subtract(&labels.domain()?)?;
    if unserved.is_empty()? {
        let words = view.at_least_one(&least)?;
        return Ok(Least {
            words,
            always: true,
        });
    }
    let promised = view.with_params(&format!("{{ : {} >= 1 }}", view.affine(&least)?));
    let promised = Set::parse(view.isl(), &promised)?;
    for set in unserved.sets()? {
        let broken = set.intersect_params(&promised)?;
        demand(broken.is_empty()?, Cause::Capacity, || {
            "a bundle has no user".into()
        })?;
    }
    let words = match view.proves_nonnegative(&least)? {
        true => least,
        false => Expr::max_of([Expr::zero(), least]).unwrap_or_default(),
    };
    Ok(Least {
        words,
        always: false,
    })
}

/// The two projections with their words in total.
fn classes(required: &[Required]) -> Result<[(Matrix, Least); 2]> {
    let mut classes: Vec<(Matrix, Least)> = Vec::new();
    for next in required {
        let class = classes
            .iter_mut()
            .find(|(projection, _)| *projection == next.projection);
        match class {
            Some((_, total)) => {
                total.words = &total.words + &next.words.words;
                total.always |= next.words.always;
            }
            None => classes.push((next.projection.clone(), next.words.clone())),
        }
    }
    let count = classes.len();
    classes.try_into().map_err(|_| {
        let reason = format!("needs have {count} projections instead of 2");
        Refusal::new(Cause::Capacity, reason)
    })
}

/// The projection of the sums, how many of them each point has, and the number of sums.
fn partial_sums(
    graph: &Graph,
    targets: &Targets,
    vertices: &Vertices,
    partial: &PartialSums,
) -> Result<(Matrix, Least, Number)> {
    let length = partial
        .summands
        .first()
        .map(|text: &IslText| graph.view.map(text))
        .transpose()?;
    let length = length.map_or(0, |map| map.n_out());
    let labels = graph.view.vertex_labels(&partial.summands, length)?;
    let summands = labels.domain()?;
    demand(
        summands.is_subset(&vertices.after.domain()?)?,
        Cause::Path,
        || "a summand is not in a bundle".into(),
    )?;
    let points = vertices.all.intersect_domain(&summands)?;
    let of_point = points.reverse()?.apply_range(&labels)?;
    let width = at_least(
        graph,
        targets,
        &of_point,
        &partial.projection,
        &partial.words,
    )?;
    let number = partial::one_sum_per_label(graph, &labels)?;
    let projection = linear(targets.dimension, &partial.projection)?;
    Ok((projection, width, number))
}

/// That bundles stay connected, with the same words, whatever the order of sums.
///
/// A vertex of a statement with summands then stands for its summand and for the partial sums that hold it. Below the hub, a
/// running value goes on inside its bundle only, so these partial sums belong to one bundle and lead to its hub; above, a
/// vertex stands for one summand that holds all the operands in question.
fn demand_free(graph: &Graph, vertices: &Vertices, pattern: &Fused) -> Result<()> {
    let no = |reason: &str| Refusal::new(Cause::Model, reason);
    let before = &vertices.before;
    let onwards = partial::continuations(graph, &before.domain()?)?;
    let same_bundle = before.apply_range(&before.reverse()?)?;
    if !onwards.is_subset(&same_bundle)? {
        return Err(no("a sum below a hub goes on outside of its bundle"));
    }
    let others = vertices.links.subtract(&onwards.reverse()?)?;
    if !others.range()?.is_disjoint(&onwards.domain()?)? {
        return Err(no("a running value is read by something else"));
    }
    let mut edges: Vec<&Edge> = pattern.after.edges.iter().collect();
    for need in &pattern.needs {
        if !need.family.members.is_empty() {
            return Err(no("needs must be inputs"));
        }
        edges.extend(&need.family.edges);
    }
    if !sums::edges_avoid_summands(graph, &edges)? {
        return Err(no("an edge goes through an operand that is a summand"));
    }
    for statement in graph.view.statements() {
        let own = vertices
            .after
            .domain()?
            .set_of(&statement.domain.space()?)?;
        let Some(summands) =
            sums::summands(&statement.value).filter(|_| own.is_empty() == Ok(false))
        else {
            continue;
        };
        if !own.to_union()?.is_disjoint(&vertices.links.range()?)? {
            return Err(no("a sum above a hub is used inside of a bundle"));
        }
        let mut operands = Vec::new();
        for edge in &edges {
            let hop = graph.first_hop(edge)?;
            if hop.reader == statement.name {
                operands.push(hop.operand);
            }
        }
        let holds = |summand: &&Expression| {
            operands
                .iter()
                .all(|operand| summand.operands().contains(operand))
        };
        if !summands.iter().any(holds) {
            return Err(no("operands lie in different summands"));
        }
    }
    Ok(())
}
