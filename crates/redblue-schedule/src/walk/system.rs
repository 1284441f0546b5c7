//! Disjuncts as plain numbers: inequalities over dimensions and floors.

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::ToPrimitive;
use redblue_poly::{Constraint, Floor, Linear};

/// Most variables.
const VARIABLES: usize = 62;
/// How often bounds are derived from each other before a walk.
const ROUNDS: usize = 12;
/// Beyond all coordinates.
pub(super) const FAR: i64 = i64::MAX / 4;

/// One disjunct: inequalities over the dimensions, followed by its floors.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct System {
    pub(super) rows: Vec<Row>,
    /// Position of the variable, numerator and denominator.
    pub(super) floors: Vec<(usize, Row, i64)>,
    /// Least and greatest value of every variable, as far as known.
    pub(super) ranges: Vec<(i64, i64)>,
}

/// `constant + Σ coefficient · variable >= 0`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Row {
    pub(super) coefficients: Vec<i64>,
    pub(super) constant: i64,
}

pub(super) enum Bounded {
    Yes,
    No,
    Empty,
}

impl Row {
    fn of(linear: &Linear, dims: usize, floors: usize) -> Option<Row> {
        if linear.params.iter().any(|c| *c != BigInt::default()) {
            return None;
        }
        let small = |c: &BigInt| c.to_i64().filter(|c| c.abs() <= System::COEFFICIENT);
        let own = linear.dims.iter().take(dims).map(small);
        let mut coefficients: Vec<i64> = own.collect::<Option<_>>()?;
        coefficients.resize(dims, 0);
        for floor in &linear.floors {
            coefficients.push(small(floor)?);
        }
        coefficients.resize(dims + floors, 0);
        let constant = linear.constant.to_i64()?;
        (constant.abs() <= System::COEFFICIENT * System::COORDINATE).then_some(Row {
            coefficients,
            constant,
        })
    }

    pub(super) fn negated(&self) -> Row {
        Row {
            coefficients: self.coefficients.iter().map(|c| -c).collect(),
            constant: -self.constant,
        }
    }

    pub(super) fn involves(&self, var: usize) -> bool {
        self.coefficients[var] != 0
    }

    /// The greatest value of the part that the ranges of some variables leave open; `None` if it has none.
    pub(super) fn most(&self, ranges: &[(i64, i64)], open: impl Fn(usize) -> bool) -> Option<i64> {
        let mut sum: i64 = 0;
        for (var, coefficient) in self.coefficients.iter().enumerate() {
            if *coefficient == 0 || !open(var) {
                continue;
            }
            let (low, high) = ranges[var];
            let end = if *coefficient > 0 { high } else { low };
            if end.abs() >= FAR {
                return None;
            }
            sum = sum.checked_add(coefficient.checked_mul(end)?)?;
        }
        Some(sum)
    }
}

impl System {
    /// Largest coefficients and denominators.
    pub(super) const COEFFICIENT: i64 = 1 << 20;
    /// Largest coordinates: sums of 64 products of both do not overflow.
    pub(super) const COORDINATE: i64 = 1 << 36;

    pub(super) fn of(dims: usize, floors: &[Floor], constraints: &[Constraint]) -> Option<System> {
        let vars = dims + floors.len();
        if vars > VARIABLES {
            return None;
        }
        let mut system = System {
            rows: Vec::new(),
            floors: Vec::new(),
            ranges: vec![(-FAR, FAR); vars],
        };
        for constraint in constraints {
            let row = Row::of(&constraint.linear, dims, floors.len())?;
            if constraint.equality {
                system.rows.push(row.negated());
            }
            system.rows.push(row);
        }
        for (at, floor) in floors.iter().enumerate() {
            let numerator = Row::of(&floor.numerator, dims, floors.len())?;
            let denominator = floor
                .denominator
                .to_i64()
                .filter(|d| *d <= System::COEFFICIENT)?;
            if numerator.coefficients.iter().all(|c| *c == 0) {
                return None;
            }
            let var = dims + at;
            // denominator · floor <= numerator <= denominator · floor + denominator - 1
            let mut low = numerator.clone();
            low.coefficients[var] -= denominator;
            let mut high = low.negated();
            high.constant += denominator - 1;
            system.rows.extend([low, high]);
            system.floors.push((var, numerator, denominator));
        }
        system.rows.sort();
        system.rows.dedup();
        Some(system)
    }

    /// Derives ranges of all variables from each other.
    pub(super) fn bounded(&mut self) -> Bounded {
        for _ in 0..ROUNDS {
            let before = self.ranges.clone();
            for row in &self.rows {
                if row.coefficients.iter().all(|c| *c == 0) && row.constant < 0 {
                    return Bounded::Empty;
                }
                for (var, coefficient) in row.coefficients.iter().enumerate() {
                    if *coefficient == 0 {
                        continue;
                    }
                    let others = row.most(&self.ranges, |other| other != var);
                    let Some(rest) = others.and_then(|others| others.checked_add(row.constant))
                    else {
                        continue;
                    };
                    let range = &mut self.ranges[var];
                    if *coefficient > 0 {
                        range.0 = range.0.max(Integer::div_ceil(&-rest, coefficient));
                    } else {
                        range.1 = range.1.min(rest.div_euclid(-coefficient));
                    }
                    if range.0 > range.1 {
                        return Bounded::Empty;
                    }
                }
            }
            if self.ranges == before {
                break;
            }
        }
        let near = |range: &(i64, i64)| range.0.abs().max(range.1.abs()) <= System::COORDINATE;
        match self.ranges.iter().all(near) {
            true => Bounded::Yes,
            false => Bounded::No,
        }
    }

    /// The rows that involve some of the dimensions.
    pub(super) fn about(&self, group: &[usize]) -> Vec<&Row> {
        let rows = self.rows.iter();
        rows.filter(|row| group.iter().any(|var| row.involves(*var)))
            .collect()
    }
}

impl System {
    /// Dimensions that a row connects, directly or by way of floors.
    pub(super) fn ties(&self, dims: usize) -> Vec<Vec<usize>> {
        let vars = self.ranges.len();
        let mut groups: Vec<Vec<usize>> = (0..vars).map(|at| vec![at]).collect();
        for row in &self.rows {
            let used = |group: &Vec<usize>| group.iter().any(|var| row.involves(*var));
            let (joined, others): (Vec<_>, Vec<_>) = groups.into_iter().partition(used);
            groups = others;
            if !joined.is_empty() {
                groups.push(joined.concat());
            }
        }
        for group in &mut groups {
            group.retain(|var| *var < dims);
        }
        groups.retain(|group| group.len() > 1);
        groups
    }
}
