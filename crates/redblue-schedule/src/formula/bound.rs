//! A polynomial in the sizes above the number of points of a system.
//!
//! ```text
//! [N, M] -> { (q, i, k) : 26q <= i, 0 <= i < N, 0 <= k < M }        M · Σ_i (⌊i/26⌋ + 1)  <=  M · Σ_i (i/26 + 1)
//! ```
//!
//! **Theorem.** Eliminate the variables of a system one after the other; let R be the real points of the shadow that is
//! left, and f >= 0 on its integer points, such that Σ f over them is at least the number of points of the system. Let v
//! be a variable with l <= v <= u in R, and R' the shadow of R along v.
//! 1. If f does not depend on v and is not negative on R (or n = ⌊u⌋ - ⌈l⌉ + 1 and v has no other bounds), then f·n with any n >= ⌊u⌋ - ⌈l⌉ + 1 is above Σ_v f, and not
//!    negative on R' if n is not. There, n may be ⌊c⌋ + 1 + (u - l - c) for a constant c, if the coefficients of u - l - c
//!    are integers; or u - l + 1, in which an end that depends on the sizes only may be rounded. Any of several
//!    bounds l and u may be taken.
//! 2. If v has no other bounds, then Σ_v f = F(⌊u⌋) - F(⌈l⌉ - 1) for the polynomial F of Faulhaber with F(v) - F(v-1) = f.
//!    With u = a/d this is polynomial in φ = a - d⌊u⌋, an integer from 0 to d - 1, and in the same way for l. A monomial
//!    c·φ^k·m with m >= 0 is at most c·(d-1)^k·m if c > 0, and at most 0 if c < 0 and k > 0.
//!
//! *Proof.* In R' every lower bound is at most every upper bound, so ⌊u⌋ >= ⌈l⌉ - 1: ranges are never shorter than empty,
//! where F(⌊u⌋) - F(⌈l⌉ - 1) is zero as it should be. So 2 is an identity at the integer points of R', followed by estimates
//! of monomials, and what comes out is at least a sum of f >= 0. For 1, an interval of length u - l has at most ⌊u - l⌋ + 1
//! integers, all terms of the sum are equal, and leaving out bounds only adds terms, which are not negative, because a
//! point of R' is the shadow of a point of R. Each n given is at least u - l - 1 + 1 >= 0 in R', as rounding one end takes
//! less than 1; rounding both leaves ⌊u⌋ - ⌈l⌉ + 1 >= 0. ∎
//!
//! In the end the sizes for which the system has a shadow are left. Elsewhere it has no points, so what may be
//! negative there is cut off at zero. Which variable comes when is tried out; the least value at the given sizes wins.

use num_bigint::BigInt;
use num_traits::One;
use redblue_math::{Assignment, Expr, Rational, Symbol, power_sum, rational};

use super::system::{End, Row, System};

/// Ways to eliminate all variables that are tried for one system.
const WAYS: usize = 48;
/// Pairs of bounds of one variable that are tried.
const PAIRS: usize = 3;
/// Values of a size that are looked at one by one.
const FEW: usize = 8;
/// Highest power of a variable, and most terms.
const POWER: u32 = 6;
const TERMS: usize = 60;

/// Names of the sizes, and the values at which bounds are compared.
pub(super) struct Names {
    pub(super) params: Vec<Symbol>,
    pub(super) sizes: Assignment,
}

/// An expression above a number, with its value at the given sizes.
#[derive(Clone, Debug)]
pub(super) struct Above {
    pub(super) expr: Expr,
    pub(super) value: BigInt,
}

impl Names {
    /// A column of a row as a symbol. Variables have names that no size has.
    fn symbol(&self, column: usize) -> Symbol {
        match self.params.get(column - 1) {
            Some(name) => name.clone(),
            None => Symbol::new(&format!("#{column}")),
        }
    }

    fn expr(&self, row: &Row) -> Expr {
        let mut sum = Expr::integer(row[0]);
        for (at, coefficient) in row.iter().enumerate().skip(1) {
            if *coefficient != 0 {
                sum += Expr::symbol(self.symbol(at)).scale(&rational::int(*coefficient));
            }
        }
        sum
    }

    /// An expression with its value.
    pub(super) fn above(&self, expr: Expr) -> Option<Above> {
        let value = expr.eval_ceil(&self.sizes).ok()?;
        Some(Above { expr, value })
    }

    /// The least expression found above the number of points of a system whose variables are not negative.
    pub(super) fn bound(&self, system: System, scope: &[Row]) -> Option<Above> {
        let mut search = Search {
            names: self,
            scope,
            ways: WAYS,
            best: None,
            done: false,
        };
        search.explore(&Level {
            system,
            value: Expr::one(),
            solid: true,
            exact: true,
        });
        search.best
    }
}

/// Some variables are eliminated.
struct Level {
    system: System,
    /// f, above the number of points over one of what is left.
    value: Expr,
    /// Whether f is not negative in all real points of the system.
    solid: bool,
    /// Whether nothing was overstated so far, but for points without integers above them.
    exact: bool,
}

/// How many pairs of bounds a variable has, the variable, and those that are tried.
type Choice = (usize, usize, Vec<(End, End)>);

struct Search<'a> {
    names: &'a Names,
    scope: &'a [Row],
    ways: usize,
    best: Option<Above>,
    /// Whether nothing better is to be hoped for.
    done: bool,
}

impl Search<'_> {
    fn explore(&mut self, level: &Level) {
        if self.done || self.ways == 0 || level.value.terms().len() > TERMS {
            return;
        }
        if level.system.left.is_empty() {
            self.ways -= 1;
            return self.finish(level);
        }
        let mut choices: Vec<Choice> = Vec::new();
        for var in &level.system.left {
            let (lows, highs) = level.system.ends(*var);
            let mut pairs: Vec<(End, End)> = Vec::new();
            for low in &lows {
                pairs.extend(highs.iter().map(|high| (low.clone(), high.clone())));
            }
            let count = pairs.len();
            let constant = |(low, high): &(End, End)| constant_width(low, high);
            pairs.sort_by_key(|pair| constant(pair).unwrap_or(i64::MAX));
            let free = !level.value.mentions(&self.names.symbol(*var));
            if free && pairs.first().and_then(constant) == Some(1) {
                // The others determine it.
                pairs.truncate(1);
                choices = vec![(0, *var, pairs)];
                break;
            }
            pairs.truncate(PAIRS);
            choices.push((count, *var, pairs));
        }
        choices.sort_by_key(|(count, var, _)| (*count, *var));
        for (count, var, pairs) in choices {
            let Some(shadow) = level.system.shadow(var) else {
                continue;
            };
            for (low, high) in &pairs {
                let only = count <= 1;
                if let Some(next) = self.summed(level, &shadow, var, (low, high), only) {
                    self.explore(&next);
                }
            }
        }
    }

    /// f summed over a variable between two bounds; `only` if it has no others.
    fn summed(
        &self,
        level: &Level,
        shadow: &System,
        var: usize,
        (low, high): (&End, &End),
        only: bool,
    ) -> Option<Level> {
        let name = self.names.symbol(var);
        let open = |end: &End| end.row[1 + shadow.params..].iter().any(|c| *c != 0);
        let part = |end: &End| {
            let divisor = Rational::new(BigInt::one(), end.divisor.into());
            self.names.expr(&end.row).scale(&divisor)
        };
        // Ends without rounding are integers, and those without variables may be rounded.
        let rounded = |end: &End| end.divisor == 1 || !open(end);
        let first = || {
            if rounded(low) {
                part(low).ceil()
            } else {
                part(low)
            }
        };
        let last = || {
            if rounded(high) {
                part(high).floor()
            } else {
                part(high)
            }
        };
        let both = rounded(low) && rounded(high);
        let free = !level.value.mentions(&name);
        if free && (level.solid || only && both) {
            let width = part(high) - part(low);
            let whole = &width - Expr::constant(width.constant_term());
            let number = if !both && whole.terms().all(|(_, c)| c.is_integer()) {
                whole + Expr::integer(rational::floor(&width.constant_term()))
            } else {
                last() - first()
            };
            return Some(Level {
                system: shadow.clone(),
                value: &level.value * (number + Expr::one()),
                solid: level.solid,
                exact: level.exact && (only && both || constant_width(low, high) == Some(1)),
            });
        }
        if !only {
            return None;
        }
        let [phi, psi] = ["#high", "#low"].map(Symbol::new);
        let rest = |name: &Symbol, end: &End| {
            let divisor = Rational::new(BigInt::one(), end.divisor.into());
            Expr::symbol(name).scale(&divisor)
        };
        let last = if rounded(high) {
            last()
        } else {
            last() - rest(&phi, high)
        };
        let first = if rounded(low) {
            first()
        } else {
            first() + rest(&psi, low)
        };
        let mut sum = Expr::zero();
        for (power, coefficient) in level.value.coefficients(&name)? {
            if power > POWER {
                return None;
            }
            sum += coefficient * power_sum(power, &first, &last);
        }
        let value = without(&sum, &phi, high.divisor)?;
        let value = without(&value, &psi, low.divisor)?;
        Some(Level {
            system: shadow.clone(),
            solid: value.is_nonnegative(),
            value,
            exact: level.exact && both,
        })
    }

    fn finish(&mut self, level: &Level) {
        let system = &level.system;
        let known = |row: &Row, scope: &Row| system.follows(row, Some(scope), self.scope);
        let implied = |row: &&Row| {
            !system.follows(row, None, self.scope) && !self.scope.iter().any(|s| known(row, s))
        };
        let mut open = system.rows.iter().filter(implied);
        let fine = open.all(|row| self.names.is_fine_outside(&level.value, row));
        let expr = match fine || self.names.is_positive(&level.value) {
            true => Some(level.value.clone()),
            false => Expr::max_of([Expr::zero(), level.value.clone()]),
        };
        let Some(above) = expr.and_then(|expr| self.names.above(expr)) else {
            return;
        };
        self.done |= level.exact;
        if self
            .best
            .as_ref()
            .is_none_or(|best| above.value < best.value)
        {
            self.best = Some(above);
        }
    }
}

impl Names {
    /// Whether an expression is seen not to be negative where a row is, if that is for a few values of one size only.
    fn is_fine_outside(&self, expr: &Expr, row: &Row) -> bool {
        let mut used = (1..row.len()).filter(|at| row[*at] != 0);
        let (Some(at), None) = (used.next(), used.next()) else {
            return false;
        };
        if row[at] < 0 || at > self.params.len() {
            return false;
        }
        let outside = (1..).take_while(|size| row[at] * size + row[0] < 0);
        let mut values = outside.take(FEW + 1);
        let count = values.clone().count();
        count <= FEW
            && values.all(|size| {
                let there = expr.substitute(&self.params[at - 1], &Expr::integer(size));
                there.is_ok_and(|there| self.is_positive(&there))
            })
    }

    /// Whether an expression is seen not to be negative, because all sizes are at least one.
    fn is_positive(&self, expr: &Expr) -> bool {
        let mut moved = expr.clone();
        for name in &self.params {
            let more = Expr::symbol(name) + Expr::one();
            match moved.substitute(name, &more) {
                Ok(next) => moved = next,
                Err(_) => return false,
            }
        }
        expr.is_nonnegative() || moved.is_nonnegative()
    }
}

/// The most integers between two bounds, if that is the same everywhere.
fn constant_width(low: &End, high: &End) -> Option<i64> {
    let scaled = |row: &Row, by: i64, at: usize| row[at].checked_mul(by);
    for at in 1..low.row.len() {
        if scaled(&high.row, low.divisor, at)? != scaled(&low.row, high.divisor, at)? {
            return None;
        }
    }
    let width =
        scaled(&high.row, low.divisor, 0)?.checked_sub(scaled(&low.row, high.divisor, 0)?)?;
    Some(width.div_euclid(low.divisor.checked_mul(high.divisor)?) + 1)
}

/// An expression without a symbol that is an integer from 0 to `divisor - 1`, and not smaller than before.
fn without(expr: &Expr, symbol: &Symbol, divisor: i64) -> Option<Expr> {
    let most = BigInt::from(divisor - 1);
    let mut sum = Expr::zero();
    for (power, coefficient) in expr.coefficients(symbol)? {
        if power == 0 {
            sum += coefficient;
            continue;
        }
        let positive = coefficient.positive_terms();
        let negative = &positive - &coefficient;
        // The sign of a monomial must be known.
        if !positive.is_nonnegative() || !negative.is_nonnegative() {
            return None;
        }
        sum += positive.scale(&rational::int(most.pow(power)));
    }
    Some(sum)
}
