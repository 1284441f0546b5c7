//! Formulas as they read where the assumptions hold: `max(0, N - 2)` is `N - 2` if N is at least 3.
//!
//! A size that is at least L is L and something nonnegative, and one that is at least another size is that and something nonnegative. Written so, most
//! extrema decide themselves in normal form; then the size itself is put back.

use std::collections::BTreeMap;

use num_bigint::BigInt;
use redblue_math::{Expr, Symbol};
use redblue_poly::Set;

/// What is known about sizes.
pub(super) struct Assumed {
    /// Sizes by themselves, then by each other.
    rounds: Vec<Round>,
}

/// Each size as a sum of nonnegative things, and back.
#[derive(Default)]
struct Round {
    forth: BTreeMap<Symbol, Expr>,
    back: BTreeMap<Symbol, Expr>,
}

impl Assumed {
    /// Positive sizes within a context and conditions.
    pub(super) fn of<'s>(context: &Set, conditions: impl Iterator<Item = &'s Set>) -> Assumed {
        let mut sizes = context.clone();
        for condition in conditions {
            // One that cannot be used is not assumed.
            sizes = sizes.intersect(condition).unwrap_or(sizes);
        }
        let mut rounds = vec![Round::of(&sizes, &BTreeMap::new())];
        if let Some(bases) = bases(&sizes).filter(|bases| !bases.is_empty()) {
            rounds.push(Round::of(&sizes, &bases));
        }
        Assumed { rounds }
    }

    /// The same values where the assumptions hold, in fewer extrema.
    pub(super) fn simplify(&self, formula: &Expr) -> Expr {
        let mut simple = formula.clone();
        for round in &self.rounds {
            if simple.has_extremum() {
                simple = round.simplify(&simple).unwrap_or(simple);
            }
        }
        simple
    }
}

impl Round {
    /// Sizes above others, as far as `bases` tells, and the rest above their least value.
    fn of(sizes: &Set, bases: &Bases) -> Round {
        let names = sizes.param_names();
        let symbols: Vec<Symbol> = names.iter().map(|name| name.as_str().into()).collect();
        let least = |at| Expr::integer(least(sizes, at).unwrap_or_default().max(1.into()));
        let mut round = Round::default();
        for (at, symbol) in symbols.iter().enumerate() {
            let size = Expr::from(symbol.clone());
            // A size above another one, which may be above a third.
            let (mut sum, mut current) = (size.clone(), at);
            while let Some((base, more)) = bases.get(&current) {
                sum = sum + Expr::from(symbols[*base].clone()) + Expr::integer(more.clone());
                current = *base;
            }
            round.forth.insert(symbol.clone(), sum + least(current));
            let under = match bases.get(&at) {
                Some((base, more)) => {
                    Expr::from(symbols[*base].clone()) + Expr::integer(more.clone())
                }
                None => least(at),
            };
            round.back.insert(symbol.clone(), size - under);
        }
        round
    }

    fn simplify(&self, formula: &Expr) -> redblue_math::Result<Expr> {
        formula
            .substitute_all(&self.forth)?
            .substitute_all(&self.back)
    }
}

/// A size, the one it is at least as large as, and by how much.
type Bases = BTreeMap<usize, (usize, BigInt)>;

/// For sizes that are at least another one and something, that one and how much.
fn bases(sizes: &Set) -> Option<Bases> {
    let mut bases = Bases::new();
    let parts = sizes.basic_sets().ok()?;
    let [part] = parts.as_slice() else {
        return None;
    };
    for constraint in part.constraints().ok()? {
        let linear = &constraint.linear;
        let of = |sign: i64| {
            let mut found = linear.params.iter().enumerate();
            let (at, _) = found.find(|(_, c)| **c == sign.into())?;
            Some(at)
        };
        let (Some(larger), Some(smaller)) = (of(1), of(-1)) else {
            continue;
        };
        let others = linear.params.iter().filter(|c| **c != 0.into()).count();
        let more = -&linear.constant;
        if constraint.equality || others != 2 || more < 0.into() || bases.contains_key(&larger) {
            continue;
        }
        // No size is above itself.
        let mut below = Some(smaller);
        while let Some(at) = below.filter(|at| *at != larger) {
            below = bases.get(&at).map(|(base, _)| *base);
        }
        if below.is_none() {
            bases.insert(larger, (smaller, more));
        }
    }
    Some(bases)
}

/// The least value of a size, if there is one.
fn least(sizes: &Set, at: usize) -> Option<BigInt> {
    let least = sizes.params_as_dims().ok()?.dim_min(at).ok()?;
    least.evaluate(&[], &[]).ok()?
}

#[cfg(test)]
mod tests {
    use redblue_poly::Context;

    use super::*;

    fn check(context: &str, formula: &str, expected: &str) {
        let isl = Context::new().unwrap();
        let context = Set::parse(&isl, context).unwrap();
        let assumed = Assumed::of(&context, [].into_iter());
        let formula: Expr = formula.parse().unwrap();
        let expected: Expr = expected.parse().unwrap();
        assert_eq!(assumed.simplify(&formula), expected);
    }

    #[test]
    fn extrema_that_assumptions_decide_go_away() {
        let three = "[N, M] -> { : N >= 3 and M > N }";
        check(
            three,
            "max(0, N - 2)^2/sqrt(S) + M",
            "N^2/sqrt(S) - 4*N/sqrt(S) + 4/sqrt(S) + M",
        );
        check(three, "max(0, M - 4) + max(0, N/2 - 1)", "M + N/2 - 5");
        check(three, "max(0, N - 4)", "max(0, N - 4)");
        check(three, "max(0, M - N) + max(N - 1, M)", "2*M - N");
        check(three, "max(0, M - N - 2)", "max(0, M - N - 2)");
        let window = "[H, R, W] -> { : 0 < R <= H and R <= W }";
        check(
            window,
            "(max(0, H - R) + 1)*max(1, W - R + 1)",
            "(H - R + 1)*(W - R + 1)",
        );
        let chain = "[A, B, C] -> { : A >= B and B > C and C >= 2 }";
        check(
            chain,
            "max(0, A - C) + max(3, A) + max(0, B - 3)",
            "2*A + B - C - 3",
        );
        // Sizes are positive in any case.
        check("[N] -> { : N >= 0 }", "max(0, N - 1)", "N - 1");
        check("[N] -> { : N >= 0 }", "max(0, N - 2)", "max(0, N - 2)");
    }
}
