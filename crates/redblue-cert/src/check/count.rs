//! Numbers of things as formulas for all sizes.
//!
//! A count is exact, but it may have cases: `N²·T − 4·N·T + 4·T if N ≥ 3, else 0`. A bound wants one formula, for
//! positive sizes. In this order: one case that is right everywhere (it may vanish by itself where the others are 0); the same
//! with `max(0, ·)` around what made the case, `T·max(0, N − 2)²`; one case, and what is to be added in the others, in the same way; one case, and
//! the condition under which it is right.

use redblue_math::rational::int;
use redblue_math::{Expr, Symbol};
use redblue_poly::{Count, Set, UnionSet};

use super::view::View;
use crate::refusal::{Cause, Refusal, Result, demand};

/// Values of a size that are tried one by one.
const FEW: i64 = 4;

/// A number with its formula.
#[derive(Clone, Debug)]
pub(crate) struct Number {
    /// The exact number.
    pub(crate) count: Count,
    /// A formula for it, if all sizes are positive.
    pub(crate) formula: Expr,
    /// Where the formula is right, if not everywhere.
    pub(crate) condition: Option<Set>,
}

impl Number {
    /// The number of points of a union.
    pub(super) fn of(view: &View, points: &UnionSet) -> Result<Number> {
        let nothing = Set::parse(view.isl(), &view.with_params("{ [x] : 1 = 0 }"))?;
        let mut count = nothing.count_within(view.sizes())?;
        for set in points.sets()? {
            let set = set.align_params(view.names())?;
            count = count.add(&set.count_within(view.sizes())?)?;
        }
        Number::from_count(view, count)
    }

    /// A count over the sizes considered, and perhaps S.
    pub(super) fn from_count(view: &View, count: Count) -> Result<Number> {
        let (formula, condition) = match count.to_expr()? {
            Some(expr) => (expr, None),
            None => cases(view, &count)?,
        };
        Ok(Number {
            count,
            formula,
            condition,
        })
    }
}

/// One formula for a count with cases.
fn cases(view: &View, count: &Count) -> Result<(Expr, Option<Set>)> {
    let context = &count.context().intersect(view.positive())?;
    let mut pieces: Vec<(Set, Expr)> = Vec::new();
    let mut rest = context.clone();
    for (domain, value) in count.pieces() {
        let domain = domain.intersect(context)?;
        demand(domain.is_subset(&rest)?, Cause::Undecided, || {
            format!("the cases of a number overlap: {count}")
        })?;
        rest = rest.subtract(&domain)?;
        pieces.push((domain, value.to_expr()));
    }
    pieces.push((rest, Expr::zero()));
    'piece: for (_, formula) in &pieces {
        for (domain, other) in &pieces {
            if !vanishes(&(formula - other), domain)? {
                continue 'piece;
            }
        }
        return Ok((formula.clone(), None));
    }
    // Nothing is the simplest of all.
    let zero = Expr::zero();
    for base in [&zero]
        .into_iter()
        .chain(pieces.iter().map(|(_, value)| value))
    {
        if let Some(formula) = corrected(base, &pieces, context)? {
            return Ok((formula, None));
        }
    }
    // The case of large sizes.
    let large = view.names().iter().map(|name| format!("{name} >= 1000"));
    let large: Vec<String> = large.collect();
    let large = Set::parse(
        view.isl(),
        &view.with_params(&format!("{{ : {} }}", large.join(" and "))),
    )?;
    for (domain, formula) in pieces {
        if !formula.is_zero() && !domain.is_disjoint(&large)? {
            return Ok((formula, Some(domain)));
        }
    }
    Err(Refusal::new(
        Cause::Undecided,
        format!("no formula for {count}"),
    ))
}

/// Whether a polynomial is zero on a parameter set: after substituting what the set determines.
fn vanishes(expr: &Expr, domain: &Set) -> Result<bool> {
    vanishes_without(expr, domain, &[])
}

/// The same, if some symbols have been replaced by others: going back would never end.
fn vanishes_without(expr: &Expr, domain: &Set, gone: &[String]) -> Result<bool> {
    if expr.is_zero() || domain.is_empty()? {
        return Ok(true);
    }
    let names = domain.param_names();
    let part = |condition: String| -> Result<Set> {
        let text = format!("[{}] -> {{ : {condition} }}", names.join(", "));
        Ok(domain.intersect(&Set::parse(domain.context(), &text)?)?)
    };
    for symbol in expr.symbols() {
        let name = symbol.name().to_owned();
        if domain.is_subset(&part(format!("0 <= {name} <= {FEW}"))?)? {
            for value in 0..=FEW {
                let there = expr.substitute(symbol.clone(), &Expr::from(value))?;
                if !vanishes_without(&there, &part(format!("{name} = {value}"))?, gone)? {
                    return Ok(false);
                }
            }
            return Ok(true);
        }
        let others = names
            .iter()
            .filter(|other| **other != name && !gone.contains(other));
        for other in others {
            for shift in -1..=1i64 {
                if domain.is_subset(&part(format!("{name} = {other} + ({shift})"))?)? {
                    let value = Expr::symbol(other.as_str()) + Expr::from(shift);
                    let there = expr.substitute(symbol.clone(), &value)?;
                    let gone = [gone, std::slice::from_ref(&name)].concat();
                    return vanishes_without(&there, domain, &gone);
                }
            }
        }
    }
    Ok(false)
}

/// A formula that is right everywhere, with what is missing in each of the cases added to it; at most two cases, or nobody could read it.
fn corrected(base: &Expr, pieces: &[(Set, Expr)], context: &Set) -> Result<Option<Expr>> {
    let mut sum = base.clone();
    let mut added = 0;
    for (domain, value) in pieces {
        let missing = value - base;
        if vanishes(&missing, domain)? {
            continue;
        }
        added += 1;
        match extended(&missing, domain, context)? {
            Some(missing) if added <= 2 => sum += missing,
            _ => return Ok(None),
        }
    }
    Ok(Some(sum))
}

/// A polynomial that counts inside `domain`, continued by zero: each condition a ≥ 0 of the domain is met
/// by writing the polynomial in u = a or u = a + 1, at whose zero it vanishes, and u as max(0, u).
fn extended(formula: &Expr, domain: &Set, context: &Set) -> Result<Option<Expr>> {
    let conditions = domain.gist(context)?.basic_sets()?;
    let [conditions] = conditions.as_slice() else {
        return Ok(None);
    };
    let names = domain.param_names();
    let mut result = formula.clone();
    let mut used: Vec<&String> = Vec::new();
    for constraint in conditions.constraints()? {
        let terms = names.iter().zip(&constraint.linear.params);
        let terms: Vec<_> = terms.filter(|(_, c)| **c != 0.into()).collect();
        let unit = [1, -1].into_iter().find_map(|sign: i64| {
            let found = terms.iter().find(|(_, c)| **c == sign.into());
            found.map(|(name, _)| (*name, sign))
        });
        let plain = constraint.linear.floors.iter().all(|c| *c == 0.into());
        let (false, true, Some((pivot, sign))) = (constraint.equality, plain, unit) else {
            return Ok(None);
        };
        // Conditions on different sizes do not disturb each other.
        if terms.iter().any(|(name, _)| used.contains(name)) {
            return Ok(None);
        }
        used.extend(terms.iter().map(|(name, _)| *name));
        let start = Expr::integer(constraint.linear.constant.clone());
        let form = terms.iter().fold(start, |sum, (name, c)| {
            sum + Expr::symbol(name.as_str()).scale(&int((*c).clone()))
        });
        let pivot = Symbol::from(pivot.as_str());
        let Some(next) = clamped(&result, &form, &pivot, sign)? else {
            return Ok(None);
        };
        result = next;
    }
    Ok(Some(result))
}

/// The polynomial where `form`, with the coefficient `sign` of ±1 at `pivot`, is not negative, and zero elsewhere.
fn clamped(formula: &Expr, form: &Expr, pivot: &Symbol, sign: i64) -> Result<Option<Expr>> {
    for offset in 0..=1i64 {
        let distance = form + Expr::from(offset);
        let sign = Expr::from(sign);
        let rest = &distance - &sign * &Expr::from(pivot.clone());
        // pivot = sign·(distance − rest).
        if formula
            .substitute(pivot.clone(), &-(&sign * &rest))?
            .is_zero()
        {
            let clamped = Expr::max_of([Expr::zero(), distance]).unwrap_or_default();
            let there = &sign * &(clamped - rest);
            return Ok(Some(formula.substitute(pivot.clone(), &there)?));
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use redblue_math::Assignment;
    use redblue_program::build::ProgramBuilder;
    use redblue_program::catalogue;
    use std::collections::BTreeMap;

    /// Compares the formula with the number of points at all small sizes, and returns it with its condition.
    fn check_formula(view: &View, set: &Set) -> (String, Option<String>) {
        let number = Number::of(view, &set.to_union().unwrap()).unwrap();
        let names = view.names().to_vec();
        let many = if names.len() > 3 { 3 } else { 6i64 };
        for code in 0..many.pow(names.len() as u32) {
            let value = |at: usize| 1 + code / many.pow(at as u32) % many;
            let values = (0..names.len()).map(value).collect::<Vec<i64>>();
            let big: Vec<_> = values.iter().map(|v| (*v).into()).collect();
            let inside = |set: &Set| set.contains(&big, &[]).unwrap();
            if !inside(view.positive()) || number.condition.as_ref().is_some_and(|c| !inside(c)) {
                continue;
            }
            let sizes: Assignment = names.iter().map(String::as_str).zip(values).collect();
            let exact: BTreeMap<_, _> = names.iter().cloned().zip(big.clone()).collect();
            let expected = number.count.evaluate(&exact).unwrap();
            assert_eq!(
                number.formula.eval_floor(&sizes).unwrap(),
                expected,
                "{set} at {exact:?}"
            );
        }
        let condition = number
            .condition
            .map(|c| c.gist(view.positive()).unwrap().to_string());
        (number.formula.to_string(), condition)
    }

    fn view(params: &[&str]) -> View {
        View::new(ProgramBuilder::new("sizes", params).build().unwrap()).unwrap()
    }

    #[test]
    fn cases_become_one_formula() {
        let view = view(&["N", "M", "T"]);
        for (text, formula, condition) in [
            ("0 <= i < N and 0 <= j < M", "M*N", None),
            ("0 <= i < j < N", "N^2/2 - N/2", None),
            ("0 < i < N - 1 and 0 <= j < T", "T*max(0, N - 2)", None),
            ("0 < i < N - 1 and 0 < j < N - 1", "max(0, N - 2)^2", None),
            ("0 <= i < N - M and 0 <= j < 1", "max(0, N - M)", None),
            // The smaller of two sizes, and a triangle cut by a line.
            ("0 <= i < N and i < M and j = 0", "N - max(0, N - M)", None),
            (
                "0 <= i < N and i < M and 0 <= j < 2",
                "2*N - 2*max(0, N - M)",
                None,
            ),
            ("0 <= i < 2*N - M and j = 0", "max(0, 2*N - M)", None),
            // Each size stands for the other, which must not be tried for ever.
            (
                "0 <= i < N and j = 0 and N = M",
                "M",
                Some("[N, M, T] -> {  : M = N }"),
            ),
        ] {
            let set = view.with_params(&format!("{{ [i, j] : {text} }}"));
            let set = Set::parse(view.isl(), &set).unwrap();
            let found = check_formula(&view, &set);
            assert_eq!(
                (found.0.as_str(), found.1.as_deref()),
                (formula, condition),
                "{text}"
            );
        }
    }

    #[test]
    fn domains_of_the_catalogue_have_formulas() {
        let mut conditional = Vec::new();
        for entry in catalogue::catalogue() {
            let program = entry.read(&Default::default()).program.unwrap();
            let statements = program.statements.clone();
            let view = View::new(program).unwrap();
            for statement in &statements {
                let (formula, condition) = check_formula(&view, &statement.domain);
                if let Some(condition) = condition {
                    conditional.push(format!(
                        "{} {}: {formula} if {condition}",
                        entry.name, statement.name
                    ));
                }
            }
        }
        assert!(conditional.is_empty(), "{conditional:?}");
    }
}
