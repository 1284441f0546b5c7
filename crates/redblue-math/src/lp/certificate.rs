//! Checks answers to linear programs from their certificates.
//!
//! Nothing of the solver is used: only inner products and comparisons. A certificate that passes proves its
//! claim by weak duality (optimality), Farkas' lemma (infeasibility) or by walking along the ray.

use super::{Constraint, Goal, LinearProgram, Relation, Solution};
use crate::{Rational, matrix::dot};
use num_traits::{Signed as _, Zero as _};

/// Why an answer to a linear program is not proved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Flaw {
    /// A vector has the wrong length.
    #[error("a vector has the wrong length")]
    Shape,
    /// The point breaks a constraint or a sign condition.
    #[error("the point is not feasible")]
    InfeasiblePoint,
    /// The stated value is not the objective at the point, or not the dual value.
    #[error("the value does not match")]
    WrongValue,
    /// A multiplier has the sign that its constraint forbids.
    #[error("a multiplier has the wrong sign")]
    MultiplierSign,
    /// The combination of constraints does not bound what it should.
    #[error("the multipliers do not bound the objective")]
    NotDominated,
    /// The combination of constraints is not contradictory.
    #[error("the multipliers do not contradict the constraints")]
    NoContradiction,
    /// The direction leaves the feasible set.
    #[error("the ray leaves the feasible set")]
    InfeasibleRay,
    /// The objective does not improve along the direction.
    #[error("the objective does not improve along the ray")]
    NoImprovement,
}

pub(super) fn verify(program: &LinearProgram, solution: &Solution) -> Result<(), Flaw> {
    match solution {
        Solution::Optimal {
            point,
            value,
            multipliers,
        } => {
            feasible(program, point)?;
            require(dot(&program.objective, point) == *value, Flaw::WrongValue)?;
            let (objective, sign) = match program.goal {
                Goal::Minimise => (program.objective.clone(), multipliers.clone()),
                Goal::Maximise => (negated(&program.objective), negated(multipliers)),
            };
            dominated(program, &sign, &objective)?;
            require(dual_value(program, multipliers) == *value, Flaw::WrongValue)
        }
        Solution::Infeasible { multipliers } => {
            dominated(
                program,
                multipliers,
                &vec![Rational::zero(); program.objective.len()],
            )?;
            require(
                dual_value(program, multipliers).is_positive(),
                Flaw::NoContradiction,
            )
        }
        Solution::Unbounded { point, ray } => {
            feasible(program, point)?;
            recedes(program, ray)?;
            let slope = dot(&program.objective, ray);
            let improves = match program.goal {
                Goal::Maximise => slope.is_positive(),
                Goal::Minimise => slope.is_negative(),
            };
            require(improves, Flaw::NoImprovement)
        }
    }
}

fn require(condition: bool, flaw: Flaw) -> Result<(), Flaw> {
    if condition { Ok(()) } else { Err(flaw) }
}

fn negated(vector: &[Rational]) -> Vec<Rational> {
    vector.iter().map(|value| -value).collect()
}

fn holds(constraint: &Constraint, left: &Rational, right: &Rational) -> bool {
    match constraint.relation {
        Relation::Le => left <= right,
        Relation::Eq => left == right,
        Relation::Ge => left >= right,
    }
}

/// Whether the vector obeys the sign conditions of the variables.
fn signs_hold(program: &LinearProgram, vector: &[Rational]) -> bool {
    vector
        .iter()
        .zip(&program.free)
        .all(|(value, free)| *free || !value.is_negative())
}

fn feasible(program: &LinearProgram, point: &[Rational]) -> Result<(), Flaw> {
    require(point.len() == program.objective.len(), Flaw::Shape)?;
    let inside = program.constraints.iter().all(|constraint| {
        holds(
            constraint,
            &dot(&constraint.coefficients, point),
            &constraint.bound,
        )
    });
    require(inside && signs_hold(program, point), Flaw::InfeasiblePoint)
}

fn recedes(program: &LinearProgram, ray: &[Rational]) -> Result<(), Flaw> {
    require(ray.len() == program.objective.len(), Flaw::Shape)?;
    let inside = program.constraints.iter().all(|constraint| {
        holds(
            constraint,
            &dot(&constraint.coefficients, ray),
            &Rational::zero(),
        )
    });
    require(inside && signs_hold(program, ray), Flaw::InfeasibleRay)
}

/// Checks `Σ y_i a_i <= objective` (equal on free variables), with `y` signed as for a minimisation.
fn dominated(
    program: &LinearProgram,
    multipliers: &[Rational],
    objective: &[Rational],
) -> Result<(), Flaw> {
    require(multipliers.len() == program.constraints.len(), Flaw::Shape)?;
    let signed =
        multipliers
            .iter()
            .zip(&program.constraints)
            .all(|(y, constraint)| match constraint.relation {
                Relation::Le => !y.is_positive(),
                Relation::Eq => true,
                Relation::Ge => !y.is_negative(),
            });
    require(signed, Flaw::MultiplierSign)?;
    let below = (0..objective.len()).all(|variable| {
        let weighted = multipliers
            .iter()
            .zip(&program.constraints)
            .map(|(y, constraint)| y * &constraint.coefficients[variable]);
        let combined: Rational = weighted.sum();
        if program.free[variable] {
            combined == objective[variable]
        } else {
            combined <= objective[variable]
        }
    });
    require(below, Flaw::NotDominated)
}

fn dual_value(program: &LinearProgram, multipliers: &[Rational]) -> Rational {
    multipliers
        .iter()
        .zip(&program.constraints)
        .map(|(y, constraint)| y * &constraint.bound)
        .sum()
}
