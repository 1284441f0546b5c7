//! What holds for all sizes: formulas against the program's assumptions.

use num_bigint::BigInt;
use redblue_math::expr::Atom;
use redblue_math::rational::int;
use redblue_math::{Expr, Rational, Symbol};
use redblue_poly::Set;

use super::view::{FAST, View};
use crate::refusal::{Cause, Refusal, Result, demand};

impl View {
    /// A formula in the sizes and S, from text.
    pub(crate) fn formula(&self, text: &str) -> Result<Expr> {
        let expr: Expr = text
            .parse()
            .map_err(|error| Refusal::new(Cause::Format, format!("`{text}`: {error}")))?;
        let known = |name: &str| name == FAST || self.names().iter().any(|n| n == name);
        let unknown = expr.symbols().into_iter().find(|s| !known(s.name()));
        match unknown {
            None => Ok(expr),
            Some(symbol) => Err(Refusal::new(
                Cause::Program,
                format!("`{text}` mentions {symbol}, which is no size of the program"),
            )),
        }
    }

    /// An affine formula in the sizes alone, in isl notation.
    pub(crate) fn affine(&self, expr: &Expr) -> Result<String> {
        let form = AffineForm::of(expr).filter(|form| {
            form.scale == BigInt::from(1) && form.terms.iter().all(|(name, _)| name != FAST)
        });
        form.map(|form| form.to_string()).ok_or_else(|| {
            Refusal::new(
                Cause::Format,
                format!("`{expr}` is not affine in the sizes"),
            )
        })
    }

    /// isl text with the parameters of the program in front.
    pub(crate) fn with_params(&self, body: &str) -> String {
        format!("[{}] -> {body}", self.names().join(", "))
    }

    /// Whether a formula is provably nonnegative for all positive sizes and every S ≥ 1.
    pub(crate) fn proves_nonnegative(&self, expr: &Expr) -> Result<bool> {
        if expr.is_nonnegative() || beyond_ones(expr).is_ok_and(|shifted| shifted.is_nonnegative())
        {
            return Ok(true);
        }
        let Some(form) = AffineForm::of(expr) else {
            return Ok(false);
        };
        let mut names = self.names().to_vec();
        names.push(FAST.to_owned());
        let params = names.join(", ");
        let text = format!("[{params}] -> {{ : {FAST} >= 1 and {form} < 0 }}");
        let counterexamples = Set::parse(self.isl(), &text)?;
        Ok(counterexamples
            .intersect(&self.positive().align_params(&names)?)?
            .is_empty()?)
    }

    /// The formula of a number of things that exist: itself where it is provably at least 1, else the larger of
    /// the two.
    pub(crate) fn at_least_one(&self, expr: &Expr) -> Result<Expr> {
        if self.proves_nonnegative(&(expr - Expr::one()))? {
            return Ok(expr.clone());
        }
        Ok(Expr::max_of([Expr::one(), expr.clone()]).unwrap_or_default())
    }

    /// An affine function of the sizes alone, from text.
    pub(crate) fn affine_formula(&self, text: &str) -> Result<Expr> {
        let expr = self.formula(text)?;
        self.affine(&expr)?;
        Ok(expr)
    }
}

/// The same expression in symbols that are smaller by one: x ≥ 1 becomes x ≥ 0, which expressions know.
fn beyond_ones(expr: &Expr) -> Result<Expr> {
    let shifted = |symbol: Symbol| (symbol.clone(), Expr::from(symbol) + Expr::one());
    Ok(expr.substitute_all(&expr.symbols().into_iter().map(shifted).collect())?)
}

/// `(Σ c·symbol + constant) / scale` with integer coefficients.
pub(super) struct AffineForm {
    pub(super) terms: Vec<(String, BigInt)>,
    pub(super) constant: BigInt,
    pub(super) scale: BigInt,
}

impl AffineForm {
    /// The form of an expression of degree one at most.
    pub(super) fn of(expr: &Expr) -> Option<AffineForm> {
        let scale = expr.terms().fold(BigInt::from(1), |scale, (_, value)| {
            let scaled: Rational = value * int(scale.clone());
            scale * scaled.denom()
        });
        let whole = |value: &Rational| (value * int(scale.clone())).to_integer();
        let mut form = AffineForm {
            terms: Vec::new(),
            constant: BigInt::from(0),
            scale: scale.clone(),
        };
        for (monomial, value) in expr.terms() {
            let mut factors = monomial.factors();
            match (factors.next(), factors.next()) {
                (None, _) => form.constant = whole(value),
                (Some((Atom::Symbol(name), power)), None) if *power == int(1) => {
                    form.terms.push((name.name().to_owned(), whole(value)));
                }
                _ => return None,
            }
        }
        Some(form)
    }
}

impl std::fmt::Display for AffineForm {
    /// The numerator in isl notation.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "0")?;
        let sign = |value: &BigInt| if *value < 0.into() { '-' } else { '+' };
        for (name, value) in &self.terms {
            write!(f, " {} {}*{name}", sign(value), value.magnitude())?;
        }
        write!(f, " {} {}", sign(&self.constant), self.constant.magnitude())
    }
}

/// Demands that the claimed formula is provably not larger than the derived one.
pub(super) fn demand_not_larger(view: &View, claimed: &Expr, derived: &Expr) -> Result<()> {
    let proved = claimed == derived
        || view.proves_nonnegative(&(derived - claimed))?
        || claimed.equivalent(derived);
    demand(proved, Cause::Formula, || {
        format!("the proof gives {derived}, the claim says {claimed}")
    })
}
