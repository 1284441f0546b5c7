//! From overlapping terms to disjoint pieces, as few as we can prove equal.
//!
//! The sum of terms `[p ∈ D]·f` is cut into disjoint domains; then domains on which the same polynomial
//! is right are joined: equal polynomials, polynomials that agree on the other's domain (`n = 1` beside
//! `n >= 2`), and polynomials that vanish where the count is zero.

use num_bigint::BigInt;
use num_traits::Zero;

use crate::error::Result;
use crate::set::{BasicSet, Set};

use super::polynomial::{Form, Polynomial, is_unit};
use super::quasi::without_floors;
use super::variables::Variables;

/// A polynomial and the parameters for which it is right.
pub(crate) type Piece = (Set, Polynomial);

/// Points of a bounded domain that are tried one by one.
const FEW_POINTS: usize = 64;

/// The sum of terms whose domains may overlap, as disjoint pieces.
pub(crate) fn partition(terms: Vec<Piece>) -> Result<Vec<Piece>> {
    let mut pieces: Vec<Piece> = Vec::new();
    for (domain, value) in terms {
        let mut open = domain;
        let mut next = Vec::new();
        for (known, sum) in pieces {
            let both = known.intersect(&open)?.coalesce()?;
            if both.is_empty()? {
                next.push((known, sum));
                continue;
            }
            open = open.subtract(&known)?.coalesce()?;
            let rest = known.subtract(&both)?.coalesce()?;
            if !rest.is_empty()? {
                next.push((rest, sum.clone()));
            }
            next.push((both, sum.plus(&value)));
        }
        if !open.is_empty()? {
            next.push((open, value));
        }
        pieces = join_equal(next)?;
    }
    Ok(pieces)
}

/// Simplifies polynomials and joins domains; `context` is everything that is asked for.
pub(crate) fn join(
    pieces: Vec<Piece>,
    context: &Set,
    variables: &mut Variables,
) -> Result<Vec<Piece>> {
    let simplified = pieces.into_iter().map(|(domain, value)| {
        let value = without_floors(&value, &domain, variables)?;
        Ok((domain, value))
    });
    let pieces: Vec<Piece> = simplified.collect::<Result<_>>()?;
    let mut pieces = join_equal(
        pieces
            .into_iter()
            .filter(|(_, value)| !value.is_zero())
            .collect(),
    )?;
    join_agreeing(&mut pieces, variables)?;
    let covered = pieces
        .iter()
        .try_fold(context.subtract(context)?, |all, (d, _)| all.union(d))?;
    let zero = context.subtract(&covered)?.simplify()?;
    for part in zero.basic_sets()? {
        for (domain, value) in &mut pieces {
            if vanishes(value, &part, variables)? {
                *domain = domain.union(&part.to_set()?)?.coalesce()?;
                break;
            }
        }
    }
    for (domain, _) in &mut pieces {
        *domain = domain.simplify()?;
    }
    Ok(pieces)
}

fn join_equal(pieces: Vec<Piece>) -> Result<Vec<Piece>> {
    let mut joined: Vec<Piece> = Vec::new();
    for (domain, value) in pieces {
        match joined.iter_mut().find(|(_, known)| *known == value) {
            Some((all, _)) => *all = all.union(&domain)?.coalesce()?,
            None => joined.push((domain, value)),
        }
    }
    Ok(joined)
}

/// Gives the parts of a domain to another piece whose polynomial is right there as well.
fn join_agreeing(pieces: &mut Vec<Piece>, variables: &Variables) -> Result<()> {
    let mut at = 0;
    while at < pieces.len() {
        let (domain, value) = pieces.remove(at);
        let mut left: Option<Set> = None;
        for part in domain.basic_sets()? {
            let mut taken = false;
            for (other, polynomial) in pieces.iter_mut() {
                if vanishes(&polynomial.clone().minus(&value), &part, variables)? {
                    *other = other.union(&part.to_set()?)?.coalesce()?;
                    taken = true;
                    break;
                }
            }
            if !taken {
                let part = part.to_set()?;
                left = Some(match left {
                    Some(all) => all.union(&part)?,
                    None => part,
                });
            }
        }
        if let Some(left) = left {
            pieces.insert(at, (left.coalesce()?, value));
            at += 1;
        }
    }
    Ok(())
}

/// Whether a polynomial is zero on a set of parameters, as far as equalities or trying all points tell.
fn vanishes(value: &Polynomial, part: &BasicSet, variables: &Variables) -> Result<bool> {
    if value.is_zero() {
        return Ok(true);
    }
    let set = part.to_set()?.detect_equalities()?;
    let names = set.param_names();
    let vars = names
        .iter()
        .map(|name| variables.find_param(name))
        .collect::<Vec<_>>();
    let [part] = &set.basic_sets()?[..] else {
        return Ok(false);
    };
    let mut rest = value.clone();
    let mut equalities: Vec<Form> = Vec::new();
    for constraint in part
        .constraints()?
        .into_iter()
        .filter(|constraint| constraint.equality)
    {
        let linear = constraint.linear;
        if linear.floors.iter().any(|c| !c.is_zero()) {
            continue;
        }
        let terms = vars
            .iter()
            .zip(linear.params)
            .filter_map(|(var, c)| Some(((*var)?, c)));
        let terms = terms.filter(|(_, c)| !c.is_zero()).collect();
        equalities.push(Form {
            constant: linear.constant,
            terms,
        });
    }
    while let Some(equality) = equalities.pop() {
        let unit = equality.terms.iter().find(|(_, c)| is_unit(c));
        let Some((var, c)) = unit.map(|(var, c)| (*var, c.clone())) else {
            continue;
        };
        let mut others = equality;
        others.terms.remove(&var);
        let replacement = Form::default().plus(&-c, &others);
        rest = variables.substituted(&rest, var, &replacement);
        for form in &mut equalities {
            *form = form.substitute(var, &replacement);
        }
    }
    if rest.is_zero() {
        return Ok(true);
    }
    few_points(&set)?.map_or(Ok(false), |points| {
        Ok(points.iter().all(|point| {
            let param = |name: &str| {
                let at = names.iter().position(|known| known == name);
                at.and_then(|at| point.get(at))
                    .map(|v| BigInt::from(*v))
                    .unwrap_or_default()
            };
            value.evaluate(|var| variables.value(var, &param)).is_zero()
        }))
    })
}

/// The parameter values of a small bounded parameter set.
fn few_points(set: &Set) -> Result<Option<Vec<Vec<i64>>>> {
    let points = set.params_as_dims()?;
    if !points.is_bounded()? {
        return Ok(None);
    }
    // The bounding box bounds the work before any point is listed.
    let mut volume = BigInt::from(1);
    for dim in 0..points.n_dim() {
        let (low, high) = (
            points.dim_min(dim)?.as_constant()?,
            points.dim_max(dim)?.as_constant()?,
        );
        let (Some(low), Some(high)) = (low, high) else {
            return Ok(None);
        };
        volume *= high - low + 1;
    }
    if volume > BigInt::from(FEW_POINTS) {
        Ok(None)
    } else {
        Ok(Some(points.points()?))
    }
}
