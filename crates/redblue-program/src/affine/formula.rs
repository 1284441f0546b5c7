//! Conditions: conjunctions and disjunctions of linear constraints, in negation normal form.

use std::collections::BTreeSet;

use num_traits::{Signed, Zero};

use super::Linear;
use super::linear::Trend;

/// A condition on loop variables and sizes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Formula {
    /// Always.
    True,
    /// Never.
    False,
    /// `linear >= 0`.
    Nonnegative(Linear),
    /// `linear == 0`.
    Zero(Linear),
    /// All of these.
    All(Vec<Formula>),
    /// At least one of these.
    Any(Vec<Formula>),
}

impl Formula {
    /// `linear >= 0`.
    pub(crate) fn nonnegative(linear: Linear) -> Formula {
        match linear.as_constant() {
            Some(number) if number.is_negative() => Formula::False,
            Some(_) => Formula::True,
            None => Formula::Nonnegative(linear),
        }
    }

    /// `linear == 0`.
    pub(crate) fn zero(linear: Linear) -> Formula {
        match linear.as_constant() {
            Some(number) if number.is_zero() => Formula::True,
            Some(_) => Formula::False,
            None => Formula::Zero(linear),
        }
    }

    /// All of these, flattened.
    pub(crate) fn all(parts: Vec<Formula>) -> Formula {
        let mut flat = Vec::new();
        for part in parts {
            match part {
                Formula::True => {}
                Formula::False => return Formula::False,
                Formula::All(inner) => flat.extend(inner),
                other => flat.push(other),
            }
        }
        flat.dedup();
        match flat.len() {
            0 => Formula::True,
            1 => flat.remove(0),
            _ => Formula::All(flat),
        }
    }

    /// At least one of these, flattened.
    pub(crate) fn any(parts: Vec<Formula>) -> Formula {
        let mut flat = Vec::new();
        for part in parts {
            match part {
                Formula::False => {}
                Formula::True => return Formula::True,
                Formula::Any(inner) => flat.extend(inner),
                other => flat.push(other),
            }
        }
        flat.dedup();
        match flat.len() {
            0 => Formula::False,
            1 => flat.remove(0),
            _ => Formula::Any(flat),
        }
    }

    /// The opposite condition.
    pub(crate) fn negated(&self) -> Formula {
        match self {
            Formula::True => Formula::False,
            Formula::False => Formula::True,
            Formula::Nonnegative(linear) => Formula::nonnegative(linear.negated().plus(-1)),
            Formula::Zero(linear) => Formula::any(vec![
                Formula::nonnegative(linear.plus(-1)),
                Formula::nonnegative(linear.negated().plus(-1)),
            ]),
            Formula::All(parts) => Formula::any(parts.iter().map(Formula::negated).collect()),
            Formula::Any(parts) => Formula::all(parts.iter().map(Formula::negated).collect()),
        }
    }

    /// The conditions that must all hold.
    pub(crate) fn conjuncts(&self) -> Vec<Formula> {
        match self {
            Formula::All(parts) => parts.clone(),
            other => vec![other.clone()],
        }
    }

    /// How the truth of the condition moves with the loop variable at `depth`: `Falls` means that once
    /// it is false it stays false.
    pub(crate) fn trend(&self, depth: usize) -> Trend {
        match self {
            Formula::True | Formula::False => Trend::Constant,
            Formula::Nonnegative(linear) => linear.trend(depth),
            Formula::Zero(linear) => match linear.trend(depth) {
                Trend::Constant => Trend::Constant,
                _ => Trend::Unknown,
            },
            Formula::All(parts) | Formula::Any(parts) => parts
                .iter()
                .map(|part| part.trend(depth))
                .fold(Trend::Constant, Trend::join),
        }
    }

    /// The same condition with the loop variable at `depth` replaced.
    pub(crate) fn substitute(&self, depth: usize, replacement: &Linear) -> Formula {
        let all = |parts: &[Formula]| {
            parts
                .iter()
                .map(|part| part.substitute(depth, replacement))
                .collect()
        };
        match self {
            Formula::True | Formula::False => self.clone(),
            Formula::Nonnegative(l) => Formula::nonnegative(l.substitute(depth, replacement)),
            Formula::Zero(l) => Formula::zero(l.substitute(depth, replacement)),
            Formula::All(parts) => Formula::all(all(parts)),
            Formula::Any(parts) => Formula::any(all(parts)),
        }
    }

    /// All sizes in it.
    pub(crate) fn collect_parameters(&self, into: &mut BTreeSet<String>) {
        match self {
            Formula::True | Formula::False => {}
            Formula::Nonnegative(linear) | Formula::Zero(linear) => linear.collect_parameters(into),
            Formula::All(parts) | Formula::Any(parts) => {
                parts.iter().for_each(|part| part.collect_parameters(into));
            }
        }
    }
}
