//! Quasi-polynomials: polynomials in the parameters and in floors of them.

use std::fmt;
use std::rc::Rc;

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, ToPrimitive, Zero};
use redblue_math::{Expr, Rational};

use crate::error::Result;
use crate::set::Set;

use super::polynomial::{Polynomial, Var};
use super::variables::{Kind, Variables};

/// Residue classes that are compared to get rid of floors.
const MAX_CLASSES: u64 = 256;
/// Substitutions into monomials that getting rid of floors may cost.
const MAX_SUBSTITUTIONS: u64 = 20_000;

/// A polynomial in parameters and floors of parameters, such as `n/2 + floor((n + 1)/3)`.
#[derive(Clone, Debug)]
pub struct QuasiPolynomial {
    pub(crate) variables: Rc<Variables>,
    pub(crate) polynomial: Polynomial,
}

impl QuasiPolynomial {
    /// Whether no floor occurs.
    pub fn is_polynomial(&self) -> bool {
        let is_param = |var: &Var| matches!(self.variables.kind(*var), Kind::Param(_));
        self.polynomial.variables().iter().all(is_param)
    }

    /// Whether this is the zero polynomial.
    pub fn is_zero(&self) -> bool {
        self.polynomial.is_zero()
    }

    /// The value for given parameters; a parameter that `param` does not know counts as zero.
    pub fn evaluate(&self, param: impl Fn(&str) -> BigInt) -> Rational {
        self.polynomial
            .evaluate(|var| self.variables.value(var, &param))
    }

    /// The same as a symbolic expression in the parameters.
    pub fn to_expr(&self) -> Expr {
        self.polynomial
            .terms()
            .fold(Expr::zero(), |sum, (monomial, coefficient)| {
                let start = Expr::constant(coefficient.clone());
                let product = monomial.iter().fold(start, |product, (var, exponent)| {
                    let factor = expr(&self.variables, *var);
                    (0..*exponent).fold(product, |product, _| product * factor.clone())
                });
                sum + product
            })
    }
}

impl fmt::Display for QuasiPolynomial {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.to_expr())
    }
}

fn expr(variables: &Variables, var: Var) -> Expr {
    match variables.kind(var) {
        Kind::Param(name) => Expr::symbol(name.as_str()),
        Kind::Floor(form, divisor) => {
            let start = Expr::integer(form.constant.clone());
            let numerator = form.terms.iter().fold(start, |sum, (var, c)| {
                sum + Expr::integer(c.clone()) * expr(variables, *var)
            });
            numerator
                .scale(&Rational::new(BigInt::one(), divisor.clone()))
                .floor()
        }
        Kind::Dim => Expr::zero(),
    }
}

/// The same function on a domain, with floors removed where every residue class that the domain has
/// gives the same polynomial: `floor(n/2) + floor((n+1)/2)` is `n`.
pub(crate) fn without_floors(
    value: &Polynomial,
    domain: &Set,
    variables: &Variables,
) -> Result<Polynomial> {
    let is_floor = |var: &Var| matches!(variables.kind(*var), Kind::Floor(..));
    let floors: Vec<Var> = value.variables().into_iter().filter(is_floor).collect();
    let mut value = value.clone();
    // All at once, then those that differ only by a constant inside.
    let mut groups = vec![floors.clone()];
    for floor in floors {
        let Kind::Floor(form, divisor) = variables.kind(floor) else {
            continue;
        };
        let key = |var: &Var| match variables.kind(*var) {
            Kind::Floor(other, d) => other.terms == form.terms && d == divisor,
            _ => false,
        };
        groups.push(value.variables().into_iter().filter(key).collect());
    }
    for group in groups {
        if let Some(simpler) = without_group(&value, &group, domain, variables)? {
            value = simpler;
        }
    }
    Ok(value)
}

fn without_group(
    value: &Polynomial,
    group: &[Var],
    domain: &Set,
    variables: &Variables,
) -> Result<Option<Polynomial>> {
    let period = group
        .iter()
        .fold(BigInt::one(), |lcm, var| lcm.lcm(&variables.period(*var)));
    let involved: Vec<Var> = variables.with_floors(group.iter().copied());
    let is_param = |var: &Var| matches!(variables.kind(*var), Kind::Param(_));
    let params: Vec<Var> = involved.into_iter().filter(is_param).collect();
    let classes = period
        .pow(u32::try_from(params.len()).unwrap_or(u32::MAX))
        .to_u64();
    let Some(classes) = classes.filter(|classes| *classes <= MAX_CLASSES && !group.is_empty())
    else {
        return Ok(None);
    };
    let work = classes.saturating_mul((group.len() * value.terms().count()) as u64);
    if work > MAX_SUBSTITUTIONS {
        return Ok(None);
    }
    let period = period.to_u64().unwrap_or(1);
    let mut common: Option<Polynomial> = None;
    for class in 0..classes {
        let mut rest = class;
        let residues: Vec<(Var, u64)> = params
            .iter()
            .map(|var| {
                let residue = rest % period;
                rest /= period;
                (*var, residue)
            })
            .collect();
        let here = group.iter().fold(value.clone(), |value, floor| {
            value.substitute(*floor, &variables.in_class(*floor, &residues))
        });
        if common.as_ref() == Some(&here) || !meets(domain, &residues, period, variables)? {
            continue;
        }
        if common.is_some() {
            return Ok(None);
        }
        common = Some(here);
    }
    Ok(common)
}

/// Whether some parameters of the domain are in the residue class.
fn meets(
    domain: &Set,
    residues: &[(Var, u64)],
    period: u64,
    variables: &Variables,
) -> Result<bool> {
    let named = residues
        .iter()
        .filter_map(|(var, residue)| match variables.kind(*var) {
            Kind::Param(name) => Some((name, residue)),
            _ => None,
        });
    let (names, conditions): (Vec<&str>, Vec<String>) = named
        .enumerate()
        .map(|(at, (name, residue))| {
            (
                name.as_str(),
                format!("(p{at} - {residue}) mod {period} = 0"),
            )
        })
        .unzip();
    let listed: Vec<String> = (0..names.len()).map(|at| format!("p{at}")).collect();
    let text = format!(
        "[{}] -> {{ : {} }}",
        listed.join(", "),
        conditions.join(" and ")
    );
    let mut class = Set::parse(domain.context(), &text)?;
    for (at, name) in names.iter().enumerate() {
        class = class.rename_param(&format!("p{at}"), name)?;
    }
    Ok(!domain.is_disjoint(&class)?)
}

impl Variables {
    /// A number such that adding multiples of it to parameters changes a floor linearly.
    fn period(&self, var: Var) -> BigInt {
        match self.kind(var) {
            Kind::Floor(form, divisor) => {
                let inner = form.terms.keys().map(|v| self.period(*v));
                divisor * inner.fold(BigInt::one(), |lcm, period| lcm.lcm(&period))
            }
            _ => BigInt::one(),
        }
    }

    /// What a floor is for parameters with given residues modulo its period: a polynomial in them.
    fn in_class(&self, var: Var, residues: &[(Var, u64)]) -> Polynomial {
        let Kind::Floor(form, divisor) = self.kind(var) else {
            return Polynomial::variable(var);
        };
        // floor(f(p)/d) = (f(p) - f(r))/d + floor(f(r)/d), because d divides f(p) - f(r) in the class.
        let at = |var: Var| self.value_at(var, residues);
        let numerator = form.terms.iter().fold(
            Polynomial::constant(Rational::from_integer(form.constant.clone())),
            |sum, (v, c)| {
                sum.plus(
                    &self
                        .in_class(*v, residues)
                        .scaled(&Rational::from_integer(c.clone())),
                )
            },
        );
        let base: BigInt =
            form.terms.iter().map(|(v, c)| c * at(*v)).sum::<BigInt>() + &form.constant;
        let rounded = base.div_floor(divisor);
        numerator
            .minus(&Polynomial::constant(Rational::from_integer(base)))
            .scaled(&Rational::new(BigInt::one(), divisor.clone()))
            .plus(&Polynomial::constant(Rational::from_integer(rounded)))
    }

    fn value_at(&self, var: Var, residues: &[(Var, u64)]) -> BigInt {
        let value = |name: &str| {
            let found = residues.iter().find(|(v, _)| match self.kind(*v) {
                Kind::Param(known) => known == name,
                _ => false,
            });
            found.map_or_else(BigInt::zero, |(_, residue)| BigInt::from(*residue))
        };
        self.value(var, &value)
    }
}
