//! Counting integer points: `[n] -> { [i, j] : 0 <= i < j < n }` has `n²/2 - n/2` points.
//!
//! ```text
//! Set ─ determined dims dropped ─ disjoint basic sets ─► Region ─ nested summation ─► terms
//!     ─ cut into disjoint domains, joined ─► Count { parameter domain -> quasi-polynomial }
//! ```
//!
//! The result is exact for every parameter value, or an error: [`PolyError::Unbounded`] if there are
//! infinitely many points, [`PolyError::Uncountable`] if the case analysis passes its limits. The method
//! is summation with case splits, not Barvinok's algorithm: fine for loop nests, exponential in the
//! number of dimensions in the worst case.

mod agree;
mod determined;
mod pieces;
mod polynomial;
mod quasi;
mod region;
mod sum;
mod variables;

use std::collections::BTreeMap;
use std::fmt;
use std::rc::Rc;

use num_bigint::BigInt;
use redblue_math::{Expr, Rational};

pub use quasi::QuasiPolynomial;

use crate::error::{PolyError, Result};
use crate::set::Set;
use crate::space::Space;
use pieces::Piece;
use polynomial::{Polynomial, Var};
use region::Region;
use sum::Summation;
use variables::{Kind, Variables};

/// A number that depends on the parameters, such as the number of points of a set.
///
/// The value is the sum of the pieces that apply, zero where none does, and unknown outside the context.
#[derive(Clone, Debug)]
pub struct Count {
    context: Set,
    pieces: Vec<(Set, QuasiPolynomial)>,
}

impl Set {
    /// The number of points for every value of the parameters.
    pub fn count(&self) -> Result<Count> {
        self.count_within(&Set::universe(&Space::params(
            self.context(),
            &self.param_names(),
        )?)?)
    }

    /// The number of points for the parameter values of a parameter set, which often is one polynomial.
    pub fn count_within(&self, context: &Set) -> Result<Count> {
        let set = self.intersect_params(context)?;
        let names = set.param_names();
        let context = context.align_params(&names)?;
        let mut variables = Variables::default();
        let params: Vec<Var> = names.iter().map(|name| variables.param(name)).collect();
        let reduced = determined::without_determined(&set.coalesce()?)?;
        let terms = summed(&reduced, &params, &mut variables)?;
        // Outside its support the count is zero; inside, many terms apply everywhere.
        let support = reduced.params()?.simple_superset()?.intersect(&context)?;
        let terms = terms.into_iter().map(|(region, value)| {
            let domain = region.params(&variables, &names, self.context())?;
            Ok((domain.gist(&support)?, value))
        });
        let terms = pieces::common_first(terms.collect::<Result<_>>()?, &support)?;
        Count::from_terms(terms, context, variables)
    }

    /// The number of points of a set without parameters. An error if a parameter plays a role.
    pub fn count_points(&self) -> Result<BigInt> {
        let set = self.align_params::<&str>(&[])?.coalesce()?;
        let reduced = determined::without_determined(&set)?;
        let mut variables = Variables::default();
        let terms = summed(&reduced, &[], &mut variables)?;
        let value = |(_, value): &(Region, Polynomial)| {
            value.evaluate(|var| variables.value(var, &|_| BigInt::default()))
        };
        let total = terms.iter().map(value);
        Ok(total
            .fold(Rational::default(), |sum, value| sum + value)
            .to_integer())
    }
}

/// Terms whose sum is the number of points of a set, each with the parameters that it is for.
fn summed(
    set: &Set,
    params: &[Var],
    variables: &mut Variables,
) -> Result<Vec<(Region, Polynomial)>> {
    let mut summation = Summation {
        set,
        variables,
        terms: Vec::new(),
        cases: 0,
    };
    for basic in set.make_disjoint()?.basic_sets()? {
        let region = Region::of(&basic, params, set.n_dim(), summation.variables)?;
        summation.sum(region, Polynomial::one())?;
    }
    Ok(summation.terms)
}

impl Count {
    fn from_terms(terms: Vec<Piece>, context: Set, variables: Variables) -> Result<Count> {
        let pieces = match pieces::partition(&terms, &context)? {
            Some(disjoint) => pieces::join(disjoint, &context, &variables)?,
            None => terms,
        };
        let variables = Rc::new(variables);
        let pieces = pieces.into_iter().map(|(domain, polynomial)| {
            (
                domain,
                QuasiPolynomial {
                    variables: Rc::clone(&variables),
                    polynomial,
                },
            )
        });
        Ok(Count {
            pieces: pieces.collect(),
            context,
        })
    }

    /// Parameter sets with quasi-polynomials: the value is the sum of those whose set contains the
    /// parameters. The sets are disjoint unless cutting them apart would take too many cases.
    pub fn pieces(&self) -> &[(Set, QuasiPolynomial)] {
        &self.pieces
    }

    /// The parameter values this is about.
    pub fn context(&self) -> &Set {
        &self.context
    }

    /// Whether one formula is right in the whole context.
    pub fn is_single(&self) -> Result<bool> {
        match &self.pieces[..] {
            [] => Ok(true),
            [(domain, _)] => self.context.is_subset(domain),
            _ => Ok(false),
        }
    }

    /// The formula, if one is right in the whole context.
    pub fn to_expr(&self) -> Result<Option<Expr>> {
        if !self.is_single()? {
            return Ok(None);
        }
        Ok(Some(
            self.pieces
                .first()
                .map_or_else(Expr::zero, |(_, value)| value.to_expr()),
        ))
    }

    /// The value for given parameters, which must be in the context.
    pub fn evaluate(&self, sizes: &BTreeMap<String, BigInt>) -> Result<BigInt> {
        let names = self.context.param_names();
        let values = names.iter().map(|name| {
            let unknown = || PolyError::UnknownName { name: name.clone() };
            sizes.get(name).cloned().ok_or_else(unknown)
        });
        let values = values.collect::<Result<Vec<BigInt>>>()?;
        if !self.context.contains(&values, &[])? {
            return Err(PolyError::Isl {
                message: "sizes outside the context".to_owned(),
            });
        }
        let mut total = Rational::default();
        for (domain, value) in &self.pieces {
            if domain.contains(&values, &[])? {
                total += value.evaluate(|name| sizes.get(name).cloned().unwrap_or_default());
            }
        }
        Ok(total.to_integer())
    }

    /// The sum of two counts, where both are known.
    pub fn add(&self, other: &Count) -> Result<Count> {
        let context = self.context.intersect(&other.context)?;
        let mut variables = Variables::default();
        let mut terms = Vec::new();
        for (domain, value) in self.pieces.iter().chain(&other.pieces) {
            let value = variables.adopt(&value.polynomial, &value.variables);
            terms.push((domain.intersect(&context)?, value));
        }
        Count::from_terms(terms, context, variables)
    }

    /// A constant multiple.
    pub fn scale(&self, factor: &Rational) -> Result<Count> {
        let mut variables = Variables::default();
        let scaled = self.pieces.iter().map(|(domain, value)| {
            let value = variables
                .adopt(&value.polynomial, &value.variables)
                .scaled(factor);
            (domain.clone(), value)
        });
        let scaled = scaled.collect();
        Count::from_terms(scaled, self.context.clone(), variables)
    }
}

impl fmt::Display for Count {
    /// One line per piece, `value if condition`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.pieces.is_empty() {
            return f.write_str("0");
        }
        for (at, (domain, value)) in self.pieces.iter().enumerate() {
            let line_break = if at == 0 { "" } else { "\n" };
            let condition = domain.gist(&self.context).map_err(|_| fmt::Error)?;
            if self.context.is_subset(domain).unwrap_or(false) {
                write!(f, "{line_break}{value}")?;
            } else {
                write!(f, "{line_break}{value} if {condition}")?;
            }
        }
        Ok(())
    }
}

impl Variables {
    /// The variable of a parameter, if it has one.
    fn find_param(&self, name: &str) -> Option<Var> {
        self.all()
            .find(|var| *self.kind(*var) == Kind::Param(name.to_owned()))
    }

    /// A polynomial in another table's parameters and floors, in terms of this one's.
    fn adopt(&mut self, polynomial: &Polynomial, other: &Variables) -> Polynomial {
        let used = other.with_floors(polynomial.variables());
        let mut renamed: BTreeMap<Var, polynomial::Form> = BTreeMap::new();
        for var in used {
            let form = match other.kind(var) {
                Kind::Param(name) => polynomial::Form::variable(self.param(name)),
                Kind::Floor(form, divisor) => {
                    let start = polynomial::Form::constant(form.constant.clone());
                    let form = form
                        .terms
                        .iter()
                        .fold(start, |sum, (v, c)| match renamed.get(v) {
                            Some(value) => sum.plus(c, value),
                            None => sum,
                        });
                    self.floor(&form, divisor)
                }
                Kind::Dim => continue,
            };
            renamed.insert(var, form);
        }
        polynomial.renamed(|var| renamed.get(&var).map(Polynomial::from))
    }
}
