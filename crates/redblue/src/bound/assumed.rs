//! Formulas as they read where the assumptions hold: `max(0, N - 2)` is `N - 2` if N is at least 3.
//!
//! A size that is at least L is L and something nonnegative. Written so, most extrema decide themselves in normal form; then the
//! size itself is put back.

use std::collections::BTreeMap;

use num_bigint::BigInt;
use redblue_math::{Expr, Symbol};
use redblue_poly::Set;

/// What is known about sizes.
pub(super) struct Assumed {
    /// Each size as its least value and the rest.
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
        let (mut forth, mut back) = (BTreeMap::new(), BTreeMap::new());
        for (at, name) in sizes.param_names().into_iter().enumerate() {
            let symbol = Symbol::from(name.as_str());
            let size = Expr::from(symbol.clone());
            let least = Expr::integer(least(&sizes, at).unwrap_or_default().max(1.into()));
            forth.insert(symbol.clone(), &size + &least);
            back.insert(symbol, size - least);
        }
        Assumed { forth, back }
    }

    /// The same values where the assumptions hold, in fewer extrema.
    pub(super) fn simplify(&self, formula: &Expr) -> Expr {
        if !formula.has_extremum() {
            return formula.clone();
        }
        let shifted = formula.substitute_all(&self.forth);
        let simple = shifted.and_then(|shifted| shifted.substitute_all(&self.back));
        simple.unwrap_or_else(|_| formula.clone())
    }
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
        // Sizes are positive in any case.
        check("[N] -> { : N >= 0 }", "max(0, N - 1)", "N - 1");
        check("[N] -> { : N >= 0 }", "max(0, N - 2)", "max(0, N - 2)");
    }
}
