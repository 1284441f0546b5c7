//! Accesses as expressions: the cell a statement touches, in terms of the loops around the call.

use num_bigint::BigInt;
use num_traits::ToPrimitive;
use redblue_poly::scan::{Comparison, Condition, Expr};
use redblue_poly::{Affine, BasicSet, Linear, Map, PolyError};

use super::Result;

/// The values of an access map at a point: parameters first, as in the loops, then the point.
pub(super) fn coordinates(map: &Map, params: usize, point: &[Expr]) -> Result<Vec<Expr>> {
    let mut pieces = map.affine_pieces()?;
    let at = |affines: &[Affine]| -> Result<Vec<Expr>> {
        affines.iter().map(|a| affine(a, params, point)).collect()
    };
    // The last piece needs no test: together they cover all instances.
    let Some((_, last)) = pieces.pop() else {
        return Ok(Vec::new());
    };
    let mut values = at(&last)?;
    for (domain, affines) in pieces.iter().rev() {
        let parts = domain.basic_sets()?;
        let parts = parts.iter().map(|part| condition(part, params, point));
        let condition = Condition::Any(parts.collect::<Result<_>>()?);
        let chosen = at(affines)?.into_iter().zip(values);
        values = chosen
            .map(|(yes, no)| {
                if yes == no {
                    yes
                } else {
                    Expr::Select(Box::new(condition.clone()), Box::new(yes), Box::new(no))
                }
            })
            .collect();
    }
    Ok(values)
}

/// An affine function at a point.
pub(super) fn affine(affine: &Affine, params: usize, point: &[Expr]) -> Result<Expr> {
    let mut floors = Vec::new();
    for floor in &affine.floors {
        let numerator = linear(&floor.numerator, params, point, &floors)?;
        floors.push(quotient(numerator, &floor.denominator)?);
    }
    let numerator = linear(&affine.numerator, params, point, &floors)?;
    quotient(numerator, &affine.denominator)
}

fn quotient(numerator: Expr, denominator: &BigInt) -> Result<Expr> {
    match small(denominator)? {
        1 => Ok(numerator),
        divisor => Ok(Expr::FloorDiv(Box::new(numerator), divisor)),
    }
}

fn linear(form: &Linear, params: usize, point: &[Expr], floors: &[Expr]) -> Result<Expr> {
    let mut sum = Expr::constant(small(&form.constant)?);
    let sizes: Vec<Expr> = (0..params).map(Expr::variable).collect();
    let parts = [
        (&form.params, &sizes[..]),
        (&form.dims, point),
        (&form.floors, floors),
    ];
    for (coefficients, values) in parts {
        for (coefficient, value) in coefficients.iter().zip(values) {
            let factor = small(coefficient)?;
            if factor != 0 {
                sum = sum.plus(value.clone().times(factor)?)?;
            }
        }
    }
    Ok(sum)
}

fn condition(part: &BasicSet, params: usize, point: &[Expr]) -> Result<Condition> {
    let mut floors = Vec::new();
    for floor in part.floors()? {
        let numerator = linear(&floor.numerator, params, point, &floors)?;
        floors.push(quotient(numerator, &floor.denominator)?);
    }
    let constraints = part.constraints()?;
    let constraints = constraints.iter().map(|constraint| {
        let comparison = if constraint.equality {
            Comparison::Equal
        } else {
            Comparison::NonNegative
        };
        let form = linear(&constraint.linear, params, point, &floors)?;
        Ok(Condition::Zero(comparison, form))
    });
    Ok(Condition::All(constraints.collect::<Result<_>>()?))
}

/// A coefficient as a machine integer.
pub(super) fn small(value: &BigInt) -> Result<i64> {
    let overflow = || PolyError::Overflow {
        value: value.to_string(),
    };
    Ok(value.to_i64().ok_or_else(overflow)?)
}
