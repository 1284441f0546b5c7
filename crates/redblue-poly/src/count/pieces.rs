//! From overlapping terms to disjoint pieces, as few as we can prove equal.
//!
//! The sum of terms `[p ∈ D]·f` is cut into disjoint domains, unless that takes too many cuts; then domains on which the same polynomial
//! is right are joined: equal polynomials, polynomials that agree on the other's domain (`n = 1` beside
//! `n >= 2`), and polynomials that vanish where the count is zero.

use crate::error::Result;
use crate::set::Set;

use super::agree::{restricted, vanishes};
use super::polynomial::Polynomial;
use super::quasi::without_floors;
use super::variables::Variables;

/// A polynomial and the parameters for which it is right.
pub(crate) type Piece = (Set, Polynomial);

/// Steps of isl that cutting domains apart may take before a sum is left as it is.
const MAX_STEPS: u64 = 300_000;

/// The same sum inside the support, with all terms that apply to the whole support added up.
pub(crate) fn common_first(terms: Vec<Piece>, support: &Set) -> Result<Vec<Piece>> {
    let mut common = Polynomial::default();
    let mut others = Vec::new();
    for (domain, value) in terms {
        if support.is_subset(&domain)? {
            common = common.plus(&value);
        } else {
            others.push((domain.intersect(support)?, value));
        }
    }
    others.insert(0, (support.clone(), common));
    Ok(others)
}

/// The sum of terms whose domains may overlap, as disjoint pieces; `None` if that takes too long.
pub(crate) fn partition(terms: &[Piece], context: &Set) -> Result<Option<Vec<Piece>>> {
    context.context().limited(MAX_STEPS, || cut(terms))
}

fn cut(terms: &[Piece]) -> Result<Vec<Piece>> {
    let mut pieces: Vec<Piece> = Vec::new();
    for (domain, value) in terms.iter().cloned() {
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
pub(crate) fn join(pieces: Vec<Piece>, context: &Set, variables: &Variables) -> Result<Vec<Piece>> {
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
    for (domain, value) in &mut pieces {
        *domain = domain.simplify()?;
        *value = restricted(value, domain, variables)?;
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
