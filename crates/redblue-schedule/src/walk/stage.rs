//! A disjunct prepared for a walk in a given order.

use num_integer::Integer;

use super::system::{FAR, Row, System};

/// A system as a walk sees it. Rows are those about the dimensions of the walk, followed by the numerators of
/// floors.
pub(super) struct Stage<'s> {
    system: &'s System,
    pub(super) constants: Vec<i64>,
    /// By place in the order, and by row: the most that variables which are fixed later may add.
    slack: Vec<Vec<i64>>,
    /// By place in the order, and by row: with so much left, the variables from there on fulfil it whatever they are.
    pub(super) enough: Vec<Vec<i64>>,
    /// By place in the order, and by row: the coefficient of the variable that is fixed there.
    columns: Vec<Vec<i64>>,
    /// By place in the order, the last being the leaf's: rows with a coefficient there, and that.
    bounds: Vec<Vec<(usize, i64)>>,
    /// By place in the order: floors that are known from there on.
    floors: Vec<Vec<Known>>,
    /// Rows that the leaf is not in.
    pub(super) apart: Vec<usize>,
}

/// A floor that is known: the row of its numerator, its denominator, and its coefficient by row.
struct Known {
    numerator: usize,
    denominator: i64,
    column: Vec<i64>,
}

impl<'s> Stage<'s> {
    pub(super) fn new(system: &'s System, order: &[usize], leaf: usize) -> Stage<'s> {
        let vars = system.ranges.len();
        // Where each variable is fixed: dimensions in their order, floors with the last dimension they need.
        let mut places: Vec<Option<usize>> = vec![None; vars];
        for (place, var) in order.iter().enumerate() {
            places[*var] = Some(place);
        }
        let mut known: Vec<Vec<usize>> = vec![Vec::new(); order.len()];
        let mut inside: Vec<usize> = order.to_vec();
        inside.extend((leaf < vars).then_some(leaf));
        for (at, (var, numerator, _)) in system.floors.iter().enumerate() {
            let needed = (0..vars).filter(|other| numerator.involves(*other));
            if let Some(place) = needed.filter_map(|other| places[other]).max() {
                places[*var] = Some(place);
                known[place].push(at);
                inside.push(*var);
            }
        }
        let about = |row: &&Row| inside.iter().any(|var| row.involves(*var));
        let mut rows: Vec<&Row> = system.rows.iter().filter(about).collect();
        let real = rows.len();
        for at in known.iter().flatten() {
            rows.push(&system.floors[*at].1);
        }
        let column = |var: usize| -> Vec<i64> {
            let entry = |row: &&Row| row.coefficients.get(var).copied().unwrap_or(0);
            rows.iter().map(entry).collect()
        };
        let mut numerators = real..;
        let mut floors: Vec<Vec<Known>> = Vec::new();
        for list in &known {
            let mut here = Vec::new();
            for (at, numerator) in list.iter().zip(&mut numerators) {
                let (var, _, denominator) = &system.floors[*at];
                here.push(Known {
                    numerator,
                    denominator: *denominator,
                    column: column(*var),
                });
            }
            floors.push(here);
        }
        let after = |place: usize| {
            let open = |var: usize| places[var].is_none_or(|own| own > place);
            let open =
                |var: usize| open(var) || (places[var] == Some(place) && var != order[place]);
            let most = rows.iter().map(|row| row.most(&system.ranges, open));
            most.map(|most| most.unwrap_or(FAR)).collect()
        };
        let mut slack: Vec<Vec<i64>> = (0..order.len()).map(after).collect();
        slack.push(vec![0; rows.len()]);
        let needed = |place: usize| {
            let open = |var: usize| places[var].is_none_or(|own| own >= place);
            let least = |row: &&Row| row.negated().most(&system.ranges, open);
            let mut enough: Vec<i64> = rows
                .iter()
                .map(|row| least(row).unwrap_or(i64::MAX))
                .collect();
            // Of a numerator, every unit counts until its floor is known, and nothing afterwards.
            let numerators = (real..).zip(
                known
                    .iter()
                    .enumerate()
                    .flat_map(|(own, list)| list.iter().map(move |_| own)),
            );
            for (row, own) in numerators {
                enough[row] = if own >= place { i64::MAX } else { i64::MIN };
            }
            enough
        };
        let enough = (0..order.len()).map(needed).collect();
        let columns: Vec<Vec<i64>> = order.iter().map(|var| column(*var)).collect();
        let last = column(leaf);
        let bounds = columns.iter().chain([&last]).map(|column| {
            let entries = column.iter().copied().enumerate().take(real);
            entries.filter(|(_, c)| *c != 0).collect()
        });
        Stage {
            system,
            constants: rows.iter().map(|row| row.constant).collect(),
            slack,
            enough,
            bounds: bounds.collect(),
            columns,
            floors,
            apart: (0..real).filter(|row| last[*row] == 0).collect(),
        }
    }

    /// Values of a variable that the rows leave, as far as they can tell.
    pub(super) fn range(&self, place: usize, var: usize, rest: &[i64]) -> (i64, i64) {
        let (mut low, mut high) = self.system.ranges[var];
        let slack = &self.slack[place];
        for (row, coefficient) in &self.bounds[place] {
            let most = rest[*row] + slack[*row];
            match *coefficient {
                1 => low = low.max(-most),
                -1 => high = high.min(most),
                up if up > 0 => low = low.max(Integer::div_ceil(&-most, &up)),
                down => high = high.min(most.div_euclid(-down)),
            }
        }
        (low, high)
    }

    /// Writes the constants that are left when a dimension has a value.
    pub(super) fn fix(&self, place: usize, value: i64, rest: &[i64], left: &mut [i64]) {
        let columns = rest.iter().zip(&self.columns[place]);
        for (left, (rest, coefficient)) in left.iter_mut().zip(columns) {
            *left = rest + coefficient * value;
        }
        for floor in &self.floors[place] {
            let value = left[floor.numerator].div_euclid(floor.denominator);
            for (left, coefficient) in left.iter_mut().zip(&floor.column) {
                *left += coefficient * value;
            }
        }
    }
}
