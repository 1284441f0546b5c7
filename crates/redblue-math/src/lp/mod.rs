//! Exact linear programs with certificates.
//!
//! ```text
//! max (or min)  c·x    subject to   a_i·x (<= | = | >=) b_i,   x_j >= 0 or free
//! ```
//!
//! [`LinearProgram::solve`] runs the two-phase simplex method in rationals and returns a
//! [`Solution`] that proves itself: an optimum comes with dual multipliers, infeasibility with Farkas
//! multipliers, unboundedness with a point and a ray. [`LinearProgram::verify`] checks each of them and shares no
//! code with the solver.

mod certificate;
mod simplex;

pub use certificate::Flaw;

use crate::{
    Rational,
    error::{MathError, Result},
};

/// The direction of optimisation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Goal {
    /// Make the objective large.
    Maximise,
    /// Make the objective small.
    Minimise,
}

/// How the two sides of a constraint compare.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relation {
    /// At most.
    Le,
    /// Equal.
    Eq,
    /// At least.
    Ge,
}

/// A linear constraint `coefficients·x relation bound`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Constraint {
    /// One coefficient per variable.
    pub coefficients: Vec<Rational>,
    /// How the sides compare.
    pub relation: Relation,
    /// The right-hand side.
    pub bound: Rational,
}

/// A linear program. Variables are nonnegative unless declared [free](LinearProgram::set_free).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinearProgram {
    goal: Goal,
    objective: Vec<Rational>,
    constraints: Vec<Constraint>,
    free: Vec<bool>,
}

/// The answer to a linear program, with its proof.
///
/// The multipliers `y` of the constraints are signed as for a minimisation: `y_i >= 0` for `>=`, `y_i <= 0` for
/// `<=`, any sign for `=`; for a maximisation the two signs are exchanged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Solution {
    /// An optimum. `Σ y_i a_i` bounds the objective's coefficients and `y·b` equals the value.
    Optimal {
        /// An optimal point.
        point: Vec<Rational>,
        /// The objective there.
        value: Rational,
        /// The dual certificate `y`.
        multipliers: Vec<Rational>,
    },
    /// No point satisfies the constraints: `Σ y_i a_i·x <= 0` for all admissible `x`, yet `y·b > 0`
    /// (signed as for a minimisation).
    Infeasible {
        /// The Farkas certificate `y`.
        multipliers: Vec<Rational>,
    },
    /// The objective has no bound: from `point` on, it improves for ever along `ray`.
    Unbounded {
        /// A feasible point.
        point: Vec<Rational>,
        /// A direction that stays feasible.
        ray: Vec<Rational>,
    },
}

impl LinearProgram {
    /// A program without constraints.
    pub fn new(goal: Goal, objective: Vec<Rational>) -> Self {
        let free = vec![false; objective.len()];
        LinearProgram {
            goal,
            objective,
            constraints: Vec::new(),
            free,
        }
    }

    /// Lets a variable take negative values.
    pub fn set_free(&mut self, variable: usize) -> Result<()> {
        let variables = self.free.len();
        let slot = self.free.get_mut(variable).ok_or(MathError::Dimension {
            expected: variables,
            found: variable,
        })?;
        *slot = true;
        Ok(())
    }

    /// Adds a constraint.
    pub fn constrain(
        &mut self,
        coefficients: Vec<Rational>,
        relation: Relation,
        bound: Rational,
    ) -> Result<()> {
        let (expected, found) = (self.objective.len(), coefficients.len());
        if expected != found {
            return Err(MathError::Dimension { expected, found });
        }
        self.constraints.push(Constraint {
            coefficients,
            relation,
            bound,
        });
        Ok(())
    }

    /// The constraints in the order in which they were added.
    pub fn constraints(&self) -> &[Constraint] {
        &self.constraints
    }

    /// Solves the program.
    pub fn solve(&self) -> Solution {
        simplex::solve(self)
    }

    /// Checks that `solution` is a correct answer, from its certificate alone.
    pub fn verify(&self, solution: &Solution) -> std::result::Result<(), Flaw> {
        certificate::verify(self, solution)
    }
}
