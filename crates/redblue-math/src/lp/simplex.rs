//! The two-phase simplex method on a dense rational tableau, with Bland's rule.
//!
//! The program becomes `min c·z, A z = b, b >= 0, z >= 0`: a free variable is a difference of two, an inequality
//! gets a slack, every row an artificial variable. Phase one drives the artificials to zero, phase two minimises
//! the objective. The artificial columns stay in the tableau, because their reduced costs are the dual values.
//! Bland's rule (always the first eligible index) makes cycling impossible; speed is not the concern here.

use super::{Goal, LinearProgram, Relation, Solution};
use crate::Rational;
use num_traits::{One as _, Signed as _, Zero as _};

pub(super) fn solve(program: &LinearProgram) -> Solution {
    let mut tableau = Tableau::new(program);
    let phase_one: Vec<_> = (0..tableau.width)
        .map(|column| {
            if column < tableau.artificial {
                Rational::zero()
            } else {
                Rational::one()
            }
        })
        .collect();
    // Phase one is bounded below by zero, so it always ends at an optimum.
    let _ = tableau.minimise(&phase_one);
    if tableau.value(&phase_one).is_positive() {
        return Solution::Infeasible {
            multipliers: tableau.multipliers(&phase_one),
        };
    }
    tableau.expel_artificials();
    let sign = if program.goal == Goal::Maximise {
        -Rational::one()
    } else {
        Rational::one()
    };
    let cost = tableau.objective(program, &sign);
    let outcome = tableau.minimise(&cost);
    let point = tableau.point(program);
    match outcome {
        Err(column) => Solution::Unbounded {
            point,
            ray: tableau.ray(program, column),
        },
        Ok(()) => Solution::Optimal {
            value: crate::matrix::dot(&program.objective, &point),
            multipliers: tableau
                .multipliers(&cost)
                .into_iter()
                .map(|y| y * &sign)
                .collect(),
            point,
        },
    }
}

struct Tableau {
    /// `B⁻¹A | B⁻¹b`, one row per constraint.
    rows: Vec<Vec<Rational>>,
    /// The basic variable of each row.
    basis: Vec<usize>,
    /// Whether the constraint of each row was negated to make its right-hand side nonnegative.
    negated: Vec<bool>,
    /// The first artificial column.
    artificial: usize,
    /// The number of columns without the right-hand side.
    width: usize,
}

impl Tableau {
    fn new(program: &LinearProgram) -> Self {
        let variables = columns(program).count();
        let slacks = program
            .constraints
            .iter()
            .filter(|constraint| constraint.relation != Relation::Eq)
            .count();
        let artificial = variables + slacks;
        let width = artificial + program.constraints.len();
        let mut tableau = Tableau {
            rows: Vec::new(),
            basis: (artificial..width).collect(),
            negated: Vec::new(),
            artificial,
            width,
        };
        let mut slack = variables;
        for (index, constraint) in program.constraints.iter().enumerate() {
            let mut row = vec![Rational::zero(); width + 1];
            for (column, (variable, sign)) in columns(program).enumerate() {
                row[column] = &constraint.coefficients[variable] * &sign;
            }
            if constraint.relation != Relation::Eq {
                row[slack] = if constraint.relation == Relation::Le {
                    Rational::one()
                } else {
                    -Rational::one()
                };
                slack += 1;
            }
            row[width] = constraint.bound.clone();
            let negate = constraint.bound.is_negative();
            if negate {
                row.iter_mut().for_each(|entry| *entry = -&*entry);
            }
            row[artificial + index] = Rational::one();
            tableau.rows.push(row);
            tableau.negated.push(negate);
        }
        tableau
    }

    /// The cost of each column of the standard form in phase two.
    fn objective(&self, program: &LinearProgram, sign: &Rational) -> Vec<Rational> {
        let mut cost: Vec<_> = columns(program)
            .map(|(variable, side)| &program.objective[variable] * side * sign)
            .collect();
        cost.resize(self.width, Rational::zero());
        cost
    }

    /// `c_j - c_B·B⁻¹A_j`
    fn reduced_cost(&self, cost: &[Rational], column: usize) -> Rational {
        let basic: Rational = self
            .basis
            .iter()
            .zip(&self.rows)
            .map(|(&basic, row)| &cost[basic] * &row[column])
            .sum();
        &cost[column] - basic
    }

    fn value(&self, cost: &[Rational]) -> Rational {
        self.basis
            .iter()
            .zip(&self.rows)
            .map(|(&basic, row)| &cost[basic] * &row[self.width])
            .sum()
    }

    /// Pivots to an optimum, or returns a column along which the cost falls for ever. Artificials never enter.
    fn minimise(&mut self, cost: &[Rational]) -> Result<(), usize> {
        while let Some(column) =
            (0..self.artificial).find(|&column| self.reduced_cost(cost, column).is_negative())
        {
            let candidates =
                (0..self.rows.len()).filter(|&row| self.rows[row][column].is_positive());
            let ratio = |row: &usize| {
                (
                    &self.rows[*row][self.width] / &self.rows[*row][column],
                    self.basis[*row],
                )
            };
            let row = candidates.min_by_key(ratio).ok_or(column)?;
            self.pivot(row, column);
        }
        Ok(())
    }

    fn pivot(&mut self, row: usize, column: usize) {
        let pivot = self.rows[row][column].clone();
        self.rows[row].iter_mut().for_each(|entry| *entry /= &pivot);
        let pivot_row = self.rows[row].clone();
        for (index, other) in self.rows.iter_mut().enumerate() {
            if index != row && !other[column].is_zero() {
                let factor = other[column].clone();
                other
                    .iter_mut()
                    .zip(&pivot_row)
                    .filter(|(_, above)| !above.is_zero())
                    .for_each(|(entry, above)| *entry -= &factor * above);
            }
        }
        self.basis[row] = column;
    }

    /// Pivots artificials out of the basis. One that cannot leave has a redundant row and stays at zero.
    fn expel_artificials(&mut self) {
        for row in 0..self.rows.len() {
            if self.basis[row] >= self.artificial
                && let Some(column) =
                    (0..self.artificial).find(|&column| !self.rows[row][column].is_zero())
            {
                self.pivot(row, column);
            }
        }
    }

    /// The dual values, read off the artificial columns, in the signs of the original constraints.
    fn multipliers(&self, cost: &[Rational]) -> Vec<Rational> {
        let dual = |(index, negated): (usize, &bool)| {
            let column = self.artificial + index;
            let y = &cost[column] - self.reduced_cost(cost, column);
            if *negated { -y } else { y }
        };
        self.negated.iter().enumerate().map(dual).collect()
    }

    fn point(&self, program: &LinearProgram) -> Vec<Rational> {
        let mut point = vec![Rational::zero(); program.objective.len()];
        let columns: Vec<_> = columns(program).collect();
        for (&basic, row) in self.basis.iter().zip(&self.rows) {
            if let Some((variable, sign)) = columns.get(basic) {
                point[*variable] += &row[self.width] * sign;
            }
        }
        point
    }

    /// The direction in which raising `column` moves the original variables.
    fn ray(&self, program: &LinearProgram, column: usize) -> Vec<Rational> {
        let mut ray = vec![Rational::zero(); program.objective.len()];
        let columns: Vec<_> = columns(program).collect();
        if let Some((variable, sign)) = columns.get(column) {
            ray[*variable] += sign;
        }
        for (&basic, row) in self.basis.iter().zip(&self.rows) {
            if let Some((variable, sign)) = columns.get(basic) {
                ray[*variable] -= &row[column] * sign;
            }
        }
        ray
    }
}

/// The structural columns: each variable once, a free one also negated.
fn columns(program: &LinearProgram) -> impl Iterator<Item = (usize, Rational)> {
    program
        .free
        .iter()
        .enumerate()
        .flat_map(|(variable, &free)| {
            let negative = free.then(|| (variable, -Rational::one()));
            [(variable, Rational::one())].into_iter().chain(negative)
        })
}
