//! How many elements each value of a function has at least.

use redblue_math::Expr;
use redblue_poly::{Map, Set, UnionMap};

use super::sizes::AffineForm;
use super::view::View;
use crate::refusal::{Cause, Refusal, Result, demand};

/// Demands that every element of the domain is related to at least `least` others, for all sizes.
///
/// The elements of the domain become parameters, so that the number of others is a formula in them.
pub(super) fn demand_at_least(view: &View, relation: &UnionMap, least: &Expr) -> Result<()> {
    for map in relation.maps()? {
        if map.is_empty()? {
            continue;
        }
        let fibre = Fibre::of(view, &map)?;
        let count = fibre.elements.count_within(&fibre.sizes)?;
        let mut rest = fibre.sizes.clone();
        for (domain, value) in count.pieces() {
            // Pieces add up where they overlap, so they must not.
            let domain = domain.align_params(&fibre.names)?.intersect(&fibre.sizes)?;
            demand(domain.is_subset(&rest)?, Cause::Undecided, || {
                "a number of elements has overlapping cases".into()
            })?;
            rest = rest.subtract(&domain)?;
            demand_nonnegative(&(value.to_expr() - least), &domain)?;
        }
        demand_nonnegative(&-least, &rest)?;
    }
    Ok(())
}

/// One element of the domain of a relation, as parameters, with the elements it is related to.
pub(super) struct Fibre {
    /// The related elements.
    pub(super) elements: Set,
    /// The sizes and elements for which there are any.
    pub(super) sizes: Set,
    /// The parameters: sizes first.
    pub(super) names: Vec<String>,
}

impl Fibre {
    pub(super) fn of(view: &View, map: &Map) -> Result<Fibre> {
        let fresh = |at: usize| {
            let mut name = format!("t{at}");
            while view.names().contains(&name) {
                name.push('_');
            }
            name
        };
        let own: Vec<String> = (0..map.n_in()).map(fresh).collect();
        let names = [view.names(), &own].concat();
        let tuple = map.in_tuple().unwrap_or_default();
        let point = format!(
            "[{}] -> {{ {tuple}[{}] }}",
            names.join(", "),
            own.join(", ")
        );
        let point = Set::parse(view.isl(), &point)?;
        let map = map.intersect_domain(&point)?;
        Ok(Fibre {
            elements: map.range()?.align_params(&names)?,
            sizes: map.params()?.align_params(&names)?,
            names,
        })
    }
}

/// Demands that an affine expression is not negative for the parameters of a parameter set.
fn demand_nonnegative(expr: &Expr, domain: &Set) -> Result<()> {
    if domain.is_empty()? || (expr.is_nonnegative() && symbols_are_nonnegative(expr, domain)?) {
        return Ok(());
    }
    let form = AffineForm::of(expr).ok_or_else(|| {
        Refusal::new(
            Cause::Undecided,
            format!("{expr} is not affine, so its sign is not known"),
        )
    })?;
    let names = domain.param_names();
    let negative = format!("[{}] -> {{ : {form} < 0 }}", names.join(", "));
    let negative = Set::parse(domain.context(), &negative)?;
    demand(negative.is_disjoint(domain)?, Cause::Capacity, || {
        format!("{expr} can be negative")
    })
}

/// Whether all symbols of an expression stand for numbers that are not negative: sizes do, but coordinates of elements need not.
fn symbols_are_nonnegative(expr: &Expr, domain: &Set) -> Result<bool> {
    let names = domain.param_names();
    for symbol in expr.symbols() {
        if !names.iter().any(|name| name == symbol.name()) {
            continue;
        }
        let negative = format!("[{}] -> {{ : {symbol} < 0 }}", names.join(", "));
        if !Set::parse(domain.context(), &negative)?.is_disjoint(domain)? {
            return Ok(false);
        }
    }
    Ok(true)
}
