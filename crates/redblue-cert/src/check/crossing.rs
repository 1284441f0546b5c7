//! Opposite recurrences: what survives the moment at which they meet; the theorem is at [`Crossing`].
//!
//! ```text
//! F  ●●●●●●○○○○   known up to f        ●  computed when the two together cover the line
//! B  ○○○○○○●●●●   known from f + 1     every position: one of the two waits for the other,
//! X  ●●●●●●●●●●                         and what both read has been read by one of them only
//! ```

use std::collections::BTreeMap;

use num_bigint::BigInt;
use redblue_math::{Expr, Symbol};
use redblue_poly::{Map, UnionMap, UnionSet};

use super::count::Number;
use super::graph::Graph;
use super::view::{FAST, View};
use crate::certificate::{Crossing, IslText, Lines};
use crate::refusal::{Cause, Refusal, Result, demand};

/// Verified lines.
#[derive(Clone, Debug)]
pub(crate) struct Crossings {
    /// Inputs, each loaded once besides.
    inputs: Number,
    /// By kind of line.
    kinds: Vec<Kind>,
}

/// Lines of one kind.
#[derive(Clone, Debug)]
struct Kind {
    /// The number of words in all lines.
    words: Number,
    /// The number of lines.
    lines: Number,
    /// Words of a line that may be missing.
    missing: BigInt,
}

impl Crossings {
    /// Verifies all lines, given the inputs that must be loaded.
    pub(super) fn verify(graph: &Graph, inputs: &Number, claim: &Crossing) -> Result<Crossings> {
        let mut used = UnionSet::empty(graph.view.isl())?;
        let mut kinds = Vec::new();
        for (at, lines) in claim.lines.iter().enumerate() {
            let place = |refusal: Refusal| refusal.within(format!("lines {at}"));
            kinds.push(verify(graph, lines, &mut used).map_err(place)?);
        }
        demand(!kinds.is_empty(), Cause::Capacity, || {
            "there are no lines".into()
        })?;
        Ok(Crossings {
            inputs: inputs.clone(),
            kinds,
        })
    }

    /// All numbers in the formula.
    pub(crate) fn numbers(&self) -> impl Iterator<Item = &Number> {
        let own = self
            .kinds
            .iter()
            .flat_map(|kind| [&kind.words, &kind.lines]);
        [&self.inputs].into_iter().chain(own)
    }

    /// `inputs + Σ_kinds max(0, words − (missing + S)·lines)`, at most what the theorem gives line by line.
    pub(crate) fn formula(&self) -> Expr {
        let fast = Expr::symbol(Symbol::from(FAST));
        let gained = |kind: &Kind| {
            let kept = &fast + Expr::integer(kind.missing.clone());
            let rest = &kind.words.formula - kept * &kind.lines.formula;
            Expr::max_of([Expr::zero(), rest]).unwrap_or_default()
        };
        let start = self.inputs.formula.clone();
        self.kinds
            .iter()
            .fold(start, |sum, kind| sum + gained(kind))
    }

    /// The bound at given sizes.
    pub(crate) fn at(&self, fast: &BigInt, values: &BTreeMap<String, BigInt>) -> Result<BigInt> {
        let mut sum = self.inputs.count.evaluate(values)?;
        for kind in &self.kinds {
            let words = kind.words.count.evaluate(values)?;
            let lines = kind.lines.count.evaluate(values)?;
            sum += (words - (fast + &kind.missing) * lines).max(BigInt::from(0));
        }
        Ok(sum)
    }
}

/// Verifies lines of one kind; `used` are the words of others.
fn verify(graph: &Graph, claim: &Lines, used: &mut UnionSet) -> Result<Kind> {
    let view = &graph.view;
    let length = dimension(view, &claim.forward)?;
    let forward = recurrence(graph, &claim.forward, length)?;
    let backward = recurrence(graph, &claim.backward, length)?;
    let points = forward.range()?;
    let apart = forward.domain()?.is_disjoint(&backward.domain()?)?;
    demand(
        apart && points.is_equal(&backward.range()?)?,
        Cause::Capacity,
        || "the two recurrences do not run over the same positions".into(),
    )?;
    let along = |condition: &str| along_line(view, length, condition);
    let later = along("i < j")?;
    let inner = points
        .apply(&later)?
        .intersect(&points.apply(&later.reverse()?)?)?;
    demand(inner.is_subset(&points)?, Cause::Capacity, || {
        "the positions of a line are not consecutive".into()
    })?;
    let steps = graph.steps(&claim.edges)?;
    // From a vertex to the one that is a step away.
    let needs = |place: &UnionMap, condition: &str| -> Result<bool> {
        let there = place.apply_range(&along(condition)?)?;
        Ok(there.apply_range(&place.reverse()?)?.is_subset(&steps)?)
    };
    demand(
        needs(&forward, "j = i - 1")? && needs(&backward, "j = i + 1")?,
        Cause::Path,
        || "a recurrence does not need the position before".into(),
    )?;

    let meets = view.vertex_labels(&claim.meets, length)?;
    let meeting = graph.steps(&claim.meeting)?;
    for place in [&forward, &backward] {
        let pairs = meets.apply_range(&place.reverse()?)?;
        let all = pairs.domain()?.is_equal(&meets.domain()?)?;
        demand(all && pairs.is_subset(&meeting)?, Cause::Path, || {
            "a vertex does not need both recurrences at its position".into()
        })?;
    }
    demand_live(graph, &meets)?;
    let mut words = Number::of(view, &meets.range()?)?.count;
    let mut lined = meets.range()?;
    if !meets.is_empty()? {
        take(used, &forward.domain()?.union(&backward.domain()?)?)?;
    }
    let mut missing = BigInt::from(0);
    for read in &claim.reads {
        let values = view.vertex_labels(&read.values, length)?;
        let place = values.union(&view.cell_labels(&read.inputs, length)?)?;
        demand(place.is_injective()?, Cause::Path, || {
            "two words at one point".into()
        })?;
        let edges = graph.steps(&read.edges)?;
        let offset = along(&format!("j = i + ({})", read.offset))?;
        for (reader, there) in [
            (&forward, place.clone()),
            (&backward, place.apply_range(&offset)?),
        ] {
            let pairs = there.apply_range(&reader.reverse()?)?;
            let all = pairs.domain()?.is_equal(&place.domain()?)?;
            demand(
                all && pairs.reverse()?.is_subset(&edges)?,
                Cause::Path,
                || "a word is not read by both recurrences".into(),
            )?;
        }
        take(used, &place.domain()?)?;
        words = words.add(&Number::of(view, &place.range()?)?.count)?;
        lined = lined.union(&place.range()?)?;
        missing += BigInt::from(read.offset.unsigned_abs());
    }
    let lines = lined.apply(&without_position(view, length)?)?;
    Ok(Kind {
        words: Number::from_count(view, words)?,
        lines: Number::of(view, &lines)?,
        missing,
    })
}

/// Vertices at different points, all needed for a result.
fn recurrence(graph: &Graph, texts: &[IslText], length: usize) -> Result<UnionMap> {
    let place = graph.view.vertex_labels(texts, length)?;
    demand(place.is_injective()?, Cause::Path, || {
        format!("two vertices lie at one point: {}", texts.join("; "))
    })?;
    demand_live(graph, &place)?;
    Ok(place)
}

fn demand_live(graph: &Graph, place: &UnionMap) -> Result<()> {
    let live = place.domain()?.is_subset(&graph.live)?;
    demand(live, Cause::Liveness, || {
        "vertices that are not shown to be needed".into()
    })
}

/// Notes words as used, once each.
fn take(used: &mut UnionSet, words: &UnionSet) -> Result<()> {
    demand(words.is_disjoint(used)?, Cause::Sharing, || {
        "a word is counted twice".into()
    })?;
    *used = used.union(words)?;
    Ok(())
}

/// The length of the points of a labelling: at least one coordinate, the position.
fn dimension(view: &View, texts: &[IslText]) -> Result<usize> {
    let first = texts.first().map(|text| view.map(text)).transpose()?;
    let length = first.map_or(0, |map: Map| map.n_out());
    demand(length >= 1, Cause::Capacity, || {
        "points have no position".into()
    })?;
    Ok(length)
}

/// `{ [t, i] -> [t, j] : CONDITION }`: from a point to others on its line.
fn along_line(view: &View, length: usize, condition: &str) -> Result<UnionMap> {
    let line: String = (1..length).map(|at| format!("t{at}, ")).collect();
    let text = format!("{{ [{line}i] -> [{line}j] : {condition} }}");
    Ok(Map::parse(view.isl(), &text)?.to_union()?)
}

/// From a point to its line.
fn without_position(view: &View, length: usize) -> Result<UnionMap> {
    let line: Vec<String> = (1..length).map(|at| format!("t{at}")).collect();
    let line = line.join(", ");
    let point = if line.is_empty() {
        "i".to_owned()
    } else {
        format!("{line}, i")
    };
    Ok(Map::parse(view.isl(), &format!("{{ [{point}] -> [{line}] }}"))?.to_union()?)
}
