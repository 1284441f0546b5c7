//! Nested summation: the number of points of a region, one dimension after the other.
//!
//! ```text
//! Σ_{x ∈ region} f  =  Σ_{cases: which lower bound L and which upper bound U of one dimension apply}
//!                        Σ_{x' ∈ case}  (F(U) - F(L - 1))          F = Faulhaber sum of f
//! ```
//!
//! Equalities are solved by unimodular substitutions. A bound like `3x <= y + n` has no polynomial
//! solution; there `y = 3t + r` is counted for each residue `r` apart, after which the bound is
//! `x <= t + floor((r + n)/3)`, with a floor that only parameters determine.

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Signed, ToPrimitive, Zero};

use crate::error::{PolyError, Result};
use crate::set::Set;

use super::polynomial::{Form, Polynomial, Var, is_unit};
use super::region::Region;
use super::variables::Variables;

/// Cases one count may need.
const MAX_CASES: usize = 5_000;
/// Residue classes one dimension's bounds may need.
const MAX_RESIDUES: u64 = 2_048;

/// A summation in progress; `terms` are the results, each valid where its region's parameters are.
pub(crate) struct Summation<'a> {
    /// The set being counted, for messages.
    pub(crate) set: &'a Set,
    pub(crate) variables: &'a mut Variables,
    pub(crate) terms: Vec<(Region, Polynomial)>,
    pub(crate) cases: usize,
}

impl Summation<'_> {
    /// Adds `Σ value` over the points of a region to the terms.
    pub(crate) fn sum(&mut self, mut region: Region, mut value: Polynomial) -> Result<()> {
        self.cases += 1;
        if self.cases > MAX_CASES {
            return Err(self.too_complex("too many cases"));
        }
        loop {
            if value.is_zero() {
                return Ok(());
            }
            let context = self.set.context();
            match region.simplified(self.variables, context)? {
                Some(simplified) => region = simplified,
                None => return Ok(()),
            }
            let of_dims = |form: &Form| form.terms.keys().any(|var| self.variables.is_dim(*var));
            match region.equalities.iter().position(of_dims) {
                Some(at) => self.solve(at, &mut region, &mut value),
                None => break,
            }
        }
        self.tighten(&mut region);
        if region.dims.is_empty() {
            self.terms.push((region, value));
            return Ok(());
        }
        let bounds = region
            .dims
            .iter()
            .map(|var| Bounds::of(*var, &region, self.variables));
        let bounds: Vec<Bounds> = bounds.collect();
        if bounds
            .iter()
            .any(|b| b.lower.is_empty() || b.upper.is_empty())
        {
            return Err(PolyError::Unbounded {
                set: self.set.to_string(),
            });
        }
        let Some(best) = bounds.into_iter().min_by_key(Bounds::cost) else {
            return Ok(());
        };
        if best.residues.is_empty() {
            self.split(region, value, &best)
        } else {
            self.classes(region, value, &best)
        }
    }

    fn too_complex(&self, reason: &'static str) -> PolyError {
        PolyError::Uncountable {
            reason,
            set: self.set.to_string(),
        }
    }

    /// Uses one equality to remove a dimension.
    fn solve(&mut self, at: usize, region: &mut Region, value: &mut Polynomial) {
        let mut equality = region.equalities.swap_remove(at);
        let (dims, rest) = equality.split(|var| self.variables.is_dim(var));
        let content = dims.content();
        if content > BigInt::one() {
            // Solvable only where the content divides the rest: rest = content · floor(rest/content).
            let quotient = self.variables.floor(&rest, &content);
            region.equalities.push(rest.plus(&-&content, &quotient));
            equality = dims.divided(&content).plus(&BigInt::one(), &quotient);
        }
        loop {
            let (dims, _) = equality.split(|var| self.variables.is_dim(var));
            let smallest = dims.terms.iter().min_by_key(|(var, c)| (c.abs(), **var));
            let Some((&var, coefficient)) = smallest else {
                return;
            };
            region.dims.retain(|dim| *dim != var);
            let solved = is_unit(coefficient);
            let replacement = if solved {
                let mut others = equality.clone();
                others.terms.remove(&var);
                Form::default().plus(&-coefficient, &others)
            } else {
                // var = new - Σ (c/coefficient)·dim leaves only remainders: a step of Euclid's algorithm.
                let new = self.variables.fresh_dim();
                region.dims.push(new);
                let others = dims.terms.iter().filter(|(dim, _)| **dim != var);
                others.fold(Form::variable(new), |form, (dim, c)| {
                    form.plus(&-c.div_floor(coefficient), &Form::variable(*dim))
                })
            };
            equality = equality.substitute(var, &replacement);
            region.substitute(var, &replacement);
            *value = value.substitute(var, &Polynomial::from(&replacement));
            if solved {
                return;
            }
        }
    }

    /// Divides each inequality by the common divisor of its dimensions' coefficients, rounding the rest.
    fn tighten(&mut self, region: &mut Region) {
        for form in &mut region.inequalities {
            let (dims, rest) = form.split(|var| self.variables.is_dim(var));
            let content = dims.content();
            if content > BigInt::one() {
                let rest = self.variables.floor(&rest, &content);
                *form = dims.divided(&content).plus(&BigInt::one(), &rest);
            }
        }
    }

    /// Sums over a dimension whose bounds all have coefficient one, case by case.
    fn split(&mut self, region: Region, value: Polynomial, bounds: &Bounds) -> Result<()> {
        let dims = region
            .dims
            .iter()
            .copied()
            .filter(|dim| *dim != bounds.var)
            .collect();
        let untouched: Vec<Form> = region
            .inequalities
            .into_iter()
            .filter(|form| !form.terms.contains_key(&bounds.var))
            .collect();
        let rest = Region {
            dims,
            equalities: region.equalities,
            inequalities: untouched,
        };
        for (i, lower) in bounds.lower.iter().enumerate() {
            for (k, upper) in bounds.upper.iter().enumerate() {
                let mut case = rest.clone();
                // The first among equal bounds applies, so the cases are disjoint.
                let binding = |at: usize, other: usize| BigInt::from(i64::from(other < at));
                case.inequalities.extend(
                    bounds
                        .lower
                        .iter()
                        .enumerate()
                        .filter(|(j, _)| *j != i)
                        .map(|(j, other)| {
                            lower
                                .clone()
                                .minus(other)
                                .minus(&Form::constant(binding(i, j)))
                        }),
                );
                case.inequalities.extend(
                    bounds
                        .upper
                        .iter()
                        .enumerate()
                        .filter(|(j, _)| *j != k)
                        .map(|(j, other)| {
                            other
                                .clone()
                                .minus(upper)
                                .minus(&Form::constant(binding(k, j)))
                        }),
                );
                // The formula also holds for the empty sum, which makes domains larger and more alike.
                let length = upper
                    .clone()
                    .minus(lower)
                    .plus(&BigInt::one(), &Form::constant(1));
                case.inequalities.push(length);
                let sum = value.sum(bounds.var, &lower.into(), &upper.into());
                self.sum(case, sum)?;
            }
        }
        Ok(())
    }

    /// Splits other dimensions into residue classes, so that the bounds of this one can be rounded.
    fn classes(&mut self, region: Region, value: Polynomial, bounds: &Bounds) -> Result<()> {
        if bounds.classes() > MAX_RESIDUES {
            return Err(self.too_complex("too many residue classes"));
        }
        let mut open = vec![(region, value)];
        for (var, modulus) in &bounds.residues {
            let mut next = Vec::new();
            for (region, value) in &open {
                let mut residue = BigInt::zero();
                while residue < *modulus {
                    let new = self.variables.fresh_dim();
                    let replacement =
                        Form::constant(residue.clone()).plus(modulus, &Form::variable(new));
                    let mut region = region.clone();
                    region.dims.retain(|dim| dim != var);
                    region.dims.push(new);
                    region.substitute(*var, &replacement);
                    next.push((
                        region,
                        value.substitute(*var, &Polynomial::from(&replacement)),
                    ));
                    residue += 1;
                }
            }
            open = next;
        }
        open.into_iter()
            .try_for_each(|(region, value)| self.sum(region, value))
    }
}

/// The bounds of one dimension.
struct Bounds {
    var: Var,
    /// `var >= lower`, exact only without residues.
    lower: Vec<Form>,
    /// `var <= upper`, exact only without residues.
    upper: Vec<Form>,
    /// Dimensions that must be split, and into how many classes, before the bounds can be rounded.
    residues: Vec<(Var, BigInt)>,
}

impl Bounds {
    fn of(var: Var, region: &Region, variables: &Variables) -> Bounds {
        let mut bounds = Bounds {
            var,
            lower: Vec::new(),
            upper: Vec::new(),
            residues: Vec::new(),
        };
        for form in &region.inequalities {
            let mut rest = form.clone();
            let Some(coefficient) = rest.terms.remove(&var) else {
                continue;
            };
            let divisor = coefficient.abs();
            for (other, c) in rest
                .terms
                .iter()
                .filter(|(other, _)| variables.is_dim(**other))
            {
                let modulus = &divisor / divisor.gcd(c);
                bounds.require(*other, modulus);
            }
            if coefficient.is_positive() {
                bounds.lower.push(rest.negated());
            } else {
                bounds.upper.push(rest);
            }
        }
        bounds
    }

    fn require(&mut self, var: Var, modulus: BigInt) {
        if modulus.is_one() {
            return;
        }
        match self.residues.iter_mut().find(|(known, _)| *known == var) {
            Some((_, known)) => *known = known.lcm(&modulus),
            None => self.residues.push((var, modulus)),
        }
    }

    fn classes(&self) -> u64 {
        let product: BigInt = self.residues.iter().map(|(_, modulus)| modulus).product();
        product.to_u64().unwrap_or(u64::MAX)
    }

    /// Fewer classes first, then fewer cases.
    fn cost(&self) -> (u64, usize, Var) {
        (
            self.classes(),
            self.lower.len() * self.upper.len(),
            self.var,
        )
    }
}
