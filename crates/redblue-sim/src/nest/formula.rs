//! From isl's affine functions to the expressions that loops are run with.
//!
//! Formulas are in the dimensions of a statement: iterator d of the expression is dimension d. Substituting
//! the expressions that loops give for these dimensions turns them into formulas in the loops' iterators.

use num_bigint::BigInt;
use num_traits::ToPrimitive;
use redblue_poly::scan::Comparison;
use redblue_poly::{Affine, BasicSet, Floor, Linear, Map, PolyError};
use redblue_program::interpret::IndexRange;

use super::{Condition, Expr, Form};

/// The row-major position an access without parameters goes to.
pub(super) fn position(map: &Map, ranges: &[IndexRange]) -> Result<Expr, PolyError> {
    let mut pieces = map.affine_pieces()?.into_iter().rev();
    // The accesses are total, so the last piece is where none of the others is.
    let Some((_, subscripts)) = pieces.next() else {
        return Ok(number(0));
    };
    let mut word = row_major(&subscripts, ranges)?;
    for (domain, subscripts) in pieces {
        let parts = domain.basic_sets()?;
        let parts = parts.iter().map(condition).collect::<Result<_, _>>()?;
        let here = row_major(&subscripts, ranges)?;
        word = Expr::Select(
            Box::new(Condition::Any(parts)),
            Box::new(here),
            Box::new(word),
        );
    }
    Ok(word)
}

/// `Σ stride · (subscript - first)`, where a stride is the product of the extents further in.
fn row_major(subscripts: &[Affine], ranges: &[IndexRange]) -> Result<Expr, PolyError> {
    let mut terms = Vec::new();
    let mut stride = 1;
    for (subscript, range) in subscripts.iter().zip(ranges).rev() {
        let place = Expr::Sum(vec![affine(subscript)?, number(-range.first)]);
        terms.push(Expr::Scaled(stride, Box::new(place)));
        stride *= range.extent;
    }
    Ok(Expr::Sum(terms))
}

fn affine(function: &Affine) -> Result<Expr, PolyError> {
    let numerator = linear(&function.numerator, &floors(&function.floors)?)?;
    quotient(numerator, &function.denominator)
}

fn floors(list: &[Floor]) -> Result<Vec<Expr>, PolyError> {
    let mut known: Vec<Expr> = Vec::new();
    for floor in list {
        // A floor may refer to the floors before it.
        let numerator = linear(&floor.numerator, &known)?;
        known.push(quotient(numerator, &floor.denominator)?);
    }
    Ok(known)
}

fn quotient(numerator: Expr, denominator: &BigInt) -> Result<Expr, PolyError> {
    Ok(match small(denominator)? {
        1 => numerator,
        denominator => Expr::FloorDiv(Box::new(numerator), denominator),
    })
}

fn linear(form: &Linear, floors: &[Expr]) -> Result<Expr, PolyError> {
    let mut plain = Form {
        constant: small(&form.constant)?,
        terms: Vec::new(),
    };
    for (dim, coefficient) in form.dims.iter().enumerate() {
        let coefficient = small(coefficient)?;
        if coefficient != 0 {
            plain.terms.push((dim, coefficient));
        }
    }
    let mut sum = vec![Expr::Linear(plain)];
    for (coefficient, floor) in form.floors.iter().zip(floors) {
        let coefficient = small(coefficient)?;
        if coefficient != 0 {
            sum.push(Expr::Scaled(coefficient, Box::new(floor.clone())));
        }
    }
    Ok(Expr::Sum(sum))
}

fn condition(part: &BasicSet) -> Result<Condition, PolyError> {
    let floors = floors(&part.floors()?)?;
    let constraints = part.constraints()?;
    let all = constraints.iter().map(|constraint| {
        let comparison = if constraint.equality {
            Comparison::Equal
        } else {
            Comparison::NonNegative
        };
        Ok(Condition::Zero(
            comparison,
            linear(&constraint.linear, &floors)?,
        ))
    });
    Ok(Condition::All(all.collect::<Result<_, PolyError>>()?))
}

fn number(value: i64) -> Expr {
    Expr::Linear(Form {
        constant: value,
        terms: Vec::new(),
    })
}

fn small(value: &BigInt) -> Result<i64, PolyError> {
    value.to_i64().ok_or_else(|| PolyError::Overflow {
        value: value.to_string(),
    })
}

/// Replaces each iterator of an expression by an expression.
pub(super) fn substitute(expr: &Expr, values: &[Expr]) -> Expr {
    let each = |list: &[Expr]| list.iter().map(|e| substitute(e, values)).collect();
    let boxed = |e: &Expr| Box::new(substitute(e, values));
    match expr {
        Expr::Linear(form) => {
            let terms = form
                .terms
                .iter()
                .map(|&(at, factor)| Expr::Scaled(factor, Box::new(values[at].clone())));
            Expr::Sum([number(form.constant)].into_iter().chain(terms).collect())
        }
        Expr::Sum(list) => Expr::Sum(each(list)),
        Expr::Scaled(factor, e) => Expr::Scaled(*factor, boxed(e)),
        Expr::Min(list) => Expr::Min(each(list)),
        Expr::Max(list) => Expr::Max(each(list)),
        Expr::FloorDiv(e, divisor) => Expr::FloorDiv(boxed(e), *divisor),
        Expr::Modulo(e, divisor) => Expr::Modulo(boxed(e), *divisor),
        Expr::Select(condition, yes, no) => Expr::Select(
            Box::new(substitute_in(condition, values)),
            boxed(yes),
            boxed(no),
        ),
    }
}

fn substitute_in(condition: &Condition, values: &[Expr]) -> Condition {
    let each = |list: &[Condition]| list.iter().map(|c| substitute_in(c, values)).collect();
    match condition {
        Condition::All(list) => Condition::All(each(list)),
        Condition::Any(list) => Condition::Any(each(list)),
        Condition::Zero(comparison, e) => Condition::Zero(*comparison, substitute(e, values)),
    }
}
