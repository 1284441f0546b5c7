//! Where a polynomial is zero, as far as equalities or trying all points tell.

use num_bigint::BigInt;
use num_traits::Zero;

use crate::error::Result;
use crate::set::{BasicSet, Set};

use super::polynomial::{Form, Polynomial, is_unit};
use super::variables::Variables;

/// Points of a bounded domain that are tried one by one.
const FEW_POINTS: usize = 64;

/// Whether a polynomial is zero for all parameters of a set. `false` may also mean that we cannot tell.
pub(crate) fn vanishes(value: &Polynomial, part: &BasicSet, variables: &Variables) -> Result<bool> {
    let set = part.to_set()?;
    if restricted(value, &set, variables)?.is_zero() {
        return Ok(true);
    }
    let names = set.param_names();
    let Some(points) = few_points(&set)? else {
        return Ok(false);
    };
    Ok(points.iter().all(|point| {
        let param = |name: &str| {
            let at = names.iter().position(|known| known == name);
            at.and_then(|at| point.get(at))
                .map(|v| BigInt::from(*v))
                .unwrap_or_default()
        };
        value.evaluate(|var| variables.value(var, &param)).is_zero()
    }))
}

/// The polynomial with parameters eliminated that a domain's equalities determine: `2n - 3` is `5` on
/// `n = 4`.
pub(crate) fn restricted(
    value: &Polynomial,
    domain: &Set,
    variables: &Variables,
) -> Result<Polynomial> {
    let mut value = value.clone();
    let mut equalities = equalities(domain, variables)?;
    while let Some(equality) = equalities.pop() {
        let unit = equality.terms.iter().find(|(_, c)| is_unit(c));
        let Some((var, c)) = unit.map(|(var, c)| (*var, c.clone())) else {
            continue;
        };
        let mut others = equality;
        others.terms.remove(&var);
        let replacement = Form::default().plus(&-c, &others);
        value = variables.substituted(&value, var, &replacement);
        for form in &mut equalities {
            *form = form.substitute(var, &replacement);
        }
    }
    Ok(value)
}

/// The equalities between parameters that a convex domain implies.
fn equalities(domain: &Set, variables: &Variables) -> Result<Vec<Form>> {
    let domain = domain.detect_equalities()?;
    let vars: Vec<_> = domain
        .param_names()
        .iter()
        .map(|n| variables.find_param(n))
        .collect();
    let [part] = &domain.basic_sets()?[..] else {
        return Ok(Vec::new());
    };
    let equalities = part
        .constraints()?
        .into_iter()
        .filter(|constraint| constraint.equality);
    let forms = equalities.filter_map(|constraint| {
        let linear = constraint.linear;
        if linear.floors.iter().any(|c| !c.is_zero()) {
            return None;
        }
        let terms = vars.iter().zip(linear.params).filter(|(_, c)| !c.is_zero());
        // A parameter that is no variable here makes the equality useless.
        let terms = terms
            .map(|(var, c)| Some(((*var)?, c)))
            .collect::<Option<_>>()?;
        Some(Form {
            constant: linear.constant,
            terms,
        })
    });
    Ok(forms.collect())
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
        let low = points.dim_min(dim)?.as_constant()?;
        let high = points.dim_max(dim)?.as_constant()?;
        let Some((low, high)) = low.zip(high) else {
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
