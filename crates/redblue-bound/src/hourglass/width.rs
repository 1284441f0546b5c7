//! Widths of slices, and which slices are wide enough to count (H-12, H-14).

use num_bigint::BigInt;
use num_traits::Zero as _;
use redblue_poly::{Affine, Map, PwAff, Set};

use super::pattern::Pattern;
use crate::error::Result;
use crate::graph::Graph;
use crate::targets::Targets;

/// How far between the least and the greatest width slices must be when the least is too small.
const FRACTIONS: [(i64, i64); 1] = [(1, 2)];

/// Targets whose slices have a least width.
#[derive(Clone, Debug)]
pub(super) struct Width {
    /// The targets.
    pub(super) targets: Set,
    /// The least width, an affine formula.
    pub(super) least: String,
}

/// All targets with their least width, and those in slices between that and the greatest width.
pub(super) fn choices(graph: &Graph, targets: &Targets, pattern: &Pattern) -> Result<Vec<Width>> {
    let [part] = targets.parts.as_slice() else {
        return Ok(Vec::new());
    };
    let values = pattern.widths(&part.set)?;
    let (lowest, highest) = (values.lexmin()?, values.lexmax()?);
    let isl = part.set.context();
    let extent = Map::parse(isl, "{ [a, b] -> [b - a + 1] }")?;
    // From a slice to its width.
    let width = lowest.flat_range_product(&highest)?.apply_range(&extent)?;
    let all = width
        .range()?
        .intersect_params(&graph.context)?
        .coalesce()?;
    let least = bound(graph, &all, Side::Least)?;
    let greatest = bound(graph, &all, Side::Greatest)?;
    let mut choices = Vec::new();
    if let Some(least) = &least
        && least.numerator.params.iter().any(|c| !c.is_zero())
    {
        choices.push(Width {
            targets: part.set.clone(),
            least: formula(graph, least),
        });
    }
    let Some(greatest) = greatest.filter(|greatest| least.as_ref() != Some(greatest)) else {
        return Ok(choices);
    };
    let from = match &least {
        Some(least) => formula(graph, least),
        None => "0".to_owned(),
    };
    let to = formula(graph, &greatest);
    for (p, q) in FRACTIONS {
        let least = format!("{}/{q}*({from}) + {p}/{q}*({to})", q - p);
        let text = format!(
            "[{}] -> {{ [w] : {q} * w >= {} * ({from}) + {p} * ({to}) }}",
            graph.params.join(", "),
            q - p,
        );
        let wide = width.intersect_range(&Set::parse(isl, &text)?)?.domain()?;
        let targets = pattern.within(&part.set, &wide)?;
        if !targets.is_empty()? {
            choices.push(Width { targets, least });
        }
    }
    Ok(choices)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Least,
    Greatest,
}

/// The least or greatest element of a set of numbers, if it is one affine function of the sizes or bounded by one.
fn bound(graph: &Graph, numbers: &Set, side: Side) -> Result<Option<Affine>> {
    let extreme: PwAff = match side {
        Side::Least => numbers.dim_min(0)?,
        Side::Greatest => numbers.dim_max(0)?,
    };
    let mut fallback = None;
    for (_, affine) in extreme.pieces()? {
        if !affine.is_plain() {
            continue;
        }
        let relation = match side {
            Side::Least => "<",
            Side::Greatest => ">",
        };
        let text = format!(
            "[{}] -> {{ [w] : w {relation} {} }}",
            graph.params.join(", "),
            formula(graph, &affine)
        );
        let outside = Set::parse(numbers.context(), &text)?;
        if numbers.is_disjoint(&outside)? {
            let sizes = affine.numerator.params.iter().any(|c| !c.is_zero());
            if sizes {
                return Ok(Some(affine));
            }
            fallback = fallback.or(Some(affine));
        }
    }
    Ok(fallback)
}

/// An affine function as a formula.
fn formula(graph: &Graph, affine: &Affine) -> String {
    let mut text = affine.numerator.constant.to_string();
    for (name, factor) in graph.params.iter().zip(&affine.numerator.params) {
        if *factor > BigInt::zero() {
            text.push_str(&format!(" + {factor}*{name}"));
        } else if *factor < BigInt::zero() {
            text.push_str(&format!(" - {}*{name}", -factor));
        }
    }
    text
}
