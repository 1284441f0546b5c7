//! Coordinates that are counted from the start of their tile.
//!
//! ```text
//! 19p <= i < 19p + 19   ──►   0 <= i' < 19          i' = i - 19p
//! ```
//!
//! Such a change of one coordinate by a whole multiple of others maps the points of a set to as many points. Floors are
//! changed in the same way, `floor((19p + i')/19) = p + floor(i'/19)`: what is left does not depend on the tile.

use super::system::{Bounded, FAR, Row, System};

/// Changes coordinates of all systems, in the same way, to short ones.
pub(super) fn straighten(systems: &mut [System], dims: usize) {
    let mut open: Vec<usize> = (0..dims).collect();
    // Long ones first: the short ones that tell where they are stay as they are.
    while let Some((var, sum)) = longest(systems, dims, &open) {
        open.retain(|other| *other != var);
        let before = systems.to_vec();
        if !systems.iter_mut().all(|system| system.sheared(var, &sum)) {
            systems.clone_from_slice(&before);
        }
    }
    for system in systems {
        let before = system.clone();
        if !system.with_short_floors() {
            *system = before;
        }
    }
}

/// The longest of some dimensions that can be made shorter, and how.
fn longest(systems: &[System], dims: usize, open: &[usize]) -> Option<(usize, Vec<i64>)> {
    let shorter = open.iter().filter_map(|var| {
        let width = width(systems, *var);
        let sum = shear(systems.first()?, dims, *var, width)?;
        Some((width, *var, sum))
    });
    let best = shorter.max_by_key(|(width, ..)| *width);
    best.map(|(_, var, sum)| (var, sum))
}

/// The longest range of a dimension.
pub(super) fn width(systems: &[System], var: usize) -> i64 {
    let ranges = systems.iter().map(|system| system.ranges[var]);
    ranges.map(|(low, high)| high - low).max().unwrap_or(0)
}

/// Coefficients of the other dimensions that, added to a dimension, leave it a range of less than half the width: two
/// inequalities of a system say so.
fn shear(system: &System, dims: usize, var: usize, width: i64) -> Option<Vec<i64>> {
    let simple = |row: &&Row| {
        let (own, floors) = row.coefficients.split_at(dims);
        own[var] == 1
            && floors.iter().all(|c| *c == 0)
            && own.iter().filter(|c| **c != 0).count() > 1
    };
    let mut best: Option<(i64, &Row)> = None;
    for low in system.rows.iter().filter(simple) {
        let above = low.negated().coefficients;
        let across = system.rows.iter().filter(|row| row.coefficients == above);
        let Some(length) = across
            .map(|high| low.constant.saturating_add(high.constant))
            .min()
        else {
            continue;
        };
        if length < width / 2 && best.is_none_or(|(least, _)| length < least) {
            best = Some((length, low));
        }
    }
    best.map(|(_, row)| row.coefficients[..dims].to_vec())
}

impl System {
    /// Replaces a dimension by its sum with multiples of others, given by the coefficients of all; says whether all
    /// numbers stay small.
    fn sheared(&mut self, var: usize, sum: &[i64]) -> bool {
        let mut small = true;
        let mut change = |row: &mut Row| {
            let own = row.coefficients[var];
            if own == 0 {
                return;
            }
            for (at, (coefficient, part)) in row.coefficients.iter_mut().zip(sum).enumerate() {
                if at != var {
                    *coefficient -= own * part;
                    small &= coefficient.abs() <= System::COEFFICIENT;
                }
            }
        };
        self.rows.iter_mut().for_each(&mut change);
        self.floors
            .iter_mut()
            .for_each(|(_, numerator, _)| change(numerator));
        self.rows.sort();
        self.ranges[var] = (-FAR, FAR);
        small && matches!(self.bounded(), Bounded::Yes)
    }

    /// Takes whole multiples of the denominators out of all floors; says whether all numbers stay small.
    fn with_short_floors(&mut self) -> bool {
        let mut small = true;
        for at in 0..self.floors.len() {
            let (floor, numerator, denominator) = self.floors[at].clone();
            let mut whole = numerator.clone();
            let parts = whole.coefficients.iter_mut().chain([&mut whole.constant]);
            parts.for_each(|part| *part = part.div_euclid(denominator));
            if whole.constant.abs() > System::COORDINATE {
                return false;
            }
            let mut change = |row: &mut Row, own: i64| {
                for (coefficient, part) in row.coefficients.iter_mut().zip(&whole.coefficients) {
                    *coefficient += own * part;
                    small &= coefficient.abs() <= System::COEFFICIENT;
                }
                row.constant += own * whole.constant;
            };
            change(&mut self.floors[at].1, -denominator);
            for (_, later, _) in &mut self.floors[at + 1..] {
                let own = later.coefficients[floor];
                change(later, own);
            }
            for row in &mut self.rows {
                let own = row.coefficients[floor];
                change(row, own);
            }
            self.ranges[floor] = (-FAR, FAR);
            if !small {
                return false;
            }
        }
        self.rows.sort();
        matches!(self.bounded(), Bounded::Yes)
    }
}
