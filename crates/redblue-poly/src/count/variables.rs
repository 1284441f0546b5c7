//! What the variables of a count stand for: parameters, floors of parameters, and dimensions.
//!
//! A *floor* is a number that the parameters determine, `floor(form / divisor)` with a form in parameters
//! and earlier floors. It appears in results and is treated as one more parameter in between. Floors are
//! kept in a normal form (coefficients reduced modulo the divisor, the first one at most half of it), so
//! that `ceil((n-1)/2)` and `floor(n/2)` are the same variable.

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Zero};

use super::polynomial::{Form, Polynomial, Var};

/// The variables of one count.
#[derive(Clone, Debug, Default)]
pub(crate) struct Variables {
    kinds: Vec<Kind>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Param(String),
    Floor(Form, BigInt),
    Dim,
}

impl Variables {
    pub(crate) fn kind(&self, var: Var) -> &Kind {
        &self.kinds[var]
    }

    pub(crate) fn is_dim(&self, var: Var) -> bool {
        self.kinds[var] == Kind::Dim
    }

    /// All variables.
    pub(crate) fn all(&self) -> impl Iterator<Item = Var> + use<> {
        0..self.kinds.len()
    }

    /// The variable of a parameter.
    pub(crate) fn param(&mut self, name: &str) -> Var {
        self.intern(Kind::Param(name.to_owned()))
    }

    /// A dimension that was not there before.
    pub(crate) fn fresh_dim(&mut self) -> Var {
        self.kinds.push(Kind::Dim);
        self.kinds.len() - 1
    }

    fn intern(&mut self, kind: Kind) -> Var {
        self.kinds
            .iter()
            .position(|known| *known == kind)
            .unwrap_or_else(|| {
                self.kinds.push(kind);
                self.kinds.len() - 1
            })
    }

    /// `floor(form / divisor)` for a positive divisor and a form without dimensions.
    pub(crate) fn floor(&mut self, form: &Form, divisor: &BigInt) -> Form {
        let (quotient, rest, divisor) = reduced(form, divisor);
        if rest.terms.is_empty() {
            return quotient;
        }
        if let Some(flat) = self.flattened(&rest, &divisor) {
            return quotient.plus(&BigInt::one(), &flat);
        }
        // floor(r/d) = -floor((-r + d - 1)/d): of the two, the one with smaller numbers stands for both.
        let (inner, turned, _) = reduced(&Form::constant(&divisor - 1).minus(&rest), &divisor);
        let size = |form: &Form| (form.terms.values().next().cloned(), form.constant.clone());
        if size(&rest) <= size(&turned) {
            let var = self.intern(Kind::Floor(rest, divisor));
            quotient.plus(&BigInt::one(), &Form::variable(var))
        } else {
            let var = self.intern(Kind::Floor(turned, divisor));
            quotient.minus(&inner).minus(&Form::variable(var))
        }
    }

    /// `floor((q + h)/d)` and `floor((h - q)/d)` for one inner floor `q = floor(f/e)` as single floors,
    /// `floor((f + e·h)/(d·e))` and `floor((e·h - f + e - 1)/(d·e))`.
    fn flattened(&mut self, rest: &Form, divisor: &BigInt) -> Option<Form> {
        let mut inner = rest
            .terms
            .iter()
            .filter_map(|(var, c)| match self.kind(*var) {
                Kind::Floor(form, e) => Some((*var, c.clone(), form.clone(), e.clone())),
                _ => None,
            });
        let (var, coefficient, form, e) = inner.next()?;
        if inner.next().is_some() {
            return None;
        }
        let mut others = rest.clone();
        others.terms.remove(&var);
        let scaled = Form::default().plus(&e, &others);
        if coefficient.is_one() {
            return Some(self.floor(&scaled.plus(&BigInt::one(), &form), &(divisor * e)));
        }
        if coefficient == divisor - 1 {
            let numerator = scaled
                .minus(&form)
                .plus(&BigInt::one(), &Form::constant(&e - 1));
            let flat = self.floor(&numerator, &(divisor * e));
            return Some(flat.plus(&BigInt::one(), &Form::variable(var)));
        }
        None
    }

    /// A variable and every floor it is made of, each after those it uses.
    pub(crate) fn with_floors(&self, vars: impl IntoIterator<Item = Var>) -> Vec<Var> {
        let mut wanted: std::collections::BTreeSet<Var> = std::collections::BTreeSet::new();
        let mut open: Vec<Var> = vars.into_iter().collect();
        while let Some(var) = open.pop() {
            if wanted.insert(var)
                && let Kind::Floor(form, _) = self.kind(var)
            {
                open.extend(form.terms.keys());
            }
        }
        // Floors are numbered in order of creation, so this is also the order of dependence.
        wanted.into_iter().collect()
    }

    /// A polynomial with a parameter replaced, provided that no floor depends on it; otherwise unchanged.
    pub(crate) fn substituted(&self, value: &Polynomial, var: Var, by: &Form) -> Polynomial {
        let hidden = self.with_floors(value.variables()).into_iter().any(
            |used| matches!(self.kind(used), Kind::Floor(form, _) if form.terms.contains_key(&var)),
        );
        if hidden {
            value.clone()
        } else {
            value.substitute(var, &Polynomial::from(by))
        }
    }

    /// The value of a variable that the parameters determine.
    pub(crate) fn value(&self, var: Var, param: &impl Fn(&str) -> BigInt) -> BigInt {
        match self.kind(var) {
            Kind::Param(name) => param(name),
            Kind::Floor(form, divisor) => {
                let terms = form.terms.iter().map(|(v, c)| c * self.value(*v, param));
                (terms.sum::<BigInt>() + &form.constant).div_floor(divisor)
            }
            Kind::Dim => BigInt::zero(),
        }
    }
}

/// `form/divisor = quotient + rest/divisor'` with coefficients of the rest in `0..divisor'`, up to what
/// rounding down ignores.
fn reduced(form: &Form, divisor: &BigInt) -> (Form, Form, BigInt) {
    let mut quotient = Form::constant(form.constant.div_floor(divisor));
    let mut rest = Form::constant(form.constant.mod_floor(divisor));
    for (var, coefficient) in &form.terms {
        let (times, left) = coefficient.div_mod_floor(divisor);
        quotient = quotient.plus(&times, &Form::variable(*var));
        rest = rest.plus(&left, &Form::variable(*var));
    }
    let common = rest.content().gcd(divisor);
    (quotient, rest.divided(&common), divisor / common)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The normal form has the same value for all parameters, and equal functions get equal variables.
    #[test]
    fn floors_keep_their_value() {
        let mut variables = Variables::default();
        let n = variables.param("n");
        for divisor in 1..7i64 {
            for coefficient in -7..8i64 {
                for constant in -5..6i64 {
                    let inner = variables.floor(&Form::variable(n), &BigInt::from(3));
                    for (inside, name) in [(Form::variable(n), "n"), (inner, "floor(n/3)")] {
                        let form = Form::constant(constant).plus(&coefficient.into(), &inside);
                        let floor = Polynomial::from(&variables.floor(&form, &divisor.into()));
                        for value in -13..14i64 {
                            let param = |_: &str| BigInt::from(value);
                            let actual = floor.evaluate(|var| variables.value(var, &param));
                            let inside = if name == "n" {
                                value
                            } else {
                                value.div_euclid(3)
                            };
                            let expected = (coefficient * inside + constant).div_euclid(divisor);
                            assert_eq!(
                                actual.to_integer(),
                                expected.into(),
                                "floor(({coefficient}*{name} + {constant})/{divisor}) at n = {value}"
                            );
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn equal_floors_are_one_variable() {
        let mut variables = Variables::default();
        let n = Form::variable(variables.param("n"));
        let two = BigInt::from(2);
        let half = variables.floor(&n, &two);
        // ceil((n - 1)/2) = -floor((1 - n)/2)
        let turned = variables
            .floor(&Form::constant(1).minus(&n), &two)
            .negated();
        assert_eq!(half, turned);
        let sixth = variables.floor(&n, &BigInt::from(6));
        assert_eq!(variables.floor(&half, &BigInt::from(3)), sixth);
    }
}
