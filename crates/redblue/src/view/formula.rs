//! Formulas in documents: the contract's `F`.

use std::collections::BTreeMap;

use num_bigint::BigInt;
use num_traits::FromPrimitive;
use redblue_math::{Assignment, Expr};
use redblue_poly::{Count, PolyError};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Number;

use super::relation::condition;
use crate::sizes::Point;

/// A formula with its value where all names have one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Formula {
    /// In plain text, as in `2*N^3/sqrt(S)`. With several regimes, all of them: `N - 2 if N >= 3, else 0`.
    pub text: String,
    /// In LaTeX.
    pub latex: String,
    /// The value as a number; rounded only where JSON numbers have too few digits.
    pub value: Option<Number>,
    /// The same as an exact integer.
    pub exact: Option<String>,
    /// Which formula holds when, if it is not one for all sizes. Otherwise the value is zero.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub regimes: Vec<Regime>,
}

/// A formula that holds for some sizes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Regime {
    /// The sizes.
    pub when: String,
    /// The formula.
    pub formula: Formula,
}

impl Formula {
    /// An expression whose value is an integer.
    pub fn of_integer(expr: &Expr, sizes: &Point) -> Formula {
        let sizes: Assignment = sizes
            .iter()
            .map(|(name, value)| (name.as_str(), *value))
            .collect();
        Formula {
            text: expr.to_string(),
            latex: expr.latex(),
            regimes: Vec::new(),
            value: None,
            exact: None,
        }
        .with_value(expr.eval_floor(&sizes).ok())
    }

    /// A lower bound: its value is rounded down.
    pub fn of_bound(expr: &Expr, sizes: &Point) -> Formula {
        let formula = Formula {
            text: expr.factored(),
            latex: expr.factored_latex(),
            ..Formula::of_integer(expr, sizes)
        };
        formula.rounded(Towards::Less)
    }

    /// Words that a schedule moves: its value is rounded up.
    pub fn of_traffic(expr: &Expr, sizes: &Point) -> Formula {
        let sizes: Assignment = sizes
            .iter()
            .map(|(name, value)| (name.as_str(), *value))
            .collect();
        let formula = Formula {
            text: expr.factored(),
            latex: expr.factored_latex(),
            regimes: Vec::new(),
            value: None,
            exact: None,
        };
        let value = expr.eval_ceil(&sizes).ok();
        formula.with_value(value).rounded(Towards::More)
    }

    /// A number of points.
    ///
    /// # Errors
    /// When set operations exceed their budget.
    pub fn of_count(count: &Count, sizes: &Point) -> Result<Formula, PolyError> {
        if let Some(expr) = count.to_expr()? {
            return Ok(Formula::of_integer(&expr, sizes));
        }
        let mut regimes = Vec::new();
        for (domain, value) in count.pieces() {
            let when = condition(&domain.gist(count.context())?).unwrap_or_default();
            regimes.push(Regime {
                when,
                formula: Formula::of_integer(&value.to_expr(), sizes),
            });
        }
        let cases = |case: &dyn Fn(&Regime) -> String| regimes.iter().map(case).collect::<Vec<_>>();
        let text = cases(&|regime| format!("{} if {}", regime.formula.text, regime.when));
        let latex = cases(&|regime| {
            format!(
                r"{} & \text{{if }} \mathtt{{{}}} \\",
                regime.formula.latex, regime.when
            )
        });
        let all: BTreeMap<String, BigInt> = sizes
            .iter()
            .map(|(name, value)| (name.clone(), BigInt::from(*value)))
            .collect();
        Ok(Formula {
            text: format!("{}, else 0", text.join(", ")),
            latex: format!(
                r"\begin{{cases}} {} 0 & \text{{else}} \end{{cases}}",
                latex.join(" ")
            ),
            regimes,
            value: None,
            exact: None,
        }
        .with_value(count.evaluate(&all).ok()))
    }

    fn with_value(self, value: Option<BigInt>) -> Formula {
        let number = value
            .as_ref()
            .and_then(|value| number(value, Towards::Near));
        Formula {
            value: number,
            exact: value.map(|value| value.to_string()),
            ..self
        }
    }

    fn rounded(self, towards: Towards) -> Formula {
        let exact = self.exact.as_ref().and_then(|text| text.parse().ok());
        Formula {
            value: exact.and_then(|value| number(&value, towards)),
            ..self
        }
    }

    /// The formula, and its value if it is another text.
    pub fn shown(&self) -> String {
        match &self.exact {
            Some(value) if *value != self.text => format!("{value} = {}", self.text),
            _ => self.text.clone(),
        }
    }
}

/// Which double stands for an integer between two of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Towards {
    /// The one below.
    Less,
    /// The nearest.
    Near,
    /// The one above.
    More,
}

/// An integer as a JSON number: exact within 64 bits, else a double.
pub(super) fn number(value: &BigInt, towards: Towards) -> Option<Number> {
    let small = i64::try_from(value).map(Number::from);
    let small = small.or_else(|_| u64::try_from(value).map(Number::from));
    if let Ok(small) = small {
        return Some(small);
    }
    let near: f64 = value.to_string().parse().ok()?;
    let exact = BigInt::from_f64(near)?;
    Number::from_f64(match towards {
        Towards::Less if exact > *value => near.next_down(),
        Towards::More if exact < *value => near.next_up(),
        _ => near,
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn large_numbers_are_rounded_as_they_must_be() {
        // Between 2^80 and the next double, 2^80 + 2^28, the first lies nearer.
        let (low, high) = (2f64.powi(80), 2f64.powi(80) + 2f64.powi(28));
        let value = (BigInt::from(1) << 80) + 3;
        for (towards, expected) in [
            (Towards::Less, low),
            (Towards::Near, low),
            (Towards::More, high),
        ] {
            let found = number(&value, towards).unwrap();
            assert_eq!(found.as_f64(), Some(expected), "{towards:?}");
        }
        let small = number(&BigInt::from(u64::MAX), Towards::More).unwrap();
        assert_eq!(small.as_u64(), Some(u64::MAX));
    }
}
