//! Formulas in documents: the contract's `F`.

use std::collections::BTreeMap;

use num_bigint::BigInt;
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
        Formula {
            text: expr.factored(),
            latex: expr.factored_latex(),
            ..Formula::of_integer(expr, sizes)
        }
    }

    /// An upper bound: its value is rounded up.
    pub fn of_upper(expr: &Expr, sizes: &Point) -> Formula {
        let sizes: Assignment = sizes
            .iter()
            .map(|(name, value)| (name.as_str(), *value))
            .collect();
        Formula {
            text: expr.factored(),
            latex: expr.factored_latex(),
            regimes: Vec::new(),
            value: None,
            exact: None,
        }
        .with_value(expr.eval_ceil(&sizes).ok())
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
        let number = value.as_ref().and_then(number);
        Formula {
            value: number,
            exact: value.map(|value| value.to_string()),
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

/// An integer as a JSON number: exact within 64 bits, else the nearest double.
fn number(value: &BigInt) -> Option<Number> {
    let small = i64::try_from(value).map(Number::from);
    let small = small.or_else(|_| u64::try_from(value).map(Number::from));
    small
        .ok()
        .or_else(|| Number::from_f64(value.to_string().parse().ok()?))
}
